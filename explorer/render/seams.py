"""The words between messages: what a summary stands for, and what an interrupted session waits for.
The transcript and every document of a session use the same."""

from collections.abc import Sequence

from explorer.model import Folded
from explorer.render.clean import clean_line
from explorer.render.figures import count, plural

NAMED = 5
"""Tools that an interrupted session waits for, by name; more are counted."""


def folded_words(folded: Folded) -> str:
    """What a summary stands for."""
    # The agent may have deleted them since.
    words = f"{messages(folded.messages) if folded.messages else 'earlier messages'} summarised"
    if folded.before is None or folded.after is None:
        return words
    return f"{words}, {count(folded.before)} → {count(folded.after)} tokens"


def compressed_words(compressed: int) -> str:
    """Where messages were compressed in place, and nothing says which summary stands for them."""
    return f"compressed here, {messages(compressed)} summarised"


def part_words(number: int, parts: int, before: int) -> str:
    """Where a conversation was compressed and goes on in another part."""
    return f"part {number} of {parts} · {compressed_words(before)}"


def interruption(awaited: Sequence[str]) -> str:
    """That a session waits for the results of tools, in words; empty where it does not."""
    if not awaited:
        return ""
    tools = ", ".join(clean_line(name, 60) or "a tool" for name in awaited[:NAMED])
    more = f" and {len(awaited) - NAMED} more" if len(awaited) > NAMED else ""
    results = "result" if len(awaited) == 1 else "results"
    return f"interrupted: waits for the {results} of {tools}{more}"


def messages(number: int) -> str:
    return plural(number, "message")
