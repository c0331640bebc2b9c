"""power-loop's state files: `power_loop_sessions.db`, with or without a prefix to its tables.

Times are milliseconds, a title is what a program put into the metadata, and messages are numbered
within their session. No costs, no workspaces and no ends are kept.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from explorer.cancel import CancelToken
from explorer.model import Kind, Message, MessageState, Outline, Session, State, state_of
from explorer.stores import columns
from explorer.stores.base import Candidate, Details, Figures, Handover, Needles, Stretch
from explorer.stores.catalog import Link, Unit
from explorer.stores.columns import Column, Columns, Found, Recipe, Recipes
from explorer.stores.content import (
    Said,
    parts_text,
    reasoning_text,
    said,
    tool_calls,
    what_was_said,
)
from explorer.stores.power_loop.tables import AGENT, DROPPED, SEQ, Tables, message_state, title_in
from explorer.stores.small_store import SessionRow, SmallStore
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.read_only import Reader, ReadOnlyFile
from explorer.stores.sqlite.schema import Schema, placeholders
from explorer.stores.sqlite.spelling import may_hold

if TYPE_CHECKING:
    from explorer.stores.power_loop.dialect import PowerLoopDialect


_SEARCHED = ("content", "tool_calls_json", "name", "meta_json")
"""Columns that a search looks at."""


class PowerLoopStore(SmallStore):
    """Reads one file, with all its sets of tables."""

    kind = AGENT

    def __init__(self, file: ReadOnlyFile, tables: Sequence[Tables]) -> None:
        super().__init__(file)
        self._tables = tables

    def handover(self) -> Handover | str:
        return (
            "power-loop has no command to resume a session. Call send(text, session_id=…) in your"
            " program, or set resume_command in the settings."
        )

    def figures(self, reader: Reader) -> Figures:
        version = None
        for tables in self._tables:
            if reader.schema.has(f"{tables.prefix}schema_migrations", "version"):
                sql = f'SELECT max(version) FROM "{tables.prefix}schema_migrations"'
                version = cells.integer(reader.value(sql))

        def total(sql: str) -> int:
            return sum(reader.value(sql.format(tables.prefix)) for tables in self._tables)

        return Figures(
            sessions=total('SELECT count(*) FROM "{}sessions"'),
            messages=total('SELECT count(*) FROM "{}messages"'),
            orphans=total(
                'SELECT count(*) FROM "{0}messages" m WHERE NOT EXISTS'
                ' (SELECT 1 FROM "{0}sessions" s WHERE s.session_id = m.session_id)'
            ),
            schema_version=version,
        )

    def survey(self, reader: Reader) -> list[SessionRow]:
        return [row for tables in self._tables for row in survey(reader, tables)]

    def told(self, reader: Reader, id_: str) -> list[Message]:
        return [
            message(row)
            for tables in self._tables
            for row in reader.rows(
                f"SELECT {tables.body(reader.schema)} FROM {tables.messages} m"
                " WHERE m.session_id = ? ORDER BY m.seq",
                (id_,),
            )
        ]

    def columns(
        self,
        asked: Collection[Column[object]],
        keys: Sequence[int] | None = None,
        token: CancelToken | None = None,
    ) -> Columns:
        def work(reader: Reader) -> Columns:
            found: Found = {column: {} for column in asked}
            for tables in self._tables:
                own = (
                    None if keys is None else [tables.row(key) for key in keys if tables.owns(key)]
                )
                recipes = columns.asked_of(_recipes(tables), {columns.ID, *asked})
                part = columns.read(reader, f"{tables.prefix}sessions", recipes, own)
                if columns.TOKENS in asked:
                    part[columns.TOKENS] = _by_row(part[columns.ID], _tokens(reader, tables))
                if columns.LEASE in asked:
                    held = tables.leases(reader.rows, reader.schema)
                    part[columns.LEASE] = _by_row(part[columns.ID], held)
                for column, values in part.items():
                    if column in asked:
                        found[column] |= {tables.key(row): value for row, value in values.items()}
            return Columns(found)

        return self._file.read(work, token)

    def dialect(self) -> "PowerLoopDialect":
        from explorer.stores.power_loop.dialect import PowerLoopDialect

        return PowerLoopDialect(self.path, self._tables)

    def set_of(self, key: int) -> int:
        return self._of(key).number

    def sessions(
        self, units: Sequence[Unit], now: float, token: CancelToken | None = None
    ) -> list[Session]:
        def work(reader: Reader) -> list[Session]:
            held = {one: one.leases(reader.rows, reader.schema) for one in self._tables}
            owners = [(self._of(unit.key), unit) for unit in units]
            found = (_session(reader, one, unit, held[one], now) for one, unit in owners)
            return [session for session in found if session is not None]

        return self._file.read(work, token)

    def details(self, unit: Unit, token: CancelToken | None = None) -> Details:
        from explorer.stores.power_loop.details import details

        tables = self._of(unit.key)
        return self._file.read(lambda reader: details(reader, tables, unit.key, self.path), token)

    def outlines(
        self, key: int, rewound: bool = False, token: CancelToken | None = None
    ) -> list[Outline]:
        tables = self._of(key)
        return self._file.read(lambda reader: outlines(reader, tables, key, rewound), token)

    def system_prompt(self, key: int, token: CancelToken | None = None) -> str:
        tables = self._of(key)
        sql = f"SELECT s.system_prompt FROM {tables.sessions} s WHERE s.rowid = ?"
        return self._file.read(
            lambda reader: cells.words(reader.value(sql, (tables.row(key),))), token
        )

    def messages(
        self, key: int, ids: Sequence[int], token: CancelToken | None = None
    ) -> list[Message]:
        tables = self._of(key)

        def work(reader: Reader) -> list[Message]:
            wanted = set(ids)
            places = placeholders(ids) if len(ids) <= 500 else ""
            chosen = f"AND {SEQ} IN ({places})" if places else ""
            rows = reader.rows(
                f"SELECT {tables.body(reader.schema)} FROM {tables.messages} m WHERE"
                f" {tables.of_session} {chosen} ORDER BY m.seq",
                (tables.row(key), *(ids if places else ())),
            )
            found = {row[0]: message(row) for row in rows if row[0] in wanted}
            return [found[id_] for id_ in ids if id_ in found]

        return self._file.read(work, token)

    def scanned(self, needles: Needles, below: object, token: CancelToken | None = None) -> Stretch:
        def work(reader: Reader) -> Stretch:
            """Every message that may hold the words, newest first; these files have no search
            table, and are small enough to be looked through in one go."""
            every: list[Candidate] = []
            left = "" if needles.rewound else f" AND m.state IS NOT '{DROPPED}'"
            for tables in self._tables:
                known = [
                    name
                    for name in _SEARCHED
                    if reader.schema.has(f"{tables.prefix}messages", name)
                ]
                present, values = may_hold([f'm."{name}"' for name in known], needles.groups)
                rows = reader.rows(
                    f"SELECT m.created_at, {SEQ}, s.rowid, m.session_id FROM {tables.messages} m"
                    f" LEFT JOIN {tables.sessions} s ON s.session_id = m.session_id"
                    f" WHERE {present}{left} ORDER BY m.created_at DESC, m.rowid DESC",
                    values,
                )
                for time, seq, row, id_ in rows:
                    key = None if row is None else tables.key(row)
                    at = cells.seconds(time) or 0.0
                    every.append(Candidate(seq, key, cells.words(id_), certain=False, at=at))
            every.sort(key=lambda found: -found.at)
            return Stretch(every, None, 1.0)

        return self._file.read(work, token)

    def _of(self, key: int) -> Tables:
        return next(tables for tables in self._tables if tables.owns(key))


def survey(reader: Reader, tables: Tables) -> Iterator[SessionRow]:
    """Every session of one set of tables."""
    rows = reader.rows(
        "SELECT s.rowid, s.session_id, s.created_at, s.kind, s.status, s.parent_session_id,"
        f" (SELECT max(m.created_at) FROM {tables.messages} m"
        f" WHERE m.session_id = s.session_id) FROM {tables.sessions} s"
    )
    owner = {cells.words(row[1]): tables.key(row[0]) for row in rows}
    for number, id_, created, kind, status, parent, newest in rows:
        key = tables.key(number)
        above = owner.get(cells.words(parent))
        helper = Link(Kind.SUBAGENT, above if above != key else None)
        yield SessionRow(
            key=key,
            id=cells.words(id_),
            started_at=cells.seconds(created),
            newest=None if newest is None else cells.seconds(newest) or 0.0,
            link=helper if kind == "subagent" else None,
            archived=status == "archived",
        )


def _session(
    reader: Reader, tables: Tables, unit: Unit, leases: Mapping[str, float], now: float
) -> Session | None:
    """The session of a unit; None where it is gone."""
    row = tables.row(unit.key)
    found = reader.row(
        "SELECT s.session_id, s.created_at, s.model, s.status, s.kind, s.parent_session_id,"
        f" s.metadata_json FROM {tables.sessions} s WHERE s.rowid = ?",
        (row,),
    )
    if found is None:
        return None
    name, created, model, status, kind, parent, about = found
    id_, started = cells.words(name), cells.seconds(created)
    count, calls, newest = reader.row(
        "SELECT count(*), sum(m.role = 'tool'), max(m.created_at)"
        f" FROM {tables.messages} m WHERE {tables.of_session}",
        (row,),
    )
    prompt, completion = _usage(reader, tables, id_)
    last = cells.seconds(newest) or started
    held = leases.get(id_, 0.0)
    state = state_of(last_active=last, ended=False, held_until=held, now=now)
    return Session(
        key=unit.key,
        id=id_,
        title=title_in(about),
        source=AGENT,
        model=cells.text(model),
        started_at=started,
        last_active=last,
        ended_at=None,
        end_reason=None,
        message_count=cells.amount(count),
        tool_call_count=cells.amount(calls),
        preview=_glimpse(reader, tables, row, "user", "ASC"),
        last_reply=_glimpse(reader, tables, row, "assistant", "DESC"),
        kind=Kind.SUBAGENT if kind == "subagent" else Kind.ROOT,
        state=state,
        parent_id=cells.text(parent),
        root_id=id_,
        tip_id=id_,
        parts=1,
        archived=status == "archived",
        input_tokens=prompt,
        output_tokens=completion,
        subagents=unit.subagents,
        broken_off=state is not State.RUNNING and _pending(reader, tables, id_),
    )


def _pending(reader: Reader, tables: Tables, id_: str) -> bool:
    """Whether it stopped in the middle of a tool call, and waits to be resumed."""
    table = f"{tables.prefix}session_state"
    if not reader.schema.has(table, "session_id", "pending_json"):
        return False
    sql = f'SELECT t.pending_json FROM "{table}" t WHERE t.session_id = ?'
    return bool(cells.text(reader.value(sql, (id_,))))


def usage_tables(schema: Schema, tables: Tables) -> list[str]:
    """Where tokens are counted; the first that knows a session is right."""
    known = (f"{tables.prefix}session_stats", f"{tables.prefix}usage_rounds")
    needed = ("session_id", "prompt_tokens", "completion_tokens")
    return [table for table in known if schema.has(table, *needed)]


def _usage(reader: Reader, tables: Tables, id_: str) -> tuple[int | None, int | None]:
    for table in usage_tables(reader.schema, tables):
        row = reader.row(
            # Not sum(): that fails when the figures are too great.
            "SELECT count(*), total(t.prompt_tokens), total(t.completion_tokens)"
            f' FROM "{table}" t WHERE t.session_id = ?',
            (id_,),
        )
        if row[0]:
            return cells.integer(row[1]), cells.integer(row[2])
    return None, None


def _glimpse(reader: Reader, tables: Tables, row: int, role: str, order: str) -> str:
    rows = reader.rows(
        f"SELECT {tables.body(reader.schema)} FROM {tables.messages} m WHERE"
        f" {tables.of_session} AND m.role = ? ORDER BY m.seq {order} LIMIT 6",
        (row, role),
    )
    return next(filter(None, (said(message(found).text) for found in rows)), "")


def outlines(reader: Reader, tables: Tables, key: int, rewound: bool) -> list[Outline]:
    """In logical order: a note that replaces folded messages has the place of these."""
    rows = reader.rows(
        f"SELECT {SEQ}, m.role, m.created_at, length(CAST(m.content AS BLOB)),"
        " m.tool_calls_json IS NOT NULL, m.tool_call_id, m.state, m.meta_json"
        f" FROM {tables.messages} m WHERE {tables.of_session} ORDER BY m.seq",
        (tables.row(key),),
    )
    rows.sort(key=lambda row: _place(row[0], row[7]))
    return [
        Outline(
            id=seq,
            session_key=key,
            role=cells.words(role),
            timestamp=cells.seconds(time),
            size=size or 0,
            calls=bool(calls),
            tool_call_id=cells.text(call_id),
            state=message_state(state),
        )
        for seq, role, time, size, calls, call_id, state, _ in rows
        if rewound or message_state(state) is not MessageState.REWOUND
    ]


def _place(seq: object, meta: object) -> tuple[float, bool]:
    """Where a message belongs; a note comes before the first message that it replaces."""
    place = cells.number(cells.mapping(meta).get("ord"))
    return ((cells.number(seq) or 0.0), True) if place is None else (place, False)


def message(row: Sequence[object]) -> Message:
    """A row of the body columns as a message; content is JSON only where its meta says so."""
    seq, session_id, role, time, content, calls, call_id, name, state, meta = row
    text = cells.words(content)
    about = cells.mapping(meta)
    if about.get("content_encoding") == "json":
        value = cells.decoded(text)
        text = text if value is cells.BROKEN else parts_text(value)
    kept = (about.get("reasoning"), about.get("reasoning_content"))
    if role == "assistant":
        found = what_was_said(text, kept)
    else:
        found = Said(text, *reasoning_text(kept, None, None))
    return Message(
        id=cells.integer(seq) or 0,
        session_id=cells.words(session_id),
        role=cells.words(role),
        timestamp=cells.seconds(time),
        text=found.text,
        reasoning=found.reasoning,
        opaque_reasoning=found.opaque,
        thoughts=found.thoughts,
        tool_calls=tool_calls(calls),
        tool_call_id=cells.text(call_id),
        tool_name=cells.text(name),
        finish_reason=cells.text(about.get("finish_reason")),
        state=message_state(state),
    )


def _recipes(tables: Tables) -> Recipes:
    said = f"FROM {tables.messages} m WHERE m.session_id = s.session_id"
    return {
        columns.ID: Recipe(("session_id",), cells.words),
        columns.TITLE: Recipe(("metadata_json",), title_in),
        columns.SOURCE: Recipe(("session_id",), lambda _: AGENT),
        columns.MODEL: Recipe(("model",), lambda cell: cells.text(cell) or None),
        columns.MESSAGES: Recipe((f"(SELECT count(*) {said})",), cells.amount),
        columns.TOOLS: Recipe(
            (f"(SELECT count(*) {said} AND m.role = 'tool')",), lambda n: n or None
        ),
        columns.STARTED: Recipe(("created_at",), cells.seconds),
        columns.BYTES: Recipe((f"(SELECT total(length(CAST(m.content AS BLOB))) {said})",), int),
    }


def _by_row(ids: dict[int, str], known: dict[str, float]) -> dict[int, float]:
    return {row: known[id_] for row, id_ in ids.items() if id_ in known}


def _tokens(reader: Reader, tables: Tables) -> dict[str, float]:
    """Tokens by session id."""
    found: dict[str, float] = {}
    for table in reversed(usage_tables(reader.schema, tables)):
        for id_, number in reader.rows(
            # Not sum(): that fails when the figures are too great.
            "SELECT t.session_id, total(t.prompt_tokens) + total(t.completion_tokens)"
            f' FROM "{table}" t GROUP BY t.session_id'
        ):
            found[cells.words(id_)] = cells.number(number) or 0.0
    return found
