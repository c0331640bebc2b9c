"""Sizes, counts and costs.

No number is rounded into a unit it has outgrown: 999,999 bytes are "1.0 MB", not "1000.0 kB".
"""


def size(count_of_bytes: int) -> str:
    """Bytes in decimal units, as disks are sold: 512 B, 2.1 MB."""
    if abs(count_of_bytes) < 1000:
        return f"{count_of_bytes} B"
    value = float(count_of_bytes)
    for unit in ("kB", "MB", "GB", "TB", "PB"):
        value /= 1000
        if round(abs(value), 1) < 1000:
            return f"{value:.1f} {unit}"
    return f"{value:,.0f} PB"


def count(n: int) -> str:
    """The exact number with thousands separators: 1,284."""
    return f"{n:,}"


def exact_cost(usd: float) -> str:
    """US dollars to a hundredth of a cent, but not less than to a cent: $0.0039, $1.50."""
    if 0 < usd < 0.0001:
        return "<$0.0001"
    whole, _, part = f"{usd:,.4f}".partition(".")
    return f"${whole}.{part.rstrip('0'):0<2}"


def plural(n: int, noun: str, many: str | None = None) -> str:
    """The number with its noun: 1 session, 3,000 sessions; `many` where an s is not enough."""
    return f"{count(n)} {noun if n == 1 else many or noun + 's'}"
