"""A session as a document: the same content in the same order in every format, as clean lines.

It comes in pieces of one or several lines: a long session is never held as a whole. The text is
cleaned of terminal controls, since it may end up in a terminal; Markdown in it is kept on purpose.
Other programs get a copy that only its owner can read.
"""

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from explorer.cancel import CancelToken
from explorer.errors import ExplorerError
from explorer.model import SAFE_ID, Message, MessageState, Provenance, Session
from explorer.render import veil
from explorer.render.clean import clean, clean_line
from explorer.render.figures import exact, plural
from explorer.render.passages import FOR_THE_MODEL, STATE_WORDS, passages
from explorer.render.provenance import provenance_mark, provenance_words
from explorer.render.seams import compressed_words, folded_words, interruption, part_words
from explorer.render.session_context import session_context

OPAQUE = "[reasoning hidden by the provider]"


class Format(NamedTuple):
    """How the parts of a document are drawn."""

    title: Callable[[str], str]
    facts: Callable[[str], str]
    heading: Callable[[str], str]
    seam: Callable[[str], str]
    """Our own words between two messages."""
    folded: Callable[[str, str], str]
    """(title, text) of what the app would fold."""
    opaque: Callable[[str], str]
    result: Callable[[str], str]
    call: Callable[[str, str], str]
    """(name, arguments)."""


def session_lines(
    session: Session,
    messages: Iterable[Message],
    form: Format,
    provenance: Provenance | None = None,
    prompt: str = "",
) -> Iterator[str]:
    """The whole document. Of the system prompt it holds what says where the agent is."""
    yield form.title(clean_line(session.name, 200))
    yield form.facts(_facts(session))
    if told := provenance_words(provenance) if provenance else ():
        yield form.facts(" · ".join(told))
    yield ""
    if context := session_context(prompt):
        yield _folded(context.label, context.text, form)
        yield ""
    seams = _Seams(session.parts)
    for message in messages:
        if words := seams.above(message):
            yield form.seam(words)
            yield ""
        yield from message_lines(message, form)
    if words := interruption(seams.awaited):
        yield form.seam(words)
        yield ""


class _Seams:
    """What is said between the messages of a document as they come."""

    def __init__(self, parts: int) -> None:
        self._parts = parts
        self._part, self._session, self._before = 1, "", 0
        self._compressed = 0
        self._summaries = False
        self.awaited: list[str] = []
        """The tools that the session waits for at the end."""

    def above(self, message: Message) -> str:
        """What is said above a message, if anything."""
        self.awaited += message.awaits
        if self._session and message.session_id != self._session and self._parts > 1:
            self._part += 1
            words = part_words(self._part, self._parts, self._before)
            self._before = self._compressed = 0
        else:
            words = self._above_summary(message)
        self._session = message.session_id
        self._before += 1
        self._compressed += message.state is MessageState.COMPACTED
        return words

    def _above_summary(self, message: Message) -> str:
        if message.folded is not None:
            self._summaries = True
            return folded_words(message.folded)
        if self._summaries or not self._compressed or message.state is MessageState.COMPACTED:
            return ""
        words = compressed_words(self._compressed)
        self._compressed = 0
        return words


def message_lines(message: Message, form: Format) -> Iterator[str]:
    yield form.heading(_heading(message))
    if message.reasoning:
        yield _folded("reasoning", message.reasoning, form)
    elif message.opaque_reasoning:
        yield form.opaque(OPAQUE)
    if message.role == "tool" and message.text:
        yield form.result(clean(message.text))
    for one in passages(message) if message.role != "tool" else ():
        if one.label and not message.notice:
            yield _folded(one.label, one.text, form)
        else:
            yield clean(one.text)
    for call in message.tool_calls:
        given = call.arguments
        text = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False, indent=2)
        yield form.call(clean_line(call.name), clean(text))
    yield ""


def _facts(session: Session) -> str:
    """One line: id, source, model, start, number of messages."""
    facts = [session.id, session.source, session.model or "", exact(session.started_at)]
    facts.append(plural(session.message_count, "message"))
    if session.parts > 1:
        facts.append(f"continued, {session.parts} parts")
    return " · ".join(clean_line(fact) for fact in facts if fact)


def _heading(message: Message) -> str:
    """Who, when, and whether it is still part of the session."""
    who = "you" if message.role == "user" else clean_line(message.role) or "?"
    if message.tool_name and not message.summary:
        who += f" {clean_line(message.tool_name)}"
    if message.notice:
        who = clean_line(message.notice, 200)
    facts = [who, exact(message.timestamp), STATE_WORDS.get(message.state, "")]
    facts += [FOR_THE_MODEL if message.unseen else "", provenance_mark(message)]
    repeats = f" ×{message.repeats}" if message.repeats > 1 else ""
    return " · ".join(filter(None, facts)) + repeats


def _folded(label: str, text: str, form: Format) -> str:
    """What the app would fold, and how long it is."""
    return form.folded(
        f"{clean_line(label, 200)} · {plural(len(text.split()), 'word')}", clean(text)
    )


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
    seam="---\n\n*{}*".format,
    folded=_quoted,
    opaque=str,
    result=_fenced,
    call=lambda name, arguments: f"**{name}**\n\n{_fenced(arguments)}",
)


class CannotWrite(ExplorerError):
    """No space, or no permission."""


class PrivateCopy:
    """A file named after its session; removed with everything that a program leaves beside it."""

    def __init__(self, id_: str) -> None:
        import tempfile  # late: 10 ms that `show` need not pay

        # Made for us alone, and so is what an editor leaves beside the file.
        self._folder = tempfile.TemporaryDirectory(
            prefix="session-explorer-", ignore_cleanup_errors=True
        )
        shown = veil.hidden(id_)
        name = shown if re.fullmatch(SAFE_ID, shown) else "session"
        self.path = Path(self._folder.name, f"{name}.md")

    def write(self, pieces: Iterable[str], token: CancelToken) -> None:
        """Piece by piece, as they come; removed again if that fails or is cancelled."""
        try:
            file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with open(file, "w", encoding="utf-8", errors="replace", newline="\n") as document:
                for piece in pieces:
                    token.check()
                    document.write(piece + "\n")
        except OSError as error:
            self.remove()
            raise CannotWrite("Cannot write a copy", f"{self.path}: {error.strerror}.") from error
        except BaseException:
            self.remove()
            raise

    def remove(self) -> None:
        self._folder.cleanup()
