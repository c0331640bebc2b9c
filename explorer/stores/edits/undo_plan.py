"""Taking an edit back: what would happen, then the steps.

Between an edit and its undo the agent goes on. Where it has taken an id or a title, the plan says
so and what is done about it; nothing of the agent's is overwritten.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

from explorer.errors import Refused
from explorer.model import Action
from explorer.stores.edits.change_plan import owner_words
from explorer.stores.edits.dialect import Dialect, SessionTables, short_name
from explorer.stores.edits.names import entry_name, worded
from explorer.stores.ours.trash import TrashFile
from explorer.stores.ours.trash_records import OURS, CellChange, Entry, EntryState, Receipt
from explorer.stores.sqlite.images import Cell, Rows, bound, shown
from explorer.stores.sqlite.schema import quoted

CHANGED_SINCE = "changed since, so it stays as it is"
WAITS = "running, so nothing of it is undone until its agent has ended it"


class UndoPlan(NamedTuple):
    """What taking an edit back would do."""

    receipt: Receipt
    entries: tuple[Entry, ...]
    """What comes back."""
    changes: tuple[CellChange, ...]
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
    dialect: Dialect,
    receipt: Receipt,
    tables: SessionTables,
    wanted: Collection[int] | None = None,
    busy: Collection[str] = (),
) -> UndoPlan:
    """What comes back, of all entries or of the `wanted` ones; nothing of those that are `busy`."""
    kept = trash.entries(receipt.number)

    def name(entry: Entry) -> str:
        """Only of the few that there is something to say about: each is looked into by itself."""
        return entry_name(worded(trash, dialect, [entry])[0])

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
            notes.append(f"{name(entry)}: {WAITS}.")
            entries.remove(entry)
            continue
        there = tables.has(entry.session)
        notes += _entry_notes(entry, tables, there, titles, name)
        if entry.kind == "messages" and not there:
            entries.remove(entry)
    mine = {entry.number for entry in entries}
    links = [change for change in every if change.entry in mine]
    cells_back: list[CellChange] = []
    moved = {shown(change.id) for change in every if not change.entry}
    for change in every if wanted is None else ():
        if change.entry:
            continue
        if shown(change.id) in busy:
            notes.append(f"{tables.name(shown(change.id))}: {WAITS}.")
            continue
        trouble, changed = cell_trouble(change, tables, moved)
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


def at_risk(receipt: Receipt, entries: Sequence[Entry], changes: Sequence[CellChange]) -> list[str]:
    """The sessions for which it matters that nobody writes them while an edit is taken back. What
    is half way is not among them: it is worse off as it is."""
    gone = [entry.session for entry in entries if entry.state is EntryState.GONE]
    ended = [shown(change.id) for change in changes if receipt.action == Action.REOPEN]
    return gone + ended


def _entry_notes(
    entry: Entry,
    tables: SessionTables,
    there: bool,
    titles: dict[str, str | None],
    name: Callable[[Entry], str],
) -> Iterator[str]:
    if entry.kind == "session" and there and entry.state is EntryState.GONE:
        anew = "the agent has begun it anew. Its old messages go before the new ones."
        yield f"{name(entry)}: {anew}"
    if entry.kind == "messages" and not there:
        yield f"{name(entry)}: the session is gone, so its messages cannot come back."
    if entry.kind == "session" and entry.title and not there:
        taken = tables.title_taken(entry.title, [entry.session])
        if taken is not None and taken.owner is not None:
            titles[entry.session] = tables.free_title(entry.title, titles.values())
            yield (
                f"{entry.title}: another session has this title now ({owner_words(taken.owner)})."
                f" It comes back as {titles[entry.session]}."
            )


def cell_trouble(
    change: CellChange, tables: SessionTables, moved: Collection[str]
) -> tuple[str, CellChange | None]:
    """(what is in the way, the change as far as it can be taken back)."""
    if change.table == OURS:
        return "", change
    now = current(tables.ask, change)
    if now is None:
        return f"{_name_of_gone(change)}: the session is gone.", None
    if now != change.new:
        return f"{tables.name(shown(change.id))}: {CHANGED_SINCE}.", None
    if tables.shape.title in change.columns:
        at = change.columns.index(tables.shape.title)
        old = change.old[at]
        if old is not None and change.new[at] != old:
            taken = tables.title_taken(shown(old), moved)
            if taken is not None and taken.owner is not None:
                return (
                    f"{tables.name(shown(change.id))}: another session has its old title"
                    f" “{shown(old)}” now ({owner_words(taken.owner)}), so it keeps this one.",
                    None,
                )
    return "", change


def _name_of_gone(change: CellChange) -> str:
    """What is known of the name of a session that is neither in its file nor in the trash."""
    cell = dict(zip(change.columns, change.new, strict=True))
    return short_name(shown(cell.get("title")) or None, "", shown(change.id))


def current(ask: Rows, change: CellChange) -> tuple[Cell, ...] | None:
    """The cells of a change as they are; None when the row is gone."""
    place, id_ = bound(change.id)
    names = ", ".join(f"t.{quoted(column)}" for column in change.columns)
    table, named = quoted(change.table), quoted(change.id_column)
    rows = ask(f"SELECT {names} FROM {table} t WHERE t.{named} = {place}", (id_,))
    return rows[0] if rows else None
