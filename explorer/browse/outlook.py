"""What an agent is going to delete or archive by itself: which rows, and how many."""

from collections.abc import Mapping
from typing import NamedTuple

from explorer.cancel import CancelToken
from explorer.stores.base import Store
from explorer.stores.catalog import Catalog
from explorer.stores.fates import DAY, SOON, Deed, Fate, Fates, expiring, mark_of, warning_forms

AHEAD = SOON + DAY
"""Seconds that are looked ahead: what is not soon yet, but will be while the app is open."""


class Outlook(NamedTuple):
    """What is about to happen, as of one moment; made in a thread, since it may be to many."""

    fates: Fates
    expiring: Mapping[int, Fate]
    """Conversations that are about to disappear from the list, by their tips."""
    signs: Mapping[int, str]
    """Of their rows."""
    warning: tuple[str, ...]
    """What the top bar says, in several lengths."""
    made: float

    @property
    def deleted(self) -> list[int]:
        """Those that are deleted, the first one first."""
        doomed = [tip for tip, fate in self.expiring.items() if fate.deed is Deed.DELETE]
        return sorted(doomed, key=lambda tip: (self.expiring[tip].at, tip))


def foresee(
    store: Store, catalog: Catalog, known: Fates | None, now: float, token: CancelToken
) -> Outlook:
    """What is about to happen to all sessions. What is `known` was read at another time, but
    looked further ahead than is told here."""
    fates = store.fates(catalog, before=now + AHEAD, token=token) if known is None else known
    found = expiring(fates, catalog.chain, now)
    doomed = [fate for fate in found.values() if fate.deed is Deed.DELETE]
    due = sum(fate.is_due(now) for fate in doomed)
    warning = warning_forms(due, len(doomed), fates.certain)
    return Outlook(fates, found, {tip: mark_of(fate) for tip, fate in found.items()}, warning, now)
