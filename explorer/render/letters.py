"""Letters that can be written in more than one way: upper and lower case, é as one sign or as two.

Folded text keeps its length, so that positions in it stay true. Only canonical equivalents of
Unicode count: a ligature is not its letters, and a sign that stands for another one (the Kelvin
sign for K) is not that one.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from itertools import permutations, product
from unicodedata import combining, decomposition, normalize

_SPECIAL = frozenset("\u212a\u03a3")
"""The Kelvin sign, and the sigma, which is another letter at the end of a word."""


def fold(text: str) -> str:
    """The text without regard to case. A letter whose small form is another alphabet's (the
    Kelvin sign) or is two letters stays as it is."""
    low = text.lower()
    if text.isascii() or (len(low) == len(text) and _SPECIAL.isdisjoint(text)):
        return low
    return "".join(map(_folded, text))


def spellings(letter: str) -> tuple[str, ...]:
    """All letters that fold to the same one."""
    if letter.isascii():
        return tuple(dict.fromkeys((letter.lower(), letter.upper())))
    return _same().get(_folded(letter), (letter,))


@cache
def _folded(letter: str) -> str:
    low = letter.lower()
    return low if len(low) == 1 and low.isascii() == letter.isascii() else letter


@cache
def _same() -> dict[str, tuple[str, ...]]:
    """20 ms for all letters of all alphabets, once, for who looks for one beyond ASCII."""
    found: dict[str, list[str]] = {}
    for code in range(0x80, 0x1F000):
        letter = chr(code)
        if letter.lower() != letter or letter.upper() != letter:
            found.setdefault(_folded(letter), []).append(letter)
    return {letter: tuple(others) for letter, others in found.items()}


MARKS = 3
"""Signs behind a letter that are tried in every order: no language writes more."""
_COMPOSED = (
    range(0xC0, 0x3100),
    range(0xFB1D, 0xFB50),
    range(0x11000, 0x12000),
    range(0x16000, 0x17000),
    range(0x1D100, 0x1D200),
)
"""Where signs that can be taken apart are, but for the syllables of Korean."""

Ways = Callable[[str], tuple[str, ...]]


class Sought:
    """A text to find in texts that are folded, however its letters are written there."""

    def __init__(self, text: str) -> None:
        self.folded = fold(text)
        source = expression(text, folded)
        one_way = source == re.escape(self.folded)
        self.expression = None if one_way else re.compile(source)
        """What finds it, never in plain ASCII; None where it is written in one way only."""

    def is_in(self, text: str) -> bool:
        if self.expression is None:
            return self.folded in text
        return not text.isascii() and self.expression.search(text) is not None

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Where it stands, from left to right, without overlaps."""
        if self.expression is None:
            return occurrences(text, self.folded)
        if text.isascii():
            return iter(())
        return (match.span() for match in self.expression.finditer(text))


def letters(text: str) -> list[str]:
    """The letters of a text, each with the signs behind it that belong to it."""
    if text.isascii():
        return list(text)
    found: list[str] = []
    for char in text:
        if found and not char.isascii() and _joins(found[-1], char):
            found[-1] += char
        else:
            found.append(char)
    return found


@lru_cache(1000)
def written(letter: str) -> tuple[str, ...]:
    """All ways to write a letter, itself first."""
    if letter.isascii():
        return (letter,)
    apart = normalize("NFD", letter)
    base, marks = apart[0], apart[1:]
    if not marks or combining(base) or any(map(_stands_for_another, letter)):
        return (letter,)
    if len(marks) > MARKS:
        return tuple(dict.fromkeys((letter, normalize("NFC", letter), apart)))
    found = {letter: None}
    for order in permutations(marks):
        if normalize("NFD", base + "".join(order)) != apart:
            continue
        for number in range(len(order) + 1):
            first, rest = base + "".join(order[:number]), "".join(order[number:])
            found.update((sign + rest, None) for sign in _signs(first))
    return tuple(found)


@lru_cache(1000)
def in_any_case(letter: str) -> tuple[str, ...]:
    """All ways to write a letter, small and capital, itself first."""
    if letter.isascii():
        return spellings(letter)
    found = dict.fromkeys(written(letter))
    for way in tuple(found):
        for case in product(*map(spellings, way)):
            found.update(dict.fromkeys(written("".join(case))))
    return tuple(found)


@lru_cache(1000)
def folded(letter: str) -> tuple[str, ...]:
    """All ways in which a letter may stand in a text that is folded."""
    if letter.isascii():
        return (fold(letter),)
    return tuple(dict.fromkeys(map(fold, (letter, *in_any_case(letter)))))


def expression(text: str, ways: Ways) -> str:
    """The source of a regular expression that finds a text, each letter in any of its ways."""
    if text.isascii():
        return "".join(re.escape(ways(letter)[0]) for letter in text)
    return "".join(_any_of(ways(letter)) for letter in letters(text))


def occurrences(text: str, needle: str) -> Iterator[tuple[int, int]]:
    """Where a text holds another one as it is, from left to right, without overlaps."""
    at = text.find(needle) if needle else -1
    while at >= 0:
        yield at, at + len(needle)
        at = text.find(needle, at + len(needle))


def _any_of(ways: tuple[str, ...]) -> str:
    if len(ways) == 1:
        return re.escape(ways[0])
    return "(?:" + "|".join(map(re.escape, ways)) + ")"


def _joins(letter: str, char: str) -> bool:
    """Whether a sign belongs to the letter before it: an accent, or the next part of a syllable."""
    return combining(char) > 0 or len(normalize("NFC", letter + char)) <= len(
        normalize("NFC", letter)
    )


def _stands_for_another(char: str) -> bool:
    other = normalize("NFD", char)
    return len(other) == 1 and other != char


def _signs(apart: str) -> tuple[str, ...]:
    """What a letter that is taken apart is as one sign, if there is one; else itself."""
    if len(apart) == 1:
        return (apart,)
    known = _together().get(normalize("NFD", apart), ())
    syllable = normalize("NFC", apart)
    return (*known, syllable) if len(syllable) == 1 and syllable not in known else known


@cache
def _together() -> dict[str, tuple[str, ...]]:
    """5 ms for all of them, once, for who looks for a letter that can be taken apart."""
    found: dict[str, tuple[str, ...]] = {}
    for codes in _COMPOSED:
        for sign in map(chr, codes):
            apart = normalize("NFD", sign) if decomposition(sign) else ""
            if len(apart) > 1:
                found[apart] = (*found.get(apart, ()), sign)
    return found
