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
"""Seconds to leave in, when told to."""
GIVE_BACK_WITHIN = 1.0
"""Seconds for the terminal after that."""
_OURS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def run_command(screen: Screen[None], command: Callable[[], int]) -> int | None:
    """The exit code of a command, which has the terminal as it was before the app; None where it
    cannot have it, which is said."""
    outcome: int | ExplorerError
    try:
        with screen.app.suspend(), _signals_kept():
            # Nothing may be raised in here: the app would not take its terminal back.
            try:
                outcome = command()
            except ExplorerError as error:
                outcome = error
    except SuspendNotSupported:
        outcome = ExplorerError("Not here", "This terminal cannot be given to another program.")
    screen.app.screen.refresh(layout=True)
    if isinstance(outcome, ExplorerError):
        say(screen, outcome)
        return None
    return outcome


def leave_soon(give_back: Callable[[], None] | None = None) -> None:
    """Whatever is still waited for, be gone in a moment: where the terminal is gone, what is to be
    written to it or had back from it would be waited for without end. Nothing of ours needs saving;
    but on a machine that has far too much to do the terminal is given back first."""

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
