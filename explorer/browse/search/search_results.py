"""The list that a search makes of what it has found so far: titles first, then the text."""

import time
from collections.abc import Callable, Sequence

from explorer.browse.arrangement import Arranged, Found
from explorer.browse.row_index import Group
from explorer.model import Hidden
from explorer.search.engine import Result
from explorer.search.language.query import Query
from explorer.search.matcher import Matcher
from explorer.stores.catalog import Catalog


class SearchListing:
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
        self.holding: Sequence[int] = ()
        """With the words in the title."""
        self.alike: Sequence[int] = ()
        """With a title that is like them."""
        self.denied: frozenset[int] = frozenset()
        """With a word that must not be there, where sessions are asked for by what they are."""
        self.trouble = ""
        self.best = False
        """The best conversation comes first, not the newest."""

    def add_titles(self, holding: Sequence[int], matcher: Matcher) -> None:
        """Sessions with the words in their titles, newest first."""
        self.holding = self._catalog.by_last_active(self._tips(holding, matcher))

    def add_alike(self, alike: Sequence[int], matcher: Matcher) -> None:
        """Sessions whose titles are like the words, in this order."""
        self.alike = self._tips(alike, matcher)

    def _tips(self, keys: Sequence[int], matcher: Matcher) -> list[int]:
        """The conversations of these sessions that are listed, each once."""
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
        holding = self.holding
        there = {*self.named, *holding, *result.counts}
        alike = [tip for tip in self.alike if tip not in there]
        best = "best first" if result.ranked else "most hits first"
        how = best if self.best else "newest first"
        order: list[int] = []
        groups: list[Group] = []
        for title, rows in (
            ("By its id", self.named),
            ("In the title", holding),
            (f"In the text, {how}", result.order),
            ("Titles like this", alike),
        ):
            before = set(order)
            new = [tip for tip in rows if tip not in before]
            groups += [Group(len(order), title)] if new else []
            order += new
        found = Found(
            result=result,
            titles=len(holding),
            ids=len(self.named),
            alike=len(alike),
            seconds=self._seconds(),
            trouble=self.trouble,
        )
        hidden = dict(result.hidden)
        for reason, number in self._left_out.items():
            hidden[reason] = hidden.get(reason, 0) + number
        return self._arranged(order, tuple(groups), hidden, found)

    def still_reading(self, done: float) -> Arranged:
        """Nothing yet: who is without a word is known when all has been read."""
        found = Found(Result(self._query, done=done), 0, self._seconds(), sessions=True)
        return self._arranged([], (), {}, found)

    def of_sessions(self, hides: Callable[[int], Hidden | None]) -> Arranged:
        """Sessions that are asked for by what they are, not by what was said in them."""
        rows: list[int] = []
        hidden: dict[Hidden, int] = {}
        for tip, _ in self._catalog.rows():
            if tip not in self.denied and (self._passes is None or self._passes(tip)):
                reason = hides(tip)
                if reason is None or tip in self.named:
                    rows.append(tip)
                else:
                    hidden[reason] = hidden.get(reason, 0) + 1
        order = self._catalog.by_last_active(rows)
        result = Result(self._query, done=1.0, complete=True)
        found = Found(result, 0, self._seconds(), sessions=True)
        groups = (Group(0, "Last active first"),) if order else ()
        return self._arranged(order, groups, hidden, found)

    def _seconds(self) -> float:
        return time.monotonic() - self._begun

    def _arranged(
        self, order: list[int], groups: tuple[Group, ...], hidden: dict[Hidden, int], found: Found
    ) -> Arranged:
        excepted = frozenset(tip for tip in self.named if self._hides(tip) is not None)
        return Arranged(
            order, groups, hidden, len(order), found, pinned=self._pinned, excepted=excepted
        )
