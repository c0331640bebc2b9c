"""Markdown as styled lines, block after block.

Lines are made when they are asked for, so that a long text costs no more than its beginning.
Blank lines are where they were written, several as one, and above a heading.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from markdown_it.token import Token

from explorer.render.clean import fit
from explorer.render.lines import Line, Span, wrapped, wrapped_line
from explorer.render.markdown.code import Code
from explorer.render.markdown.grammar import block_tokens, too_deep
from explorer.render.markdown.inline import Inline
from explorer.render.markdown.margins import Margin, mark_items
from explorer.render.markdown.tables import most_columns, table_lines

T = TypeVar("T")

_CODE_BAR: Span = ("│ ", "dim")
_LEAST_BESIDE = 8
"""Cells beside which a code bar or the signs of a heading are drawn."""


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
        if too_deep(parsed):
            yield from self._as_written(self._text)
            return
        mark_items(parsed)
        tokens = iter(parsed)
        for token in tokens:
            draw = _DRAWN.get(token.type)
            if draw is not None:
                yield from draw(self, token, tokens)

    def _as_written(self, text: str, base: str = "text") -> Iterator[Line]:
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

    def _quote(self, token: Token, tokens: Iterator[Token]) -> Iterable[Line]:
        self._margin.enter_quote(token)
        return ()

    def _item(self, token: Token, tokens: Iterator[Token]) -> Iterator[Line]:
        above = self._margin.enter_item(token)
        if above:
            yield from self._placed(token, "item", wrapped_line(above, self._margin.room))
            self._end = self.at

    def _leave(self, token: Token, tokens: Iterator[Token]) -> Iterator[Line]:
        empty = self._margin.unused
        if empty is not None:
            yield from self._placed(empty, "empty", [()])
            self._end = self.at + 1
        self._margin.leave()

    def _paragraph(self, token: Token, tokens: Iterator[Token]) -> Iterator[Line]:
        yield from self._placed(token, "text", self._wrapped(next(tokens).content, self._base()))

    def _wrapped(self, text: str, base: str) -> Iterator[Line]:
        for line in self._counted(self._inline.lines(text, base)):
            yield from wrapped_line(line, self._margin.room)

    def _heading(self, token: Token, tokens: Iterator[Token]) -> Iterator[Line]:
        text = next(tokens).content
        if "\n" in text:
            # In a chat a row of dashes under several lines is a rule, not a heading of them all.
            yield from self._placed(token, "text", self._wrapped(text, self._base()))
            yield from self._rule(token, tokens)
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

    def _rule(self, token: Token, tokens: Iterator[Token]) -> Iterator[Line]:
        yield from self._placed(token, "rule", [(("─" * self._margin.room, "rule"),)])

    def _fence(self, token: Token, tokens: Iterator[Token]) -> Iterator[Line]:
        yield from self._placed(token, "code", self._coded(token))

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

    def _tags(self, token: Token, tokens: Iterator[Token]) -> Iterator[Line]:
        yield from self._placed(token, "text", self._as_written(token.content, self._base()))

    def _table(self, token: Token, tokens: Iterator[Token]) -> Iterator[Line]:
        aligns: list[str] = token.meta["aligns"]
        columns = min(len(aligns), most_columns(self._margin.room))
        rows: list[list[Line]] = []
        for row in token.meta["rows"][: self._limit]:
            style = self._base() if rows else "table-head"
            cells = [self._inline.lines(cell, style)[0] for cell in row[:columns]]
            rows.append(cells + [()] * (columns - len(cells)))
            # Cells that have no head are not drawn.
            self._cut = self._cut or len(row) > len(aligns)
        table = table_lines(rows, aligns, self._margin.room)
        self._cut = self._cut or table.cut
        yield from self._placed(token, "table", self._counted(table.lines))

    def _counted(self, lines: Iterable[T]) -> Iterator[T]:
        """The lines one by one, while `at` counts them."""
        start = self.at
        for number, line in enumerate(lines):
            self.at = start + number
            yield line


_DRAWN: dict[str, Callable[[Markdown, Token, Iterator[Token]], Iterable[Line]]] = {
    "blockquote_open": Markdown._quote,
    "blockquote_close": Markdown._leave,
    "list_item_open": Markdown._item,
    "list_item_close": Markdown._leave,
    "paragraph_open": Markdown._paragraph,
    "heading_open": Markdown._heading,
    "hr": Markdown._rule,
    "fence": Markdown._fence,
    "code_block": Markdown._fence,
    "tags": Markdown._tags,
    "table": Markdown._table,
}
