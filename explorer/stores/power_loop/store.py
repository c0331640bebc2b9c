"""power-loop's state files: `power_loop_sessions.db`, with or without a prefix to its tables.

Times are milliseconds, a title is what a program put into the metadata or what our notes have, and
messages are numbered within their session. No costs, no workspaces and no ends are kept.

`PowerLoopStore` puts together what the modules beside it read, of every set of tables. Nothing in
them knows SQLite: they ask a `TableReader`, take from `Tables` what tables and sessions are called,
and from its `Flavour` the few pieces of SQL that differ. So a store for another database is a
subclass of this one that overrides `_read`, with a `Flavour` and a `Tables` of its own; `info`,
`look` and `edits` are about files, and need another answer there.
"""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.cancel import CancelToken
from explorer.errors import ExplorerError
from explorer.model import Kind, Message, Outline, Session
from explorer.stores.base import Changes, Details, Figures, Handover, Needles, Stretch
from explorer.stores.catalog import Catalog, Unit
from explorer.stores.columns import ID, TITLE, Column, Columns, Found
from explorer.stores.ours.notes import Notes
from explorer.stores.power_loop import search
from explorer.stores.power_loop.changes import mark_of, touched
from explorer.stores.power_loop.messages import bodies, outlines, told
from explorer.stores.power_loop.sessions import columns_of, sessions, subagents_of, survey
from explorer.stores.power_loop.tables import AGENT, DEFAULT_PREFIX, Tables
from explorer.stores.small_store import SessionRow, SmallStore
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.read_only import ReadOnlyFile
from explorer.stores.table_reader import TableReader

if TYPE_CHECKING:
    from explorer.stores.power_loop.dialect import PowerLoopDialect


class PowerLoopStore(SmallStore):
    """Reads one place with all its sets of tables."""

    kind = AGENT

    def __init__(
        self, file: ReadOnlyFile, tables: Sequence[Tables], notes: Notes | None = None
    ) -> None:
        super().__init__(file)
        self._tables = tuple(tables)
        self._notes = notes

    def _noted_titles(self) -> dict[str, str]:
        """The titles that our notes have of sessions whose program keeps none."""
        try:
            return self._notes.titles() if self._notes is not None else {}
        except ExplorerError:
            # Said already when the notes were opened; first words are better than nothing.
            return {}

    def handover(self) -> Handover | str:
        return (
            "power-loop has no command to resume a session. Call send(text, session_id=…) in your"
            " program, or set resume_command in the settings."
        )

    def resume_call(self, session: Session) -> str:
        # A literal of Python spells out whatever a terminal would act on.
        tables = self._of(session.key)
        place = self._in_call()
        if tables.prefix != DEFAULT_PREFIX and not tables.early:
            # Without it, tables of the default prefix would be made beside these.
            place += f", table_prefix={tables.prefix!r}"
        # An interrupted send has to be finished before another one.
        call = "resume(" if session.broken_off else 'send("…", '
        loop = f"StatefulAgentLoop(llm=llm, {place})"
        return f"await {loop}.{call}session_id={session.id!r})"

    def _in_call(self) -> str:
        """What a program says to open the store."""
        return f"db_path={str(Path(self.path).absolute())!r}"

    def where(self) -> tuple[tuple[str, str], ...]:
        """Where the sessions are, as facts."""
        return (("State file", str(Path(self.path).absolute())),)

    def figures(self, reader: TableReader) -> Figures:
        version = None
        for tables in self._tables:
            if tables.has(reader.schema, "schema_migrations", "version"):
                sql = f"SELECT max(version) FROM {tables.sql('schema_migrations')}"
                version = cells.integer(reader.value(sql))
        lost = (
            "SELECT count(*) FROM {m} m WHERE NOT EXISTS"
            " (SELECT 1 FROM {s} s WHERE s.session_id = m.session_id)"
        )

        def total(sql: str) -> int:
            names = [{"s": one.sessions, "m": one.messages} for one in self._tables]
            return sum(reader.value(sql.format_map(name)) for name in names)

        return Figures(
            sessions=total("SELECT count(*) FROM {s}"),
            messages=total("SELECT count(*) FROM {m}"),
            orphans=total(lost),
            schema_version=version,
        )

    def survey(self, reader: TableReader) -> list[SessionRow]:
        return [row for tables in self._tables for row in survey(reader, tables)]

    def told(self, reader: TableReader, id_: str) -> list[Message]:
        return [one for tables in self._tables for one in told(reader, tables, id_)]

    def catalog(self, token: CancelToken | None = None) -> Catalog:
        def work(reader: TableReader) -> Catalog:
            # Before the survey: what is written in between is then seen once more, not missed.
            mark = mark_of(reader, self._tables)
            return self._catalog(self.survey(reader), mark)

        return self._read(work, token)

    def changes(self, since: object, token: CancelToken | None = None) -> Changes | None:
        found = self._read(lambda reader: touched(reader, self._tables, since), token)
        if found is None:
            return None
        family = self._catalog(found.rows, found.mark) if found.rows else None
        return Changes(found.mark, frozenset(row.key for row in found.rows), family)

    def columns(
        self,
        asked: Collection[Column[object]],
        keys: Sequence[int] | None = None,
        token: CancelToken | None = None,
    ) -> Columns:
        def work(reader: TableReader) -> Found:
            found: Found = {column: {} for column in asked}
            for tables in self._tables:
                own = None if keys is None else [key for key in keys if tables.owns(key)]
                for column, values in columns_of(reader, tables, asked, own).items():
                    found[column] |= values
            return found

        found = self._read(work, token)
        if TITLE in asked:
            found[TITLE] = self._noted_by_key(keys, token) | found[TITLE]
        return Columns(found)

    def _noted_by_key(
        self, keys: Sequence[int] | None, token: CancelToken | None = None
    ) -> dict[int, str]:
        """The titles that our notes have of these sessions, or of all of them."""
        noted = self._noted_titles()
        ids = self.columns({ID}, keys, token)[ID] if noted else {}
        return {key: noted[id_] for key, id_ in ids.items() if id_ in noted}

    def dialect(self) -> "PowerLoopDialect":
        # Late: readers do not need the code for changes.
        from explorer.stores.power_loop.dialect import PowerLoopDialect

        return PowerLoopDialect(self.path, self._tables)

    def set_of(self, key: int) -> int:
        return self._of(key).number

    def _units(self, ids: Sequence[str], token: CancelToken | None) -> list[Unit]:
        """For a first page: the catalog of a long history would keep it waiting."""
        keys = self.keys_of(ids, token)

        def work(reader: TableReader) -> list[Unit]:
            found = []
            for tables in self._tables:
                own = {id_: key for id_, key in keys.items() if tables.owns(key)}
                helpers = subagents_of(reader, tables, own)
                found += [
                    Unit(key, (key,), Kind.ROOT, subagents=helpers.get(id_, 0))
                    for id_, key in own.items()
                ]
            return found

        return self._read(work, token)

    def sessions(
        self, units: Sequence[Unit], now: float, token: CancelToken | None = None
    ) -> list[Session]:
        def work(reader: TableReader) -> list[Session]:
            found: dict[int, Session] = {}
            for tables in self._tables:
                own = [unit for unit in units if tables.owns(unit.key)]
                if own:
                    found |= sessions(reader, tables, own, now)
            return [found[unit.key] for unit in units if unit.key in found]

        rows, noted = self._read(work, token), self._noted_titles()
        return [row._replace(title=row.title or noted.get(row.id)) for row in rows]

    def details(self, unit: Unit, token: CancelToken | None = None) -> Details:
        # Late: a list needs no details.
        from explorer.stores.power_loop.details import details

        tables = self._of(unit.key)
        told = self._read(lambda reader: details(reader, tables, unit.key, self.where()), token)
        return told._replace(title=told.title or self._noted_titles().get(told.id))

    def outlines(
        self, key: int, rewound: bool = False, token: CancelToken | None = None
    ) -> list[Outline]:
        tables = self._of(key)
        return self._read(lambda reader: outlines(reader, tables, key, rewound), token)

    def system_prompt(self, key: int, token: CancelToken | None = None) -> str:
        tables = self._of(key)
        handle = tables.flavour.handle
        sql = f"SELECT s.system_prompt FROM {tables.sessions} s WHERE {handle} = ?"
        return self._read(
            lambda reader: cells.words(reader.value(sql, (tables.handle(key),))), token
        )

    def messages(
        self, key: int, ids: Sequence[int], token: CancelToken | None = None
    ) -> list[Message]:
        tables = self._of(key)
        return self._read(lambda reader: bodies(reader, tables, key, ids), token)

    def scanned(self, needles: Needles, below: object, token: CancelToken | None = None) -> Stretch:
        return self._read(
            lambda reader: search.scanned(reader, self._tables, needles, below), token
        )

    def _of(self, key: int) -> Tables:
        return next(tables for tables in self._tables if tables.owns(key))
