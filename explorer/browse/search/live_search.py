"""A search while somebody types: titles at once, then the text, in stages, each listed as it comes.

Runs in a worker thread. A new key stops it, inside SQLite; what it told before stays in the list
until there is something newer.
"""

import re
import time
from collections.abc import Callable
from weakref import WeakKeyDictionary

from explorer.browse.arrangement import Arranged, Asked
from explorer.browse.search.excerpts import excerpts
from explorer.browse.search.search_results import SearchListing
from explorer.cancel import CancelToken
from explorer.model import SAFE_ID, Hidden
from explorer.search.engine import LEFT_OUT, Gathered, Result, search
from explorer.search.exclusions import Holders, denied_words
from explorer.search.filters import FILTERED, wanted
from explorer.search.language.session_fields import Known, session_test
from explorer.search.matcher import Matcher
from explorer.search.pattern import BadPattern
from explorer.search.titles import Titles, titles_alike, titles_holding
from explorer.stores.candidates import Indexed
from explorer.stores.catalog import NOISE, Catalog
from explorer.stores.columns import TITLE, Column, Columns
from explorer.stores.fates import NO_FATES, SOON, expiring
from explorer.stores.pins import pinned_rows

QUIET_AFTER_ONE_LETTER = 0.25
"""Seconds without a key before one or two letters are searched for: they are in every message, and
most who type them go on typing."""
_TITLES: "WeakKeyDictionary[Catalog, Titles]" = WeakKeyDictionary()
"""Titles of all sessions, for the next key: reading 100,000 takes 50 ms."""

Tell = Callable[[Arranged], None]


def run(asked: Asked, matcher: Matcher, tell: Tell, token: CancelToken) -> Arranged:
    """Search for what `matcher` says; `tell` gets the list as it grows."""
    begun = time.monotonic()
    catalog, store, now = asked.catalog, asked.store, asked.now
    query = matcher.query
    test = session_test(query, now)
    filtered = FILTERED if asked.wish.filters.needs_facts else frozenset()
    columns = _columns(asked, test.columns | filtered, token)
    pinned = pinned_rows(asked.store, catalog, asked.wish.pins, token)
    fates = asked.fates or NO_FATES
    if asked.fates is None and (test.needs_fates or asked.wish.filters.expiring):
        fates = store.fates(catalog, before=now + SOON, token=token)
    asks = test.over(Known(catalog, columns, pinned, fates))
    about = expiring(fates, catalog.chain, now) if asked.wish.filters.expiring else ()
    filters = wanted(catalog, columns, asked.wish.filters, about)
    tests = [one for one in (asks, filters) if one is not None]

    def passes(key: int) -> bool:
        return all(one(key) for one in tests)

    named = {NOISE[source] for source in test.sources if source in NOISE} | test.classes

    def hides(tip: int) -> Hidden | None:
        reason = asked.wish.hides(catalog, tip)
        return None if reason in named else reason

    def hides_hits(tip: int) -> Hidden | None:
        reason = hides(tip)
        return reason if reason in LEFT_OUT else None

    given = passes if tests else None
    listing = SearchListing(catalog, query, hides_hits, given, begun, pinned)
    listing.named = _named(asked, token)
    listing.best = asked.wish.best
    if not query.asks_messages:
        try:
            listing.denied = _denied(asked, matcher, _titles(asked, columns), listing, tell, token)
        except BadPattern as error:
            listing.trouble = error.message
            return listing.made(Result(query))
        return listing.of_sessions(hides)
    gathered = Gathered(catalog, hides_hits, given, asked.wish.best)
    return _Words(asked, matcher, listing, gathered, tell, token).found(columns)


def _denied(
    asked: Asked,
    matcher: Matcher,
    titles: Titles,
    listing: SearchListing,
    tell: Tell,
    token: CancelToken,
) -> frozenset[int]:
    """Conversations with a word that must not be there. Until all has been read nobody knows who
    is without it, so that only how far it is gets told."""
    words = denied_words(matcher.query)
    if words is None:
        return frozenset()
    holders = Holders(asked.store, asked.catalog, titles, asked.now, rewound=False)
    return holders.of(words, token, lambda done: tell(listing.still_reading(done)))


class _Words:
    """Looks for words: in titles, then in the text."""

    def __init__(
        self,
        asked: Asked,
        matcher: Matcher,
        listing: SearchListing,
        gathered: Gathered,
        tell: Tell,
        token: CancelToken,
    ) -> None:
        self._asked = asked
        self._query = matcher.query
        self._matcher = matcher
        self._listing = listing
        self._gathered = gathered
        self._tell = tell
        self._token = token
        self._to_compare: Titles | None = None
        self._has_rows = False
        """The list has been told with the rows that are in sight."""
        self._told = False

    def found(self, columns: Columns) -> Arranged:
        listing, asked, query = self._listing, self._asked, self._query
        titles = _titles(asked, columns)
        holding = titles_holding(titles, self._matcher)
        listing.add_titles(holding, self._matcher)
        self._to_compare = None if holding else titles
        longest = max((len(term.text) for c in query.positive for term in c.any_of), default=0)
        if longest < 3 and asked.text.isascii():
            self._tell(listing.made(Result(query)))
            self._token.wait(QUIET_AFTER_ONE_LETTER)
        try:
            result = search(
                asked.store, query, self._gathered, self._told_so_far, self._token, asked.now
            )
        except BadPattern as error:
            listing.trouble = error.message
            result = self._gathered.result(query, Indexed(), 0.0, complete=False)
        self._compare()
        return listing.made(result)

    def _told_so_far(self, result: Result) -> None:
        if self._told:
            self._compare()
        arranged = self._listing.made(result)
        if arranged.order and not self._has_rows:
            arranged = _with_rows(self._asked, arranged, self._matcher, self._token)
            self._has_rows = True
        self._told = True
        self._tell(arranged)

    def _compare(self) -> None:
        """Titles that are like the words, where none holds them; once, and after the first hits:
        compared letter by letter, 10,000 take longer than those."""
        if self._to_compare is not None:
            alike = titles_alike(self._to_compare, self._query, self._matcher)
            self._listing.add_alike(alike, self._matcher)
            self._to_compare = None


def _named(asked: Asked, token: CancelToken) -> tuple[int, ...]:
    """The conversation that was asked for by the whole id of one of its parts, if one was: people
    paste what their agent has printed. It is listed whatever hides it."""
    text = asked.text.strip().removeprefix("id:")
    if not re.fullmatch(SAFE_ID, text):
        return ()
    keys = asked.store.keys_of([text], token).values()
    return tuple(asked.catalog.tip(key) for key in keys if asked.catalog.has(key))


def _with_rows(asked: Asked, arranged: Arranged, matcher: Matcher, token: CancelToken) -> Arranged:
    """The list with its first rows and what was found in them."""
    found, catalog = arranged.found, asked.catalog
    if found is None:
        return arranged
    keys = list(arranged.order[: asked.page])
    unread = [catalog.folded(key) for key in keys if key not in asked.known]
    read = asked.store.sessions(unread, asked.now, token) if unread else ()
    hits = {key: hit for key in keys if (hit := found.result.leading.get(key))}
    lit = excerpts(asked.store, hits, matcher, found.result.counts, token)
    rows = {session.key: session for session in read}
    return arranged._replace(found=found._replace(rows=rows, excerpts=lit))


def _columns(asked: Asked, wanted: frozenset[Column[object]], token: CancelToken) -> Columns:
    """What is asked of all sessions, as far as it is not known: their titles are kept as long as
    the catalog is."""
    known = asked.facts or Columns()
    if titles := _TITLES.get(asked.catalog):
        known |= Columns({TITLE: titles.stored})
    missing = (wanted | {TITLE}) - known.known.keys()
    return known | asked.store.columns(missing, token=token) if missing else known


def _titles(asked: Asked, columns: Columns) -> Titles:
    known = _TITLES.get(asked.catalog)
    if known is None:
        known = _TITLES[asked.catalog] = Titles.of(columns[TITLE])
    return known
