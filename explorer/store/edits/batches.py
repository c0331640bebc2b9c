"""Many small steps in few short transactions, with room for the agent between them.

One transaction for all of a big delete kept a writing agent waiting for 7 to 16 seconds. Here the
lock is held for some hundredths of a second, then left alone for longer: SQLite looks for a lock
every tenth of a second, so a shorter pause would starve whoever waits.
"""

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from explorer.errors import Cancelled
from explorer.store.edits.writing import Changed, Transaction, Writing
from explorer.store.read_only import CancelToken

HOLD = 0.03
"""Seconds of work under one lock; what the commit itself takes comes on top."""
PAUSE = 0.1


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
    writing: Writing,
    steps: Iterator[Step],
    token: CancelToken,
    committed: Callable[[Sequence[Step]], None],
    failed: Callable[[int, Changed], None],
    hold: float | None = None,
    pause: float | None = None,
) -> bool:
    """Run all steps; whether the end was reached. `committed` is told what is in the file for
    good; `failed` which job the file has changed for: its other steps are left out."""
    hold = HOLD if hold is None else hold
    pause = PAUSE if pause is None else pause
    again: deque[Step] = deque()
    broken: set[int] = set()

    def following() -> Step | None:
        while True:
            step = again.popleft() if again else next(steps, None)
            if step is None or step.job not in broken:
                return step

    step = following()
    while step is not None:
        if token.cancelled:
            return False
        batch: list[Step] = []
        try:
            with writing.transaction() as transaction:
                began = time.monotonic()
                while step is not None:
                    batch.append(step)
                    step.do(transaction)
                    step = following()
                    if time.monotonic() - began > hold:
                        break
        except Cancelled:
            return False
        except Changed as error:
            if not batch:
                # Not a step but the file itself: it was replaced.
                raise
            job = batch[-1].job
            broken.add(job)
            again.extendleft(reversed(batch[:-1]))
            failed(job, error)
            step = following()
            continue
        committed(batch)
        if step is not None and pause:
            time.sleep(pause)
    return True
