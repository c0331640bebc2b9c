"""A search over a whole store, in stages that each tell what they found.

First what the agent's search tables know, newest first, in milliseconds; then every message, in
the background, so that in the end the result is what reading all of it would give. What a table
or a scan is not certain of is decided on the message itself.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from explorer.cancel import CancelToken
from explorer.model import OWN_CLASSES, Hidden
from explorer.search.language.query import Query
from explorer.search.matcher import Matcher, is_plain, needles
from explorer.stores.base import Store
from explorer.stores.candidates import Found, Indexed
from explorer.stores.catalog import Catalog

LEFT_OUT = frozenset(OWN_CLASSES) - {Hidden.EMPTY}
"""Classes whose hits are counted but not given."""
FIRST = (50, 150)
"""Hits that the tables are asked for: a page, which comes at once, and some more where those are
all of few conversations, unless each must be read before it counts."""
FEW = 6
"""Conversations that make a list worth showing; the scan brings the others soon after."""
AT_ONCE = 200
"""Messages read together to decide on them."""
RANKED = 2000
"""The newest hits, among which the best come first: ranking all of a common word takes a second."""
REST = 0.1
"""Seconds after the first hits, for them to be painted: both would share one processor."""
PACE = 0.12
"""Seconds between two tellings."""


class Hit(NamedTuple):
    """A message that matches, before its text is read again."""

    message_id: int
    session_key: int | None
    session_id: str
    at: float
    """The greater the newer."""


class Result(NamedTuple):
    """What a search has found so far."""

    query: Query
    order: Sequence[int] = ()
    """Conversations with hits, by their tip: with the newest hit first, or with the best."""
    counts: Mapping[int, int] = {}
    leading: Mapping[int, Hit] = {}
    """The hit that stands for each conversation: the newest, or the best."""
    total: int = 0
    hidden: Mapping[Hidden, int] = {}
    """Hits that are left out, by class of their session."""
    table: str = ""
    """The search table that gave the first hits."""
    trouble: str = ""
    """Why no search table gave any although one should have."""
    ranked: bool = False
    """A search table says what is best; without one, the more hits the better."""
    done: float = 0.0
    """How much of the file has been read, from 0 to 1."""
    complete: bool = False


def left_out(catalog: Catalog, tip: int) -> Hidden | None:
    """The class for which the hits of a conversation are only counted, if any."""
    reason = catalog.hidden_as(tip)
    return reason if reason in LEFT_OUT else None


class Gathered:
    """Hits by conversation, each message once."""

    def __init__(
        self,
        catalog: Catalog,
        hides: Callable[[int], Hidden | None] | None = None,
        passes: Callable[[int], bool] | None = None,
        best: bool = False,
    ) -> None:
        """`hides` says why the hits of a conversation are only counted, by default where its class
        is left out; those of conversations that do not pass are too. With `best`, the best
        conversation comes first, not the newest."""
        self._catalog = catalog
        self._hides = hides or (lambda tip: left_out(catalog, tip))
        self._passes = passes
        self._seen: set[tuple[str, int]] = set()
        self.hidden: dict[Hidden, int] = {}
        """Hits that are only counted."""
        self._counts: dict[int, int] = {}
        self._leading: dict[int, Hit] = {}
        self.best = best
        self.scores: Mapping[int, float] = {}
        """How well messages match, the less the better; of those that a table knows."""
        self.total = 0

    @property
    def conversations(self) -> int:
        """With hits that are given."""
        return len(self._counts)

    def add(self, found: Iterable[Hit], again: bool = False) -> list[Hit]:
        """Take hits in; those that are not only counted, lost messages among them. What comes
        from a table comes `again` with the scan."""
        given = []
        for hit in found:
            name = (hit.session_id, hit.message_id)
            if name in self._seen:
                continue
            if again:
                self._seen.add(name)
            lost = hit.session_key is None or not self._catalog.has(hit.session_key)
            tip = None if lost else self._tip(hit)
            if lost or tip is not None:
                given.append(hit)
            if tip is None:
                continue
            self.total += 1
            self._counts[tip] = self._counts.get(tip, 0) + 1
            if tip not in self._leading or self._place(hit) < self._place(self._leading[tip]):
                self._leading[tip] = hit
        return given

    def _tip(self, hit: Hit) -> int | None:
        """The conversation of a hit; None when it is left out, and counted."""
        if hit.session_key is None:
            return None
        # A part of a conversation is as visible as the conversation.
        tip = self._catalog.chain(hit.session_key)[-1]
        reason = self._hides(tip)
        if reason is None and self._passes is not None and not self._passes(tip):
            reason = Hidden.FILTERED
        if reason is None:
            return tip
        self.hidden[reason] = self.hidden.get(reason, 0) + 1
        return None

    def _place(self, hit: Hit) -> tuple[float, float]:
        return self.scores.get(hit.message_id, 0.0), -hit.at

    def _order(self) -> list[int]:
        def place(tip: int) -> tuple[float, float]:
            return self._place(self._leading[tip])

        if self.best and not self.scores:
            return sorted(self._leading, key=lambda tip: (-self._counts[tip], place(tip)))
        return sorted(self._leading, key=place)

    def result(self, query: Query, told: Indexed, done: float, complete: bool) -> Result:
        return Result(
            query,
            self._order(),
            dict(self._counts),
            dict(self._leading),
            self.total,
            dict(self.hidden),
            told.table,
            told.trouble,
            bool(self.scores),
            done,
            complete,
        )


def search(
    store: Store,
    query: Query,
    gathered: Gathered,
    tell: Callable[[Result], None],
    token: CancelToken,
    now: float = 0.0,
    rewound: bool = False,
) -> Result:
    """Find every message that matches; `tell` gets what there is, now and then."""
    looked_for = needles(query, rewound)
    decide = Decider(store, Matcher(query, now), is_plain(query))

    def begin() -> Indexed:
        first = Indexed()
        if gathered.best:
            gathered.scores = store.ranked(looked_for, RANKED, token)
        below: int | None = None
        for most in FIRST if decide.is_plain else FIRST[:1]:
            first = store.indexed(looked_for, most, below, token)
            gathered.add(decide(first.found, token), again=True)
            if len(first.found) < most or gathered.conversations >= FEW:
                break
            below = first.found[-1].message_id
        tell(gathered.result(query, first, 0.0, complete=False))
        return first

    first = store.together(begin, token)
    below: int | None = None
    if gathered.total:
        token.wait(REST)
    told, listed = time.monotonic(), gathered.total
    pace = PACE
    while True:
        stretch = store.scanned(looked_for, below, token)
        gathered.add(decide(stretch.found, token))
        below = stretch.below
        if below is None:
            return gathered.result(query, first, 1.0, complete=True)
        # The first hits at once, however few: until then there is nothing to look at.
        if time.monotonic() - told > pace or (gathered.total and not listed):
            begun = time.monotonic()
            tell(gathered.result(query, first, stretch.done, complete=False))
            told, listed = time.monotonic(), gathered.total
            # Where there are many conversations, telling takes its time too.
            pace = max(PACE, 10 * (told - begun))


class Decider:
    """Says which candidates match: those that are certain, and those whose text does."""

    def __init__(self, store: Store, matcher: Matcher, plain: bool) -> None:
        """`plain` says that content which holds all words matches."""
        self._store = store
        self.matcher = matcher
        self.is_plain = plain and not matcher.is_choosy

    def __call__(self, candidates: Sequence[Found], token: CancelToken) -> list[Hit]:
        unsure = [one for one in candidates if not (self.is_plain and one.certain)]
        held = self._held(unsure, token) if unsure else frozenset()
        return [
            Hit(one.message_id, one.session_key, one.session_id, one.at)
            for one in candidates
            if (self.is_plain and one.certain) or (one.session_key, one.message_id) in held
        ]

    def _held(
        self, unsure: Sequence[Found], token: CancelToken
    ) -> frozenset[tuple[int | None, int]]:
        """(session, message) of those that match."""
        found: set[tuple[int | None, int]] = set()
        places = [
            (one.session_key, one.message_id) for one in unsure if one.session_key is not None
        ]
        for start in range(0, len(places), AT_ONCE):
            token.check()
            batch = places[start : start + AT_ONCE]
            for key, message in self._store.scattered(batch, token):
                if self.matcher.where(message) is not None:
                    found.add((key, message.id))
        lost = {one.session_id for one in unsure if one.session_key is None}
        for id_ in lost:
            for message in self._store.lost_messages(id_, token):
                if self.matcher.where(message) is not None:
                    found.add((None, message.id))
        return frozenset(found)
