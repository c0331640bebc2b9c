"""Facts about a session without people and chats. In a column that is known to hold an id or a name
the whole value is hidden, however short or common it is."""

import re

from explorer.stores.private.fields import IDS, NAMES
from explorer.stores.private.hiding import Hiding
from explorer.stores.private.marks import Who

_LABELS = {"Chat": Who.CHAT, "Chat id": Who.CHAT, "Thread": Who.CHAT, "User": Who.USER}
_OWN = {name.replace("_", " ").capitalize(): who for name, who in (IDS | NAMES).items()}
_MEMBER = re.compile(r'"(\w+)": ?("(?:[^"\\]|\\.)*"?|-?\d+)')


def hidden_row(hiding: Hiding, row: tuple[str, str]) -> tuple[str, str]:
    """A label and its value, with marks."""
    label, value = row
    who = _LABELS.get(label) or _OWN.get(label) or (IDS | NAMES).get(label)
    if who is not None and "\n" not in value:
        return label, hiding.whole(who, value)
    return hiding.hide(label), hiding.hide(hidden_members(hiding, value))


def hidden_members(hiding: Hiding, text: str) -> str:
    """Text that may be JSON, with marks for the members that hold people and chats."""

    def member(found: "re.Match[str]") -> str:
        name, value = found.groups()
        who = IDS.get(name) or NAMES.get(name)
        if who is None or value in ('""', "0"):
            return found[0]
        return f'"{name}": "{hiding.whole(who, _unquoted(value))}"'

    return _MEMBER.sub(member, text) if '"' in text else text


def _unquoted(value: str) -> str:
    inner = value[1:].removesuffix('"') if value.startswith('"') else value
    return re.sub(r"\\(.)", r"\1", inner)
