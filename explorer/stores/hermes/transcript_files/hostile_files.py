"""Reading files that anybody may have put there: within limits, piece by piece, with offsets.

Only regular files are opened, never through a link, never waiting for a pipe, and never one that is
also a database: closing a plain handle on it would drop this process's locks. What cannot be
decoded is given as it is, for the caller to count.
"""

import json
import math
import os
import re
import stat
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import IO, NamedTuple

from explorer.stores.sqlite import cells

MOST_LINE = 16 << 20
"""Bytes of one line, or of one message."""
MOST_WHOLE = 64 << 20
"""Bytes of a file that has to be decoded as a whole."""
MOST_BYTES = 256 << 20
"""Bytes of a file that is read line by line."""

Identity = tuple[int, int]
"""Device and number of a file."""


class FilePiece(NamedTuple):
    """Some bytes of a file: a line, or one value of a list."""

    offset: int
    data: bytes
    whole: bool = True
    """False where it is longer than is read, or breaks off with the file."""


def regular(path: str | Path, never: Collection[Identity] = ()) -> os.stat_result | None:
    """How a file is, without opening it; None where there is none that may be opened."""
    try:
        found = os.lstat(path)
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(found.st_mode) or (found.st_dev, found.st_ino) in never:
        return None
    return found


def identities(database: Path) -> frozenset[Identity]:
    """A state file and what SQLite keeps beside it: never to be opened as text."""
    found = (regular(f"{database}{end}") for end in ("", "-wal", "-shm", "-journal"))
    return frozenset((one.st_dev, one.st_ino) for one in found if one)


def opened(path: str | Path) -> IO[bytes]:
    """A regular file, opened without following a link or waiting for a pipe that took its name."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    handle = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError("not a regular file")
    return os.fdopen(handle, "rb")


def lines(stream: IO[bytes], start: int = 0, most: int = MOST_BYTES) -> Iterator[FilePiece]:
    """The lines of a file from an offset on, as far as `most`. One that is too long is cut, and
    its rest passed over."""
    stream.seek(start)
    at = start
    while at < most and (data := stream.readline(min(MOST_LINE, most - at))):
        whole = data.endswith(b"\n")
        yield FilePiece(at, data, whole)
        at += len(data)
        if not whole:
            at += _passed_over(stream, most - at)


def _passed_over(stream: IO[bytes], most: int) -> int:
    """The bytes up to the end of a line, read and dropped."""
    passed = 0
    while passed < most and (data := stream.readline(min(1 << 20, most - passed))):
        passed += len(data)
        if data.endswith(b"\n"):
            break
    return passed


def _number(digits: str) -> float | str:
    """A number, or its own text: neither 1e999 nor NaN can be given on as JSON."""
    value = float(digits)
    return value if math.isfinite(value) else digits


_JSON = json.JSONDecoder(parse_float=_number, parse_constant=str)
"""Reads what Python writes: Hermes itself takes a line with NaN in it."""
_HALF_SIGNS = re.compile(rb"\\u[dD][89a-fA-F]")
"""Halves of a sign, which are no text when they stand alone."""
_SPACE = re.compile(r"[ \t\r\n]*")


def decoded(data: bytes) -> object:
    """The JSON value that these bytes are, or `cells.BROKEN`."""
    if len(data) > MOST_WHOLE:
        return cells.BROKEN
    try:
        value: object = _JSON.decode(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return cells.BROKEN
    return checked(value, data)


def checked(value: object, data: bytes) -> object:
    """A value that can be walked and shown, or `cells.BROKEN` where it is nested too deeply."""
    if data.count(b"[") + data.count(b"{") > cells.DEEPEST and cells.is_deep(value):
        return cells.BROKEN
    return _as_text(value) if _HALF_SIGNS.search(data) else value


def _as_text(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, list):
        return [_as_text(item) for item in value]
    if isinstance(value, dict):
        return {str(_as_text(name)): _as_text(item) for name, item in value.items()}
    return value


def members(data: bytes, wanted: str, take: Callable[[str, object], None]) -> Iterator[FilePiece]:
    """The values of the list `wanted` in the object that a file is, or of the list that it is, each
    with its place; `take` gets every other member. From a broken place on there is one piece that
    is not whole."""
    # Bytes that are no text keep their number, so that places stay true.
    walk = _Walk(data.decode("utf-8", "surrogateescape"))
    try:
        if walk.next == "[":
            yield from walk.values()
            return
        walk.step("{")
        while walk.next != "}":
            name = str(walk.value())
            walk.step(":")
            if name == wanted and walk.next == "[":
                yield from walk.values()
            else:
                take(name, walk.value())
            walk.separate("}")
    except (ValueError, RecursionError):
        yield FilePiece(walk.place, b"", whole=False)


class _Walk:
    """A place in a JSON text, as a character and as a byte."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.place = 0
        self._placed = 0
        self._go(0)

    def _go(self, at: int) -> None:
        """To the next sign that means something."""
        found = _SPACE.match(self.text, at)
        self.at = found.end() if found else at

    @property
    def next(self) -> str:
        return self.text[self.at : self.at + 1]

    def step(self, sign: str) -> None:
        """Over this sign, which must be the next."""
        if self.next != sign:
            raise ValueError(self.at)
        self._go(self.at + 1)

    def separate(self, end: str) -> None:
        """Over a comma, unless the end follows."""
        if self.next != end:
            self.step(",")

    def value(self) -> object:
        """The value that begins here, which is passed."""
        value, end = _JSON.raw_decode(self.text, self.at)
        self._go(end)
        return value

    def values(self) -> Iterator[FilePiece]:
        """Those of a list that begins here."""
        self.step("[")
        while self.next != "]":
            start = self.at
            _, end = _JSON.raw_decode(self.text, start)
            data = self.text[start:end].encode("utf-8", "surrogateescape")
            self.place += len(self.text[self._placed : start].encode("utf-8", "surrogateescape"))
            self._placed = start
            yield FilePiece(self.place, data, len(data) <= MOST_LINE)
            self._go(end)
            self.separate("]")
        self.step("]")
