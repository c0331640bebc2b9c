"""The rows of the list that were read, what a search found in them, and the lines made of both.

A row that is not here yet is asked for when it comes into sight. Lines are made once for all the
times they are painted.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TypeVar

from explorer.browse.arrangement import Arranged, Excerpt, Wish
from explorer.browse.row_columns import ColumnChoice, RowShape, shaped
from explorer.browse.row_lines import row_lines
from explorer.browse.words import excerpt_head
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
        self._excerpts: dict[int, Excerpt] = {}
        self._made: dict[int, list[Line]] = {}
        self._look: tuple[RowShape, bool, float] = (RowShape(0), True, 0.0)
        self._shape = RowShape(0)
        self._measured: set[int] = set()
        """Rows for which the shape is wide enough."""
        self._measured_at = 0.0
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
        if _asked(arranged) != _asked(self._arranged):
            self._shape = RowShape(0)
        self._arranged, self._matcher = arranged, matcher
        self._made.clear()

    def foresee(self, signs: Mapping[int, str]) -> None:
        """The signs of what is about to happen to rows."""
        self._fates = signs
        self._made.clear()

    def add(self, rows: Mapping[int, Session], excerpts: Mapping[int, Excerpt]) -> None:
        _add(self._excerpts, excerpts)
        _add(self._rows, rows)
        for number in rows:
            self._made.pop(number, None)
        self._measured.difference_update(rows)

    def forget(self, places: Collection[str] | None, but: Collection[int]) -> None:
        """Read rows again when they are needed: those in these places, or all, but for some."""
        self._rows = {
            row: one
            for row, one in self._rows.items()
            if row in but or not (places is None or one.place in places)
        }

    def clear(self) -> None:
        self._rows.clear()
        self._fates = {}
        self._made.clear()
        self._shape = RowShape(0)

    def missing(self, rows: Sequence[int]) -> tuple[int, ...]:
        """Those that were not read, or lack the words that were found."""
        return tuple(row for row in rows if row not in self._rows or self._lacks_words(row))

    def _lacks_words(self, row: int) -> bool:
        """Another hit may stand for a row when the search has got further."""
        hit, known = self.hit(row), self._excerpts.get(row)
        return hit is not None and (known is None or known.message_id != hit)

    def hit(self, row: int | None) -> int | None:
        """The message that stands for a row among what a search found."""
        found = self._arranged.found
        leading = found.result.leading.get(row) if found and row is not None else None
        return leading.message_id if leading else None

    def lay_out(
        self, rows: Iterable[int], width: int, choice: ColumnChoice, now: float
    ) -> RowShape:
        """The columns for these rows, which are visible. Only those are measured that were not."""
        if (self._shape.width, self._shape.choice) != (width, choice):
            self._shape = RowShape(width, choice)
            self._measured.clear()
        if now != self._measured_at:
            self._measured.clear()
            self._measured_at = now
        new = {row for row in rows if row in self._rows} - self._measured
        if new:
            self._shape = shaped((self._rows[row] for row in new), self._shape, now)
            self._measured |= new
        return self._shape

    def lines(self, row: int, shape: RowShape, comfortable: bool, now: float) -> list[Line]:
        """A row as it is painted: one line, or with `comfortable` two."""
        look = (shape, comfortable, now)
        if look != self._look:
            self._look = look
            self._made.clear()
        made = self._made.get(row)
        if made is None:
            arranged = self._arranged
            made = row_lines(
                self._rows.get(row),
                shape,
                comfortable,
                now,
                excerpt=self._excerpt(row),
                pinned=row in arranged.pinned,
                excepted=row in arranged.excepted,
                fate=self._fates.get(row, ""),
                depth=arranged.inside[row].depth if row in arranged.inside else 0,
                light=self._matcher.spans if self._matcher else None,
            )
            _add(self._made, {row: made}, LINES_KEPT)
        return made

    def _excerpt(self, row: int) -> Line | None:
        """What was found in a row, with how many hits there are so far."""
        known, found = self._excerpts.get(row), self._arranged.found
        if known is None or found is None:
            return None
        result = found.result
        head = excerpt_head(known.field, result.counts.get(row, 0), result.complete)
        return (head, "dim"), *known.line


def _add(known: dict[int, T], newer: Mapping[int, T], most: int = KEPT) -> None:
    """Take in what is newer, and forget the oldest beyond the limit."""
    for row, value in newer.items():
        known.pop(row, None)
        known[row] = value
    while len(known) > most:
        del known[next(iter(known))]


def _asked(arranged: Arranged) -> tuple[str, Wish | None]:
    """What the list is of: the same while it only grows or is brought up to date."""
    return text_of(arranged), arranged.basis.wish if arranged.basis else None


def text_of(arranged: Arranged) -> str:
    """What was searched for."""
    return arranged.found.result.query.text if arranged.found else ""
