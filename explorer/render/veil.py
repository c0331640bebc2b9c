"""The switch of the privacy view, for everything that is shown, printed or copied.

While it is on, `hidden` puts marks in the place of people and chats. `clean` calls it for every
text on its way to a screen, a terminal or the clipboard, so that what does not come out of a store
(plans, the trash, errors, file names) is covered as well. While it is off, it costs one look at a
variable. Who knows the people and chats is decided above (`stores/private`).
"""

import re
from collections.abc import Callable

MARK = r"(?<![^\W_])(?:user|chat)_[0-9a-f]{12}(?![^\W_])"
"""What stands for a person or a chat."""

NO_COMMAND = "The command holds a name or id that is hidden; get it without --private."
"""Why a command is neither printed nor copied: with a mark in it the agent does not know it."""
MARGIN = 400
"""Characters beside a place at which a text is cut: no value is longer."""

Hide = Callable[[str], str]
hide: Hide | None = None
"""Puts marks into a text; None while the view is off."""
_hide_name: Hide | None = None


def draw(how: Hide, name: Hide) -> None:
    """Turn the view on: how it hides what is in a text, and what is nothing but a name."""
    global hide, _hide_name
    hide, _hide_name = how, name


def lift() -> None:
    """Turn it off."""
    global hide, _hide_name
    hide = _hide_name = None


def drawn() -> bool:
    return hide is not None


def hidden(text: str) -> str:
    """The text as it may be shown."""
    return text if hide is None else hide(text)


def hidden_name(text: str) -> str:
    """The same of a text that is known to be a person or a chat, however short or common it is."""
    return text if _hide_name is None else _hide_name(text)


def cut(text: str, most: int) -> str:
    """The beginning of a text that is hidden only later: not in the middle of what is to be hidden,
    since half a name would not be recognised any more."""
    if hide is None or len(text) <= most:
        return text[:most]
    start = max(most - MARGIN, 0)
    near = text[start : most + MARGIN]
    whole = hide(near)
    fits = (end for end in range(most - start, 0, -1) if whole.startswith(hide(near[:end])))
    return text[: start + next(fits, 0)]


def line(text: str, most: int) -> str:
    """The first words of a text that is hidden only later, in one line."""
    return cut(" ".join(cut(text, most * 2).split()), most)


def around(text: str, at: int, before: int, most: int) -> tuple[str, bool]:
    """(the part of a text around this place as it may be shown, whether there is more before it).
    It is hidden together with what is beside it, and cut then."""
    start = max(at - before, 0)
    if hide is None:
        return text[start : start + most], start > 0
    edge = max(start - MARGIN, 0)
    near = text[edge : start + most + MARGIN]
    whole, place = hide(near), len(hide(cut(near, at - edge)))
    # Nothing that begins before the edge goes on behind this.
    first = len(hide(cut(near, MARGIN))) if edge else 0
    last = len(hide(cut(near, start + most - edge)))
    begin = max(place - before, first)
    return whole[begin:last], begin > 0


def hidden_in(value: object) -> object:
    """The same for every text in a value that becomes JSON, names of members included."""
    if hide is None:
        return value
    if isinstance(value, str):
        return hide(value)
    if isinstance(value, dict):
        return {hidden_in(name): hidden_in(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [hidden_in(inner) for inner in value]
    return value


def may_begin_mark(text: str) -> bool:
    """Whether a text has a mark in it, or the beginning of one, while the view is on."""
    return hide is not None and re.search(r"(?<![^\W_])(?:user|chat)_[0-9a-f]", text) is not None


def holds_mark(text: str) -> bool:
    """Whether a text has a mark in it while the view is on: not what is stored."""
    return hide is not None and re.search(MARK, text) is not None
