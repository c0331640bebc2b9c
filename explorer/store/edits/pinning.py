"""Pins: in the agent's own column where it has one, else in our notes; undone like every edit.

Hermes keeps a pin on every part of a conversation and spares pinned ones in its own clean-up, so
that is where a pin belongs. What our notes say counts as well: whoever unpins clears both.
"""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from explorer.store.edits.changing import BOT_CHAT, Cells, change_of
from explorer.store.edits.images import raw
from explorer.store.edits.planning import UNSOUND, Planner
from explorer.store.edits.plans import Action, EditPlan, Outcome, Planned
from explorer.store.edits.subject import Subject
from explorer.store.kept import OURS, Change

PINNED, NOT_PINNED = "pinned already", "not pinned"


def plan_pin(
    planner: Planner, rows: Sequence[int], on: bool, stored: Cells, noted: Collection[str]
) -> EditPlan:
    """Pin sessions, or unpin them; `rows` are all parts of each conversation, `noted` the ids that
    our notes hold."""
    column = planner.shape.hermes and planner.schema.has("sessions", "pinned")
    changes: list[Change] = []
    ours: list[Change] = []
    sessions: list[Planned] = []
    for subject in planner.subjects(rows):
        in_file = column and subject.pinned
        in_notes = subject.id in noted
        if column and in_file != on and subject.sound:
            changes.append(_pinned(planner, subject, on, stored))
        if (in_notes and not on) or (on and not column and not in_notes):
            ours.append(_noted(subject.id, on))
        reason = ""
        if not subject.sound:
            reason = UNSOUND
        elif on and (in_file if column else in_notes):
            # A pin in our notes is none to the agent, which would delete the session.
            reason = PINNED
        elif not on and not (in_file or in_notes):
            reason = NOT_PINNED
        outcome = Outcome.SKIP if reason else Outcome.CHANGE
        sessions.append(planner.planned(subject, outcome, reason))
    acted = (*changes, *ours) if any(one.outcome is Outcome.CHANGE for one in sessions) else ()
    return EditPlan(_action(on), planner.path, planner.shape.sessions, tuple(sessions), acted)


def plan_noted_pins(
    path: Path, table: str, ids: Mapping[int, str], on: bool, noted: Collection[str], name: str
) -> EditPlan:
    """The same where nothing may be written to the file: in our notes alone. `ids` are by the
    numbers of the rows; a `name` is that of the only one."""
    sessions, changes = [], []
    words = name if len(ids) == 1 else ""
    for row, id_ in ids.items():
        same = (id_ in noted) == on
        reason = (PINNED if on else NOT_PINNED) if same else ""
        outcome = Outcome.SKIP if same else Outcome.CHANGE
        sessions.append(Planned(row, id_, None, "", 0, 0, "", outcome, reason, words=words))
        changes += [] if same else [_noted(id_, on)]
    return EditPlan(_action(on), path, table, tuple(sessions), tuple(changes))


def _action(on: bool) -> Action:
    return Action.PIN if on else Action.UNPIN


def _noted(id_: str, on: bool) -> Change:
    return Change(OURS, "id", raw(id_), ("pinned",), (int(not on),), (int(on),))


def _pinned(planner: Planner, subject: Subject, on: bool, stored: Cells) -> Change:
    """Since schema 31 a pin also brings a hidden session back, but for the one that the agent finds
    by its title."""
    columns, values = ["pinned"], [int(on)]
    shows = planner.schema.has("sessions", "auto_archived") and subject.title != BOT_CHAT
    if on and subject.hidden and shows:
        columns.append("hidden")
        values.append(0)
    return change_of(planner, subject, columns, values, stored)
