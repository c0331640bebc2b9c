"""A search as the app runs it while somebody types, run to its end, with every hit noted."""

from collections.abc import Callable, Iterable

from explorer.cancel import CancelToken
from explorer.search.engine import Gathered, Hit, Result, search
from explorer.search.language.query import parse
from explorer.stores.base import Store
from explorer.stores.catalog import Catalog


class Noted(Gathered):
    """Notes what it gives, as (session, message)."""

    found: set[tuple[int, int]]

    def add(self, found: Iterable[Hit], again: bool = False) -> list[Hit]:
        given = super().add(found, again)
        places = {(hit.session_key or 0, hit.message_id) for hit in given}
        self.found = getattr(self, "found", set()) | places
        return given


def searched(
    store: Store,
    catalog: Catalog,
    text: str,
    tell: Callable[[Result], None] = lambda _: None,
    now: float = 0.0,
    hide: bool = False,
) -> tuple[Result, set[tuple[int, int]]]:
    """(what it came to, every hit); with `hide`, those of machinery are only counted."""
    gathered = Noted(catalog) if hide else Noted(catalog, lambda _: None)
    result = search(store, parse(text, now), gathered, tell, CancelToken(), now)
    return result, gathered.found
