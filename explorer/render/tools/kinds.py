"""What kind of work a call was, and so how it is drawn.

Told by the shape of what was asked and of what came back, with the name of the tool as a hint at
most: agents, their versions and their plugins name tools as they like. A list is told by what its
objects have: an address, a line number, a status. A call of no known kind is drawn as its arguments
and its result.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import NamedTuple

from explorer.render.clean import clean_line
from explorer.render.figures import count, duration, plural
from explorer.render.tools import diffs
from explorer.render.tools.body_parts import (
    BodyPart,
    answer,
    arguments,
    aside,
    code,
    command,
    file_look,
    rows_part,
    trouble,
    verbatim,
)
from explorer.render.tools.results import ToolResult
from explorer.render.tools.rows import (
    BAR,
    TextRow,
    draw_rows,
    draw_text,
    field_rows,
    long_row,
    plain,
)

MOST = 1000
"""Things of a list that are looked at."""
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
_TASK = ("content", "text", "title", "task", "step", "description")
_ABOUT = ("description", "snippet", "content", "text", "summary")
_MARKS = {
    "completed": ("✓", "ok"),
    "done": ("✓", "ok"),
    "in_progress": ("▸", "strong"),
    "cancelled": ("✗", "dim"),
}
_GOOD = ("completed", "done", "ok", "success")

Things = Sequence[Mapping[str, object]]


class ToolUse(NamedTuple):
    """A call and its result."""

    name: str
    arguments: object
    result: ToolResult | None

    @property
    def fields(self) -> dict[str, object]:
        return self.arguments if isinstance(self.arguments, dict) else {}

    @property
    def answered(self) -> dict[str, object]:
        return self.result.fields if self.result else {}

    @property
    def path(self) -> str:
        return self.text(PATHS)

    def text(self, names: Iterable[str]) -> str:
        """The first of these arguments that holds text."""
        return _text(self.fields, *names)


class Presentation(NamedTuple):
    """How a call is drawn."""

    parts: Sequence[BodyPart]
    argument: str | None = None
    """What its head says, if not the first argument that matters."""
    amount: Callable[[], str] | None = None
    """How much was done, where lines of output do not tell it: +3 −1, 5 results."""
    is_path: bool = False
    """The argument is a path: its end matters most."""


def presentation(use: ToolUse) -> Presentation:
    """Of the first kind that fits."""
    for kind in (_edit, _plan, _write, _read, _shell, _search, _web, _helpers):
        made = kind(use)
        if made is not None:
            return made
    return Presentation([*arguments(use.arguments), *answer(use.result)])


def unnamed(fields: dict[str, object]) -> frozenset[str]:
    """The arguments that are drawn without their names, as far as a call tells by itself: a file
    that may have been read is taken to have been, and then its path is in the head alone."""
    use = ToolUse("", fields, None)
    is_patch = diffs.is_diff(use.text(_PATCHES))
    if is_patch or _pairs(fields):
        return _EDITED.union(_PATCHES if is_patch else ())
    if _tasks(fields):
        return frozenset(fields)
    content = _content(use)
    if use.path and content:
        return frozenset((*PATHS, content))
    read = PATHS if use.path and not use.text(_NOT_READ) else ()
    run = _RUN if _command(use) or use.text(_PROGRAMS) else ()
    return frozenset((*read, *run))


def _edit(use: ToolUse) -> Presentation | None:
    pairs = _pairs(use.fields)
    patch = use.text(_PATCHES)
    bare = use.result.text if use.result and use.result.value is None else ""
    told = use.answered.get("diff", bare if pairs or patch else "")
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
    used = _EDITED.union(_PATCHES if diffs.is_diff(patch) else ())
    drawn = BodyPart(
        lambda room: draw_rows(diffs.diff_rows(changes(), room.brief), room, ends=True)
    )
    rest = [] if bare and came == bare and diffs.is_diff(bare) else aside(use.result, ("diff",))
    done = use.result is None or use.result.outcome[1] == "ok"
    return _file(
        use,
        [*arguments(use.fields, used), drawn, *rest],
        (lambda: diffs.amounts(changes())) if done else None,
        changed=", ".join(diffs.changed_files(patch or came)),
    )


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


def _compared(pairs: Sequence[tuple[str, str]]) -> list[diffs.DiffLine]:
    changes: list[diffs.DiffLine] = []
    for old, new in pairs:
        changes += [diffs.DiffLine("@", "⋯")] if changes else []
        changes += diffs.compared(old, new)
    return changes


def _plan(use: ToolUse) -> Presentation | None:
    found = _tasks(use.answered) or _tasks(use.fields)
    if not found:
        return None
    marks = [_MARKS.get(_text(task, "status"), ("·", "text")) for task in found]
    done = sum(mark == "✓" for mark, _ in marks)

    def rows(_: int) -> Iterator[TextRow]:
        for task, (mark, style) in zip(found, marks, strict=True):
            quiet = style in ("ok", "dim")
            yield long_row(((f"{mark} ", style),), _text(task, *_TASK), "dim" if quiet else style)

    parts = [rows_part(rows), *trouble(use.result)]
    return Presentation(parts, "", lambda: f"{done} of {len(found)} done")


def _tasks(fields: Mapping[str, object]) -> Things:
    """The steps of a plan, each with its status."""
    lists = (_objects(fields.get(name)) for name in ("todos", "items", "plan", "tasks"))
    found: Things = next((one for one in lists if one), ())
    return found if all(_text(one, "status") and _text(one, *_TASK) for one in found) else ()


def _write(use: ToolUse) -> Presentation | None:
    name = _content(use)
    content = use.text((name,))
    if not use.path or not content:
        return None
    drawn = verbatim(content, plain("code", BAR))
    rest = arguments(use.fields, (*PATHS, name))
    return _file(use, [*rest, drawn, *aside(use.result)], lambda: _lines(content))


def _content(use: ToolUse) -> str:
    """The name of the argument that holds what is written."""
    return next((name for name in _CONTENTS if use.text((name,))), "")


def _read(use: ToolUse) -> Presentation | None:
    result = use.result
    if result is None or not use.path or use.text(_NOT_READ):
        return None
    content = result.fields.get("content")
    if result.value is None and re.search(_READS, use.name):
        content = result.text
    if not isinstance(content, str):
        return None
    total = result.fields.get("total_lines")
    rest = aside(result, ("content", "total_lines", "file_size")) if result.fields else []
    drawn = verbatim(content, file_look(content))
    amount = None if result.partial else lambda: _lines(content, total)
    return _file(use, [*arguments(use.fields, PATHS), drawn, *rest], amount)


def _file(
    use: ToolUse, parts: list[BodyPart], amount: Callable[[], str] | None, changed: str = ""
) -> Presentation:
    """Work on a file. The head names it; where its path is too long for half a line, so does the
    body."""
    path = use.path

    def rows(width: int) -> Iterable[TextRow]:
        return field_rows({"path": path}, width) if len(path) > width // 2 else ()

    named = [rows_part(rows)._replace(brief=False, side=True)] if path else []
    return Presentation([*named, *parts], path or changed, amount, is_path=True)


def _lines(content: str, total: object = None) -> str:
    """How many lines, of how many if that is known and more."""
    many = content.rstrip("\n").count("\n") + 1 if content.strip() else 0
    if isinstance(total, int) and many < total < 10**9:
        return f"{count(many)} of {plural(total, 'line')}"
    return plural(many, "line")


def _shell(use: ToolUse) -> Presentation | None:
    given, program = _command(use), use.text(_PROGRAMS)
    if not given and not program:
        return None
    run = command(given) if given else code(program)
    rest = arguments(use.fields, _RUN)
    return Presentation([run, *rest, *answer(use.result)], given or program)


def _command(use: ToolUse) -> str:
    """What is run in a shell."""
    given = use.fields.get("command") or use.fields.get("cmd")
    if isinstance(given, list) and all(isinstance(word, str) for word in given):
        # bash -lc "…"
        given = given[-1] if given[1:2] in (["-c"], ["-lc"]) else " ".join(given)
    return given if isinstance(given, str) else ""


def _search(use: ToolUse) -> Presentation | None:
    fields, pattern = use.answered, use.text(("pattern", "query", "regex", "glob"))
    listed, grouped = fields.get("files"), fields.get("matches_text")
    found = _objects(fields.get("matches"))
    found = found if all("line" in one or "path" in one for one in found) else ()
    total = fields.get("total_count")
    if not pattern:
        return None
    if found:
        drawn, many = rows_part(lambda _: _match_rows(found)), len(found)
    elif isinstance(grouped, str):
        drawn = BodyPart(partial(draw_text, grouped, _grouped_row))
        many = len(re.findall(r"(?m)^  +\d+:", grouped))
    elif isinstance(listed, list) and all(isinstance(name, str) for name in listed):
        drawn, many = verbatim("\n".join(listed), plain("link")), len(listed)
    else:
        return None
    many = total if isinstance(total, int) and 0 <= total < 10**9 else many
    noun = ("file",) if listed and not found else ("match", "matches")
    skip = ("matches", "matches_text", "matches_format", "files", "total_count")
    return Presentation(
        [*arguments(use.fields), drawn, *aside(use.result, skip)],
        f"{pattern[:400]} in {use.path[:400]}" if use.path not in ("", ".") else pattern,
        lambda: plural(many, *noun) + (", cut" if fields.get("truncated") is True else ""),
    )


def _match_rows(found: Things) -> Iterator[TextRow]:
    """The lines that match, under the name of their file."""
    before = None
    wide = max((len(_number(one)) for one in found), default=0)
    for one in found:
        path = _text(one, "path", "file")
        if path != before:
            yield long_row((), path or "?", "link")
            before = path
        lead = ((f"{_number(one):>{wide + 2}}  ", "dim"),)
        yield long_row(lead, _text(one, "content", "text", "line_text"), "output")


def _number(one: Mapping[str, object]) -> str:
    line = one.get("line", one.get("line_number"))
    return str(line) if isinstance(line, int) and abs(line) < 10**7 else ""


def _grouped_row(line: str) -> TextRow:
    """A line of matches that came as text: a file, or `  12: text` under it."""
    found = re.match(r"  +(\d{1,7}): ?", line)
    if found is None:
        return TextRow((), line, "link")
    return TextRow(((f"{found[1]:>6}  ", "dim"),), line[found.end() :], "output")


def _web(use: ToolUse) -> Presentation | None:
    """Pages of the web that were found or read."""
    inside = ("results", "data", "web", "pages")
    value: object = use.result.value if use.result else None
    for _ in range(3):
        if isinstance(value, dict):
            value = next((value[name] for name in inside if value.get(name)), None)
    found = _objects(value)
    if not found or not all(_text(one, "url", "link") for one in found):
        return None
    pages = rows_part(lambda _: _page_rows(found))
    return Presentation(
        [*arguments(use.arguments), pages, *aside(use.result, inside)],
        amount=lambda: plural(len(found), "result"),
    )


def _page_rows(found: Things) -> Iterator[TextRow]:
    under = (("    ", "text"),)
    for number, page in enumerate(found, 1):
        address = _text(page, "url", "link")
        title = _text(page, "title", "name")
        lead = ((f"{number:>2}  ", "dim"),)
        yield long_row(lead, title or address, "strong" if title else "link")
        if title:
            yield long_row(under, address, "link")
        about = _text(page, *_ABOUT)
        if about:
            yield long_row(under, about, "output")
        if _text(page, "error"):
            yield long_row(under, _text(page, "error"), "error")


def _helpers(use: ToolUse) -> Presentation | None:
    """Subagents, and what they have reported."""
    goals = [_text(one, *_GOALS) for one in _objects(use.fields.get("tasks"))]
    names = [clean_line(goal, 60) for goal in goals if goal]
    named = f"{plural(len(goals), 'task')}: {' | '.join(names)}" if names else None
    if not named and not (re.search(_HELPER, use.name) and use.text(_GOALS)):
        return None
    found = _objects(use.answered.get("results"))
    if not found or not all("summary" in one and "status" in one for one in found):
        return Presentation([*arguments(use.arguments), *answer(use.result)], named)
    good = sum(_text(one, "status") in _GOOD for one in found)
    rest = aside(use.result, ("results", "total_duration_seconds"))
    return Presentation(
        [*arguments(use.arguments), rows_part(lambda _: _report_rows(found)), *rest],
        named,
        # Of one the outcome of the call tells it.
        lambda: f"{good} of {len(found)} done" if len(found) > 1 else "",
    )


def _report_rows(found: Things) -> Iterator[TextRow]:
    under = (("  ", "text"),)
    for number, report in enumerate(found, 1):
        status = clean_line(_text(report, "status"), 40)
        took = report.get("duration_seconds")
        time = f" · {duration(took)}" if isinstance(took, float | int) and took else ""
        style = "ok" if status in _GOOD else "error"
        yield TextRow((), f"task {number} · {status}{time}", style)
        yield long_row(under, _text(report, "summary"), "output")
        if _text(report, "error"):
            yield long_row(under, _text(report, "error"), "error")


def _objects(value: object) -> Things:
    """The objects of a list, if it is a list of nothing else."""
    if not isinstance(value, list) or not value:
        return ()
    found = [one for one in islice(value, MOST) if isinstance(one, dict)]
    return found if len(found) == min(len(value), MOST) else ()


def _text(fields: Mapping[str, object], *names: str) -> str:
    """The first of these fields that holds text."""
    told = (fields.get(name) for name in names)
    return next((text for text in told if isinstance(text, str) and text), "")
