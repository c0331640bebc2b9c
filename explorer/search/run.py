"""A search over a whole store: messages that match, by session, with what the classes hide.

Archived sessions are searched like any other; hits in sessions of subagents, of cron and of
tools are counted, and given only when asked for.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from explorer.model import Hidden, Sort
from explorer.search.excerpt import marks
from explorer.search.query import Query
from explorer.store.base import Match, Store
from explorer.store.catalog import Catalog
from explorer.store.read_only import CancelToken

LEFT_OUT = frozenset({Hidden.SUBAGENT, Hidden.CRON, Hidden.TOOL})
"""Classes whose hits are counted but not given."""


class Found(NamedTuple):
    """The matches of a query, newest first, those in hidden classes only counted."""

    query: Query
    mode: str
    complete: bool
    matches: tuple[Match, ...]
    titles: tuple[int, ...]
    """Keys of sessions whose title matches."""
    hidden: Mapping[Hidden, int]
    everything: bool = False
    """Nothing was left out: neither classes of sessions nor rewound messages."""

    @property
    def total(self) -> int:
        return len(self.matches) + len(self.titles)


def run(
    store: Store,
    catalog: Catalog,
    query: Query,
    *,
    everything: bool = False,
    listed: Callable[[int], bool] | None = None,
    growing: bool = False,
    limit: int | None = None,
    token: CancelToken | None = None,
) -> Found:
    """Search titles and messages. `everything` gives hits of all classes, and rewound messages;
    `listed` says of a row whether its hits are given although its class is hidden; `growing` lets
    the last word go on, for a search bar that somebody types into."""
    if not query.terms:
        return Found(query, "none", True, (), (), {})
    prefix = growing and query.unfinished
    result = store.matches(query.terms, prefix, limit, everything, token)
    hidden: dict[Hidden, int] = {}
    kept = [m for m in result.found if everything or _shown(catalog, m.session_key, hidden, listed)]
    titles = store.sort_values(Sort.TITLE, token)
    titled = [key for key, title in titles.items() if _title_matches(title, query)]
    shown = [key for key in titled if everything or _shown(catalog, key, hidden, listed)]
    return Found(
        query=query,
        mode=result.mode,
        complete=result.complete,
        matches=tuple(kept),
        titles=tuple(catalog.by_last_active(key for key in shown if catalog.has(key))),
        hidden=hidden,
        everything=everything,
    )


def _shown(
    catalog: Catalog,
    key: int | None,
    hidden: dict[Hidden, int],
    listed: Callable[[int], bool] | None,
) -> bool:
    if key is None or not catalog.has(key):
        return True
    # A part of a conversation is as visible as the conversation.
    tip = catalog.tip(key)
    reason = catalog.hidden_as(tip)
    if reason not in LEFT_OUT or (listed is not None and listed(tip)):
        return True
    hidden[reason] = hidden.get(reason, 0) + 1
    return False


def _title_matches(title: object, query: Query) -> bool:
    return isinstance(title, str) and all(marks(title, (term,)) for term in query.terms)
