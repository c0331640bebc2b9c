"""What stands at the left of a line: the bars of quotes, the markers and indents of list items."""

from dataclasses import dataclass

from markdown_it.token import Token

from explorer.render.lines import Line, Span, line_width

BULLETS = "•◦▪"
_BAR: Span = ("▎ ", "dim")


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
        self._quotes = 0

    @property
    def room(self) -> int:
        """Cells at the right of it."""
        return self._width - sum(line_width(level.rest) for level in self._levels)

    @property
    def quoted(self) -> bool:
        return self._quotes > 0

    @property
    def unused(self) -> Token | None:
        """The innermost quote or item, if nothing of it has been drawn."""
        level = self._levels[-1] if self._levels else None
        return level.opened if level and not level.used else None

    def enter_quote(self, opened: Token) -> None:
        self._quotes += 1
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
        if self._levels.pop().opened.type == "blockquote_open":
            self._quotes -= 1

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
