"""A search over a whole store, in stages that each tell what they found.

First what the agent's search tables know, newest first, in milliseconds; then every message, in
the background, so that in the end the result is what reading all of it would give. What a table
or a scan is not certain of is decided on the message itself.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from explorer.cancel import CancelToken
from explorer.model import Hidden
from explorer.search.language.query import Query
from explorer.search.matcher import needles
from explorer.search.request import Request
from explorer.stores.base import Candidate, Indexed, Stretch

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


class SearchResult(NamedTuple):
    """What a search has found so far."""

    query: Query
    order: Sequence[int] = ()
    """Conversations with hits, by their tip: with the newest hit first, or with the best."""
    counts: Mapping[int, int] = {}
    leading: Mapping[int, Candidate] = {}
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


class Gathered:
    """Hits by conversation, each message once."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self._seen: set[tuple[str, int]] = set()
        self.hidden: dict[Hidden, int] = {}
        """Hits that are only counted."""
        self._counts: dict[int, int] = {}
        self._leading: dict[int, Candidate] = {}
        self.scores: Mapping[int, float] = {}
        """How well messages match, the less the better; of those that a table knows."""
        self.total = 0

    @property
    def conversations(self) -> int:
        """With hits that are given."""
        return len(self._counts)

    def add(self, found: Iterable[Candidate], again: bool = False) -> list[Candidate]:
        """Take hits in; those that are not only counted, lost messages among them. What comes
        from a table comes `again` with the scan."""
        given = []
        catalog, counts_as = self.request.catalog, self.request.counts_as
        for hit in found:
            name = (hit.session_id, hit.message_id)
            if name in self._seen:
                continue
            if again:
                self._seen.add(name)
            key = hit.session_key
            if key is None or not catalog.has(key):
                given.append(hit)
                continue
            # A part of a conversation is as visible as the conversation.
            tip = catalog.tip(key)
            reason = counts_as(tip)
            if reason is not None:
                self.hidden[reason] = self.hidden.get(reason, 0) + 1
                continue
            given.append(hit)
            self.total += 1
            self._counts[tip] = self._counts.get(tip, 0) + 1
            if tip not in self._leading or self._place(hit) < self._place(self._leading[tip]):
                self._leading[tip] = hit
        return given

    def _place(self, hit: Candidate) -> tuple[float, float]:
        return self.scores.get(hit.message_id, 0.0), -hit.at

    def _order(self) -> list[int]:
        def place(tip: int) -> tuple[float, float]:
            return self._place(self._leading[tip])

        if self.request.best and not self.scores:
            return sorted(self._leading, key=lambda tip: (-self._counts[tip], place(tip)))
        return sorted(self._leading, key=place)

    def result(self, first: Indexed, done: float = 0.0, complete: bool = False) -> SearchResult:
        """What there is so far; `first` is what the search tables said."""
        return SearchResult(
            query=self.request.query,
            order=self._order(),
            counts=dict(self._counts),
            leading=dict(self._leading),
            total=self.total,
            hidden=dict(self.hidden),
            table=first.table,
            trouble=first.trouble,
            ranked=bool(self.scores),
            done=done,
            complete=complete,
        )


def search(
    gathered: Gathered, tell: Callable[[SearchResult], None], token: CancelToken
) -> SearchResult:
    """Find every message that matches; `tell` gets what there is, now and then."""
    request = gathered.request
    first = request.store.together(lambda: _first_page(gathered, tell, token), token)
    if gathered.total:
        token.wait(REST)
    told, listed = time.monotonic(), gathered.total
    pace = PACE
    for stretch in scan(request, token):
        gathered.add(stretch.found)
        # The first hits at once, however few: until then there is nothing to look at.
        due = time.monotonic() - told > pace or (gathered.total and not listed)
        if due and stretch.below is not None:
            begun = time.monotonic()
            tell(gathered.result(first, stretch.done))
            told, listed = time.monotonic(), gathered.total
            # Where there are many conversations, telling takes its time too.
            pace = max(PACE, 10 * (told - begun))
    return gathered.result(first, 1.0, complete=True)


def _first_page(
    gathered: Gathered, tell: Callable[[SearchResult], None], token: CancelToken
) -> Indexed:
    """What the search tables know, told at once."""
    request, first = gathered.request, Indexed()
    store, looked_for = request.store, needles(request.query, request.rewound)
    if request.best:
        gathered.scores = store.ranked(looked_for, RANKED, token)
    below: int | None = None
    for most in FIRST if request.matcher.is_plain else FIRST[:1]:
        first = store.indexed(looked_for, most, below, token)
        gathered.add(_matching(request, first.found, token), again=True)
        if len(first.found) < most or gathered.conversations >= FEW:
            break
        below = first.found[-1].message_id
    tell(gathered.result(first))
    return first


def scan(
    request: Request, token: CancelToken, open_to: Callable[[Candidate], bool] | None = None
) -> Iterator[Stretch]:
    """Every message that matches, from the newest to the oldest, a stretch at a time. Only those
    are read that `open_to` says are of interest."""
    looked_for = needles(request.query, request.rewound)
    below: int | None = None
    while True:
        stretch = request.store.scanned(looked_for, below, token)
        candidates = list(filter(open_to, stretch.found)) if open_to else stretch.found
        yield stretch._replace(found=_matching(request, candidates, token))
        below = stretch.below
        if below is None:
            return


def _matching(
    request: Request, candidates: Sequence[Candidate], token: CancelToken
) -> list[Candidate]:
    """The candidates that match: those that are certain, and those whose text does."""
    is_plain = request.matcher.is_plain
    unsure = [one for one in candidates if not (is_plain and one.certain)]
    held = _held(request, unsure, token) if unsure else frozenset()
    return [
        one
        for one in candidates
        if (is_plain and one.certain) or (one.session_key, one.message_id) in held
    ]


def _held(
    request: Request, unsure: Sequence[Candidate], token: CancelToken
) -> frozenset[tuple[int | None, int]]:
    """(session, message) of those whose text matches."""
    store, where = request.store, request.matcher.where
    found: set[tuple[int | None, int]] = set()
    places = [(one.session_key, one.message_id) for one in unsure if one.session_key is not None]
    for start in range(0, len(places), AT_ONCE):
        token.check()
        for key, message in store.scattered(places[start : start + AT_ONCE], token):
            if where(message) is not None:
                found.add((key, message.id))
    for id_ in {one.session_id for one in unsure if one.session_key is None}:
        for message in store.lost_messages(id_, token):
            if where(message) is not None:
                found.add((None, message.id))
    return frozenset(found)
