"""Every session of a store at a glance: which are listed, folded into another one, or hidden.

Built from a handful of light columns, in arrays rather than objects: 100,000 sessions must cost
little memory and sort in an instant. A chain of continuations is one unit, represented by its tip
as the agent itself does; everything else about a row is read only when it becomes visible.
"""

from array import array
from collections import Counter
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    MutableSequence,
    Sequence,
)
from itertools import compress, islice
from operator import eq
from typing import Any, NamedTuple, Protocol, TypeVar

from explorer.model import RUNNING_WITHIN, Hidden, Kind, State, state_of
from explorer.stores.columns import ENDED, LEASE, WITHIN, Columns, Renamed, Unique

T = TypeVar("T")

NOISE = {
    "cron": Hidden.CRON,
    "tool": Hidden.TOOL,
    "subagent": Hidden.SUBAGENT,
    "kanban": Hidden.KANBAN,
    "oneshot": Hidden.ONESHOT,
}
"""Sources that are machinery; any other source, known or not, is a person's."""
FILE_SOURCE = "file"
"""What sessions come from that exist only in a file, as lists show it. A row of a store may say the
same of itself, so it does not make a session one of these."""


class Link(NamedTuple):
    """A session that is a child, or that carries a mark of its own."""

    kind: Kind
    parent: int | None
    """Key of the parent, where it exists and the link makes no circle."""
    restored: bool = False


_NO_LINK = Link(Kind.ROOT, None)
FEW = 1000
"""Sessions that are sorted in an instant."""
_SETS = ("archived", "pinned", "empty", "hidden", "files")
"""What a catalog knows of some of its sessions."""


def named_by(sources: Collection[str]) -> frozenset[Hidden]:
    """The classes of rows that are hidden for one of these sources."""
    named = {NOISE[source] for source in sources if source in NOISE}
    return frozenset(named | {Hidden.FILE} if FILE_SOURCE in sources else named)


class Unit(NamedTuple):
    """What one row of a list represents: a session, or a conversation from root to tip."""

    key: int
    """The tip: what is resumed."""
    parts: tuple[int, ...]
    kind: Kind
    restored: bool = False
    subagents: int = 0
    whole: tuple[int, ...] = ()
    """The conversation, where the row represents only some of its parts."""


class Mark(NamedTuple):
    """How far a file had got: its highest ids."""

    message: int = 0
    session: int = 0


class Positions(Protocol):
    """Where each session is in the arrays, by its key: what is needed of a dict."""

    def __getitem__(self, key: int, /) -> int: ...

    def __setitem__(self, key: int, at: int, /) -> None: ...

    def __contains__(self, key: object, /) -> bool: ...

    def __iter__(self) -> Iterator[int]: ...

    def copy(self) -> "Positions": ...


class Catalog:
    """All sessions of one store, as arrays in one order."""

    WIDTH = "q"
    """How wide a key is in an array."""

    def __init__(
        self,
        keys: Sequence[int],
        active: Sequence[float],
        sources: Sequence[str],
        links: Mapping[int, Link],
        chains: Iterable[tuple[int, ...]],
        archived: Collection[int],
        empty: frozenset[int],
        mark: object = Mark(),
        pinned: Collection[int] = (),
        hidden: Collection[int] = (),
        sound: bool = True,
        files: Collection[int] = (),
    ) -> None:
        """`keys`, `active` and `sources` go together; `chains` are conversations of several parts,
        their tip last."""
        self.mark = mark
        """How far the store had got, in the store's own terms."""
        self.sound = sound
        """Whether the file is consistent about its sessions; else it is damaged."""
        self.keys = array(self.WIDTH, keys)
        self.active = array("d", active)
        self.links = links
        self.archived = frozenset(archived)
        self.pinned = frozenset(pinned)
        """Sessions that are pinned in the agent itself, each by its own row."""
        self.empty = empty
        """Sessions without messages, whatever class they are hidden as."""
        self.hidden = frozenset(hidden)
        """Sessions that the agent itself keeps out of its lists, each by its own row."""
        self.files = frozenset(files)
        """Sessions that exist only in a file beside the store."""
        self.file_rows: Catalog | None = None
        """The catalog that those were taken from, where this one was joined with it."""
        self.source_names = list(dict.fromkeys(sources))
        numbers = {name: number for number, name in enumerate(self.source_names)}
        self._source = array("I", map(numbers.__getitem__, sources))
        self._position = self._positions(keys)
        self._helpers = self._counted_helpers()
        self._chain_of: Mapping[int, tuple[int, ...]] = {
            key: chain for chain in chains for key in chain
        }
        self._class = self._classified()
        self._newest: MutableSequence[int] = []
        """Most of the sessions in order, once they were listed."""

    def __getattr__(self, name: str) -> Positions:
        """The positions of the keys, made again where they were dropped."""
        if name != "_position":
            raise AttributeError(name)
        position = self._positions(self.keys)
        self._position = position
        return position

    def _positions(self, keys: Sequence[int]) -> Positions:
        """`keys` are all of them, as the objects that others hold too."""
        return dict(zip(keys, range(len(keys)), strict=True))

    def _counted_helpers(self) -> Mapping[int, int]:
        """How many sessions the subagents of each session left."""
        return {parent: len(own) for parent, own in children(self.links, Kind.SUBAGENT).items()}

    def _links_with(self, newer: Mapping[int, Link]) -> Mapping[int, Link]:
        """The links together with newer ones; the very same where those tell nothing new."""
        return _merged(self.links, newer)

    def listing(self, keys: Iterable[int]) -> MutableSequence[int]:
        """These keys as they are kept for a list; `keys` may become part of it."""
        return keys if isinstance(keys, list) else list(keys)

    def in_order(
        self, keys: Iterable[int], by: Callable[[int], Any], reverse: bool = False
    ) -> MutableSequence[int]:
        """These keys sorted, of equal ones the first of them first."""
        return sorted(keys, key=by, reverse=reverse)

    def drop_positions(self) -> None:
        """Take less than half of the memory, until a session is asked for."""
        self.__dict__.pop("_position", None)

    def __len__(self) -> int:
        return len(self.keys)

    def has(self, key: int) -> bool:
        return key in self._position

    def source(self, key: int) -> str:
        return self.source_names[self._source[self._position[key]]]

    def last_active(self, key: int) -> float:
        return self.active[self._position[key]]

    def all_last_active(self, keys: Iterable[int]) -> list[float]:
        """The same of many, without a call for each."""
        return list(map(self.active.__getitem__, map(self._position.__getitem__, keys)))

    def counted_sources(self, keys: Iterable[int]) -> Counter[str]:
        """How many of these sessions each source has."""
        numbers = Counter(map(self._source.__getitem__, map(self._position.__getitem__, keys)))
        return Counter({self.source_names[at]: number for at, number in numbers.items()})

    def hidden_as(self, key: int) -> Hidden | None:
        """The class that a list leaves this row out for, if any."""
        return self._class[self._position[key]]

    def kind(self, key: int) -> Kind:
        return self.links.get(key, _NO_LINK).kind

    def parent(self, key: int) -> int | None:
        return self.links.get(key, _NO_LINK).parent

    def children(self, *kinds: Kind) -> dict[int, list[int]]:
        """The sessions that came of each, of these kinds, in the order they were made."""
        found = children(self.links, *kinds)
        return {parent: sorted(filter(self.has, own)) for parent, own in found.items()}

    def state(self, parts: Sequence[int], known: Columns, now: float) -> State:
        """Whether an agent may be writing a conversation, where `columns.STATE` is known: the same
        as its row says."""
        leases, tip = known[LEASE], parts[-1]
        return state_of(
            last_active=self.last_active(tip),
            ended=tip in known[ENDED],
            held_until=max(leases.get(part, 0.0) for part in parts) if leases else 0.0,
            now=now,
            within=known[WITHIN].get(tip, RUNNING_WITHIN),
        )

    def chain(self, key: int) -> tuple[int, ...]:
        """The conversation of a session: its parts from root to tip."""
        return self._chain_of.get(key, (key,))

    def continued(self, keys: Iterable[int]) -> list[int]:
        """Those of these that belong to conversations of several parts."""
        return [key for key in keys if key in self._chain_of]

    def tip(self, key: int) -> int:
        """The session that represents the conversation of this one."""
        return self.chain(key)[-1]

    def tips(self, keys: frozenset[int]) -> frozenset[int]:
        """Those that stand for the conversations of these, with little to do where most of them
        stand for themselves."""
        parts = self.folded_of(keys)
        return keys.difference(parts).union(map(self.tip, parts)) if parts else keys

    def folded_of(self, keys: Collection[int]) -> list[int]:
        """Those of these that other sessions stand for; a look at the conversations of several
        parts alone, which are few."""
        return [key for key, chain in self._chain_of.items() if key in keys and chain[-1] != key]

    def folded(self, key: int) -> Unit:
        """The row of a list that represents this session's whole conversation."""
        chain = self.chain(key)
        helpers = sum(self._helpers.get(part, 0) for part in chain)
        link = self.links.get(chain[0], _NO_LINK)
        return Unit(chain[-1], chain, link.kind, link.restored, helpers)

    def single(self, key: int) -> Unit:
        """The session by itself."""
        whole = self._chain_of.get(key, ())
        link = self.links.get(key, _NO_LINK)
        return Unit(key, (key,), link.kind, link.restored, self._helpers.get(key, 0), whole)

    def select(
        self,
        shown: Collection[Hidden] = (),
        wanted: Callable[[int], bool] | None = None,
        asked: Collection[str] = (),
    ) -> tuple[MutableSequence[int], dict[Hidden, int]]:
        """(keys listed, how many are hidden by class). `shown` classes are listed too, and those
        that are noise by a source that was `asked` for; what is not `wanted` counts as filtered.
        """
        if wanted is None and not asked:
            return self._selected(shown)
        listed: list[int] = []
        hidden: dict[Hidden, int] = {}
        # A folded part goes with its conversation, whatever it is by itself.
        folding = Hidden.CONTINUATION not in shown
        for key, reason in zip(self._position, self._class, strict=True):
            folded = folding and reason is Hidden.CONTINUATION
            if wanted is not None and not folded and not wanted(key):
                reason = Hidden.FILTERED
            if reason is None or reason in shown or (asked and self.noise_of(key, asked, reason)):
                listed.append(key)
            else:
                hidden[reason] = hidden.get(reason, 0) + 1
        return self.listing(listed), hidden

    def _selected(
        self, shown: Collection[Hidden]
    ) -> tuple[MutableSequence[int], dict[Hidden, int]]:
        """The same by class alone, in half of the time."""
        # By identity: a class is slow to hash.
        listed = {id(None), *map(id, shown)}
        fits = map(listed.__contains__, map(id, self._class))
        keys = self.listing(compress(self._position, fits))
        numbers = Counter(map(id, filter(None, self._class)))
        left = {id(reason): reason for reason in Hidden if reason not in shown}
        counted = {left[one]: number for one, number in numbers.items() if one in left}
        return keys, counted

    def noise_of(self, key: int, sources: Collection[str], reason: Hidden | None) -> bool:
        """Whether a row is hidden for its own source, and that is one of these."""
        source = self.source(key)
        return source in sources and (NOISE.get(source) is reason or reason is Hidden.FILE)

    def rows(self) -> Iterable[tuple[int, Hidden | None]]:
        """Every conversation and every session of its own: (key, class it is hidden as)."""
        together = zip(self._position, self._class, strict=True)
        return (pair for pair in together if pair[1] is not Hidden.CONTINUATION)

    def by_last_active(self, keys: Iterable[int]) -> MutableSequence[int]:
        """Newest first; of equal ones the later row first. The order of most of them is kept, for
        the next list of some of them."""
        known = self._newest
        if known:
            chosen = keys = frozenset(keys)
            if len(known) // 2 < len(chosen) <= len(known):
                found = [key for key in known if key in chosen]
                if len(found) == len(chosen):
                    return found
        order = self._sorted(keys)
        if len(order) > max(len(known), FEW):
            self._newest = order[:]
        return order

    def _sorted(self, keys: Iterable[int]) -> list[int]:
        active, position = self.active, self._position
        # Two plain sorts, since comparing tuples would take twice the time.
        order = sorted(keys, reverse=True)
        if any(map(eq, order, islice(order, 1, None))):
            order = list(dict.fromkeys(order))
        order.sort(key=lambda key: active[position[key]], reverse=True)
        return order

    def _copied(self) -> "Catalog":
        from copy import copy  # late: 1 ms that a list need not pay

        made = copy(self)
        made._newest = []
        return made

    def with_archived(self, keys: Iterable[int]) -> "Catalog":
        """This catalog with some more sessions archived."""
        more = frozenset(keys) - self.archived
        if not more:
            return self
        made = self._copied()
        made.archived = self.archived | more
        made._class = made._classified()
        return made

    def with_pins(self, keys: Collection[int], on: bool) -> "Catalog":
        """This catalog with some sessions pinned, or not pinned, in the agent itself."""
        made = self._copied()
        made.pinned = self.pinned.union(keys) if on else self.pinned.difference(keys)
        return made

    def renewed(self, family: "Catalog", mark: object) -> "Catalog":
        """This catalog with some sessions as they are now, new ones added. A copy, since others
        may be reading this one in their threads; what did not change is shared, so that a new
        message costs about the same among 100 sessions and among 100,000."""
        made = self._copied()
        made.mark = mark
        made.keys, made.active, made._source = self.keys[:], self.active[:], self._source[:]
        made._class = self._class[:]
        made._chain_of = _merged(self._chain_of, family._chain_of)
        made.links = self._links_with(family.links)
        if made.links is not self.links:
            made._helpers = made._counted_helpers()
        made.empty = _renewed(self.empty, family.empty, family.keys)
        made.archived = _renewed(self.archived, family.archived, family.keys)
        made.pinned = _renewed(self.pinned, family.pinned, family.keys)
        made.hidden = _renewed(self.hidden, family.hidden, family.keys)
        new = [key for key in family.keys if key not in self._position]
        if new:
            made._position = self._position.copy()
        for key in new:
            made._position[key] = len(made.keys)
            made.keys.append(key)
            made.active.append(0.0)
            made._source.append(0)
            made._class.append(None)
        made.source_names = list(dict.fromkeys([*self.source_names, *family.source_names]))
        numbers = {name: number for number, name in enumerate(made.source_names)}
        for key in family.keys:
            at = made._position[key]
            made.active[at] = family.last_active(key)
            made._source[at] = numbers[family.source(key)]
            made._class[at] = family.hidden_as(key)
        return made

    @classmethod
    def joined(
        cls,
        parts: Sequence[tuple["Catalog", Unique]],
        mark: object = (),
    ) -> "Catalog":
        """The catalogs of several stores as one, each with what makes its keys unique. Nothing is
        classified again: what a session is hidden as depends on its own store alone."""
        made = cls([], [], [], {}, (), (), frozenset(), mark)
        made.sound = all(catalog.sound for catalog, _ in parts)
        names = dict.fromkeys(name for catalog, _ in parts for name in catalog.source_names)
        made.source_names = list(names)
        numbers = {name: number for number, name in enumerate(names)}
        links: dict[int, Link] = {}
        chain_of: dict[int, tuple[int, ...]] = {}
        positions: dict[int, int] = {}
        helpers: dict[int, int] = {}
        sets: dict[str, list[int]] = {name: [] for name in _SETS}
        for catalog, unique in parts:
            # One object for each key, whatever holds it: they are most of what a catalog takes.
            outer = Renamed(catalog.keys, unique)
            position = range(len(made.keys), len(made.keys) + len(catalog))
            positions.update(zip(outer.values(), position, strict=True))
            made.keys.extend(outer.values())
            made.active.extend(catalog.active)
            own = [numbers[name] for name in catalog.source_names]
            made._source.extend(map(own.__getitem__, catalog._source))
            made._class += catalog._class
            for key, (kind, parent, restored) in catalog.links.items():
                moved = None if parent is None else outer[parent]
                links[outer[key]] = Link(kind, moved, restored)
            for key, chain in catalog._chain_of.items():
                if key == chain[-1]:
                    moved_chain = tuple(map(outer.__getitem__, chain))
                    chain_of |= dict.fromkeys(moved_chain, moved_chain)
            for key, number in catalog._helpers.items():
                helpers[outer[key]] = number
            for name, keys in sets.items():
                keys.extend(map(outer.__getitem__, getattr(catalog, name)))
        made.links, made._chain_of, made._position = links, chain_of, positions
        made._helpers = helpers
        for name, keys in sets.items():
            setattr(made, name, frozenset(keys))
        return made

    def with_files(self, files: "Catalog | None") -> "Catalog":
        """This catalog with the sessions that exist only in files, in place of those that it had.
        It takes a look at every session, where they are others."""
        if files is None or self.file_rows is files or not (len(files) or self.files):
            return self
        made = self.without_files()
        if len(files):
            made = Catalog.joined([(made, list), (files, list)], self.mark)
            made.file_rows = files
        return made

    def without_files(self) -> "Catalog":
        """Only the sessions that the store itself has."""
        if not self.files:
            return self
        kept = [at for at, key in enumerate(self.keys) if key not in self.files]
        made = self._copied()
        made.keys = array(self.WIDTH, [self.keys[at] for at in kept])
        made.active = array("d", [self.active[at] for at in kept])
        made._source = array("I", [self._source[at] for at in kept])
        made._class = [self._class[at] for at in kept]
        made.drop_positions()
        made.files, made.file_rows = frozenset(), None
        return made

    def _classified(self) -> list[Hidden | None]:
        """The class that each row is hidden as."""
        position = self._position
        noise = list(map(NOISE.get, self.source_names))
        classes = [noise[number] for number in self._source]
        # The first match counts: what was done with a session before what it is.
        for reason, keys in (
            (Hidden.FILE, self.files),
            (Hidden.ARCHIVED, self.archived),
            (Hidden.HIDDEN, self.hidden),
            (Hidden.EMPTY, self.empty),
        ):
            for key in keys:
                if key in position and classes[position[key]] is None:
                    classes[position[key]] = reason
        for key, link in self.links.items():
            if link.kind is Kind.SUBAGENT and key in position:
                classes[position[key]] = Hidden.SUBAGENT
        for key, chain in self._chain_of.items():
            if key == chain[-1]:
                self._fold(chain, classes)
        return classes

    def _fold(self, chain: tuple[int, ...], classes: list[Hidden | None]) -> None:
        """The tip represents the chain, with the class of its root; the other parts are folded."""
        tip, root = chain[-1], chain[0]
        position = self._position
        reason = folded_class(
            classes[position[root]],
            archived=tip in self.archived,
            hidden=tip in self.hidden,
            empty=self.empty.issuperset(chain),
        )
        for key in chain[:-1]:
            classes[position[key]] = Hidden.CONTINUATION
        classes[position[tip]] = reason
        self.active[position[tip]] = max(self.active[position[key]] for key in chain)


def folded_class(
    root: Hidden | None, *, archived: bool, hidden: bool, empty: bool
) -> Hidden | None:
    """The class of a conversation: that of its root, or else what was done with its tip; `empty`
    says that no part has a message."""
    if root not in (Hidden.ARCHIVED, Hidden.HIDDEN, Hidden.EMPTY, None):
        return root
    if archived:
        return Hidden.ARCHIVED
    if hidden:
        return Hidden.HIDDEN
    return Hidden.EMPTY if empty else None


def _renewed(old: frozenset[int], new: frozenset[int], keys: Iterable[int]) -> frozenset[int]:
    """A set with some keys as they are now; the very old one where nothing changed."""
    if all((key in old) == (key in new) for key in keys):
        return old
    return old.difference(keys) | new


def _merged(old: Mapping[int, T], new: Mapping[int, T]) -> Mapping[int, T]:
    """Both together; the very old one where the new one tells nothing new."""
    if all(old.get(key) == value for key, value in new.items()):
        return old
    return {**old, **new}


def children(links: Mapping[int, Link], *kinds: Kind) -> dict[int, list[int]]:
    """The sessions that came of each, of these kinds."""
    found: dict[int, list[int]] = {}
    for key, link in links.items():
        if link.kind in kinds and link.parent is not None:
            found.setdefault(link.parent, []).append(key)
    return found


def descendants(keys: Iterable[int], children: Mapping[int, Iterable[int]]) -> set[int]:
    """All that came of these sessions, and of what came of them."""
    found: set[int] = set()
    waiting = list(keys)
    while waiting:
        for child in children.get(waiting.pop(), ()):
            if child not in found:
                found.add(child)
                waiting.append(child)
    return found
