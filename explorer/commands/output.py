"""What the commands write: results to standard output, everything else to standard error. Either
may be closed, full, or without a reader.

Text from a state file passes through `clean` here; JSON is pure ASCII, so that no stored control
character reaches the terminal. A closed stream is opened again on /dev/null: otherwise the next
file to be opened, maybe a state file, would get its number, and output would be written into it.
"""

import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import islice
from typing import Literal, TextIO

from explorer.errors import ExitCode, ExplorerError
from explorer.render import veil
from explorer.render.clean import clean

BOLD, DIM, CYAN, RESET = "\x1b[1m", "\x1b[2m", "\x1b[36m", "\x1b[0m"
PIECES = 10_000
"""Parts of a JSON document that are written at once: some dozens of kilobytes."""
_STYLES = r"(\x1b\[\d+m)"


def write_json(document: Mapping[str, object]) -> None:
    shown = veil.hidden_in(document)
    pieces = json.JSONEncoder(indent=1).iterencode(shown)
    with _telling():
        # Together: where the output has no buffer, each of millions would be a system call.
        while some := "".join(islice(pieces, PIECES)):
            sys.stdout.write(some)
        sys.stdout.write("\n")
        sys.stdout.flush()


def write(text: str) -> None:
    """One or more lines of text that is clean already."""
    encoding = sys.stdout.encoding or "utf-8"
    if veil.drawn():
        text = "".join(map(veil.hidden, re.split(_STYLES, text)))
    with _telling():
        sys.stdout.write(text.encode(encoding, "replace").decode(encoding) + "\n")


def heading(text: str) -> None:
    """What the columns below are; only for a person, on a terminal."""
    if sys.stdout.isatty():
        write(painted(text, DIM))


def flush() -> None:
    """Pass everything written so far to its reader."""
    with _telling():
        sys.stdout.flush()


@contextmanager
def _telling() -> Iterator[None]:
    """A result that cannot be written is an error; a reader that has gone is not."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        message = f"Cannot write to standard output: {error.strerror or error}."
        raise ExplorerError("The result is incomplete", message) from error


def note(text: str) -> None:
    """A note beside the result: never on standard output."""
    if ":/" in text or "password" in text.lower() or "psycopg" in sys.modules:
        # Late: most notes quote no address of a server.
        from explorer.stores.postgres.secrets import scrubbed

        text = scrubbed(text)
    encoding = sys.stderr.encoding or "utf-8"
    # A note that cannot be written does not stop the command.
    with suppress(OSError):
        sys.stderr.write(clean(text).encode(encoding, "replace").decode(encoding) + "\n")


def terminal_size() -> os.terminal_size:
    """Columns and lines of the terminal."""
    from shutil import get_terminal_size  # late: 2 ms that a script need not pay

    return get_terminal_size()


def confirmed(question: str) -> bool:
    """Ask at the terminal; anything but a yes is a no."""
    sys.stderr.write(f"{veil.hidden(question)} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def painted(text: str, style: str) -> str:
    """In colour on a terminal; plain elsewhere, and with NO_COLOR."""
    if not text or not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        return text
    return f"{style}{text}{RESET}"


def open_closed() -> None:
    """Replace closed streams. Writing to a closed output still fails: its replacement is
    read-only."""
    for number, how in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            # Gets the lowest free number: this one, since those below it are open by now.
            os.open(os.devnull, how)
    # Python sets a stream to None if it was closed.
    sys.stdin = sys.stdin or _stream(0, "r")
    sys.stdout = sys.stdout or _stream(1, "w")
    sys.stderr = sys.stderr or _stream(2, "w")


def _stream(number: int, mode: Literal["r", "w"]) -> TextIO:
    return open(number, mode, encoding="utf-8", errors="replace", closefd=False)


def let_go(code: int) -> int:
    """Flush both streams and return the exit code. A reader that has gone is not an error; a result
    that cannot be written is one."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError as error:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
            lost = stream is sys.stdout and not isinstance(error, BrokenPipeError)
            if lost and code == ExitCode.DONE:
                code = ExitCode.FAILED
    return code
