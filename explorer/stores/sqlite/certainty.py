"""Which candidates of a search are certain: whose plain content surely holds what is looked for.

The content of most messages is short. It is looked at here, byte by byte as SQLite would, because
SQLite's own functions for text take ten times as long; long content is left to SQLite, so that it
is not copied.
"""

from collections.abc import Sequence
from functools import lru_cache

from explorer.render.reasoning import TAGS
from explorer.stores.sqlite.spelling import sure_of, surely_holds

SHORT = 10_000
"""Bytes of a content that is looked at here: a page of the longest takes a megabyte."""
_TAGS = [f"{name}>".encode() for name in TAGS]


class Certainty:
    """Tells it of messages `m`: SQLite of some, and of the others what has to be looked at."""

    def __init__(self, groups: Sequence[Sequence[str]]) -> None:
        long, self.values = surely_holds(groups)
        self._groups = [
            [text.encode("utf-8", "surrogatepass") for text in group] for group in sure_of(groups)
        ]
        stored = "CAST(m.content AS BLOB)"
        self.sql = (
            f"CASE WHEN length({stored}) > {SHORT} THEN {long}"
            f" WHEN typeof(m.content) = 'text' THEN {stored} END"
            if self._groups
            else "0"
        )
        """A column of the query."""

    def of(self, told: object) -> bool:
        """What a cell of that column means."""
        if not isinstance(told, bytes):
            return bool(told)
        # Content of parts begins with a NUL, or is JSON.
        if not told or told.startswith(b"[") or b"\0" in told:
            return False
        if b">" in told and any(tag in told for tag in _TAGS):
            return False
        small = told.lower()
        return all(any(text in small for text in group) for group in self._groups)


@lru_cache(maxsize=16)
def certainty_of(groups: tuple[tuple[str, ...], ...]) -> Certainty:
    """The same for each of several files."""
    return Certainty(groups)
