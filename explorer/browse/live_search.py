"""A search while the user types, and the list of what it has found so far: titles at once, then the
text, in stages, each listed as it comes, with the words around what was found.

Runs in a worker thread. A new key stops it, inside SQLite; what it told before stays in the list
until there is something newer.
"""

import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from weakref import WeakKeyDictionary

from explorer.browse import words
from explorer.browse.arrangement import Arranged, Asked, Excerpt, Found
from explorer.browse.headings import Group
from explorer.cancel import CancelToken
from explorer.model import SAFE_ID, Hidden
from explorer.render.clean import clean_line
from explorer.render.lines import MATCH, Line, restyled
from explorer.render.plain_words import plain_line
from explorer.search.engine import LEFT_OUT, Gathered, SearchResult, denied, prepared, search
from explorer.search.matcher import Matcher, Titles, Where, titles_alike, titles_holding
from explorer.search.pattern import BadPattern
from explorer.stores.base import Indexed, Store
from explorer.stores.catalog import Catalog
from explorer.stores.resolve import pinned_rows

QUIET_AFTER_ONE_LETTER = 0.25
"""Seconds without a key before one or two letters are searched for: they are in every message, and
most who type them go on typing."""
AROUND = 16
"""Characters before a match in an excerpt: the match itself must be visible in a narrow list."""
SURE, CLEAR = 4, 2
"""Letters of the beginning of an id that are searched for, and where only one id starts so."""
STARTING = 5
"""Sessions that are listed because their id starts with what was typed: a year is the beginning of
thousands."""
_TITLES: "WeakKeyDictionary[Catalog, Titles]" = WeakKeyDictionary()
"""Titles of all sessions, for the next key: reading 100,000 takes 50 ms."""


class LiveSearch:
    """One search of the bar."""

    def __init__(
        self,
        asked: Asked,
        matcher: Matcher,
        tell: Callable[[Arranged], None],
        token: CancelToken,
    ) -> None:
        """Search for what `matcher` says; `tell` gets the list as it grows."""
        self._begun = time.monotonic()
        self._asked = asked
        self._tell = tell
        self._token = token
        catalog, wish = asked.catalog, asked.wish
        self._pinned = pinned_rows(asked.store, catalog, wish.pins, token)
        self._request = prepared(
            asked.store,
            catalog,
            matcher,
            asked.now,
            token,
            filters=wish.filters,
            hides=lambda tip: wish.hides(catalog, tip),
            pins=self._pinned,
            known=asked.facts,
            titles=_TITLES.get(catalog),
            fates=asked.fates,
            best=wish.best,
            chats=asked.chats(token) if asked.chats else {},
        )
        _TITLES[catalog] = self._request.titles
        self._left_out: Counter[Hidden] = Counter()
        """Titles and ids that are only counted."""
        self._named = self._by_id()
        self._starting, self._starting_words = self._by_beginning()
        self._titled: Sequence[int] = ()
        """With the words in the title, newest first."""
        self._alike: Sequence[int] = ()
        """With a title that is like them, the most alike first."""
        self._to_compare = False
        self._has_rows = False
        """The list was made with its visible rows."""
        self._has_begun = False
        """A list was made."""

    def run(self) -> Arranged:
        """The list at the end."""
        return self._words() if self._request.query.asks_messages else self._sessions()

    def _by_id(self) -> tuple[int, ...]:
        """The conversation that was asked for by the whole id of one of its parts, if one was:
        people paste what their agent has printed. It is listed whatever hides it."""
        store, catalog = self._asked.store, self._asked.catalog
        text = self._asked.text.strip().removeprefix("id:")
        if not re.fullmatch(SAFE_ID, text):
            return ()
        keys = store.keys_of([text], self._token).values()
        return tuple(catalog.tip(key) for key in keys if catalog.has(key))

    def _by_beginning(self) -> tuple[tuple[int, ...], str]:
        """(conversations with an id that starts with what was typed, last active first; their
        heading): the only one whatever hides it, else those that are visible."""
        text = self._asked.text.strip()
        if self._named or len(text) < CLEAR or not re.fullmatch(SAFE_ID, text):
            return (), ""
        catalog = self._asked.catalog
        keys, more = self._asked.store.keys_starting(text, self._token)
        tips = catalog.by_last_active({catalog.tip(key) for key in keys if catalog.has(key)})
        if len(tips) == 1:
            return tuple(tips), words.id_starts(1, 1)
        if len(text) < SURE:
            return (), ""
        reasons = {tip: self._request.counts_as(tip) for tip in tips}
        visible = [tip for tip in tips if reasons[tip] is None]
        self._left_out.update(reason for reason in reasons.values() if reason is not None)
        listed = tuple(visible[:STARTING])
        return listed, words.id_starts(len(listed), len(visible), more)

    def _sessions(self) -> Arranged:
        """Sessions that are asked for by what they are, not by what was said in them."""
        request = self._request

        def tell(done: float) -> None:
            # Which sessions lack a word is known only at the end: until then, how far it is.
            self._tell(self._arranged([], (), {}, self._found_sessions(done)))

        try:
            out = denied(request, self._token, tell)
        except BadPattern as error:
            return self._made(SearchResult(request.query), error.message)
        tips = (tip for tip, _ in request.catalog.rows() if tip not in out)
        order, hidden = request.listed(tips, self._named)
        groups = (Group(0, words.LAST_ACTIVE_FIRST),) if order else ()
        return self._arranged(order, groups, hidden, self._found_sessions(1.0, complete=True))

    def _found_sessions(self, done: float, complete: bool = False) -> Found:
        result = SearchResult(self._request.query, done=done, complete=complete)
        return Found(result, 0, self._seconds(), sessions=True)

    def _words(self) -> Arranged:
        """Looks for words; where an expression turns out to be too slow, what was found so far."""
        gathered = Gathered(self._request)
        try:
            return self._made(self._in_titles_and_text(gathered))
        except BadPattern as error:
            return self._made(gathered.result(Indexed()), error.message)

    def _in_titles_and_text(self, gathered: Gathered) -> SearchResult:
        request = self._request
        holding = titles_holding(request.titles, request.matcher)
        self._titled = request.catalog.by_last_active(self._tips(holding))
        self._to_compare = not holding
        longest = max((len(t.text) for c in request.query.positive for t in c.any_of), default=0)
        if longest < 3 and self._asked.text.isascii():
            self._tell(self._made(SearchResult(request.query)))
            self._token.wait(QUIET_AFTER_ONE_LETTER)
        result = search(gathered, self._so_far, self._tell, self._token)
        self._compare()
        return result

    def _tips(self, keys: Iterable[int]) -> list[int]:
        """The conversations of these sessions that are listed, each once; others are counted as
        hits that are not."""
        found = []
        request = self._request
        for tip in dict.fromkeys(map(request.catalog.tip, filter(request.is_in_time, keys))):
            if not request.matches(tip):
                continue
            reason = request.counts_as(tip)
            if reason is None:
                found.append(tip)
            else:
                self._left_out[reason] += 1
        return found

    def _so_far(self, result: SearchResult) -> Arranged:
        """The list of what there is; the first one with its visible rows."""
        if self._has_begun:
            self._compare()
        arranged = self._made(result)
        if arranged.order and not self._has_rows:
            arranged = self._with_rows(arranged, result)
            self._has_rows = True
        self._has_begun = True
        return arranged

    def _compare(self) -> None:
        """Titles that are like the words, where none holds them; once, and after the first hits:
        compared letter by letter, 10,000 take longer than those."""
        if self._to_compare:
            alike = titles_alike(self._request.titles, self._request.matcher)
            self._alike = self._tips(alike)
            self._to_compare = False

    def _with_rows(self, arranged: Arranged, result: SearchResult) -> Arranged:
        """The list with its first rows and what was found in them."""
        asked, found = self._asked, arranged.found
        keys = list(arranged.order[: asked.page])
        unread = [asked.catalog.folded(key) for key in keys if key not in asked.known]
        read = asked.store.sessions(unread, asked.now, self._token) if unread else ()
        lit = excerpts(asked.store, keys, result, self._request.matcher, self._token)
        rows = {session.key: session for session in read}
        return arranged._replace(found=found and found._replace(rows=rows, excerpts=lit))

    def _made(self, result: SearchResult, trouble: str = "") -> Arranged:
        """The list of what was found, in its groups."""
        there = {*self._named, *self._starting, *self._titled, *result.counts}
        alike = [tip for tip in self._alike if tip not in there]
        order: dict[int, None] = {}
        groups: list[Group] = []
        for title, rows in (
            (words.EXACT_ID, self._named),
            (self._starting_words, self._starting),
            (words.IN_TITLE, self._titled),
            (words.in_text(self._request.best, result.ranked), result.order),
            (words.SIMILAR_TITLES, alike),
        ):
            first = len(order)
            order |= dict.fromkeys(rows)
            groups += [Group(first, title)] if len(order) > first else []
        found = Found(
            result=result,
            titles=len(self._titled),
            ids=len(self._named) + len(self._starting),
            alike=len(alike),
            seconds=self._seconds(),
            trouble=trouble,
        )
        hidden = Counter(result.hidden) + self._left_out
        return self._arranged(list(order), tuple(groups), hidden, found)

    def _arranged(
        self,
        order: Sequence[int],
        groups: tuple[Group, ...],
        hidden: Mapping[Hidden, int],
        found: Found,
    ) -> Arranged:
        hides = self._request.hides
        asked = (*self._named, *self._starting)
        excepted = frozenset(tip for tip in asked if hides(tip) in LEFT_OUT)
        return Arranged(
            order, groups, hidden, len(order), found, pinned=self._pinned, excepted=excepted
        )

    def _seconds(self) -> float:
        return time.monotonic() - self._begun


def excerpts(
    store: Store, rows: Iterable[int], result: SearchResult, matcher: Matcher, token: CancelToken
) -> dict[int, Excerpt]:
    """The words around the hit that stands for each of these rows; of none where the expression
    takes too long."""
    places: dict[tuple[int, int], int] = {}
    for row in rows:
        hit = result.leading.get(row)
        if hit is not None and hit.session_key is not None:
            places[hit.session_key, hit.message_id] = row
    made: dict[int, Excerpt] = {}
    for key, message in store.scattered(list(places), token):
        row = places[key, message.id]
        try:
            where = matcher.where(message)
            around = _around(where, matcher) if where is not None else ()
        except BadPattern:
            break
        if where is not None:
            field = "result" if message.role == "tool" else where.field
            made[row] = Excerpt(message.id, field, around)
    return made


def _around(where: Where, matcher: Matcher) -> Line:
    first = where.at or 0
    start = max(first - AROUND, 0)
    # From the beginning of a word, where there is one so near.
    start = where.text.find(" ", start, first) + 1 or start if start else 0
    line = ("…" if start else "") + clean_line(where.text[start : start + 600], 300)
    spans = matcher.spans(line)
    lit = restyled(((line, "text"),), [(*span, MATCH) for span in spans])
    return plain_line(lit, spans)
