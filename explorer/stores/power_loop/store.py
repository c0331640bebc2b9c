"""power-loop's state files: `power_loop_sessions.db`, with or without a prefix to its tables.

Times are milliseconds, a title is what a program put into the metadata, and messages are numbered
within their session.
"""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from explorer.cancel import CancelToken
from explorer.model import Message, Outline, Session
from explorer.stores.base import Details, Handover
from explorer.stores.candidates import Needles, Stretch
from explorer.stores.catalog import Unit
from explorer.stores.columns import Column, Columns
from explorer.stores.power_loop.rows import message, outlines, scanned, sessions, survey
from explorer.stores.power_loop.tables import SEQ, Tables
from explorer.stores.small_store import Figures, SessionRow, SmallStore
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.read_only import Reader, ReadOnlyFile
from explorer.stores.sqlite.schema import placeholders

if TYPE_CHECKING:
    from explorer.stores.power_loop.dialect import PowerLoopDialect


class PowerLoopStore(SmallStore):
    """Reads one file, with all its sets of tables."""

    kind = "power-loop"

    def __init__(self, file: ReadOnlyFile, tables: Sequence[Tables]) -> None:
        super().__init__(file)
        self._tables = tables

    def handover(self) -> Handover | str:
        return (
            "power-loop has no command that takes a session: a program does, with"
            " send(text, session_id=…). Copy the id, or set resume_command in the settings."
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
        from explorer.stores.power_loop.columns import columns

        return self._file.read(lambda reader: columns(reader, self._tables, asked, keys), token)

    def dialect(self) -> "PowerLoopDialect":
        from explorer.stores.power_loop.dialect import PowerLoopDialect

        return PowerLoopDialect(self.path, self._tables)

    def set_of(self, key: int) -> int:
        return self._of(key).number

    def sessions(
        self, units: Sequence[Unit], now: float, token: CancelToken | None = None
    ) -> list[Session]:
        def work(reader: Reader) -> list[Session]:
            found = {
                session.key: session
                for tables in self._tables
                for session in sessions(reader, tables, [unit.key for unit in units], now)
            }
            return [
                found[unit.key]._replace(subagents=unit.subagents)
                for unit in units
                if unit.key in found
            ]

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

    def scanned(
        self, needles: Needles, below: int | None, token: CancelToken | None = None
    ) -> Stretch:
        return self._file.read(lambda reader: scanned(reader, self._tables, needles), token)

    def _of(self, key: int) -> Tables:
        return next(tables for tables in self._tables if tables.owns(key))
