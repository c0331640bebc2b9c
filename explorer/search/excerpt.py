"""The few words around a match, with the places of the match in them.

Made in Python from the message itself: SQLite's own `snippet()` is quadratic in the number of
matches and cannot be interrupted.
"""

from collections.abc import Sequence

WIDTH = 160
LEAD = 40
"""Characters kept before the first match."""
LOOKED_AT = 200_000
"""Characters folded at most: the first match lies near the beginning, or the excerpt does."""


def excerpt(text: str, terms: Sequence[str]) -> tuple[str, tuple[tuple[int, int], ...]]:
    """(one line of text, marks in it)."""
    source = text[:LOOKED_AT]
    first = min(
        (place for term in terms if (place := _find(source, term)) >= 0),
        default=0,
    )
    start = max(first - LEAD, 0)
    line = " ".join(source[start : start + WIDTH * 2].split())
    line = ("…" if start else "") + line
    if len(line) > WIDTH:
        line = line[:WIDTH] + "…"
    return line, marks(line, terms)


def marks(line: str, terms: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Where the terms stand in a line, without overlaps, from left to right."""
    folded = fold(line)
    found: list[tuple[int, int]] = []
    for term in terms:
        needle = fold(" ".join(term.split()))
        place = folded.find(needle) if needle else -1
        while place >= 0:
            found.append((place, place + len(needle)))
            place = folded.find(needle, place + len(needle))
    kept: list[tuple[int, int]] = []
    for begin, end in sorted(found):
        if not kept or begin >= kept[-1][1]:
            kept.append((begin, end))
    return tuple(kept)


def fold(text: str) -> str:
    """Without regard to case, and of the same length: marks must fit the text as it is."""
    if text.isascii():
        return text.lower()
    return "".join(low if len(low := char.lower()) == 1 else char for char in text)


def _find(text: str, term: str) -> int:
    return fold(text).find(fold(term))
