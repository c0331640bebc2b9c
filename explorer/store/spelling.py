"""SQL that says whether cells may hold a text, however they spell it.

A cell may be JSON, or JSON in JSON, in which a letter is written in many ways; and SQL folds the
case of ASCII letters alone. So this finds more than there is, never less.
"""

import json
from collections.abc import Iterable, Sequence

from explorer.render.folding import spellings
from explorer.store.seeking import Group

_ESCAPED = frozenset('"\\/<>&')
"""Characters that some writers of JSON put in another way."""


def may_hold(columns: Sequence[str], groups: Sequence[Group]) -> tuple[str, list[str]]:
    """(SQL, values): whether some of these columns may hold one text of each group."""
    # On bytes: SQL's text functions end at the NUL before multimodal content.
    texts = [f"lower(coalesce(CAST({column} AS BLOB), ''))" for column in columns]
    tests, values = ["1"], []
    for group in groups:
        either = []
        for spelling in [way for text in group for way in spelt(text)]:
            either += [f"instr({text}, ?)" for text in texts]
            values += [spelling] * len(texts)
        tests.append("(" + " OR ".join(either) + ")")
    return " AND ".join(tests), values


def spelt(text: str) -> list[str]:
    """The ways in which a cell may spell a piece of a text, one of which must be there: as it
    is or escaped as JSON does, in lower case as far as SQL folds it. The piece is the longest of
    characters that have one case or are ASCII; else the first two, in all their cases."""
    steady = max(_runs(text), key=len, default="")
    if steady:
        return _ways([steady])
    letters = [char for char in text if char not in _ESCAPED][:2]
    ways = [""]
    for letter in letters:
        ways = [way + other for way in ways for other in spellings(letter)]
    return _ways(ways) if letters else [""]


def _runs(text: str) -> Iterable[str]:
    run = ""
    for char in text:
        if char in _ESCAPED or not char.isprintable() or has_case_beyond_ascii(char):
            yield run
            run = ""
        else:
            run += char
    yield run


def _ways(pieces: Sequence[str]) -> list[str]:
    once = [json.dumps(piece)[1:-1] for piece in pieces]
    # Arguments of a call are JSON in JSON.
    twice = [json.dumps(piece)[1:-1] for piece in once]
    return list(dict.fromkeys(lower(piece) for piece in (*pieces, *once, *twice)))


def lower(text: str) -> str:
    return "".join(char.lower() if char.isascii() else char for char in text)


def has_case_beyond_ascii(char: str) -> bool:
    return not char.isascii() and len(spellings(char)) > 1
