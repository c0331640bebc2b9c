"""What is inside a paragraph, a heading or a cell of a table, as spans.

Nothing is hidden behind a word: a link and an image name their target.
"""

from collections.abc import Mapping

from markdown_it.token import Token

from explorer.render.clean import ELLIPSIS, clean_line
from explorer.render.lines import Line, Span, settled
from explorer.render.markdown.grammar import inline_tokens

MOST_TARGET = 300
"""Characters of a target: an image may be a megabyte of them."""
ENOUGH = 16_000
"""What the texts of one message may cost: 40 ms. Beyond it they stay as they were written."""

_COSTS = {"`": 8, "*": 8, "_": 8, "~~": 8, "[": 24, "]": 4, "<": 8, "\\": 8, "://": 16}
_LETTERS = {"strong": "strong", "em": "emphasis", "s": "strike"}


class Inline:
    """Makes lines of the texts of one message."""

    def __init__(self) -> None:
        self._left = ENOUGH
        self.cut = False
        """Whether a target was too long to show."""

    def lines(self, text: str, base: str = "text") -> list[Line]:
        """The lines that were written, each of spans in the style `base` or derived from it."""
        if not self._worth(text):
            return [((line.rstrip(" "), base),) for line in text.split("\n")]
        made = _Spans(base)
        for token in inline_tokens(text):
            made.add(token)
        self.cut = self.cut or made.cut
        return [settled(tuple(line), base) for line in made.lines]

    def _worth(self, text: str) -> bool:
        """Whether there is something to look for, and time for it."""
        cost = sum(text.count(mark) * cost for mark, cost in _COSTS.items() if mark in text)
        if not cost or cost > self._left:
            return False
        self._left -= cost
        return True


class _Spans:
    def __init__(self, base: str) -> None:
        self.lines: list[list[Span]] = [[]]
        self.cut = False
        self._base = base
        self._letters: list[str] = []
        self._link: str | None = None
        """The target of the link that is open, and what it was said to be."""
        self._said = ""

    def add(self, token: Token) -> None:
        kind, _, edge = token.type.rpartition("_")
        if kind in _LETTERS and edge == "open":
            self._letters.append(_LETTERS[kind])
        elif kind in _LETTERS:
            self._letters.remove(_LETTERS[kind])
        elif token.type == "link_open":
            self._link, self._said = str(token.attrs["href"]), ""
        elif token.type == "link_close":
            self._close_link(self._target(self._link or ""))
        elif token.type == "image":
            self._image(token.content, token.attrs)
        elif token.type in ("hardbreak", "softbreak"):
            self.lines.append([])
        elif token.type == "code_inline":
            self._put(token.content, "code")
        else:
            self._put(token.content, self._base if self._link is None else "link")

    def _close_link(self, target: str) -> None:
        said, self._link = self._said.strip(), None
        if not said:
            self._put(target, "link")
        elif target and not _same(said, target):
            self._put(f" ({target})", "dim")

    def _image(self, alt: str, attributes: Mapping[str, str | int | float]) -> None:
        alt = clean_line(alt)
        self._put(f"[image: {alt}]" if alt else "[image]", "link")
        target = self._target(str(attributes["src"]))
        if target:
            self._put(f" ({target})", "dim")

    def _target(self, target: str) -> str:
        shown = clean_line(target, MOST_TARGET)
        self.cut = self.cut or (len(shown) == MOST_TARGET and shown[-1] == ELLIPSIS)
        return shown

    def _put(self, text: str, style: str) -> None:
        if not text:
            return
        self._said += text
        if self._letters and style != "dim":
            letters = " ".join(dict.fromkeys(self._letters))
            style = letters if style == "text" else f"{style} {letters}"
        line = self.lines[-1]
        if line and line[-1][1] == style:
            text = line.pop()[0] + text
        line.append((text, style))


def _same(said: str, target: str) -> bool:
    """Whether a link says its own address."""
    for start in ("https://", "http://", "mailto:"):
        target = target.removeprefix(start)
        said = said.removeprefix(start)
    return said.rstrip("/") == target.rstrip("/")
