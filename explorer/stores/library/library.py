"""Several stores as one `Store`: the reading half.

What is asked of all sessions is asked of every store, side by side, and joined; what is about one
session is passed on to its store. A store that cannot be read is left out and says why; it does
not stop the others. A catalog is read again only if its file has changed, so a change in one store
costs a look at that one.
"""

import math
import os
import threading
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from explorer.cancel import CancelToken
from explorer.errors import Cancelled, NoSuchSession, StoreError, session_gone
from explorer.model import Message, Outline, SearchModes, Session, Sort, StoreInfo
from explorer.stores.base import (
    Candidate,
    Changes,
    Details,
    Figures,
    Indexed,
    NamedSession,
    Needles,
    Starting,
    Store,
    Stretch,
    TooLong,
)
from explorer.stores.catalog import Catalog, Unit
from explorer.stores.columns import Column, Columns
from explorer.stores.fates import NO_FATES, Fates, joined
from explorer.stores.library.keys import KeyRing
from explorer.stores.library.notes import by_store, noted_as
from explorer.stores.sqlite.read_only import Reader, Stamp, stamp

if TYPE_CHECKING:
    from explorer.stores.edits.dialect import Dialect

T = TypeVar("T")

BESIDE = 2
"""Stores that are read side by side: SQLite works while the interpreter works on what another one
has answered. More threads would only wait for the interpreter."""


class ReadCatalog(NamedTuple):
    """The catalog of a store, and the stamp of its file from before it was read."""

    stamp: Stamp | None
    catalog: Catalog

    def followed(self, now: Stamp | None, changes: Changes) -> "ReadCatalog":
        """The same after changes."""
        if changes.family is None:
            return self._replace(stamp=now)
        return ReadCatalog(now, self.catalog.renewed(changes.family, changes.mark))


class Member:
    """One store of a library."""

    def __init__(self, number: int, store: Store, ring: KeyRing) -> None:
        self.number = number
        self.store = store
        self.outer = ring.outer(number)
        self.error: StoreError | None = None
        """Why it could not be read when that was last tried."""
        self.known: ReadCatalog | None = None

    def catalog(self, token: CancelToken | None) -> Catalog:
        """As the file is now; read only where that has changed."""
        now = stamp(self.store.path)
        if self.known is None or now is None or self.known.stamp != now:
            self.known = ReadCatalog(now, self.store.catalog(token))
        return self.known.catalog

    def sessions(self, found: Sequence[Session]) -> list[Session]:
        return [one._replace(key=self.outer(one.key)) for one in found]

    def candidates(self, found: Sequence[Candidate]) -> list[Candidate]:
        outer = self.outer
        return [
            one if one.session_key is None else one._replace(session_key=outer(one.session_key))
            for one in found
        ]

    def fates(self, found: Fates) -> Fates:
        outer = self.outer
        return found._replace(
            deletes={outer(key): at for key, at in found.deletes.items()},
            archives={outer(key): at for key, at in found.archives.items()},
            ends={outer(key): at for key, at in found.ends.items()},
        )


class Library(Store):
    """Reads several stores, each by its own rules."""

    kind = "library"

    def __init__(self, stores: Sequence[Store]) -> None:
        self._ring = KeyRing()
        self.members = tuple(
            Member(number, store, self._ring) for number, store in enumerate(stores)
        )
        self.path = stores[0].path
        self.keeps_ends = any(store.keeps_ends for store in stores)
        self.keeps_pins = any(store.keeps_pins for store in stores)

    def handover(self) -> str:
        return "Several stores are open. Each session is resumed by the agent of its own store."

    def figures(self, reader: Reader) -> Figures:
        raise NotImplementedError("each store is counted by itself")

    def dialect(self) -> "Dialect":
        raise NotImplementedError("each store is edited by its own rules")

    def home(self, key: int) -> tuple[Store, int]:
        member, own = self._of(key)
        return member.store, own

    def _of(self, key: int) -> tuple[Member, int]:
        number, own = self._ring.inner(key)
        if number >= len(self.members):
            raise session_gone()
        return self.members[number], own

    def _told(self, key: int, work: Callable[[Store, int], T], nothing: T) -> T:
        """What the store of a session says of it, or `nothing` where it is in none."""
        try:
            store, own = self.home(key)
        except NoSuchSession:
            return nothing
        return work(store, own)

    def _by_member(self, keys: Sequence[int]) -> dict[Member, list[int]]:
        """The stores' own keys of these, by store; keys of no store are left out."""
        found: dict[Member, list[int]] = {}
        for key in keys:
            number, own = self._ring.inner(key)
            if number < len(self.members):
                found.setdefault(self.members[number], []).append(own)
        return found

    def _of_each(
        self, work: Callable[[Member], T], members: Collection[Member] | None = None
    ) -> list[tuple[Member, T]]:
        """What each store answers, asked side by side; those that cannot be read are left out,
        unless none can."""
        asked = list(self.members if members is None else members)
        found: dict[Member, T] = {}
        failed: list[Exception] = []

        def ask(member: Member) -> None:
            try:
                found[member] = work(member)
                member.error = None
            except StoreError as error:
                member.error = error
            except Exception as error:
                failed.append(error)

        waiting = deque(asked)

        def ask_on() -> None:
            # Another thread may take the last one.
            with suppress(IndexError):
                while True:
                    ask(waiting.popleft())

        threads = [
            threading.Thread(target=ask_on, daemon=True) for _ in range(min(len(asked), BESIDE) - 1)
        ]
        for thread in threads:
            thread.start()
        ask_on()
        for thread in threads:
            thread.join()
        for error in sorted(failed, key=lambda error: not isinstance(error, Cancelled)):
            raise error
        if asked and not found:
            raise next(member.error for member in asked if member.error is not None)
        return [(member, found[member]) for member in asked if member in found]

    def together(self, work: Callable[[], T], token: CancelToken | None = None) -> T:
        """Each store within the one before: a thread reads one state of each of them."""
        run = work
        for member in self.members:
            run = _within(member.store, run, token)
        return run()

    def catalog(self, token: CancelToken | None = None) -> Catalog:
        found = self._of_each(lambda member: member.catalog(token))
        mark = tuple((member.number, catalog.mark) for member, catalog in found)
        return Catalog.joined([(catalog, member.outer) for member, catalog in found], mark)

    def first_page(
        self, limit: int, now: float, sort: Sort = Sort.ACTIVE, token: CancelToken | None = None
    ) -> list[Session]:
        found = self._of_each(lambda one: one.store.first_page(limit, now, sort, token))
        rows = [row for member, page in found for row in member.sessions(page)]
        return sorted(rows, key=lambda row: _place(row, sort), reverse=True)[:limit]

    def pinned(
        self, noted: Collection[str], now: float, token: CancelToken | None = None
    ) -> list[Session]:
        wanted = self._noted(noted)

        def read(member: Member) -> list[Session]:
            return member.store.pinned(wanted.get(member, ()), now, token)

        rows = [row for member, page in self._of_each(read) for row in member.sessions(page)]
        return sorted(rows, key=lambda row: _place(row, Sort.ACTIVE), reverse=True)

    def _noted(self, ids: Collection[str]) -> dict[Member, list[str]]:
        """What our notes call sessions, as each store calls them."""
        own = by_store(sorted(ids), len(self.members))
        return {member: own[member.number] for member in self.members if own[member.number]}

    def sessions(
        self, units: Sequence[Unit], now: float, token: CancelToken | None = None
    ) -> list[Session]:
        wanted: dict[Member, list[Unit]] = {}
        for unit in units:
            number, _ = self._ring.inner(unit.key)
            if number < len(self.members):
                wanted.setdefault(self.members[number], []).append(self._inner(unit))
        if not wanted:
            return []
        found = self._of_each(
            lambda member: member.store.sessions(wanted[member], now, token), wanted
        )
        rows = {row.key: row for member, page in found for row in member.sessions(page)}
        return [rows[unit.key] for unit in units if unit.key in rows]

    def _inner(self, unit: Unit) -> Unit:
        """The same as its own store knows it."""

        def own(keys: Sequence[int]) -> tuple[int, ...]:
            return tuple(self._ring.inner(key)[1] for key in keys)

        return unit._replace(
            key=self._ring.inner(unit.key)[1], parts=own(unit.parts), whole=own(unit.whole)
        )

    def columns(
        self,
        asked: Collection[Column[object]],
        keys: Sequence[int] | None = None,
        token: CancelToken | None = None,
    ) -> Columns:
        wanted = None if keys is None else self._by_member(keys)

        def read(member: Member) -> Columns:
            return member.store.columns(asked, None if wanted is None else wanted[member], token)

        found: dict[Column[object], dict[int, object]] = {column: {} for column in asked}
        if wanted is None or wanted:
            for member, columns in self._of_each(read, wanted):
                outer = member.outer
                for column, values in columns.known.items():
                    found[column] |= {outer(key): value for key, value in values.items()}
        return Columns(found)

    def info(self, token: CancelToken | None = None) -> StoreInfo:
        """Of all of them together; what is about one file is left open."""
        found = [info for _, info in self._of_each(lambda member: member.store.info(token))]
        every = [name for info in found for name in info.edits]
        return StoreInfo(
            path=os.pathsep.join(info.path for info in found),
            kind=self.kind,
            schema_version=None,
            journal_mode="",
            sessions=sum(info.sessions for info in found),
            messages=sum(info.messages for info in found),
            orphans=sum(info.orphans for info in found),
            bytes=sum(info.bytes for info in found),
            wal_bytes=sum(info.wal_bytes for info in found),
            search=SearchModes(fts=False, trigram=False, cjk=False, covers=()),
            snapshot=all(info.snapshot for info in found),
            edits={name: _refusal(name, found) for name in dict.fromkeys(every)},
            sound=all(info.sound for info in found),
        )

    def changes(self, since: object, token: CancelToken | None = None) -> Changes | None:
        """What is new in the stores whose file has changed. None where a store can only be read
        whole, and where another one could be read when the catalog was made."""
        marks = dict(since) if isinstance(since, tuple) else {}

        def read(member: Member) -> Changes | None:
            now = stamp(member.store.path)
            if member.known is not None and member.known.stamp == now:
                return Changes(marks[member.number], frozenset(), None)
            changes = member.store.changes(marks[member.number], token)
            if changes is not None and member.known is not None:
                member.known = member.known.followed(now, changes)
            return changes

        if marks.keys() != {member.number for member in self.members}:
            return None
        found = self._of_each(read)
        if len(found) < len(self.members) or any(one is None for _, one in found):
            return None
        told = [(member, one) for member, one in found if one is not None]
        families = [(one.family, member.outer) for member, one in told if one.family is not None]
        return Changes(
            tuple((member.number, one.mark) for member, one in told),
            frozenset(member.outer(key) for member, one in told for key in one.keys),
            Catalog.joined(families) if families else None,
        )

    def fates(
        self,
        catalog: Catalog,
        keys: Sequence[int] | None = None,
        before: float | None = None,
        token: CancelToken | None = None,
    ) -> Fates:
        """Each store by the rules of its own agent. What holds for all of them is said only where
        the stores agree."""
        wanted = None if keys is None else self._by_member(keys)

        def read(member: Member) -> Fates:
            asked = None if wanted is None else wanted[member]
            found = member.store.fates(member.catalog(token), asked, before, token)
            return member.fates(found)

        if wanted is not None and not wanted:
            return NO_FATES
        return joined([fates for _, fates in self._of_each(read, wanted)])

    def too_long(self, unit: Unit, token: CancelToken | None = None) -> TooLong | None:
        return self.home(unit.key)[0].too_long(self._inner(unit), token)

    def set_of(self, key: int) -> int:
        member, own = self._of(key)
        return member.outer(member.store.set_of(own))

    def details(self, unit: Unit, token: CancelToken | None = None) -> Details:
        return self.home(unit.key)[0].details(self._inner(unit), token)

    def outlines(
        self, key: int, rewound: bool = False, token: CancelToken | None = None
    ) -> list[Outline]:
        nothing: list[Outline] = []
        found = self._told(key, lambda store, own: store.outlines(own, rewound, token), nothing)
        return _of_session(key, found)

    def first_outlines(
        self, key: int, most: int, rewound: bool = False, token: CancelToken | None = None
    ) -> tuple[list[Outline], bool]:
        nothing: tuple[list[Outline], bool] = [], True
        found, complete = self._told(
            key, lambda store, own: store.first_outlines(own, most, rewound, token), nothing
        )
        return _of_session(key, found), complete

    def system_prompt(self, key: int, token: CancelToken | None = None) -> str:
        return self._told(key, lambda store, own: store.system_prompt(own, token), "")

    def messages(
        self, key: int, ids: Sequence[int], token: CancelToken | None = None
    ) -> list[Message]:
        return self._told(key, lambda store, own: store.messages(own, ids, token), [])

    def scattered(
        self, places: Sequence[tuple[int, int]], token: CancelToken | None = None
    ) -> Sequence[tuple[int, Message]]:
        wanted: dict[Member, list[tuple[int, int]]] = {}
        for key, id_ in places:
            member, own = self._of(key)
            wanted.setdefault(member, []).append((own, id_))
        found = self._of_each(lambda member: member.store.scattered(wanted[member], token), wanted)
        return [(member.outer(key), one) for member, told in found for key, one in told]

    def around(
        self, key: int, ids: Sequence[int], rewound: bool = False, token: CancelToken | None = None
    ) -> Mapping[int, tuple[int | None, int | None]]:
        return self._told(key, lambda store, own: store.around(own, ids, rewound, token), {})

    def keys_of(self, ids: Sequence[str], token: CancelToken | None = None) -> Mapping[str, int]:
        """By the ids that our notes know sessions by: see `NOTED`."""
        wanted = self._noted(ids)
        if not wanted:
            return {}
        found = self._of_each(lambda member: member.store.keys_of(wanted[member], token), wanted)
        return {
            noted_as(member.number, id_): member.outer(key)
            for member, keys in found
            for id_, key in keys.items()
        }

    def find(self, text: str, token: CancelToken | None = None) -> list[NamedSession]:
        """A whole id or title means that session; `PROFILE/ID` one in that profile."""
        found = [
            one._replace(key=member.outer(one.key))
            for member, named in self._of_each(lambda member: member.store.find(text, token))
            for one in named
        ]
        exact = [one for one in found if text in (one.id, one.title)]
        profile, _, id_ = text.partition("/")
        within = [member for member in self.members if id_ and member.store.profile == profile]
        if exact or not within:
            return exact or found
        return [
            one._replace(key=member.outer(one.key))
            for member, named in self._of_each(lambda one: one.store.find(id_, token), within)
            for one in named
        ]

    def keys_starting(self, text: str, token: CancelToken | None = None) -> Starting:
        found = self._of_each(lambda member: member.store.keys_starting(text, token))
        keys = [member.outer(key) for member, starting in found for key in starting.keys]
        return Starting(keys, any(starting.more for _, starting in found))

    def lost_messages(self, id_: str, token: CancelToken | None = None) -> list[Message]:
        found = self._of_each(lambda member: member.store.lost_messages(id_, token))
        return [message for _, messages in found for message in messages]

    def indexed(
        self,
        needles: Needles,
        limit: int,
        below: object = None,
        token: CancelToken | None = None,
    ) -> Indexed:
        """The newest of what the tables of all stores know, by the time of the message. What is
        cut off here comes with the scan."""
        places = _places(below)
        asked = [one for one in self.members if below is None or one.number in places]
        found = self._of_each(
            lambda one: one.store.indexed(needles, limit, places.get(one.number), token), asked
        )
        every = [hit for member, one in found for hit in member.candidates(one.found)]
        every.sort(key=lambda hit: (-hit.at, -hit.message_id))
        left = tuple((one.number, told.below) for one, told in found if told.below is not None)
        return Indexed(
            table=next((one.table for _, one in found if one.table), ""),
            found=every[:limit],
            trouble=next((one.trouble for _, one in found if one.trouble), ""),
            below=left or None,
        )

    def ranked(
        self, needles: Needles, most: int, token: CancelToken | None = None
    ) -> Mapping[int, float]:
        found = self._of_each(lambda member: member.store.ranked(needles, most, token))
        return {
            member.outer(id_): score for member, scores in found for id_, score in scores.items()
        }

    def message_key(self, found: Candidate) -> int:
        store = 0 if found.session_key is None else self._ring.inner(found.session_key)[0]
        return self._ring.outer(store)(found.message_id)

    def scanned(self, needles: Needles, below: object, token: CancelToken | None = None) -> Stretch:
        """A stretch of every store that is not at its end."""
        places = _places(below)
        asked = [one for one in self.members if below is None or one.number in places]
        found = self._of_each(
            lambda one: one.store.scanned(needles, places.get(one.number), token), asked
        )
        left = tuple((one.number, told.below) for one, told in found if told.below is not None)
        ended = len(self.members) - len(asked)
        return Stretch(
            found=[hit for member, told in found for hit in member.candidates(told.found)],
            below=left or None,
            done=(ended + sum(told.done for _, told in found)) / len(self.members),
        )

    def newest_below(self, token: CancelToken | None = None) -> Callable[[object], float]:
        found = self._of_each(lambda member: member.store.newest_below(token))
        known = {member.number: newest for member, newest in found}

        def below(mark: object) -> float:
            times = (known[number](at) for number, at in _places(mark).items() if number in known)
            return max(times, default=-math.inf)

        return below


def _places(below: object) -> dict[int, object]:
    """Where to continue in each store."""
    return dict(below) if isinstance(below, tuple) else {}


def _of_session(key: int, outlines: Sequence[Outline]) -> list[Outline]:
    return [outline._replace(session_key=key) for outline in outlines]


def _refusal(edit: str, found: Sequence[StoreInfo]) -> str | None:
    """Why no store allows an edit; None where one does."""
    reasons = [info.edits.get(edit) for info in found]
    return None if None in reasons else next(iter(reasons), None)


def _within(store: Store, work: Callable[[], T], token: CancelToken | None) -> Callable[[], T]:
    return lambda: store.together(work, token)


def _place(row: Session, sort: Sort) -> tuple[float, int]:
    time = row.started_at if sort is Sort.STARTED else row.last_active
    return time or 0.0, row.key
