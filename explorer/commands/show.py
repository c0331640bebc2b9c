"""`show`: one session, or its whole conversation, as text, Markdown or JSON."""

import argparse
from collections.abc import Iterable, Iterator

from explorer.commands.output import BOLD, CYAN, DIM, note, painted, write, write_json
from explorer.commands.shapes import fate_shape, message_shape, session_shape
from explorer.commands.stores import chosen_store, with_noted_pins
from explorer.errors import ExitCode, NoSuchSession
from explorer.export.markdown import message_markdown, session_markdown
from explorer.export.words import OPAQUE, arguments_of, facts_of, folded_title, heading_of, title_of
from explorer.model import Message, Session
from explorer.render.clean import clean, clean_line
from explorer.render.passages import passages
from explorer.stores.conversation import read_conversation, without_repeats
from explorer.stores.resolve import resolve


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
        fate = fate_shape(store.fates(catalog, unit.parts), unit.parts, now)
        (session,) = with_noted_pins(store, catalog, [session])
        write_json(_document(session_shape(session, fate), messages))
    else:
        drawn = session_markdown if options.format == "markdown" else _text
        for line in drawn(session, messages):
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
    drawn = message_markdown if options.format == "markdown" else _message
    for message in messages:
        for line in drawn(message):
            write(line)


def _text(session: Session, messages: Iterable[Message]) -> Iterator[str]:
    yield painted(title_of(session), BOLD)
    yield painted(facts_of(session), DIM)
    yield ""
    for message in messages:
        yield from _message(message)


def _message(message: Message) -> Iterator[str]:
    yield painted(f"── {heading_of(message)}", CYAN)
    if message.reasoning:
        yield from _aside("reasoning", message.reasoning)
    elif message.opaque_reasoning:
        yield painted(OPAQUE, DIM)
    if message.role == "tool" and message.text:
        yield clean(message.text)
    for one in passages(message) if message.role != "tool" else ():
        if one.label and not message.notice:
            yield from _aside(one.label, one.text)
        else:
            yield clean(one.text)
    for call in message.tool_calls:
        yield f"▸ {clean_line(call.name)} {arguments_of(call)}"
    yield ""


def _aside(label: str, text: str) -> Iterator[str]:
    """What the app would fold: a title, and the text below it, quieter."""
    yield painted(f"▾ {folded_title(label, text)}", DIM)
    yield "\n".join(painted(f"  {line}", DIM) for line in clean(text).split("\n"))
