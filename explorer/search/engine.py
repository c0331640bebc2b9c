"""A search over a whole store. The search bar, the command and a prune all begin with a `Request`:
a query made ready for one store, with what it asks of messages and which conversations count.

It runs in stages that each tell what they found. First what the agent's search tables know, the
rows written last first, in milliseconds; then every message, in the background, so that in the end
the result is what reading all of it would give. What a table or a scan is not certain of is decided
on the message. What was found is ordered by its time, since imports write old messages into new
rows.

Where messages are looked for, `NOT word` is about each of them, and the matcher decides. Where
conversations are listed by what they are, no message is there to decide on; and where they are to
be deleted, a message without the word must not speak for the others. There it leaves out all
conversations of which some message holds it, or a title (`denied`).
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import tzinfo
from types import MappingProxyType
from typing import NamedTuple, TypeVar

from explorer.cancel import CancelToken
from explorer.model import OWN_CLASSES, Hidden
from explorer.search.filters import NO_FILTERS, Filters, filtered_by, wanted
from explorer.search.language.fields import Known, session_test
from explorer.search.language.query import Clause, Query
from explorer.search.language.vocabulary import PLACE_FIELD
from explorer.search.matcher import NO_TITLES, Matcher, Titles, needles, titles_holding
from explorer.stores.base import Candidate, Indexed, Needles, Store, Stretch
from explorer.stores.catalog import Catalog, named_by
from explorer.stores.columns import TITLE, Columns
from explorer.stores.fates import NO_FATES, SOON, Fates, expiring

T = TypeVar("T")

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
LEFT_OUT = frozenset((*OWN_CLASSES, Hidden.FILE)) - {Hidden.EMPTY}
"""Classes whose hits are counted but not given."""

Hides = Callable[[int], Hidden | None]
"""Says for which class a conversation is not listed, if any."""


def hides_nothing(tip: int) -> Hidden | None:
    return None


class Request(NamedTuple):
    """One query, on one store."""

    store: Store
    catalog: Catalog
    matcher: Matcher
    now: float = 0.0
    titles: Titles = NO_TITLES
    fits: Callable[[int], bool] | None = None
    """Says of a conversation whether the fields of the query match it; None when all do."""
    wanted: Callable[[int], bool] | None = None
    """Says of a conversation whether the filters of the list let it through; None when all do."""
    hides: Hides = hides_nothing
    rewound: bool = False
    """Rewound messages count too."""
    best: bool = False
    """The best conversation comes first, not the newest."""
    files: bool = True
    """Messages count too that only files beside the store hold."""

    @property
    def needles(self) -> Needles:
        """What a store can look for."""
        return needles(self.query, self.rewound)._replace(files=self.files)

    @property
    def query(self) -> Query:
        return self.matcher.query

    def of(self, query: Query) -> "Request":
        """The same for another query."""
        return self._replace(matcher=Matcher(query, self.now))

    def matches(self, tip: int) -> bool:
        """Whether the fields of the query match a conversation: what they exclude is no hit."""
        return self.fits is None or self.fits(tip)

    def matches_lost(self, hit: Candidate) -> bool:
        """Whether a message whose session row is gone is in a profile that the query asks for: of
        all that fields ask of sessions, only that is known."""
        return self.query.asks_for_profile(self.store.origin(hit).names)

    def counts_as(self, tip: int) -> Hidden | None:
        """Why the hits of a conversation that matches are only counted; None where they are given.
        What is hidden and filtered out as well would not be listed with its class either."""
        if self.wanted is not None and not self.wanted(tip):
            return Hidden.FILTERED
        reason = self.hides(tip)
        return reason if reason in LEFT_OUT else None

    def is_in_time(self, key: int) -> bool:
        """Whether a session is there and was active in the days that are asked for."""
        catalog = self.catalog
        return catalog.has(key) and self.matcher.test.in_time(catalog.last_active(key))

    def titled(self) -> list[int]:
        """The sessions whose title holds what is looked for."""
        return list(filter(self.is_in_time, titles_holding(self.titles, self.matcher)))

    def listed(
        self, keys: Iterable[int], named: Iterable[int] = ()
    ) -> tuple[Sequence[int], Counter[Hidden]]:
        """(those of these sessions whose conversations are listed, the newest first; how many are
        hidden, by class). Those that are `named` are listed whatever hides them."""
        found: list[int] = []
        hidden: Counter[Hidden] = Counter()
        for key in keys:
            tip = self.catalog.tip(key)
            if not self.matches(tip):
                continue
            filtered = self.wanted is not None and not self.wanted(tip)
            reason = Hidden.FILTERED if filtered else self.hides(tip)
            if reason is None or tip in named:
                found.append(key)
            else:
                hidden[reason] += 1
        return self.catalog.by_last_active(found), hidden


def left_out(catalog: Catalog) -> Hides:
    """Hides the classes that a search leaves out by default."""

    def hides(tip: int) -> Hidden | None:
        reason = catalog.hidden_as(tip)
        return reason if reason in LEFT_OUT else None

    return hides


def prepared(
    store: Store,
    catalog: Catalog,
    matcher: Matcher,
    now: float,
    token: CancelToken,
    *,
    tz: tzinfo | None = None,
    filters: Filters = NO_FILTERS,
    hides: Hides = hides_nothing,
    pins: frozenset[int] = frozenset(),
    known: Columns | None = None,
    titles: Titles | None = None,
    fates: Fates | None = None,
    rewound: bool = False,
    best: bool = False,
    chats: Mapping[str, frozenset[int]] = MappingProxyType({}),
) -> Request:
    """Read what the fields and the filters ask of sessions; what is given is not read again. A
    class that the query asks for by name is not hidden. `chats` are the sessions of some chats, by
    the value of `chat:` that means each."""
    test = session_test(matcher.query, now, tz)
    columns = known or Columns()
    if titles is not None:
        columns |= Columns({TITLE: titles.stored})
    asked = {TITLE, *test.columns, *(filtered_by(store.places) if filters.needs_facts else ())}
    if missing := asked - columns.known.keys():
        columns |= store.columns(missing, token=token)
    if fates is None:
        needed = test.needs_fates or filters.expiring
        fates = store.fates(catalog, before=now + SOON, token=token) if needed else NO_FATES
    about = expiring(fates, catalog.chain, now) if filters.expiring else ()
    fits = test.over(Known(catalog, columns, pins, fates, store.profiles_at, chats))
    named = named_by(test.sources) | test.classes

    def hidden(tip: int) -> Hidden | None:
        reason = hides(tip)
        return None if reason in named else reason

    return Request(
        store=store,
        catalog=catalog,
        matcher=matcher,
        now=now,
        titles=titles or Titles.of(columns[TITLE]),
        fits=fits,
        wanted=wanted(catalog, columns, filters, about, store.profiles_at),
        hides=hidden,
        rewound=rewound,
        best=best,
    )


def newest_first(hit: Candidate) -> tuple[float, int]:
    """The place of a hit by its time; of equal ones the later row first."""
    return -hit.at, -hit.message_id


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
        self._seen: set[tuple[int, int | None, str, int]] = set()
        self.hidden: Counter[Hidden] = Counter()
        """Hits that are only counted."""
        self.counts: Counter[int] = Counter()
        """Hits that are given, by conversation."""
        self._leading: dict[int, Candidate] = {}
        self.scores: Mapping[int, float] = {}
        """How well messages match, the less the better; of those that a table knows."""
        self.total = 0

    def add(self, found: Iterable[Candidate], again: bool = False) -> list[Candidate]:
        """Take hits in; those that are not only counted, lost messages among them. What comes
        from a table comes `again` with the scan."""
        given = []
        catalog, request = self.request.catalog, self.request
        for hit in found:
            name = (hit.store, hit.session_key, hit.session_id, hit.message_id)
            if name in self._seen:
                continue
            if again:
                self._seen.add(name)
            key = hit.session_key
            if key is None or not catalog.has(key):
                if request.matches_lost(hit):
                    given.append(hit)
                continue
            # A part of a conversation is as visible as the conversation.
            tip = catalog.tip(key)
            if not request.matches(tip):
                continue
            reason = request.counts_as(tip)
            if reason is not None:
                self.hidden[reason] += 1
                continue
            given.append(hit)
            self.total += 1
            self.counts[tip] += 1
            if tip not in self._leading or self._place(hit) < self._place(self._leading[tip]):
                self._leading[tip] = hit
        return given

    def _place(self, hit: Candidate) -> tuple[float, float, int]:
        if not self.scores:
            return 0.0, -hit.at, -hit.message_id
        score = self.scores.get(self.request.store.message_key(hit), 0.0)
        return score, *newest_first(hit)

    def _order(self) -> list[int]:
        def place(tip: int) -> tuple[float, float, int]:
            return self._place(self._leading[tip])

        if self.request.best and not self.scores:
            return sorted(self._leading, key=lambda tip: (-self.counts[tip], place(tip)))
        return sorted(self._leading, key=place)

    def result(self, first: Indexed, done: float = 0.0, complete: bool = False) -> SearchResult:
        """What there is so far; `first` is what the search tables said."""
        return SearchResult(
            query=self.request.query,
            order=self._order(),
            counts=dict(self.counts),
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
    gathered: Gathered,
    made: Callable[[SearchResult], T],
    tell: Callable[[T], None],
    token: CancelToken,
) -> SearchResult:
    """Find every message that matches; `tell` gets what is `made` of what there is, now and then.
    The first is made with the connections that found it, and told without them: to close those of
    ten files while it is painted takes longer than to do one after the other."""
    request = gathered.request

    def first_page() -> tuple[Indexed, T]:
        found = _first_page(gathered, token)
        return found, made(gathered.result(found))

    first, page = request.store.together(first_page, token)
    tell(page)
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
            tell(made(gathered.result(first, stretch.done)))
            told, listed = time.monotonic(), gathered.total
            # Where there are many conversations, telling takes its time too.
            pace = max(PACE, 10 * (told - begun))
    return gathered.result(first, 1.0, complete=True)


def _first_page(gathered: Gathered, token: CancelToken) -> Indexed:
    """What the search tables know."""
    request, first = gathered.request, Indexed()
    store, looked_for = request.store, request.needles
    if request.best:
        gathered.scores = store.ranked(looked_for, RANKED, token)
    below: object = None
    for most in FIRST if request.matcher.is_plain else FIRST[:1]:
        first = store.indexed(looked_for, most, below, token)
        gathered.add(_matching(request, first.found, token), again=True)
        below = first.below
        if below is None or len(gathered.counts) >= FEW:
            break
    return first


def scan(
    request: Request, token: CancelToken, open_to: Callable[[Candidate], bool] | None = None
) -> Iterator[Stretch]:
    """Every message that matches, from the newest to the oldest, a stretch at a time. Only those
    are read that `open_to` says are of interest."""
    looked_for = request.needles
    below: object = None
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
        if (is_plain and one.certain) or (one.store, one.session_key, one.message_id) in held
    ]


def _held(
    request: Request, unsure: Sequence[Candidate], token: CancelToken
) -> frozenset[tuple[int, int | None, int]]:
    """(number of the store, session, message) of those whose text matches."""
    store, where = request.store, request.matcher.where
    found: set[tuple[int, int | None, int]] = set()
    numbers = {one.session_key: one.store for one in unsure}
    places = [(one.session_key, one.message_id) for one in unsure if one.session_key is not None]
    for start in range(0, len(places), AT_ONCE):
        token.check()
        for key, message in store.scattered(places[start : start + AT_ONCE], token):
            if where(message) is not None:
                found.add((numbers[key], key, message.id))
    lost = {(one.store, one.session_id): one for one in unsure if one.session_key is None}
    for (number, id_), one in lost.items():
        own = store.origin(one).store
        for message in own.lost_messages(id_, token) if own else ():
            if where(message) is not None:
                found.add((number, None, message.id))
    return frozenset(found)


def denied_words(query: Query) -> Query | None:
    """A search for any of the words that must not be there, in the places that `in:` names; None
    where there are none."""
    terms = tuple(term for clause in query.clauses if clause.negated for term in clause.any_of)
    places = tuple(field for field in query.fields if field.name == PLACE_FIELD)
    return query._replace(clauses=(Clause(terms),), fields=places) if terms else None


def holders(
    request: Request, token: CancelToken, tell: Callable[[float], None] = lambda done: None
) -> frozenset[int]:
    """The conversations in which something matches, a message or a title, whatever hides them;
    `tell` gets how much has been read, from 0 to 1."""
    catalog = request.catalog
    found = set(map(catalog.tip, request.titled()))

    def is_open(one: Candidate) -> bool:
        # One message is enough: those beside it need not be read.
        key = one.session_key
        return key is not None and catalog.has(key) and catalog.tip(key) not in found

    for stretch in scan(request, token, is_open):
        found.update(
            catalog.tip(hit.session_key) for hit in stretch.found if hit.session_key is not None
        )
        if stretch.below is not None:
            tell(stretch.done)
    return frozenset(found)


def denied(
    request: Request, token: CancelToken, tell: Callable[[float], None] = lambda done: None
) -> frozenset[int]:
    """The conversations with a word that must not be there."""
    words = denied_words(request.query)
    return holders(request.of(words), token, tell) if words else frozenset()
