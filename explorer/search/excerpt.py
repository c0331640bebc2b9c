"""The few words around a match.

Made in Python from the message itself: SQLite's own `snippet()` is quadratic in the number of
matches and cannot be interrupted.
"""

WIDTH = 160
LEAD = 40
"""Characters kept before the first match."""


def excerpt(text: str, at: int) -> str:
    """One line of text, in which this place is."""
    start = max(at - LEAD, 0)
    line = ("…" if start else "") + " ".join(text[start : start + WIDTH * 2].split())
    return line if len(line) <= WIDTH else line[:WIDTH] + "…"
