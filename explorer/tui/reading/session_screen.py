"""One session to read, over another screen: esc goes back to where it was opened from."""

from collections.abc import Callable

from textual import on
from textual.app import ComposeResult

from explorer.errors import StoreError
from explorer.model import Session
from explorer.render.clean import clean
from explorer.stores.base import Store
from explorer.stores.catalog import Catalog
from explorer.tui.dialogs.base import Closing
from explorer.tui.reading.find_bar import FindInput
from explorer.tui.reading.reading_pane import ReadingPane
from explorer.tui.reading.transcript_view import Transcript
from explorer.tui.widgets.bars import KeyBar
from explorer.tui.workers import LaneDone, Lanes


class ReadScreen(Closing[None]):
    """A transcript by itself."""

    def __init__(
        self, store: Store, catalog: Catalog, session: Session, clock: Callable[[], float]
    ) -> None:
        super().__init__()
        self._store = store
        self._catalog = catalog
        self._session = session
        self._clock = clock
        self._lanes = Lanes(self, self._failed)

    def compose(self) -> ComposeResult:
        yield ReadingPane(id="reading")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        pane = self.query_one(ReadingPane)
        pane.set_up(self, self._lanes, self._clock)
        pane.open(self._store)
        self.query_one(KeyBar).scope = "transcript"
        self.set_focus(pane.transcript)
        pane.read(self._session, self._catalog, alone=False)

    def on_unmount(self) -> None:
        self._lanes.stop()

    def on_lane_done(self, event: LaneDone) -> None:
        self._lanes.finish(event)

    def cancel(self) -> None:
        """Out of the find, then back."""
        if isinstance(self.focused, FindInput):
            self.focused.action_leave()
        else:
            self.dismiss()

    def _failed(self, error: StoreError) -> None:
        self.notify(clean(error.message), title=error.title, severity="error", markup=False)

    @on(Transcript.LeaveWanted)
    def _leave(self) -> None:
        self.dismiss()
