"""Finding people and chats in a text, however long it is, and putting marks in their place.

Values are looked up by their first word, so that the work grows with the text and not with the
number of values. A value counts only as whole words: `ada` is not found in “Canada”; scripts
without spaces between words are searched sign by sign. A value that would destroy text is not
looked for in running text at all (`worth_finding`): one or two letters, few digits, everyday words.
Phone numbers are also recognised by their shape.
"""

import json
import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import quote, quote_plus

from explorer.stores.private.everyday import EVERYDAY, SMALL_WORDS
from explorer.stores.private.fields import RAW_IDS
from explorer.stores.private.marks import Marks, Who, plain
from explorer.stores.private.spellings import WORD, JoinedNames, KnownNumbers, Meant, bare

LONGEST = 300
"""Characters of a value: what is longer is a text, not a name."""
MOST = 1_000_000
"""Values that are looked for."""
LONG = 2_000
"""Characters of a text of which it is first asked whether it holds any value at all."""
SMALL = 4
"""Letters of a single word of a name that is also looked for in small letters."""
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
"""Letters of scripts that are written without spaces."""
_PHONE = re.compile(
    r"(?<![\w+./:=-])(?:"
    r"\+[1-9](?:[ ()-]{0,2}\d){6,14}"
    r"|(?:1[ -])?\(\d{3}\) ?\d{3}-\d{4}"
    r"|(?:1-)?\d{3}-\d{3}-\d{4}"
    r"|\+?\d{7,15}(?::\d+)?@(?:s\.whatsapp\.net|c\.us|lid)"
    r")(?![\w@]|[-.]\d)"
)
_ADDED_DATE = re.compile(r"\+\d{4}-\d\d-\d\d(?!\d)")
"""A line that a diff adds."""
_ROUTE = re.compile(r"(?<!\w)(agent:[^\s:\"',]+:)([\w-]+)(:[\w-]+:)([^\s\"',)}\]]+)")


class Shape(NamedTuple):
    """Of values that begin with the same word."""

    length: int
    before: int
    """Characters before the first word."""


class Hiding:
    """The values that are known, and texts without them. Values are added in one thread while
    others look for them."""

    def __init__(self, marks: Marks) -> None:
        self._marks = marks
        self._by_word: dict[str, tuple[Shape, ...]] = {}
        self._by_signs: dict[str, tuple[Shape, ...]] = {}
        self._small: dict[str, Meant] = {}
        """Values in small letters, however they are written in a text."""
        self._exact: dict[str, Meant] = {}
        self._joined = JoinedNames()
        self._numbers = KnownNumbers()
        self._users: set[str] = set()
        self._known: set[tuple[Who, str]] = set()

    def add(self, who: Who, value: str, name: bool = False) -> None:
        """Look for a value from now on; of the `name` of a person also for its single words."""
        value = value.strip()
        if not value or (who, value) in self._known or len(self._known) >= MOST:
            return
        self._known.add((who, value))
        if who is Who.USER:
            self._users.add(plain(value))
        if len(value) > LONGEST:
            return
        meant = Meant(who, plain(value))
        one_word = WORD.fullmatch(value) is not None
        for form in _forms(value):
            if worth_finding(form):
                self._find(form, meant, who is Who.CHAT and name and one_word)
        if name:
            self._joined.add(value, meant)
            if who is Who.USER:
                self._find_words(value, meant)
        else:
            self._numbers.add(meant.plain, meant)

    def _find_words(self, name: str, meant: Meant) -> None:
        """The single words of the name of a person, in small letters only where they are hardly
        anything else."""
        for word in WORD.findall(name):
            if word[0].isupper() and len(word) > 2 and worth_finding(word):
                for same in {word, bare(word)}:
                    self._find(same, meant, exact=True)
                    if len(same) >= SMALL and same.lower() not in SMALL_WORDS:
                        self._find(same.lower(), meant, exact=True)

    def _find(self, form: str, meant: Meant, exact: bool) -> None:
        index, first, before = self._by_word, "", 0
        if unspaced := _UNSPACED.search(form):
            index, before = self._by_signs, unspaced.start()
            first = form[before : before + 2]
        elif word := WORD.search(form):
            first, before = word[0].lower(), word.start()
        text = form if exact else form.lower()
        (self._exact if exact else self._small).setdefault(text, meant)
        shape, there = Shape(len(text), before), index.get(first, ())
        if first and shape not in there:
            # The longest first; replaced as a whole, since other threads are reading.
            index[first] = tuple(sorted((*there, shape), reverse=True))

    def whole(self, who: Who, value: str) -> str:
        """The mark of a value that is known to be a person or chat; a platform before it stays."""
        if _is_mark(value):
            return value
        front, colon, rest = value.partition(":")
        if colon and rest and re.fullmatch(r"[a-z_]{3,20}", front) and "@" not in rest:
            return f"{front}:{self._mark(who, plain(rest))}"
        return self._mark(who, plain(value))

    def _mark(self, who: Who, meant: str) -> str:
        """Somebody who is known as a person has the mark of one: the id of a chat with one person
        is often that of the person."""
        return self._marks.of(Who.USER if meant in self._users else who, meant)

    def hide(self, text: str) -> str:
        """The text with marks, the same text where it needs none. Twice changes nothing more."""
        if not text:
            return text
        if "agent:" in text:
            text = _ROUTE.sub(self._route, text)
        if self._by_word and self._may_hold(text):
            text = self._replaced(text, WORD, self._by_word, whole_words=True)
        if self._by_signs and _UNSPACED.search(text):
            text = self._replaced(text, _UNSPACED, self._by_signs, whole_words=False)
        if "-" in text or "+" in text or "@" in text:
            text = _PHONE.sub(self._phone, text)
        return self._numbers.hidden(text, lambda meant: self._mark(*meant))

    def _may_hold(self, text: str) -> bool:
        if len(text) < LONG:
            return True
        words = set(WORD.findall(text.lower()))
        if not text.isascii():
            words |= set(map(bare, words))
        return not self._by_word.keys().isdisjoint(words) or self._joined.may_be_in(words)

    def _replaced(
        self,
        text: str,
        pattern: "re.Pattern[str]",
        index: dict[str, tuple[Shape, ...]],
        whole_words: bool,
    ) -> str:
        pieces: list[str] = []
        done = 0
        for found in pattern.finditer(text):
            start = found.start()
            if start < done:
                continue
            first = found[0].lower() if whole_words else text[start : start + 2]
            begin, end, meant = start, start, None
            for length, before in index.get(first, ()):
                begin, end = start - before, start - before + length
                if begin < done or (whole_words and not _ends_word(text, end)):
                    continue
                there = text[begin:end]
                meant = self._exact.get(there) or self._small.get(there.lower())
                if meant is not None:
                    break
            joined = self._joined.at(text, found) if whole_words else None
            if joined is not None and (meant is None or joined[0] > end):
                begin, (end, meant) = start, joined
            if meant is not None:
                pieces += text[done:begin], self._mark(*meant)
                done = end
        return "".join((*pieces, text[done:])) if pieces else text

    def _phone(self, found: "re.Match[str]") -> str:
        number = found[0]
        if _ADDED_DATE.match(number):
            return number
        return self._mark(Who.USER, plain(number))

    def _route(self, found: "re.Match[str]") -> str:
        """The key of a chat: its ids may be too short to be looked for."""
        front, platform, kind, rest = found.groups()
        if platform.lower() in RAW_IDS:
            return found[0]
        ids = (
            part if not part or _is_mark(part) else self._mark(Who.CHAT, plain(part))
            for part in rest.split(":")
        )
        return f"{front}{platform}{kind}{':'.join(ids)}"


def worth_finding(form: str) -> bool:
    """Whether a value can be looked for in running text without destroying it."""
    core = "".join(WORD.findall(form))
    if core.isdigit():
        return len(core) >= 5
    if _UNSPACED.search(core):
        return len(core) >= 2
    words = [word.lower() for word in WORD.findall(form)]
    return len(core) >= 3 and not all(word in EVERYDAY for word in words)


def _forms(value: str) -> Iterator[str]:
    """The ways in which a value is written in a text."""
    core = value.strip("@#+-!&<> ")
    number = re.match(r"\+?(\d{5,})(?::\d+)?@", value)
    group = re.fullmatch(r"-100(\d{7,})", value)
    written = {value, core, plain(value)}
    # Telegram's links to a group leave out how its id begins.
    written |= {found[1] for found in (number, group) if found}
    for form in filter(None, written):
        for same in {form, *(unicodedata.normalize(how, form) for how in ("NFC", "NFD"))}:
            yield same
            # As links write it.
            yield quote(same, errors="replace")
            yield quote_plus(same, errors="replace")
            if not same.isascii():
                # As JSON writes it, and as JSON inside of JSON.
                once = json.dumps(same)[1:-1]
                yield once
                yield json.dumps(once)[1:-1]


def _ends_word(text: str, end: int) -> bool:
    after, last = text[end : end + 1], text[end - 1 : end]
    return not (WORD.match(after) and WORD.match(last))


def _is_mark(text: str) -> bool:
    return re.fullmatch(r"(?:user|chat)_[0-9a-f]{12}", text) is not None
