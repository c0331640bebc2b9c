"""What to look for in a text: words as they are, or a regular expression between slashes.

Case matters only if a capital is typed; how letters are composed never matters. A regular
expression may take ages on the wrong text, so it runs in an engine that can be stopped and that
lets other threads run.
"""

import re
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Protocol

from explorer.errors import ExplorerError
from explorer.render.letters import expression, occurrences, written
from explorer.search.words import (
    NOT_AN_EXPRESSION,
    RECURSIVE,
    TOO_COMPLEX,
    TOO_LONG,
    TOO_SLOW,
    UNREADABLE,
)

if TYPE_CHECKING:
    import regex

PATIENCE = 2.0
"""Seconds of the processor for one text, and for all texts beyond what is fair; after that an
expression is called too slow."""
FAIR_TEXT, FAIR_CHARACTER = 50e-6, 1e-6
"""Seconds that an honest expression stays far below, for each text and each of its characters. One
that takes half a second for a line would never reach the limit of one text, nor the end."""
HURRY = 0.1
"""Seconds of the processor for one text while painting, when no key is answered."""
COPIES = 100_000
"""Characters that an expression may come to when what is counted in it is written out: the engine
does write it out, so `a{99999999}` would fill the memory before it looked at any text."""

# Calling itself without end takes the engine a gigabyte before it notices.
_CALLED = re.compile(r"\(\?(?:R|&|P>|[+-]?\d)")
_COUNTED = re.compile(r"(\)\s*)?\{\s*(\d{1,9})")

_hurrying = ContextVar("_hurrying", default=False)

_TWINS = "\u0130\u0131\u017f\u212a"
"""The only letters that a pattern takes for one of ASCII (i, i, s, k). One of them becomes longer
as a small letter, and no other letter does."""


class BadPattern(ExplorerError):
    """The text is not an expression, or one that would never end."""


class Pattern(Protocol):
    """Finds its matches in a text."""

    text: str

    def spans(self, text: str) -> Iterable[tuple[int, int]]:
        """Where it matches, from left to right; never an empty place."""
        ...

    def is_not_in(self, stored: str) -> bool:
        """Whether it surely matches nowhere in a text that may be stored as JSON."""
        ...


@contextmanager
def hurried() -> Iterator[None]:
    """In here an expression is called too slow much sooner, though only on the text at hand."""
    before = _hurrying.set(True)
    try:
        yield
    finally:
        _hurrying.reset(before)


def pattern(text: str) -> Pattern | None:
    """The pattern that was typed: `/expression/`, or words; None for nothing."""
    if not text.strip():
        return None
    if len(text) > 2 and text.startswith("/") and text.endswith("/"):
        return _Expression(text)
    return _Words(text)


def _cased(text: str) -> bool:
    return any(letter.isupper() for letter in text)


class _Words:
    def __init__(self, text: str) -> None:
        self.text = text
        self._cased = _cased(text)
        source = expression(text, written)
        self._finder = re.compile(source, 0 if self._cased else re.IGNORECASE)

    def spans(self, text: str) -> Iterable[tuple[int, int]]:
        if not self._cased and self.text.isascii() and not any(twin in text for twin in _TWINS):
            # The same places, in a tenth of the time: 15 ms instead of 150 for 8 MB.
            return occurrences(text.lower(), self.text)
        return (match.span() for match in self._finder.finditer(text))

    def is_not_in(self, stored: str) -> bool:
        # Letters are in JSON as they are, unless they are written as numbers; numbers may differ.
        plain = self.text.isascii() and self.text.isalpha()
        return plain and "\\u00" not in stored and not any(self.spans(stored))


class _Expression:
    def __init__(self, text: str) -> None:
        # Late: 15 ms that only an expression needs.
        import regex

        self.text = text
        source = text[1:-1]
        if _written_out(source) > COPIES:
            raise BadPattern(*TOO_LONG)
        plain = re.sub(r"\\.", "", source)
        if _CALLED.search(plain):
            raise BadPattern(*RECURSIVE)
        # A capital after a backslash is a class of characters.
        flags = 0 if _cased(plain) else regex.IGNORECASE
        try:
            self._finder = regex.compile(source, flags | regex.MULTILINE)
        except regex.error as error:
            raise BadPattern(NOT_AN_EXPRESSION, str(error)) from None
        except (LookupError, ValueError, MemoryError, RuntimeError):
            # The engine trips over some of its own flags, and over 400 brackets in each other.
            raise BadPattern(NOT_AN_EXPRESSION, UNREADABLE) from None
        self._unfair = 0.0
        """Seconds that it took beyond what is fair, over all texts so far."""
        self._given_up: tuple[str, str] | None = None
        """Why it is not tried on any other text: each could take as long again."""

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        if self._given_up is not None:
            raise BadPattern(*self._given_up)
        hurrying, took = _hurrying.get(), 0.0
        self._unfair = max(self._unfair - FAIR_TEXT - FAIR_CHARACTER * len(text), -PATIENCE)
        timeout = HURRY if hurrying else PATIENCE
        matches = self._finder.finditer(text, concurrent=True, timeout=timeout)
        while True:
            began = time.thread_time()
            match = self._next(matches, hurrying)
            spent = time.thread_time() - began
            took += spent
            self._unfair += spent
            if self._unfair > PATIENCE:
                raise self._give_up(*TOO_SLOW)
            if hurrying and took > HURRY:
                raise BadPattern(*TOO_SLOW)
            if match is None:
                return
            if match.end() > match.start():
                yield match.span()

    def _next(
        self, matches: "Iterator[regex.Match[str]]", hurrying: bool
    ) -> "regex.Match[str] | None":
        try:
            return next(matches, None)
        except TimeoutError:
            raise (BadPattern if hurrying else self._give_up)(*TOO_SLOW) from None
        except (MemoryError, RuntimeError):
            # It turns back too often to remember it, or comes to something it has no code for.
            raise self._give_up(*TOO_COMPLEX) from None

    def _give_up(self, title: str, message: str) -> BadPattern:
        self._given_up = title, message
        return BadPattern(title, message)

    def is_not_in(self, stored: str) -> bool:
        return False


def _written_out(source: str) -> int:
    """At least so long as the expression is without its counts: those of groups multiply."""
    groups, most = 1, 1
    for group, number in _COUNTED.findall(source):
        if group:
            groups *= max(int(number), 1)
        else:
            most = max(most, int(number))
    return groups * most * len(source)


def count_in(finder: Pattern, text: str) -> int:
    """How often it matches."""
    return sum(1 for _ in finder.spans(text))
