"""Work in threads, one piece at a time for each purpose.

Starting a lane again cancels what it was doing, inside SQLite; what still arrives from before is
dropped. Where nothing may be dropped, work is queued instead; and where each piece must come to its
end, since on a big file it takes longer than an agent needs for its next message, the next one is
put off. A worker reads and posts a message; it never touches a widget.

What speaks against a piece of work it raises. That reaches whoever asked for the work and says what
is to be done about it (`refused`); else a file that cannot be read is the screen's concern, and
everything else is said to the user.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from textual.message import Message
from textual.screen import Screen

from explorer.cancel import CancelToken
from explorer.errors import Cancelled, ExplorerError, StoreError
from explorer.render.clean import clean, clean_line


def say(screen: Screen[None], error: ExplorerError) -> None:
    screen.notify(
        clean(error.message), title=clean_line(error.title), severity="warning", markup=False
    )


T = TypeVar("T")
OnRefusal = Callable[[ExplorerError], None] | None


@dataclass
class LaneDone(Message):
    """A piece of work has come to its end; `then` takes over its result."""

    lane: str
    """Empty for what is told on the way."""
    token: CancelToken
    then: Callable[[], None]


class Lanes:
    """The lanes of one screen, which must pass each `LaneDone` to `finish`."""

    def __init__(self, screen: Screen[None], failed: Callable[[StoreError], None]) -> None:
        self._screen = screen
        self._failed = failed
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
    ) -> None:
        """Run `work` in a thread, then `then` with what it returned, or `refused` with what it
        raised, unless it is superseded."""
        self.cancel(lane)
        self._run(lane, work, then, refused)

    def queue(
        self,
        lane: str,
        work: Callable[[CancelToken], T],
        then: Callable[[T], None],
        refused: OnRefusal = None,
    ) -> None:
        """As `start`, but after what the lane is doing, not in its place."""
        waiting = self._queues.setdefault(lane, deque())
        waiting.append(lambda: self._run(lane, work, then, refused))
        if len(waiting) == 1:
            waiting[0]()

    def put_off(self, lane: str, again: Callable[[], object]) -> bool:
        """Whether the lane is busy: then `again` is called when it is not any more, of several the
        last."""
        if self.busy(lane):
            self._put_off[lane] = again
        return self.busy(lane)

    def busy(self, lane: str) -> bool:
        token = self._tokens.get(lane)
        return token is not None and not token.cancelled

    def _run(
        self,
        lane: str,
        work: Callable[[CancelToken], T],
        then: Callable[[T], None],
        refused: OnRefusal,
    ) -> None:
        token = self._tokens[lane] = CancelToken()

        def job() -> None:
            try:
                result = work(token)
            except Cancelled:
                return
            except ExplorerError as error:
                tell, why = refused or self._refused, error
                self._post(LaneDone(lane, token, lambda: tell(why)))
            except BaseException:
                # A bug, which is told elsewhere: nobody is to wait for it.
                self._post(LaneDone(lane, token, lambda: None))
                raise
            else:
                self._post(LaneDone(lane, token, lambda: then(result)))

        self._screen.run_worker(job, name=lane, group=lane, thread=True, exit_on_error=False)

    def _refused(self, error: ExplorerError) -> None:
        if isinstance(error, StoreError):
            self._failed(error)
        else:
            say(self._screen, error)

    def tell(self, token: CancelToken, then: Callable[[], None]) -> None:
        """From a worker: have something done with what there is so far."""
        self._post(LaneDone("", token, then))

    def finish(self, done: LaneDone) -> None:
        """Take over a result, if nobody has asked for another since, and where it can be shown: a
        screen that is being closed loses its widgets before it gets its last messages."""
        if self._screen._pruning:
            return
        if not done.token.cancelled:
            if self._tokens.get(done.lane) is done.token:
                del self._tokens[done.lane]
            done.then()
            again = self._put_off.pop(done.lane, None)
            if again is not None:
                again()
        waiting = self._queues.get(done.lane)
        if waiting:
            waiting.popleft()
            if waiting:
                waiting[0]()

    def cancel(self, lane: str) -> None:
        self._put_off.pop(lane, None)
        if lane in self._tokens:
            self._tokens[lane].cancel()

    def stop(self) -> None:
        """Nobody wants anything any more: leaving must not wait for a query."""
        for token in self._tokens.values():
            token.cancel()

    def _post(self, done: LaneDone) -> None:
        if not done.token.cancelled:
            self._screen.post_message(done)
