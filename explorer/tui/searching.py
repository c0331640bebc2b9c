"""A search while somebody types: titles at once, then the text, in stages, each listed as it comes.

Runs in a worker thread. A new key stops it, inside SQLite; what it told before stays in the list
until there is something newer.
"""

import re
import time
from collections.abc import Callable, Mapping, Sequence
from weakref import WeakKeyDictionary

from explorer.model import SAFE_ID, Hidden
from explorer.render.clean import clean_line
from explorer.render.lines import Line, Span
from explorer.search.engine import LEFT_OUT, Gathered, Hit, Result, search
from explorer.search.fields import Known, session_test
from explorer.search.filters import NO_FACTS, wanted
from explorer.search.language import Query, parse
from explorer.search.matcher import Matcher, Where
from explorer.search.pattern import BadPattern
from explorer.search.titles import Titled, titled
from explorer.store.base import Store
from explorer.store.catalog import NOISE, Catalog
from explorer.store.read_only import CancelToken
from explorer.store.seeking import Indexed
from explorer.store.traits import Trait, Traits
from explorer.tui.arranging import Arranged, Asked, Found
from explorer.tui.row_index import Group

QUIET = 0.004
"""Seconds without a key before the text is searched: for the key itself to be painted."""
QUIET_AFTER_ONE_LETTER = 0.25
"""One or two letters are in every message: most who type them go on typing."""
AT_ONCE = 24
"""Rows that come with the first results: as many as most lists show."""
AROUND = 16
"""Characters before a match in an excerpt: the match itself must be in sight in a narrow list."""
_TITLES: "WeakKeyDictionary[Catalog, Traits]" = WeakKeyDictionary()
"""Titles of all sessions, for the next key: reading 100,000 takes 50 ms."""
_NAMES = {
    "content": "",
    "tool_calls": "tool call: ",
    "tool_name": "tool: ",
    "reasoning": "reasoning: ",
}


def run(asked: Asked, tell: Callable[[Arranged], None], token: CancelToken) -> Arranged:
    """Search; `tell` gets the list as it grows."""
    begun = time.monotonic()
    catalog, store, now = asked.catalog, asked.store, asked.now
    query = parse(asked.text, now)
    test = session_test(query, now)
    traits = _traits(asked, test.traits, token)
    needs = test.needs_facts or asked.wish.filters.needs_facts
    facts = asked.facts or (store.facts(token=token) if needs else NO_FACTS)
    pinned = _pinned(asked, token)
    asks = test.over(Known(catalog, facts, traits, pinned))
    filters = wanted(catalog, facts, asked.wish.filters)
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

    listing = _Listing(catalog, query, hides_hits, passes if tests else None, begun, pinned)
    listing.named = _named(asked, token)
    listing.best = asked.wish.best
    if not query.asks_messages:
        return listing.of_sessions(hides)
    matcher = Matcher(query, now)
    listing.titles = listing.passing(titled(traits.titles, query, matcher), matcher)
    short = max((len(term.text) for c in query.positive for term in c.any_of), default=0) < 3
    if short and asked.text.isascii():
        tell(listing.made(Result(query)))
        token.wait(QUIET_AFTER_ONE_LETTER)
    else:
        # Titles come with the first hits: a list painted twice would take twice the time.
        token.wait(QUIET)
    gathered = Gathered(catalog, hides_hits, passes if tests else None, asked.wish.best)
    listed: list[int] = []

    def told(result: Result) -> None:
        arranged = listing.made(result)
        if arranged.order and not listed:
            arranged = _with_rows(asked, arranged, matcher, token)
            listed.extend(arranged.order[:1])
        tell(arranged)

    try:
        result = search(store, query, gathered, told, token, now)
    except BadPattern as error:
        listing.trouble = error.message
        result = gathered.result(query, Indexed(), 0.0, complete=False)
    return listing.made(result)


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
    keys = list(arranged.order[:AT_ONCE])
    read = asked.store.sessions([catalog.folded(key) for key in keys], asked.now, token)
    hits = {key: hit for key in keys if (hit := found.result.leading.get(key))}
    lit = excerpts(asked.store, hits, matcher, found.result.counts, token)
    rows = {session.key: session for session in read}
    return arranged._replace(found=found._replace(rows=rows, excerpts=lit))


def _pinned(asked: Asked, token: CancelToken) -> frozenset[int]:
    ids = sorted(asked.wish.pins)
    keys = asked.store.keys_of(ids, token).values() if ids else ()
    return asked.catalog.tips(frozenset(key for key in keys if asked.catalog.has(key)))


def _traits(asked: Asked, wanted: frozenset[Trait], token: CancelToken) -> Traits:
    """What is asked of all sessions; their titles are kept as long as the catalog is."""
    if wanted - {Trait.TITLE}:
        return asked.store.traits(wanted | {Trait.TITLE}, token=token)
    known = _TITLES.get(asked.catalog)
    if known is None:
        known = asked.store.traits({Trait.TITLE}, token=token)
        _TITLES[asked.catalog] = known
    return known


class _Listing:
    """Makes the list of what was found so far."""

    def __init__(
        self,
        catalog: Catalog,
        query: Query,
        hides: Callable[[int], Hidden | None],
        passes: Callable[[int], bool] | None,
        begun: float,
        pinned: frozenset[int],
    ) -> None:
        self._catalog = catalog
        self._query = query
        self._hides = hides
        self._passes = passes
        self._begun = begun
        self._pinned = pinned
        self._left_out: dict[Hidden, int] = {}
        self.named: tuple[int, ...] = ()
        """Asked for by its id."""
        self.titles = Titled()
        self.trouble = ""
        self.best = False
        """The best conversation comes first, not the newest."""

    def passing(self, found: Titled, matcher: Matcher) -> Titled:
        """The conversations of these sessions that are listed, each once, the newest first."""
        return Titled(
            tuple(self._catalog.by_last_active(self._tips(found.holding, matcher))),
            tuple(self._tips(found.alike, matcher)),
        )

    def _tips(self, keys: Sequence[int], matcher: Matcher) -> list[int]:
        catalog = self._catalog
        known = (
            catalog.tip(key)
            for key in keys
            if catalog.has(key) and matcher.in_time(catalog.last_active(key))
        )
        return [tip for tip in dict.fromkeys(known) if self._listed(tip)]

    def _listed(self, tip: int) -> bool:
        """Whether a title is listed; else it is counted as a hit that is not."""
        reason = self._hides(tip)
        if reason is None and self._passes is not None and not self._passes(tip):
            reason = Hidden.FILTERED
        if reason is not None:
            self._left_out[reason] = self._left_out.get(reason, 0) + 1
        return reason is None

    def made(self, result: Result) -> Arranged:
        holding, alike = self.titles
        best = "best first" if result.ranked else "most hits first"
        how = best if self.best else "newest first"
        order: list[int] = []
        groups: list[Group] = []
        for title, rows in (
            ("By its id", self.named),
            ("In the title", holding),
            (f"In the text, {how}", result.order),
            ("Titles like this", [tip for tip in alike if tip not in result.counts]),
        ):
            before = set(order)
            new = [tip for tip in rows if tip not in before]
            groups += [Group(len(order), title)] if new else []
            order += new
        found = Found(
            result=result,
            titles=len(holding),
            ids=len(self.named),
            seconds=time.monotonic() - self._begun,
            trouble=self.trouble,
        )
        hidden = dict(result.hidden)
        for reason, number in self._left_out.items():
            hidden[reason] = hidden.get(reason, 0) + number
        return self._arranged(order, tuple(groups), hidden, found)

    def of_sessions(self, hides: Callable[[int], Hidden | None]) -> Arranged:
        """Sessions that are asked for by what they are, not by what was said in them."""
        rows: list[int] = []
        hidden: dict[Hidden, int] = {}
        for tip, _ in self._catalog.rows():
            if self._passes is None or self._passes(tip):
                reason = hides(tip)
                if reason is None or tip in self.named:
                    rows.append(tip)
                else:
                    hidden[reason] = hidden.get(reason, 0) + 1
        order = self._catalog.by_last_active(rows)
        result = Result(self._query, done=1.0, complete=True)
        found = Found(result, 0, time.monotonic() - self._begun, sessions=True)
        groups = (Group(0, "Last active first"),) if order else ()
        return self._arranged(order, groups, hidden, found)

    def _arranged(
        self, order: list[int], groups: tuple[Group, ...], hidden: dict[Hidden, int], found: Found
    ) -> Arranged:
        excepted = frozenset(tip for tip in self.named if self._hides(tip) is not None)
        return Arranged(
            order, groups, hidden, len(order), found, pinned=self._pinned, excepted=excepted
        )


def excerpts(
    store: Store,
    hits: Mapping[int, Hit],
    matcher: Matcher,
    counts: Mapping[int, int],
    token: CancelToken,
) -> dict[int, Line]:
    """The words around the match that stands for each of these rows, the match lit."""
    places = {
        (hit.session_key, hit.message_id): row
        for row, hit in hits.items()
        if hit.session_key is not None
    }
    wanted_places = [(key, id_) for key, id_ in places if key is not None]
    made: dict[int, Line] = {}
    for key, message in store.scattered(wanted_places, token):
        where = matcher.where(message)
        if where is not None:
            row = places[key, message.id]
            name = "result: " if message.role == "tool" else _NAMES[where.field]
            many = f"{counts[row]:,} hits · " if counts.get(row, 0) > 1 else ""
            made[row] = ((f"{many}{name}", "dim"), *_lit(where, matcher))
    return made


def _lit(where: Where, matcher: Matcher) -> list[Span]:
    first = where.spans[0][0] if where.spans else 0
    start = max(first - AROUND, 0)
    # From the beginning of a word, where there is one so near.
    start = where.text.find(" ", start, first) + 1 or start if start else 0
    line = ("…" if start else "") + clean_line(where.text[start : start + 600], 300)
    spans: list[Span] = []
    at = 0
    for begin, end in matcher.spans(line):
        spans += [(line[at:begin], "text"), (line[begin:end], "match")]
        at = end
    spans.append((line[at:], "text"))
    return [span for span in spans if span[0]]
