"""Rows as they are stored, byte for byte, packed for our trash.

A cell keeps its storage class: text that is not valid UTF-8, text with a NUL in it, bytes in a
text column. An undo restores exactly these bytes, not what Python makes of them.
"""

import math
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TypeVar

from explorer.errors import ExplorerError

T = TypeVar("T")

ABOUT = 1 << 20
"""Bytes of cells in one pack: enough for compression, little enough to hold in memory."""
MOST = 64 << 20
"""Bytes that a pack may have beside those of its cells: it notes the length of each."""
SLICE = 20
SLICE_BYTES = 100_000

_NUMBER = struct.Struct("<q")
_REAL = struct.Struct("<d")
_LENGTH = struct.Struct("<Q")
_ROW = struct.Struct("<I")


class RawText(bytes):
    """Text as it is stored, whether or not it is valid."""

    __slots__ = ()


Cell = int | float | bytes | None
"""One value of a row; text is `RawText`, any other bytes are a blob."""
Image = tuple[Cell, ...]
"""One row."""
Rows = Callable[[str, Sequence[object]], Sequence[Image]]
"""Asks a file: (statement, values) → rows."""


def named(columns: Iterable[str], row: Image) -> dict[str, Cell]:
    """The cells of a row by their columns; the first is its number, the `rowid`."""
    return dict(zip(("rowid", *columns), row, strict=True))


def weight(row: Image) -> int:
    """About how many bytes a row has."""
    return sum(len(cell) if isinstance(cell, bytes) else 8 for cell in row)


def slices(rows: Sequence[Image]) -> Iterator[list[Image]]:
    """Rows in lists that are each written in one go: few, and fewer where they are long. The search
    tables take up to a millisecond for a message, and a second for one of megabytes."""
    return portions(rows, weight, SLICE_BYTES, SLICE)


def portions(
    items: Iterable[T], weight: Callable[[T], int], bytes_: int, most: float = math.inf
) -> Iterator[list[T]]:
    """Items in lists of `most`, or of fewer that have more than so many bytes."""
    few: list[T] = []
    size = 0
    for item in items:
        few.append(item)
        size += weight(item)
        if len(few) >= most or size > bytes_:
            yield few
            few, size = [], 0
    if few:
        yield few


def pack(rows: Iterable[Sequence[Cell]]) -> bytes:
    """Rows as compressed bytes."""
    parts: list[bytes] = []
    for row in rows:
        parts.append(_ROW.pack(len(row)))
        for cell in row:
            _add(parts, cell)
    # The fastest level: text of chats shrinks to a third, and a big delete is not kept waiting.
    return zlib.compress(b"".join(parts), 1)


def _add(parts: list[bytes], cell: Cell) -> None:
    if cell is None:
        parts.append(b"n")
    elif isinstance(cell, RawText):
        parts += (b"t", _LENGTH.pack(len(cell)), bytes(cell))
    elif isinstance(cell, bytes):
        parts += (b"b", _LENGTH.pack(len(cell)), cell)
    elif isinstance(cell, int):
        parts += (b"i", _NUMBER.pack(cell))
    else:
        parts += (b"r", _REAL.pack(cell))


def unpack(packed: object, bytes_: int = 0) -> list[Image]:
    """The rows of a pack, which should have so many bytes together. A pack with far more is
    refused: a gigabyte of zeros fits into one megabyte."""
    try:
        if not isinstance(packed, bytes):
            raise ValueError("missing")
        unpacking = zlib.decompressobj()
        data = unpacking.decompress(packed, MOST + 2 * max(bytes_, 0))
        if not unpacking.eof:
            raise ValueError("truncated, or far larger than recorded")
        return list(_rows(data))
    except (zlib.error, struct.error, IndexError, ValueError) as error:
        raise ExplorerError(
            "The trash is damaged", f"Part of it cannot be unpacked ({error})."
        ) from error


def unpack_beginning(packed: bytes, most: int) -> list[Image]:
    """The rows in the first bytes of what a pack holds, of which only the beginning need be given.
    The last may lack cells, and damage ends it: good for a name, never for putting rows back."""
    found: list[Image] = []
    with suppress(zlib.error, struct.error, ValueError):
        for row in _rows(zlib.decompressobj().decompress(packed, most), cut=True):
            found.append(row)
    return found


def _rows(data: bytes, cut: bool = False) -> Iterable[Image]:
    """With `cut`, the data may end in the middle of a cell, which is then the last of its row."""
    at = 0
    while at < len(data):
        (cells,) = _ROW.unpack_from(data, at)
        at += _ROW.size
        row: list[Cell] = []
        for _ in range(cells):
            kind, at = data[at : at + 1], at + 1
            if kind == b"n":
                row.append(None)
            elif kind in (b"t", b"b"):
                (length,) = _LENGTH.unpack_from(data, at)
                at += _LENGTH.size
                if at + length > len(data) and not cut:
                    raise ValueError("truncated")
                found = data[at : at + length]
                row.append(RawText(found) if kind == b"t" else found)
                at += length
            elif kind in (b"i", b"r"):
                form = _NUMBER if kind == b"i" else _REAL
                row.append(form.unpack_from(data, at)[0])
                at += form.size
            elif cut and not kind:
                break
            else:
                raise ValueError(f"unknown kind of cell {kind!r}")
        yield tuple(row)


def bound(cell: Cell) -> tuple[str, object]:
    """(the term in the statement, its value): text that Python cannot hold is cast
    from its bytes inside SQLite."""
    if isinstance(cell, RawText):
        try:
            return "?", cell.decode("utf-8")
        except UnicodeDecodeError:
            return "CAST(? AS TEXT)", bytes(cell)
    return "?", cell


def raw(text: str) -> RawText:
    """What SQLite stores for a text of ours."""
    return RawText(text.encode("utf-8"))


def shown(cell: Cell) -> str:
    """A cell as text for people; the caller cleans it."""
    if isinstance(cell, bytes):
        return cell.decode("utf-8", "replace")
    return "" if cell is None else str(cell)
