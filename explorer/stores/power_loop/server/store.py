"""A set of power-loop's tables on a PostgreSQL server, as a store.

It differs from a file in how sessions are numbered (`tables`), listed (`sessions`), searched
(`search`) and watched (`postgres.changes`); all else is read as from a file.
"""

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TypeVar

from explorer.cancel import CancelToken
from explorer.model import SearchModes, Session, Sort, StoreInfo
from explorer.stores.base import (
    Changes,
    Details,
    Edits,
    NamedSession,
    Needles,
    Section,
    Starting,
    Stretch,
)
from explorer.stores.catalog import Catalog, Unit
from explorer.stores.columns import TITLE, Column, Columns
from explorer.stores.ours.notes import Notes, OurFiles
from explorer.stores.postgres.changes import ServerChanges, ServerStamp
from explorer.stores.postgres.connection import ServerDatabase
from explorer.stores.postgres.freed_memory import return_big_pieces
from explorer.stores.postgres.given import reaching
from explorer.stores.power_loop.server import search
from explorer.stores.power_loop.server.columns import all_columns
from explorer.stores.power_loop.server.flavour import streamed
from explorer.stores.power_loop.server.gaps import known_gaps
from explorer.stores.power_loop.server.sessions import catalog, keys_of, newest, touched
from explorer.stores.power_loop.server.tables import ServerTables
from explorer.stores.power_loop.store import PowerLoopStore
from explorer.stores.power_loop.tables import title_in
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.schema import placeholders
from explorer.stores.table_reader import TableReader

T = TypeVar("T")

MOST_STARTING = 200
"""Sessions that the beginning of an id is looked for among."""


class PostgresStore(PowerLoopStore):
    """Reads one set of tables."""

    def __init__(
        self, database: ServerDatabase, path: Path, notes: Notes | None = None, role: str = ""
    ) -> None:
        """`database` is about that set; `path` is what it is called (`server_path`), `role` what
        the server calls the user."""
        self.path = path
        self._role = role
        self._database = database
        self._set = ServerTables.of(database.tables)
        self._tables = (self._set,)
        self._notes = notes
        self._changes = ServerChanges(database, lazily=True)
        self._all_numbered = False
        """All ids have numbers: those that are written later get theirs with the next look."""

    def _read(self, work: Callable[[TableReader], T], token: CancelToken | None = None) -> T:
        return self._database.read(work, token)

    def one_of(self, stores: int) -> None:
        self._database.one_of(stores)

    def together(self, work: Callable[[], T], token: CancelToken | None = None) -> T:
        return self._database.together(work, token)

    def hold(self, token: CancelToken | None = None) -> bool:
        return self._database.hold(token)

    def let_go(self) -> None:
        self._database.let_go()

    def look(self) -> ServerStamp:
        return self._changes.look()

    def _in_call(self) -> str:
        # Of the schema too: in another one, power-loop would make tables of its own.
        return f"dsn={reaching(self._database.address, self._set.space)!r}"

    def where(self) -> tuple[tuple[str, str], ...]:
        return (("Server", str(self.path)),)

    def info(self, token: CancelToken | None = None) -> StoreInfo:
        # Late: readers do not need the code for changes.
        from explorer.stores.power_loop.server_edits.tables import server_reasons

        def work(reader: TableReader) -> StoreInfo:
            figures = self.figures(reader)
            return StoreInfo(
                path=str(self.path),
                kind=self.kind,
                schema_version=figures.schema_version,
                journal_mode="",
                sessions=figures.sessions,
                messages=figures.messages,
                orphans=figures.orphans,
                bytes=self._bytes(reader),
                wal_bytes=0,
                search=SearchModes(fts=False, trigram=False, cjk=False, covers=()),
                snapshot=False,
                edits=server_reasons(reader, [self._set]),
                gaps=self._gaps(),
            )

        return self._read(work, token)

    def _gaps(self) -> tuple[str, ...]:
        return known_gaps(self._database.tables, self._role)

    def details(self, unit: Unit, token: CancelToken | None = None) -> Details:
        found = super().details(unit, token)
        rows = tuple(("", line) for line in self._gaps())
        missing = (Section("Not read", rows),) if rows else ()
        return found._replace(sections=(*found.sections, *missing))

    def _bytes(self, reader: TableReader) -> int:
        """What the tables and their indices take."""
        names = sorted({*reader.schema.tables, *self._database.tables.closed})
        sql = (
            "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class c"
            " JOIN pg_namespace n ON n.oid = c.relnamespace"
            f" WHERE n.nspname = ? AND c.relname IN ({placeholders(names)})"
        )
        return cells.amount(reader.value(sql, (self._set.space, *names)))

    def edits(self, ours: OurFiles) -> Edits:
        from explorer.stores.power_loop.server_edits.editor import server_edits  # late: as above

        return server_edits(self._database, self._set, self.sessions, ours, self.path)

    def catalog(self, token: CancelToken | None = None) -> Catalog:
        return_big_pieces()
        found = self._read(lambda reader: catalog(reader, self._set), token)
        self._all_numbered = True
        self._changes.written(max(found.active, default=0.0))
        return found

    def changes(self, since: object, token: CancelToken | None = None) -> Changes | None:
        found = self._read(lambda reader: touched(reader, self._set, since), token)
        if found is None:
            return None
        family = self._catalog(found.rows, found.mark) if found.rows else None
        return Changes(found.mark, frozenset(row.key for row in found.rows), family)

    def first_page(
        self, limit: int, now: float, sort: Sort = Sort.ACTIVE, token: CancelToken | None = None
    ) -> list[Session]:
        if sort not in (Sort.ACTIVE, Sort.STARTED):
            return super().first_page(limit, now, sort, token)

        def work() -> list[Session]:
            units = self._read(lambda reader: newest(reader, self._set, limit, sort), token)
            return self.sessions(units, now, token)

        found = self.together(work, token)
        self._changes.written(max((one.last_active or 0.0 for one in found), default=0.0))
        return found

    def keys_of(self, ids: Sequence[str], token: CancelToken | None = None) -> dict[str, int]:
        return self._read(lambda reader: keys_of(reader, self._set, ids), token)

    def columns(
        self,
        asked: Collection[Column[object]],
        keys: Sequence[int] | None = None,
        token: CancelToken | None = None,
    ) -> Columns:
        if keys is not None:
            return super().columns(asked, keys, token)
        noted = self._noted_titles() if TITLE in asked else {}
        return self._read(lambda reader: all_columns(reader, self._set, asked, noted), token)

    def keys_starting(self, text: str, token: CancelToken | None = None) -> Starting:
        ids = self._set.ids
        if self._all_numbered and text:
            # Of a million ids, the server looks at each for more than a second.
            known = [ids.id(key) for key in ids.starting(text, MOST_STARTING + 1)]
            found = list(self.keys_of(list(filter(None, known)), token))
        else:
            found = self._starting(text, token)
        return Starting(ids.numbers(found[:MOST_STARTING]), len(found) > MOST_STARTING)

    def _starting(self, text: str, token: CancelToken | None) -> list[str]:
        sql = (
            f"SELECT s.session_id FROM {self._set.sessions} s"
            ' WHERE left(lower(s.session_id COLLATE "C"), ?) = ?'
            f" ORDER BY s.session_id LIMIT {MOST_STARTING + 1}"
        )
        small = "".join(letter.lower() if letter.isascii() else letter for letter in text)
        return self._read(lambda reader: reader.column(sql, (len(text), small)), token)

    def find(self, text: str, token: CancelToken | None = None) -> list[NamedSession]:
        def work() -> list[str]:
            if self.keys_of([text], token):
                return [text]
            starting = self._starting(text, token) if text else []
            return starting if len(starting) == 1 else self._titled(text, token) or starting

        ids, noted = self.together(work, token), self._noted_titles()
        titles = self._read(lambda reader: self._titles(reader, ids), token)
        return [
            NamedSession(key, id_, titles.get(id_) or noted.get(id_))
            for id_, key in self._numbered(ids)
        ]

    def _numbered(self, ids: Sequence[str]) -> list[tuple[str, int]]:
        return list(zip(ids, self._set.ids.numbers(ids), strict=True))

    def _titles(self, reader: TableReader, ids: Sequence[str]) -> dict[str, str | None]:
        if not self._set.has(reader.schema, "sessions", "metadata_json"):
            return {}
        rows = self._set.flavour.rows(reader, self._set, "s.metadata_json", ids)
        return {id_: title_in(about) for id_, about in rows}

    def _titled(self, text: str, token: CancelToken | None) -> list[str]:
        """The sessions that have this very title, in their metadata or in our notes."""
        noted = [id_ for id_, title in self._noted_titles().items() if title == text]

        def work(reader: TableReader) -> list[str]:
            if not text:
                return []
            there = list(keys_of(reader, self._set, noted))
            if not self._set.has(reader.schema, "sessions", "metadata_json"):
                return there
            own = self._titles(reader, there)
            holds, values = self._set.flavour.may_hold(["s.metadata_json"], [(text,)])
            sql = f"SELECT s.session_id, s.metadata_json FROM {self._set.sessions} s WHERE {holds}"
            found = [id_ for id_, about in streamed(reader, sql, values) if title_in(about) == text]
            return found + [id_ for id_ in there if not own.get(id_)]

        return self._read(work, token)

    def _noted_by_key(
        self, keys: Sequence[int] | None, token: CancelToken | None = None
    ) -> dict[int, str]:
        # Only those that have a note are asked for: of all sessions there may be a million.
        noted = self._noted_titles()
        of = noted if keys is None else map(self._set.handle, keys)
        there = self.keys_of([id_ for id_ in of if id_ in noted], token) if noted else {}
        return {key: noted[id_] for id_, key in there.items()}

    def scanned(self, needles: Needles, below: object, token: CancelToken | None = None) -> Stretch:
        return self._read(lambda reader: search.scanned(reader, self._set, needles, below), token)

    def newest_below(self, token: CancelToken | None = None) -> Callable[[object], float]:
        return search.newest_below
