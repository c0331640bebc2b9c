"""Standard input, output and error as they may be: closed, full, or read by nobody.

A stream that was closed is opened again, on nothing: else the next file that is opened, which may
be somebody's state file, would take its number, and what is printed would go into it.
"""

import os
import sys
from typing import Literal, TextIO

from explorer.errors import ExitCode


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
                code = int(ExitCode.FAILED)
    return code
