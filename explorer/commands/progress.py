"""A long edit on the command line: how far it is, in one line that is written over and over, and
how it is stopped."""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from explorer.cancel import CancelToken
from explorer.render.amounts import count
from explorer.stores.edits.plans import WAITING_WORDS, Progress


@contextmanager
def shown_progress(noun: str) -> Iterator[Callable[[Progress], None] | None]:
    """Tells it where a person looks on. The line is ended before anything else is said, whether the
    edit reached its end, failed or was broken off."""
    if not sys.stderr.isatty():
        yield None
        return
    shown = ""

    def tell(progress: Progress) -> None:
        nonlocal shown
        done, all_of_it = count(progress.messages), count(progress.of_messages)
        words = WAITING_WORDS if progress.waiting else f"{done} of {all_of_it} {noun}"
        sys.stderr.write(f"\r{words:<{len(shown)}}")
        sys.stderr.flush()
        shown = words

    try:
        yield tell
    finally:
        if shown:
            sys.stderr.write("\n")


@contextmanager
def until_interrupted() -> Iterator[CancelToken]:
    """Ctrl+C stops an edit where it can say how far it got; a second one stops it at once."""
    token = CancelToken()

    def stop(number: int, frame: object) -> None:
        signal.signal(signal.SIGINT, before)
        token.cancel()

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield token
    finally:
        signal.signal(signal.SIGINT, before)
