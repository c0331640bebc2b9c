"""What the headless commands write: documents to standard output, everything else to error. Either
may be closed, full, or read by nobody.

Text from a state file passes through `clean` here; JSON is pure ASCII, so that nothing stored can
reach the terminal as a control. A stream that was closed is opened again, on nothing: else the next
file that is opened, which may be somebody's state file, would take its number, and what is printed
would go into it.
"""

import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Literal, TextIO

from explorer.errors import ExitCode, ExplorerError
from explorer.render.clean import clean

BOLD, DIM, CYAN, RESET = "\x1b[1m", "\x1b[2m", "\x1b[36m", "\x1b[0m"


def write_json(document: Mapping[str, object]) -> None:
    with _telling():
        json.dump(document, sys.stdout, indent=1)
        sys.stdout.write("\n")
        sys.stdout.flush()


def write(text: str) -> None:
    """One line, or several, of text that is clean already."""
    encoding = sys.stdout.encoding or "utf-8"
    with _telling():
        sys.stdout.write(text.encode(encoding, "replace").decode(encoding) + "\n")


def flush() -> None:
    """Have all that was written reach its reader."""
    with _telling():
        sys.stdout.flush()


@contextmanager
def _telling() -> Iterator[None]:
    """A result that cannot be written is a failure, and told; a reader that went away is none."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        message = f"Standard output cannot be written: {error.strerror or error}."
        raise ExplorerError("The result is not complete", message) from error


def note(text: str) -> None:
    """A word beside the result: never on standard output."""
    encoding = sys.stderr.encoding or "utf-8"
    # Where nobody can be told, what is to be done is done all the same.
    with suppress(OSError):
        sys.stderr.write(clean(text).encode(encoding, "replace").decode(encoding) + "\n")


def confirmed(question: str) -> bool:
    """Ask somebody at the terminal; only a yes is one."""
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def painted(text: str, style: str) -> str:
    """In colour on a terminal; plain where it is not one, or where NO_COLOR asks for it."""
    if not text or not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        return text
    return f"{style}{text}{RESET}"


def open_closed() -> None:
    """Stand in for streams that were closed. Whoever writes to an output that was is told so: what
    stands in for it cannot be written."""
    for number, how in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            # The lowest number that is free: this one, since those below it are open by now.
            os.open(os.devnull, how)
    # Python has none where it found a closed one.
    sys.stdin = sys.stdin or _stream(0, "r")
    sys.stdout = sys.stdout or _stream(1, "w")
    sys.stderr = sys.stderr or _stream(2, "w")


def _stream(number: int, mode: Literal["r", "w"]) -> TextIO:
    return open(number, mode, encoding="utf-8", errors="replace", closefd=False)


def let_go(code: int) -> int:
    """Write out what is left; the exit code. Where nobody reads it any more, Python must not
    complain; where it could not be written, what was done is not what was asked for."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError as error:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
            lost = stream is sys.stdout and not isinstance(error, BrokenPipeError)
            if lost and code == ExitCode.DONE:
                code = ExitCode.FAILED
    return code
