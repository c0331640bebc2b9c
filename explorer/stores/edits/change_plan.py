"""Edits that give some cells of a session another value: rename, archive, pin, end, reopen.

The plan holds the old and the new value of each cell; `apply/changes` does it.
"""

from collections.abc import Collection, Sequence
from pathlib import Path

from explorer.errors import Refused
from explorer.model import Action, Session, State
from explorer.render.figures import exact
from explorer.stores.edits.connection import Changed
from explorer.stores.edits.delete_plan import RUNNING, UNSOUND, Planner
from explorer.stores.edits.dialect import SessionTables, Subject, Values
from explorer.stores.edits.plans import EditPlan, Owner, Planned, PlannedOutcome, Title
from explorer.stores.ours.trash_records import OURS, CellChange
from explorer.stores.sqlite.images import raw

PINNED, NOT_PINNED = "pinned already", "not pinned"
NOTED = (
    "This file has no place for it yet: Session Explorer keeps it in its own notes, and the agent"
    " does not know of it."
)


def taken_words(title: Title) -> str:
    """Who has a title, and which is free."""
    assert title.owner is not None
    _, id_, source, archived, *_ = title.owner
    return f"The session {id_} ({source}{', archived' * archived}) has it. Free is: {title.next}"


def owner_words(owner: Owner) -> str:
    """Which session it is that has a title: its name would not tell, since that is the title."""
    active = f"last active {exact(owner.last_active)}" if owner.last_active else ""
    return ", ".join(filter(None, (owner.source, "archived" * owner.archived, active)))


def change_of(tables: SessionTables, subject: Subject, values: Values) -> CellChange:
    """Other values for some cells of a session."""
    columns = tuple(values)
    old = tables.stored(subject, columns)
    new = tuple(values.values())
    return CellChange(tables.shape.sessions, tables.shape.id, raw(subject.id), columns, old, new)


def noted(subject: str, kind: str, on: bool) -> CellChange:
    """The same in our own notes, of what a file has no place for."""
    return CellChange(OURS, "id", raw(subject), (kind,), (int(not on),), (int(on),))


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
    changes: list[CellChange] = []
    notes: list[str] = []
    if not blocked and title.text != subject.title:
        if owner is not None:
            (held_by,) = tables.subjects(tables.shape.id, [owner.id])
            changes.append(change_of(tables, held_by, tables.titled(None)))
            notes.append(owner.yields)
        changes.append(change_of(tables, subject, tables.titled(title.text)))
    reason = title.trouble or ("the title is taken" if blocked else "it has this title already")
    planned = planner.judged(subject, PlannedOutcome.CHANGE, "" if changes else reason)
    return planner.made(Action.RENAME, [planned])._replace(
        changes=tuple(changes), notes=tuple(notes), title=title
    )


def plan_archive(
    planner: Planner, rows: Sequence[int], on: bool, ours: Collection[str] | None
) -> EditPlan:
    """Archive sessions, or take them out again; `rows` are all parts of each conversation. `ours`
    are those that our own notes hold as archived, for a file that has no place for it."""
    tables = planner.tables
    changes: list[CellChange] = []
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
        sessions.append(planner.judged(subject, PlannedOutcome.CHANGE, reason))
    plan = planner.made(Action.ARCHIVE if on else Action.UNARCHIVE, sessions)
    return plan._replace(changes=tuple(changes), notes=() if ours is None else (NOTED,))


def plan_pin(
    planner: Planner, rows: Sequence[int], on: bool, ours: Collection[str], measured: bool
) -> EditPlan:
    """Pin sessions, or unpin them; `rows` are all parts of each conversation, `ours` the ids that
    our notes hold. An agent that has pins spares pinned sessions in its own clean-up, so there a
    pin belongs into its file. What our notes say counts as well: whoever unpins clears both."""
    tables, column = planner.tables, planner.tables.keeps_pins
    changes: list[CellChange] = []
    in_notes: list[CellChange] = []
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
        sessions.append(planner.judged(subject, PlannedOutcome.CHANGE, reason))
    acted = any(one.outcome is PlannedOutcome.CHANGE for one in sessions)
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
        outcome = PlannedOutcome.SKIP if same else PlannedOutcome.CHANGE
        planned = Planned(one.key, one.id, one.title, one.source, 0, 0, "", outcome, reason)
        sessions.append(planned._replace(words=one.preview))
        changes += [] if same else [noted(one.id, "pinned", on)]
    action = Action.PIN if on else Action.UNPIN
    return EditPlan(action, path, "", tuple(sessions), tuple(changes))


def plan_end(planner: Planner, rows: Sequence[int], reopen: bool, force: bool) -> EditPlan:
    """End sessions that a crash left open, or open ended ones again."""
    tables = planner.tables
    changes: list[CellChange] = []
    sessions: list[Planned] = []
    wanted = planner.subjects(rows)
    planner.measure(wanted)
    for subject in wanted:
        reason = _not_reopened(planner, subject) if reopen else _not_ended(planner, subject, force)
        if not reason:
            values = tables.reopened(subject) if reopen else [(subject, tables.ended(planner.now))]
            changes += [change_of(tables, *one) for one in values]
        sessions.append(planner.judged(subject, PlannedOutcome.CHANGE, reason))
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
