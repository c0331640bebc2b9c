"""A search that is asked once and runs to its end, for scripts: every hit, the newest first.

It reads the file from its newest message to its oldest; the search tables would give the first
hits sooner, but not in this order, and not all of them.
"""

from collections.abc import Callable, Iterator
from datetime import tzinfo

from explorer.cancel import CancelToken
from explorer.model import Hidden, Hit
from explorer.search.engine import Decider, Gathered, left_out
from explorer.search.exclusions import Holders, denied_words
from explorer.search.hits import message_hits, title_hits
from explorer.search.language.query import Query, parse
from explorer.search.language.session_fields import Known, session_test
from explorer.search.matcher import Matcher, is_plain, needles
from explorer.search.titles import Titles, titles_holding
from explorer.stores.base import Store
from explorer.stores.catalog import NOISE, Catalog
from explorer.stores.columns import TITLE, Columns
from explorer.stores.fates import NO_FATES, SOON


class Whole:
    """One search; its figures are right when all hits have been taken."""

    def __init__(
        self,
        store: Store,
        catalog: Catalog,
        text: str,
        now: float,
        everything: bool = False,
        tz: tzinfo | None = None,
    ) -> None:
        """`everything` gives hits of all classes, and of messages that were taken back."""
        self._store = store
        self._catalog = catalog
        self._everything = everything
        self.query: Query = parse(text, now, tz)
        self._matcher = Matcher(self.query, now, tz)
        self._now = now
        self.total = 0
        self.hidden: dict[Hidden, int] = {}
        self.complete = False

    def hits(self, token: CancelToken | None = None) -> Iterator[Hit]:
        """Sessions whose title matches, then messages."""
        token = token or CancelToken()
        columns, passes = self._asks(token)
        gathered = Gathered(self._catalog, self._hides, passes)
        found = self._titled(columns, passes, token)
        yield from self._counted(title_hits(self._store, found, self._matcher, token))
        if self.query.asks_messages:
            yield from self._counted(self._messages(gathered, token))
        for reason, number in gathered.hidden.items():
            self.hidden[reason] = self.hidden.get(reason, 0) + number
        self.complete = True

    def _asks(self, token: CancelToken) -> tuple[Columns, Callable[[int], bool] | None]:
        """What the fields ask of sessions."""
        test = session_test(self.query, self._now)
        columns = self._store.columns(test.columns | {TITLE}, token=token)
        self._named = {NOISE[name] for name in test.sources if name in NOISE} | test.classes
        fates = NO_FATES
        if test.needs_fates:
            fates = self._store.fates(self._catalog, before=self._now + SOON, token=token)
        return columns, test.over(Known(self._catalog, columns, fates=fates))

    def _hides(self, tip: int) -> Hidden | None:
        reason = None if self._everything else left_out(self._catalog, tip)
        return None if reason in self._named else reason

    def _titled(
        self, columns: Columns, passes: Callable[[int], bool] | None, token: CancelToken
    ) -> list[int]:
        """Sessions by their titles; without words to find, all that the fields let through and
        that hold no word that must not be there."""
        query, titles = self.query, Titles.of(columns[TITLE])
        if query.needs_text:
            keys = titles_holding(titles, self._matcher)
        elif (query.fields or query.clauses) and not query.asks_messages:
            holders = Holders(self._store, self._catalog, titles, self._now, self._everything)
            words = denied_words(query)
            denied = holders.of(words, token) if words else frozenset()
            keys = tuple(tip for tip, _ in self._catalog.rows() if tip not in denied)
        else:
            return []
        kept = []
        for key in self._catalog.by_last_active(key for key in keys if self._catalog.has(key)):
            tip = self._catalog.tip(key)
            if passes is not None and not passes(tip):
                continue
            if query.needs_text and not self._matcher.in_time(self._catalog.last_active(key)):
                continue
            reason = self._hides(tip)
            if reason is None:
                kept.append(key)
            else:
                self.hidden[reason] = self.hidden.get(reason, 0) + 1
        return kept

    def _messages(self, gathered: Gathered, token: CancelToken) -> Iterator[Hit]:
        looked_for = needles(self.query, self._everything)
        decide = Decider(self._store, self._matcher, is_plain(self.query))
        below: int | None = None
        while True:
            stretch = self._store.scanned(looked_for, below, token)
            given = gathered.add(decide(stretch.found, token))
            yield from message_hits(self._store, given, self._matcher, self._everything, token)
            below = stretch.below
            if below is None:
                return

    def _counted(self, hits: Iterator[Hit]) -> Iterator[Hit]:
        for hit in hits:
            self.total += 1
            yield hit
