"""Sizes, counts and costs, short enough for a column.

No number is rounded into a unit it has outgrown: 999,999 bytes are "1.0 MB", not "1000.0 kB".
"""

from math import isfinite

_PRICED = ("actual", "estimated")
"""Only with these did the agent look up a price. Otherwise a stored zero means that it had none."""


def size(count_of_bytes: int) -> str:
    """Bytes in decimal units, as disks are sold: 512 B, 2.1 MB."""
    return _scaled(count_of_bytes, (" B", " kB", " MB", " GB", " TB", " PB"), whole_from=1000)


def count(n: int) -> str:
    """The exact number with thousands separators: 1,284."""
    return f"{n:,}"


def short_count(n: int) -> str:
    """The number in about five characters: 999, 12.3k, 128k, 4.5M."""
    return _scaled(n, ("", "k", "M", "B", "T"), whole_from=100)


def cost(usd: float | None, status: str | None) -> str:
    """US dollars: $0.42, $1,240.00, <$0.01; "-" where the agent did not know."""
    if usd is None or not isfinite(usd) or usd < 0 or (usd == 0 and status not in _PRICED):
        return "-"
    if 0 < usd < 0.01:
        return "<$0.01"
    return f"${usd:,.2f}"


def exact_cost(usd: float) -> str:
    """US dollars to a hundredth of a cent, but not less than to a cent: $0.0039, $1.50."""
    if 0 < usd < 0.0001:
        return "<$0.0001"
    whole, _, part = f"{usd:,.4f}".partition(".")
    return f"${whole}.{part.rstrip('0'):0<2}"


def plural(n: int, noun: str, many: str | None = None) -> str:
    """The number with its noun: 1 session, 3,000 sessions; `many` where an s is not enough."""
    return f"{count(n)} {noun if n == 1 else many or noun + 's'}"


def _scaled(n: int, units: tuple[str, ...], *, whole_from: int) -> str:
    """The number in the first unit that keeps it under a thousand, or in the last one."""
    if abs(n) < 1000:
        return f"{n}{units[0]}"
    value = float(n)
    unit = units[0]
    for unit in units[1:]:
        value /= 1000
        digits = 0 if round(abs(value), 1) >= whole_from else 1
        if round(abs(value), digits) < 1000:
            return f"{value:,.{digits}f}{unit}"
    return f"{value:,.0f}{unit}"
