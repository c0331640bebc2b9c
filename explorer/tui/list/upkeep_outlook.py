"""Keeping track of what the agent is going to do by itself, in the background.

All sessions are looked at once, after everything else; then only those that change. Time alone
changes it too: what was not due is, after a while.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from explorer.browse.outlook import AHEAD, Outlook, foresee
from explorer.cancel import CancelToken
from explorer.stores.catalog import Catalog
from explorer.stores.fates import HOUR, Fates
from explorer.tui.list.list_controller import Lister
from explorer.tui.workers import Lanes

LANE = "fates"
EVERY = 300.0
"""Seconds after which it is looked at anew what is due."""
AGAIN = 12 * HOUR
"""Seconds after which the file is asked anew: it was asked for what comes in the next days."""


@dataclass
class Foreseeing:
    """Knows the outlook of one file."""

    _lanes: Lanes
    _lister: Lister
    _clock: Callable[[], float]
    _told: Callable[[Outlook | None], None]
    """Called with each new outlook."""
    outlook: Outlook | None = None
    _asked: float = 0.0

    def forget(self) -> None:
        """Another file."""
        self._lanes.cancel(LANE)
        self.outlook = None
        self._told(None)

    def begin(self) -> None:
        """Look at all sessions."""
        self._asked = self._clock()
        self._look(None)

    def _look(self, known: Fates | None) -> None:
        """See what is due of what is `known`, or of all that the file says."""
        store, catalog, now = self._lister.store, self._lister.catalog, self._clock()
        if store is not None and catalog is not None:
            self._lanes.start(
                LANE, lambda token: foresee(store, catalog, known, now, token), self._take
            )

    def renew(self, catalog: Catalog, keys: Collection[int]) -> None:
        """Look again at sessions that have changed; beside a look at all, at all once more."""
        store, now = self._lister.store, self._clock()
        if store is None or not keys or self._lanes.put_off(LANE, self.begin):
            return
        known = self.outlook.fates if self.outlook else None

        def work(token: CancelToken) -> Outlook:
            if known is None:
                return foresee(store, catalog, None, now, token)
            parts = [part for key in keys if catalog.has(key) for part in catalog.chain(key)]
            changed = store.fates(catalog, parts, before=now + AHEAD, token=token)
            newer = known.renewed(changed, parts)
            return foresee(store, catalog, newer, now, token)

        self._lanes.start(LANE, work, self._take)

    def tick(self) -> None:
        """Time has passed."""
        before, now = self.outlook, self._clock()
        if before is None or now - before.made <= EVERY or self._lanes.busy(LANE):
            return
        if now - self._asked > AGAIN:
            self.begin()
        else:
            self._look(before.fates)

    def _take(self, outlook: Outlook) -> None:
        self.outlook = outlook
        self._lister.foresee(outlook.fates, outlook.signs)
        self._told(outlook)
