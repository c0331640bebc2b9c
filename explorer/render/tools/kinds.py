"""What kind of work a call was, and so how it is drawn.

Told by the shape of what was asked and of what came back, with the name of the tool as a hint at
most: agents, their versions and their plugins name tools as they like. A tool of no known shape
is drawn as its arguments and its result.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple

from explorer.render.amounts import count, plural
from explorer.render.tools import diffs
from explorer.render.tools import lists as tools_lists
from explorer.render.tools.json_rows import field_rows
from explorer.render.tools.outcome import outcome
from explorer.render.tools.pieces import (
    Piece,
    answer,
    arguments,
    aside,
    code,
    command,
    file_look,
    rows_piece,
    trouble,
    verbatim,
)
from explorer.render.tools.results import Result
from explorer.render.tools.rows import BAR, Row, draw_rows, draw_text, plain

PATHS = ("path", "file_path", "filepath", "filename", "file", "notebook_path")
OLD_AND_NEW = (
    *(("old_string", "new_string"), ("old_text", "new_text"), ("old_str", "new_str")),
    *(("old", "new"), ("search", "replace")),
)
_PATCHES = ("patch", "diff", "input")
_CONTENTS = ("content", "contents", "file_text", "text")
_GOALS = ("goal", "prompt", "task")
_PROGRAMS = ("code", "script")
_RUN = ("command", "cmd", *_PROGRAMS)
_EDITED = frozenset((*PATHS, "mode", "edits", *(name for pair in OLD_AND_NEW for name in pair)))
_NOT_READ = ("command", "cmd", "pattern")
_READS = r"(?i)read|view|cat|open|show"
_HELPER = r"(?i)delegate|agent|^task"


class Asked(NamedTuple):
    """A call and its answer."""

    name: str
    arguments: object
    result: Result | None

    @property
    def fields(self) -> dict[str, object]:
        return self.arguments if isinstance(self.arguments, dict) else {}

    @property
    def answered(self) -> dict[str, object]:
        return self.result.fields if self.result else {}

    def text(self, names: Iterable[str]) -> str:
        """The first of these arguments that holds text."""
        told = (self.fields.get(name) for name in names)
        return next((text for text in told if isinstance(text, str) and text), "")


class Shape(NamedTuple):
    """How a call is drawn."""

    pieces: Sequence[Piece]
    argument: str | None = None
    """What its head says, if not the first argument that matters."""
    amount: Callable[[], str] | None = None
    """How much was done, where lines of output do not tell it: +3 −1, 5 results."""
    is_path: bool = False
    """The argument is a path: its end matters most."""


def shape(asked: Asked) -> Shape:
    """The first kind that fits."""
    for kind in (_edit, _plan, _write, _read, _shell, _search, _web, _helpers):
        made = kind(asked)
        if made is not None:
            return made
    return Shape([*arguments(asked.arguments), *answer(asked.result)])


def unnamed(fields: dict[str, object]) -> frozenset[str]:
    """The arguments that are drawn without their names, as far as a call tells by itself: a file
    that may have been read is taken to have been, and then its path is in the head alone."""
    asked = Asked("", fields, None)
    is_patch = diffs.is_diff(asked.text(_PATCHES))
    if is_patch or _pairs(fields):
        return _EDITED.union(_PATCHES if is_patch else ())
    if tools_lists.tasks(fields):
        return frozenset(fields)
    path, content = asked.text(PATHS), _content(asked)
    if path and content:
        return frozenset((*PATHS, content))
    read = PATHS if path and not asked.text(_NOT_READ) else ()
    run = _RUN if _command(asked) or asked.text(_PROGRAMS) else ()
    return frozenset((*read, *run))


def _edit(asked: Asked) -> Shape | None:
    pairs = _pairs(asked.fields)
    patch = asked.text(_PATCHES)
    bare = asked.result.text if asked.result and asked.result.value is None else ""
    told = asked.answered.get("diff", bare if pairs or patch else "")
    came = told if isinstance(told, str) else ""
    # What came back has the lines around the change; else there is what was asked for.
    if diffs.is_diff(came):
        changes = partial(diffs.parsed, came)
    elif pairs:
        changes = partial(_compared, pairs)
    elif diffs.is_diff(patch):
        changes = partial(diffs.parsed, patch)
    else:
        return None
    used = _EDITED | (set(_PATCHES) if diffs.is_diff(patch) else set())
    drawn = Piece(lambda room: draw_rows(diffs.diff_rows(changes(), room.brief), room, ends=True))
    rest = [] if bare and came == bare and diffs.is_diff(bare) else aside(asked.result, ("diff",))
    done = asked.result is None or outcome(asked.result)[1] == "ok"
    return Shape(
        [*_named(asked), *arguments(asked.fields, used), drawn, *rest],
        asked.text(PATHS) or ", ".join(diffs.changed_files(patch or came)),
        (lambda: diffs.amounts(changes())) if done else None,
        is_path=True,
    )


def _plan(asked: Asked) -> Shape | None:
    found = tools_lists.tasks(asked.answered) or tools_lists.tasks(asked.fields)
    if not found:
        return None
    rows = rows_piece(lambda _: tools_lists.task_rows(found))
    return Shape([rows, *trouble(asked.result)], "", lambda: tools_lists.tasks_done(found))


def _write(asked: Asked) -> Shape | None:
    name = _content(asked)
    content = asked.text((name,))
    if not asked.text(PATHS) or not content:
        return None
    drawn = verbatim(content, plain("code", BAR))
    rest = arguments(asked.fields, (*PATHS, name))
    return Shape(
        [*_named(asked), *rest, drawn, *aside(asked.result)],
        asked.text(PATHS),
        lambda: _lines(content),
        is_path=True,
    )


def _read(asked: Asked) -> Shape | None:
    result = asked.result
    if result is None or not asked.text(PATHS) or asked.text(_NOT_READ):
        return None
    content = result.fields.get("content")
    if result.value is None and re.search(_READS, asked.name):
        content = result.text
    if not isinstance(content, str):
        return None
    total = result.fields.get("total_lines")
    rest = aside(result, ("content", "total_lines", "file_size")) if result.fields else []
    drawn = verbatim(content, file_look(content))
    return Shape(
        [*_named(asked), *arguments(asked.fields, PATHS), drawn, *rest],
        asked.text(PATHS),
        None if result.partial else lambda: _lines(content, total),
        is_path=True,
    )


def _shell(asked: Asked) -> Shape | None:
    given, program = _command(asked), asked.text(_PROGRAMS)
    if given:
        run = command(given)
    elif program:
        run = code(program)
    else:
        return None
    rest = arguments(asked.fields, _RUN)
    return Shape([run, *rest, *answer(asked.result)], given or program)


def _search(asked: Asked) -> Shape | None:
    fields, pattern = asked.answered, asked.text(("pattern", "query", "regex", "glob"))
    found, listed = tools_lists.matches(fields), fields.get("files")
    grouped = fields.get("matches_text")
    total = fields.get("total_count")
    if not pattern:
        return None
    if found:
        drawn, many = rows_piece(lambda _: tools_lists.match_rows(found)), len(found)
    elif isinstance(grouped, str):
        drawn = Piece(partial(draw_text, grouped, tools_lists.grouped_row))
        many = len(re.findall(r"(?m)^  +\d+:", grouped))
    elif isinstance(listed, list) and all(isinstance(name, str) for name in listed):
        drawn, many = verbatim("\n".join(listed), plain("link")), len(listed)
    else:
        return None
    many = total if isinstance(total, int) and 0 <= total < 10**9 else many
    noun = ("file",) if listed and not found else ("match", "matches")
    where = asked.text(PATHS)
    skip = ("matches", "matches_text", "matches_format", "files", "total_count")
    return Shape(
        [*arguments(asked.fields), drawn, *aside(asked.result, skip)],
        f"{pattern[:400]} in {where[:400]}" if where not in ("", ".") else pattern,
        lambda: plural(many, *noun) + (", cut" if fields.get("truncated") is True else ""),
    )


def _web(asked: Asked) -> Shape | None:
    found = tools_lists.pages(asked.result.value if asked.result else None)
    if not found:
        return None
    return Shape(
        [
            *arguments(asked.arguments),
            rows_piece(lambda _: tools_lists.page_rows(found)),
            *aside(asked.result, ("results", "data", "web", "pages")),
        ],
        amount=lambda: plural(len(found), "result"),
    )


def _helpers(asked: Asked) -> Shape | None:
    """Subagents, and what they have reported."""
    named = tools_lists.tasks_named(asked.fields)
    if not named and not (re.search(_HELPER, asked.name) and asked.text(_GOALS)):
        return None
    found = tools_lists.reports(asked.answered)
    reports = [rows_piece(lambda _: tools_lists.report_rows(found))] if found else []
    told = ("results", "total_duration_seconds")
    rest = aside(asked.result, told) if found else answer(asked.result)
    return Shape(
        [*arguments(asked.arguments), *reports, *rest],
        named or None,
        (lambda: tools_lists.reports_done(found)) if found else None,
    )


def _named(asked: Asked) -> list[Piece]:
    """The path where it is too long for the head, which needs half a line for itself."""
    path = asked.text(PATHS)

    def rows(width: int) -> Iterable[Row]:
        return field_rows({"path": path}, width) if len(path) > width // 2 else ()

    return [rows_piece(rows)._replace(brief=False, side=True)] if path else []


def _content(asked: Asked) -> str:
    """The name of the argument that holds what is written."""
    return next((name for name in _CONTENTS if asked.text((name,))), "")


def _command(asked: Asked) -> str:
    """What is run in a shell."""
    given = asked.fields.get("command") or asked.fields.get("cmd")
    if isinstance(given, list) and all(isinstance(word, str) for word in given):
        # bash -lc "…"
        given = given[-1] if given[1:2] in (["-c"], ["-lc"]) else " ".join(given)
    return given if isinstance(given, str) else ""


def _pairs(fields: dict[str, object]) -> list[tuple[str, str]]:
    """(old, new) of every place that an edit changes."""
    edits = fields.get("edits")
    found = []
    for one in (fields, *(edits[:100] if isinstance(edits, list) else ())):
        for name in OLD_AND_NEW if isinstance(one, dict) else ():
            old, new = one.get(name[0]), one.get(name[1])
            if isinstance(old, str) and isinstance(new, str):
                found.append((old, new))
    return found


def _compared(pairs: Sequence[tuple[str, str]]) -> list[diffs.Change]:
    changes: list[diffs.Change] = []
    for old, new in pairs:
        changes += [diffs.Change("@", "⋯")] if changes else []
        changes += diffs.compared(old, new)
    return changes


def _lines(content: str, total: object = None) -> str:
    """How many lines, of how many if that is known and more."""
    many = content.rstrip("\n").count("\n") + 1 if content.strip() else 0
    if isinstance(total, int) and many < total < 10**9:
        return f"{count(many)} of {plural(total, 'line')}"
    return plural(many, "line")
