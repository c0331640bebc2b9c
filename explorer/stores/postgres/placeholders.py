"""One way to write a query for SQLite and for a server: `?` for a value."""

import re
from collections.abc import Sequence
from functools import lru_cache

_PIECE = re.compile(
    r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|/\*.*?\*/|\?""",
    re.DOTALL,
)


@lru_cache(maxsize=500)
def numbered(sql: str) -> bytes:
    """The query with `$1`, `$2`, … for each `?` that is not in a text, a name or a comment."""
    count = 0

    def mark(found: re.Match[str]) -> str:
        nonlocal count
        if found[0] != "?":
            return found[0]
        count += 1
        return f"${count}"

    return _PIECE.sub(mark, sql).encode("utf-8", "replace")


def bound(values: Sequence[object]) -> list[object]:
    """Values that the server takes: no text of its can hold NUL, nor what is not Unicode."""
    return [_text(value) if isinstance(value, str) else value for value in values]


def _text(value: str) -> str:
    if value.isascii() and "\0" not in value:
        return value
    return value.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
