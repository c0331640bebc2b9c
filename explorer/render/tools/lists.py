"""Results that are lists: what a search found, pages of the web, plans, reports of subagents.

Each is told by its shape, since tools have many names: a list of objects that have an address, a
line number, a status. Whatever has another shape gives nothing here and is drawn as JSON.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from explorer.render.amounts import plural, size
from explorer.render.clean import clean_line
from explorer.render.lines import Line
from explorer.render.tools.rows import Row
from explorer.render.when import duration

MOST = 1000
"""Things of a list that are looked at."""
LONGEST = 4000
"""Letters of one text that are shown."""

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


def matches(fields: Mapping[str, object]) -> Things:
    """Places in files that a search found."""
    found = _objects(fields.get("matches"))
    return found if all("line" in one or "path" in one for one in found) else ()


def pages(value: object) -> Things:
    """Pages of the web that were found or read."""
    for _ in range(3):
        if isinstance(value, dict):
            inner = (value.get(name) for name in ("results", "data", "web", "pages"))
            value = next((one for one in inner if one), None)
    found = _objects(value)
    return found if all(_text(one, "url", "link") for one in found) else ()


def tasks(fields: Mapping[str, object]) -> Things:
    """The steps of a plan, each with its status."""
    lists = (_objects(fields.get(name)) for name in ("todos", "items", "plan", "tasks"))
    found: Things = next((one for one in lists if one), ())
    return found if all(_text(one, "status") and _text(one, *_TASK) for one in found) else ()


def reports(fields: Mapping[str, object]) -> Things:
    """What subagents had to say."""
    found = _objects(fields.get("results"))
    return found if all("summary" in one and "status" in one for one in found) else ()


def match_rows(found: Things) -> Iterator[Row]:
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


def grouped_row(line: str) -> Row:
    """A line of matches that came as text: a file, or `  12: text` under it."""
    found = re.match(r"  +(\d{1,7}): ?", line)
    if found is None:
        return Row((), line, "link")
    return Row(((f"{found[1]:>6}  ", "dim"),), line[found.end() :], "output")


def page_rows(found: Things) -> Iterator[Row]:
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


def task_rows(found: Things) -> Iterator[Row]:
    for task in found:
        mark, style = _MARKS.get(_text(task, "status"), ("·", "text"))
        quiet = style in ("ok", "dim")
        yield long_row(((f"{mark} ", style),), _text(task, *_TASK), "dim" if quiet else style)


def tasks_done(found: Things) -> str:
    done = sum(_MARKS.get(_text(task, "status"), ("",))[0] == "✓" for task in found)
    return f"{done} of {len(found)} done"


def report_rows(found: Things) -> Iterator[Row]:
    for number, report in enumerate(found, 1):
        status = clean_line(_text(report, "status"), 40)
        took = report.get("duration_seconds")
        time = f" · {duration(took)}" if isinstance(took, float | int) and took else ""
        style = "ok" if status in _GOOD else "error"
        yield Row((), f"task {number} · {status}{time}", style)
        under = (("  ", "text"),)
        yield long_row(under, _text(report, "summary"), "output")
        if _text(report, "error"):
            yield long_row(under, _text(report, "error"), "error")


def reports_done(found: Things) -> str:
    """How many of several succeeded; of one the outcome of the call tells it."""
    if len(found) == 1:
        return ""
    return f"{sum(_text(one, 'status') in _GOOD for one in found)} of {len(found)} done"


def tasks_named(fields: Mapping[str, object]) -> str:
    """What several subagents were asked for, in a line."""
    goals = [_text(one, "goal", "prompt", "task") for one in _objects(fields.get("tasks"))]
    named = [clean_line(goal, 60) for goal in goals if goal]
    return f"{plural(len(goals), 'task')}: {' | '.join(named)}" if named else ""


def long_row(lead: Line, text: str, style: str) -> Row:
    """Text of many lines, as far as a pane has room for it."""
    rest = max(len(text) - LONGEST, 0)
    tail: Line = ((f" … {size(rest)} more", "dim"),) if rest else ()
    return Row(lead, text[:LONGEST].strip("\r\n"), style, tail, rest)


def _objects(value: object) -> Things:
    """The objects of a list, if it is a list of nothing else."""
    if not isinstance(value, list) or not value:
        return ()
    found = [one for one in islice(value, MOST) if isinstance(one, dict)]
    return found if len(found) == min(len(value), MOST) else ()


def _text(one: Mapping[str, object], *names: str) -> str:
    """The first of these fields that holds text."""
    told = (one.get(name) for name in names)
    return next((text for text in told if isinstance(text, str) and text), "")


def _number(one: Mapping[str, object]) -> str:
    line = one.get("line", one.get("line_number"))
    return str(line) if isinstance(line, int) and abs(line) < 10**7 else ""
