"""Case, letter by letter: a text folded has the length it had, so that places in it stay true."""

from functools import cache

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
