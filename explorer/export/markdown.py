"""A session as Markdown, line by line: a long one is never held as a whole.

The text is cleaned of terminal controls, since whoever reads it may pass it on to a terminal;
that it may be Markdown itself is meant.
"""

from collections.abc import Iterable, Iterator

from explorer.export.words import OPAQUE, arguments_of, facts_of, folded_title, heading_of, title_of
from explorer.model import Message, Session
from explorer.render.clean import clean, clean_line
from explorer.render.passages import passages


def session_markdown(session: Session, messages: Iterable[Message]) -> Iterator[str]:
    """The whole document, in pieces of one or several lines."""
    yield f"# {title_of(session)}"
    yield facts_of(session)
    yield ""
    for message in messages:
        yield from message_markdown(message)


def message_markdown(message: Message) -> Iterator[str]:
    yield f"## {heading_of(message)}"
    if message.reasoning:
        yield from _quoted("reasoning", message.reasoning)
    elif message.opaque_reasoning:
        yield OPAQUE
    if message.role == "tool" and message.text:
        yield _fenced(clean(message.text))
    for one in passages(message) if message.role != "tool" else ():
        if one.label and not message.notice:
            yield from _quoted(one.label, one.text)
        else:
            yield clean(one.text)
    for call in message.tool_calls:
        yield f"**{clean_line(call.name)}**\n\n{_fenced(arguments_of(call))}"
    yield ""


def _quoted(label: str, text: str) -> Iterator[str]:
    """What the app would fold, under its name."""
    yield f"> *{folded_title(label, text)}*\n>"
    yield "\n".join(f"> {line}" for line in clean(text).split("\n")) + "\n"


def _fenced(text: str) -> str:
    """Text between fences that are longer than any in it."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}\n{text}\n{fence}"
