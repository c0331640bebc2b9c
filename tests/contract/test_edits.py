"""What every kind of store promises to whoever changes something: it can be undone, to the cell."""

from collections.abc import Sequence
from itertools import zip_longest

import pytest

from explorer.errors import Refused
from explorer.model import Action, Session, State
from explorer.stores.base import Store
from explorer.stores.edits.plans import EditPlan
from explorer.stores.edits.reasons import RUNNING
from explorer.stores.ours.trash_records import ReceiptState
from explorer.stores.resolve import pinned_rows, resolve
from tests.contract.cases import Case, everybody
from tests.edits.crash import DELETES, RESTORES

OFFERED = (
    *(Action.RENAME, Action.ARCHIVE, Action.PIN, Action.END, Action.REOPEN, Action.CLEAR),
    *(Action.DELETE, Action.PRUNE),
)
TITLE = "A name that nobody has"


def _wanted(case: Case, action: Action) -> Sequence[int]:
    """Sessions to try an edit on; some of them may not be fit for it."""
    keys = _by_turns(case.store())
    some = {Action.RENAME: keys[:1], Action.DELETE: keys[::3]}
    return some.get(action, keys[1:9] if action in (Action.PRUNE, Action.CLEAR) else keys)


def _by_turns(store: Store) -> Sequence[int]:
    """All sessions; of several files, one of each in turn."""
    keys = store.catalog().keys
    each = [[key for key in keys if store.place(key) == place] for place in store.places or ("",)]
    return [key for turn in zip_longest(*each) for key in turn if key is not None]


def _plan(case: Case, action: Action) -> EditPlan:
    keys = _wanted(case, action)
    return case.edits().plan(action, keys, title=TITLE, force=True)


def _pinned(case: Case) -> frozenset[int]:
    store = case.store()
    return pinned_rows(store, store.catalog(), case.notes.pins())


def _done(case: Case, plan: EditPlan) -> bool:
    """Whether the store says of all sessions of a plan that it was done to them."""
    store = case.store()
    catalog = store.catalog()
    keys = {one.key for one in plan.doomed}
    there = {one.key: one for one in everybody(store) if one.key in keys}
    match plan.action:
        case Action.DELETE | Action.PRUNE:
            return not there
        case Action.RENAME:
            return all(one.title == TITLE for one in there.values())
        case Action.ARCHIVE:
            return keys <= catalog.archived
        case Action.PIN:
            return catalog.tips(frozenset(keys)) <= _pinned(case)
        case Action.CLEAR:
            return not any(store.outlines(key, rewound=True) for key in keys)
        case Action.END:
            return all(one.state is State.ENDED for one in there.values())
        case _:
            return all(one.state is not State.ENDED for one in there.values())


@pytest.mark.parametrize("action", OFFERED)
def test_an_edit_is_done_and_undone_or_refused_with_its_reason(case: Case, action: Action) -> None:
    before = case.dump()
    reason = case.store().info().edits[action.value]
    if reason is not None:
        with pytest.raises(Refused) as refused:
            _plan(case, action)
        assert reason.lower() in refused.value.message.lower()
        assert case.edits().trash.receipts() == []
        assert case.dump() == before
        return
    plan = _plan(case, action)
    assert plan.doomed
    assert not _done(case, plan)
    assert case.dump() == before, "a plan changes nothing"
    done = case.edits().apply(plan, force=True)
    assert done.receipt is not None
    assert _done(case, plan)
    assert case.faults() == []
    case.edits().undo(case.edits().undo_plan())
    assert not _done(case, plan)
    assert case.dump() == before
    assert case.faults() == []
    assert [one.state for one in case.edits().trash.receipts()] == [ReceiptState.UNDONE]
    with pytest.raises(Refused, match="undo"):
        case.edits().undo_plan()


@pytest.mark.parametrize(
    ("there", "back"), [(Action.ARCHIVE, Action.UNARCHIVE), (Action.PIN, Action.UNPIN)]
)
def test_what_was_put_away_comes_out_again(case: Case, there: Action, back: Action) -> None:
    store = case.store()
    keys = store.catalog().chain(store.catalog().select()[0][0])
    before = store.catalog().archived, _pinned(case)
    edits = case.edits()
    edits.apply(edits.plan(there, keys, force=True), force=True)
    assert (store.catalog().archived, _pinned(case)) != before
    assert edits.plan(there, keys).doomed == ()
    edits.apply(edits.plan(back, keys, force=True), force=True)
    assert (store.catalog().archived, _pinned(case)) == before


def test_a_plan_counts_what_goes_and_what_is_not_asked_for_stays(case: Case) -> None:
    plan, stored = _plan(case, Action.DELETE), case.stored()
    gone = {one.id for one in plan.doomed}
    assert plan.totals.messages == sum(len(stored[id_]) for id_ in gone)
    case.edits().apply(plan, force=True)
    assert case.stored() == {id_: stored[id_] for id_ in stored if id_ not in gone}


def _left_open(case: Case) -> Session:
    """A session that somebody would be writing, a minute after its newest message."""
    stored = case.stored()
    found = (one for one in everybody(case.store()) if one.state is State.OPEN)
    return next(one for one in found if one.last_active and stored[one.id])


def test_a_running_session_is_left_alone_unless_forced(case: Case) -> None:
    one, before = _left_open(case), case.dump()
    assert one.last_active is not None
    now = one.last_active + 60
    assert {row.key: row.state for row in everybody(case.store(), now)}[one.key] is State.RUNNING
    edits = case.edits(now)
    plan = edits.plan(Action.DELETE, [one.key])
    assert (plan.doomed, plan.skipped) == ((), {RUNNING: 1})
    assert edits.apply(plan).receipt is None
    early = case.edits().plan(Action.DELETE, [one.key])
    done = edits.apply(early)
    assert (done.ids, sum(done.skipped.values())) == ((), 1)
    assert case.dump() == before
    assert edits.apply(edits.plan(Action.DELETE, [one.key], force=True), force=True).ids
    assert one.id not in case.stored()
    case.edits().undo(case.edits().undo_plan())
    assert case.dump() == before


@pytest.fixture
def longest(case: Case) -> tuple[int, Case]:
    """The longest session, and the case of the file that has it."""
    stored = case.stored()
    id_ = max(stored, key=lambda id_: len(stored[id_]))
    return resolve(case.store(), id_).key, case.holder(id_)


@pytest.mark.parametrize("way", ["finish", "restore"])
def test_a_delete_that_a_crash_cut_short_is_not_done_or_is_finished_or_taken_back(
    case: Case, longest: tuple[int, Case], way: str
) -> None:
    before, whole, edits = case.dump(), case.messages(), case.edits()
    key, holder = longest
    plan = edits.plan(Action.DELETE, [key], force=True)
    with holder.dying(DELETES):
        edits.apply(plan, force=True)
    assert (0 < case.messages() < whole) == holder.halves
    assert case.store().catalog().has(key), "not all of it is out, and it is listed"
    half_done = case.edits().after_crash().half_done
    assert len(half_done) == holder.halves
    for receipt in half_done:
        if way == "finish":
            case.edits().finish(receipt)
            assert not case.store().catalog().has(key)
            case.edits().undo(case.edits().undo_plan())
        else:
            case.edits().restore(receipt)
    assert list(case.edits().after_crash().half_done) == []
    assert case.dump() == before
    assert case.faults() == []


def test_an_undo_that_a_crash_cut_short_is_finished_or_done_again(
    case: Case, longest: tuple[int, Case]
) -> None:
    before, edits = case.dump(), case.edits()
    key, holder = longest
    edits.apply(edits.plan(Action.DELETE, [key], force=True), force=True)
    with holder.dying(RESTORES):
        edits.undo(edits.undo_plan())
    half_done = case.edits().after_crash().half_done
    assert len(half_done) == holder.halves
    for receipt in half_done:
        case.edits().restore(receipt)
    if not half_done:
        case.edits().undo(case.edits().undo_plan())
    assert list(case.edits().after_crash().half_done) == []
    assert case.dump() == before
    assert case.faults() == []
