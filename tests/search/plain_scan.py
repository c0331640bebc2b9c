"""The measure of every search: all messages read, and each word looked for in each of them.

Written without the matcher, the language or the tables, as somebody would with `grep -i`, on texts
as they are and on texts whose letters were taken apart. The names of arguments are there where a
transcript paints them.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from unicodedata import combining, normalize

from explorer.model import Message, ToolCall
from explorer.render.tools.call import Work, body
from explorer.render.tools.kinds import ToolUse, presentation
from explorer.render.tools.results import opened
from explorer.stores.base import Store


@dataclass(frozen=True, repr=False)
class Scanned:
    """Every message of a store that was not taken back, as small letters."""

    texts: tuple[tuple[tuple[int, int], tuple[str, ...]], ...]
    """((session, message), its texts) of each."""

    def holding(self, words: Iterable[str]) -> set[tuple[int, int]]:
        """The messages that hold all words, each in some text of theirs."""
        wanted = [small(word) for word in words]
        return {
            place
            for place, texts in self.texts
            if all(any(holds(text, word) for text in texts) for word in wanted)
        }


def scan(store: Store) -> Scanned:
    found = []
    for key in store.catalog().keys:
        ids = [one.id for one in store.outlines(key)]
        for message in store.messages(key, ids):
            found.append(((key, message.id), tuple(map(small, texts_of(message)))))
    return Scanned(tuple(found))


def holds(text: str, word: str) -> bool:
    """Whether a text holds a word, both in small letters, however these are composed."""
    if word in text:
        return True
    if word.isascii() or combining(word[0]):
        return False
    whole, sought = small(apart(text)), small(apart(word))
    at = whole.find(sought)
    while at >= 0 and _goes_on(whole, at, at + len(sought)):
        at = whole.find(sought, at + 1)
    return at >= 0


def _goes_on(text: str, start: int, end: int) -> bool:
    """Whether what follows is an accent, or a part of the same syllable: it is another letter."""
    alone, more = normalize("NFC", text[start:end]), normalize("NFC", text[start : end + 1])
    return end < len(text) and (combining(text[end]) > 0 or len(more) == len(alone))


@lru_cache(10_000)
def apart(text: str) -> str:
    """A text with every accent by itself; a sign that only stands for another one stays."""
    runs = groupby(text, _stands_for_another)
    return "".join("".join(run) if kept else normalize("NFD", "".join(run)) for kept, run in runs)


def _stands_for_another(char: str) -> bool:
    other = normalize("NFD", char)
    return len(other) == 1 and other != char


def small(text: str) -> str:
    """Small letters, where that is one letter for one and stays in its alphabet."""
    return "".join(map(_small, text))


def _small(char: str) -> str:
    low = char.lower()
    return low if len(low) == 1 and low.isascii() == char.isascii() else char


def texts_of(message: Message) -> Iterator[str]:
    """What can be looked for in a message."""
    yield message.text
    yield message.all_reasoning
    yield message.tool_name or ""
    # As one text: a phrase may go from the name of a tool on to what it was asked.
    yield "\n".join(
        "\n".join([call.name, *_values(call.arguments), *names_painted(call)])
        for call in message.tool_calls
    )


def names_painted(call: ToolCall) -> set[str]:
    """The names of arguments in a call as it is drawn; where it may have read a file, it has."""
    asked = ToolUse(call.name, call.arguments, opened('{"content": "x"}'))
    lines, _ = body(
        Work(asked, presentation(asked), None), brief=False, width=10_000, room=1_000_000
    )
    return {text for line in lines for text, style in line if style == "key"}


def _values(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for one in value.values():
            yield from _values(one)
    elif isinstance(value, list):
        for one in value:
            yield from _values(one)
    elif isinstance(value, str):
        yield value
    elif isinstance(value, bool) or value is None:
        yield {True: "true", False: "false", None: ""}[value]
    else:
        yield repr(value)
