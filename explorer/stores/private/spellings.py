"""The usual spellings of a known name or number: a name joined as in addresses, file names and
handles, or without its accents; a phone number in groups, or as it is dialled within its country.
"""

import re
import unicodedata
from collections.abc import Callable
from typing import NamedTuple

from explorer.stores.private.everyday import SMALL_WORDS
from explorer.stores.private.marks import Who

WORD = re.compile(r"[^\W_]+")
SHORTEST = 6
"""Letters of a joined name."""
MOST_WORDS = 8
"""Words of a name that are joined."""
_JOINT = re.compile(r"\s{1,3}|[-_.+]")
_HUMPS = re.compile(r"[^\W\d_][^\W_]*[a-z\d][A-Z]")
"""Words that are joined with a capital letter each."""
_GROUP = re.compile(r"(?<!\w)\d+(?!\w)")
_BETWEEN = re.compile(r"[ ()./-]{1,3}")
_FEWEST, _MOST_DIGITS = 7, 17


class Meant(NamedTuple):
    """Whom a value means."""

    who: Who
    plain: str


def bare(text: str) -> str:
    """The letters without accents."""
    if text.isascii():
        return text
    apart = unicodedata.normalize("NFD", text)
    return "".join(sign for sign in apart if not unicodedata.combining(sign))


class JoinedNames:
    """Names of several words, however the words are joined."""

    def __init__(self) -> None:
        self._joined: dict[str, Meant] = {}
        self._words: dict[str, tuple[int, ...]] = {}
        """How many words the names have that begin with a word, the most first."""

    def add(self, name: str, meant: Meant) -> None:
        words = [bare(word).lower() for word in WORD.findall(unicodedata.normalize("NFC", name))]
        whole = "".join(words)
        if not 2 <= len(words) <= MOST_WORDS or len(whole) < SHORTEST or whole.isdigit():
            return
        if all(word in SMALL_WORDS or word.isdigit() for word in words):
            return
        self._joined.setdefault(whole, meant)
        counts = self._words.get(words[0], ())
        if len(words) not in counts:
            self._words[words[0]] = tuple(sorted((*counts, len(words)), reverse=True))

    def may_be_in(self, words: set[str]) -> bool:
        """Whether one of these small words is or begins a name; said of plain letters only."""
        return not (self._joined.keys().isdisjoint(words) and self._words.keys().isdisjoint(words))

    def at(self, text: str, word: "re.Match[str]") -> tuple[int, Meant] | None:
        """(where a name ends that begins with this word of a text, whom it means)."""
        first = bare(word[0].lower())
        meant = self._joined.get(first)
        if meant is not None and _is_joined(text, word, meant.who):
            return word.end(), meant
        for count in self._words.get(first, ()):
            pieces, end = [first], word.end()
            while len(pieces) < count:
                joint = _JOINT.match(text, end)
                following = joint and WORD.match(text, joint.end())
                if not following:
                    break
                pieces.append(bare(following[0].lower()))
                end = following.end()
            meant = self._joined.get("".join(pieces)) if len(pieces) == count else None
            if meant is not None:
                return end, meant
        return None


def _is_joined(text: str, word: "re.Match[str]", who: Who) -> bool:
    """Whether one word can be a whole name: “bookclub” is a word, “#bookclub” a chat."""
    before = text[word.start() - 1 : word.start()]
    return who is Who.USER or before in ("#", "@") or _HUMPS.match(word[0]) is not None


class KnownNumbers:
    """Long numbers, in whatever groups their digits are written."""

    def __init__(self) -> None:
        self._known: dict[str, Meant] = {}

    def add(self, digits: str, meant: Meant) -> None:
        """A number with the code of its country, or an id."""
        if not digits.isdecimal() or not _FEWEST <= len(digits) <= 15:
            return
        self._known.setdefault(digits, meant)
        if len(digits) >= 10:
            self._known.setdefault(f"00{digits}", meant)
            for code in (1, 2, 3):
                self._known.setdefault(f"0{digits[code:]}", meant)
        if len(digits) == 11 and digits[0] == "1":
            self._known.setdefault(digits[1:], meant)

    def hidden(self, text: str, mark: Callable[[Meant], str]) -> str:
        """The text with marks for them."""
        if not self._known:
            return text
        pieces: list[str] = []
        done = 0
        for group in _GROUP.finditer(text):
            if group.start() >= done and (found := self._at(text, group)) is not None:
                end, meant = found
                begin = group.start()
                while begin > done and text[begin - 1] in "+(":
                    begin -= 1
                pieces += text[done:begin], mark(meant)
                done = end
        return "".join((*pieces, text[done:])) if pieces else text

    def _at(self, text: str, group: "re.Match[str]") -> tuple[int, Meant] | None:
        digits, end, best = group[0], group.end(), None
        while len(digits) <= _MOST_DIGITS:
            meant = self._known.get(digits)
            best = best if meant is None else (end, meant)
            between = _BETWEEN.match(text, end)
            following = between and _GROUP.match(text, between.end())
            if not following:
                break
            digits, end = digits + following[0], following.end()
        return best
