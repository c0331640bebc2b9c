"""A search as the app runs it while somebody types, run to its end, with every hit noted."""

from collections.abc import Callable, Iterable

from explorer.cancel import CancelToken
from explorer.search.engine import Gathered, Request, SearchResult, left_out, search
from explorer.search.language.query import parse
from explorer.search.matcher import Matcher
from explorer.stores.base import Candidate, Store
from explorer.stores.catalog import Catalog


class Noted(Gathered):
    """Notes what it gives, as (session, message)."""

    found: set[tuple[int, int]]

    def add(self, found: Iterable[Candidate], again: bool = False) -> list[Candidate]:
        given = super().add(found, again)
        places = {(hit.session_key or 0, hit.message_id) for hit in given}
        self.found = getattr(self, "found", set()) | places
        return given


def searched(
    store: Store,
    catalog: Catalog,
    text: str,
    tell: Callable[[SearchResult], None] = lambda _: None,
    now: float = 0.0,
    hide: bool = False,
) -> tuple[SearchResult, set[tuple[int, int]]]:
    """(what it came to, every hit); with `hide`, those of machinery are only counted."""
    request = Request(store, catalog, Matcher(parse(text, now), now), now)
    gathered = Noted(request._replace(hides=left_out(catalog)) if hide else request)
    result = search(gathered, lambda found: found, tell, CancelToken())
    return result, gathered.found
