"""Many small steps in few short transactions, with room for the agent between them.

One transaction for all of a big delete kept a writing agent waiting for 7 to 16 seconds. Here the
lock is held for some hundredths of a second, then left alone for longer: SQLite looks for a lock
every tenth of a second, so a shorter pause would starve a waiting agent. Where no other program
writes, it is held twice as long, with a shorter pause: an agent that comes then still waits less
than a tenth of a second, and there is less to write to the log. What the steps need is read before
the lock is taken.
"""

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from explorer.cancel import CancelToken
from explorer.errors import Cancelled, ExplorerError
from explorer.stores.edits.connection import (
    Changed,
    ReadConnection,
    Transaction,
    WriteConnection,
)
from explorer.stores.edits.dialect import Dialect, SessionTables
from explorer.stores.edits.plans import WAITING, Progress, Tell
from explorer.stores.edits.refusal_words import NOTHING_CHANGED
from explorer.stores.ours.notes import Notes
from explorer.stores.ours.trash import TrashFile

HOLD = 0.03
"""Seconds of work under one lock; what the commit itself takes comes on top."""
PAUSE = 0.1
ALONE_HOLD, ALONE_PAUSE = 0.06, 0.04
"""The same where no other program has written for `ALONE_AFTER` seconds. 50,000 messages made a
log of 476 MB in steps of 0.03 s, and of 363 in steps of 0.1."""
ALONE_AFTER = 3.0
AHEAD, AHEAD_FOR = 100, 0.05
"""Steps, and seconds, for which steps are made ready before the lock is taken: as a rule more than
can be done under it, and few where each holds megabytes."""
CHUNK = 16 << 20
"""Bytes, and `CHUNK_SESSIONS` sessions, that an edit moves before it looks at the disk again."""
CHUNK_SESSIONS = 100


class EditContext(NamedTuple):
    """What every edit has at hand."""

    path: Path
    dialect: Dialect
    trash: TrashFile
    clock: Callable[[], float]
    token: CancelToken
    progress: Tell
    notes: Notes | None

    def connected(self, token: CancelToken | None = None) -> WriteConnection:
        """A `token` stops it also while the file is locked, and what is not committed yet."""
        return WriteConnection(self.path, token, waits=lambda: self.progress(WAITING))

    def tables(self, file: ReadConnection, table: str) -> SessionTables:
        return self.dialect.over(file.ask, file.schema, table)


@contextmanager
def before_anything() -> Iterator[None]:
    """Whatever fails in here has not changed the file, and says so."""
    try:
        yield
    except ExplorerError as error:
        unchanged(error)
        raise


def unchanged(error: ExplorerError) -> None:
    """Have an error say that nothing was changed, if it does not."""
    if "Nothing was" not in error.message:
        error.also(NOTHING_CHANGED)


class ProgressCounter:
    """Counts what is done, and tells."""

    def __init__(self, tell: Tell, of_sessions: int, of_messages: int) -> None:
        self._tell = tell
        self._done = Progress(0, of_sessions, 0, of_messages)

    def add(self, messages: int, sessions: int) -> None:
        self._done = self._done._replace(
            sessions=self._done.sessions + sessions, messages=self._done.messages + messages
        )
        self._tell(self._done)


class Step(NamedTuple):
    """A piece of a job that is done as a whole; done again after a transaction failed."""

    job: int
    """The number of the entry in the trash that it is about; 0 for what goes with none."""
    do: Callable[[Transaction], None]
    messages: int = 0
    """How many messages it moves."""
    last: bool = False
    """The job is done with it."""


def run_batches(
    file: WriteConnection,
    steps: Iterator[Step],
    token: CancelToken,
    committed: Callable[[Sequence[Step]], None],
    failed: Callable[[int, Changed], None],
    hold: float | None = None,
    pause: float | None = None,
    *,
    may_stop: Callable[[], bool] = lambda: True,
) -> bool:
    """Run all steps; whether the end was reached. `committed` gets what is in the file for
    certain; `failed` the job for which the file has changed: its other steps are skipped.
    `may_stop` says whether this is a good place to stop."""
    alone = False
    ready: deque[Step] = deque()
    _make_ready(ready, steps)
    broken: set[int] = set()
    while ready:
        if token.cancelled and may_stop():
            return False
        batch: list[Step] = []
        try:
            with file.transaction() as transaction:
                began = time.monotonic()
                limit = (ALONE_HOLD if alone else HOLD) if hold is None else hold
                while ready and (not batch or time.monotonic() - began <= limit):
                    step = ready.popleft()
                    if step.job not in broken:
                        batch.append(step)
                        step.do(transaction)
        except Cancelled:
            return False
        except Changed as error:
            if not batch:
                # Not a step but the file itself: it was replaced.
                raise
            job = batch[-1].job
            broken.add(job)
            ready.extendleft(reversed(batch[:-1]))
            failed(job, error)
            _make_ready(ready, steps)
            continue
        ended = time.monotonic()
        committed(batch)
        file.write_back_log()
        _make_ready(ready, steps)
        if ready:
            alone = ended - file.others_at > ALONE_AFTER
            rest = (ALONE_PAUSE if alone else PAUSE) if pause is None else pause
            time.sleep(max(ended + rest - time.monotonic(), 0.0))
    return True


def _make_ready(ready: deque[Step], steps: Iterator[Step]) -> None:
    until = time.monotonic() + AHEAD_FOR
    for step in islice(steps, AHEAD - len(ready)):
        ready.append(step)
        if time.monotonic() > until:
            break
