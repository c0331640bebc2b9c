"""What somebody typed, as terms that must all be found.

Words are split at white space; text between double quotes is one term. Anything can be typed:
there are no errors, only terms.
"""

import re
from typing import NamedTuple

LONGEST = 200
"""Characters looked at: nobody types more, and thousands of words take SQLite seconds."""

_TERM = re.compile(r'"([^"]*)"?|(\S+)')


class Query(NamedTuple):
    """The terms of a search, as typed."""

    text: str
    terms: tuple[str, ...]
    unfinished: bool
    """The last word may still be growing: nothing follows it."""


def parse(text: str) -> Query:
    """The query in `text`; one without terms finds nothing."""
    # Half a surrogate is no text that SQLite would take.
    source = text[:LONGEST].encode("utf-8", "replace").decode("utf-8")
    terms = []
    quoted = False
    for match in _TERM.finditer(source):
        quoted = match.group(1) is not None
        term = (match.group(1) or match.group(2) or "").strip()
        if term:
            terms.append(term)
    unfinished = bool(terms) and not quoted and not source[-1:].isspace()
    return Query(text, tuple(terms), unfinished)
