"""The lane in which edits are done: one after the other, with a dialog where one takes long."""

from collections.abc import Callable
from typing import TypeVar

from textual.screen import Screen

from explorer.cancel import CancelToken
from explorer.errors import Cancelled, ExplorerError
from explorer.render.clean import clean_line
from explorer.stores.base import Edits
from explorer.stores.edits.plans import Done, Progress
from explorer.tui.attention import is_typing, may_ask, place
from explorer.tui.dialogs.progress import ProgressDialog
from explorer.tui.list.list_controller import Lister
from explorer.tui.toast import say
from explorer.tui.workers import Lanes, OnRefusal

T = TypeVar("T")

PATIENCE = 0.4
"""Seconds after which an edit shows how far it is."""


class EditLane:
    """Runs what reads or changes in threads, and says what speaks against it."""

    def __init__(
        self,
        screen: Screen[None],
        lanes: Lanes,
        lister: Lister,
        edits: Edits,
        changed: Callable[[], None],
    ) -> None:
        """`changed` is told when the file is no longer as it was."""
        self.screen = screen
        self.lister = lister
        self.edits = edits
        self.changed = changed
        self._lanes = lanes
        self._stops: list[CancelToken] = []
        """Of the edit under way, and of those that wait for it."""

    def stop(self) -> bool:
        """What is under way ends with its batch; False where nothing is, or was told so before."""
        going = [stop for stop in self._stops if not stop.cancelled]
        for stop in going:
            stop.cancel()
        return bool(going)

    def do(
        self,
        title: str,
        stop: CancelToken | None,
        act: Callable[[Callable[[Progress], None]], Done],
        then: Callable[[Done], None],
        after: Callable[[], None] | None = None,
    ) -> None:
        """Do it in a thread; where it takes long, show how far it is. `after` comes last, also
        where it was refused."""
        dialog = ProgressDialog(clean_line(title, 200), stop)
        if stop is not None:
            self._stops.append(stop)
        ended = False

        def open_dialog() -> None:
            if ended:
                return
            if is_typing(self.screen.app):
                self.screen.set_timer(PATIENCE, open_dialog)
            else:
                self.screen.app.push_screen(dialog)

        def work(token: CancelToken) -> Done:
            def tell(progress: Progress) -> None:
                self._lanes.tell(token, lambda: dialog.show(progress))

            try:
                return act(tell)
            except ExplorerError:
                raise
            except Cancelled:
                raise ExplorerError("Stopped", "The rest was not done.") from None
            except Exception as error:
                # Whatever it was: those that wait for it must not wait for ever.
                said = clean_line(f"{type(error).__name__}: {error}", 300)
                raise ExplorerError("A bug", said) from error

        def end(said: Callable[[], None]) -> None:
            nonlocal ended
            ended = True
            if stop is not None:
                self._stops.remove(stop)
            if dialog.is_attached:
                dialog.leave()
            said()
            self.changed()
            if after is not None:
                after()

        self.screen.set_timer(PATIENCE, open_dialog)
        self._lanes.queue(
            "edit",
            work,
            lambda done: end(lambda: then(done)),
            lambda why: end(lambda: self.say(why)),
        )

    def find_out(
        self,
        work: Callable[[CancelToken], T],
        then: Callable[[T], None],
        refused: OnRefusal = None,
    ) -> None:
        """Find something out in a thread; what speaks against it is said, or given to `refused`.
        A newer question takes the place of an older one; from whoever has gone on it is kept."""
        asked_at = place(self.screen.app)
        against = refused or self.say
        self._lanes.start(
            "plan",
            work,
            lambda found: then(found) if may_ask(self.screen, asked_at) else None,
            lambda why: against(why) if may_ask(self.screen, asked_at) else None,
        )

    def look(self, work: Callable[[CancelToken], T], then: Callable[[T], None]) -> None:
        """Find out what nobody has asked for."""
        self._lanes.start("crash", work, then, self.say)

    def say(self, error: ExplorerError) -> None:
        say(self.screen, error)
