"""The parts a body is made of: a command, a text, arguments, an answer with its troubles."""

import re
from collections.abc import Callable, Collection, Iterable
from functools import partial
from typing import NamedTuple

from explorer.render.figures import size
from explorer.render.lines import Line
from explorer.render.tools.diffs import LONGEST as LONGEST_DIFF
from explorer.render.tools.diffs import diff_rows, is_diff, parsed
from explorer.render.tools.results import MEDIA, ToolResult, main_field, opened, placeholder
from explorer.render.tools.rows import (
    BAR,
    Draw,
    Drawn,
    Look,
    Room,
    TextRow,
    draw_rows,
    draw_text,
    field_rows,
    json_rows,
    long_row,
    plain,
)

LONGEST_PROGRAM = 20_000

_CUT = r"\s*(?:\.\.\. )?[\[(](?:OUTPUT TRUNCATED|Truncated: |\d[\d,]* chars omitted)"
_NOT_OUTPUT = rf"{_CUT}|{MEDIA}$"
_NUMBERED = r"\s{0,10}(\d{1,7})[|→\t]"
_SAVED_TO = r"\nFull output saved to: ([^\n]{1,300})"
_CLOSING = r"</(?:untrusted_tool_result|persisted-output)>"
TOLD = ("error", "stderr", "success", "exit_code", "returncode", "duration_seconds", "truncated")
"""Fields that the head of the block tells, or that have a place of their own."""


class BodyPart(NamedTuple):
    """A part of a body."""

    draw: Draw
    brief: bool = True
    """It is also part of the brief body."""
    side: bool = False
    """It only leads to what matters, and takes a quarter of the room at most."""


def rows_part(rows: Callable[[int], Iterable[TextRow]]) -> BodyPart:
    """Rows that are made when they are drawn, for a width."""
    return BodyPart(lambda room: draw_rows(rows(room.width), room))


def _row_part(words: str, style: str, rest: int = 0) -> BodyPart:
    return rows_part(lambda _: [TextRow((), words, style, rest=rest)])


def _fields_part(fields: dict[str, object], side: bool = False) -> list[BodyPart]:
    """Fields by their names, for an unfolded block."""
    made = rows_part(partial(field_rows, fields))
    return [made._replace(brief=False, side=side)] if fields else []


def _telling(fields: dict[str, object], skip: Collection[str]) -> dict[str, object]:
    """The other fields that are not empty."""
    return {key: value for key, value in fields.items() if key not in skip and _says(value)}


def command(text: str) -> BodyPart:
    """A command of the shell, behind a prompt."""
    return _program(text, (("$ ", "dim"),), (("  ", "dim"),), "command")


def code(text: str) -> BodyPart:
    """A program."""
    return _program(text, BAR, BAR, "code")


def _program(text: str, first: Line, other: Line, style: str) -> BodyPart:
    lines = text[:LONGEST_PROGRAM].strip("\n").split("\n")
    rows = [TextRow(other if number else first, line, style) for number, line in enumerate(lines)]
    rest = len(text) - LONGEST_PROGRAM
    if rest > 0:
        rows.append(TextRow(other, f"… {size(rest)} more", "dim", rest=rest))
    return BodyPart(lambda room: draw_rows(rows, room, ends=True), side=True)


def text(words: str, look: Look) -> BodyPart:
    """Text as it is best read: a diff in colours, JSON in lines, bytes not at all."""

    def draw(room: Room) -> Drawn:
        value = opened(words).value
        if value:
            return draw_rows(json_rows(value, room.width), room)
        if len(words) < LONGEST_DIFF and is_diff(words):
            return draw_rows(diff_rows(parsed(words)), room, ends=True)
        return verbatim(words, look).draw(room)

    return BodyPart(draw)


def verbatim(words: str, look: Look) -> BodyPart:
    """Text line by line, whatever it says; bytes not at all."""
    hidden = placeholder(words)
    if hidden:
        return _row_part(hidden, "dim")
    return BodyPart(partial(draw_text, words, look))


def _output(line: str) -> TextRow:
    return TextRow((), line, "dim" if re.match(_NOT_OUTPUT, line) else "output")


def file_look(content: str) -> Look:
    """The lines of a file, beside their numbers where the tool has put numbers there."""
    beginning = content[:2000].split("\n")[:3]
    found = [match for match in (re.match(_NUMBERED, line) for line in beginning) if match]
    if not found or len(found) < len(beginning) - 1:
        return plain("code", BAR)
    wide = len(str(int(found[0][1]) + content.count("\n")))

    def look(line: str) -> TextRow:
        number = re.match(_NUMBERED, line)
        if number is None:
            return TextRow((), line, "dim")
        return TextRow(((f"{number[1]:>{wide}}  ", "dim"),), line[number.end() :], "code")

    return look


def arguments(given: object, skip: Collection[str] = ()) -> list[BodyPart]:
    """All other arguments, for an unfolded block."""
    if isinstance(given, dict):
        return _fields_part(_telling(given, skip), side=True)
    if not _says(given):
        return []
    made = text(given, plain("dim")) if isinstance(given, str) else json(given)
    return [made._replace(brief=False, side=True)]


def answer(result: ToolResult | None, skip: Collection[str] = ()) -> list[BodyPart]:
    """What came back, except the fields that are drawn otherwise."""
    if result is None:
        return []
    fields = {key: value for key, value in result.fields.items() if key not in skip}
    name = main_field(fields)
    left = _telling(fields, (*TOLD, name))
    parts = trouble(result)
    if name or result.value is None:
        failed = not name and result.exit_code is None and result.failed
        look = plain("error") if failed else _output
        parts.insert(0, text(str(fields[name]) if name else result.text, look))
        parts += _fields_part(left)
    elif left or isinstance(result.value, list):
        parts.append(json(left or result.value))
    return [*parts, *_around(result)]


def aside(result: ToolResult | None, skip: Collection[str] = ()) -> list[BodyPart]:
    """The result of a call whose arguments say more: in brief only the error."""
    if result is None or result.value is None or result.failed:
        return answer(result, skip)
    details = _fields_part(_telling(result.fields, (*skip, *TOLD)))
    return [*trouble(result), *details, *(one._replace(brief=False) for one in _around(result))]


def trouble(result: ToolResult | None) -> list[BodyPart]:
    """What went wrong: what was printed as an error, the error, the exit code."""
    if result is None:
        return []
    printed, error = result.fields.get("stderr"), result.fields.get("error")
    parts = []
    if isinstance(printed, str) and printed.strip():
        parts += [_row_part("stderr", "dim"), verbatim(printed, plain("error"))]
    if isinstance(error, str) and error.strip():
        said = long_row((("✗ ", "error"),), error.strip(), "error")
        parts.append(rows_part(lambda _: [said]))
    elif error:
        parts.append(json({"error": error}))
    code = result.exit_code
    if code and result.fields:
        parts.append(_row_part(f"exit {code}", "error")._replace(brief=False))
    return parts


def json(value: object) -> BodyPart:
    return rows_part(partial(json_rows, value))


def _around(result: ToolResult) -> list[BodyPart]:
    """What the agent has added: that it cut the result, hints."""
    parts = []
    if result.partial and result.length is None:
        said = f"[JSON · {size(len(result.text))} total]"
        parts.append(_row_part(said, "dim", rest=len(result.text)))
    if result.length is not None:
        where = re.search(_SAVED_TO, result.before)
        saved = f", saved to {where[1]}" if where else ""
        said = f"[truncated by the agent · {size(result.length)} total{saved}]"
        parts.append(_row_part(said, "dim"))
    hint = re.sub(_CLOSING, "", result.after[:LONGEST_PROGRAM]).strip()
    if hint:
        parts.append(text(hint, plain("dim"))._replace(brief=False))
    return parts


def _says(value: object) -> bool:
    return value not in (None, "", [], {})
