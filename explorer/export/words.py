"""What every document says of a session and of a message, as clean lines."""

import json

from explorer.model import Message, Session, ToolCall
from explorer.render.amounts import plural
from explorer.render.clean import clean, clean_line
from explorer.render.passages import FOR_THE_MODEL, STATE_WORDS
from explorer.render.when import exact

OPAQUE = "[reasoning that only the provider can read]"


def title_of(session: Session) -> str:
    return clean_line(session.title or session.preview or session.id, 200)


def facts_of(session: Session) -> str:
    """One line: id, source, model, start, number of messages."""
    facts = [session.id, session.source, session.model or "", exact(session.started_at)]
    facts += [plural(session.message_count, "message")]
    if session.parts > 1:
        facts.append(f"continued, {session.parts} parts")
    return " · ".join(clean_line(fact) for fact in facts if fact)


def heading_of(message: Message) -> str:
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


def arguments_of(call: ToolCall) -> str:
    """What a tool was called with: text as it was, anything else as indented JSON."""
    if isinstance(call.arguments, str):
        return clean(call.arguments)
    return clean(json.dumps(call.arguments, ensure_ascii=False, indent=2))


def folded_title(label: str, text: str) -> str:
    """Above a text that the app would fold."""
    return f"{clean_line(label, 200)} · {plural(len(text.split()), 'word')}"
