"""Edits that give some cells of a session another value: rename, archive, pin, end, reopen.

The plan holds the old and the new value of each cell. It is done in the file in one transaction, or
in our own notes. Under the lock, a cell must still have its old value; to undo, its new one.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from explorer.errors import Cancelled, ExplorerError, Refused
from explorer.model import Action, Session
from explorer.render import veil
from explorer.render.clean import clean_line
from explorer.stores.edits.batches import EditContext, before_anything
from explorer.stores.edits.connection import Changed, ReadConnection, Transaction, WriteConnection
from explorer.stores.edits.delete_plan import Planner
from explorer.stores.edits.dialect import SessionTables, Subject, Values
from explorer.stores.edits.plans import KINDS, Done, EditPlan, Planned, PlannedOutcome, Title
from explorer.stores.edits.reasons import (
    ARCHIVED,
    ENDED,
    HAS_MARK,
    NO_PLACE,
    NOT_ARCHIVED,
    NOT_ENDED,
    NOT_PINNED,
    PINNED,
    SAME_TITLE,
    UNSOUND,
)
from explorer.stores.edits.refusal_words import (
    FILE_CHANGED,
    NO_LONGER_THERE,
    NOTHING_CHANGED,
    SESSION_GONE,
)
from explorer.stores.edits.undo_words import changed_since, gone_words
from explorer.stores.edits.words import (
    NOTED,
    TITLE_NOTED,
    keeps_title,
    not_done_title,
    receipt_words,
    taken_words,
)
from explorer.stores.ours.notes import Notes
from explorer.stores.ours.trash import TrashWriter
from explorer.stores.ours.trash_records import OURS, CellChange, ReceiptState, short_name
from explorer.stores.sqlite.images import Cell, Rows, bound, raw, shown
from explorer.stores.sqlite.schema import quoted


def change_of(tables: SessionTables, subject: Subject, values: Values) -> CellChange:
    """Other values for some cells of a session."""
    columns = tuple(values)
    old = tables.stored(subject, columns)
    new = tuple(values.values())
    return CellChange(tables.shape.sessions, tables.shape.id, raw(subject.id), columns, old, new)


def noted(subject: str, kind: str, on: bool) -> CellChange:
    """The same in our own notes, of what a file has no place for."""
    return CellChange(OURS, "id", raw(subject), (kind,), (int(not on),), (int(on),))


def noted_title(subject: str, old: str | None, new: str | None) -> CellChange:
    """Another title in our own notes."""
    before, after = (None if one is None else raw(one) for one in (old, new))
    return CellChange(OURS, "id", raw(subject), ("title",), (before,), (after,))


def plan_rename(
    planner: Planner, row: int, typed: str, measured: bool, force: bool = False
) -> EditPlan:
    """A rename; a plan without changes where the title cannot be had. It is made anew with every
    key that is typed, so the session is `measured` only on request."""
    tables = planner.tables
    found = planner.subjects([row])
    if not found:
        raise Changed(SESSION_GONE, NO_LONGER_THERE)
    subject = found[0]
    if measured:
        planner.measure(found)
    if not subject.sound:
        raise Refused(KINDS[Action.RENAME].cannot, UNSOUND.capitalize() + ".")
    title = _checked(planner, subject, tables.title(subject, typed), force)
    if veil.holds_mark(typed):
        # What the privacy view shows is not what is stored, and never gets there.
        same = typed == clean_line(subject.title or "")
        title = Title(subject.title) if same else Title(typed, HAS_MARK)
    owner = title.owner
    blocked = bool(title.trouble) or (owner is not None and not owner.yields)
    changes: list[CellChange] = []
    notes: list[str] = []
    if not blocked and title.text != subject.title:
        changes = _title_changes(planner, subject, title)
        notes += [owner.yields] if owner is not None else []
        notes += [TITLE_NOTED] if title.noted and title.text else []
    reason = title.trouble or ("the title is taken" if blocked else SAME_TITLE)
    planned = planner.judged(subject, PlannedOutcome.CHANGE, "" if changes else reason)
    return planner.made(Action.RENAME, [planned])._replace(
        changes=tuple(changes), notes=tuple(notes), title=title
    )


def _title_changes(planner: Planner, subject: Subject, title: Title) -> list[CellChange]:
    """What gives a session a title that it can have."""
    tables = planner.tables
    titles = planner.titles or {}
    if title.noted:
        return [noted_title(subject.id, titles.get(subject.id), title.text)]
    changes: list[CellChange] = []
    if title.owner is not None:
        (held_by,) = tables.subjects(tables.shape.id, [title.owner.id])
        changes.append(change_of(tables, held_by, tables.titled(held_by, None)))
    changes.append(change_of(tables, subject, tables.titled(subject, title.text)))
    if subject.id in titles:
        # Else the one in our notes would be shown again without the new one.
        changes.append(noted_title(subject.id, titles[subject.id], None))
    return changes


def _checked(planner: Planner, subject: Subject, title: Title, force: bool) -> Title:
    """A title with what speaks against it now. Our notes are nobody else's: what they take is not
    in the way of an agent that may be writing."""
    if title.trouble:
        return title
    if title.noted:
        return title if planner.titles is not None else title._replace(trouble=NO_PLACE)
    if planner.tables.guarded:
        return title._replace(trouble=planner.refusal(subject, force))
    return title


def _changed(
    planner: Planner,
    action: Action,
    rows: Sequence[int],
    change: Callable[[Subject], str | Sequence[CellChange]],
    measured: bool = True,
) -> EditPlan:
    """A plan of what `change` says of each session: other values for cells, or why none."""
    changes: list[CellChange] = []
    sessions: list[Planned] = []
    wanted = planner.subjects(rows)
    if measured:
        planner.measure(wanted)
    for subject in wanted:
        found = change(subject) if subject.sound else UNSOUND
        reason = found if isinstance(found, str) else ""
        changes += () if isinstance(found, str) else found
        sessions.append(planner.judged(subject, PlannedOutcome.CHANGE, reason))
    return planner.made(action, sessions)._replace(changes=tuple(changes))


def plan_archive(
    planner: Planner,
    rows: Sequence[int],
    on: bool,
    ours: Collection[str] | None,
    force: bool = False,
) -> EditPlan:
    """Archive sessions, or unarchive them; `rows` are all parts of each conversation. `ours`
    are those that our own notes hold as archived, for a file that has no place for it."""
    tables = planner.tables

    def change(subject: Subject) -> str | Sequence[CellChange]:
        if (subject.archived if ours is None else subject.id in ours) == on:
            return ARCHIVED if on else NOT_ARCHIVED
        if ours is not None:
            return [noted(subject.id, "archived", on)]
        if tables.guarded and (reason := planner.refusal(subject, force)):
            return reason
        return [change_of(tables, subject, tables.archived(subject, on, planner.now))]

    plan = _changed(planner, Action.ARCHIVE if on else Action.UNARCHIVE, rows, change)
    return plan if ours is None else plan._replace(notes=(NOTED,), general=(NOTED,))


def plan_pin(
    planner: Planner, rows: Sequence[int], on: bool, ours: Collection[str], measured: bool
) -> EditPlan:
    """Pin sessions, or unpin them; `rows` are all parts of each conversation, `ours` the ids that
    our notes hold. An agent that has pins spares pinned sessions in its own clean-up, so there a
    pin belongs into its file. What our notes say counts as well: to unpin clears both."""
    tables, column = planner.tables, planner.tables.keeps_pins

    def change(subject: Subject) -> str | Sequence[CellChange]:
        in_file, in_ours = column and subject.pinned, subject.id in ours
        if on and (in_file if column else in_ours):
            # A pin in our notes is none to the agent, which would delete the session.
            return PINNED
        if not on and not (in_file or in_ours):
            return NOT_PINNED
        changes = []
        if column and in_file != on:
            changes.append(change_of(tables, subject, tables.pinned(subject, on)))
        if (in_ours and not on) or (on and not column):
            changes.append(noted(subject.id, "pinned", on))
        return changes

    return _changed(planner, Action.PIN if on else Action.UNPIN, rows, change, measured)


def plan_noted_pins(
    path: Path, wanted: Sequence[Session], on: bool, ours: Collection[str]
) -> EditPlan:
    """The same where nothing may be written to the file: in our notes alone."""
    sessions, changes = [], []
    for one in wanted:
        same = (one.id in ours) == on
        reason = (PINNED if on else NOT_PINNED) if same else ""
        outcome = PlannedOutcome.SKIP if same else PlannedOutcome.CHANGE
        planned = Planned(one.key, one.id, one.title, one.source, 0, 0, "", outcome, reason)
        sessions.append(planned._replace(words=one.preview))
        changes += [] if same else [noted(one.id, "pinned", on)]
    action = Action.PIN if on else Action.UNPIN
    return EditPlan(action, path, "", tuple(sessions), tuple(changes))


def plan_end(planner: Planner, rows: Sequence[int], reopen: bool, force: bool) -> EditPlan:
    """End sessions that a crash left open, or open ended ones again."""
    tables = planner.tables

    def end(subject: Subject) -> str | Sequence[CellChange]:
        if subject.ended:
            return ENDED
        ended = tables.ended(planner.now)
        return planner.refusal(subject, force) or [change_of(tables, subject, ended)]

    def open_again(subject: Subject) -> str | Sequence[CellChange]:
        reason = tables.stays_ended(subject) if subject.ended else NOT_ENDED
        return reason or [change_of(tables, *one) for one in tables.reopened(subject)]

    if reopen:
        return _changed(planner, Action.REOPEN, rows, open_again)
    return _changed(planner, Action.END, rows, end)


def change_cells(context: EditContext, file: WriteConnection, plan: EditPlan) -> Done:
    """Change cells of a few rows, in one transaction."""
    tables = context.tables(file, plan.table)

    def write(receipt: int) -> None:
        try:
            with before_anything(), file.transaction() as tx:
                _check_title_free(tx, tables, plan)
                for change in plan.stored:
                    _set(tx, change, change.old, change.new)
        except (ExplorerError, Cancelled):
            forget(context, receipt, file)
            raise

    return with_receipt(context, plan, write)


def with_receipt(context: EditContext, plan: EditPlan, write: Callable[[int], None]) -> Done:
    """Changes of cells with their receipt, whose number `write` gets: it writes what is not kept in
    our own notes, and drops the receipt where that fails."""
    with before_anything(), context.trash.writing() as trash:
        receipt = begin_changes(context, trash, plan)
    write(receipt)
    notes: tuple[str, ...] = ()
    try:
        note_down(context.notes, plan.changes)
        with context.trash.writing() as trash:
            trash.set_receipt(receipt, ReceiptState.DONE)
    except ExplorerError as error:
        # It is done anyway, and the next start finds that out.
        notes = (error.message,)
    return changed(receipt, plan, notes)


def change_notes(context: EditContext, plan: EditPlan) -> Done:
    """What the file cannot store goes into our own notes."""
    with context.trash.writing() as trash:
        receipt = begin_changes(context, trash, plan)
        trash.set_receipt(receipt, ReceiptState.DONE)
    try:
        note_down(context.notes, plan.changes)
    except ExplorerError:
        with suppress(ExplorerError), context.trash.writing() as trash:
            trash.drop_receipt(receipt)
        raise
    return changed(receipt, plan)


def begin_changes(context: EditContext, trash: TrashWriter, plan: EditPlan) -> int:
    receipt = trash.begin(plan.action.value, receipt_words(plan), context.clock())
    for change in plan.changes:
        trash.add_change(receipt, change)
    return receipt


def changed(receipt: int, plan: EditPlan, notes: tuple[str, ...] = ()) -> Done:
    ids = tuple(one.id for one in plan.doomed)
    return Done(receipt, plan.action.value, ids, plan.skipped, notes)


def forget(context: EditContext, receipt: int, file: ReadConnection) -> None:
    """An edit that came to nothing; if that cannot be written, the next start finds it out. Its
    receipt also says whose write it was that has to be rolled back, where that is so."""
    if not file.readable():
        return
    with suppress(ExplorerError), context.trash.writing() as trash:
        trash.drop_receipt(receipt)


def note_down(notes: Notes | None, changes: Sequence[CellChange], back: bool = False) -> None:
    """Write what is kept in our own notes, or with `back` what they held before."""
    for kind in ("archived", "pinned"):
        for on in (True, False):
            ids = [
                shown(change.id)
                for change in changes
                if change.table == OURS
                and change.columns == (kind,)
                and bool((change.old if back else change.new)[0]) is on
            ]
            if ids:
                own = _there(notes)
                (own.pin if kind == "pinned" else own.archive)(ids, on)
    for change in changes:
        if change.table == OURS and change.columns == ("title",):
            (title,) = change.old if back else change.new
            _there(notes).entitle(shown(change.id), None if title is None else shown(title))


def _there(notes: Notes | None) -> Notes:
    if notes is None:
        raise Refused("Cannot save pins and settings", "They have no file here.")
    return notes


def noted_trouble(notes: Notes | None, change: CellChange) -> str:
    """Why a change of our notes cannot be undone, if so: a title may have been changed again. One
    that never got there, since the explorer was killed, is in nobody's way."""
    if change.columns != ("title",) or notes is None:
        return ""
    now = notes.titles().get(shown(change.id))
    known = [None if cell is None else shown(cell) for (cell,) in (change.old, change.new)]
    return "" if now in known else changed_since(short_name(now, "", shown(change.id)))


def revert_change(tx: Transaction, change: CellChange) -> None:
    """Give the cells of one row their old values back, if they still have the new ones."""
    _set(tx, change, change.new, change.old)


def _set(
    tx: Transaction, change: CellChange, before: Sequence[Cell], after: Sequence[Cell]
) -> None:
    sets, given = terms(change.columns, "=", after)
    tests, known = terms((change.id_column, *change.columns), "IS", (change.id, *before))
    sql = f"UPDATE {quoted(change.table)} SET {', '.join(sets)} WHERE {' AND '.join(tests)}"
    if tx.run(sql, [*given, *known]) != 1:
        raise Changed(FILE_CHANGED, "Another program has changed this session.")


def terms(columns: Iterable[str], sign: str, row: Iterable[Cell]) -> tuple[list[str], list[object]]:
    """(`column = ?`, with this sign, for each of the columns; the values for that)."""
    places = [bound(cell) for cell in row]
    pairs = zip(columns, places, strict=True)
    return (
        [f"{quoted(column)} {sign} {place}" for column, (place, _) in pairs],
        [value for _, value in places],
    )


def _check_title_free(tx: Transaction, tables: SessionTables, plan: EditPlan) -> None:
    """Under the lock: no session has taken the title of a rename since it was planned."""
    if plan.title is not None and plan.title.text is not None:
        movers = {shown(change.id) for change in plan.changes}
        taken = tables.under(tx).title_taken(plan.title.text, movers)
        if taken is not None:
            title = not_done_title(plan.action)
            raise Changed(title, f"{taken_words(taken)} {NOTHING_CHANGED}")


def cell_trouble(change: CellChange, tables: SessionTables, moved: Collection[str]) -> str:
    """Why a change cannot be undone, if so; `moved` are the sessions that it was made with."""
    if change.table == OURS:
        return ""
    now, id_ = current(tables.ask, change), shown(change.id)
    new = dict(zip(change.columns, change.new, strict=True))
    if now is None:
        # It is neither in its file nor in the trash: no more is known of its name.
        name = short_name(shown(new.get("title")) or None, "", id_)
        return gone_words(name)
    if now != change.new:
        return changed_since(tables.name(id_))
    column = tables.shape.title
    old = dict(zip(change.columns, change.old, strict=True)).get(column)
    if old is not None and new[column] != old:
        taken = tables.title_taken(shown(old), moved)
        if taken is not None and taken.owner is not None:
            return keeps_title(tables.name(id_), shown(old), taken.owner)
    return ""


def current(ask: Rows, change: CellChange) -> tuple[Cell, ...] | None:
    """The cells of a change as they are; None when the row is gone."""
    place, id_ = bound(change.id)
    names = ", ".join(f"t.{quoted(column)}" for column in change.columns)
    table, named = quoted(change.table), quoted(change.id_column)
    rows = ask(f"SELECT {names} FROM {table} t WHERE t.{named} = {place}", (id_,))
    return rows[0] if rows else None
