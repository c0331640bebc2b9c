"""What every document says of a session and of a message, as clean lines."""

import json

from explorer.model import Message, MessageState, Session, ToolCall
from explorer.render.amounts import plural
from explorer.render.clean import clean, clean_line
from explorer.render.when import exact

MARKS = {MessageState.COMPACTED: " · compressed", MessageState.REWOUND: " · rewound"}
UNSEEN = " · for the model only"
OPAQUE = "[reasoning that only the provider can read]"


def title_of(session: Session) -> str:
    return clean_line(session.name, 200)


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
    repeats = f" ×{message.repeats}" if message.repeats > 1 else ""
    marks = f"{MARKS.get(message.state, '')}{UNSEEN if message.unseen else ''}{repeats}"
    return f"{who} · {exact(message.timestamp)}{marks}"


def arguments_of(call: ToolCall) -> str:
    """What a tool was called with: text as it was, anything else as indented JSON."""
    if isinstance(call.arguments, str):
        return clean(call.arguments)
    return clean(json.dumps(call.arguments, ensure_ascii=False, indent=2))


def reasoning_title(message: Message) -> str:
    return folded_title("reasoning", message.reasoning)


def folded_title(label: str, text: str) -> str:
    """Above a text that the app would fold."""
    return f"{clean_line(label, 200)} · {plural(len(text.split()), 'word')}"
