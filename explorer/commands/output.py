"""What the headless commands write: documents to standard output, everything else to error.

Text from a state file passes through `clean` here; JSON is pure ASCII, so that nothing stored can
reach the terminal as a control.
"""

import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

from explorer.errors import ExplorerError
from explorer.render.clean import clean, clean_line

BOLD, DIM, RED, CYAN, RESET = "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[36m", "\x1b[0m"


def write_json(document: Mapping[str, object], indent: int | None = 1) -> None:
    with _telling():
        json.dump(document, sys.stdout, indent=indent)
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


def complain(error: ExplorerError) -> None:
    note(f"session-explorer: {clean_line(error.title)}. {error.message}")


def painted(text: str, style: str) -> str:
    """In colour on a terminal; plain where it is not one, or where NO_COLOR asks for it."""
    if not text or not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        return text
    return f"{style}{text}{RESET}"
