"""Measuring: functions round-robin, whole processes, and apps in a terminal of their own.

Cases that are compared run interleaved, so that a busy moment of the machine hits all of them.
Every time is wall time in milliseconds, because that is what a person waits for.
"""

import fcntl
import math
import os
import pty
import re
import select
import signal
import statistics
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

K = TypeVar("K", bound=Hashable)

TERMINAL = {
    "TERM": "xterm-256color",
    "COLORTERM": "truecolor",
    "TEXTUAL_ANIMATIONS": "none",
}
QUIT = b"\x11"
"""ctrl+q, which ends every Textual app."""


@dataclass(frozen=True, slots=True)
class Timing:
    """Milliseconds of one case."""

    median: float
    min: float
    p95: float


def interleaved(cases: Mapping[K, Callable[[], float | None]], rounds: int) -> dict[K, Timing]:
    """Runs all cases in turn, `rounds` times, after one round that is not counted.

    Each round begins with another case: one that always came second would profit from pages
    that the first one has read. A case that does more than what counts returns the milliseconds
    that do.
    """
    names = list(cases)
    taken: dict[K, list[float]] = {name: [] for name in names}
    for number in range(rounds + 1):
        shift = number % max(len(names), 1)
        for name in names[shift:] + names[:shift]:
            begun = time.perf_counter()
            own = cases[name]()
            spent = (time.perf_counter() - begun) * 1000 if own is None else own
            if number:
                taken[name].append(spent)
    return {name: timing(spent) for name, spent in taken.items()}


def timing(milliseconds: Sequence[float]) -> Timing:
    ordered = sorted(milliseconds)
    rank = math.ceil(0.95 * len(ordered)) - 1
    return Timing(statistics.median(ordered), ordered[0], ordered[rank])


def child(argv: Sequence[str], env: Mapping[str, str] | None = None) -> float:
    """Milliseconds of a whole process, which must succeed. `env` adds to our environment."""
    begun = time.perf_counter()
    # No timeout: with one, Python looks only every 50 ms whether the process has ended.
    subprocess.run(argv, env={**os.environ, **(env or {})}, stdout=subprocess.DEVNULL, check=True)
    return (time.perf_counter() - begun) * 1000


def first_paint(
    argv: Sequence[str],
    marker: str,
    size: tuple[int, int] = (120, 40),
    env: Mapping[str, str] | None = None,
    timeout: float = 20,
) -> float:
    """Milliseconds from exec until the terminal has received `marker`; then the app is ended."""
    with Terminal(argv, size, env) as terminal:
        return terminal.until(marker, timeout)


def peak_mb(pid: int) -> float:
    """The most memory a process has had resident, in megabytes (10^6 bytes); where the system does
    not tell, what it has now."""
    status = Path(f"/proc/{pid}/status")
    if status.exists():
        found = re.search(r"^VmHWM:\s+(\d+) kB", status.read_text(), re.MULTILINE)
        kilobytes = found[1] if found else "0"
    else:
        kilobytes = subprocess.check_output(["ps", "-o", "rss=", "-p", str(pid)], text=True)
    return int(kilobytes) * 1024 / 1e6


def cpu_ms(pid: int) -> float:
    """Processor time of a process so far, its threads together."""
    if Path(f"/proc/{pid}").exists():
        # The clock of another process, as clock_getcpuclockid() makes it: to the nanosecond.
        return time.clock_gettime((~pid << 3) | 2) * 1000
    said = subprocess.check_output(["ps", "-o", "time=", "-p", str(pid)], text=True)
    minutes, _, seconds = said.strip().rpartition(":")
    return (int(minutes) * 60 + float(seconds)) * 1000


class Terminal:
    """A process in a terminal that shows nothing, answers no query and can be typed into."""

    def __init__(
        self,
        argv: Sequence[str],
        size: tuple[int, int] = (120, 40),
        env: Mapping[str, str] | None = None,
    ) -> None:
        columns, rows = size
        # The size of our caller's terminal is not the size of this one.
        mine = {name: os.environ[name] for name in os.environ if name not in ("COLUMNS", "LINES")}
        full = {**mine, **TERMINAL, **(env or {})}
        reader, writer = os.pipe()
        self.pid, self._fd = pty.fork()
        if self.pid == 0:
            # The size must be there before the app asks, and the clock start as late as can be:
            # forking a process that holds a big history takes milliseconds of its own.
            try:
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
                os.write(writer, struct.pack("q", time.perf_counter_ns()))
                os.execvpe(argv[0], list(argv), full)
            finally:
                os._exit(127)
        os.close(writer)
        self._begun: int = struct.unpack("q", os.read(reader, 8))[0]
        os.close(reader)
        self._text = PlainText()
        self._seen = b""
        self._status: int | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def until(self, marker: str, timeout: float = 60) -> float:
        """Milliseconds since exec, or since the last `send`, until `marker` has been painted."""
        wanted = re.compile(re.escape(marker.encode()))
        return self.until_seen(wanted.search, repr(marker), timeout)

    def until_seen(
        self, find: Callable[[bytes], re.Match[bytes] | None], what: str, timeout: float = 60
    ) -> float:
        """The same for anything that can be found in plain text."""
        deadline = time.perf_counter_ns() + int(timeout * 1e9)
        while True:
            if found := find(self._seen):
                self._seen = self._seen[found.end() :]
                return (time.perf_counter_ns() - self._begun) / 1e6
            left = (deadline - time.perf_counter_ns()) / 1e9
            if left <= 0:
                said = self._seen[-2_000:].decode(errors="replace")
                raise TimeoutError(f"{what} not painted in {timeout:g} s\n{said}")
            # enough for what arrives in two parts, and to tell what went wrong
            kept = self._seen[-2_000:]
            read = self._read(left)
            if read is None:
                said = kept.decode(errors="replace")
                raise RuntimeError(f"ended before it painted {what}\n{said}")
            self._seen = kept + read

    def send(self, keys: bytes) -> None:
        """Types, and restarts the clock of `until`; what was painted before does not count."""
        while self._ready(0) and self._read(0) is not None:
            pass
        self._seen = b""
        self._begun = time.perf_counter_ns()
        os.write(self._fd, keys)

    def resize(self, columns: int, rows: int) -> None:
        """Makes the terminal wider or narrower, and restarts the clock of `until`."""
        self.send(b"")
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def rest(self, seconds: float) -> None:
        """Waits, and keeps reading: a full terminal would block the app."""
        deadline = time.perf_counter() + seconds
        while (left := deadline - time.perf_counter()) > 0:
            if self._read(left) is None:
                time.sleep(0.001)

    def settle(self, quiet: float, timeout: float = 1) -> None:
        """Waits until nothing has been painted for so many seconds."""
        deadline = time.perf_counter() + timeout
        while self._read(quiet) and time.perf_counter() < deadline:
            pass

    def close(self) -> None:
        """Ends the process as politely as it allows, and collects it."""
        for ask, patience in ((self._quit, 2.0), (self._terminate, 2.0), (self._kill, 5.0)):
            if self._gone(0):
                break
            ask()
            if self._gone(patience):
                break
        os.close(self._fd)

    def _quit(self) -> None:
        # the app may have closed its side at this very moment
        with suppress(OSError):
            os.write(self._fd, QUIT)

    def _terminate(self) -> None:
        os.kill(self.pid, signal.SIGTERM)

    def _kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)

    def _gone(self, patience: float) -> bool:
        """Whether the process has ended; keeps reading, because a full terminal would block it."""
        deadline = time.perf_counter() + patience
        while self._status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._status = os.waitstatus_to_exitcode(status)
            elif time.perf_counter() > deadline:
                return False
            elif self._read(0.01) is None:
                time.sleep(0.001)
        return True

    def _ready(self, wait: float) -> bool:
        return bool(select.select([self._fd], [], [], wait)[0])

    def _read(self, wait: float) -> bytes | None:
        """New text without escape sequences, possibly none; None when the terminal is closed."""
        if not self._ready(wait):
            return b""
        try:
            data = os.read(self._fd, 1 << 16)
        except OSError:
            # how Linux reports that the other side has been closed
            return None
        return self._text.feed(data) if data else None


class PlainText:
    """Takes escape sequences out of output that arrives in arbitrary pieces."""

    _SEQUENCE = re.compile(
        rb"\x1b(?:\[[0-?]*[ -/]*[@-~]"  # styles, cursor, modes
        rb"|[\]PX^_].*?(?:\x07|\x1b\\)"  # titles, queries and other strings
        rb"|[ -/]+[0-~]|[0-OQ-WYZ\\`-~])",
        re.DOTALL,
    )

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> bytes:
        plain = self._SEQUENCE.sub(b"", self._rest + data)
        text, escape, rest = plain.partition(b"\x1b")
        # only what is cut off at the end still holds an escape: it waits for its other half
        self._rest = escape + rest
        return text
