"""The search language written down: what can be typed, and what it finds.

The help of the app and the documents show these tables, so that neither can drift from the other;
the fields are those of the vocabulary.
"""

from collections.abc import Iterator

from explorer.search.language.vocabulary import FIELDS, FieldKind

WORDS = (
    ("docker", "the word, also inside other words, in any case"),
    ("docker arm64", "messages with both"),
    ('"no space left"', "the exact phrase"),
    ("deploy*", "words that start with it"),
    ("docker OR podman", "either"),
    ("docker NOT compose", "messages with the first and without the second"),
    ("NOT docker", "alone: conversations that never mention it"),
    ("/time.?out/", "a regular expression"),
    ("source:cli", "a field and its value"),
    ("-source:cron", "not this value"),
)
"""(what is typed, what it finds)."""
DATES = (
    ("on:today", "all of today; also yesterday"),
    ("on:2026-10-01", "one day"),
    ("on:2026-10", "one month; on:2026 is one year"),
    ("after:7d", "the last 7 days; also 12h, 8w, 6m, 1y"),
    ("before:90d", "earlier than 90 days ago"),
)
NUMBERS = (
    ("messages:>20", "more than 20; also >=, <, <="),
    ("messages:20", "exactly 20"),
    ("tokens:10k..1.5m", "from 10,000 to 1,500,000"),
    ("cost:>1", "more than $1"),
)
OF_THE_FILE = ("source", "platform", "chat", "profile", "model", "workspace")
"""Fields whose values are completed with those that the file has."""


def fields(complete: str) -> Iterator[tuple[str, str]]:
    """(name, what it is about, its values and an example, a line each) of every field; `complete`
    is the key that completes a value."""
    for name, kind in FIELDS.items():
        values = _values(name, kind, complete)
        lines = (kind.words, *([values] if values else []), f"example: {kind.example}")
        yield f"{name}:", "\n".join(lines)


def _values(name: str, kind: FieldKind, complete: str) -> str:
    if kind.takes == "day":
        return "a date, or how long ago"
    if kind.takes == "amount":
        return "a number, a comparison or a range"
    if kind.offers:
        return "; ".join(f"{value}: {words}" for value, words in kind.offers.items())
    return f"{complete} completes the values of this file" if name in OF_THE_FILE else ""
