"""From any cell to the value it means.

SQLite keeps whatever it is given: text in a number column, blobs in a text column, milliseconds
for seconds, infinities, broken JSON. Nothing here raises; what cannot be understood is None, or
the text itself.
"""

import json
import math
from datetime import datetime

JSON_LIMIT = 64 * 1024 * 1024
"""Longer text is shown as it is: decoding would take seconds and several times its memory."""
DEEPEST = 100
"""Levels of JSON that are decoded: walking or writing a value recurses for each."""

_MILLISECONDS_ABOVE = 1e11
_MICROSECONDS_ABOVE = 1e14
_END_OF_TIME = 253_402_300_799.0
SANE_UNTIL = 4_102_444_800.0
"""The year 2100."""

BROKEN = object()
"""What `decoded` gives for text that is not JSON."""


def text(cell: object) -> str | None:
    """The cell as text, or None when there is none."""
    if cell is None or type(cell) is str:
        return cell
    if isinstance(cell, bytes):
        return cell.decode("utf-8", "replace")
    return str(cell)


def words(cell: object) -> str:
    """The cell as text, empty when there is none."""
    return cell if type(cell) is str else text(cell) or ""


def number(cell: object) -> float | None:
    """A finite number, or None."""
    if isinstance(cell, bool) or cell is None:
        return None
    if isinstance(cell, int | float):
        value = float(cell) if abs(cell) < 1e300 else math.inf
    else:
        try:
            value = float(words(cell))
        except ValueError:
            return None
    return value if math.isfinite(value) else None


def integer(cell: object) -> int | None:
    """A whole number, or None."""
    if isinstance(cell, int):
        return cell
    value = number(cell)
    return None if value is None else int(value)


def amount(cell: object) -> int:
    """A counter: never negative, zero when unknown."""
    if type(cell) is int:
        return cell if cell > 0 else 0
    return max(integer(cell) or 0, 0)


def seconds(cell: object) -> float | None:
    """A time as seconds since the epoch, also from milliseconds, microseconds and ISO text."""
    if type(cell) is float and 0 < cell < _MILLISECONDS_ABOVE:
        return cell
    value = number(cell)
    if value is None:
        try:
            value = datetime.fromisoformat(words(cell).strip()).timestamp()
        except (ValueError, OverflowError, OSError):
            return None
    if value > _MICROSECONDS_ABOVE:
        value /= 1e6
    elif value > _MILLISECONDS_ABOVE:
        value /= 1e3
    return value if 0 < value <= _END_OF_TIME else None


def sane_seconds(cell: object) -> float | None:
    """A moment that a clock may have shown: a number of seconds between 1970 and 2100. For columns
    that only a clock writes, so that one cell that is wrong does not put its session first for
    good; no clock is asked, since that of the reader may be wrong as well."""
    if isinstance(cell, int | float) and 0 < cell < SANE_UNTIL:
        return float(cell)
    return None


def flag(cell: object, default: bool) -> bool:
    """A yes or no; builds that lost a column's default left NULL, which means `default`."""
    value = integer(cell)
    return default if value is None else value != 0


def _finite(digits: str) -> float:
    """A number that JSON can hold: neither 1e999 nor the NaN that only Python would read."""
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError(digits)
    return value


def _finite_or_none(digits: str) -> float | None:
    value = float(digits)
    return value if math.isfinite(value) else None


_JSON = json.JSONDecoder(parse_float=_finite, parse_constant=_finite)
_LENIENT_JSON = json.JSONDecoder(parse_float=_finite_or_none, parse_constant=_finite_or_none)


def decoded(cell: object, lenient: bool = False) -> object:
    """The JSON value in a cell, or `BROKEN`. If `lenient`, a number that JSON cannot hold is null,
    and does not spoil the rest."""
    source = text(cell)
    if source is None or len(source) > JSON_LIMIT:
        return BROKEN
    try:
        value: object = (_LENIENT_JSON if lenient else _JSON).decode(source)
    except (ValueError, RecursionError):
        return BROKEN
    # Few brackets cannot nest deep; only what has many is walked.
    many = source.count("[") + source.count("{") > DEEPEST
    return BROKEN if many and is_deep(value) else value


def is_deep(value: object) -> bool:
    """Whether a value has more levels than are walked."""
    level = [value]
    for _ in range(DEEPEST):
        level = [
            inner
            for outer in level
            if isinstance(outer, list | dict)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return False
    return True


def items(cell: object) -> list[dict[str, object]]:
    """The objects in a JSON list; nothing for any other shape."""
    value = decoded(cell)
    if isinstance(value, dict):
        value = [value]
    if not isinstance(value, list):
        return []
    return [item for item in value if isinstance(item, dict)]


def mapping(cell: object, lenient: bool = False) -> dict[str, object]:
    """The JSON object in a cell; empty for any other shape."""
    value = decoded(cell, lenient)
    return value if isinstance(value, dict) else {}
