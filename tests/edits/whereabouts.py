"""Where every session of a file is after something went wrong: in the file, in the trash, or lost.

Tells in sentences what must not be; an empty list is the proof.
"""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from explorer.errors import ExplorerError
from explorer.stores.edits.editor import Editor
from explorer.stores.hermes.edits.refusals import PROMPTS
from explorer.stores.ours.trash_records import Entry, EntryState, Receipt
from explorer.stores.sqlite.images import Image, RawText
from tests.edits.appender import LIVE
from tests.edits.states import faults

Rows = Mapping[str, list[Image]]
"""The rows of one session by table; messages begin with their number. Other rows have numbers that
mean nothing: an agent may have taken one of them before an undo."""


class Layout(NamedTuple):
    """Where a kind of state file keeps what."""

    sessions: str
    id: str
    messages: str
    number: str
    """What an agent calls a message by."""
    tables: tuple[str, ...]
    """All others that belong to sessions, by `session_id`."""


HERMES = Layout("sessions", "id", "messages", "id", ("messages", "session_model_usage"))
POWER_LOOP = Layout(
    *("pl_sessions", "session_id", "pl_messages", "seq"),
    ("pl_messages", "pl_session_state", "pl_session_stats", "pl_usage_rounds", "pl_hook_events"),
)


def layout(path: Path) -> Layout:
    with closing(sqlite3.connect(path, timeout=20)) as db:
        there = db.execute("SELECT 1 FROM sqlite_master WHERE name = 'pl_sessions'").fetchone()
    return POWER_LOOP if there else HERMES


def sessions(path: Path) -> dict[str, Rows]:
    """Every session with all that belongs to it, cell by cell, but for the one being written."""
    found: dict[str, dict[str, list[Image]]] = {}
    here = layout(path)
    with closing(sqlite3.connect(path, timeout=20)) as db:
        db.text_factory = RawText
        db.execute("BEGIN")
        for table in (here.sessions, *here.tables):
            if not db.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)).fetchone():
                continue
            column = here.id if table == here.sessions else "session_id"
            at = [str(one[1], "utf-8") for one in db.execute(f"PRAGMA table_info({table})")]
            for row in db.execute(f"SELECT rowid, * FROM {table} ORDER BY rowid"):
                id_ = row[1 + at.index(column)].decode()
                if id_ != LIVE:
                    told = row if table == "messages" else row[1:]
                    found.setdefault(id_, {}).setdefault(table, []).append(told)
        for id_, row in _prompts(db):
            if id_ != LIVE:
                found[id_].setdefault(PROMPTS, []).append(row)
    return {id_: _ordered(tables) for id_, tables in found.items()}


def _prompts(db: sqlite3.Connection) -> Iterator[tuple[str, Image]]:
    """(session, prompt) of every prompt that sessions share."""
    if not db.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (PROMPTS,)).fetchone():
        return
    for id_, *row in db.execute(
        f"SELECT s.id, p.* FROM sessions s JOIN {PROMPTS} p ON p.hash = s.system_prompt_hash"
    ):
        yield id_.decode(), tuple(row)


def _ordered(tables: Rows) -> Rows:
    """In one order, whatever numbers the rows have."""
    return {table: sorted(rows, key=repr) for table, rows in tables.items()}


def files(path: Path) -> dict[str, bytes]:
    """The files beside a state file."""
    folder = path.parent / "sessions"
    return {file.name: file.read_bytes() for file in sorted(folder.glob("*"))}


def stored(path: Path) -> set[int]:
    """The numbers of all messages of the session that is being written."""
    here = layout(path)
    sql = f"SELECT {here.number} FROM {here.messages} WHERE session_id = ?"
    with closing(sqlite3.connect(path, timeout=20)) as db:
        return {row[0] for row in db.execute(sql, (LIVE,))}


class Whereabouts:
    """What is known of a file from before the edit, to compare with."""

    def __init__(self, path: Path) -> None:
        self.sessions = sessions(path)
        self.files = files(path)
        self._own = layout(path).sessions
        with closing(sqlite3.connect(path)) as db:
            names = [row[1] for row in db.execute(f"PRAGMA table_info({self._own})")]
        self._link = names.index("parent_session_id")

    def lost(self, editor: Editor, half: list[Receipt]) -> Iterator[str]:
        """Sessions that are neither whole in the file, nor whole in the trash and known to be."""
        there = sessions(editor.path)
        kept = list(_kept(editor))
        reported = {receipt.number for receipt in half}
        for id_, before in self.sessions.items():
            if self._same(there.get(id_, {}), before):
                continue
            mine = [entry for entry in kept if entry.session == id_]
            if not any(self._same(_packed(editor, entry, before), before) for entry in mine):
                if id_ in there and self._changed_only(there[id_], before):
                    continue
                yield f"{id_} is neither whole in the file nor in the trash"
            elif not any(
                entry.state is EntryState.GONE or entry.receipt in reported for entry in mine
            ):
                yield f"{id_} is half out, and nobody says so"

    def different(self, path: Path) -> Iterator[str]:
        """What is not as it was before the edit."""
        now = sessions(path)
        for id_ in sorted({*now, *self.sessions}):
            if now.get(id_) != self.sessions.get(id_):
                yield f"{id_} did not come back as it was"
        if files(path) != self.files:
            yield f"the files beside are {sorted(files(path))}"

    def _same(self, one: Rows, other: Rows) -> bool:
        return self._unlinked(one) == self._unlinked(other)

    def _unlinked(self, rows: Rows) -> Rows:
        """A session that stays may lose its link: that is no loss of its own."""
        cut = self._link
        own = [row[:cut] + row[cut + 1 :] for row in rows.get(self._own, [])]
        return {**rows, self._own: own}

    def _changed_only(self, now: Rows, before: Rows) -> bool:
        """A session of which only cells of its own row were changed: renamed, archived,
        reopened."""
        return {**now, self._own: []} == {**before, self._own: []}


def _kept(editor: Editor) -> Iterator[Entry]:
    for receipt in editor.trash.receipts():
        for entry in editor.trash.entries(receipt.number):
            if entry.state is not EntryState.BACK:
                yield entry


def _packed(editor: Editor, entry: Entry, before: Rows) -> Rows:
    found: dict[str, list[Image]] = {}
    for pack in editor.trash.packs(entry.number):
        told = pack.rows if pack.table == "messages" else [row[1:] for row in pack.rows]
        found.setdefault(pack.table, []).extend(told)
    if entry.kind == "messages":
        found |= {table: rows for table, rows in before.items() if table not in found}
    return _ordered(found)


def aftermath(
    editor: Editor, was: Whereabouts, way: str, acknowledged: set[int]
) -> tuple[int, list[str]]:
    """Start again after a crash, go one `way` (finish or restore), then take back what was done:
    (how many edits were half done, all that is wrong on the way)."""
    wrong: list[str] = []
    half: list[Receipt] = []
    try:
        half = list(editor.after_crash().half_done)
        wrong += was.lost(editor, half)
        for receipt in half:
            done = editor.finish(receipt) if way == "finish" else editor.restore(receipt)
            if done.skipped:
                wrong.append(f"left out: {dict(done.skipped)}")
        wrong += [f"still half done: {one.words}" for one in list(editor.after_crash().half_done)]
        wrong += [f"halfway: {line}" for line in was.lost(editor, [])]
        if any(receipt.state in ("done", "undoing") for receipt in editor.trash.receipts()):
            wrong += _gone_files(editor, was)
            editor.undo(editor.undo_plan())
    except ExplorerError as error:
        wrong.append(f"{way}: {error}")
    wrong += was.different(editor.path)
    wrong += faults(editor.path)
    lost = acknowledged - stored(editor.path)
    wrong += [f"{len(lost)} acknowledged appends are lost"] if lost else []
    return len(half), wrong


def _gone_files(editor: Editor, was: Whereabouts) -> Iterator[str]:
    """The text of a session that is gone must not live on in a file beside the store."""
    there = sessions(editor.path)
    for name in files(editor.path):
        id_ = name.removeprefix("session_").removesuffix(".json")
        if id_ in was.sessions and id_ not in there:
            yield f"{name} is still there, though its session is gone"
