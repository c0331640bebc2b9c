"""The rows of the list that were read, what a search found in them, and the lines made of both.

A row that is not here yet is asked for when it comes into sight. Lines are made once for all the
times they are painted.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from explorer.browse.arrangement import Arranged
from explorer.browse.row_lines import row_lines
from explorer.model import Session
from explorer.render.lines import Line
from explorer.search.matcher import Matcher

KEPT = 3000
"""Rows kept in memory, and what was found in them; further ones are read again when they come back
into sight."""
LINES_KEPT = 500
"""Rows whose lines are kept: many more than are visible."""
T = TypeVar("T")


class KnownRows:
    """What is known of the rows, by their numbers."""

    def __init__(self) -> None:
        self._rows: dict[int, Session] = {}
        self._excerpts: dict[int, Line] = {}
        self._made: dict[int, list[Line]] = {}
        self._look: tuple[int, bool, float] = (0, True, 0.0)
        self._arranged = Arranged((), (), {}, 0)
        self._matcher: Matcher | None = None
        self._fates: Mapping[int, str] = {}

    @property
    def numbers(self) -> frozenset[int]:
        return frozenset(self._rows)

    def get(self, row: int | None) -> Session | None:
        return self._rows.get(row) if row is not None else None

    def arrange(self, arranged: Arranged, matcher: Matcher | None) -> None:
        """Another list: what is found in its rows, and lit in their titles."""
        if text_of(arranged) != text_of(self._arranged):
            self._excerpts = {}
        if arranged.found:
            _add(self._rows, arranged.found.rows)
            _add(self._excerpts, arranged.found.excerpts)
        self._arranged, self._matcher = arranged, matcher
        self._made.clear()

    def foresee(self, signs: Mapping[int, str]) -> None:
        """The signs of what is about to happen to rows."""
        self._fates = signs
        self._made.clear()

    def add(self, rows: Mapping[int, Session], excerpts: Mapping[int, Line]) -> None:
        _add(self._excerpts, excerpts)
        _add(self._rows, rows)
        for number in rows:
            self._made.pop(number, None)

    def keep_only(self, rows: Iterable[int]) -> None:
        self._rows = {row: self._rows[row] for row in rows if row in self._rows}

    def clear(self) -> None:
        self._rows.clear()
        self._fates = {}
        self._made.clear()

    def missing(self, rows: Sequence[int]) -> tuple[int, ...]:
        """Those that were not read, or lack the words that were found."""
        return tuple(
            row
            for row in rows
            if row not in self._rows or (row not in self._excerpts and self.hit(row) is not None)
        )

    def hit(self, row: int | None) -> int | None:
        """The message that stands for a row among what a search found."""
        found = self._arranged.found
        leading = found.result.leading.get(row) if found and row is not None else None
        return leading.message_id if leading else None

    def lines(self, row: int, width: int, comfortable: bool, now: float) -> list[Line]:
        """A row as it is painted: one line, or with `comfortable` two."""
        look = (width, comfortable, now)
        if look != self._look:
            self._look = look
            self._made.clear()
        made = self._made.get(row)
        if made is None:
            arranged = self._arranged
            made = row_lines(
                self._rows.get(row),
                width,
                comfortable,
                now,
                excerpt=self._excerpts.get(row),
                pinned=row in arranged.pinned,
                excepted=row in arranged.excepted,
                fate=self._fates.get(row, ""),
                depth=arranged.inside[row].depth if row in arranged.inside else 0,
                light=self._matcher.spans if self._matcher else None,
            )
            _add(self._made, {row: made}, LINES_KEPT)
        return made


def _add(known: dict[int, T], newer: Mapping[int, T], most: int = KEPT) -> None:
    """Take in what is newer, and forget the oldest beyond the limit."""
    for row, value in newer.items():
        known.pop(row, None)
        known[row] = value
    while len(known) > most:
        del known[next(iter(known))]


def text_of(arranged: Arranged) -> str:
    """What was searched for."""
    return arranged.found.result.query.text if arranged.found else ""
