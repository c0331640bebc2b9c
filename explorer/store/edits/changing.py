"""Edits that give some cells of a session another value: rename, archive, end, reopen.

The plan holds the old and the new value of each cell. Under the lock the old one must still be
there; to undo, the new one.
"""

import json
from collections.abc import Callable, Collection, Iterator, Sequence

from explorer.errors import Refused
from explorer.model import State
from explorer.store import cells
from explorer.store.edits.images import Cell, RawText, bound, raw, shown
from explorer.store.edits.planning import RUNNING, UNSOUND, Planner
from explorer.store.edits.plans import Action, EditPlan, Outcome, Planned
from explorer.store.edits.shape import Shape
from explorer.store.edits.subject import RESET_CHILD, Subject, children
from explorer.store.edits.titles import Title, check_title, taken_since, taken_words
from explorer.store.edits.writing import Changed, Transaction
from explorer.store.hermes.links import RESET, RESET_REASONS
from explorer.store.kept import OURS, Change
from explorer.store.schema import quoted

ENDED = "explorer_close"
"""The reason that a session gets when it is ended here."""
NOTED = (
    "This file has no place for it yet: Session Explorer keeps it in its own notes, and the agent"
    " does not know of it."
)
BOT_CHAT = "Bot Chat"
"""Newer agents find a hidden session by this title."""

Cells = Callable[[Subject, Sequence[str]], tuple[Cell, ...]]
"""The stored cells of a session, by column."""


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


def check_title_free(tx: Transaction, shape: Shape, plan: EditPlan) -> None:
    """Under the lock: nobody has taken the title of a rename since it was planned."""
    if plan.title is not None:
        movers = {shown(change.id) for change in plan.changes}
        taken = taken_since(tx.rows, tx.schema, shape, plan.title, movers)
        if taken is not None:
            raise Changed("This title is taken", f"{taken_words(taken)}. Nothing was changed.")


def plan_rename(
    planner: Planner, row: int, typed: str, stored: Cells, measured: bool
) -> tuple[EditPlan, Title]:
    """A rename, and what the title comes to; a plan without changes where it cannot be done. It is
    made anew with every key that is typed, so only whoever wants to know has it `measured`."""
    found = planner.subjects([row])
    if not found:
        raise Changed("The session is gone", "It is no longer in the file.")
    subject = found[0]
    if measured:
        planner.measure(found)
    if not subject.sound:
        raise Refused("It cannot be renamed", UNSOUND.capitalize() + ".")
    title = check_title(planner.ask, planner.schema, planner.shape, subject, typed)
    changes: list[Change] = []
    notes: list[str] = []
    if subject.title == BOT_CHAT and subject.hidden:
        title = title._replace(trouble=f'the agent finds it by the title "{BOT_CHAT}"')
    owner = title.owner
    blocked = bool(title.trouble) or (owner is not None and not owner.yields)
    if not blocked and title.text != subject.title:
        if owner is not None:
            (held_by,) = planner.subjects([owner.row])
            changes.append(_titled(planner, held_by, None, stored))
            notes.append(owner.yields)
        changes.append(_titled(planner, subject, title.text, stored))
    outcome = Outcome.CHANGE if changes else Outcome.SKIP
    reason = title.trouble or ("the title is taken" if blocked else "it has this title already")
    planned = planner.planned(subject, outcome, "" if changes else reason)
    plan = EditPlan(
        Action.RENAME,
        planner.path,
        planner.shape.sessions,
        (planned,),
        tuple(changes),
        tuple(notes),
        title.text,
    )
    return plan, title


def _titled(planner: Planner, subject: Subject, title: str | None, stored: Cells) -> Change:
    columns = ["title"]
    values: list[Cell] = [None if title is None else raw(title)]
    if planner.schema.has("sessions", "title_source"):
        columns.append("title_source")
        values.append(None if title is None else raw("user"))
    return change_of(planner, subject, columns, values, stored)


def change_of(
    planner: Planner,
    subject: Subject,
    columns: Sequence[str],
    values: Sequence[Cell],
    stored: Cells,
) -> Change:
    """Other values for some cells of a session."""
    shape = planner.shape
    old = stored(subject, columns)
    return Change(shape.sessions, shape.id, raw(subject.id), tuple(columns), old, tuple(values))


def plan_archive(
    planner: Planner, rows: Sequence[int], on: bool, stored: Cells, ours: Collection[str] | None
) -> EditPlan:
    """Archive sessions, or take them out again; `rows` are all parts of each conversation. `ours`
    are those that our own notes hold as archived, for a file that has no place for it."""
    shape = planner.shape
    notes = () if ours is None else (NOTED,)
    changes: list[Change] = []
    sessions: list[Planned] = []
    wanted = planner.subjects(rows)
    planner.measure(wanted)
    for subject in wanted:
        if not subject.sound:
            sessions.append(planner.planned(subject, Outcome.SKIP, UNSOUND))
        elif (subject.archived if ours is None else subject.id in ours) == on:
            word = "archived already" if on else "not archived"
            sessions.append(planner.planned(subject, Outcome.SKIP, word))
        else:
            if ours is not None:
                own = raw(subject.id)
                changes.append(Change(OURS, "id", own, ("archived",), (int(not on),), (int(on),)))
            elif shape.hermes:
                changes.append(_archived(planner, subject, on, stored))
            else:
                status = raw("archived" if on else "active")
                time = int(planner.now * 1000)
                changes.append(
                    change_of(planner, subject, ["status", "updated_at"], [status, time], stored)
                )
            sessions.append(planner.planned(subject, Outcome.CHANGE))
    return EditPlan(
        Action.ARCHIVE if on else Action.UNARCHIVE,
        planner.path,
        shape.sessions,
        tuple(sessions),
        tuple(changes),
        notes,
    )


def _archived(planner: Planner, subject: Subject, on: bool, stored: Cells) -> Change:
    """Since schema 31 the agent archives by itself too; this was asked for, so it is not to take it
    back by itself."""
    columns, values = ["archived"], [int(on)]
    if planner.schema.has("sessions", "auto_archived"):
        columns.append("auto_archived")
        values.append(0)
    return change_of(planner, subject, columns, values, stored)


def plan_end(
    planner: Planner, rows: Sequence[int], reopen: bool, force: bool, stored: Cells
) -> EditPlan:
    """End sessions that a crash left open, or open ended ones again."""
    changes: list[Change] = []
    sessions: list[Planned] = []
    wanted = planner.subjects(rows)
    planner.measure(wanted)
    for subject in wanted:
        reason = _not_reopened(planner, subject) if reopen else _not_ended(planner, subject, force)
        if not reason and reopen:
            changes += _reopened(planner, subject, stored)
        elif not reason:
            ends: list[Cell] = [planner.now, raw(ENDED)]
            changes.append(change_of(planner, subject, ["ended_at", "end_reason"], ends, stored))
        sessions.append(
            planner.planned(subject, Outcome.SKIP if reason else Outcome.CHANGE, reason)
        )
    return EditPlan(
        Action.REOPEN if reopen else Action.END,
        planner.path,
        planner.shape.sessions,
        tuple(sessions),
        tuple(changes),
    )


def _reopened(planner: Planner, subject: Subject, stored: Cells) -> Iterator[Change]:
    """Take the end off. What a chat began anew with is told from a subagent by how its parent
    ended, so it is marked before that is gone, as Hermes does; and what Hermes archived by itself
    comes out of the archive."""
    if subject.end_reason in RESET_REASONS:
        for child in children(planner.ask, planner.schema, planner.shape, [subject.id]):
            if child.kind == RESET_CHILD:
                (config,) = stored(child, ["model_config"])
                marked = _marked(config, subject.id)
                if marked is not None:
                    yield change_of(planner, child, ["model_config"], [marked], stored)
    columns: list[str] = ["ended_at", "end_reason"]
    values: list[Cell] = [None, None]
    if subject.swept:
        columns += ["archived", "auto_archived"]
        values += [0, 0]
    yield change_of(planner, subject, columns, values, stored)


def _marked(config: Cell, parent: str) -> RawText | None:
    """The settings of a session with a mark of what it came after; None where that is there, or
    they are of no form that can be marked."""
    known = {} if config is None else cells.decoded(config)
    if not isinstance(known, dict) or RESET in known:
        return None
    return raw(json.dumps({**known, RESET: parent}))


def _not_ended(planner: Planner, subject: Subject, force: bool) -> str:
    if not subject.sound:
        return UNSOUND
    if subject.ended:
        return "ended already"
    return RUNNING if not force and planner.state(subject) is State.RUNNING else ""


def _not_reopened(planner: Planner, subject: Subject) -> str:
    if not subject.sound:
        return UNSOUND
    if not subject.ended:
        return "not ended"
    if subject.end_reason == "compression":
        below = children(planner.ask, planner.schema, planner.shape, [subject.id])
        if below:
            return "it was compressed and goes on in its next part: reopening would break the chain"
    return ""
