"""Edits of several stores as one: planned, confirmed, done and undone together.

All stores are asked for their plans side by side, since one may be locked. Each is edited by the
rules of its own agent, one after the other, and each is right by itself at any moment: what one of
them refuses, or a kill between two of them, leaves the others as an edit of theirs alone would.
What was done in several is one change in the trash.
"""

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TypeVar

from explorer.cancel import CancelToken
from explorer.errors import (
    Cancelled,
    ExplorerError,
    NoFileYet,
    NoSuchSession,
    Problem,
    Refused,
    StoreError,
)
from explorer.model import Action, Kind
from explorer.stores.catalog import Unit
from explorer.stores.edits.connection import PATIENCE
from explorer.stores.edits.editor import Editor
from explorer.stores.edits.lost_changes import lost_changes
from explorer.stores.edits.other_parts import lost_parts
from explorer.stores.edits.plans import (
    AfterCrash,
    Done,
    EditPlan,
    OnlyAgent,
    Planned,
    PlannedOutcome,
    StorePlan,
    StoreUndo,
    Tell,
    UndoPlan,
)
from explorer.stores.edits.purge import purge_entries
from explorer.stores.edits.refusal_words import (
    NO_PROFILE_CHANGED,
    already_undone,
    no_such_change,
)
from explorer.stores.edits.undo_words import about_change, gone_file, not_undone
from explorer.stores.edits.words import PARTLY, in_profile, part_words, recounted, stored_words
from explorer.stores.library.joined import (
    Failed,
    all_failed,
    joined_done,
    joined_plan,
    joined_undo,
    left_undone,
    outer_plan,
    refused_in,
    refused_plan,
    shared_progress,
    skipped_in,
    why_words,
)
from explorer.stores.library.member import Member
from explorer.stores.library.members import GLANCE, STALL, Members, in_turn
from explorer.stores.library.notes import LibraryNotes, noted_as
from explorer.stores.library.trash import LibraryTrash, whole_state
from explorer.stores.ours.notes import Notes, OurFiles
from explorer.stores.ours.trash import TrashFile
from explorer.stores.ours.trash_records import Entry, EntryState, Receipt, ReceiptState
from explorer.stores.sqlite.failures import to_put_back
from explorer.stores.sqlite.read_only import impatient, longest_wait

T = TypeVar("T")


class LibraryEdits:
    """Edits the stores of a library; holds nothing open between two calls."""

    def __init__(self, members: Members, ours: OurFiles) -> None:
        self.path = members.all[0].path
        self.trash = LibraryTrash(ours.trash, lambda: [(one.name, one.path) for one in members.all])
        self._members = members
        self._ours = ours
        self._planning: list[str] = []

    @property
    def _notes(self) -> Notes | None:
        """Our notes, which have each store by the name that it has by now."""
        notes = self._ours.notes
        if isinstance(notes, LibraryNotes):
            notes.rename(self._files)
        return notes

    @property
    def _named(self) -> dict[str, Member]:
        """The stores by name; one may have been added since."""
        return {one.name: one for one in self._members.all}

    def _editor(self, place: str, token: CancelToken | None = None) -> Editor:
        """The edits of one store, opened now if need be."""
        member = self._named[place]
        store, notes = member.opened(token), self._notes
        own = notes.of(member.number) if isinstance(notes, LibraryNotes) else None
        edits = store.edits(self._ours._replace(notes=own))
        assert isinstance(edits, Editor), "a library is made of single stores"
        edits.trash.held = self.trash.held
        return edits

    def plan(
        self,
        action: Action,
        keys: Sequence[int],
        *,
        title: str = "",
        force: bool = False,
        measured: bool = False,
        token: CancelToken | None = None,
    ) -> EditPlan:
        """A plan for each store that has some of these sessions. What some stores refuse is not
        done in them; where all refuse, so does this."""
        wanted = self._members.by_member(keys)
        members = sorted(wanted, key=lambda one: one.number)

        def ask(member: Member) -> EditPlan:
            return self._editor(member.name, token).plan(
                *(action, wanted[member]), title=title, force=force, measured=measured, token=token
            )

        shares: list[StorePlan] = []
        failed: list[Failed] = []
        for member, made in self._from_each(members, ask):
            place, asked = member.name, wanted[member]
            if isinstance(made, EditPlan):
                shares.append(StorePlan(place, outer_plan(member, made)))
                continue
            failed.append(Failed(place, made, len(asked)))
            if isinstance(made, OnlyAgent):
                plan = outer_plan(member, made.plan)
                if len(wanted) == 1:
                    whole = joined_plan(action, self.path, [StorePlan(place, plan)])
                    raise OnlyAgent(made.message, whole) from made
                sessions: Sequence[Planned] = plan.doomed
            else:
                sessions = self._described(member, asked)
            if sessions:
                shares.append(StorePlan(place, refused_plan(action, member, made, sessions)))
        if failed and len(failed) == len(wanted):
            raise all_failed(failed)
        return joined_plan(action, self.path, shares, failed)

    def _from_each(
        self, members: Sequence[Member], ask: Callable[[Member], T], together: bool = True
    ) -> list[tuple[Member, T | ExplorerError]]:
        """What each store answers, or why it does not. Those that keep us waiting are waited for
        side by side: together no longer than for one."""
        if len(members) < 2 or not together:
            return [(one, self._answer(one, ask)) for one in members]
        until = time.monotonic() + longest_wait(PATIENCE)
        answers: dict[Member, T | ExplorerError] = {}
        ended: list[BaseException] = []
        awaited = [one.name for one in members]
        self._planning = awaited

        def ask_in_time(member: Member) -> None:
            try:
                with impatient(max(until - time.monotonic(), GLANCE)):
                    answers[member] = self._answer(member, ask)
            except BaseException as error:
                ended.append(error)
            awaited.remove(member.name)

        try:
            in_turn(members, ask_in_time, STALL, PATIENCE)
        finally:
            self._planning = []
        for error in ended:
            raise error
        return [(one, answers[one]) for one in members]

    @staticmethod
    def _answer(member: Member, ask: Callable[[Member], T]) -> T | ExplorerError:
        try:
            return ask(member)
        except StoreError as error:
            return to_put_back(error, member.path)
        except ExplorerError as error:
            return error

    @property
    def planning(self) -> Sequence[str]:
        """The stores whose plan is not ready yet, where several are asked."""
        return tuple(self._planning)

    def _described(self, member: Member, keys: Sequence[int]) -> list[Planned]:
        """Sessions that a store does not let us change, as far as it lets us read them."""
        units = [Unit(key, (key,), Kind.ROOT) for key in keys]
        try:
            # It may be locked, which has been waited for already.
            with impatient(GLANCE):
                found = member.store.sessions(units, self._ours.clock())
        except (StoreError, NoSuchSession):
            return []
        return [
            Planned(
                *(member.outer(one.key), one.id, one.title, one.source, one.message_count, 0),
                *("", PlannedOutcome.SKIP),
                words=one.preview,
            )
            for one in found
        ]

    def worded(self, plan: EditPlan) -> EditPlan:
        shares = [
            one._replace(plan=self._editor(one.place).worded(one.plan)) if one.plan.doomed else one
            for one in plan.by_store
        ]
        words = {one.key: one.words for share in shares for one in share.plan.sessions}
        sessions = (one._replace(words=words.get(one.key, one.words)) for one in plan.sessions)
        return plan._replace(sessions=tuple(sessions), by_store=tuple(shares))

    def worded_entries(self, entries: Iterable[Entry]) -> list[Entry]:
        every = list(entries)
        known: dict[int, Entry] = {}
        for place in dict.fromkeys(one.place for one in every):
            own = [one for one in every if one.place == place]
            # Of a file that cannot be opened now, the trash tells all but the first words.
            with suppress(ExplorerError):
                known |= {one.number: one for one in self._editor(place).worded_entries(own)}
        return [known.get(one.number, one) for one in every]

    def noted_pins(self) -> frozenset[str]:
        return self._notes.pins() if self._notes is not None else frozenset()

    def noted(self, done: Done) -> list[str]:
        numbers = {str(one.path): one.number for one in self._members.all}
        return [noted_as(numbers[path], id_) for path, id_ in done.done_in if path in numbers]

    def kept_from(self, entry: Entry) -> tuple[Path, TrashFile]:
        return self._named[entry.place].path, self.trash.of(entry.place)

    def apply(
        self,
        plan: EditPlan,
        token: CancelToken | None = None,
        progress: Tell | None = None,
        force: bool = False,
    ) -> Done:
        shares = [one for one in plan.by_store if one.plan.doomed]
        left = skipped_in(plan, shares)
        if len(shares) > 1:
            with self.trash.alone():
                done = self._apply_all(plan, shares, token or CancelToken(), progress, force)
        elif shares:
            (share,) = shares
            done = self._editor(share.place).apply(share.plan, token, progress, force)
        else:
            done = Done(None, plan.action.value, (), {}, plan.notes)
            return done._replace(skipped=left, refused=tuple(plan.refused))
        told = {one.place for one in plan.by_store}
        unsaid = (why for one, why in plan.refused.items() if one not in told)
        return done._replace(
            skipped=Counter(done.skipped) + left,
            left=(*done.left, *refused_in(plan)),
            notes=(*done.notes, *unsaid),
            refused=(*plan.refused, *done.refused),
        )

    def _apply_all(
        self,
        plan: EditPlan,
        shares: Sequence[StorePlan],
        token: CancelToken,
        progress: Tell | None,
        force: bool,
    ) -> Done:
        """The receipt of the whole is begun before the first store is changed and closed after the
        last: a kill in between is found at the next start."""
        totals = [one.plan.totals for one in shares]
        tell = shared_progress(progress, [(one.sessions, one.messages) for one in totals])
        with self.trash.any.writing() as trash:
            action, words = plan.action.value, part_words(plan, 0)
            whole = trash.begin_whole(action, words, self._ours.clock())
        done: list[tuple[str, Done]] = []
        failed: list[Failed] = []
        stopped = False
        for number, share in enumerate(shares):
            stopped = stopped or token.cancelled
            if stopped:
                break
            try:
                one = self._apply_part(whole, share, token, tell(number), force)
            except ExplorerError as error:
                failed.append(Failed(share.place, error))
                one = self._reached(whole, share, error)
            done.append((share.place, one))
            stopped = one.stopped
            self._count(whole, plan, done)
        result = joined_done(whole, plan.action.value, done)._replace(
            stopped=stopped, refused=tuple(one.place for one in failed)
        )
        if not any(one.receipt is not None for _, one in done):
            with self.trash.any.writing() as trash:
                trash.drop_receipt(whole)
            if failed:
                raise all_failed(failed)
            return result._replace(receipt=None)
        notes = list(result.notes)
        less = len(result.ids) < len(plan.doomed)
        words = part_words(plan, len(result.ids)) if less else ""
        try:
            self._close(whole, words or stored_words(plan))
        except ExplorerError as error:
            # It is done anyway, and the next start closes the receipt.
            notes.append(error.message)
        return result._replace(notes=tuple(notes), words=words)

    def _apply_part(
        self, whole: int, share: StorePlan, token: CancelToken, tell: Tell, force: bool
    ) -> Done:
        editor = self._editor(share.place)
        with editor.trash.part_of(whole):
            return editor.apply(share.plan, token, tell, force)

    def _reached(self, whole: int, share: StorePlan, error: ExplorerError) -> Done:
        """What a store did of its share before it failed."""
        trash, parts = self.trash.of(share.place), self.trash.any.parts()
        own = [one for one in trash.receipts() if parts.get(one.number) == whole]
        gone = [
            entry.session
            for one in own
            for entry in trash.entries(one.number)
            if entry.state is EntryState.GONE
        ]
        path = str(self._named[share.place].path)
        why = in_profile(share.place, why_words(error))
        stay = [one for one in share.plan.doomed if one.id not in gone]
        skipped = Counter(share.plan.skipped)
        skipped[why] += len(stay)
        return Done(
            own[0].number if own else None,
            share.plan.action.value,
            tuple(gone),
            skipped,
            done_in=tuple((path, id_) for id_ in gone),
            left=tuple((why, one.quoted) for one in stay) if len(stay) == 1 else (),
        )

    def _count(self, whole: int, plan: EditPlan, done: Sequence[tuple[str, Done]]) -> None:
        """What it did so far, should it be cut short between two stores."""
        with suppress(ExplorerError), self.trash.any.writing() as trash:
            trash.set_words(whole, part_words(plan, sum(len(one.ids) for _, one in done)))

    def _close(self, whole: int, words: str = "") -> Receipt | None:
        """Have the receipt of the whole say what its parts say; they may be half done."""
        found = self.trash.receipt(whole)
        if found is None:
            return None
        state = whole_state(found.state, found.parts)
        with self.trash.any.writing() as trash:
            trash.set_receipt(whole, state)
            if words:
                trash.set_words(whole, words)
        return self.trash.receipt(whole)

    # Undo

    def undo_plan(
        self,
        receipt: int | None = None,
        entries: Collection[int] | None = None,
        token: CancelToken | None = None,
        measured: bool = False,
    ) -> UndoPlan:
        """What an undo would do in each store that the change was made in. A store that cannot be
        changed now keeps its part, which can be undone later. Where none can be, and no change was
        named, that is said of it, so that one before it can be undone."""
        self.trash.check()
        found = self._receipt(receipt)
        parts = found.parts or (found,)
        asked = {self._named[one.place]: one for one in parts if self._is_meant(one, entries)}

        def ask(member: Member) -> UndoPlan:
            number = asked[member].number
            return self._editor(member.name, token).undo_plan(number, entries, token, measured)

        shares: list[StoreUndo] = []
        failed: list[Failed] = []
        # What was interrupted is looked at alone, by one at a time.
        interrupted = any(one.half_done for one in self.trash.receipts())
        for member, plan in self._from_each(list(asked), ask, together=not interrupted):
            part = asked[member]
            number = part.sessions or part.changed
            if isinstance(plan, NoFileYet) and plan.problem is Problem.MISSING:
                # What was changed in it says that it had one.
                plan = StoreError(plan.problem, "State file missing", gone_file(member.path))
            if isinstance(plan, ExplorerError):
                failed.append(Failed(part.place, plan, number))
                plan = UndoPlan(part, (), (), (why_words(plan),), of=number)
            placed = tuple(one._replace(place=part.place) for one in plan.entries)
            shares.append(StoreUndo(part.place, member.path, plan._replace(entries=placed)))
        of = sum(one.sessions or one.changed for one in parts)
        lost = self.lost_changes(found.number) if receipt is None else []
        if failed and len(failed) == len(shares):
            why = all_failed(failed).also(about_change(found))
            if receipt is not None or self.before(found) is None:
                raise why
            return UndoPlan(found, (), (), (*lost, why.message))
        plan = joined_undo(found, of, shares)
        return plan._replace(notes=(*lost, *plan.notes, *self._lost_parts(found)))

    def _is_meant(self, part: Receipt, entries: Collection[int] | None) -> bool:
        """Whether there is something to undo in a part of a change; `entries` are all that is
        asked for, if not everything is."""
        if part.state is ReceiptState.UNDONE:
            return False
        kept = self.trash.of(part.place).entries(part.number)
        return entries is None or not {one.number for one in kept}.isdisjoint(entries)

    def lost_changes(self, after: int) -> list[str]:
        return lost_changes(self._ours.trash, self._files, after)

    def _lost_parts(self, receipt: Receipt) -> list[str]:
        return lost_parts(self._ours.trash, self._files, receipt)

    @property
    def _files(self) -> list[Path]:
        return [one.path for one in self._members.all]

    def _receipt(self, number: int | None) -> Receipt:
        cut_short = {one.number for one in self.after_crash().half_done}
        every = self.trash.receipts()
        for one in every:
            if one.state is ReceiptState.BEGUN and one.number not in cut_short:
                raise Refused("A change is in progress", "Undo it when it is done.")
            if number is None and one.state is not ReceiptState.UNDONE:
                return one
            if number is not None and one.number <= number:
                break
        if number is None:
            raise Refused("Nothing to undo", " ".join((NO_PROFILE_CHANGED, *self.lost_changes(0))))
        found = self.trash.receipt(number)
        if found is None:
            raise NoSuchSession("No such change", no_such_change(number))
        if found.state is ReceiptState.UNDONE:
            raise Refused("Already undone", already_undone(number))
        return found

    def undo(
        self, plan: UndoPlan, token: CancelToken | None = None, progress: Tell | None = None
    ) -> Done:
        plan.check()
        shares = [one for one in plan.by_store if not one.plan.why_not]
        tell = shared_progress(progress, [(len(s.plan.entries), s.plan.messages) for s in shares])

        def undo(number: int, share: StoreUndo) -> Done:
            return self._editor(share.place).undo(share.plan, token, tell(number))

        with self.trash.alone():
            if not plan.receipt.parts:
                return undo(0, shares[0])
            with self.trash.any.writing() as trash:
                trash.set_receipt(plan.receipt.number, ReceiptState.UNDOING)
            works = [(one.place, partial(undo, at, one)) for at, one in enumerate(shares)]
            sizes = {one.place: one.plan.sessions for one in shares}

            def left(failed: Failed) -> str:
                why = why_words(failed.error)
                return not_undone(plan, sizes[failed.place], failed.place, why)

            done = self._each(plan.receipt, works, left)
        rest = [one for one in plan.by_store if one.plan.why_not]
        notes = (
            *(left_undone(plan, one) for one in rest),
            *self._lost_parts(plan.receipt),
        )
        refused = (*done.refused, *(one.place for one in rest))
        return done._replace(notes=(*done.notes, *notes), refused=refused)

    def _each(
        self,
        receipt: Receipt,
        works: Sequence[tuple[str, Callable[[], Done]]],
        left: Callable[[Failed], str] = lambda one: in_profile(one.place, one.error.message),
    ) -> Done:
        """Do something to the parts of a change. What one store refuses does not stop the others:
        its part stays unchanged, and the result says what is `left`."""
        done: list[tuple[str, Done]] = []
        failed: list[Failed] = []
        try:
            for place, work in works:
                try:
                    done.append((place, work()))
                except ExplorerError as error:
                    failed.append(Failed(place, error))
        except Cancelled:
            if not done:
                self._close(receipt.number)
                raise
        with suppress(ExplorerError):
            # It is done anyway, and the next start closes the receipt.
            self._close(receipt.number)
        if failed and not done:
            raise all_failed(failed)
        result = joined_done(receipt.number, "undo", done)
        return result._replace(
            notes=(*result.notes, *map(left, failed)),
            words=PARTLY if len(done) + len(failed) < len(works) or _partly(done) else "",
            refused=tuple(one.place for one in failed),
        )

    def before(self, receipt: Receipt) -> Receipt | None:
        older = (one for one in self.trash.receipts() if one.number < receipt.number)
        return next((one for one in older if one.state is ReceiptState.DONE), None)

    def purge(self, receipt: Receipt, entries: Collection[int]) -> None:
        purge_entries(self.trash, receipt, entries)

    # After a crash

    def after_crash(self) -> AfterCrash:
        """Settle what is clear in each store, and then which of them a change had reached."""
        if not any(one.half_done for one in self.trash.receipts()):
            return AfterCrash()
        try:
            with self.trash.alone():
                return self._settled()
        except Refused:
            # A newer version knows what is half done, and will say so.
            return AfterCrash()
        except StoreError as error:
            if error.problem is Problem.BUSY:
                return AfterCrash()
            raise

    def _settled(self) -> AfterCrash:
        before = [one for one in self.trash.receipts() if one.half_done]
        for place in self._named:
            if any(one.half_done for one in self.trash.of(place).receipts()):
                # What cannot be opened now is left alone.
                with suppress(ExplorerError):
                    self._editor(place).after_crash()
        half_done, ended, partly = [], [], []
        nothing = 0
        for one in before:
            now = self.trash.receipt(one.number)
            if now is not None and now.half_done and not any(p.half_done for p in now.parts):
                now = self._settle_whole(now)
            if now is None:
                nothing += 1
            elif now.half_done:
                half_done.append(self._recounted(now))
            elif one.state is ReceiptState.UNDOING and now.state is ReceiptState.DONE:
                partly.append(now)
            else:
                ended.append(now)
        return AfterCrash(half_done, ended, nothing, partly)

    def _settle_whole(self, receipt: Receipt) -> Receipt | None:
        """Close a change of which no part is half done."""
        if receipt.place and not receipt.parts:
            # One in a single store, which that store could not settle.
            return receipt
        if not receipt.parts:
            with self.trash.any.writing() as trash:
                trash.drop_receipt(receipt.number)
            return None
        if receipt.state is ReceiptState.UNDOING:
            return self._close(receipt.number)
        reached = sum(one.sessions or one.changed for one in receipt.parts)
        return self._close(receipt.number, recounted(receipt.words, reached))

    def _recounted(self, receipt: Receipt) -> Receipt:
        """A change of which some part is half done, with what it has reached by now."""
        if receipt.state is not ReceiptState.BEGUN or not receipt.parts:
            return receipt
        words = recounted(receipt.words, sum(map(self._reached_in, receipt.parts)))
        with self.trash.any.writing() as trash:
            trash.set_words(receipt.number, words)
        return receipt._replace(words=words)

    def _reached_in(self, part: Receipt) -> int:
        if not part.half_done:
            return part.sessions or part.changed
        if recounted(part.words, part.sessions) == part.words:
            return part.sessions
        # Its file cannot be looked at now: what the trash has a copy of may not have been reached.
        entries = self.trash.of(part.place).entries(part.number)
        return sum(one.state is EntryState.GONE for one in entries)

    def finish(
        self, receipt: Receipt, token: CancelToken | None = None, progress: Tell | None = None
    ) -> Done:
        """Do the rest of an edit in the stores that it had reached."""
        if not receipt.parts:
            return self._editor(receipt.place).finish(receipt, token, progress)

        def finish(part: Receipt) -> Done:
            return self._editor(part.place).finish(part, token, progress)

        with self.trash.alone():
            half = [one for one in receipt.parts if one.half_done]
            return self._each(receipt, [(one.place, partial(finish, one)) for one in half])

    def restore(
        self, receipt: Receipt, token: CancelToken | None = None, progress: Tell | None = None
    ) -> Done:
        """Put back what an interrupted edit had deleted in any store; of an undo, the rest."""
        if not receipt.parts:
            return self._editor(receipt.place).restore(receipt, token, progress)

        def restore(part: Receipt) -> Done:
            editor = self._editor(part.place)
            if part.half_done:
                return editor.restore(part, token, progress)
            return editor.undo(editor.undo_plan(part.number, token=token), token, progress)

        with self.trash.alone():
            left = [one for one in receipt.parts if one.state is not ReceiptState.UNDONE]
            return self._each(receipt, [(one.place, partial(restore, one)) for one in left])


def _partly(done: Sequence[tuple[str, Done]]) -> bool:
    """Whether something of a part was lost."""
    return any(one.words for _, one in done)
