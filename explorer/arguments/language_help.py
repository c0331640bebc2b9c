"""The search language, as `search --help` prints it: what can be typed, and every field with its
values and an example."""

import textwrap
from collections.abc import Iterable, Iterator

from explorer.search.language.reference import DATES, NUMBERS, WORDS
from explorer.search.language.vocabulary import FIELDS, FieldKind

WIDTH = 79
COLUMN = 22
"""Where the explanations begin."""


def language_help() -> str:
    fields = ((f"{name}:", _about(kind)) for name, kind in FIELDS.items())
    parts = (
        ("search language", WORDS),
        ("dates", DATES),
        ("numbers", NUMBERS),
        ("fields", fields),
    )
    return "\n".join(line for title, rows in parts for line in _section(title, rows))


def _section(title: str, rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    yield f"{title}:"
    for typed, does in rows:
        yield textwrap.fill(
            does,
            WIDTH,
            initial_indent=f"  {typed:<{COLUMN - 4}}  ",
            subsequent_indent=" " * COLUMN,
            break_on_hyphens=False,
        )
    yield ""


def _about(kind: FieldKind) -> str:
    # What dates and numbers look like is said above.
    values = ", ".join(kind.offers) if kind.takes in ("text", "choice") else ""
    about = f"{kind.words}: {values}" if values else kind.words
    return f"{about}. Example: {kind.example}"
