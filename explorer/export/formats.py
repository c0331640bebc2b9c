"""A session as a document: what every format says of it, in the same order, as clean lines.

It comes in pieces of one or several lines: a long session is never held as a whole.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from explorer.model import Message, Session, ToolCall
from explorer.render.clean import clean, clean_line
from explorer.render.figures import exact, plural
from explorer.render.passages import FOR_THE_MODEL, STATE_WORDS, passages

OPAQUE = "[reasoning that only the provider can read]"


class Format(NamedTuple):
    """How the parts of a document are drawn."""

    title: Callable[[str], str]
    facts: Callable[[str], str]
    heading: Callable[[str], str]
    folded: Callable[[str, str], str]
    """(title, text) of what the app would fold."""
    opaque: Callable[[str], str]
    result: Callable[[str], str]
    call: Callable[[str, str], str]
    """(name, arguments)."""


def session_lines(session: Session, messages: Iterable[Message], form: Format) -> Iterator[str]:
    yield form.title(clean_line(session.name, 200))
    yield form.facts(_facts(session))
    yield ""
    for message in messages:
        yield from message_lines(message, form)


def message_lines(message: Message, form: Format) -> Iterator[str]:
    yield form.heading(_heading(message))
    if message.reasoning:
        yield form.folded(_folded_title("reasoning", message.reasoning), clean(message.reasoning))
    elif message.opaque_reasoning:
        yield form.opaque(OPAQUE)
    if message.role == "tool" and message.text:
        yield form.result(clean(message.text))
    for one in passages(message) if message.role != "tool" else ():
        if one.label and not message.notice:
            yield form.folded(_folded_title(one.label, one.text), clean(one.text))
        else:
            yield clean(one.text)
    for call in message.tool_calls:
        yield form.call(clean_line(call.name), _arguments(call))
    yield ""


def _facts(session: Session) -> str:
    """One line: id, source, model, start, number of messages."""
    facts = [session.id, session.source, session.model or "", exact(session.started_at)]
    facts += [plural(session.message_count, "message")]
    if session.parts > 1:
        facts.append(f"continued, {session.parts} parts")
    return " · ".join(clean_line(fact) for fact in facts if fact)


def _heading(message: Message) -> str:
    """Who, when, and whether it is still part of the session."""
    who = {"user": "you"}.get(message.role, clean_line(message.role) or "?")
    if message.tool_name:
        who += f" {clean_line(message.tool_name)}"
    if message.notice:
        who = clean_line(message.notice, 200)
    facts = [who, exact(message.timestamp), STATE_WORDS.get(message.state, "")]
    facts.append(FOR_THE_MODEL if message.unseen else "")
    repeats = f" ×{message.repeats}" if message.repeats > 1 else ""
    return " · ".join(filter(None, facts)) + repeats


def _arguments(call: ToolCall) -> str:
    """What a tool was called with: text as it was, anything else as indented JSON."""
    if isinstance(call.arguments, str):
        return clean(call.arguments)
    return clean(json.dumps(call.arguments, ensure_ascii=False, indent=2))


def _folded_title(label: str, text: str) -> str:
    """Above a text that the app would fold."""
    return f"{clean_line(label, 200)} · {plural(len(text.split()), 'word')}"
