"""Another look at the session under the cursor: what is known of it."""

from typing import NamedTuple

from textual.screen import Screen

from explorer.errors import ExplorerError, NoSuchSession
from explorer.model import Session
from explorer.render.clean import clean
from explorer.store.base import Details, Store
from explorer.store.catalog import Catalog, Unit
from explorer.store.read_only import CancelToken
from explorer.tui.lanes import Lanes
from explorer.tui.lister import Lister
from explorer.tui.widgets.session_list import SessionList


class Chosen(NamedTuple):
    """The row under the cursor, for a thread to find out what it stands for."""

    store: Store
    session: Session
    catalog: Catalog | None
    within: Unit | None
    """What it stands for, if it is inside an unfolded one."""

    def unit(self, token: CancelToken) -> Unit:
        """The first page is listed before it is known which sessions hang together: who is so
        quick waits for that."""
        if self.within is not None:
            return self.within
        catalog = self.catalog or self.store.catalog(token)
        key = self.session.key
        return catalog.folded(key) if catalog.has(key) else Unit(key, (key,), self.session.kind)


def chosen(lister: Lister, sessions: SessionList) -> Chosen | None:
    """What is under the cursor, if it has been read."""
    if lister.store is None or sessions.current is None:
        return None
    inside = sessions.inside.get(sessions.cursor_row or 0)
    return Chosen(lister.store, sessions.current, lister.catalog, inside.unit if inside else None)


class Looking:
    """Reads in a thread, and shows what comes."""

    def __init__(self, screen: Screen[None], lanes: Lanes, at: Chosen | None) -> None:
        self._screen = screen
        self._lanes = lanes
        self._at = at

    def details(self) -> None:
        """Everything the file says of it, but for its messages."""
        at = self._at
        if at is None:
            return

        def work(token: CancelToken) -> Details | ExplorerError:
            try:
                return at.store.details(at.unit(token), token)
            except NoSuchSession as error:
                return error

        self._lanes.start("details", work, self._show)

    def _show(self, found: Details | ExplorerError) -> None:
        if isinstance(found, ExplorerError):
            self._say(found)
            return
        # Late, as all dialogs: together they take 10 ms from the first frame.
        from explorer.tui.screens.details import DetailsScreen

        self._screen.app.push_screen(DetailsScreen(found))

    def _say(self, error: ExplorerError) -> None:
        self._screen.notify(
            clean(error.message), title=error.title, severity="warning", markup=False
        )
