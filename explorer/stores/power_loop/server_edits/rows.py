"""Takes whole sessions out of a database on a server, and puts them back.

What a delete returns goes into our trash, in the same transaction: so what is kept is what was
deleted, to the row, whatever other programs did in between. The trash is durable before the server
is asked to commit. First of all the rows of `session_state` are locked, as power-loop itself does
before it writes: a program that sends to a session waits, and so do we for it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from explorer.errors import sentence
from explorer.model import State
from explorer.stores.edits.connection import Changed
from explorer.stores.edits.dialect import Subject, TableShape, listing
from explorer.stores.edits.plans import Planned
from explorer.stores.edits.reasons import INTERRUPTED
from explorer.stores.edits.refusal_words import (
    FILE_CHANGED,
    NO_LONGER_THERE,
    SESSION_CHANGED,
    SESSION_GONE,
    STARTED_WRITING,
    WRITTEN_TO,
    column_words,
    rows_words,
)
from explorer.stores.ours.trash import TrashFile, TrashWriter
from explorer.stores.ours.trash_records import CellChange, Entry
from explorer.stores.postgres.writing import ServerTransaction
from explorer.stores.power_loop.server_edits.tables import ServerSessionTables, TableLayout
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.images import (
    ABOUT,
    Cell,
    Image,
    named,
    portions,
    raw,
    weight,
)
from explorer.stores.sqlite.schema import placeholders, quoted

CREATED = "created_at"
"""Tells a session from another one that got its id later."""


def families(doomed: Iterable[Planned]) -> Iterator[list[Planned]]:
    """Sessions that are deleted with one another, each with its dependents before it."""
    every = list(doomed)
    parents = {child: one.id for one in every for child in one.children}
    known = {one.id for one in every}
    by_root: dict[str, list[Planned]] = {}
    for one in every:
        at, seen = one.id, {one.id}
        while (above := parents.get(at)) is not None and above in known and above not in seen:
            seen.add(above)
            at = above
        by_root.setdefault(at, []).append(one)
    yield from by_root.values()


def lock(tx: ServerTransaction, tables: ServerSessionTables, ids: Sequence[str]) -> None:
    """Keep other programs from writing these sessions until the transaction ends."""
    shape = tables.shape
    state = f"{shape.sessions.removesuffix('sessions')}session_state"
    for table in (state, shape.sessions):
        if tables.schema.has(table, shape.id):
            tx.rows(
                f"SELECT t.session_id FROM {quoted(table)} t WHERE t.session_id IN"
                f" ({placeholders(ids)}) ORDER BY t.session_id FOR UPDATE",
                list(ids),
            )


def check_quiet(tables: ServerSessionTables, subjects: Iterable[Subject], now: float) -> None:
    """Under the lock: no program has begun to write one of these."""
    held = tables.leases()
    for one in subjects:
        if tables.state(one, held, now) is State.RUNNING:
            raise Changed("It is running", STARTED_WRITING)
        if one.interrupted:
            raise Changed("It was interrupted", sentence(INTERRUPTED))


class Removed(NamedTuple):
    """What was taken out of the database and is in the trash, if the server commits."""

    entries: tuple[int, ...]
    messages: int


class Taker(NamedTuple):
    """Takes the sessions of one family out, in one transaction."""

    tx: ServerTransaction
    tables: ServerSessionTables
    layout: Mapping[str, TableLayout]
    trash: TrashFile
    receipt: int
    now: float | None
    """None where it does not matter whether a program writes to them."""

    def take(self, family: Sequence[Planned]) -> Removed:
        """The trash is durable when this returns, and the server has not committed yet."""
        ids = sorted(one.id for one in family)
        lock(self.tx, self.tables, ids)
        there = self.tables.over(self.tx.rows)
        found = there.subjects(there.shape.id, ids)
        if len(found) != len(ids):
            raise Changed(SESSION_GONE, NO_LONGER_THERE)
        if self.now is not None:
            check_quiet(there, found, self.now)
        staying = self._children(family)
        with self.trash.writing() as writer:
            entries = [self._take(one, staying, writer) for one in family]
        return Removed(
            tuple(number for number, _ in entries), sum(messages for _, messages in entries)
        )

    def _children(self, family: Sequence[Planned]) -> dict[str, list[Image]]:
        """Sessions that are kept and lose their link, locked, by the id of their parent."""
        shape = self.tables.shape
        ids = [one.id for one in family]
        below = self.tx.rows(
            f"SELECT t.session_id, t.{quoted(shape.parent)} FROM {quoted(shape.sessions)} t"
            f" WHERE t.{quoted(shape.parent)} IN ({placeholders(ids)})"
            " ORDER BY t.session_id FOR UPDATE",
            ids,
        )
        known = {(child, one.id) for one in family for child in one.children}
        kept: dict[str, list[Image]] = {}
        for row in below:
            id_, parent = (cells.words(cell) for cell in row)
            if (id_, parent) not in known:
                raise Changed(SESSION_CHANGED, "Another session now depends on it.")
            if id_ not in ids:
                kept.setdefault(parent, []).append(row)
        return kept

    def _take(
        self, planned: Planned, staying: Mapping[str, list[Image]], writer: TrashWriter
    ) -> tuple[int, int]:
        """(number of the entry, messages)."""
        shape = self.tables.shape
        entry = writer.keep(
            *(self.receipt, shape.sessions, "session"),
            session=planned.id,
            title=planned.title,
            source=planned.source,
            active=planned.last_active,
        )
        size, counts = 0, {}
        for table in _in_order(shape):
            counts[table], bytes_ = self._rows(entry, table, planned.id, writer)
            size += bytes_
        messages = counts[shape.messages]
        if counts[shape.sessions] != 1:
            raise Changed(SESSION_GONE, NO_LONGER_THERE)
        if self.now is not None and messages != planned.messages:
            raise Changed(SESSION_CHANGED, WRITTEN_TO)
        for id_, parent in staying.get(planned.id, ()):
            change = CellChange(
                *(shape.sessions, shape.id, id_, (shape.parent,)), (parent,), (None,), entry
            )
            writer.add_change(self.receipt, change)
            set_cells(self.tx, change, change.old, change.new)
        writer.measure(entry, messages, size)
        return entry, messages

    def _rows(self, entry: int, table: str, id_: str, writer: TrashWriter) -> tuple[int, int]:
        """Delete the rows of a session from one table and keep them: (how many, their bytes)."""
        columns = self.layout[table].columns
        sql = (
            f"DELETE FROM {quoted(table)} t WHERE t.session_id = ?"
            f" RETURNING {', '.join(f't.{quoted(column)}' for column in columns)}"
        )
        count = size = 0
        numbered = ((at, *row) for at, row in enumerate(self.tx.taken(sql, (id_,)), 1))
        for rows in portions(numbered, weight, ABOUT):
            writer.add_rows(entry, table, columns, rows)
            count += len(rows)
            size += sum(map(weight, rows))
        return count, size


def _in_order(shape: TableShape) -> tuple[str, ...]:
    """As power-loop deletes: the session itself last."""
    return (shape.messages, *(one.table for one in shape.belongings), shape.sessions)


def set_cells(
    tx: ServerTransaction, change: CellChange, before: Sequence[Cell], after: Sequence[Cell]
) -> None:
    """Give cells of one row other values, if they still have these."""
    sets = ", ".join(f"{quoted(column)} = ?" for column in change.columns)
    tests = " AND ".join(
        f"t.{quoted(column)} IS NOT DISTINCT FROM ?"
        for column in (change.id_column, *change.columns)
    )
    sql = f"UPDATE {quoted(change.table)} t SET {sets} WHERE {tests}"
    if tx.run(sql, [*after, change.id, *before]) != 1:
        raise Changed(FILE_CHANGED, "Another program has changed this session.")


class Putter(NamedTuple):
    """Puts one session back, in one transaction."""

    tx: ServerTransaction
    tables: ServerSessionTables
    layout: Mapping[str, TableLayout]
    trash: TrashFile

    def put(self, entry: Entry, links: Sequence[CellChange]) -> int:
        """How many messages came back."""
        lock(self.tx, self.tables, [entry.session])
        there = self.tables.over(self.tx.rows)
        if there.has(entry.session):
            raise Changed("It is there again", exists_again(entry.name))
        messages, own = 0, False
        for pack in self.trash.packs(entry.number):
            cells_of = [named(pack.columns, row) for row in pack.rows]
            self._insert(pack.table, pack.columns, cells_of)
            messages += len(pack.rows) if pack.table == self.tables.shape.messages else 0
            own = own or pack.table == self.tables.shape.sessions
        if not own:
            raise Changed("The trash is damaged", "It has lost this session.")
        for change in links:
            self._link_again(change)
        return messages

    def _insert(
        self, table: str, columns: Sequence[str], rows: Sequence[Mapping[str, Cell]]
    ) -> None:
        known = self.layout[table].columns if table in self.layout else ()
        names = [name for name in columns if name in known]
        lost = [name for name in columns if name not in known]
        if any(row[name] is not None for row in rows for name in lost):
            raise Changed(FILE_CHANGED, column_words(table, lost[0]))
        count = self.tx.add(
            f"INSERT INTO {quoted(table)} ({listing(names)}) OVERRIDING SYSTEM VALUE"
            f" VALUES ({placeholders(names)})",
            [[row[name] for name in names] for row in rows],
        )
        if count != len(rows):
            raise Changed(FILE_CHANGED, rows_words(count, len(rows)))

    def _link_again(self, change: CellChange) -> None:
        """A session that was kept is linked again, unless it has another parent by now."""
        link = quoted(change.columns[0])
        self.tx.run(
            f"UPDATE {quoted(change.table)} SET {link} = ? WHERE {quoted(change.id_column)} = ?"
            f" AND {link} IS NULL",
            (change.old[0], change.id),
        )


def is_in(
    tx: ServerTransaction, tables: ServerSessionTables, trash: TrashFile, entry: Entry
) -> bool:
    """Whether a session of the trash is in the database, and not another one with its id. Waits
    for a transaction that is about to change that."""
    shape = tables.shape
    found = tx.rows(
        f"SELECT t.{quoted(CREATED)} FROM {quoted(shape.sessions)} t WHERE t.session_id = ?"
        " FOR UPDATE",
        (raw(entry.session),),
    )
    if not found:
        return False
    packs = trash.packs(entry.number)
    own = next((pack for pack in packs if pack.table == shape.sessions), None)
    return own is not None and named(own.columns, own.rows[0]).get(CREATED) == found[0][0]


def exists_again(name: str) -> str:
    """Why a session is not restored."""
    return f"“{name}” was started again, so the deleted one is not restored."
