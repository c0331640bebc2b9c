"""State files in which people and chats stand wherever they can stand, for tests that find none."""

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

from tests.newer_files import newer_file
from tests.real_files import unpack

SCHEMAS = ("hermes-v22", "hermes-v31")
PHONE, WRITTEN_PHONE = "4915112345678", "+49 151 1234-5678"
STRANGER = "+1 (555) 010-4477"
"""In a text only, and recognised by its shape."""
CHAT_ID, GROUP_ID, THREAD_ID = "987654321", "-1001234567890", "5551277"
SESSION_ID = f"20260101_tg_{CHAT_ID}"
PERSON, CHAT, TOPIC = "Ada Lovelace", "Kestrel Watchers", "Nest cameras"
ACCENTED, CHINESE = "Zoë Müller", "王小明"
ROUTED, ROUTED_ID = "Grace Hopperson", "111222333"
"""Only in a route of the table."""
FILED, FILED_ID = "Katherine Jonsdottir", "444555666"
"""Only in `sessions.json`."""
DISCORD_NAME = "Quentin Quagmire"

SECRETS = (
    *(PHONE, WRITTEN_PHONE, "1234-5678", STRANGER, "010-4477", CHAT_ID, "1001234567890", THREAD_ID),
    *(PERSON, "Lovelace", "Ada", CHAT, TOPIC, ACCENTED, "Müller", CHINESE),
    *(ROUTED, "Hopperson", ROUTED_ID, FILED, "Jonsdottir", FILED_ID),
    *(DISCORD_NAME, "Quagmire", "Zo\\u00eb", "\\u738b\\u5c0f\\u660e"),
)
TEXT = (
    f"Ring {PERSON} ({WRITTEN_PHONE}, {PHONE}@s.whatsapp.net) or {STRANGER}; Ada knows {ACCENTED},"
    f" {CHINESE}, {ROUTED} ({ROUTED_ID}), {FILED} <{FILED_ID}> and {DISCORD_NAME}. {CHAT}, {TOPIC}:"
    f" {GROUP_ID}/{THREAD_ID}, chat {CHAT_ID}. He said 你好{CHINESE}先生."
)
WORD = "peregrine"
"""Stands in every text, and is no secret."""


def leaks(text: str) -> list[str]:
    """The secrets in a text, however many blanks are between their words."""
    flat = re.sub(r"\s+", " ", text)
    found = []
    for secret in SECRETS:
        front = r"(?<![^\W_])" if secret[0].isascii() and secret[0].isalnum() else ""
        back = r"(?![^\W_])" if secret[-1].isascii() and secret[-1].isalnum() else ""
        # A mark may end in “ada”: its digits are small letters.
        either = re.NOFLAG if re.fullmatch("[A-Fa-f]+", secret) else re.IGNORECASE
        if re.search(front + re.escape(secret) + back, flat, either):
            found.append(secret)
    return found + _pieces(text)


PIECE = 5
"""Characters of a secret that tell too much of it where a text was cut."""


def _pieces(text: str) -> list[str]:
    """What is left of a secret where a text was cut in the middle of it."""
    found: list[str] = []
    for secret in (PHONE, PERSON, CHAT, TOPIC, ROUTED, ROUTED_ID, FILED, DISCORD_NAME, "Quagmire"):
        for size in range(PIECE, len(secret)):
            begin, end = re.escape(secret[:size]), re.escape(secret[-size:])
            cut = rf'(?<![^\W_]){begin} ?(?:…|"|│|\n|\Z)|…{end}(?![^\W_])'
            found += (one[0] for one in re.finditer(cut, text))
    return found


def planted(schema: str, home: Path) -> Path:
    """A Hermes home; its state file has the people of a gateway beside its own sessions."""
    home.mkdir(parents=True, exist_ok=True)
    made = (newer_file if schema == "hermes-v31" else unpack)(schema, home)
    path = made.rename(home / "state.db")
    with closing(sqlite3.connect(path)) as db, db:
        columns = {row[1]: row[2] for row in db.execute("PRAGMA table_info(sessions)")}
        _add_sessions(db, columns)
        _add_messages(db)
        _add_routes(db)
    _add_files(home)
    return path


OFFSETS = "merlin"
"""Stands in the texts that are cut at every place of their secrets."""


def add_offsets(path: Path, end: int) -> None:
    """Sessions without a title, with secrets around this place of their texts, one sign further in
    each, and as many before the word that is looked for; and the same in files beside them."""
    names = (PERSON, PHONE, CHAT, DISCORD_NAME)
    with closing(sqlite3.connect(path)) as db, db:
        columns = {row[1]: row[2] for row in db.execute("PRAGMA table_info(sessions)")}
        for shift in range(0, 26, 2):
            id_, name = f"offset_{shift}", names[shift // 2 % len(names)]
            before = "ab " * (end // 3 - 10)
            said = f"{before}{'x' * shift} {name} {name} and more, {name}{'y' * (50 - shift)}"
            text = f"{said} {OFFSETS} {'z' * (100 + shift)} {name}, {name}. {before}"
            cells = {"id": id_, "source": "cli", "started_at": 1_789_970_000.0, "message_count": 2}
            _insert(db, columns, cells | {"title": None})
            _say(db, id_, "user", text)
            _say(db, id_, "assistant", text)
            line = json.dumps({"role": "user", "content": text})
            (path.parent / "sessions" / f"{id_}_alone.jsonl").write_text(f"{line}\n")


def _origin(**more: object) -> dict[str, object]:
    return {
        **{"platform": "telegram", "chat_id": GROUP_ID, "chat_name": CHAT, "chat_type": "group"},
        **{"user_id": CHAT_ID, "user_name": PERSON, "thread_id": THREAD_ID, "chat_topic": TOPIC},
        **{"user_id_alt": PHONE, "chat_id_alt": f"telegram:{GROUP_ID}"},
        **more,
    }


def _add_sessions(db: sqlite3.Connection, columns: dict[str, str]) -> None:
    said = f"{WORD} {TEXT}"
    rest = {
        name: said
        for name, kind in columns.items()
        if kind == "TEXT" and (name.endswith(("_error", "_description")) or name == "git_branch")
    }
    group = {
        **{"id": SESSION_ID, "source": "telegram", "user_id": CHAT_ID, "chat_id": GROUP_ID},
        **{"session_key": f"agent:main:telegram:group:{GROUP_ID}:{THREAD_ID}:{CHAT_ID}"},
        **{"chat_type": "group", "thread_id": THREAD_ID, "display_name": CHAT},
        **{"origin_json": json.dumps(_origin()), "title": f"Call {PERSON} at {STRANGER} {WORD}"},
        **{"cwd": f"/srv/{CHAT}/{PHONE}", "started_at": 1_789_990_000.0, "message_count": 4},
        **{"ended_at": 1_789_990_900.0, "end_reason": "session_reset"},
        **{"model_config": json.dumps({"note": said}), "system_prompt": said, **rest},
    }
    _insert(db, columns, group)
    people = (
        ("whatsapp", f"{PHONE}@s.whatsapp.net", ACCENTED, "one"),
        ("signal", WRITTEN_PHONE.replace(" ", "").replace("-", ""), CHINESE, "two"),
        ("discord", "88001122334455", DISCORD_NAME, "three"),
    )
    for source, user, name, id_ in people:
        origin = _origin(platform=source, user_id=user, user_name=name, chat_type="dm")
        _insert(
            db,
            columns,
            {
                **{"id": f"planted_{id_}", "source": source, "user_id": user, "chat_id": user},
                **{"session_key": f"agent:main:{source}:dm:{user}", "chat_type": "dm"},
                **{"display_name": name, "origin_json": json.dumps(origin)},
                **{"started_at": 1_789_980_000.0, "message_count": 1, "title": None},
                **{"ended_at": 1_789_980_900.0, "end_reason": "session_reset"},
            },
        )
        _say(db, f"planted_{id_}", "user", said)


def _add_messages(db: sqlite3.Connection) -> None:
    said = f"{WORD} {TEXT}"
    call = {"id": "c1", "function": {"name": "send", "arguments": json.dumps({PERSON: [said]})}}
    _say(db, SESSION_ID, "user", f"[{PERSON}] {said}")
    _say(db, SESSION_ID, "assistant", f"# **{PERSON}**\n\n{said}", said, json.dumps([call]))
    result = json.dumps({"output": said, "exit_code": 0, "to": {"user_name": ACCENTED}})
    _say(db, SESSION_ID, "tool", result, call="c1")
    _say(db, SESSION_ID, "assistant", f"Done. {said}", said)


def _say(
    db: sqlite3.Connection,
    session: str,
    role: str,
    text: str,
    reasoning: str | None = None,
    calls: str | None = None,
    call: str | None = None,
) -> None:
    db.execute(
        "INSERT INTO messages (session_id, role, content, reasoning, tool_calls, tool_call_id,"
        " tool_name, timestamp) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (session, role, text, reasoning, calls, call, "send" if call else None, 1_789_990_100.0),
    )


def _add_routes(db: sqlite3.Connection) -> None:
    key = f"agent:main:telegram:dm:{ROUTED_ID}"
    origin = _origin(chat_id=ROUTED_ID, user_id=ROUTED_ID, user_name=ROUTED, chat_type="dm")
    entry = {"session_key": key, "session_id": SESSION_ID, "display_name": ROUTED, "origin": origin}
    db.execute(
        "INSERT INTO gateway_routing (scope, session_key, entry_json, updated_at)"
        " VALUES ('', ?, ?, 1789990000.0)",
        (key, json.dumps(entry)),
    )


def _add_files(home: Path) -> None:
    folder = home / "sessions"
    folder.mkdir()
    key = f"agent:main:telegram:dm:{FILED_ID}"
    origin = _origin(chat_id=FILED_ID, user_id=FILED_ID, user_name=FILED, chat_type="dm")
    entry = {"session_key": key, "session_id": "gone", "display_name": FILED, "origin": origin}
    (folder / "sessions.json").write_text(json.dumps({key: entry}))
    line = json.dumps({"role": "user", "content": f"{WORD} in a file: {TEXT}"})
    (folder / f"lost_{CHAT_ID}.jsonl").write_text(f"{line}\n")
    (folder / f"{SESSION_ID}.jsonl").write_text(f"{line}\n")


def _insert(db: sqlite3.Connection, columns: dict[str, str], cells: dict[str, object]) -> None:
    known = {name: cell for name, cell in cells.items() if name in columns}
    marks = ", ".join("?" * len(known))
    db.execute(f"INSERT INTO sessions ({', '.join(known)}) VALUES ({marks})", (*known.values(),))
