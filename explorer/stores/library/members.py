"""The stores of a library: each opened when it can be, asked in turn, and left out while it cannot
be read.

A store that cannot be read keeps nobody waiting: what is asked of all stores leaves it out at once,
and only a new look at the whole library tries it again, last and for a moment. Should one keep the
others waiting anyway, another thread goes on with them. Whatever was last known of its
sessions stays listed.
"""

import threading
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from typing import TypeVar

from explorer.cancel import CancelToken
from explorer.errors import Cancelled, NoFileYet, Problem, StoreError, session_gone
from explorer.stores.base import Store, UnreadableStore
from explorer.stores.catalog import Unit
from explorer.stores.library.keys import KeyRing
from explorer.stores.library.member import PASSING, Member, MemberFile
from explorer.stores.sqlite.read_only import impatient

T = TypeVar("T")

STALL = 0.25
"""Seconds without an answer after which another thread goes on with the next store. Not sooner: two
threads that read rows hand the interpreter to each other at every row, and take longer together
than one after the other."""
OPENING_STALL = 0.02
"""The same while stores are opened, which takes a millisecond each."""
MOST_BESIDE = 4
HURRY = 0.3
"""Seconds for which one store that another program keeps locked is waited for."""
GLANCE = 0.03
"""The same where the others are wanted at once and the locked one may come later: longer than an
agent takes to store a message, not long enough to be seen."""


class _Sharing(threading.local):
    """What the reads of one thread have in common, while they do."""

    on = False
    token: CancelToken | None = None
    held: list[Store]
    """Stores whose connections are kept."""


class Members:
    """All stores of a library."""

    def __init__(self, files: Sequence[MemberFile]) -> None:
        self.ring = KeyRing(len(files))
        self.all: tuple[Member, ...] = ()
        self.take_in(files)
        self._sharing = _Sharing()
        self.shares: Mapping[int, int] = {}
        """How many hits of the last page of a search each store had, if that was full."""

    def take_in(self, files: Sequence[MemberFile]) -> None:
        """Have more of them, after the others: keys that are known stay what they are."""
        stores = len(self.all) + len(files)
        new = enumerate(files, len(self.all))
        made = (Member(number, file, self.ring, stores, lambda: self.all) for number, file in new)
        self.all = (*self.all, *made)
        listed = {one.name for one in self.all}
        for one in self.all:
            one.be_named_beside(listed)

    @property
    def troubles(self) -> list[UnreadableStore]:
        return [
            UnreadableStore(one.name, one.path, one.error, one.names)
            for one in self.all
            if one.error is not None
        ]

    def every_error(self) -> StoreError | None:
        """Why none of several can be read, as one error: that of a lock, if there is one, since it
        passes."""
        errors = {one.name: one.error for one in self.all if one.error is not None}
        if len(errors) < 2:
            return None
        first = next(iter(errors.values()))
        problem = next(
            (one.problem for one in errors.values() if one.problem is Problem.BUSY), first.problem
        )
        reasons = [f"  {name}: {one.title}. {one.message}" for name, one in errors.items()]
        return StoreError(problem, "No profile can be read", "\n".join(("Reasons:", *reasons)))

    @property
    def opened(self) -> list[Member]:
        return [one for one in self.all if one.is_open]

    @property
    def readable(self) -> list[Member]:
        """Those that nothing speaks against; some may not have been opened yet."""
        return [one for one in self.all if one.error is None]

    def recovered(self, token: CancelToken | None = None) -> bool:
        """Whether one can be read again although its file looks as it did."""
        found = False
        for member in self.all:
            if member.error is not None and _may_have_passed(member, member.error.problem):
                try:
                    with impatient(0.0):
                        member.opened(token).first_page(1, 0.0, token=token)
                except StoreError as error:
                    member.error = error
                else:
                    member.error = None
                    found = True
        return found

    def of(self, key: int) -> tuple[Member, int]:
        """The store of a session, and its key there."""
        number, own = self.ring.inner(key)
        if number >= len(self.all):
            raise session_gone()
        return self.all[number], own

    def inner(self, unit: Unit) -> Unit:
        """A unit as its own store knows it."""

        def own(keys: Sequence[int]) -> tuple[int, ...]:
            return tuple(self.ring.inner(key)[1] for key in keys)

        return unit._replace(
            key=self.ring.inner(unit.key)[1], parts=own(unit.parts), whole=own(unit.whole)
        )

    def by_member(self, keys: Sequence[int]) -> dict[Member, list[int]]:
        """The stores' own keys of these, by store; keys of no store are left out."""
        found: dict[Member, list[int]] = {}
        for key in keys:
            number, own = self.ring.inner(key)
            if number < len(self.all):
                found.setdefault(self.all[number], []).append(own)
        return found

    def together(self, work: Callable[[], T], token: CancelToken | None = None) -> T:
        """Run `work`, with the connections of what it asks kept for the rest of it: see
        `ReadOnlyFile.together`. Stores that it does not ask are not opened."""
        if self._sharing.on:
            return work()
        self._sharing.on, self._sharing.token, self._sharing.held = True, token, []
        try:
            return work()
        finally:
            self._sharing.on, self._sharing.token = False, None
            for store in self._sharing.held:
                store.let_go()

    def hold(self, store: Store) -> None:
        """Keep its connection for what follows, where this thread shares one."""
        if self._sharing.on and store.hold(self._sharing.token):
            self._sharing.held.append(store)

    def ask(
        self,
        work: Callable[[Member], T],
        members: Collection[Member] | None = None,
        again: bool = False,
        patience: float | None = None,
    ) -> list[tuple[Member, T]]:
        """What each store answers. Those that cannot be read are left out, and with `again` those
        that could not be are tried once more; unless none can, which raises. A locked one is waited
        for as long as `patience` says."""
        most = HURRY if patience is None else patience
        every = list(self.all if members is None else members)
        asked = [one for one in every if one.error is None or (again and not one.waits)]
        found: dict[Member, T] = {}
        failed: list[Exception] = []

        def ask(member: Member) -> None:
            try:
                if again or not member.is_open:
                    member.opened()
                self.hold(member.store)
                found[member] = work(member)
                member.error = None
            except StoreError as error:
                member.error = error
            except Exception as error:
                failed.append(error)

        opening = not all(one.is_open for one in asked)
        ready_first = sorted(asked, key=lambda one: one.error is not None)
        if again or opening:
            in_turn(ready_first, ask, OPENING_STALL if opening else STALL, most)
        else:
            # No thread stands by: to start one takes longer than most answers, and a store that
            # could be read a moment ago is waited for once, before it is left out.
            with impatient(most):
                for member in ready_first:
                    ask(member)
        for error in sorted(failed, key=lambda error: not isinstance(error, Cancelled)):
            raise error
        if every and not found:
            errors = [one.error for one in every if one.error is not None]
            # A profile without a file explains less than one that cannot be read.
            errors.sort(key=lambda error: isinstance(error, NoFileYet))
            raise next(iter(errors), session_gone())
        return [(member, found[member]) for member in asked if member in found]


def _may_have_passed(member: Member, problem: Problem) -> bool:
    """Whether a look at the file need not show that it can be read again: one that was away for a
    moment looks as before."""
    back = problem is Problem.MISSING and member.look() is not None
    return back or problem in PASSING


def in_turn(
    members: Sequence[Member], ask: Callable[[Member], None], stall: float, patience: float
) -> None:
    """Ask each; where one has kept the others waiting for `stall` seconds, another thread goes on
    with them. A locked one is waited for as long as `patience` says."""
    waiting = deque(members)
    answered: list[Member] = []
    threads: list[threading.Thread] = []
    over = threading.Event()

    def ask_on() -> None:
        # Another thread may take the last one.
        with suppress(IndexError), impatient(patience):
            while True:
                member = waiting.popleft()
                ask(member)
                answered.append(member)

    def stand_by() -> None:
        before = -1
        while waiting and len(answered) > before:
            before = len(answered)
            over.wait(stall)
        if waiting:
            help_out()
            ask_on()

    def help_out() -> None:
        if len(threads) < min(len(members), MOST_BESIDE) - 1:
            thread = threading.Thread(target=stand_by, daemon=True)
            threads.append(thread)
            thread.start()

    help_out()
    ask_on()
    over.set()
    for thread in threads:
        thread.join()
