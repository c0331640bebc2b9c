"""Markdown as styled lines, block after block.

Lines are made when they are asked for, so that a long text costs no more than its beginning.
Blank lines are where they were written, several as one, and above a heading. At the left of a line
stand the bars of quotes, the markers and indents of list items; a table has columns as wide as they
need, or as the pane allows.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from markdown_it.token import Token

from explorer.render.clean import ELLIPSIS, fit
from explorer.render.lines import Line, Span, cut_line, line_width, wrapped, wrapped_line
from explorer.render.markdown.grammar import DEEPEST, block_tokens
from explorer.render.markdown.spans import Code, Inline

T = TypeVar("T")

BULLETS = "•◦▪"
LEAST = 3
"""Cells of a column that is too wide; where that is too much for all, the last are left out."""
_BAR: Span = ("▎ ", "dim")
_CODE_BAR: Span = ("│ ", "dim")
_LEAST_BESIDE = 8
"""Cells beside which a code bar or the signs of a heading are drawn."""
_BETWEEN: Span = (" │ ", "dim")
_BESIDE = len(_BETWEEN[0])
_MORE: tuple[Span, ...] = (_BETWEEN, (ELLIPSIS, "dim"))


class Markdown:
    """The lines of one clean text, at most `limit` of which will be asked for."""

    def __init__(self, text: str, width: int, limit: int) -> None:
        self._text = text
        self._limit = limit
        self._inline = Inline()
        self._code = Code()
        self._margin = Margin(width)
        self._cut = False
        self._end = 0
        """The line of the text after what was drawn last."""
        self._last = ""
        """What kind of block that was."""
        self.at = 0
        """The line of the text that is being drawn."""

    @property
    def cut(self) -> bool:
        """Whether something was too wide to be shown whole."""
        return self._cut or self._inline.cut or self._code.cut

    def lines(self) -> Iterator[Line]:
        parsed = block_tokens(self._text)
        if any(token.level >= DEEPEST - 1 for token in parsed):
            # Something may have been dropped.
            yield from self._as_written(self._text)
            return
        mark_items(parsed)
        tokens = iter(parsed)
        for token in tokens:
            match token.type:
                case "blockquote_open":
                    self._margin.enter_quote(token)
                case "list_item_open":
                    yield from self._item(token)
                case "blockquote_close" | "list_item_close":
                    yield from self._leave()
                case "heading_open":
                    yield from self._heading(token, next(tokens).content)
                case "paragraph_open":
                    yield from self._placed(token, "text", self._wrapped(next(tokens).content))
                case "tags":
                    yield from self._placed(token, "text", self._as_written(token.content))
                case "hr":
                    yield from self._placed(token, "rule", self._rule())
                case "fence" | "code_block":
                    yield from self._placed(token, "code", self._coded(token))
                case "table":
                    yield from self._placed(token, "table", self._table(token))

    def _as_written(self, text: str) -> Iterator[Line]:
        base = self._base()
        for line in self._counted(text.split("\n")):
            for piece in wrapped(line, self._margin.room):
                yield ((piece, base),)

    def _placed(self, token: Token, kind: str, body: Iterable[Line]) -> Iterator[Line]:
        """The lines of a block with the margin at their left."""
        self.at, end = token.map or (self._end, self._end)
        above_heading = kind == "heading" != self._last and self._margin.unused is None
        if self._last and (self.at > self._end or above_heading):
            yield self._margin.blank()
        for line in body:
            yield self._margin.line(line)
        self._end, self._last = end, kind

    def _base(self) -> str:
        return "quote" if self._margin.quoted else "text"

    def _item(self, token: Token) -> Iterator[Line]:
        above = self._margin.enter_item(token)
        if above:
            yield from self._placed(token, "item", wrapped_line(above, self._margin.room))
            self._end = self.at

    def _leave(self) -> Iterator[Line]:
        empty = self._margin.unused
        if empty is not None:
            yield from self._placed(empty, "empty", [()])
            self._end = self.at + 1
        self._margin.leave()

    def _wrapped(self, text: str) -> Iterator[Line]:
        for line in self._counted(self._inline.lines(text, self._base())):
            yield from wrapped_line(line, self._margin.room)

    def _heading(self, token: Token, text: str) -> Iterator[Line]:
        if "\n" in text:
            # In a chat a row of dashes under several lines is a rule, not a heading of them all.
            yield from self._placed(token, "text", self._wrapped(text))
            yield from self._placed(token, "rule", self._rule())
            return
        yield from self._placed(token, "heading", self._titled(text, int(token.tag[1:])))

    def _titled(self, text: str, level: int) -> Iterator[Line]:
        signs = "#" * level + " "
        room = self._margin.room - len(signs)
        if room < _LEAST_BESIDE:
            signs, room = "", self._margin.room
        for line in self._inline.lines(text, "heading"):
            for piece in wrapped_line(line, room):
                yield ((signs, "dim"), *piece)
                signs = " " * len(signs)

    def _rule(self) -> list[Line]:
        return [(("─" * self._margin.room, "rule"),)]

    def _coded(self, token: Token) -> Iterator[Line]:
        room = self._margin.room - len(_CODE_BAR[0])
        bar: Line = (_CODE_BAR,)
        if room < _LEAST_BESIDE:
            bar, room = (), self._margin.room
        language = token.info.strip().partition(" ")[0]
        if language:
            yield (*bar, (fit(language, room), "dim"))
        self.at += token.type == "fence"
        code = token.content.removesuffix("\n")
        for line in self._counted(self._code.lines(code, language, room, self._limit)):
            yield (*bar, *line)

    def _table(self, token: Token) -> Iterator[Line]:
        aligns: list[str] = token.meta["aligns"]
        # No more columns than can ever be shown: the others need not be looked at.
        columns = min(len(aligns), self._margin.room // (1 + _BESIDE) + 2)
        rows: list[list[Line]] = []
        for row in token.meta["rows"][: self._limit]:
            style = self._base() if rows else "table-head"
            cells = [self._inline.lines(cell, style)[0] for cell in row[:columns]]
            rows.append(cells + [()] * (columns - len(cells)))
            # Cells that have no head are not drawn.
            self._cut = self._cut or len(row) > len(aligns)
        lines, cut = table_lines(rows, aligns, self._margin.room)
        self._cut = self._cut or cut
        yield from self._counted(lines)

    def _counted(self, lines: Iterable[T]) -> Iterator[T]:
        """The lines one by one, while `at` counts them."""
        start = self.at
        for number, line in enumerate(lines):
            self.at = start + number
            yield line


@dataclass(slots=True)
class _Nesting:
    opened: Token
    first: Line
    rest: Line
    used: bool = False


class Margin:
    """The quotes and list items around what is being drawn, the outermost first."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._levels: list[_Nesting] = []

    @property
    def room(self) -> int:
        """Cells at the right of it."""
        return self._width - sum(line_width(level.rest) for level in self._levels)

    @property
    def quoted(self) -> bool:
        return any(level.opened.type == "blockquote_open" for level in self._levels)

    @property
    def unused(self) -> Token | None:
        """The innermost quote or item, if nothing of it has been drawn."""
        level = self._levels[-1] if self._levels else None
        return level.opened if level and not level.used else None

    def enter_quote(self, opened: Token) -> None:
        bar: Line = (_BAR,) if self._has_room((_BAR,)) else ()
        self._levels.append(_Nesting(opened, bar, bar))

    def enter_item(self, opened: Token) -> Line:
        """What must be drawn above the item, where its marker has no room beside it."""
        marker: Line = opened.meta["marker"]
        if self._has_room(marker):
            indent = (" " * line_width(marker), "text")
            self._levels.append(_Nesting(opened, marker, (indent,)))
            return ()
        self._levels.append(_Nesting(opened, (), (), used=True))
        return marker

    def leave(self) -> None:
        self._levels.pop()

    def line(self, line: Line) -> Line:
        """The line with its margin."""
        if not self._levels:
            return line
        before: list[Span] = []
        for level in self._levels:
            before += level.rest if level.used else level.first
            level.used = True
        return (*before, *line)

    def blank(self) -> Line:
        """The empty line between what was drawn and what comes."""
        before = [span for level in self._levels if level.used for span in level.rest]
        while before and before[-1][0].isspace():
            before.pop()
        return (*before, ("", "text"))

    def _has_room(self, spans: Line) -> bool:
        # Half of the pane is for the words, however deep they are.
        return self.room - line_width(spans) >= (self._width + 1) // 2


def mark_items(tokens: list[Token]) -> None:
    """Give every list item its marker: `marker` among its `meta`, as spans."""
    lists: list[list[Token]] = []
    for token in tokens:
        if token.type == "list_item_open":
            lists[-1].append(token)
        elif token.type in ("bullet_list_open", "ordered_list_open"):
            lists.append([])
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            items = lists.pop()
            bullet = BULLETS[sum(not outer[0].info for outer in lists) % len(BULLETS)]
            labels = _numbers(items) if items[0].info else [bullet] * len(items)
            longest = max(map(len, labels))
            for item, label in zip(items, labels, strict=True):
                item.meta["marker"] = _marker(label.rjust(longest), item)


def _numbers(items: list[Token]) -> list[str]:
    """The numbers as they were written; where all are the same, they are counted."""
    first = items[0].info
    return [
        f"{int(first) + at if item.info == first else int(item.info)}{item.markup}"
        for at, item in enumerate(items)
    ]


def _marker(label: str, item: Token) -> Line:
    if "checked" not in item.meta:
        return ((f"{label} ", "marker"),)
    box = ("☑ ", "ok") if item.meta["checked"] else ("☐ ", "marker")
    return ((f"{label} ", "marker"), box) if item.info else (box,)


def table_lines(
    rows: Sequence[Sequence[Line]], aligns: Sequence[str], width: int
) -> tuple[list[Line], bool]:
    """(lines, whether a cell or a column is not shown whole) of a table in so many cells. The first
    row is the head; all have the same number of cells, of which there may be fewer than alignments
    (left, right, center or nothing)."""
    sizes = [[line_width(cell) for cell in row] for row in rows]
    needs = [max(1, *column) for column in zip(*sizes, strict=True)]
    widths = _widths(needs, len(aligns), width)
    left_out = len(widths) < len(aligns)
    lines: list[Line] = []
    for row, row_sizes in zip(rows, sizes, strict=True):
        spans: list[Span] = []
        for cell, size, room, align in zip(row, row_sizes, widths, aligns, strict=False):
            if spans:
                spans.append(_BETWEEN)
            if size > room:
                cell = cut_line(cell, room)
                size = line_width(cell)
            spans += cell if size == room else _aligned(cell, room - size, align)
        spans += _MORE if left_out else ()
        while spans and not spans[-1][0].strip():
            spans.pop()
        lines.append(tuple(span for span in spans if span[0]))
    rule = "─┼─".join("─" * room for room in widths)
    lines.insert(1, ((rule + "─┼──" * left_out, "dim"),))
    cut = left_out or any(need > room for need, room in zip(needs, widths, strict=True))
    return [cut_line(line, width) for line in lines], cut


def _widths(needs: list[int], columns: int, width: int) -> list[int]:
    """The cells of each column that is shown."""
    least = [min(need, LEAST) + _BESIDE for need in needs]
    if len(needs) == columns and sum(least) - _BESIDE <= width:
        return _shared(needs, width - _BESIDE * (columns - 1))
    count, used = 0, len(ELLIPSIS)
    while count < len(needs) and used + least[count] <= width:
        used += least[count]
        count += 1
    shown = needs[: max(count, 1)]
    return _shared(shown, max(width - _BESIDE * len(shown) - len(ELLIPSIS), 1))


def _shared(needs: list[int], room: int) -> list[int]:
    """The room divided: narrow columns get what they need, the others the same each."""
    left = room
    widths = list(needs)
    for number, (need, column) in enumerate(sorted((need, at) for at, need in enumerate(needs))):
        widths[column] = max(min(need, left // (len(needs) - number)), 1)
        left -= widths[column]
    return widths


def _aligned(cell: Line, free: int, align: str) -> list[Span]:
    before = {"right": free, "center": free // 2}.get(align, 0)
    return [(" " * before, "text"), *cell, (" " * (free - before), "text")]
