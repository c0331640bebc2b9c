"""The app in use: a history open in a terminal, keys pressed, and what they paint waited for.

The time of a key goes from the moment it is written to the terminal until the terminal has received
what the key was pressed for. Everything a person waits for lies in between: the key is read and
handled, the next frame is due (there are 120 a second), it is painted and written.
"""

import os
import signal
import time
from collections import Counter
from pathlib import Path

from bench.generate import NOW
from bench.measure import Terminal
from bench.startup import MARKER
from bench.surroundings import PYTHON
from explorer.model import Session
from explorer.render.clean import clean_line
from explorer.stores.discover import locate
from explorer.stores.open_found import every_set, open_found

PROMPTED = Path(__file__).with_name("prompted_app.py")
LOOK, LOOK_AT_ALL = signal.SIGUSR1, signal.SIGUSR2
"""Make it look at its file at once; and read all of it again."""

PACE = 1 / 30
"""Seconds between two keys of a key held down."""
QUIET = 0.05
"""Seconds without anything painted after which the app has done all that a key asked for."""
NAMED = 60
"""Rows at the top of the list that are known by name."""
DOWN, PAGE_DOWN = b"\x1b[B", b"\x1b[6~"
SELECT_ALL, ESCAPE, BACKSPACE = b"\x01", b"\x1b", b"\x7f"


class Using(Terminal):
    """An app that is being used."""

    def __init__(self, place: Path | str) -> None:
        """`place` is a file, or the address of a server."""
        super().__init__([PYTHON, str(PROMPTED), "--db", str(place)])
        self._painted = b""
        self._sign = b""
        self.met = True

    def press(self, key: bytes, marker: str) -> float:
        """Milliseconds from a key until `marker` is painted; then waits for all the rest."""
        self.send(key)
        taken = self.until(marker)
        self.settle(QUIET)
        return taken

    def hold(self, key: bytes, marker: str) -> float:
        """The same for a key held down: the next may follow while the rest is being painted."""
        self.send(key)
        taken = self.until(marker)
        self.rest(PACE - taken / 1000)
        return taken

    def expect(self, sign: str) -> None:
        """From now on, look out for something while keys are pressed: it is `met` when painted."""
        self._sign, self._painted, self.met = sign.encode(), b"", False

    def until_met(self, timeout: float = 20) -> None:
        deadline = time.perf_counter() + timeout
        while not self.met:
            if time.perf_counter() > deadline:
                raise TimeoutError(f"{self._sign!r} not painted in {timeout:g} s")
            self.rest(0.02)

    def tell(self, what: signal.Signals) -> None:
        """Send a signal, and restart the clock of `until`. What was painted since the last
        `send` is not forgotten: the app may have looked by itself a moment before."""
        self._begun = time.perf_counter_ns()
        os.kill(self.pid, what)

    def _read(self, wait: float) -> bytes | None:
        read = super()._read(wait)
        if read:
            self._painted = self._painted[-100:] + read
            self.met = self.met or self._sign in self._painted
        return read


def cursor_on(name: str) -> str:
    """What is painted when the cursor is on a row, and never else while the list has the focus."""
    return f"▌ {name}"


def counted(listed: int | None = None) -> str:
    """What the border says once all sessions are known, of which so many are listed."""
    return " listed " if listed is None else f" {listed:,} listed "


def border(listed: int) -> str:
    """How the border begins when so many sessions are listed, however little room it has."""
    return f"─ {listed:,} "


class Rows:
    """What the list of a history holds, as its store says."""

    def __init__(self, place: Path | str) -> None:
        store = open_found(every_set(locate([str(place)], [], {}, None)))
        catalog = store.catalog()
        listed, _ = catalog.select()
        order = catalog.by_last_active(listed)
        ends = [*order[:NAMED], order[-1]]
        rows = store.sessions([catalog.folded(key) for key in ends], NOW)
        *self.first, self.last = map(_name, rows)
        self.total = len(catalog)
        self.listed = len(listed)
        people = Counter(catalog.source(key) for key in listed)
        self.of_commonest = max(people.values())


def _name(row: Session) -> str:
    """What a row begins with."""
    words = clean_line(row.title or row.preview or row.last_reply, 300)
    return words[:MARKER].rstrip() or "empty"
