"""The part of a system prompt in which Hermes' gateway tells the agent where it is.

It is Markdown for a model; here it becomes rows for a person: platform, chat, people, and where the
agent may deliver to. What a release writes beyond what is known here is kept as a note, and a
section that has not even a source stays what it was: text. Up to 0.17 names stand in it as they
are, line ends and headings included, so a name may look like a row of the gateway: a row that is
there twice has both values. Of a prompt of many megabytes only the section is taken apart.
"""

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from explorer.render import veil

TITLE = "Where the agent is"

_HEADING = "## Current Session Context\n"
_LAST = r"(?m)^\*For explicit targeting, .*$"
_NEXT = r"(?m)^#{1,2} "
_QUOTED = "untrusted metadata labels"
"""The section says so where names are quoted as JSON."""
LONGEST = 64 * 1024
"""Letters of a section; a longer one is none that a gateway has written."""
MOST_HEADINGS = 20
"""Places in a prompt that are looked at: it may quote the heading."""

_FIELD = r"\*\*([^*\n]{1,80}):\*\*[ \t]*(.*)"
_SOURCE = r"(.{1,80}?) \((.*)\)"
_ITEM = r"\s*- (.*)"
_HOME_ID = " (ID: "
_DELIVERY = r'`"([^"`]{1,80})"` → (.*)'
_OWN_LABELS = {
    "Channel Topic": "Topic",
    "User": "People",
    "User ID": "People",
    "Session type": "People",
    "Matrix Room": "Room",
    "Matrix Room ID": "Room id",
    "Matrix Thread": "Thread",
    "Connected Platforms": "Connected to",
}
_LISTS = {"Discord IDs": "Discord ids", "Home Channels": "Home channels", "Delivery": "Delivery"}
"""Labels that begin so have their values in the lines below."""
_ORDER = (
    *("Platform", "Chat", "Topic", "People", "Room", "Room id", "Thread", "Discord ids"),
    *("Connected to", "Home channels", "Delivery", "Note"),
)
_SEVERAL = "Multi-user "
_MACHINE = "this machine"
_NAMES = {
    "Api Server": "API server",
    "Bluebubbles": "iMessage (BlueBubbles)",
    "Dingtalk": "DingTalk",
    "Homeassistant": "Home Assistant",
    "Local": _MACHINE,
    "Msgraph Webhook": "Microsoft Graph webhook",
    "Qqbot": "QQ bot",
    "Sms": "SMS",
    "Wecom": "WeCom",
    "Wecom Callback": "WeCom callback",
    "Whatsapp": "WhatsApp",
    "Whatsapp Cloud": "WhatsApp Cloud",
}


class SessionContext(NamedTuple):
    """Where the agent was told that it is."""

    rows: tuple[tuple[str, str], ...]
    """(label, value); a value may have several lines."""
    prompt: str
    """The system prompt without the section."""

    @property
    def place(self) -> str:
        """The platform and the chat, in a few words."""
        found = dict(self.rows)
        parts = (found[label] for label in ("Platform", "Chat") if label in found)
        return " · ".join(" ".join(part[:200].split()) for part in parts)

    @property
    def label(self) -> str:
        return f"{TITLE.lower()}: {self.place}"

    @property
    def text(self) -> str:
        return "\n".join(_told(label, value) for label, value in self.rows)


def session_context(prompt: str) -> SessionContext | None:
    """The first section of a prompt that can be taken apart."""
    for start in _headings(prompt):
        end = _end(prompt, start)
        rows = _rows(prompt[start + len(_HEADING) : end]) if end - start <= LONGEST else ()
        if rows:
            pieces = (prompt[:start].rstrip(), prompt[end:].lstrip("\n"))
            return SessionContext(rows, "\n\n".join(filter(None, pieces)))
    return None


def _headings(prompt: str) -> Iterator[int]:
    at = -1
    for _ in range(MOST_HEADINGS):
        at = prompt.find(_HEADING, at + 1)
        if at < 0:
            return
        if at == 0 or prompt[at - 1] == "\n":
            yield at


def _end(prompt: str, start: int) -> int:
    """Behind the sentence that a section closes with, whatever headings a name may hold; without
    it, before the next heading."""
    inside = start + len(_HEADING)
    stop = start + LONGEST
    last = re.compile(_LAST).search(prompt, inside, stop)
    following = re.compile(_NEXT).search(prompt, inside, stop)
    if last is not None:
        return last.end()
    return following.start() if following else len(prompt)


def _rows(section: str) -> tuple[tuple[str, str], ...]:
    """The rows of a section; none where it does not say where the agent is."""
    found: dict[str, list[str]] = {}
    quoted = _QUOTED in section[:1000]
    under = label = ""
    for line in section.split("\n"):
        field = re.fullmatch(_FIELD, line)
        item = re.fullmatch(_ITEM, line)
        if field is not None:
            under = next((own for begin, own in _LISTS.items() if field[1].startswith(begin)), "")
            label = ""
            if under and not field[2]:
                continue
            for label, value in _values(field[1], field[2], quoted):
                found.setdefault(label, []).append(value)
        elif item is not None and under:
            found.setdefault(under, []).append(_listed(under, item[1], quoted))
        elif not line.strip():
            label = ""
        elif label and not quoted:
            # A name of several lines.
            found[label][-1] += f"\n{veil.hidden_name(line)}"
        else:
            found.setdefault("Note", []).append(line.strip().strip("*"))
    if "Platform" not in found:
        return ()
    return tuple((label, "\n".join(found[label])) for label in _ORDER if label in found)


def _values(name: str, value: str, quoted: bool) -> Iterator[tuple[str, str]]:
    """What a field says, as (label, value)."""
    if name == "Source":
        source = re.fullmatch(_SOURCE, value)
        yield "Platform", _platform(source[1] if source else value)
        if source and source[1] != "Local":
            yield "Chat", _name(source[2], quoted)
        return
    label = _OWN_LABELS.get(name)
    if label is None:
        about = name not in ("Platform notes", "Matrix room boundary")
        yield "Note", f"{name}: {value}".rstrip() if about else value
    elif name == "Session type" and value.startswith(_SEVERAL):
        where = "in one thread" if value.startswith(f"{_SEVERAL}thread") else "in one session"
        yield label, f"several, {where}: each message begins with the name of its sender"
    elif name == "Connected Platforms":
        yield label, ", ".join(_connected(value))
    else:
        yield label, _name(value, quoted)


def _listed(label: str, item: str, quoted: bool) -> str:
    delivery = re.fullmatch(_DELIVERY, item)
    if label == "Home channels":
        platform, colon, home = item.removesuffix(")").partition(": ")
        name, sign, id_ = home.rpartition(_HOME_ID)
        known = colon and sign and item.endswith(")")
        return (
            f"{_platform(platform)}: {_name(name, quoted)} ({_name(id_, quoted)})"
            if known
            else item
        )
    if label == "Delivery" and delivery:
        return f"{delivery[1]}: {_unquoted_end(delivery[2], quoted)}"
    return item.replace("`", "") if label == "Discord ids" else item


def _unquoted_end(text: str, quoted: bool) -> str:
    """A sentence that ends with a name in brackets."""
    before, bracket, name = text.removesuffix(")").partition("(")
    return f"{before}({_name(name, quoted)})" if bracket and text.endswith('")') else text


def _connected(value: str) -> Iterator[str]:
    for item in value.split(", "):
        name, _, state = item.partition(": ")
        if item == "local (files on this machine)":
            yield _MACHINE
        else:
            yield _platform(name) if state == "Connected ✓" else item


def _platform(name: str) -> str:
    plain = name.replace("_", " ").strip().title()
    return _NAMES.get(plain, plain)


def _name(value: str, quoted: bool) -> str:
    """A name as people write it, and as it may be shown."""
    return veil.hidden_name(_as_written(value, quoted))


def _as_written(value: str, quoted: bool) -> str:
    if quoted and value.startswith('"'):
        try:
            found = json.loads(value)
        except (ValueError, RecursionError):
            return value
        return found if isinstance(found, str) else value
    return value


def _told(label: str, value: str) -> str:
    lines = value.split("\n")
    return f"{label}: {value}" if len(lines) == 1 else "\n  ".join((f"{label}:", *lines))
