"""A real terminal: the program in a pty, its output as bytes and as a person sees it."""

import fcntl
import os
import pty
import select
import shutil
import signal
import struct
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import pyte

SIZES = ("COLUMNS", "LINES")
ALTERNATE_SCREEN, ITS_END = b"\x1b[?1049h", b"\x1b[?1049l"
"""What takes the terminal for a full-screen program, and what gives it back."""
PATIENCE = 120.0
"""Seconds until a test gives up on something that should happen at once."""

AT_A_TIME = 0.2
"""Seconds for which the screen is drawn before it is looked at."""


class _Screen(pyte.Screen):
    """Draws odd text letter by letter: pyte drops everything after a letter it cannot place."""

    def draw(self, data: str) -> None:
        for piece in [data] if data.isascii() else data:
            super().draw(piece)


class Terminal:
    """A program in a terminal of its own."""

    def __init__(
        self,
        arguments: Sequence[str],
        size: tuple[int, int] = (120, 40),
        environment: Mapping[str, str] | None = None,
        program: str = "session-explorer",
    ) -> None:
        self._raw = bytearray()
        self._size = size
        self._screen = _Screen(*size)
        self._stream = pyte.ByteStream(self._screen)
        script = Path(sys.executable).parent / program
        if not script.exists():
            script = Path(shutil.which(program) or program)
        self.pid, self._fd = pty.fork()
        if self.pid == 0:
            columns, rows = size
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            # Of our own environment only what Python knows: readline adds the size it sees.
            mine = {name: os.environ[name] for name in os.environ if name not in SIZES}
            mine |= {"TERM": "xterm-256color", "COLORTERM": "truecolor", **(environment or {})}
            os.execve(script, [program, *arguments], mine)
        self._code: int | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._code is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        self.hang_up()

    @property
    def raw(self) -> bytes:
        """Everything that the program has sent."""
        return bytes(self._raw)

    @property
    def text(self) -> str:
        columns, rows = self._size
        cells = self._screen.buffer
        lines = ("".join(cells[y][x].data for x in range(columns)) for y in range(rows))
        return "\n".join(line.rstrip() for line in lines)

    @property
    def cursor(self) -> tuple[int, int]:
        """(column, line) of the terminal's own cursor, seen or not."""
        return self._screen.cursor.x, self._screen.cursor.y

    def press(self, keys: bytes) -> None:
        os.write(self._fd, keys)

    def signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def hang_up(self) -> None:
        """Close the terminal, as when its window is closed."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def until(self, *seen: str | Callable[[str], bool]) -> str:
        """Wait until the screen shows all of this at once. What belongs together is waited for
        together: a screen is painted piece by piece, and no piece says that it is the last."""

        def missing() -> list[str | Callable[[str], bool]]:
            text = self.text
            return [it for it in seen if not (it in text if isinstance(it, str) else it(text))]

        deadline = time.monotonic() + PATIENCE
        while lacking := missing():
            assert time.monotonic() < deadline, f"never saw {lacking!r}:\n{self.text}"
            self._read(0.05)
        return self.text

    def drawn_anew(self) -> Callable[[str], bool]:
        """For `until`: the app has taken the terminal once more since this was asked for, as when
        another program gives it back. Until then the screen shows what it showed before."""
        before = self.raw.count(ALTERNATE_SCREEN)
        return lambda _: self.raw.count(ALTERNATE_SCREEN) > before

    def leave(self) -> int:
        """The exit code, once the program has ended."""
        deadline = time.monotonic() + PATIENCE
        while self._code is None:
            assert time.monotonic() < deadline, f"does not leave:\n{self.text}"
            self._read(0.02)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._code = os.waitstatus_to_exitcode(status)
        self._read(0, PATIENCE)
        return self._code

    def _read(self, patience: float, longest: float = AT_A_TIME) -> None:
        """Take what there is; not all of it where more comes than can be drawn, or what is only
        there for a while would never be seen."""
        if self._fd < 0:
            return
        enough = time.monotonic() + longest
        while time.monotonic() < enough and select.select([self._fd], [], [], patience)[0]:
            try:
                data = os.read(self._fd, 1 << 16)
            except OSError:
                return
            if not data:
                return
            self._raw += data
            self._stream.feed(data)
            patience = 0
