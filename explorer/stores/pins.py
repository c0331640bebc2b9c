"""Which conversations are pinned: in the agent's own file, or in our notes where it has no place
for that. Either counts."""

from collections.abc import Collection

from explorer.cancel import CancelToken
from explorer.stores.base import Store
from explorer.stores.catalog import Catalog


def pinned_rows(
    store: Store, catalog: Catalog, noted: Collection[str], token: CancelToken | None = None
) -> frozenset[int]:
    """The rows of a list that are pinned; `noted` are the ids that our notes hold. A conversation
    is pinned by any of its parts."""
    keys = store.keys_of(sorted(noted), token).values() if noted else ()
    return catalog.tips(catalog.pinned.union(key for key in keys if catalog.has(key)))
