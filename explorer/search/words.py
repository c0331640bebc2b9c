"""What a search says: chips for what was understood, notes on what was not, why an expression
fails, and why a prune keeps a session."""

import re
from collections.abc import Iterable

from explorer.render.figures import count, plural

FIELD_CHIPS = {
    "source": ("source is {}", "source is not {}"),
    "platform": ("platform is {}", "platform is not {}"),
    "chat": ("chat is {}", "chat is not {}"),
    "profile": ("profile is {}", "profile is not {}"),
    "model": ("model contains {}", "model does not contain {}"),
    "title": ("title contains {}", "title does not contain {}"),
    "id": ("id contains {}", "id does not contain {}"),
    "workspace": ("workspace contains {}", "workspace does not contain {}"),
    "kind": ("kind is {}", "kind is not {}"),
    "is": ("{}", "not {}"),
    "role": ("role is {}", "role is not {}"),
    "tool": ("tool is {}", "tool is not {}"),
    "has": ("with {}", "without {}"),
    "in": ("only in {}", "not in {}"),
}
"""(chip, chip of the opposite) of fields that take values."""
TERM_CHIPS = {"word": "{}", "phrase": "“{}”", "prefix": "{}…", "regex": "/{}/"}
_UNITS = {"h": "hour", "d": "day", "w": "week", "m": "month", "y": "year"}
_SIGNS = {">": "more than", ">=": "at least", "<": "less than", "<=": "at most", "=": "exactly"}

NOT_A_DATE = "is not a date (try 2026-10-01, 3d, yesterday)"
NOT_A_NUMBER = "is not a number (try 20, >20, 10..20)"
NO_BRACKETS = "brackets do not group words: searched as plain text"
OR_AS_AND = "OR only joins words, or values of one field: read as AND"

TOO_SLOW = (
    "Expression too slow",
    "This expression takes too long on this file. Simplify it.",
)
TOO_COMPLEX = "Expression too complex", "This expression is too complex. Simplify it."
TOO_LONG = "Expression too long", "it repeats too many times"
RECURSIVE = "Expression not supported", "it refers to itself"
NOT_AN_EXPRESSION = "Not a regular expression"
UNREADABLE = "it cannot be read"

_KEPT = {
    "open, never ended": "never ended",
    "among the newest to keep": "among the newest",
    "in other tables of the file: prune again for them": "in another table: prune again to include",
}
"""Reasons that people read in other words than scripts."""


def day_chip(name: str, value: str) -> str:
    """A day or a span after `before`, `after` or `on`."""
    span = re.fullmatch(r"(\d+)\s?([hdwmy])", value)
    if span:
        long = plural(int(span[1]), _UNITS[span[2]])
        return f"more than {long} ago" if name == "before" else f"in the last {long}"
    if name != "on":
        return f"{'since' if name == 'after' else name} {value}"
    if value in ("today", "yesterday"):
        return value
    return f"on {value}" if value.count("-") == 2 else f"in {value}"


def amount_chip(name: str, sign: str, first: str, last: str) -> str:
    """A comparison with a number, or a range."""
    dollar = "$" if name == "cost" else ""
    words = f"{dollar}{first} to {dollar}{last}" if last else f"{_SIGNS[sign]} {dollar}{first}"
    if name == "cost":
        return f"cost {words}"
    noun = name.removesuffix("s") if (last or first) == "1" else name
    return f"{words.replace('less', 'fewer')} {noun}"


def unknown_value(known: Iterable[str]) -> str:
    *others, last = known
    return f"is unknown (use {', '.join(others)} or {last})"


def not_an_expression(why: str) -> str:
    return f"is not a valid regular expression ({why})"


def searched_as_text(typed: str, reason: str) -> str:
    return f"“{typed}” {reason}: searched as plain text"


def not_a_field(meant: str) -> str:
    return f"is not a field (did you mean {meant}:?)"


def space_after(name: str) -> str:
    return f"has no value (no space after “{name}:”)"


def dash_before(word: str) -> str:
    return f"excludes nothing (use NOT {word})"


def unfinished(typed: str, takes: str, example: str) -> str:
    """A field that has no value yet."""
    what = {"day": "a date", "amount": "a number"}.get(takes, "a value")
    return f"“{typed}” needs {what}, such as {example}"


def no_such_value(name: str, value: str) -> str:
    return f"no session has {name} “{value}”"


def corrected_with(key: str, text: str) -> str:
    """The right spelling; `key` puts it in, if it is the first."""
    return f"{key} corrects it: {text}" if key else f"meant: {text}"


def too_long(longest: int) -> str:
    return f"too long: only the first {count(longest)} characters are searched"


def unclear_exclusion(typed: str) -> tuple[str, str]:
    """Why a prune does not begin: what it should keep was not understood."""
    return (
        f"Not understood: NOT {typed}",
        "Nothing was changed. Correct the value, or quote it to search for the text.",
    )


def unfinished_rule(typed: str) -> tuple[str, str]:
    """Why a prune does not begin: a field would match everything."""
    return (
        f"No value after “{typed}”",
        "Nothing was changed. Type a value, or quote the field to search for the text.",
    )


def kept(reason: str, number: int) -> str:
    """How many conversations a prune keeps, and why."""
    return f"{count(number)} {why_kept(reason)}"


def why_kept(reason: str) -> str:
    """A reason as people read it."""
    return _KEPT.get(reason, reason)
