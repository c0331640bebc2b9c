"""What the list says of what an agent is going to do by itself: which rows, and how many."""

from collections.abc import Mapping
from typing import NamedTuple

from explorer.store.base import Store
from explorer.store.catalog import Catalog
from explorer.store.fate_words import mark_of, warning_forms
from explorer.store.fates import Deed, Fate, Fates, expiring
from explorer.store.read_only import CancelToken


class Outlook(NamedTuple):
    """What is about to happen, as of one moment."""

    fates: Fates
    expiring: Mapping[int, Fate]
    """Conversations that are about to disappear from the list, by their tips."""
    made: float

    @property
    def marks(self) -> dict[int, str]:
        """The signs of the rows."""
        return {tip: mark_of(fate) for tip, fate in self.expiring.items()}

    @property
    def deleted(self) -> list[int]:
        """Those that are deleted, the first one first."""
        doomed = [tip for tip, fate in self.expiring.items() if fate.deed is Deed.DELETE]
        return sorted(doomed, key=lambda tip: (self.expiring[tip].at, tip))

    def warning(self) -> tuple[str, ...]:
        """What the top bar says, in several lengths."""
        doomed = [self.expiring[tip] for tip in self.deleted]
        due = sum(fate.is_due(self.made) for fate in doomed)
        return warning_forms(due, len(doomed), self.fates.certain)


def foresee(
    store: Store, catalog: Catalog, known: Fates | None, now: float, token: CancelToken
) -> Outlook:
    """In a thread: what is about to happen to all sessions."""
    fates = store.fates(catalog, token=token) if known is None else known
    return Outlook(fates, expiring(fates, catalog.conversations(), now), now)
