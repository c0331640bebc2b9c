"""How power-loop keeps its sessions, for the edits engine.

It declares no foreign keys; the tables that go with a session are known by name. It has no ends and
no pins of its own, and a title only where the program that embeds it puts one into the metadata:
elsewhere our notes keep titles.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path

from explorer.errors import Refused
from explorer.stores.content import content_text, said
from explorer.stores.edits.dialect import (
    Belonging,
    Dialect,
    SessionTables,
    Subject,
    TableShape,
    Values,
    in_order,
    row_number,
    sound_id,
)
from explorer.stores.edits.plans import Title
from explorer.stores.edits.refusal_words import CANNOT_CHANGE
from explorer.stores.power_loop.tables import AGENT, RUNNING_WITHIN, Tables
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.images import Cell, Rows, raw
from explorer.stores.sqlite.schema import Schema, batches, placeholders, quoted

LONGEST = 200
"""Characters of a title."""
RECENT = 1000
"""Sessions that are asked whether their program keeps titles."""
LOOKED_AT = 3
"""Messages that are looked at for words."""
BELONGINGS = (
    *("compactions", "usage_rounds", "session_stats", "timers", "session_runtime_state"),
    *("background_tasks", "notes", "project_messages", "hook_events", "session_leases"),
    *("follow_up_queue", "session_state"),
)
"""What power-loop itself clears with a session, besides its messages."""
COLUMNS = (
    *("session_id", "metadata_json", "kind", "parent_session_id", "created_at", "status"),
    "lifecycle",
)
_NO_END = "power-loop does not record when a session ends"


class PowerLoopDialect(Dialect):
    """The edits of one file, with all its sets of tables."""

    lacks = {
        "clear": "power-loop needs unbroken message numbers",
        "end": _NO_END,
        "reopen": _NO_END,
    }

    def __init__(self, path: Path, sets: Sequence[Tables]) -> None:
        super().__init__(path, *(f"{one.prefix}sessions" for one in sets))
        self._sets = sets

    def place(self, key: int) -> tuple[str, int]:
        tables = next(one for one in self._sets if one.owns(key))
        return f"{tables.prefix}sessions", tables.handle(key)

    def key(self, table: str, row: int) -> int:
        return next(one for one in self._sets if f"{one.prefix}sessions" == table).key(row)

    def first_words(self, messages: Sequence[Mapping[str, Cell]]) -> str:
        users = (one for one in in_order(messages, "seq") if cells.words(one.get("role")) == "user")
        return first_said(one.get("content") for one in islice(users, LOOKED_AT))

    def over(self, ask: Rows, schema: Schema, table: str) -> SessionTables:
        if not table.endswith("sessions") or not schema.has(table, "session_id"):
            raise Refused(CANNOT_CHANGE, f"It has no table {table}.")
        return SetTables(ask, schema, shape_of(schema, table.removesuffix("sessions")), self.key)


def shape_of(schema: Schema, prefix: str) -> TableShape:
    tables = (f"{prefix}{name}" for name in BELONGINGS)
    return TableShape(
        sessions=f"{prefix}sessions",
        id="session_id",
        messages=f"{prefix}messages",
        belongings=tuple(
            Belonging(table, "session_id") for table in tables if schema.has(table, "session_id")
        ),
        declared=False,
    )


class SetTables(SessionTables):
    """One set of tables, asked over one connection."""

    keeps_archive = True
    notes_titles = True
    guarded = True
    running_within = RUNNING_WITHIN
    late = "rowid"
    """The column that is higher for sessions that are newer."""

    def subjects(self, column: str, values: Iterable[object]) -> list[Subject]:
        shape = self.shape
        picked = self.schema.pick(shape.sessions, "s", COLUMNS)
        # There is no index on times; the newest message is the last one.
        newest = (
            f"SELECT m.created_at FROM {quoted(shape.messages)} m"
            " WHERE m.session_id = s.session_id ORDER BY m.seq DESC LIMIT 1"
        )
        return [
            subject_of(row)
            for batch in batches(values)
            for row in self.ask(
                f"SELECT s.rowid, typeof(s.session_id), ({newest}), {self._pending()}, {picked}"
                f" FROM {quoted(shape.sessions)} s"
                f" WHERE s.{column} IN ({placeholders(batch)})",
                batch,
            )
        ]

    def _pending(self) -> str:
        """Whether a session waits for the results of tools."""
        table = f"{self.shape.sessions.removesuffix('sessions')}session_state"
        if not self.schema.has(table, "session_id", "pending_json"):
            return "0"
        return (
            f"EXISTS (SELECT 1 FROM {quoted(table)} w WHERE w.session_id = s.session_id"
            " AND w.pending_json != '')"
        )

    def title(self, subject: Subject, typed: str) -> Title:
        text = " ".join("".join(c if c.isprintable() else " " for c in typed).split()) or None
        if text is not None and len(text) > LONGEST:
            return Title(text, f"too long: {len(text)} of {LONGEST} characters")
        return Title(text, limit=LONGEST, noted=not self._takes_title(subject))

    def titled(self, subject: Subject, title: str | None) -> Values:
        about = self._metadata(subject) or {}
        if title is None:
            about.pop("title", None)
        else:
            about["title"] = title
        text = json.dumps(about, ensure_ascii=False, separators=(",", ":"))
        return {"metadata_json": raw(text)}

    def _metadata(self, subject: Subject) -> dict[str, object] | None:
        """What the program noted about a session; None where that is no object."""
        if not self.schema.has(self.shape.sessions, "metadata_json"):
            return None
        (cell,) = self.stored(subject, ("metadata_json",))
        value = {} if cell is None else cells.decoded(cell)
        return value if isinstance(value, dict) else None

    def _takes_title(self, subject: Subject) -> bool:
        """Whether a title belongs into the metadata, since the program puts titles there: of this
        session, or of a late one."""
        about = self._metadata(subject)
        if about is None:
            return False
        if cells.text(about.get("title")):
            return True
        recent = (
            f"SELECT s.metadata_json AS about FROM {quoted(self.shape.sessions)} s"
            f" ORDER BY s.{self.late} DESC LIMIT {RECENT}"
        )
        sql = f"SELECT 1 FROM ({recent}) r WHERE r.about LIKE '%\"title\"%' LIMIT 1"
        return bool(self.ask(sql, ()))

    def leases(self) -> Mapping[str, float]:
        prefix = self.shape.sessions.removesuffix("sessions")
        return Tables(0, prefix).leases(self.ask, self.schema)

    def first_words(self, subject: Subject) -> str:
        texts: Sequence[Sequence[object]] = self.ask(
            f"SELECT substr(CAST(m.content AS BLOB), 1, 6000) FROM {quoted(self.shape.messages)} m"
            f" WHERE m.session_id = ? AND m.role = 'user' ORDER BY m.seq LIMIT {LOOKED_AT}",
            (subject.id,),
        )
        return first_said(cell for (cell,) in texts)

    def archived(self, subject: Subject, on: bool, now: float) -> Values:
        return {"status": raw("archived" if on else "active"), "updated_at": int(now * 1000)}


def first_said(contents: Iterable[object]) -> str:
    spoken = (said(content_text(cell, bare_json=True)) for cell in contents)
    return next(filter(None, spoken), "")


def subject_of(row: Sequence[object]) -> Subject:
    number, type_, newest, pending, *rest = row
    cell = dict(zip(COLUMNS, rest, strict=True))
    id_ = cells.words(cell["session_id"])
    child = cells.words(cell["kind"]) == "subagent"
    return Subject(
        row=row_number(number),
        id=id_,
        sound=sound_id(type_, id_),
        title=cells.text(cells.mapping(cell["metadata_json"]).get("title")),
        source=AGENT,
        parent=cells.text(cell["parent_session_id"]),
        last_active=cells.seconds(newest) or cells.seconds(cell["created_at"]),
        archived=cells.words(cell["status"]) == "archived",
        kind="subagent" if child else "root",
        along=child and cells.words(cell["lifecycle"]) != "detached",
        interrupted=bool(pending),
    )
