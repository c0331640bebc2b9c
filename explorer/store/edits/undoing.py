"""Taking an edit back: what would happen, then the steps.

Between an edit and its undo the agent goes on. Where it has taken an id or a title, the plan says
so and what is done about it; nothing of the agent's is overwritten.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

from explorer.errors import Refused
from explorer.store.edits.batches import Step
from explorer.store.edits.changing import revert_change
from explorer.store.edits.images import Cell, Rows, bound, shown
from explorer.store.edits.names import called, entry_name, name_in_file, worded
from explorer.store.edits.plans import Action
from explorer.store.edits.restoring import Restorer
from explorer.store.edits.shape import Shape
from explorer.store.edits.subject import subjects
from explorer.store.edits.titles import next_title, owner_words
from explorer.store.edits.writing import Changed, Transaction
from explorer.store.kept import OURS, Change, Entry, EntryState, Receipt
from explorer.store.schema import Schema, quoted
from explorer.store.trash import TrashFile

CHANGED_SINCE = "changed since, so it stays as it is"
WAITS = "running, so nothing of it is undone until its agent has ended it"


class UndoPlan(NamedTuple):
    """What taking an edit back would do."""

    receipt: Receipt
    entries: tuple[Entry, ...]
    """What comes back."""
    changes: tuple[Change, ...]
    """Cells that get their old values again."""
    notes: tuple[str, ...] = ()
    """What is no longer as it was, and what is done about it."""
    titles: tuple[tuple[str, str | None], ...] = ()
    """(id, title) where the old one is taken."""
    of: int = 0
    """Sessions that the edit was about; fewer may be taken back."""

    @property
    def sessions(self) -> int:
        """How many are as they were before."""
        return len(self.entries) or len({shown(change.id) for change in self.changes})

    def only(self, ids: Collection[str]) -> "UndoPlan":
        """The same for those of its sessions that came back."""
        if not self.entries:
            return self
        return self._replace(entries=tuple(one for one in self.entries if one.session in ids))

    @property
    def messages(self) -> int:
        return sum(entry.messages for entry in self.entries)

    @property
    def why_not(self) -> str:
        """Why nothing of it can be taken back, if so."""
        if self.entries or self.changes:
            return ""
        return " ".join(self.notes) or "Nothing of it is left to undo."

    def check(self) -> None:
        """Refuse where nothing of it can be taken back, before anybody is asked."""
        if self.why_not:
            raise Refused("It cannot be undone", self.why_not)


def plan_undo(
    trash: TrashFile,
    receipt: Receipt,
    ask: Rows,
    schema: Schema,
    shape: Shape,
    wanted: Collection[int] | None = None,
    busy: Collection[str] = (),
) -> UndoPlan:
    """What comes back, of all entries or of the `wanted` ones; nothing of those that are `busy`."""
    kept = trash.entries(receipt.number)
    entries = [
        entry
        for entry in kept
        if entry.state is not EntryState.BACK and (wanted is None or entry.number in wanted)
    ]
    every = trash.changes(receipt.number)
    notes: list[str] = []
    titles: dict[str, str | None] = {}
    for entry in list(entries):
        if entry.session in busy:
            notes.append(f"{_name(trash, entry)}: {WAITS}.")
            entries.remove(entry)
            continue
        there = _there(entry, ask, shape)
        notes += _entry_notes(trash, entry, ask, schema, shape, there, titles)
        if entry.kind == "messages" and not there:
            entries.remove(entry)
    mine = {entry.number for entry in entries}
    links = [change for change in every if change.entry in mine]
    cells_back: list[Change] = []
    moved = {shown(change.id) for change in every if not change.entry}
    for change in every if wanted is None else ():
        if change.entry:
            continue
        if shown(change.id) in busy:
            notes.append(f"{name_in_file(ask, schema, shape, shown(change.id))}: {WAITS}.")
            continue
        trouble, changed = _cell_trouble(change, ask, schema, shape, moved)
        if trouble:
            notes.append(trouble)
        if changed is not None:
            cells_back.append(changed)
    return UndoPlan(
        receipt,
        tuple(entries),
        (*links, *cells_back),
        tuple(notes),
        tuple(titles.items()),
        of=len(kept) or len(moved),
    )


def at_risk(receipt: Receipt, entries: Sequence[Entry], changes: Sequence[Change]) -> list[str]:
    """The sessions for which it matters that nobody writes them while an edit is taken back. What
    is half way is not among them: it is worse off as it is."""
    gone = [entry.session for entry in entries if entry.state is EntryState.GONE]
    ended = [shown(change.id) for change in changes if receipt.action == Action.REOPEN]
    return gone + ended


def _there(entry: Entry, ask: Rows, shape: Shape) -> bool:
    sql = f"SELECT 1 FROM {quoted(shape.sessions)} t WHERE t.{quoted(shape.id)} = ?"
    return bool(ask(sql, (entry.session,)))


def _name(trash: TrashFile, entry: Entry) -> str:
    """Only of the few that there is something to say about: each is looked into by itself."""
    return entry_name(worded(trash, [entry])[0])


def _entry_notes(
    trash: TrashFile,
    entry: Entry,
    ask: Rows,
    schema: Schema,
    shape: Shape,
    there: bool,
    titles: dict[str, str | None],
) -> Iterator[str]:
    if entry.kind == "session" and there and entry.state is EntryState.GONE:
        name = _name(trash, entry)
        yield f"{name}: the agent has begun it anew. Its old messages go before the new ones."
    if entry.kind == "messages" and not there:
        name = _name(trash, entry)
        yield f"{name}: the session is gone, so its messages cannot come back."
    if entry.kind == "session" and entry.title and shape.hermes and not there:
        found = subjects(ask, schema, shape, "title", [entry.title])
        taken = [one for one in found if one.id != entry.session]
        if taken:
            titles[entry.session] = next_title(ask, entry.title, titles)
            yield (
                f"{entry.title}: another session has this title now ({owner_words(taken[0])})."
                f" It comes back as {titles[entry.session]}."
            )


def _cell_trouble(
    change: Change, ask: Rows, schema: Schema, shape: Shape, moved: Collection[str]
) -> tuple[str, Change | None]:
    """(what is in the way, the change as far as it can be taken back)."""
    if change.table == OURS:
        return "", change
    now = current(ask, change)
    if now is None:
        return f"{_name_of_gone(change)}: the session is gone.", None
    if now != change.new:
        return f"{name_in_file(ask, schema, shape, shown(change.id))}: {CHANGED_SINCE}.", None
    if "title" in change.columns:
        at = change.columns.index("title")
        old = change.old[at]
        if old is not None and change.new[at] != old:
            place, value = bound(old)
            rows = ask(f"SELECT t.rowid FROM sessions t WHERE t.title = {place}", (value,))
            found = subjects(ask, schema, shape, "rowid", [row for (row,) in rows])
            taken = [one for one in found if one.id not in {*moved, shown(change.id)}]
            if taken:
                name = name_in_file(ask, schema, shape, shown(change.id))
                return (
                    f"{name}: another session has its old title “{shown(old)}” now"
                    f" ({owner_words(taken[0])}), so it keeps this one.",
                    None,
                )
    return "", change


def _name_of_gone(change: Change) -> str:
    """What is known of the name of a session that is neither in its file nor in the trash."""
    cell = dict(zip(change.columns, change.new, strict=True))
    return called(shown(cell.get("title")) or None, "", shown(change.id))


def current(ask: Rows, change: Change) -> tuple[Cell, ...] | None:
    """The cells of a change as they are; None when the row is gone."""
    place, id_ = bound(change.id)
    names = ", ".join(f"t.{quoted(column)}" for column in change.columns)
    table, named = quoted(change.table), quoted(change.id_column)
    rows = ask(f"SELECT {names} FROM {table} t WHERE t.{named} = {place}", (id_,))
    return rows[0] if rows else None


def undo_steps(
    plan: UndoPlan,
    trash: TrashFile,
    shape: Shape,
    columns: Callable[[str], tuple[str, ...]],
) -> Iterator[Step]:
    """The steps that take an edit back: rows, then links, then cells."""
    restorer = Restorer(trash, shape, columns, dict(plan.titles))
    # Parents before children: the other way round than they went.
    entries = plan.entries[::-1]
    for entry in entries:
        yield from restorer.steps(entry, plan.changes)
    yield from restorer.link_steps(entries)
    plain = [one for one in plan.changes if not one.entry and one.table != OURS]
    if plain:
        yield Step(0, lambda tx: _revert_all(plain, shape, tx), last=True)


def _revert_all(changes: Sequence[Change], shape: Shape, tx: Transaction) -> None:
    # A title that moved on must be free again before its owner of old gets it back.
    moved = {shown(change.id) for change in changes}
    for change in reversed(changes):
        trouble, _ = _cell_trouble(change, tx.rows, tx.schema, shape, moved)
        if trouble:
            raise Changed("It cannot be undone any more", f"{trouble} Nothing was done.")
        revert_change(tx, change)
