"""SQL that says whether cells may hold a text, however they spell it.

A cell may be JSON, or JSON in JSON, in which a letter is written in many ways; a letter may be one
sign or several; and SQL folds the case of ASCII letters alone. So this finds more than there is,
never less.
"""

import json
from collections.abc import Sequence
from itertools import groupby

from explorer.render.letters import in_any_case, letters, spellings
from explorer.render.reasoning import TAGS

_ESCAPED = frozenset('"\\/<>&')
"""Characters that some writers of JSON put in another way."""
_IN_A_ROW = 100
_FEW = 8
"""Ways to write a letter after which a second letter would make too many."""
_STEADY, _MANY, _NEVER = range(3)
"""Letters that are written in one way, in ways that can be told, and in ways that cannot."""


def may_hold(
    columns: Sequence[str], groups: Sequence[Sequence[str]]
) -> tuple[str, list[str | bytes]]:
    """(SQL, values): whether some of these columns may hold one text of each group."""
    # On bytes: SQL's text functions end at the NUL before multimodal content.
    stored = [f"CAST({column} AS BLOB)" for column in columns]
    small = [f"lower(coalesce({cell}, ''))" for cell in stored]
    tests, values = ["1"], list[str | bytes]()
    for group in groups:
        either = []
        for spelling in [way for text in group for way in spelt(text)]:
            # What has no ASCII letter need not be folded: that takes half the time.
            folds = not spelling or any(map(str.isascii, spelling))
            either += [f"instr({cell}, ?)" for cell in (small if folds else stored)]
            values += [spelling if folds else spelling.encode()] * len(columns)
        tests.append(any_of(either))
    return " AND ".join(tests), values


def surely_holds(groups: Sequence[Sequence[str]]) -> tuple[str, list[str]]:
    """(SQL, values): whether the plain content of a message `m` holds one text of each group for
    certain. Content of parts begins with a NUL, or is JSON."""
    known = sure_of(groups)
    if not known:
        return "0", []
    tests = (
        "(" + " OR ".join("instr(lower(m.content), ?)" for _ in group) + ")" for group in known
    )
    untagged = " AND ".join(f"instr(m.content, '{name}>') = 0" for name in TAGS)
    plain = (
        "typeof(m.content) = 'text' AND unicode(m.content) NOT IN (0, 91)"
        f" AND (instr(m.content, '>') = 0 OR ({untagged}))"
    )
    return f"({plain} AND {' AND '.join(tests)})", [text for group in known for text in group]


def sure_of(groups: Sequence[Sequence[str]]) -> list[list[str]]:
    """The texts of each group in lower case, those left out that have letters with two cases beyond
    ASCII, since SQL does not fold them; none at all where a group has no others."""
    known = [
        [lower(text) for text in group if not any(map(has_case_beyond_ascii, text))]
        for group in groups
    ]
    return known if all(known) else []


def any_of(tests: Sequence[str]) -> str:
    """Whether one of these holds: in a row, or in several, since SQLite takes no expression that
    is a thousand levels deep."""
    if len(tests) <= _IN_A_ROW:
        return "(" + " OR ".join(tests) + ")"
    rows = [tests[at : at + _IN_A_ROW] for at in range(0, len(tests), _IN_A_ROW)]
    return any_of([any_of(row) for row in rows])


def spelt(text: str) -> list[str]:
    """The ways in which a cell may spell a piece of a text, one of which must be there: as it
    is or escaped as JSON does, in lower case as far as SQL folds it. The piece is the longest of
    letters that are written in one way; else two letters beside each other, in all their ways."""
    runs = [(kind, list(run)) for kind, run in groupby(letters(text), _kind)]
    steady = max(("".join(run) for kind, run in runs if kind == _STEADY), key=len, default="")
    if steady:
        return _ways([steady])
    return _ways(_pieces(next((run for kind, run in runs if kind == _MANY), [])[:2]))


def _kind(letter: str) -> int:
    if letter[0] in _ESCAPED:
        return _NEVER
    steady = letter.isprintable() and (letter.isascii() or len(in_any_case(letter)) == 1)
    return _STEADY if steady else _MANY


def _pieces(run: Sequence[str]) -> list[str]:
    """What one of must be there for these letters to be: all of them as single signs, or a sign
    that is only there where one of them is written with several."""
    together, apart = [""], list[str]()
    for letter in run:
        ways = in_any_case(letter)
        signs = [way for way in ways if len(way) == 1]
        together = [piece + sign for piece in together for sign in signs or ways]
        apart += [way[-1] for way in ways if signs and len(way) > 1]
        if len(together) > _FEW:
            break
    return [*together, *apart]


def _ways(pieces: Sequence[str]) -> list[str]:
    once = [json.dumps(piece)[1:-1] for piece in pieces]
    # Arguments of a call are JSON in JSON. There, one escape is within two.
    twice = [json.dumps(piece)[1:-1] for piece in once if piece.count("\\") > 1]
    return list(dict.fromkeys(lower(piece) for piece in (*pieces, *once, *twice)))


def lower(text: str) -> str:
    return "".join(char.lower() if char.isascii() else char for char in text)


def has_case_beyond_ascii(char: str) -> bool:
    return not char.isascii() and len(spellings(char)) > 1
