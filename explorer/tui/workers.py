"""Work in threads, one piece at a time for each purpose.

Starting a lane again cancels what it was doing, inside SQLite; what still arrives from before is
dropped. Where nothing may be dropped, work is queued instead; and where each piece must come to its
end, since on a big file it takes longer than an agent needs for its next message, the next one is
put off. A worker never touches a widget: what comes of it is taken over in the screen's own loop.

A piece of work raises what keeps it from being done. That goes to the caller's `refused`, if it has
one; else the screen handles a file that cannot be read, and the user is told everything else.
"""

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from textual.screen import Screen

from explorer.cancel import CancelToken
from explorer.errors import Cancelled, ExplorerError, StoreError
from explorer.render.clean import clean, clean_line

T = TypeVar("T")
OnRefusal = Callable[[ExplorerError], None] | None


def say(screen: Screen[None], error: ExplorerError) -> None:
    """What went wrong, as a toast: cleaned, since it may hold stored text."""
    title, text = clean_line(error.title), clean(error.message)
    screen.notify(text, title=title, severity="warning", markup=False)


class Lanes:
    """The lanes of one screen."""

    def __init__(
        self, screen: Screen[None], failed: Callable[[StoreError], None] | None = None
    ) -> None:
        """`failed` gets the error of a file that cannot be read; without it, the user is told."""
        self._screen = screen
        self._failed = failed or self._say_failure
        self._tokens: dict[str, CancelToken] = {}
        self._queues: dict[str, deque[Callable[[], None]]] = {}
        """What each lane that is queued for does, and after it is to do."""
        self._put_off: dict[str, Callable[[], object]] = {}

    def start(
        self,
        lane: str,
        work: Callable[[CancelToken], T],
        then: Callable[[T], None],
        refused: OnRefusal = None,
        queued: bool = False,
    ) -> None:
        """Run `work` in a thread, then `then` with what it returned, or `refused` with what it
        raised, unless it is superseded; if `queued`, after what the lane is doing, not in its
        place."""

        def run() -> None:
            token = self._tokens[lane] = CancelToken()
            job = partial(self._work, lane, token, work, then, refused or self.refused)
            self._screen.run_worker(job, name=lane, group=lane, thread=True, exit_on_error=False)

        if not queued:
            self.cancel(lane)
            run()
            return
        waiting = self._queues.setdefault(lane, deque())
        waiting.append(run)
        if len(waiting) == 1:
            run()

    def put_off(self, lane: str, again: Callable[[], object]) -> bool:
        """Whether the lane is busy: then `again` is called when it is not any more, of several the
        last."""
        if self.busy(lane):
            self._put_off[lane] = again
        return self.busy(lane)

    def busy(self, lane: str) -> bool:
        token = self._tokens.get(lane)
        return token is not None and not token.cancelled

    def _work(
        self,
        lane: str,
        token: CancelToken,
        work: Callable[[CancelToken], T],
        then: Callable[[T], None],
        refused: Callable[[ExplorerError], None],
    ) -> None:
        """In the thread."""
        try:
            result = work(token)
        except Cancelled:
            return
        except ExplorerError as error:
            self._post(lane, token, partial(refused, error))
        except BaseException:
            # A bug, which is reported elsewhere: nothing may wait for it.
            self._post(lane, token, lambda: None)
            raise
        else:
            self._post(lane, token, lambda: then(result))

    def refused(self, error: ExplorerError) -> None:
        """What speaks against a piece of work, where its caller has no use for it."""
        if isinstance(error, StoreError):
            self._failed(error)
        else:
            say(self._screen, error)

    def _say_failure(self, error: StoreError) -> None:
        self._screen.notify(clean(error.message), title=error.title, severity="error", markup=False)

    def tell(self, token: CancelToken, then: Callable[[], None]) -> None:
        """From a worker: do something with the results so far."""
        self._post("", token, then)

    def _post(self, lane: str, token: CancelToken, then: Callable[[], None]) -> None:
        if not token.cancelled:
            self._screen.call_later(self._finish, lane, token, then)

    def _finish(self, lane: str, token: CancelToken, then: Callable[[], None]) -> None:
        """Take over a result, unless another was asked for since, and where it can be shown: a
        screen that is being closed loses its widgets before it gets its last messages. Results on
        the way have no `lane`."""
        if self._screen._pruning:
            return
        if not token.cancelled:
            if self._tokens.get(lane) is token:
                del self._tokens[lane]
            then()
            again = self._put_off.pop(lane, None)
            if again is not None:
                again()
        waiting = self._queues.get(lane)
        if waiting:
            waiting.popleft()
            if waiting:
                waiting[0]()

    def cancel(self, lane: str) -> None:
        self._put_off.pop(lane, None)
        if lane in self._tokens:
            self._tokens[lane].cancel()

    def stop(self) -> None:
        """Cancel everything: quitting must not wait for a query."""
        for token in self._tokens.values():
            token.cancel()
