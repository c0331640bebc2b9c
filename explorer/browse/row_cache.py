"""The rows of the list that were read, what a search found in them, and the lines made of both:
what a session is called, when it was used, what was said.

A row that is not here yet is asked for when it comes into sight. Lines are made once for all the
times they are painted.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from explorer.browse.arrangement import Arranged
from explorer.model import Kind, Session, State
from explorer.render.clean import cell_width, clean_line, fit, pad
from explorer.render.figures import ago
from explorer.render.lines import MATCH, Line, cut_line, restyled
from explorer.search.matcher import Matcher

KEPT = 3000
"""Rows kept in memory, and what was found in them; further ones are read again when they come back
into sight."""
LINES_KEPT = 500
"""Rows whose lines are kept: many more than are visible."""
T = TypeVar("T")
Light = Callable[[str], Sequence[tuple[int, int]]]
"""Says where in a text something stands that is to be lit."""

JOIN = " › "
_CODE = r"(?:```\w*\s|`)([^`]+)`{1,3}"
_EMPHASIS = r"(?<![\w*])(\*{1,2})([^\s*](?:[^*]*[^\s*])?)\1(?![\w*])"
SOURCE_CELLS = 8
ROOMY, ROOMY_SOURCE_CELLS = 70, 12
"""From this width on most sources are shown whole."""
WIDE = 40
"""From this width on there is room for the source beside the title."""
WHEN_CELLS = 10
"""Room for the longest time, so that marks stand below each other."""
TIGHT = 28
"""Below this width a time takes only the room that it needs."""


def row_lines(
    session: Session | None,
    width: int,
    comfortable: bool,
    now: float,
    *,
    excerpt: Line | None = None,
    pinned: bool = False,
    excepted: bool = False,
    fate: str = "",
    depth: int = 0,
    light: Light | None = None,
) -> list[Line]:
    """The lines of a row: one, or with `comfortable` two; dots for a row not read yet. `excepted`
    is listed although it is hidden, `fate` is the sign of what its agent is about to do, `depth`
    says how far inside others it is; an `excerpt` of what was found stands in the place of the
    first and last words, and `light` finds it in a title."""
    stem = min(2 * depth, width // 3)
    indent: Line = ((" " * stem, "text"),) if stem else ()
    if session is None:
        unread: list[Line] = [(*indent, ("…", "dim")), ()]
        return unread[: 2 if comfortable else 1]
    signs = (("★", pinned), ("◌", excepted), (fate, bool(fate)))
    own = [sign for sign, wanted in signs if wanted]
    marks = " ".join([*own, *marks_of(session)])
    branch: Line = (("└ ".rjust(stem), "dim"),) if stem else ()
    first = (*branch, *_first(session, width - stem, now, marks, light))
    if not comfortable:
        return [first]
    below = (
        cut_line(excerpt, width - stem) if excerpt else ((_words(session, width - stem), "dim"),)
    )
    return [first, (*indent, *below)]


def _words(session: Session, width: int) -> str:
    """The first and the last words, half the width for each where both are long. The first ones
    not again where they are the title."""
    preview = _plain(session.preview)
    title = clean_line(session.title, 300) if session.title else preview
    if preview.casefold().startswith(title.casefold()):
        preview = ""
    reply = _plain(session.last_reply)
    if not preview or not reply:
        nothing = "no text" if session.message_count else "no messages"
        return fit(preview or reply or nothing, width)
    half = max((width - len(JOIN)) // 2, width - len(JOIN) - cell_width(reply))
    return fit(fit(preview, half) + JOIN + reply, width)


def _plain(text: str | None) -> str:
    """Words of a message without the signs of Markdown around them, which tell nothing here."""
    line = clean_line(text or "", 300)
    return re.sub(_EMPHASIS, r"\2", re.sub(_CODE, r"\1", line)).strip() if line else ""


def _first(session: Session, width: int, now: float, marks: str, light: Light | None) -> Line:
    when = ago(session.last_active, now)
    cells = SOURCE_CELLS if width < ROOMY else ROOMY_SOURCE_CELLS
    source = fit(clean_line(session.source, 40), cells)
    right = f" {when:>{WHEN_CELLS}}" if width >= TIGHT else f" {when}"
    right += f" {pad(source, cells)}" if width >= WIDE else ""
    said = _plain(session.preview) or _plain(session.last_reply)
    if session.title:
        said = clean_line(session.title, 300)
    name, style = (said, "strong" if session.title else "text") if said else ("empty", "dim")
    room = max(width - cell_width(right) - cell_width(marks) - bool(marks), 1)
    title = pad(name, room)
    spans = light(title) if light and session.title else ()
    return (
        *restyled(((title, style),), [(*span, MATCH) for span in spans]),
        (f" {marks}" if marks else "", "link"),
        (right, "dim"),
    )


def marks_of(session: Session) -> list[str]:
    """What is special about a session, in signs that help explains."""
    running = session.state is State.RUNNING
    marks = (
        ("✱", session.unread),
        ("●", running),
        ("✗", session.broken_off and not running),
        ("○", session.state is State.OPEN and not session.broken_off),
        (f"↪{session.parts}", session.parts > 1),
        ("⌥", session.kind is Kind.BRANCH),
        ("↳", session.kind is Kind.SUBAGENT),
        (f"↳{session.subagents}", session.subagents > 0),
        ("▣", session.archived),
        ("⊘", session.hidden),
        ("◇", session.restored),
    )
    return [mark for mark, is_set in marks if is_set]


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
