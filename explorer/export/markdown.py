"""A session as Markdown.

The text is cleaned of terminal controls, since whoever reads it may pass it on to a terminal;
that it may be Markdown itself is meant.
"""

from collections.abc import Iterable, Iterator

from explorer.export.formats import Format, session_lines
from explorer.model import Message, Session


def session_markdown(session: Session, messages: Iterable[Message]) -> Iterator[str]:
    """The whole document, in pieces of one or several lines."""
    return session_lines(session, messages, MARKDOWN)


def _quoted(title: str, text: str) -> str:
    """What the app would fold, under its title."""
    lines = "\n".join(f"> {line}" for line in text.split("\n"))
    return f"> *{title}*\n>\n{lines}\n"


def _fenced(text: str) -> str:
    """Text between fences that are longer than any in it."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}\n{text}\n{fence}"


MARKDOWN = Format(
    title="# {}".format,
    facts=str,
    heading="## {}".format,
    folded=_quoted,
    opaque=str,
    result=_fenced,
    call=lambda name, arguments: f"**{name}**\n\n{_fenced(arguments)}",
)
