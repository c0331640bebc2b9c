"""Puts deleted rows back: the same rows with the same numbers, links and cells.

An undo does so, and a delete that met a session its agent has begun to write again.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from explorer.errors import ExplorerError
from explorer.stores.edits.batches import Step
from explorer.stores.edits.changes import cell_trouble, revert_change, terms
from explorer.stores.edits.connection import Changed, Transaction
from explorer.stores.edits.dialect import SessionTables
from explorer.stores.edits.refusal_words import (
    CANNOT_UNDO,
    FILE_CHANGED,
    NOTHING_CHANGED,
    column_words,
)
from explorer.stores.ours.trash import TrashFile
from explorer.stores.ours.trash_records import OURS, CellChange, Entry, Pack
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.images import Cell, bound, named, raw, shown, slices
from explorer.stores.sqlite.schema import placeholders, quoted


class Lost(Changed):
    """The trash no longer tells what it held."""


def undo_steps(
    trash: TrashFile,
    tables: SessionTables,
    entries: Sequence[Entry],
    changes: Sequence[CellChange],
    titles: Mapping[str, str | None] | None = None,
) -> Iterator[Step]:
    """The steps that undo an edit: rows, then links, then cells."""
    restorer = Restorer(trash, tables, titles)
    # Parents before children: the reverse of the order in which they were deleted.
    for entry in entries[::-1]:
        yield from restorer.steps(entry, changes)
    yield from restorer.link_steps()
    plain = [one for one in changes if not one.entry and one.table != OURS]
    if plain:
        yield Step(0, lambda tx: _revert_all(plain, tables.under(tx), tx), last=True)


def _revert_all(changes: Sequence[CellChange], tables: SessionTables, tx: Transaction) -> None:
    # A title that moved on must be free again before its owner of old gets it back.
    moved = {shown(change.id) for change in changes}
    for change in reversed(changes):
        trouble = cell_trouble(change, tables, moved)
        if trouble:
            raise Changed(CANNOT_UNDO, f"{trouble} {NOTHING_CHANGED}")
        revert_change(tx, change)


class _Layout(NamedTuple):
    """A table that rows are put into."""

    columns: tuple[str, ...]
    """Without those that SQLite makes by itself."""
    primary: tuple[str, ...]
    """The columns of the primary key."""
    key: str
    """The column that is the number of the row, if there is one."""


class Restorer:
    """Makes the steps that put sessions of one file back.

    What a session refers to comes first, then the session, then its messages in slices, then the
    links between sessions: a reference to a row that is not there yet would be refused.
    """

    def __init__(
        self,
        trash: TrashFile,
        tables: SessionTables,
        titles: Mapping[str, str | None] | None = None,
    ) -> None:
        """`titles` are other ones for sessions whose own is taken by now."""
        self._trash = trash
        self._tables = tables
        self._shape = tables.shape
        self._titles = titles or {}
        self._layouts: dict[str, _Layout] = {}
        self._links: list[tuple[int, Cell, Cell]] = []
        """(entry, id, parent) of each session that is linked to another."""

    def steps(self, entry: Entry, changes: Sequence[CellChange]) -> Iterator[Step]:
        """All steps for one entry; safe to run over what is back already."""
        shape = self._shape
        lost: Lost | None = Lost("The trash is damaged", "It has lost this session.")
        try:
            for pack in self._trash.packs(entry.number, shape.ranks):
                if pack.table == shape.sessions:
                    lost = None
                    (row,) = pack.rows
                    cell = named(pack.columns, row)
                    if entry.kind == "session" and cell[shape.parent] is not None:
                        self._links.append((entry.number, cell[shape.id], cell[shape.parent]))
                    yield Step(entry.number, partial(self._session, entry.session, cell))
                    continue
                for rows in slices(pack.rows):
                    few = pack._replace(rows=rows)
                    count = len(few.rows) if pack.table == shape.messages else 0
                    yield Step(entry.number, partial(self.put_rows, few), count)
        except ExplorerError as error:
            # That is no reason not to restore the others.
            lost = Lost(error.title, error.message)
        if lost is not None:
            yield Step(entry.number, partial(_fail, lost))
            return
        own = [change for change in changes if change.entry == entry.number]
        yield Step(entry.number, partial(_revert_what_stayed, own), last=True)

    def link_steps(self) -> Iterator[Step]:
        """What sessions came from, when all are back."""
        for entry, id_, parent in self._links:
            yield Step(entry, partial(self._link, id_, parent))

    def _session(self, id_: str, cell: dict[str, Cell], tx: Transaction) -> None:
        """The row of a session, without its link; where it is there again, it stays as it is."""
        if self._tables.under(tx).has(id_):
            return
        without = cell | {self._shape.parent: None}
        if id_ in self._titles:
            title = self._titles[id_]
            without[self._shape.title] = None if title is None else raw(title)
        self._insert(tx, self._shape.sessions, without)

    def put_rows(self, pack: Pack, tx: Transaction) -> None:
        """Put rows back that are not there any more."""
        key = self._layout(tx, pack.table).key
        messages = pack.table == self._shape.messages
        owner = quoted(self._shape.owner) if messages else "NULL"
        found = tx.rows(
            f"SELECT rowid, {owner} FROM {quoted(pack.table)}"
            f" WHERE rowid IN ({placeholders(pack.rows)})",
            [row[0] for row in pack.rows],
        )
        there = {number: name for number, name in found}
        for row in pack.rows:
            cell = named(pack.columns, row)
            missing = bool(key) and row[0] not in there
            if missing:
                self._insert(tx, pack.table, cell)
            if missing or (key and messages and there[row[0]] == cell[self._shape.owner]):
                if messages:
                    self._set_filled(tx, cell, key)
            else:
                self._unless_there(tx, pack.table, cell, key)

    def _set_filled(self, tx: Transaction, cell: dict[str, Cell], key: str) -> None:
        """Give the columns that a trigger fills in their own values again: where a message had
        none, the trigger has just made one; and those of messages that stayed changed when others
        went."""
        known = self._layout(tx, self._shape.messages).columns
        names = sorted(self._shape.filled.intersection(cell, known))
        if names:
            sets, values = terms(names, "=", [cell[name] for name in names])
            tx.run(
                f"UPDATE {quoted(self._shape.messages)} SET {', '.join(sets)}"
                f" WHERE {quoted(key)} = ?",
                [*values, cell[key]],
                expect=1,
            )

    def _unless_there(self, tx: Transaction, table: str, cell: dict[str, Cell], key: str) -> None:
        """A row that its number does not tell: another may have got it since, and this one another
        when it was put back before a crash. Of what depends on a session, a row that the agent
        has made with the same key since is left alone."""
        others = [name for name in cell if name not in ("rowid", key)]
        names = others
        if self._shape.declared and table != self._shape.messages:
            names = [*self._layout(tx, table).primary] or others
        same = " AND ".join(f"t.{quoted(name)} IS {bound(cell[name])[0]}" for name in names)
        values = [bound(cell[name])[1] for name in names]
        if not tx.value(f"SELECT 1 FROM {quoted(table)} t WHERE {same}", values):
            self._insert(tx, table, {name: cell[name] for name in (others if key else cell)})

    def _insert(self, tx: Transaction, table: str, cell: dict[str, Cell]) -> None:
        known, _, key = self._layout(tx, table)
        names = [name for name in cell if name in known]
        lost = [name for name in cell if name not in known and name != "rowid"]
        if any(cell[name] is not None for name in lost):
            raise Changed(FILE_CHANGED, column_words(table, lost[0]))
        if "rowid" in cell and not key:
            taken = tx.value(f"SELECT 1 FROM {quoted(table)} WHERE rowid = ?", (cell["rowid"],))
            names = names if taken else ["rowid", *names]
        values = [bound(cell[name]) for name in names]
        tx.run(
            f"INSERT INTO {quoted(table)} ({', '.join(map(quoted, names))})"
            f" VALUES ({', '.join(place for place, _ in values)})",
            [value for _, value in values],
            expect=1,
        )

    def _layout(self, tx: Transaction, table: str) -> _Layout:
        if table not in self._layouts:
            info = tx.rows(f"PRAGMA table_xinfo({quoted(table)})")
            columns = tuple(cells.words(row[1]) for row in info if not row[6])
            kinds = {cells.words(row[1]): cells.words(row[2]).upper() for row in info if row[5]}
            key = next(iter(kinds)) if [*kinds.values()] == ["INTEGER"] else ""
            self._layouts[table] = _Layout(columns, tuple(kinds), key)
        return self._layouts[table]

    def _link(self, id_: Cell, parent: Cell, tx: Transaction) -> None:
        shape = self._shape
        sessions, name, link = quoted(shape.sessions), quoted(shape.id), quoted(shape.parent)
        (place, value), (where, own) = bound(parent), bound(id_)
        there = tx.value(f"SELECT 1 FROM {sessions} t WHERE t.{name} = {place}", (value,))
        if there or not shape.declared:
            tx.run(
                f"UPDATE {sessions} SET {link} = {place} WHERE {name} = {where} AND {link} IS NULL",
                (value, own),
            )


def _revert_what_stayed(changes: Sequence[CellChange], tx: Transaction) -> None:
    """Others that were kept are linked to it again, and counters count again, unless the agent has
    given them other values since."""
    for change in changes:
        with suppress(Changed):
            revert_change(tx, change)


def _fail(why: Changed, tx: Transaction) -> None:
    raise why
