"""A query made ready for one store: what it asks of messages, and which conversations count.

The search bar, the command and a prune all begin here. `engine` runs the request.
"""

from collections.abc import Callable, Iterable
from datetime import tzinfo
from typing import NamedTuple

from explorer.cancel import CancelToken
from explorer.model import OWN_CLASSES, Hidden
from explorer.search.filters import FILTERED, NO_FILTERS, Filters, all_of, wanted
from explorer.search.language.query import Query
from explorer.search.language.session_fields import Known, session_test
from explorer.search.matcher import Matcher
from explorer.search.titles import NO_TITLES, Titles, titles_holding
from explorer.stores.base import Store
from explorer.stores.catalog import NOISE, Catalog
from explorer.stores.columns import TITLE, Columns
from explorer.stores.fates import NO_FATES, SOON, Fates, expiring

LEFT_OUT = frozenset(OWN_CLASSES) - {Hidden.EMPTY}
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
    passes: Callable[[int], bool] | None = None
    """Says of a conversation whether fields and filters let it through; None when all do."""
    hides: Hides = hides_nothing
    rewound: bool = False
    """Messages that were taken back count too."""
    best: bool = False
    """The best conversation comes first, not the newest."""

    @property
    def query(self) -> Query:
        return self.matcher.query

    def of(self, query: Query) -> "Request":
        """The same for another query."""
        return self._replace(matcher=Matcher(query, self.now))

    def counts_as(self, tip: int) -> Hidden | None:
        """Why the hits of a conversation are only counted; None where they are given."""
        reason = self.hides(tip)
        if reason in LEFT_OUT:
            return reason
        return Hidden.FILTERED if self.passes is not None and not self.passes(tip) else None

    def is_in_time(self, key: int) -> bool:
        """Whether a session is there and was active in the days that are asked for."""
        catalog = self.catalog
        return catalog.has(key) and self.matcher.in_time(catalog.last_active(key))

    def titled(self) -> list[int]:
        """The sessions whose title holds what is looked for."""
        return list(filter(self.is_in_time, titles_holding(self.titles, self.matcher)))

    def listed(
        self, keys: Iterable[int], named: Iterable[int] = ()
    ) -> tuple[list[int], dict[Hidden, int]]:
        """(those of these sessions whose conversations are listed, the newest first; how many are
        hidden, by class). Those that are `named` are listed whatever hides them."""
        found: list[int] = []
        hidden: dict[Hidden, int] = {}
        for key in keys:
            tip = self.catalog.tip(key)
            if self.passes is not None and not self.passes(tip):
                continue
            reason = self.hides(tip)
            if reason is None or tip in named:
                found.append(key)
            else:
                hidden[reason] = hidden.get(reason, 0) + 1
        return self.catalog.by_last_active(found), hidden


def left_out(catalog: Catalog) -> Hides:
    """Hides the classes that a search leaves out unless somebody asks for them."""

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
) -> Request:
    """Read what the fields and the filters ask of sessions; what is given is not read again. A
    class that the query asks for by name is not hidden."""
    test = session_test(matcher.query, now, tz)
    columns = known or Columns()
    if titles is not None:
        columns |= Columns({TITLE: titles.stored})
    asked = {TITLE, *test.columns, *(FILTERED if filters.needs_facts else ())}
    if missing := asked - columns.known.keys():
        columns |= store.columns(missing, token=token)
    if fates is None:
        needed = test.needs_fates or filters.expiring
        fates = store.fates(catalog, before=now + SOON, token=token) if needed else NO_FATES
    about = expiring(fates, catalog.chain, now) if filters.expiring else ()
    fits = test.over(Known(catalog, columns, pins, fates))
    named = {NOISE[source] for source in test.sources if source in NOISE} | test.classes

    def hidden(tip: int) -> Hidden | None:
        reason = hides(tip)
        return None if reason in named else reason

    return Request(
        store=store,
        catalog=catalog,
        matcher=matcher,
        now=now,
        titles=titles or Titles.of(columns[TITLE]),
        passes=all_of((fits, wanted(catalog, columns, filters, about))),
        hides=hidden,
        rewound=rewound,
        best=best,
    )
