"""power-loop's state files: `power_loop_sessions.db`, with or without a prefix to its tables.

One file may hold several sets of tables: opening an old file with a newer power-loop adds an
empty prefixed set beside it. All sets are listed. Times are milliseconds, there are no titles and
no search tables, and messages are numbered within their session.
"""

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from explorer.cancel import CancelToken
from explorer.model import Kind, Message, Outline, SearchModes, Session, Sort, StoreInfo
from explorer.stores.base import Candidate, Changes, Details, Edits, Facts, Handover, Label, TooLong
from explorer.stores.candidates import Indexed, Needles, Stretch
from explorer.stores.catalog import Catalog, Mark, Unit
from explorer.stores.edits.refusals import reasons
from explorer.stores.fates import NO_FATES, Fates
from explorer.stores.ours.files import OurFiles
from explorer.stores.power_loop.rows import (
    SEQ,
    SOURCE,
    Tables,
    catalog_part,
    message,
    outlines,
    scanned,
    sessions,
)
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.failures import log_size
from explorer.stores.sqlite.parameters import placeholders
from explorer.stores.sqlite.read_only import Reader, ReadOnlyFile
from explorer.stores.sqlite.schema import Schema
from explorer.stores.traits import Trait, Traits

if TYPE_CHECKING:
    from explorer.stores.power_loop.dialect import PowerLoopDialect

T = TypeVar("T")


def prefixes(schema: Schema) -> tuple[str, ...]:
    """The prefix of every set of tables that power-loop could have made; '' for the oldest."""
    found = []
    for table in schema.tables:
        prefix = table.removesuffix("sessions")
        if (
            table.endswith("sessions")
            and schema.has(table, "session_id", "created_at", "kind")
            and schema.has(f"{prefix}messages", "session_id", "seq", "role", "content")
        ):
            found.append(prefix)
    return tuple(sorted(found))


class PowerLoopStore:
    """Reads one file; holds nothing open between two calls."""

    kind = "power-loop"
    keeps_ends = False
    keeps_pins = False

    def __init__(self, file: ReadOnlyFile, found: Sequence[str]) -> None:
        self._file = file
        self._tables = tuple(
            Tables(number, prefix, len(found)) for number, prefix in enumerate(found)
        )
        self.path: Path = file.path

    def together(self, work: Callable[[], T], token: CancelToken | None = None) -> T:
        return self._file.together(work, token)

    def handover(self) -> Handover | str:
        return (
            "power-loop has no command that takes a session: a program does, with"
            " send(text, session_id=…). Copy the id, or set resume_command in the settings."
        )

    def info(self, token: CancelToken | None = None) -> StoreInfo:
        def work(reader: Reader) -> StoreInfo:
            version = None
            for tables in self._tables:
                if reader.schema.has(f"{tables.prefix}schema_migrations", "version"):
                    sql = f'SELECT max(version) FROM "{tables.prefix}schema_migrations"'
                    version = cells.integer(reader.value(sql))
            return StoreInfo(
                path=str(self.path),
                kind=self.kind,
                schema_version=version,
                journal_mode=cells.words(reader.value("PRAGMA journal_mode")),
                sessions=self._sum(reader, 'SELECT count(*) FROM "{}sessions"'),
                messages=self._sum(reader, 'SELECT count(*) FROM "{}messages"'),
                orphans=self._sum(
                    reader,
                    'SELECT count(*) FROM "{0}messages" m WHERE NOT EXISTS'
                    ' (SELECT 1 FROM "{0}sessions" s WHERE s.session_id = m.session_id)',
                ),
                bytes=os.stat(self.path).st_size,
                wal_bytes=log_size(self.path),
                search=SearchModes(fts=False, trigram=False, cjk=False, covers=()),
                snapshot=reader.snapshot,
                edits=reasons(
                    self.path, self._dialect(), reader.schema, reader.rows, reader.snapshot
                ),
            )

        return self._file.read(work, token)

    def first_page(
        self, limit: int, now: float, sort: Sort = Sort.ACTIVE, token: CancelToken | None = None
    ) -> list[Session]:
        catalog = self.catalog(token)
        listed, _ = catalog.select()
        order = catalog.by_last_active(listed)
        if sort is Sort.STARTED:
            starts = self.sort_values(sort, token)
            order.sort(key=lambda key: cells.number(starts.get(key)) or 0.0, reverse=True)
        return self.sessions([catalog.folded(key) for key in order[:limit]], now, token)

    def pinned(
        self, noted: Collection[str], now: float, token: CancelToken | None = None
    ) -> list[Session]:
        keys = self.keys_of(sorted(noted), token).values() if noted else ()
        found = self.sessions([Unit(key, (key,), Kind.ROOT) for key in keys], now, token)
        return sorted(found, key=lambda row: row.last_active or 0.0, reverse=True)

    def catalog(self, token: CancelToken | None = None) -> Catalog:
        def work(reader: Reader) -> Catalog:
            parts = [catalog_part(reader, tables) for tables in self._tables]
            return Catalog(
                keys=[key for part in parts for key in part.keys],
                active=[time for part in parts for time in part.active],
                sources=[SOURCE for part in parts for _ in part.keys],
                links={key: link for part in parts for key, link in part.links.items()},
                chains=(),
                archived={key for part in parts for key in part.archived},
                empty=frozenset(key for part in parts for key in part.empty),
            )

        return self._file.read(work, token)

    def changes(self, since: Mark, token: CancelToken | None = None) -> Changes | None:
        return None

    def sort_values(self, sort: Sort, token: CancelToken | None = None) -> Mapping[int, object]:
        if sort is Sort.TITLE:
            return self.traits({Trait.TITLE}, token=token).titles
        if sort is Sort.TOKENS:
            return self.traits({Trait.TOKENS}, token=token).tokens

        def work(reader: Reader) -> Mapping[int, object]:
            values: dict[int, object] = {}
            for tables in self._tables:
                if sort is Sort.STARTED:
                    sql = f"SELECT s.rowid, s.created_at FROM {tables.sessions} s"
                elif sort is Sort.MESSAGES:
                    sql = (
                        f"SELECT s.rowid, (SELECT count(*) FROM {tables.messages} m"
                        f" WHERE m.session_id = s.session_id) FROM {tables.sessions} s"
                    )
                else:
                    continue
                convert = cells.seconds if sort is Sort.STARTED else cells.number
                found = ((tables.key(row), convert(cell)) for row, cell in reader.rows(sql))
                values |= {key: value for key, value in found if value is not None}
            return values

        return self._file.read(work, token)

    def facts(self, keys: Sequence[int] | None = None, token: CancelToken | None = None) -> Facts:
        def work(reader: Reader) -> Facts:
            models: dict[int, str] = {}
            messages: dict[int, int] = {}
            tools: set[int] = set()
            wanted = None if keys is None else set(keys)
            for tables in self._tables:
                for row, model, number, calls in reader.rows(
                    "SELECT s.rowid, s.model, count(m.seq), total(m.role = 'tool')"
                    f" FROM {tables.sessions} s LEFT JOIN {tables.messages} m"
                    " ON m.session_id = s.session_id GROUP BY s.rowid"
                ):
                    key = tables.key(row)
                    if wanted is not None and key not in wanted:
                        continue
                    messages[key] = cells.amount(number)
                    if name := cells.text(model):
                        models[key] = name
                    if calls:
                        tools.add(key)
            return Facts(models, messages, frozenset(tools))

        return self._file.read(work, token)

    def traits(
        self,
        asked: Collection[Trait],
        keys: Sequence[int] | None = None,
        token: CancelToken | None = None,
    ) -> Traits:
        from explorer.stores.power_loop.traits import traits

        return self._file.read(lambda reader: traits(reader, self._tables, asked, keys), token)

    def fates(
        self,
        catalog: Catalog,
        keys: Sequence[int] | None = None,
        before: float | None = None,
        token: CancelToken | None = None,
    ) -> Fates:
        return NO_FATES

    def too_long(self, unit: Unit, token: CancelToken | None = None) -> TooLong | None:
        return None

    def weights(self, token: CancelToken | None = None) -> Mapping[int, int]:
        def work(reader: Reader) -> Mapping[int, int]:
            return {
                tables.key(row): int(weight)
                for tables in self._tables
                for row, weight in reader.rows(
                    "SELECT s.rowid, total(length(CAST(m.content AS BLOB)))"
                    f" FROM {tables.messages} m JOIN {tables.sessions} s"
                    " ON s.session_id = m.session_id GROUP BY m.session_id"
                )
            }

        return self._file.read(work, token)

    def keys_of(self, ids: Sequence[str], token: CancelToken | None = None) -> Mapping[str, int]:
        def work(reader: Reader) -> Mapping[str, int]:
            wanted = set(ids)
            return {
                cells.words(id_): tables.key(row)
                for tables in self._tables
                for row, id_ in reader.rows(
                    f"SELECT s.rowid, s.session_id FROM {tables.sessions} s"
                )
                if cells.words(id_) in wanted
            }

        return self._file.read(work, token)

    def edits(self, ours: OurFiles) -> Edits:
        from explorer.stores.edits.editor import Editor

        def sessions_of(keys: Sequence[int]) -> Sequence[Session]:
            return self.sessions([Unit(key, (key,), Kind.ROOT) for key in keys], ours.clock())

        return Editor(self.path, self._dialect(), sessions_of, ours)

    def _dialect(self) -> "PowerLoopDialect":
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

    def first_outlines(
        self, key: int, most: int, rewound: bool = False, token: CancelToken | None = None
    ) -> tuple[list[Outline], bool]:
        # Notes may belong before messages that are older: which come first is known from all.
        return self.outlines(key, rewound, token), True

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

    def scattered(
        self, places: Sequence[tuple[int, int]], token: CancelToken | None = None
    ) -> Sequence[tuple[int, Message]]:
        by_session: dict[int, list[int]] = {}
        for key, id_ in places:
            by_session.setdefault(key, []).append(id_)

        def work() -> list[tuple[int, Message]]:
            return [
                (key, message)
                for key, ids in by_session.items()
                for message in self.messages(key, ids, token)
            ]

        return self.together(work, token)

    def labels(self, keys: Sequence[int], token: CancelToken | None = None) -> Mapping[int, Label]:
        units = [Unit(key, (key,), Kind.ROOT) for key in keys]
        return {s.key: Label(s.id, s.title, s.source) for s in self.sessions(units, 0.0, token)}

    def around(
        self, key: int, ids: Sequence[int], rewound: bool = False, token: CancelToken | None = None
    ) -> Mapping[int, tuple[int | None, int | None]]:
        order = [None, *(outline.id for outline in self.outlines(key, rewound, token)), None]
        place = {id_: at for at, id_ in enumerate(order)}
        known = [id_ for id_ in ids if id_ in place]
        return {id_: (order[place[id_] - 1], order[place[id_] + 1]) for id_ in known}

    def find(self, text: str, token: CancelToken | None = None) -> list[Candidate]:
        def work(reader: Reader) -> list[Candidate]:
            rows = [
                (tables.key(row), cells.words(id_), cells.mapping(meta).get("title"))
                for tables in self._tables
                for row, id_, meta in reader.rows(
                    f"SELECT s.rowid, s.session_id, s.metadata_json FROM {tables.sessions} s"
                )
            ]
            found = [Candidate(key, id_, cells.text(title)) for key, id_, title in rows]
            exact = [c for c in found if c.id == text]
            starting = [c for c in found if c.id.lower().startswith(text.lower())]
            titled = [c for c in found if c.title == text]
            return exact or (starting if len(starting) == 1 else titled or starting)

        return self._file.read(work, token)

    def lost_messages(self, id_: str, token: CancelToken | None = None) -> list[Message]:
        def work(reader: Reader) -> list[Message]:
            return [
                message(row)
                for tables in self._tables
                for row in reader.rows(
                    f"SELECT {tables.body(reader.schema)} FROM {tables.messages} m"
                    " WHERE m.session_id = ? ORDER BY m.seq",
                    (id_,),
                )
            ]

        return self._file.read(work, token)

    def indexed(
        self,
        needles: Needles,
        limit: int,
        below: int | None = None,
        token: CancelToken | None = None,
    ) -> Indexed:
        """These files have no search table, and are small enough to do without."""
        return Indexed()

    def ranked(
        self, needles: Needles, most: int, token: CancelToken | None = None
    ) -> Mapping[int, float]:
        return {}

    def scanned(
        self, needles: Needles, below: int | None, token: CancelToken | None = None
    ) -> Stretch:
        return self._file.read(lambda reader: scanned(reader, self._tables, needles), token)

    def _of(self, key: int) -> Tables:
        return next(tables for tables in self._tables if tables.owns(key))

    def _sum(self, reader: Reader, sql: str) -> int:
        return sum(reader.value(sql.format(tables.prefix)) for tables in self._tables)
