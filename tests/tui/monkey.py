"""Somebody who hits every key there is, clicks, resizes and pastes, seeded, in a real terminal.

Whatever they do, the app goes on or is left in good order, and what they changed can all be undone.
Only two keys are kept from them, `x` and Delete: in the trash these delete for good.
"""

import fcntl
import os
import random
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from explorer.errors import ExplorerError
from explorer.stores.edits.editor import Editor
from explorer.stores.ours.notes import Notes
from explorer.stores.ours.trash_records import ReceiptState
from tests.editors import edits_on
from tests.edits.states import dump, faults
from tests.newer_files import newer_file
from tests.real_files import unpack
from tests.terminal import PATIENCE, Terminal

LETTERS = b"jkhlgGnNrtduapsfvLmizcoRTyYJEP{}[]!.*?/ \r\t"
NAMED = (
    *(b"\x1b[A", b"\x1b[B", b"\x1b[C", b"\x1b[D", b"\x1b[5~", b"\x1b[6~", b"\x1b[H", b"\x1b[F"),
    *(b"\x1b[1;2A", b"\x1b[1;2B", b"\x1bOP", b"\x1bOQ", b"\x1b", b"\x1b", b"\x7f", b"\r", b"\r\r"),
    *(b"\x01", b"\x06", b"\x07", b"\x0e", b"\x10", b"\x10\r\r", b"\x14", b"\x19"),
)
ODD = (
    b"\xe7",
    b"\xff\xfe",
    b"\x00",
    b"\x1b[",
    b"\x1b[<",
    b"\x1b]0;",
    b"\x1b[200~",
    b"\x1b[I\x1b[O",
)
WORDS = (b"/docker", b"/source:cli ", b"/a OR b", b"/NOT the", b"/=/[a-z]+/", b"/is:archived", b"y")
LEAVING = (b"q", b"\x11", b"\x03")
TEXT = "why does it fail? d y\r\n\tYes: 日本語 \u202e"
FILES: dict[str, Callable[[Path], Path]] = {
    "hermes-v31": lambda folder: newer_file("hermes-v31", folder),
    "hermes-v16": lambda folder: unpack("hermes-v16", folder),
    "power-loop-8.0.0": lambda folder: unpack("power-loop-8.0.0", folder),
}
LOOK_EVERY = 40
"""Blows after which the app must show that it is alive."""


class _Undrawn(Terminal):
    """A terminal that nobody looks at: drawing would take longer than the app."""

    def __init__(self, path: Path, home: Path) -> None:
        (home / "bin").mkdir(exist_ok=True)
        own = {
            **{"HOME": str(home), "XDG_DATA_HOME": str(home), "XDG_CONFIG_HOME": str(home)},
            **{"PATH": str(home / "bin"), "EDITOR": "/bin/true", "VISUAL": "/bin/true"},
            **{"PAGER": "/bin/true"},
        }
        super().__init__(["--db", str(path)], environment=own)
        os.set_blocking(self._fd, False)

    @property
    def code(self) -> int | None:
        return self._code

    def hit(self, data: bytes) -> bool:
        """Send something; False where the app has gone. An app that does not take it hangs."""
        deadline = time.monotonic() + PATIENCE
        while data:
            assert time.monotonic() < deadline, "takes no more keys"
            ready = select.select([self._fd], [self._fd], [], 0.1)
            try:
                if ready[1]:
                    data = data[os.write(self._fd, data[:1024]) :]
                self.drain(0)
            except OSError:
                return False
            if self.gone():
                return False
        return True

    def drain(self, patience: float) -> int:
        """How much came until nothing came for so long."""
        came = 0
        while select.select([self._fd], [], [], patience)[0]:
            try:
                data = os.read(self._fd, 1 << 16)
            except OSError:
                return came
            came += len(data)
            self._raw = (self._raw + data)[-50_000:]
            if not data:
                return came
        return came

    def gone(self) -> bool:
        if self._code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._code = os.waitstatus_to_exitcode(status)
        return self._code is not None

    def resize(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def is_alive(self) -> bool:
        """Whether it paints when it has to; False where it has left."""
        deadline = time.monotonic() + PATIENCE
        for columns in (90, 121):
            nudges = 0
            self.resize(columns, 33)
            while not self.drain(0.2):
                if self.gone():
                    return False
                assert time.monotonic() < deadline, f"hangs: {self.raw[-2000:]!r}"
                # Whoever looks late at two changes may find the size that was there before.
                nudges += 1
                self.resize(columns + nudges % 2, 33)
        return True

    def quit(self) -> int:
        """Leave as somebody does who only knows control+c."""
        deadline = time.monotonic() + PATIENCE
        while not self.gone():
            assert time.monotonic() < deadline, f"does not leave: {self.raw[-2000:]!r}"
            with suppress(OSError):
                os.write(self._fd, b"\x03")
            self.drain(0.2)
        assert self._code is not None
        return self._code


class Monkey:
    """Hits the keys of the app on one file."""

    def __init__(self, path: Path, home: Path, seed: int) -> None:
        self._path = path
        self._home = home
        self._chance = random.Random(seed)
        self.starts = 0

    def rage(self, blows: int) -> None:
        """Until so many were struck; the app is started again whenever one of them left it."""
        while blows > 0:
            self.starts += 1
            with _Undrawn(self._path, self._home) as terminal:
                while not terminal.drain(1.0):
                    assert not terminal.gone(), self._what_happened(terminal)
                while blows > 0:
                    blows -= 1
                    if not self._strike(terminal):
                        break
                    if blows % LOOK_EVERY == 0 and not terminal.is_alive():
                        break
                assert terminal.quit() in (0, 130), self._what_happened(terminal)

    def _what_happened(self, terminal: _Undrawn) -> str:
        reports = sorted((self._home / "session-explorer").glob("crashes/*"))
        said = "".join(report.read_text() for report in reports[-1:])
        text = re.sub(rb"\x1b\[[0-9;?<>=$ ]*[@-~]", b"", terminal.raw)
        return f"left with {terminal.code}: {said or text[-2000:].decode('utf-8', 'replace')}"

    def _strike(self, terminal: _Undrawn) -> bool:
        kind = self._chance.random()
        if kind < 0.02:
            terminal.resize(self._chance.randint(1, 160), self._chance.randint(1, 50))
        elif kind < 0.03 and not terminal.gone():
            terminal.signal(signal.SIGCONT)
        elif not terminal.hit(b"".join(self._blow(kind))):
            return False
        terminal.drain(self._chance.choice((0.0, 0.01, 0.02, 0.1)))
        return not terminal.gone()

    def _blow(self, kind: float) -> Iterator[bytes]:
        chance = self._chance
        if kind < 0.035:
            yield chance.choice(LEAVING)
        elif kind < 0.05:
            yield b"\x1b[200~" + (TEXT * chance.randint(1, 100)).encode() + b"\x1b[201~"
        elif kind < 0.06:
            yield (TEXT * chance.randint(4, 50)).encode()
        elif kind < 0.08:
            yield chance.choice(ODD)
        elif kind < 0.13:
            yield chance.choice(WORDS)
        elif kind < 0.25:
            yield from self._click()
        elif kind < 0.55:
            yield chance.choice(NAMED)
        else:
            for _ in range(chance.choice((1, 1, 1, 2, 5))):
                yield bytes([chance.choice(LETTERS)])

    def _click(self) -> Iterator[bytes]:
        column, row = self._chance.randint(1, 130), self._chance.randint(1, 42)
        button = self._chance.choice((0, 0, 0, 0, 2, 16, 35, 64, 65))
        for _ in range(self._chance.choice((1, 1, 2))):
            yield b"\x1b[<%d;%d;%dM" % (button, column, row)
            if button < 32:
                yield b"\x1b[<%d;%d;%dm" % (button, column, row)


def let_loose(name: str, folder: Path, seed: int, blows: int) -> list[str]:
    """What is wrong after a monkey had the app on a file in a folder: nothing, where all it did
    could be undone."""
    path, home = FILES[name](folder), folder / f"home-{name}"
    home.mkdir()
    before, content = dump(path), path.read_bytes()
    wrong_before = faults(path)
    Monkey(path, home, seed).rage(blows)
    ours = home / "session-explorer"
    editor = edits_on(path, ours / "trash.db", time.time, Notes(ours / "explorer.db", path))
    if not editor.trash.receipts():
        return [] if path.read_bytes() == content else ["changed, and nothing was asked for"]
    wrong = list(_undo_all(editor))
    if dump(path) != before:
        wrong.append("not as it was before, though all is undone")
    return wrong + [fault for fault in faults(path) if fault not in wrong_before]


def _undo_all(editor: Editor) -> Iterator[str]:
    """Take everything back, the newest first; what cannot be is told."""
    for half in list(editor.after_crash().half_done):
        editor.restore(half)
    for receipt in editor.trash.receipts():
        if receipt.state is ReceiptState.DONE:
            try:
                plan = editor.undo_plan(receipt.number)
                plan.check()
                editor.undo(plan)
            except ExplorerError as error:
                yield f"{receipt.words}: {error}"
