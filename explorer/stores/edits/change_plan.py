"""Edits that give some cells of a session another value: rename, archive, pin, end, reopen.

The plan holds the old and the new value of each cell. Under the lock the old one must still be
there; to undo, the new one.
"""

from collections.abc import Collection, Sequence
from pathlib import Path

from explorer.errors import Refused
from explorer.model import Action, Session, State
from explorer.render.when import exact
from explorer.stores.edits.delete_plan import RUNNING, UNSOUND, Planner
from explorer.stores.edits.dialect import SessionTables, Values
from explorer.stores.edits.plans import EditPlan, Outcome, Owner, Planned, Title
from explorer.stores.edits.subject import Subject
from explorer.stores.edits.write.connection import Changed, Transaction
from explorer.stores.ours.trash_records import OURS, Change
from explorer.stores.sqlite.images import Cell, bound, raw, shown
from explorer.stores.sqlite.schema import quoted

PINNED, NOT_PINNED = "pinned already", "not pinned"
NOTED = (
    "This file has no place for it yet: Session Explorer keeps it in its own notes, and the agent"
    " does not know of it."
)


def apply_change(tx: Transaction, change: Change) -> None:
    """Give the cells of one row their new values, if they still have the old ones."""
    _set(tx, change.table, change, change.old, change.new)


def revert_change(tx: Transaction, change: Change) -> None:
    """Give the cells of one row their old values back, if they still have the new ones."""
    _set(tx, change.table, change, change.new, change.old)


def _set(
    tx: Transaction, table: str, change: Change, before: Sequence[Cell], after: Sequence[Cell]
) -> None:
    given = [bound(cell) for cell in after]
    known = [bound(cell) for cell in (change.id, *before)]
    names = [quoted(column) for column in change.columns]
    sets = ", ".join(f"{name} = {place}" for name, (place, _) in zip(names, given, strict=True))
    tests = " AND ".join(
        f"{name} IS {place}"
        for name, (place, _) in zip((quoted(change.id_column), *names), known, strict=True)
    )
    count = tx.run(
        f"UPDATE {quoted(table)} SET {sets} WHERE {tests}",
        [value for _, value in (*given, *known)],
    )
    if count != 1:
        raise Changed("The file has changed", "Its agent has changed the same thing meanwhile.")


def check_title_free(tx: Transaction, tables: SessionTables, plan: EditPlan) -> None:
    """Under the lock: nobody has taken the title of a rename since it was planned."""
    if plan.title is not None and plan.title.text is not None:
        movers = {shown(change.id) for change in plan.changes}
        taken = tables.under(tx).title_taken(plan.title.text, movers)
        if taken is not None:
            raise Changed("This title is taken", f"{taken_words(taken)}. Nothing was changed.")


def taken_words(title: Title) -> str:
    """Who has a title, and which is free."""
    assert title.owner is not None
    _, id_, source, archived, *_ = title.owner
    return f"The session {id_} ({source}{', archived' * archived}) has it. Free is: {title.next}"


def owner_words(owner: Owner) -> str:
    """Which session it is that has a title: its name would not tell, since that is the title."""
    active = f"last active {exact(owner.last_active)}" if owner.last_active else ""
    return ", ".join(filter(None, (owner.source, "archived" * owner.archived, active)))


def change_of(tables: SessionTables, subject: Subject, values: Values) -> Change:
    """Other values for some cells of a session."""
    columns = tuple(values)
    old = tables.stored(subject, columns)
    new = tuple(values.values())
    return Change(tables.shape.sessions, tables.shape.id, raw(subject.id), columns, old, new)


def noted(subject: str, kind: str, on: bool) -> Change:
    """The same in our own notes, of what a file has no place for."""
    return Change(OURS, "id", raw(subject), (kind,), (int(not on),), (int(on),))


def plan_rename(planner: Planner, row: int, typed: str, measured: bool) -> EditPlan:
    """A rename; a plan without changes where the title cannot be had. It is made anew with every
    key that is typed, so only whoever wants to know has the session `measured`."""
    tables = planner.tables
    found = planner.subjects([row])
    if not found:
        raise Changed("The session is gone", "It is no longer in the file.")
    subject = found[0]
    if measured:
        planner.measure(found)
    if not subject.sound:
        raise Refused("It cannot be renamed", UNSOUND.capitalize() + ".")
    title = tables.title(subject, typed)
    owner = title.owner
    blocked = bool(title.trouble) or (owner is not None and not owner.yields)
    changes: list[Change] = []
    notes: list[str] = []
    if not blocked and title.text != subject.title:
        if owner is not None:
            (held_by,) = tables.subjects(tables.shape.id, [owner.id])
            changes.append(change_of(tables, held_by, tables.titled(None)))
            notes.append(owner.yields)
        changes.append(change_of(tables, subject, tables.titled(title.text)))
    outcome = Outcome.CHANGE if changes else Outcome.SKIP
    reason = title.trouble or ("the title is taken" if blocked else "it has this title already")
    planned = planner.planned(subject, outcome, "" if changes else reason)
    return planner.made(Action.RENAME, [planned])._replace(
        changes=tuple(changes), notes=tuple(notes), title=title
    )


def plan_archive(
    planner: Planner, rows: Sequence[int], on: bool, ours: Collection[str] | None
) -> EditPlan:
    """Archive sessions, or take them out again; `rows` are all parts of each conversation. `ours`
    are those that our own notes hold as archived, for a file that has no place for it."""
    tables = planner.tables
    changes: list[Change] = []
    sessions: list[Planned] = []
    wanted = planner.subjects(rows)
    planner.measure(wanted)
    for subject in wanted:
        reason = "" if subject.sound else UNSOUND
        if not reason and (subject.archived if ours is None else subject.id in ours) == on:
            reason = "archived already" if on else "not archived"
        if not reason and ours is not None:
            changes.append(noted(subject.id, "archived", on))
        elif not reason:
            changes.append(change_of(tables, subject, tables.archived(subject, on, planner.now)))
        outcome = Outcome.SKIP if reason else Outcome.CHANGE
        sessions.append(planner.planned(subject, outcome, reason))
    plan = planner.made(Action.ARCHIVE if on else Action.UNARCHIVE, sessions)
    return plan._replace(changes=tuple(changes), notes=() if ours is None else (NOTED,))


def plan_pin(
    planner: Planner, rows: Sequence[int], on: bool, ours: Collection[str], measured: bool
) -> EditPlan:
    """Pin sessions, or unpin them; `rows` are all parts of each conversation, `ours` the ids that
    our notes hold. An agent that has pins spares pinned sessions in its own clean-up, so there a
    pin belongs into its file. What our notes say counts as well: whoever unpins clears both."""
    tables, column = planner.tables, planner.tables.keeps_pins
    changes: list[Change] = []
    in_notes: list[Change] = []
    sessions: list[Planned] = []
    wanted = planner.subjects(rows)
    if measured:
        planner.measure(wanted)
    for subject in wanted:
        in_file, in_ours = column and subject.pinned, subject.id in ours
        if column and in_file != on and subject.sound:
            changes.append(change_of(tables, subject, tables.pinned(subject, on)))
        if (in_ours and not on) or (on and not column and not in_ours):
            in_notes.append(noted(subject.id, "pinned", on))
        reason = "" if subject.sound else UNSOUND
        if not reason and on and (in_file if column else in_ours):
            # A pin in our notes is none to the agent, which would delete the session.
            reason = PINNED
        elif not reason and not on and not (in_file or in_ours):
            reason = NOT_PINNED
        outcome = Outcome.SKIP if reason else Outcome.CHANGE
        sessions.append(planner.planned(subject, outcome, reason))
    acted = any(one.outcome is Outcome.CHANGE for one in sessions)
    plan = planner.made(Action.PIN if on else Action.UNPIN, sessions)
    return plan._replace(changes=(*changes, *in_notes) if acted else ())


def plan_noted_pins(
    path: Path, wanted: Sequence[Session], on: bool, ours: Collection[str]
) -> EditPlan:
    """The same where nothing may be written to the file: in our notes alone."""
    sessions, changes = [], []
    for one in wanted:
        same = (one.id in ours) == on
        reason = (PINNED if on else NOT_PINNED) if same else ""
        outcome = Outcome.SKIP if same else Outcome.CHANGE
        source, words = one.source, one.preview
        planned = Planned(one.key, one.id, one.title, source, 0, 0, "", outcome, reason)
        sessions.append(planned._replace(words=words))
        changes += [] if same else [noted(one.id, "pinned", on)]
    action = Action.PIN if on else Action.UNPIN
    return EditPlan(action, path, "", tuple(sessions), tuple(changes))


def plan_end(planner: Planner, rows: Sequence[int], reopen: bool, force: bool) -> EditPlan:
    """End sessions that a crash left open, or open ended ones again."""
    tables = planner.tables
    changes: list[Change] = []
    sessions: list[Planned] = []
    wanted = planner.subjects(rows)
    planner.measure(wanted)
    for subject in wanted:
        reason = _not_reopened(planner, subject) if reopen else _not_ended(planner, subject, force)
        if not reason:
            values = tables.reopened(subject) if reopen else [(subject, tables.ended(planner.now))]
            changes += [change_of(tables, *one) for one in values]
        outcome = Outcome.SKIP if reason else Outcome.CHANGE
        sessions.append(planner.planned(subject, outcome, reason))
    plan = planner.made(Action.REOPEN if reopen else Action.END, sessions)
    return plan._replace(changes=tuple(changes))


def _not_ended(planner: Planner, subject: Subject, force: bool) -> str:
    if not subject.sound:
        return UNSOUND
    if subject.ended:
        return "ended already"
    return RUNNING if not force and planner.state(subject) is State.RUNNING else ""


def _not_reopened(planner: Planner, subject: Subject) -> str:
    if not subject.sound:
        return UNSOUND
    return planner.tables.stays_ended(subject) if subject.ended else "not ended"
