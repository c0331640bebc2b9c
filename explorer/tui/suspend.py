"""Giving the terminal to another program, and having it back."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from textual.app import SuspendNotSupported
from textual.screen import Screen

from explorer.errors import ExitCode, ExplorerError
from explorer.tui.workers import say

LEAVE_WITHIN = 3.0
"""Seconds in which to exit after a signal."""
GIVE_BACK_WITHIN = 1.0
"""Seconds for the terminal after that."""
_OURS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def run_command(screen: Screen[None], command: Callable[[], int]) -> int | None:
    """The exit code of a command, which has the terminal as it was before the app; None where it
    cannot have it, and the user is told."""
    outcome: int | ExplorerError
    try:
        with screen.app.suspend(), _signals_kept():
            # Nothing may be raised in here: the app would not get its terminal back.
            try:
                outcome = command()
            except ExplorerError as error:
                outcome = error
    except SuspendNotSupported:
        outcome = ExplorerError(
            "Cannot run it here", "This terminal cannot be handed to another program."
        )
    screen.app.screen.refresh(layout=True)
    if isinstance(outcome, ExplorerError):
        say(screen, outcome)
        return None
    return outcome


def leave_soon(give_back: Callable[[], None] | None = None) -> None:
    """Exit in a moment, whatever is still running: where the terminal is gone, writing to it or
    restoring it would never end. Nothing of ours needs saving; but on an overloaded machine the
    terminal is given back first."""

    def leave() -> None:
        if give_back is not None:
            giving = threading.Thread(target=give_back, daemon=True)
            giving.start()
            giving.join(GIVE_BACK_WITHIN)
        os._exit(int(ExitCode.DONE))

    last_resort = threading.Timer(LEAVE_WITHIN, leave)
    last_resort.daemon = True
    last_resort.start()


@contextmanager
def _signals_kept() -> Iterator[None]:
    """Control+c is for the program in the terminal, but reaches us too, and the event loop would
    act on it as soon as we are back. What tells us to leave is held until then."""
    kept: list[int] = []
    wakeup = signal.set_wakeup_fd(-1)
    before = {number: signal.signal(number, lambda got, _: kept.append(got)) for number in _OURS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(wakeup)
        leaving = [missed for missed in kept if missed != signal.SIGINT]
        if leaving:
            leave_soon()
        for missed in leaving:
            signal.raise_signal(missed)
