"""Plans and results of several stores, joined into one: keys are the library's, and what is only
true of one store says which."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from explorer.errors import ExplorerError, Problem, StoreError
from explorer.model import Action
from explorer.stores.edits.plans import (
    Done,
    EditPlan,
    Planned,
    PlannedOutcome,
    Progress,
    StorePlan,
    StoreUndo,
    Tell,
    UndoPlan,
)
from explorer.stores.edits.refusal_words import NOTHING_CHANGED
from explorer.stores.edits.undo_words import not_undone
from explorer.stores.edits.words import GONE, LOCKED, in_profile, stays
from explorer.stores.library.member import Member
from explorer.stores.ours.trash_records import Receipt

_SHORT = {Problem.BUSY: LOCKED, Problem.MISSING: GONE}


class Failed(NamedTuple):
    """What a store said against its share."""

    place: str
    error: ExplorerError
    sessions: int = 0
    """How many it was asked to change."""


def outer_plan(member: Member, plan: EditPlan) -> EditPlan:
    """The plan of a store, with keys of the library."""
    title = plan.title
    if title is not None and title.owner is not None:
        owner = title.owner._replace(key=member.outer(title.owner.key))
        title = title._replace(owner=owner)
    sessions = tuple(one._replace(key=member.outer(one.key)) for one in plan.sessions)
    return plan._replace(sessions=sessions, title=title)


def refused_plan(
    action: Action, member: Member, error: ExplorerError, sessions: Iterable[Planned]
) -> EditPlan:
    """A share that changes nothing, for the reason that its store gave."""
    why = why_words(error)
    left = (one._replace(outcome=PlannedOutcome.SKIP, reason=why) for one in sessions)
    return EditPlan(action, member.path, "", tuple(left))


def joined_plan(
    action: Action, path: Path, shares: Sequence[StorePlan], failed: Sequence[Failed] = ()
) -> EditPlan:
    """Of a store that failed and does not even let us tell its sessions, there is a note."""
    told = {one.place for one in shares}
    refused = {
        one.place: one.error.message if one.place in told else left_in(one) for one in failed
    }
    notes = [why for place, why in refused.items() if place not in told]
    plans = [one.plan for one in shares]
    folders = {plan.folder for plan in plans if plan.totals.files}
    return EditPlan(
        action,
        path,
        "",
        tuple(session for plan in plans for session in plan.sessions),
        tuple(change for plan in plans for change in plan.changes),
        (*_planned_notes(shares), *notes),
        next((plan.title for plan in plans if plan.title is not None), None),
        sum(plan.elsewhere for plan in plans),
        folder=folders.pop() if len(folders) == 1 else "",
        by_store=tuple(shares),
        refused=refused,
    )


def left_in(failed: Failed) -> str:
    """How many sessions of a store stay as they are, and why."""
    return stays(failed.sessions, failed.place, why_words(failed.error))


def why_words(error: ExplorerError) -> str:
    """Why a store is left alone, among others: with them, something may have been changed."""
    if isinstance(error, StoreError) and error.problem in _SHORT:
        return _SHORT[error.problem]
    return error.message.removesuffix(NOTHING_CHANGED).strip().rstrip(".")


def skipped_in(plan: EditPlan, shares: Collection[StorePlan]) -> Counter[str]:
    """How many sessions of the other shares are skipped, by reason; where a whole store refused,
    with its name."""
    skipped: Counter[str] = Counter()
    for share in plan.by_store:
        if share not in shares:
            for reason, number in share.plan.skipped.items():
                named = in_profile(share.place, reason) if share.place in plan.refused else reason
                skipped[named] += number
    return skipped


def refused_in(plan: EditPlan) -> Iterator[tuple[str, str]]:
    """(reason, name) of what stores refused, where that is one session of theirs."""
    for place, share in plan.by_store:
        if place in plan.refused and len(share.sessions) == 1:
            yield in_profile(place, share.sessions[0].reason), share.sessions[0].quoted


def joined_undo(receipt: Receipt, of: int, shares: Sequence[StoreUndo]) -> UndoPlan:
    plans = [one.plan for one in shares]
    reached = [one for one in shares if not one.plan.why_not] or shares
    plan = UndoPlan(
        receipt,
        tuple(entry for plan in plans for entry in plan.entries),
        tuple(change for plan in plans for change in plan.changes),
        _said([(one.place, one.plan.notes) for one in reached]),
        tuple(title for plan in plans for title in plan.titles),
        of,
        tuple(shares),
    )
    left = (left_undone(plan, one) for one in shares if one not in reached)
    return plan._replace(notes=(*plan.notes, *left))


def left_undone(plan: UndoPlan, share: StoreUndo) -> str:
    """What is said of a share of which nothing can be undone."""
    return not_undone(plan, share.plan.of, share.place, share.plan.why_not)


def joined_done(receipt: int | None, action: str, done: Sequence[tuple[str, Done]]) -> Done:
    """What came of the shares of some stores."""
    every = [one for _, one in done]
    skipped: Counter[str] = Counter()
    for one in every:
        skipped.update(one.skipped)
    return Done(
        receipt,
        action,
        tuple(id_ for one in every for id_ in one.ids),
        skipped,
        _said([(place, one.notes) for place, one in done]),
        any(one.stopped for one in every),
        done_in=tuple(where for one in every for where in one.done_in),
        left=tuple(
            (reason, name if reason.startswith(in_profile(place, "")) else f"{name} in {place}")
            for place, one in done
            for reason, name in one.left
        ),
    )


def _planned_notes(shares: Sequence[StorePlan]) -> tuple[str, ...]:
    """What is to be known of each share. Numbers and “it” are about the sessions of one store; what
    holds whichever they are is said once, where it holds for every store that is changed."""
    changed = [one for one in shares if one.plan.doomed]
    general = [set(one.plan.general) for one in changed]
    common = set.intersection(*general) if general else set()
    own = [(one.place, [note for note in one.plan.notes if note not in common]) for one in changed]
    if len(changed) < 2:
        told = [note for _, notes in own for note in notes]
    else:
        told = [in_profile(place, note) for place, notes in own for note in notes]
    every = dict.fromkeys(note for one in changed for note in one.plan.notes if note in common)
    return (*told, *every)


def _said(notes: Sequence[tuple[str, Sequence[str]]]) -> tuple[str, ...]:
    """What was noted of each store; what holds for all of them is said once."""
    if len(notes) < 2:
        return tuple(note for _, own in notes for note in own)
    every = [set(own) for _, own in notes]
    common = set.intersection(*every)
    told = [in_profile(place, note) for place, own in notes for note in own if note not in common]
    return (*(note for note in notes[0][1] if note in common), *told)


def shared_progress(tell: Tell | None, plans: Sequence[tuple[int, int]]) -> Callable[[int], Tell]:
    """Tells of each of several shares how far the whole is: (sessions, messages) of each."""
    of_sessions, of_messages = map(sum, zip(*plans, strict=True))

    def of(number: int) -> Tell:
        before = plans[:number]
        sessions, messages = sum(one for one, _ in before), sum(one for _, one in before)

        def shared(told: Progress) -> None:
            if tell is None:
                return
            if told.waiting:
                tell(told)
            else:
                tell(
                    Progress(
                        *(sessions + told.sessions, of_sessions),
                        *(messages + told.messages, of_messages),
                    )
                )

        return shared

    return of


def all_failed(failed: Sequence[Failed]) -> ExplorerError:
    """The refusal of every store: that of the first, with what the others say."""
    first, *others = failed
    error = first.error
    if not others:
        return error
    error.message = in_profile(first.place, error.message)
    return error.also(" ".join(in_profile(one.place, one.error.message) for one in others))
