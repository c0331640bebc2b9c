"""The statements that a file's schema is made of, as tokens: comments, quotes and case set aside.

A comment may hold a semicolon and a string a keyword, so searching for words in a statement would
be wrong.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_TOKEN = re.compile(
    r"""(?P<skip>\s+|--[^\n]*|/\*.*?(?:\*/|\Z))
    |(?P<text>'(?:[^']|'')*')
    |(?P<quoted>"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\])
    |(?P<word>[^\W\d][\w$]*)
    |(?P<number>\d[\w.]*)
    |(?P<mark>.)""",
    re.VERBOSE | re.DOTALL,
)


class Token(NamedTuple):
    """A piece of a statement."""

    kind: str
    text: str
    """Of a name what it names, in lower case."""

    def says(self, *words: str) -> bool:
        """Whether it is one of these keywords or marks."""
        return self.kind in ("word", "mark") and self.text in words

    @property
    def names(self) -> bool:
        return self.kind in ("word", "quoted")


def tokens(sql: str) -> Iterator[Token]:
    for found in _TOKEN.finditer(sql):
        kind, text = found.lastgroup or "", found[0]
        if kind == "quoted":
            yield Token(kind, text[1:-1].replace(text[0] * 2, text[0]).lower())
        elif kind != "skip":
            yield Token(kind, text.lower() if kind == "word" else text)


def trigger_parts(sql: str) -> tuple[list[Token], list[Token]]:
    """(what sets a trigger off, its statements and the END behind them)."""
    found = list(tokens(sql))
    begin = next((at for at, token in enumerate(found) if token.says("begin")), len(found))
    return found[:begin], found[begin + 1 :]


def without_parentheses(tokens: Sequence[Token]) -> Sequence[Token]:
    while tokens and tokens[0].says("(") and not list(outside(tokens[1:-1], deepest=-1)):
        if not tokens[-1].says(")"):
            return tokens
        tokens = tokens[1:-1]
    return tokens


def outside(tokens: Sequence[Token], deepest: int = 0) -> Iterator[tuple[int, Token]]:
    """(place, token) outside of all parentheses; with another `deepest` level, at that level or
    above it."""
    depth = 0
    for at, token in enumerate(tokens):
        depth -= token.says(")")
        if depth <= deepest:
            yield at, token
        depth += token.says("(")


def split(tokens: Sequence[Token], by: str) -> list[Sequence[Token]]:
    """The pieces between separators that stand in no parentheses."""
    ends = [at for at, token in outside(tokens) if token.says(by)]
    return [
        tokens[start + 1 : end]
        for start, end in zip((-1, *ends), (*ends, len(tokens)), strict=True)
    ]
