"""`show`: one session, or its whole conversation, as text, Markdown or JSON."""

import argparse
import json
from collections.abc import Iterable, Iterator

from explorer.commands.output import BOLD, CYAN, DIM, note, painted, write, write_json
from explorer.commands.shapes import message_shape, session_shape
from explorer.commands.stores import chosen_store
from explorer.errors import ExitCode, NoSuchSession
from explorer.model import Message, MessageState, Session
from explorer.render.amounts import count, plural
from explorer.render.clean import clean, clean_line
from explorer.render.when import exact
from explorer.store.reading import read_conversation, without_repeats
from explorer.store.resolve import resolve

MARKS = {MessageState.COMPACTED: " · compressed", MessageState.REWOUND: " · rewound"}


def show_session(options: argparse.Namespace, now: float) -> int:
    store = chosen_store(options)
    try:
        key = resolve(store, options.id).key
    except NoSuchSession:
        lost = store.lost_messages(options.id)
        if not lost:
            raise
        _show_lost(options, lost)
        return int(ExitCode.DONE)
    catalog = store.catalog()
    unit = catalog.folded(key) if options.conversation else catalog.single(key)
    found = store.sessions([unit], now)
    if not found:
        raise NoSuchSession("No such session", f"{options.id} was deleted this very moment.")
    session = found[0]
    messages = read_conversation(store, unit.parts, options.all)
    if options.json:
        write_json(_document(session_shape(session), messages))
    else:
        for line in _text(session, messages, options.format == "markdown"):
            write(line)
        if len(catalog.chain(key)) > len(unit.parts):
            note(
                f"One of {len(catalog.chain(key))} parts of a conversation; --conversation shows"
                " them all."
            )
    return int(ExitCode.DONE)


def _document(session: object, messages: Iterable[Message]) -> dict[str, object]:
    return {"session": session, "messages": [message_shape(message) for message in messages]}


def _show_lost(options: argparse.Namespace, lost: list[Message]) -> None:
    """Messages whose session row is gone are not lost: they are shown, and it is said."""
    messages = lost if options.all else list(without_repeats(lost))
    if options.json:
        write_json(_document(None, messages))
        return
    note(f"The session row of {options.id} is gone; these are the messages that still name it.")
    for message in messages:
        for line in _message(message, options.format == "markdown"):
            write(line)


def _text(session: Session, messages: Iterable[Message], markdown: bool) -> Iterator[str]:
    title = clean_line(session.title or session.preview or session.id, 200)
    yield f"# {title}" if markdown else painted(title, BOLD)
    facts = [session.id, session.source, session.model or "", exact(session.started_at)]
    facts += [plural(session.message_count, "message")]
    if session.parts > 1:
        facts.append(f"continued, {session.parts} parts")
    yield painted(" · ".join(clean_line(fact) for fact in facts if fact), DIM)
    yield ""
    for message in messages:
        yield from _message(message, markdown)


def _message(message: Message, markdown: bool) -> Iterator[str]:
    who = {"user": "you"}.get(message.role, clean_line(message.role) or "?")
    if message.tool_name:
        who += f" {clean_line(message.tool_name)}"
    repeats = f" ×{message.repeats}" if message.repeats > 1 else ""
    head = f"{who} · {exact(message.timestamp)}{MARKS.get(message.state, '')}{repeats}"
    yield f"## {head}" if markdown else painted(f"── {head}", CYAN)
    if message.reasoning:
        yield from _quoted("reasoning", message.reasoning, markdown)
    elif message.opaque_reasoning:
        yield painted("[reasoning that only the provider can read]", DIM)
    if message.text:
        fenced = markdown and message.role == "tool"
        yield _fenced(clean(message.text)) if fenced else clean(message.text)
    for call in message.tool_calls:
        arguments = call.arguments
        if not isinstance(arguments, str):
            arguments = json.dumps(arguments, ensure_ascii=False, indent=2)
        shown = clean(arguments)
        name = clean_line(call.name)
        yield f"**{name}**\n\n{_fenced(shown)}" if markdown else f"▸ {name} {shown}"
    yield ""


def _quoted(name: str, text: str, markdown: bool) -> Iterator[str]:
    words = count(len(text.split()))
    lines = clean(text).split("\n")
    if markdown:
        yield f"> *{name} · {words} words*\n>"
        yield "\n".join(f"> {line}" for line in lines) + "\n"
    else:
        yield painted(f"▾ {name} · {words} words", DIM)
        yield "\n".join(painted(f"  {line}", DIM) for line in lines)


def _fenced(text: str) -> str:
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}\n{text}\n{fence}"
