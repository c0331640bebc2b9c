"""How Hermes keeps its sessions, for the edits engine."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

from explorer.errors import Refused, sentence
from explorer.model import State
from explorer.render.figures import plural
from explorer.stores.edits.dialect import (
    RESET_CHILD,
    Dialect,
    SessionTables,
    Subject,
    TableShape,
    Values,
    in_order,
    row_number,
    sound_id,
)
from explorer.stores.edits.plans import Planned
from explorer.stores.edits.refusal_words import CANNOT_CHANGE
from explorer.stores.hermes.edits.refusals import (
    hermes_reasons,
    hermes_shape,
    marks_children,
    tokenizer_trouble,
)
from explorer.stores.hermes.edits.titles import BOT_CHAT, TitledTables
from explorer.stores.hermes.gateway import chats_to, files_beside
from explorer.stores.hermes.routes_file import FOLDER, folder_of
from explorer.stores.hermes.sessions.first_words import first_words, first_words_in
from explorer.stores.hermes.sessions.survey import (
    BRANCH,
    DELEGATE,
    RESET,
    RESET_REASONS,
    hermes_leases,
    latest,
    marks_in,
)
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.failures import profile_option
from explorer.stores.sqlite.images import Cell, RawText, Rows, raw
from explorer.stores.sqlite.schema import Schema, batches, placeholders

ENDED = "explorer_close"
"""The reason that a session gets when it is ended here."""
_COLUMNS = (
    *("id", "title", "source", "parent_session_id", "started_at", "ended_at", "end_reason"),
    *("archived", "model_config", "last_activity_at", "hidden", "pinned", "auto_archived"),
    "session_key",
)
_PARENT = ("end_reason", "session_key")


class HermesDialect(Dialect):
    """The edits of one Hermes file."""

    def __init__(self, path: Path, profile: str | None = None) -> None:
        super().__init__(path, "sessions")
        self._profile = profile
        self.folder = folder_of(path)

    def reasons(self, schema: Schema, ask: Rows) -> Mapping[str, str]:
        return hermes_reasons(schema, ask)

    def left_to_agent(self, schema: Schema) -> str:
        return tokenizer_trouble(schema)

    def first_words(self, messages: Sequence[Mapping[str, Cell]]) -> str:
        return first_words_in(in_order(messages, "timestamp"))

    def over(self, ask: Rows, schema: Schema, table: str) -> SessionTables:
        shape = hermes_shape(schema, ask)
        if isinstance(shape, str):
            raise Refused(CANNOT_CHANGE, sentence(shape))
        return _Tables(self.path, ask, schema, shape, self._profile)


class _Tables(TitledTables):
    """The sessions of one file, asked over one connection."""

    files_in = f"{FOLDER}/"

    def __init__(
        self, path: Path, ask: Rows, schema: Schema, shape: TableShape, profile: str | None
    ) -> None:
        super().__init__(ask, schema, shape, lambda table, row: row)
        self._path = path
        own = f"hermes{profile_option(profile)} sessions optimize"
        self.reclaim = f"Hermes reuses the space; `{own}` frees it."
        self.keeps_archive = schema.has("sessions", "archived")
        self.keeps_pins = schema.has("sessions", "pinned")

    def subjects(self, column: str, values: Iterable[object]) -> list[Subject]:
        picked = self.schema.pick("sessions", "s", _COLUMNS)
        above = self.schema.pick("sessions", "p", _PARENT)
        newest = "SELECT max(m.timestamp) FROM messages m WHERE m.session_id = s.id"
        return [
            _subject(row)
            for batch in batches(values)
            for row in self.ask(
                f"SELECT s.rowid, typeof(s.id), ({newest}), {picked}, {above} FROM sessions s"
                " LEFT JOIN sessions p ON p.id = s.parent_session_id"
                f" WHERE s.{column} IN ({placeholders(batch)})",
                batch,
            )
        ]

    def leases(self) -> Mapping[str, float]:
        return hermes_leases(self.ask, self.schema)

    def rows(self, sql: str, values: Any = ()) -> list[Any]:
        """Reads as a reader does, for the first words."""
        return list(self.ask(sql, values))

    def value(self, sql: str, values: Any = ()) -> Any:
        found = self.rows(sql, values)
        return found[0][0] if found else None

    def first_words(self, subject: Subject) -> str:
        return first_words(self, [subject.row])

    def subagents(self, of: Sequence[Subject]) -> list[Subject]:
        rows = [row for one in of for row in self._marked.get(one.id, ())]
        return self.subjects("rowid", rows)

    @cached_property
    def _marked(self) -> Mapping[str, Sequence[int]]:
        """Rows of the subagents of each session, by what the agent itself noted: a branch that
        inherited such a note is no subagent."""
        found: dict[str, list[int]] = {}
        if not marks_children(self.schema):
            return found
        rows = self.ask(
            "SELECT s.rowid, s.model_config, s.parent_session_id FROM sessions s"
            " WHERE instr(s.model_config, ?)",
            (DELEGATE,),
        )
        for number, config, parent in rows:
            marks = marks_in(config)
            owner = marks.get(DELEGATE)
            branched = marks.get(BRANCH) is not None and marks.get(BRANCH) == cells.text(parent)
            if isinstance(owner, str) and owner and not branched:
                found.setdefault(owner, []).append(row_number(number))
        return found

    def files(self, ids: Collection[str]) -> Mapping[str, Sequence[str]]:
        found: dict[str, list[str]] = {}

        def known(others: Collection[str]) -> set[str]:
            return {one.id for one in self.subjects("id", others)}

        # Files that cannot be looked at are kept.
        with suppress(OSError):
            for file in files_beside(self._path, ids, known) if ids else ():
                found.setdefault(file.id, []).append(file.name)
        return found

    def delete_notes(self, going: Sequence[Planned], staying: Sequence[Planned]) -> Iterable[str]:
        still_open = sum(one.state == State.OPEN for one in going)
        if still_open == len(going) == 1:
            yield "It never ended."
        elif still_open:
            of_them = "session that never ended", "sessions that never ended"
            yield f"Includes {plural(still_open, *of_them)}."
        if staying and not marks_children(self.schema):
            yield "This file does not mark subagents, so their sessions are kept, no longer linked."
        ids = {one.id for one in going}
        if routes := len(chats_to(self._path, self.ask, self.schema, ids)):
            chats = plural(routes, "gateway chat")
            yield f"Still used by {chats}: the next message there may start the session again."

    def archived(self, subject: Subject, on: bool, now: float) -> Values:
        """Since schema 31 the agent archives by itself too; this was asked for, so it is not to
        undo it by itself."""
        swept = {"auto_archived": 0} if self.schema.has("sessions", "auto_archived") else {}
        return {"archived": int(on), **swept}

    def pinned(self, subject: Subject, on: bool) -> Values:
        """Since schema 31 a pin also brings a hidden session back, but for the one that the agent
        finds by its title."""
        shows = self.schema.has("sessions", "auto_archived") and subject.title != BOT_CHAT
        brought = {"hidden": 0} if on and subject.hidden and shows else {}
        return {"pinned": int(on), **brought}

    def ended(self, now: float) -> Values:
        return {"ended_at": now, "end_reason": raw(ENDED)}

    def stays_ended(self, subject: Subject) -> str:
        if subject.end_reason == "compression" and self.children([subject.id]):
            return "it continues in its next part, so reopening it would break the conversation"
        return ""

    def reopened(self, subject: Subject) -> Iterator[tuple[Subject, Values]]:
        """Remove the end. The next session of a chat is told from a subagent by how its parent
        ended, so it is marked before that is gone, as Hermes does; and what Hermes archived by
        itself is unarchived."""
        if subject.end_reason in RESET_REASONS:
            for child in self.children([subject.id]):
                if child.kind == RESET_CHILD:
                    (config,) = self.stored(child, ["model_config"])
                    marked = _marked(config, subject.id)
                    if marked is not None:
                        yield child, {"model_config": marked}
        swept = {"archived": 0, "auto_archived": 0} if subject.swept else {}
        yield subject, {"ended_at": None, "end_reason": None, **swept}


def _marked(config: Cell, parent: str) -> RawText | None:
    """The settings of a session with a mark of what it came after; None where that is there, or
    they are of no form that can be marked."""
    known = {} if config is None else cells.decoded(config)
    if not isinstance(known, dict) or RESET in known:
        return None
    return raw(json.dumps({**known, RESET: parent}))


def _subject(row: Sequence[object]) -> Subject:
    number, type_, newest, *rest = row
    *rest, parent_ended, parent_key = rest
    cell = dict(zip(_COLUMNS, rest, strict=True))
    id_, parent = cells.words(cell["id"]), cells.text(cell["parent_session_id"])
    key = cells.text(cell["session_key"])
    reset = (
        key is not None
        and key == cells.text(parent_key)
        and cells.words(parent_ended) in RESET_REASONS
    )
    return Subject(
        row=row_number(number),
        id=id_,
        sound=sound_id(type_, id_),
        title=cells.text(cell["title"]),
        source=cells.words(cell["source"]),
        parent=parent,
        last_active=latest(cells.seconds(newest), cell["last_activity_at"])
        or cells.seconds(cell["started_at"]),
        ended=cell["ended_at"] is not None,
        end_reason=cells.words(cell["end_reason"]),
        archived=cells.flag(cell["archived"], default=False),
        kind=_kind(parent, marks_in(cell["model_config"]), reset),
        hidden=cells.flag(cell["hidden"], default=False),
        pinned=cells.flag(cell["pinned"], default=False),
        swept=cells.flag(cell["auto_archived"], default=False),
    )


def _kind(parent: str | None, marks: Mapping[str, object], reset: bool) -> str:
    if marks.get(BRANCH):
        return "branch"
    if marks.get(DELEGATE):
        return "subagent"
    if parent is None:
        return "root"
    return RESET_CHILD if reset or marks.get(RESET) == parent else "child"
