"""The parts a body is made of: a command, a text, arguments, an answer with its troubles."""

import re
from collections.abc import Callable, Collection, Iterable
from functools import partial
from typing import NamedTuple

from explorer.render.amounts import size
from explorer.render.lines import Line
from explorer.render.tools.diffs import LONGEST as LONGEST_DIFF
from explorer.render.tools.diffs import diff_rows, is_diff, parsed
from explorer.render.tools.json_rows import field_rows, json_rows
from explorer.render.tools.lists import long_row
from explorer.render.tools.outcome import exit_code, outcome
from explorer.render.tools.results import MEDIA, Result, main_field, opened, placeholder
from explorer.render.tools.rows import (
    BAR,
    Draw,
    Drawn,
    Look,
    Room,
    Row,
    draw_rows,
    draw_text,
    plain,
)

LONGEST_PROGRAM = 20_000

_CUT = r"\s*(?:\.\.\. )?[\[(](?:OUTPUT TRUNCATED|Truncated: |\d[\d,]* chars omitted)"
_NOT_OUTPUT = rf"{_CUT}|{MEDIA}$"
_NUMBERED = r"\s{0,10}(\d{1,7})[|→\t]"
_SAVED_TO = r"\nFull output saved to: ([^\n]{1,300})"
_CLOSING = r"</(?:untrusted_tool_result|persisted-output)>"
TOLD = (
    "error",
    "stderr",
    "success",
    "exit_code",
    "returncode",
    "duration_seconds",
    "truncated",
)
"""Fields that the head of the block tells, or that have a place of their own."""


class Piece(NamedTuple):
    """A part of a body."""

    draw: Draw
    brief: bool = True
    """It is also part of the brief body."""
    side: bool = False
    """It only leads to what matters, and takes a quarter of the room at most."""


def rows_piece(rows: Callable[[int], Iterable[Row]], *, ends: bool = False) -> Piece:
    """Rows that are made when they are drawn, for a width."""
    return Piece(lambda room: draw_rows(rows(room.width), room, ends))


def command(text: str) -> Piece:
    """A command of the shell, behind a prompt."""
    return _program(text, (("$ ", "dim"),), (("  ", "dim"),), "command")


def code(text: str) -> Piece:
    """A program."""
    return _program(text, BAR, BAR, "code")


def _program(text: str, first: Line, other: Line, style: str) -> Piece:
    lines = text[:LONGEST_PROGRAM].strip("\n").split("\n")
    rows = [Row(other if number else first, line, style) for number, line in enumerate(lines)]
    rest = len(text) - LONGEST_PROGRAM
    if rest > 0:
        rows.append(Row(other, f"… {size(rest)} more", "dim", rest=rest))
    return Piece(lambda room: draw_rows(rows, room, ends=True), side=True)


def text(words: str, look: Look) -> Piece:
    """Text as it is best read: a diff in colours, JSON in lines, bytes not at all."""

    def draw(room: Room) -> Drawn:
        value = opened(words).value
        if value:
            return draw_rows(json_rows(value, room.width), room)
        if len(words) < LONGEST_DIFF and is_diff(words):
            return draw_rows(diff_rows(parsed(words)), room, ends=True)
        return verbatim(words, look).draw(room)

    return Piece(draw)


def verbatim(words: str, look: Look) -> Piece:
    """Text line by line, whatever it says; bytes not at all."""
    hidden = placeholder(words)
    if hidden:
        return rows_piece(lambda _: [Row((), hidden, "dim")])
    return Piece(partial(draw_text, words, look))


def _output(line: str) -> Row:
    return Row((), line, "dim" if re.match(_NOT_OUTPUT, line) else "output")


def file_look(content: str) -> Look:
    """The lines of a file, beside their numbers where the tool has put numbers there."""
    beginning = content[:2000].split("\n")[:3]
    found = [match for match in (re.match(_NUMBERED, line) for line in beginning) if match]
    if not found or len(found) < len(beginning) - 1:
        return plain("code", BAR)
    wide = len(str(int(found[0][1]) + content.count("\n")))

    def look(line: str) -> Row:
        number = re.match(_NUMBERED, line)
        if number is None:
            return Row((), line, "dim")
        return Row(((f"{number[1]:>{wide}}  ", "dim"),), line[number.end() :], "code")

    return look


def arguments(given: object, skip: Collection[str] = ()) -> list[Piece]:
    """All other arguments, for whoever wants to know them."""
    if isinstance(given, dict):
        left = {key: value for key, value in given.items() if key not in skip and _says(value)}
        rows = rows_piece(partial(field_rows, left))
        return [rows._replace(brief=False, side=True)] if left else []
    if not _says(given):
        return []
    made = text(given, plain("dim")) if isinstance(given, str) else json(given)
    return [made._replace(brief=False, side=True)]


def answer(result: Result | None, skip: Collection[str] = ()) -> list[Piece]:
    """What came back, except the fields that are drawn otherwise."""
    if result is None:
        return []
    fields = {key: value for key, value in result.fields.items() if key not in skip}
    name = main_field(fields)
    left = {k: v for k, v in fields.items() if k not in (*TOLD, name) and _says(v)}
    pieces = trouble(result)
    if name or result.value is None:
        failed = not name and exit_code(result) is None and outcome(result)[1] == "error"
        look = plain("error") if failed else _output
        pieces.insert(0, text(str(fields[name]) if name else result.text, look))
        pieces += [rows_piece(partial(field_rows, left))._replace(brief=False)] if left else []
    elif left or isinstance(result.value, list):
        pieces.append(json(left or result.value))
    return [*pieces, *_around(result)]


def aside(result: Result | None, skip: Collection[str] = ()) -> list[Piece]:
    """What came back of a call whose arguments tell more: in brief only what went wrong."""
    if result is None or result.value is None or outcome(result)[1] == "error":
        return answer(result, skip)
    left = {k: v for k, v in result.fields.items() if k not in (*skip, *TOLD) and _says(v)}
    details = [rows_piece(partial(field_rows, left))] if left else []
    return trouble(result) + [one._replace(brief=False) for one in (*details, *_around(result))]


def trouble(result: Result | None) -> list[Piece]:
    """What went wrong: what was printed as an error, the error, the exit code."""
    if result is None:
        return []
    printed, error = result.fields.get("stderr"), result.fields.get("error")
    pieces = []
    if isinstance(printed, str) and printed.strip():
        pieces.append(rows_piece(lambda _: [Row((), "stderr", "dim")]))
        pieces.append(verbatim(printed, plain("error")))
    if isinstance(error, str) and error.strip():
        row = long_row((("✗ ", "error"),), error.strip(), "error")
        pieces.append(rows_piece(lambda _: [row]))
    elif error:
        pieces.append(json({"error": error}))
    code = exit_code(result)
    if code and result.fields:
        said = Row((), f"exit {code}", "error")
        pieces.append(rows_piece(lambda _: [said])._replace(brief=False))
    return pieces


def json(value: object) -> Piece:
    return rows_piece(partial(json_rows, value))


def _around(result: Result) -> list[Piece]:
    """What the agent has added: that it cut the result, hints."""
    pieces = []
    if result.partial and result.length is None:
        row = Row((), f"[JSON · {size(len(result.text))} in all]", "dim", rest=len(result.text))
        pieces.append(rows_piece(lambda _: [row]))
    if result.length is not None:
        where = re.search(_SAVED_TO, result.before)
        saved = f", saved to {where[1]}" if where else ""
        said = f"[cut by the agent · {size(result.length)} in all{saved}]"
        pieces.append(rows_piece(lambda _: [Row((), said, "dim")]))
    hint = re.sub(_CLOSING, "", result.after[:LONGEST_PROGRAM]).strip()
    if hint:
        pieces.append(text(hint, plain("dim"))._replace(brief=False))
    return pieces


def _says(value: object) -> bool:
    return value not in (None, "", [], {})
