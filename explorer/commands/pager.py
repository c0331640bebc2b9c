"""A pager for what a person reads on a terminal: started as soon as the output is longer than the
screen, with the user's own program or less.

Whatever that program does, the command ends as it would have without it: a pager that cannot be
started is left out, and one that is quit early is no error.
"""

import io
import os
import re
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout, suppress
from typing import TYPE_CHECKING, TextIO

from explorer.commands.output import note, terminal_size
from explorer.errors import ExplorerError
from explorer.render.clean import cell_width

if TYPE_CHECKING:
    import subprocess

DEFAULT = ("less", "-FRX")
"""Quits if all fits on the screen, shows colours, leaves the text on the screen."""
LESS = "FRX"
"""The same for a less that the user has named, unless $LESS says how it should be."""
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@contextmanager
def paged(wanted: bool) -> Iterator[None]:
    """What is written inside goes through a pager if it is longer than the terminal."""
    if not wanted or not sys.stdout.isatty() or os.environ.get("TERM", "dumb") == "dumb":
        yield
        return
    output = _PagedOutput(sys.stdout)
    try:
        with redirect_stdout(output):
            yield
    except BrokenPipeError:
        if not output.in_pager:
            raise
    finally:
        output.finish()


class _PagedOutput(io.TextIOBase):
    """Holds back a screen of text, and then writes to the pager."""

    def __init__(self, terminal: TextIO) -> None:
        self._terminal = terminal
        self._size = terminal_size()
        self._held: list[str] = []
        self._rows = 0
        self._direct = False
        self._pager: subprocess.Popen[bytes] | None = None

    @property
    def in_pager(self) -> bool:
        return self._pager is not None

    @property
    def encoding(self) -> str:  # type: ignore[override]  # a plain attribute there
        return self._terminal.encoding or "utf-8"

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if self._pager is not None and self._pager.stdin is not None:
            self._pager.stdin.write(text.encode(self.encoding, "replace"))
        elif self._direct:
            self._terminal.write(text)
        else:
            self._held.append(text)
            self._rows += _rows(text, self._size.columns)
            if self._rows >= self._size.lines:
                self._start()
        return len(text)

    def _start(self) -> None:
        """The text has grown longer than the screen."""
        import subprocess  # late: 3 ms that only long output need pay

        self._terminal.flush()
        try:
            command = pager_command(os.environ)
            if command:
                environment = {"LESS": LESS, **os.environ}
                self._pager = subprocess.Popen(command, stdin=subprocess.PIPE, env=environment)
        except ExplorerError as error:
            note(f"{error.title}. {error.message}")
        except OSError as error:
            note(f"Cannot start {command[0]}: {error.strerror or error}.")
        self._direct = self._pager is None
        self._write_held()

    def _write_held(self) -> None:
        held, self._held = "".join(self._held), []
        self.write(held)

    def finish(self) -> None:
        """Write what is still held, or wait until the user has left the pager."""
        if self._pager is None:
            self._direct = True
            self._write_held()
            return
        # Control+c is for the pager now.
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            if self._pager.stdin is not None:
                with suppress(OSError):
                    self._pager.stdin.close()
            code = self._pager.wait()
        finally:
            signal.signal(signal.SIGINT, before)
        if code > 0:
            name = self._pager.args[0] if isinstance(self._pager.args, tuple) else ""
            note(f"The pager {name} exited with code {code}. Use --no-pager to do without.")


def pager_command(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The pager to run; nothing if $PAGER is empty, or not set and there is no less."""
    # Late, as above.
    from shutil import which

    from explorer.external_programs import Program, command_of

    line = environment.get("PAGER")
    if line is None:
        return DEFAULT if which(DEFAULT[0], path=environment.get("PATH")) else ()
    return command_of(Program.PAGER, environment) if line.strip() else ()


def _rows(text: str, columns: int) -> int:
    """How many lines of the terminal a text of whole lines takes."""
    lines = _COLOUR.sub("", text).removesuffix("\n").split("\n")
    return sum(max(-(-_cells(line, columns) // max(columns, 1)), 1) for line in lines)


def _cells(line: str, columns: int) -> int:
    # A character takes two cells at most: what is short need not be measured.
    return len(line) if 2 * len(line) <= columns else cell_width(line)
