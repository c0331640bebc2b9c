"""One store of a library: how it is opened, and again where another file has taken its place; and
what was read of it, which holds as long as its file is the same."""

import itertools
import threading
import time
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from explorer.cancel import CancelToken
from explorer.errors import NoFileYet, Problem, StoreError, session_gone
from explorer.model import Session, StoreInfo
from explorer.stores.base import Candidate, Changes, OneStore, Store
from explorer.stores.catalog import Catalog
from explorer.stores.census import Census
from explorer.stores.fates import HOUR, Fates
from explorer.stores.library.keys import KeyRing
from explorer.stores.server_path import ServerPath
from explorer.stores.sqlite.read_only import FileState, stamp

T = TypeVar("T")

AGAIN_AFTER = 5.0
"""Seconds after which what is asked of all stores tries one again that could not be read."""
PASSING = (
    *(Problem.BUSY, Problem.NO_PERMISSION, Problem.READ_ONLY_FOLDER, Problem.UNREADABLE),
    *(Problem.UNREACHABLE, Problem.LOGIN_REFUSED, Problem.NO_DATABASE, Problem.TIMED_OUT),
)
"""What may pass without a trace in the size and the times of a file."""

FATES_AHEAD = 12 * HOUR
"""Seconds for which fates are asked beyond what is wanted of them: time alone changes that, and an
unchanged file need not be asked again for it."""

UNCHANGED: frozenset[str] = frozenset()
"""The places of changes where there are none."""


class MemberFile(NamedTuple):
    """How one store of a library is opened, and opened again."""

    path: Path
    name: str
    """What it is called among the others."""
    open: Callable[[CancelToken | None], Store]
    """Raises a `StoreError` where it cannot be."""
    told: Callable[[StoreError], StoreError] = lambda error: error
    """What is said of such an error."""
    profile: str | None = None
    """What its agent calls it."""
    links: tuple[str, ...] = ()
    """The names of profiles that are links to it."""


class MemberMark(NamedTuple):
    """How far a store had got, as a catalog of the library knows it."""

    reading: int
    mark: object


class ReadCatalog(NamedTuple):
    """The catalog of a store."""

    stamp: FileState | None
    """Of its file, from before all of it was read."""
    catalog: Catalog
    seen: FileState | None
    """The same from before the last look at what is new: that does not show what is gone."""
    reading: int
    """Which reading of the store it is of, whole or of what was new: a catalog of the library that
    knows an earlier one lacks something."""

    @property
    def mark(self) -> MemberMark:
        return MemberMark(self.reading, self.catalog.mark)


class ReadFates(NamedTuple):
    """The fates of a store."""

    stamp: object
    """Of what they go by, from before they were read."""
    until: float
    """The time up to which they were asked for."""
    fates: Fates


class Member:
    """One store of a library."""

    def __init__(
        self,
        number: int,
        file: MemberFile,
        ring: KeyRing,
        stores: int,
        others: "Callable[[], Sequence[Member]]",
    ) -> None:
        """`others` are all members of its library, itself among them."""
        self.number = number
        self._others = others
        self._stores = stores
        self.path = file.path
        self.name = file.name
        self.profile = file.profile
        self._links = file.links
        self._open = file.open
        self._told = file.told
        self.outer = ring.outer(number)
        self.outers = ring.outers(number)
        self._error: StoreError | None = None
        self._failed = 0.0
        self.known: ReadCatalog | None = None
        self._census: Census | None = None
        self._store: Store | None = None
        self._opened_as: tuple[int, int] | None = None
        self._lock = threading.Lock()
        self._readings = itertools.count()
        self._info: tuple[FileState | None, StoreInfo] | None = None
        self._fates: ReadFates | None = None
        self.names: tuple[str, ...] = (file.name,)
        """What a user may call it: see `OneStore`."""

    @property
    def error(self) -> StoreError | None:
        """Why it could not be read when that was last tried."""
        return self._error

    @error.setter
    def error(self, error: StoreError | None) -> None:
        self._error = None if error is None else self._told(error)
        self._failed = time.monotonic()

    @property
    def waits(self) -> bool:
        """It was tried a moment ago, and a try may take long: the others need not wait for the
        next one."""
        passing = self._error is not None and self._error.problem in PASSING
        return passing and time.monotonic() - self._failed < AGAIN_AFTER

    @property
    def is_open(self) -> bool:
        return self._store is not None

    @property
    def written(self) -> float:
        """When its file was last written to."""
        found = self.look()
        return found.written if found else 0.0

    def look(self) -> FileState | None:
        """How its store is now; of one that was never opened, how its file is."""
        return stamp(self.path) if self._store is None else self._store.look()

    @property
    def store(self) -> Store:
        """The store, where it has been opened."""
        if self._store is None:
            raise self.error or session_gone()
        return self._store

    def opened(self, token: CancelToken | None = None) -> Store:
        """The store, opened now where it is not open; anew where another file has its name."""
        with self._lock:
            found = self.look()
            identity = found.identity if found else None
            if self._store is not None and identity not in (None, self._opened_as):
                self._store = self.known = self._census = self._fates = None
            if self._store is None:
                self._check_alone(identity)
                self._store = self._open(token)
                self._store.one_of(self._stores)
                if isinstance(self.path, ServerPath):
                    # Which set of tables it is was not known while it could not be reached.
                    self.path = self._store.path
                if found is None and (now := self._store.look()) is not None:
                    identity = now.identity
                self._opened_as = identity
            return self._store

    def _check_alone(self, identity: tuple[int, int] | None) -> None:
        """A link that led nowhere may lead to the file of another one by now: listed twice, each
        of its sessions would be two."""
        for one in self._others():
            there = stamp(one.path) if one is not self and one.is_open else None
            if there is not None and there.identity == identity:
                message = "It leads to the same state file, which is listed once."
                raise NoFileYet(Problem.MISSING, f"Listed as {one.name}", message)

    def told(self, work: Callable[[Store], T]) -> T:
        """What the store says of one of its sessions; that it cannot be read is kept."""
        try:
            return work(self.store)
        except StoreError as error:
            self.error = error
            raise

    def catalog(
        self, token: CancelToken | None, read: Callable[[Store], Catalog] | None = None
    ) -> Catalog:
        """As the file is now; read only where that has changed, by `read` if it is given. What our
        notes say of it leaves no trace in the file."""
        store = self.opened(token)
        now = self.look()
        if self.known is None or now is None or self.known.stamp != now or store.noted:
            found = read(store) if read else store.catalog(token)
            # At once: that of the library has all positions, and this one is asked for little.
            found.drop_positions()
            self.known = ReadCatalog(now, found, now, next(self._readings))
        return self.known.catalog

    def census(self, read: Callable[[Store], Census]) -> Census:
        """As the file is now."""
        self._census = read(self.opened())
        self._census.known.drop_positions()
        return self._census

    def catalog_about(self, keys: Sequence[int] | None, token: CancelToken | None) -> Catalog:
        """The last one that was read; of sessions that a census knows, that of the census."""
        if self.known is not None:
            return self.known.catalog
        if keys is not None and self._census is not None:
            known = self._census.known
            if all(map(known.has, keys)):
                return known
        return self.catalog(token)

    def info(self, token: CancelToken | None) -> StoreInfo:
        """As the file is now; read only where that has changed."""
        now = self.look()
        if self._info is None or now is None or self._info[0] != now:
            self._info = now, self.store.info(token)
        return self._info[1]

    def changes(self, since: object, token: CancelToken | None) -> Changes | None:
        """What is new since a catalog of this store was read; None where only another one can
        tell."""
        store, known = self.opened(token), self.known
        if known is None or known.mark != since:
            # It could not be read before, was replaced, or was read for another purpose since.
            self.catalog(token)
            return None
        now = self.look()
        if known.seen == now:
            return Changes(since, frozenset(), None, UNCHANGED)
        changes = store.changes(known.catalog.mark, token)
        if changes is None:
            return None
        self.known = known._replace(seen=now)
        if changes.family is None:
            return changes._replace(mark=since)
        newer = known.catalog.renewed(changes.family, changes.mark)
        self.known = known._replace(seen=now, catalog=newer, reading=next(self._readings))
        return changes._replace(mark=self.known.mark)

    def sessions(self, found: Sequence[Session]) -> list[Session]:
        return [one._replace(key=self.outer(one.key), place=self.name) for one in found]

    def candidates(self, found: Sequence[Candidate]) -> list[Candidate]:
        outer, number = self.outer, self.number
        # Not `_replace`, which takes four times as long: a common word has thousands of them.
        return [
            Candidate(id_, None if key is None else outer(key), session_id, certain, at, number)
            for id_, key, session_id, certain, at, _ in found
        ]

    def as_one(self) -> OneStore:
        known, counted, told = self.known, self._census, self._info
        if known is not None:
            counted = Census(known.catalog)
        sound = (counted is None or counted.known.sound) and (told is None or told[1].sound)
        number = counted.total if counted else None
        return OneStore(
            *(self.name, self.path, self._store, self.error, number, sound),
            self.profile,
            self.names,
        )

    def be_named_beside(self, listed: Collection[str]) -> None:
        """Also have the names of its profile, unless another one is `listed` under them: that is
        the one which is meant then."""
        others = (self.profile, *self._links)
        own = [name for name in others if name and name not in listed]
        self.names = tuple(dict.fromkeys((self.name, *own)))

    def fates(
        self, keys: Sequence[int] | None, before: float | None, token: CancelToken | None
    ) -> Fates:
        """Those of all its sessions are read only where they may have changed."""
        # The stamp comes before the catalog: if a change renews that in between, what is kept here
        # is read again. The catalog is that of the list: a newer one would have to be listed first.
        stamp = self.store.fates_stamp(), self.known.reading if self.known else None
        catalog = self.catalog_about(keys, token)
        if keys is not None or before is None:
            return self._outer_fates(self.store.fates(catalog, keys, before, token))
        known = self._fates
        if known is None or known.stamp != stamp or known.until < before:
            until = before + FATES_AHEAD
            found = self._outer_fates(self.store.fates(catalog, None, until, token))
            known = self._fates = ReadFates(stamp, until, found)
        return known.fates.until(before)

    def _outer_fates(self, found: Fates) -> Fates:
        outer = self.outer
        return found._replace(
            deletes={outer(key): at for key, at in found.deletes.items()},
            archives={outer(key): at for key, at in found.archives.items()},
            ends={outer(key): at for key, at in found.ends.items()},
        )
