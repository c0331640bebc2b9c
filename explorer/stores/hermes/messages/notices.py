"""What a row tells that nobody said, in words: a switch of the model, a subagent that is done.

Made of what Hermes noted beside the row and of its text; either may be missing, or anything.
"""

import re
from collections.abc import Callable, Mapping

from explorer.render.amounts import plural
from explorer.stores.sqlite import cells

LONGEST = 160
"""Letters of a stored text in a notice."""
MOST_REACTIONS = 8

_SWITCHED = r"(?:changed|switched) to +(\S+?)[.\]]*(?:\s|$)"
_HEAD = r"\s*\[[^\]\n]{0,300}\]?[ \t]*\n+"
"""A line in brackets above what is told."""


def notice(kind: object, metadata: object, text: str) -> str:
    """The words for a row of this kind; empty for a message that somebody said."""
    told = _TOLD.get(kind) if isinstance(kind, str) else None
    return told(_noted(metadata), text) if told else ""


def reactions(metadata: object) -> tuple[str, ...]:
    """The signs below a message, each once."""
    found = _noted(metadata).get("reactions") if metadata is not None else None
    given = found if isinstance(found, list) else []
    signs = [one.get("emoji") for one in given if isinstance(one, dict)]
    each = dict.fromkeys(sign for sign in signs if isinstance(sign, str) and sign)
    return tuple(each)[:MOST_REACTIONS]


def _noted(metadata: object) -> Mapping[str, object]:
    """What is noted beside a row; some releases wrote the JSON twice over."""
    value = cells.decoded(metadata)
    if isinstance(value, str):
        value = cells.decoded(value)
    return value if isinstance(value, dict) else {}


def _model_switch(noted: Mapping[str, object], text: str) -> str:
    return f"Model changed{_from_to(noted, text)}"


def _personality_switch(noted: Mapping[str, object], text: str) -> str:
    return f"Personality changed{_from_to(noted, text)}"


def _from_to(noted: Mapping[str, object], text: str) -> str:
    before = _name(noted, "from", "previous")
    after = _name(noted, "to", "model", "personality", "name")
    if not after:
        found = re.search(_SWITCHED, text[:1000])
        after = found[1] if found else ""
    return f"{f' from {before}' if before else ''}{f' to {after}' if after else ''}"


def _name(noted: Mapping[str, object], *names: str) -> str:
    found = (noted.get(name) for name in names)
    return next((value[:LONGEST] for value in found if isinstance(value, str) and value), "")


def _delegation(noted: Mapping[str, object], text: str) -> str:
    number = cells.amount(noted.get("task_count"))
    failed = cells.amount(noted.get("failed_count"))
    who = plural(number, "subagent").capitalize() if number > 1 else "Subagent"
    return _with(f"{who} finished{f', {failed} failed' if failed else ''}", text)


def _with(words: str, text: str) -> str:
    """Words, and behind them the first line of a text, without a heading in brackets."""
    line = re.sub(_HEAD, "", text[: 10 * LONGEST], count=1).strip().partition("\n")[0]
    return f"{words}: {line[:LONGEST]}" if line else words


_TOLD: Mapping[str, Callable[[Mapping[str, object], str], str]] = {
    "model_switch": _model_switch,
    "personality_switch": _personality_switch,
    "async_delegation_complete": _delegation,
    "auto_continue": lambda noted, text: "Continued after an interruption",
    "internal_notification": lambda noted, text: _with("Notice", text),
    "process_complete": lambda noted, text: _with("Process finished", text),
}
