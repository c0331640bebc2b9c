"""What a misspelt field or value was probably meant to be.

Names of fields are compared with those that exist, and with the words people use for them
elsewhere; values with those that the file has. Only what leads nowhere is corrected: a value that
something in the file holds may be meant.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from explorer.errors import closest
from explorer.search.language.vocabulary import FIELDS, takes_several

LIKE_A_NAME = 0.79
"""How similar a name must be: `sorce` is source, `todo` is no tool."""
LIKE_A_VALUE = 0.6
ELSEWHERE = {
    **dict.fromkeys(("since", "newer"), "after"),
    **dict.fromkeys(("until", "older"), "before"),
    **dict.fromkeys(("date", "day", "when"), "on"),
    **dict.fromkeys(("cwd", "dir", "folder", "project", "repo"), "workspace"),
    **dict.fromkeys(("app", "network"), "platform"),
    **dict.fromkeys(("channel", "group", "user", "from", "person"), "chat"),
    **dict.fromkeys(("status", "state"), "is"),
    **dict.fromkeys(("name", "subject"), "title"),
    **dict.fromkeys(("price", "usd"), "cost"),
    **dict.fromkeys(("author", "sender"), "role"),
}
"""What fields are called in other programs."""
DASHED = re.compile(r"-(\w[\w.]*)")
"""A word that people want to exclude, as in other programs."""
_NAMED = re.compile(r"-?([A-Za-z]{2,20}):(?![:/])")
_WORD = re.compile(r'(?:"[^"]*"|\S)+')
"""What stands between two spaces, those in quotes aside."""
_VALUE = re.compile(r'(?:"[^"]*"|[^,])+')


class Correction(NamedTuple):
    """A piece of a query, and what should stand in its place."""

    start: int
    end: int
    text: str
    field: str = ""
    """Whose value it is; empty for anything else."""


@lru_cache(maxsize=64)
def name_meant(name: str) -> str:
    """The field that a name which is none stands for; empty where nothing is near."""
    name = name.lower()
    if name in FIELDS or len(name) < 3:
        return ""
    known = ELSEWHERE.get(name) or next(iter(closest(name, FIELDS, 1, LIKE_A_NAME)), "")
    return known


def misspelt_field(word: str) -> str:
    """The field that a word which looks like one was meant to begin with; empty where it looks
    like none, as code and addresses do."""
    named = _NAMED.match(word)
    return name_meant(named[1]) if named else ""


def value_meant(field: str, value: str, known: Sequence[str]) -> str:
    """The value that one which nothing holds was meant to be; empty where something holds it, or
    nothing is near."""
    typed = value.casefold()
    values = {one.casefold(): one for one in (*known, *FIELDS[field].offers)}
    if not typed or any(typed in one for one in values):
        return ""
    return next((values[one] for one in closest(typed, values, 1, LIKE_A_VALUE)), "")


def corrections(text: str, known: Mapping[str, Sequence[str]]) -> Iterator[Correction]:
    """What is probably misspelt, from left to right; `known` holds the values that the file has,
    by name of the field."""
    before = ""
    for word in _WORD.finditer(text):
        start, named = word.start(), _NAMED.match(word[0])
        if named and (meant := name_meant(named[1])):
            yield Correction(start + named.start(1), start + named.end(), f"{meant}:")
        elif named and (name := named[1].lower()) in FIELDS and takes_several(name):
            for value in _VALUE.finditer(word[0], named.end()):
                if meant := value_meant(name, value[0].strip('"'), known.get(name, ())):
                    yield Correction(start + value.start(), start + value.end(), meant, name)
        elif before != "NOT" and (dashed := DASHED.fullmatch(word[0])):
            yield Correction(start, word.end(), f"NOT {dashed[1]}")
        before = word[0]
