"""A search that is asked once and runs to its end, for scripts: every hit, the newest first.

It reads the file from its newest message to its oldest; the search tables would give the first
hits sooner, but not in this order, and not all of them.
"""

from collections.abc import Iterator
from datetime import tzinfo

from explorer.cancel import CancelToken
from explorer.model import Hidden, Hit
from explorer.search.engine import Gathered, scan
from explorer.search.exclusions import denied
from explorer.search.hits import message_hits, title_hits
from explorer.search.language.query import parse
from explorer.search.matcher import Matcher
from explorer.search.request import Request, hides_nothing, left_out, prepared
from explorer.stores.base import Store
from explorer.stores.catalog import Catalog


class CompleteSearch:
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
        self._now = now
        self._everything = everything
        self._tz = tz
        self.query = parse(text, now, tz)
        self.total = 0
        self.hidden: dict[Hidden, int] = {}
        self.complete = False

    def hits(self, token: CancelToken | None = None) -> Iterator[Hit]:
        """Sessions whose title matches, then messages."""
        for hit in self._found(token or CancelToken()):
            self.total += 1
            yield hit
        self.complete = True

    def _found(self, token: CancelToken) -> Iterator[Hit]:
        request = prepared(
            self._store,
            self._catalog,
            Matcher(self.query, self._now, self._tz),
            self._now,
            token,
            tz=self._tz,
            hides=hides_nothing if self._everything else left_out(self._catalog),
            rewound=self._everything,
        )
        keys, self.hidden = request.listed(self._sessions(request, token))
        yield from title_hits(request, keys, token)
        if self.query.asks_messages:
            gathered = Gathered(request)
            for stretch in scan(request, token):
                yield from message_hits(request, gathered.add(stretch.found), token)
            for reason, number in gathered.hidden.items():
                self.hidden[reason] = self.hidden.get(reason, 0) + number

    def _sessions(self, request: Request, token: CancelToken) -> list[int]:
        """Sessions by their titles; without words to find, all that hold no word that must not be
        there."""
        query = self.query
        if query.needs_text:
            return request.titled()
        if query.asks_messages or not (query.fields or query.clauses):
            return []
        out = denied(request, token)
        return [tip for tip, _ in self._catalog.rows() if tip not in out]
