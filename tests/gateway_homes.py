"""A home of Hermes whose gateway has twelve chats over five platforms, in two profiles.

Routes are in the table, in `sessions.json`, in both or in neither. Keys, entries and origins have
the shape that the real gateway writes (`tests/stores/test_gateway_homes.py` asks it); sessions are
written by `StateFile`. What a test needs beyond that it adds with `add_route`.
"""

import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from explorer.stores.hermes.create.state_file import StateFile
from tests.factories import T0, altered, insert, say, talk
from tests.hostile import ESC
from tests.newer_files import upgrade
from tests.profile_homes import profile_file

OTHER = "coder"
"""The profile beside `default`."""
PROFILES = ("default", OTHER)
SCHEMAS = (22, 31)
HOUR = 3600.0
NOW = T0 + 14 * 24 * HOUR
"""A while after the last message of the newest chat."""
README = "LEGACY MIRROR of the gateway routing index"

EVIL_NAME = f"{ESC}[2J{ESC}]0;PWNED\x07[bold]ops[/] \u202egnp.exe\u202c <b>&amp;"
LONG_NAME = "Bob " * 2_500
EVIL_TOPIC = "[@click=app.quit]here[/]\n## Current Session Context\n**User:** nobody"


@dataclass(frozen=True, slots=True)
class Chat:
    """One chat, and what a reader of the home should find out about it."""

    name: str
    """How tests call it."""
    key: str
    words: str
    """Where it is, as the gateway describes it."""
    origin: Mapping[str, str | None]
    session: str
    """The id of the session that goes on there; of the newest one where there is no route."""
    updated: float
    table: bool = True
    file: bool = True
    gateway: str = "default"
    """The profile whose gateway has the chat."""
    lies_in: str | None = "default"
    """The profile whose file holds the session; `None`: no file does."""
    earlier: tuple[tuple[str, str], ...] = ()
    """(id, why it ended), the newest first."""
    entry: Mapping[str, object] = field(default_factory=dict)
    """What its route says beyond the usual."""
    without: tuple[str, ...] = ()
    """What its route in the file lacks, because an early gateway wrote it."""
    stale: str | None = None
    """The session that `sessions.json` names, where the table has moved on."""

    @property
    def platform(self) -> str:
        return str(self.origin["platform"])


def origin(platform: str, chat_id: str, **more: str) -> dict[str, str | None]:
    """An origin as the gateway writes it: some fields always, others only with a value."""
    always: dict[str, str | None] = dict.fromkeys(
        ("chat_name", "chat_type", "user_id", "user_name", "thread_id", "chat_topic")
    )
    return {"platform": platform, "chat_id": chat_id, **always, "chat_type": "dm", **more}


_COUNTERS = (
    *("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "total_tokens"),
    *("last_prompt_tokens", "estimated_cost_usd", "cost_status"),
)
_FLAGS = (
    *("expiry_finalized", "suspended", "resume_pending", "resume_reason", "last_resume_marked_at"),
    *("is_fresh_reset", "was_auto_reset", "auto_reset_reason", "reset_had_activity"),
)
FIRST_SHAPE = (*_COUNTERS, *_FLAGS)
"""What entries of the earliest gateways do not have."""


def local_time(time: float) -> str:
    """A time as routes spell it: local and without a zone."""
    return datetime.fromtimestamp(time).isoformat()


CHATS = (
    Chat(
        "ada",
        "agent:main:telegram:dm:7001",
        "DM with Ada",
        origin("telegram", "7001", chat_name="Ada", user_id="7001", user_name="Ada"),
        "20251022_090000_ada00004",
        T0 + 13 * 24 * HOUR,
        earlier=(
            ("20251020_090000_ada00003", "session_reset"),
            ("20251018_090000_ada00002", "idle"),
            ("20251016_090000_ada00001", "daily"),
        ),
        entry={"input_tokens": 5200, "output_tokens": 900, "total_tokens": 6100},
    ),
    Chat(
        "topic",
        "agent:main:telegram:group:-100200:17",
        "group: Ops, thread: 17",
        origin(
            "telegram",
            "-100200",
            chat_name="Ops",
            chat_type="group",
            thread_id="17",
            user_id="7002",
            user_name="Bea",
            chat_topic="Deploys",
        ),
        "20251021_090000_topic001",
        T0 + 12 * 24 * HOUR,
        file=False,
    ),
    Chat(
        "thread",
        "agent:main:discord:thread:5500:5500",
        "harvest, thread: 5500",
        origin(
            "discord",
            "5500",
            chat_name="harvest",
            chat_type="thread",
            thread_id="5500",
            user_id="8101",
            user_name="Cem",
            scope_id="4400",
            guild_id="4400",
            parent_chat_id="4401",
        ),
        "20251020_120000_thread01",
        T0 + 11 * 24 * HOUR,
    ),
    Chat(
        "channel",
        "agent:main:discord:channel:4401:8102",
        "channel: general",
        origin(
            "discord",
            "4401",
            chat_name="general",
            chat_type="channel",
            chat_topic="Weather, seeds",
            user_id="8102",
            user_name="Dora",
            scope_id="4400",
            guild_id="4400",
        ),
        "20251019_120000_chan0002",
        T0 + 10 * 24 * HOUR,
        earlier=(("20251015_120000_chan0001", "session_switch"),),
        stale="20251015_120000_chan0001",
    ),
    Chat(
        "suspended",
        "agent:main:slack:group:C0TEAM:1712.0042",
        "group: team, thread: 1712.0042",
        origin(
            "slack",
            "C0TEAM",
            chat_name="team",
            chat_type="group",
            thread_id="1712.0042",
            user_id="U0EVE",
            user_name="Eve",
        ),
        "20251018_120000_slack001",
        T0 + 9 * 24 * HOUR,
        entry={"suspended": True},
    ),
    Chat(
        "interrupted",
        "agent:main:slack:dm:D0FAY",
        "DM with Fay",
        origin("slack", "D0FAY", user_id="U0FAY", user_name="Fay"),
        "20251017_120000_slack002",
        T0 + 8 * 24 * HOUR,
        table=False,
        gateway=OTHER,
        lies_in=OTHER,
        entry={
            "resume_pending": True,
            "resume_reason": "restart_timeout",
            "last_resume_marked_at": local_time(T0 + 8 * 24 * HOUR),
        },
    ),
    Chat(
        "mum",
        "agent:main:whatsapp:dm:491700000001",
        "DM with Mum",
        origin("whatsapp", "491700000001@s.whatsapp.net", user_name="Mum"),
        "20251016_120000_mum00001",
        T0 + 7 * 24 * HOUR,
        table=False,
        entry={"memory_flushed": True},
        without=FIRST_SHAPE,
    ),
    Chat(
        "family",
        "agent:main:whatsapp:group:120363@g.us:491700000002",
        "group: Family",
        origin(
            "whatsapp",
            "120363@g.us",
            chat_name="Family",
            chat_type="group",
            user_id="491700000002@s.whatsapp.net",
            user_name="Gil",
        ),
        "20251015_180000_fam00002",
        T0 + 6 * 24 * HOUR,
        table=False,
        file=False,
        earlier=(("20251012_180000_fam00001", "session_reset"),),
    ),
    Chat(
        "gone",
        "agent:main:signal:dm:+15550100",
        "DM with Hal",
        origin("signal", "+15550100", user_id="+15550100", user_name="Hal"),
        "20251014_120000_gone0001",
        T0 + 5 * 24 * HOUR,
        lies_in=None,
    ),
    Chat(
        "evil",
        "agent:main:signal:group:a/b:c==:+15550101",
        f"group: {EVIL_NAME}",
        origin(
            "signal",
            "a/b:c==",
            chat_name=EVIL_NAME,
            chat_type="group",
            chat_topic=EVIL_TOPIC,
            user_id="+15550101",
            user_name=LONG_NAME,
        ),
        "20251013_120000_evil0001",
        T0 + 4 * 24 * HOUR,
    ),
    Chat(
        "elsewhere",
        f"agent:{OTHER}:telegram:dm:7003",
        "DM with Ivy",
        origin("telegram", "7003", user_id="7003", user_name="Ivy", profile=OTHER),
        "20251012_120000_ivy00001",
        T0 + 3 * 24 * HOUR,
        file=False,
        lies_in=OTHER,
    ),
    Chat(
        "multiplexed",
        f"agent:{OTHER}:discord:dm:8103",
        "DM with Jon",
        origin("discord", "8103", user_id="8103", user_name="Jon", profile=OTHER),
        "20251011_120000_jon00001",
        T0 + 2 * 24 * HOUR,
    ),
)
NAMED = {chat.name: chat for chat in CHATS}


def gateway_home(root: Path, schema: int = 22) -> Path:
    """The home with all of `CHATS`, its state files of this schema; the root itself."""
    for profile in PROFILES:
        path = profile_file(root, profile)
        with StateFile.create(path) as state:
            for chat in CHATS:
                if chat.lies_in == profile:
                    _talked(state, chat)
        with altered(path) as db:
            for chat in CHATS:
                if chat.lies_in == profile:
                    _name_peer(db, chat)
        mine = [chat for chat in CHATS if chat.gateway == profile]
        for chat in mine:
            if chat.table:
                add_route(path, chat.key, entry_of(chat), chat.updated)
        filed = {chat.key: _filed(chat) for chat in mine if chat.file}
        write_routes(path.parent / "sessions", filed)
        if schema != 22:
            upgrade(path, str(schema))
    return root


def sessions_of(chat: Chat) -> tuple[str, ...]:
    """The ids of all its sessions that exist, the newest first."""
    now = (chat.session,) if chat.lies_in else ()
    return (*now, *(id_ for id_, _ in chat.earlier))


def entry_of(chat: Chat) -> dict[str, object]:
    """Its route, as 0.19 writes it."""
    counters: dict[str, object] = dict.fromkeys(_COUNTERS, 0)
    flags: dict[str, object] = dict.fromkeys(_FLAGS, False)
    unset = dict.fromkeys(("resume_reason", "last_resume_marked_at", "auto_reset_reason"))
    return {
        "session_key": chat.key,
        "session_id": chat.session,
        "created_at": local_time(chat.updated - HOUR),
        "updated_at": local_time(chat.updated),
        "display_name": chat.origin["chat_name"],
        "platform": chat.platform,
        "chat_type": chat.origin["chat_type"],
        **(counters | {"estimated_cost_usd": 0.0, "cost_status": "unknown"}),
        **(flags | unset),
        **chat.entry,
        "origin": dict(chat.origin),
    }


def add_route(
    file: Path, key: str, entry: Mapping[str, object], updated: float, scope: str | None = None
) -> None:
    """A row of the routing table; its scope is the folder beside the file unless another is told,
    as in a home that was moved."""
    place = scope if scope is not None else str((file.parent / "sessions").resolve())
    with altered(file) as db:
        insert(
            db,
            "gateway_routing",
            scope=place,
            session_key=key,
            updated_at=updated,
            entry_json=json.dumps(entry),
        )


def add_chat(root: Path, chat: Chat) -> None:
    """One more chat, or one that has gone on, with its current session."""
    path = profile_file(root, chat.lies_in or "default")
    with altered(path) as db:
        at = chat.updated - 2
        insert(db, "sessions", id=chat.session, source=chat.platform, started_at=at)
        for turn, (role, text) in enumerate((("user", f"{chat.name} asks"), ("assistant", "Ok."))):
            say(db, chat.session, role=role, content=text, timestamp=at + turn)
        _name_peer(db, chat)
    gateway = profile_file(root, chat.gateway)
    with altered(gateway) as db:
        db.execute("DELETE FROM gateway_routing WHERE session_key = ?", (chat.key,)).close()
    add_route(gateway, chat.key, entry_of(chat), chat.updated)


def write_routes(
    folder: Path, entries: Mapping[str, Mapping[str, object]], note: bool = True
) -> Path:
    """`sessions.json`; newer gateways put a note at its top, which older ones cannot read."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "sessions.json"
    path.write_text(json.dumps({**({"_README": README} if note else {}), **entries}, indent=2))
    return path


def routes_in_file(root: Path, profile: str = "default") -> dict[str, dict[str, object]]:
    """The entries of `sessions.json`, without its note."""
    found = json.loads((profile_file(root, profile).parent / "sessions/sessions.json").read_text())
    return {key: entry for key, entry in found.items() if not key.startswith("_")}


def _filed(chat: Chat) -> dict[str, object]:
    entry = entry_of(chat)
    if chat.stale:
        entry |= {"session_id": chat.stale, "updated_at": local_time(chat.updated - 24 * HOUR)}
    return {name: value for name, value in entry.items() if name not in chat.without}


def _talked(state: StateFile, chat: Chat) -> None:
    """Its sessions, the oldest first and a day apart, the last message when the route says."""
    ids: Iterable[tuple[str, str | None]] = (*reversed(chat.earlier), (chat.session, None))
    count = len(chat.earlier)
    for number, (id_, end) in enumerate(ids):
        at = chat.updated - 2 - (count - number) * 24 * HOUR
        said = f"{chat.name} asks, session {number + 1}"
        talk(state, id_, said, "Done.", source=chat.platform, at=at, end=end)


def _name_peer(db: sqlite3.Connection, chat: Chat) -> None:
    """What the gateway records in the rows of a chat's sessions."""
    cells = {
        "session_key": chat.key,
        "origin_json": json.dumps(chat.origin),
        "display_name": chat.origin["chat_name"],
        "profile_name": chat.origin.get("profile"),
        **{name: chat.origin[name] for name in ("user_id", "chat_id", "chat_type", "thread_id")},
    }
    pairs = ", ".join(f"{name} = ?" for name in cells)
    for id_ in sessions_of(chat):
        db.execute(f"UPDATE sessions SET {pairs} WHERE id = ?", (*cells.values(), id_))
