"""The first and the last words of a session, read of a few messages.

Texts are cut before they leave SQLite: a cell may hold 50 MB. The end of a turn that begins with a
skill or a summary is looked up separately.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from explorer.render import veil
from explorer.render.passages import END_OF_SUMMARY, START, begins_as_made
from explorer.render.reasoning import without_reasoning
from explorer.render.tools.results import opened
from explorer.stores.content import content_text, message_items_text, said
from explorer.stores.hermes.messages import is_unsaid, unsaid
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.schema import Schema

READ = 6000
"""Bytes of a message: scaffolding before the first words included."""
FIRST_FEW = (3, 24)
LAST_FEW = (2, 16)
"""Messages looked at: a few, and only if those say nothing, some more."""
CUT = ("length", "error", "content_filter", "interrupted", "cancelled")

_TEXT_PART = r'"text": ?"((?:[^"\\]|\\u[0-9a-fA-F]{4}|\\[^u])*)'


class MessageReader(Protocol):
    """Whatever reads a file."""

    schema: Schema

    def rows(self, sql: str, values: Any = ()) -> list[Any]: ...

    def value(self, sql: str, values: Any = ()) -> Any: ...


class _Glimpse(NamedTuple):
    """What is read of a message."""

    id: int
    role: str
    text: str
    """Its beginning."""
    cut: bool
    summary: bool
    """The agent marked it as the summary of what it compressed."""
    calls: bool
    finish: str


def first_words(reader: MessageReader, parts: Sequence[int]) -> str:
    """The first thing the user said; failing that, the first message at all."""
    fallback = ""
    for key in parts[:2]:
        for few in FIRST_FEW:
            glimpses = _glimpses(reader, key, few, newest=False)
            words, by_user = _first_said(glimpses, lambda id_: _rest(reader, id_))
            if by_user:
                return words
            fallback = fallback or words
    return fallback


def first_words_in(messages: Sequence[Mapping[str, object]]) -> str:
    """The same of messages that are no longer in a file, by their columns and in order."""
    said_ones = [
        one
        for one in messages
        if not is_unsaid(one.get("display_kind"), one.get("display_metadata"))
    ][: FIRST_FEW[-1]]
    glimpses = (
        _glimpse(
            (
                number,
                one.get("role"),
                _start(one.get("content")),
                _start(one.get("codex_message_items")),
                one.get("tool_calls") is not None,
                one.get("finish_reason"),
                one.get("_compressed_summary"),
            ),
            bare_json="active" not in one,
        )
        for number, one in enumerate(said_ones)
    )

    def rest(number: int) -> str:
        content = said_ones[number].get("content")
        whole = content if isinstance(content, bytes) else b""
        at = whole.find(END_OF_SUMMARY)
        found = whole[at:][:READ] if at >= 0 else whole[-READ:]
        return _ended(cells.words(found), len(found) >= READ)

    return _first_said(glimpses, rest)[0]


def _start(cell: object) -> object:
    return cell[:READ] if isinstance(cell, bytes) else cell


def _first_said(glimpses: Iterable[_Glimpse], rest: Callable[[int], str]) -> tuple[str, bool]:
    """(the first words, whether a user said them); `rest` reads on in a message."""
    fallback = ""
    for one in glimpses:
        words = _said(one, rest) if one.role in ("user", "assistant") else ""
        if one.role == "user" and words:
            return words, True
        fallback = fallback or words
    return fallback, False


def last_words(reader: MessageReader, key: int) -> tuple[str, bool]:
    """(the last thing the agent said, whether it was broken off)."""
    broken = None
    for few in LAST_FEW:
        for one in _glimpses(reader, key, few, newest=True):
            if broken is None:
                broken = _is_broken_off(one)
            words = said(without_reasoning(one.text)) if one.role == "assistant" else ""
            if words:
                return words, broken
    return "", bool(broken)


def _is_broken_off(newest: _Glimpse) -> bool:
    """Whether the newest message is a call without an answer, a failure, or was cut."""
    if newest.role == "tool":
        return opened(newest.text).failed
    return newest.calls or newest.finish in CUT


def _said(one: _Glimpse, rest: Callable[[int], str]) -> str:
    """What a person said in a message, also after a long text of the agent."""
    if one.cut and (one.summary or begins_as_made(one.text)):
        return said(f"{one.text[:START]}\n{rest(one.id)}", one.summary)
    return said(one.text, one.summary)


def _rest(reader: MessageReader, id_: int) -> str:
    """What follows the end of a summary in a message; where there is none, the message's end."""
    rest = reader.value(
        "SELECT CASE WHEN instr(b, :end) THEN substr(b, instr(b, :end), :read)"
        " ELSE substr(b, -:read) END"
        " FROM (SELECT CAST(m.content AS BLOB) AS b FROM messages m WHERE m.id = :id)",
        {"id": id_, "end": END_OF_SUMMARY, "read": READ},
    )
    return _ended(cells.words(rest), isinstance(rest, bytes) and len(rest) >= READ)


def _ended(text: str, cut: bool) -> str:
    """A text that may have been cut in the file, without what may be half a name."""
    return text[: -veil.MARGIN] if cut and veil.drawn() else text


def _glimpses(reader: MessageReader, key: int, count: int, newest: bool) -> Iterable[_Glimpse]:
    """The first or last messages of the talk. Needs the index on (session_id, timestamp);
    the cut is made on bytes, since SQL's text functions stop at a NUL."""
    schema = reader.schema
    order = "DESC" if newest else "ASC"
    live = 'AND coalesce(m."active", 1)' if newest and schema.has("messages", "active") else ""
    items = (
        f'substr(CAST(m."codex_message_items" AS BLOB), 1, {READ})'
        if schema.has("messages", "codex_message_items")
        else "NULL"
    )
    marks = schema.pick("messages", "m", ("finish_reason", "_compressed_summary"))
    rows = reader.rows(
        f"SELECT m.id, m.role, substr(CAST(m.content AS BLOB), 1, {READ}), {items},"
        f" m.tool_calls IS NOT NULL, {marks} FROM messages m WHERE m.session_id ="
        f" (SELECT s.id FROM sessions s WHERE s.rowid = ?) {live} AND NOT {unsaid(schema)}"
        f" ORDER BY m.timestamp {order}, m.id {order} LIMIT ?",
        (key, count),
    )
    bare_json = not schema.has("state_meta")
    for row in rows:
        yield _glimpse(row, bare_json)


def _glimpse(row: Sequence[Any], bare_json: bool) -> _Glimpse:
    id_, role, content, message_items, calls, finish, summary = row
    text = partial_text(content, bare_json)
    text = text or message_items_text(message_items) or _salvaged(cells.words(message_items))
    cut = isinstance(content, bytes) and len(content) >= READ
    return _Glimpse(
        id=id_,
        role=cells.words(role),
        text=_ended(text, cut),
        cut=cut,
        summary=cells.flag(summary, default=False),
        calls=bool(calls),
        finish=cells.words(finish),
    )


def partial_text(cell: object, bare_json: bool) -> str:
    """The text of content that may have been cut in the middle of its JSON."""
    source = cells.words(cell)
    text = content_text(source, bare_json)
    if text == source[1:] and source.startswith("\x00"):
        return _salvaged(source) or "[image]"
    return text


def _salvaged(source: str) -> str:
    """The text parts that can still be read before the cut."""
    values = (cells.decoded(f'"{found[1]}"') for found in re.finditer(_TEXT_PART, source))
    return "\n".join(value for value in values if isinstance(value, str))
