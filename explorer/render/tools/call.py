"""A tool call and its result as one block: a head that tells it in a line, and a body.

The body is brief, the first and last lines of what came of the call, or full. The head says how
it ended, how much was done, and how long it took where that is known.
"""

import json
import re
from typing import NamedTuple

from explorer.model import Message, ToolCall
from explorer.render.clean import cell_width, clean_line, fit
from explorer.render.figures import duration, plural, size
from explorer.render.lines import Line, cut_line
from explorer.render.tools.body_parts import TOLD
from explorer.render.tools.kinds import PATHS, Presentation, ToolUse, presentation
from explorer.render.tools.results import NOTHING, ToolResult, main_field, opened, placeholder
from explorer.render.tools.rows import Drawn, Room, json_line, json_text, left_out

BRIEF = 8
"""Lines of what matters in a brief body: half from the beginning, half from the end."""
TOGETHER = 0.1
"""Seconds between a call and its result below which both were probably written at once: agents
used to write a whole turn at its end, and such times are no durations."""

_LEAST = (8, 16)
"""Cells that the argument must keep for one fact, and for a second one, to stand behind it."""
_DAY = 86_400.0
_DELEGATION = r"(?i)delegat|sub_?agent|spawn|run_agent"
_MEASURED = ("duration_seconds", "total_duration_seconds")
_ARGUMENTS = (
    *("command", "cmd", *PATHS, "query", "q", "url", "urls", "pattern", "goal", "prompt"),
    *("question", "task", "message", "text", "code", "name", "title", "content"),
)
"""The arguments that a person would read, the most telling first."""


class Work(NamedTuple):
    """A call and its answer, understood."""

    use: ToolUse
    shown: Presentation
    took: float | None


def understood(call: ToolCall | None, answer: Message | None) -> Work:
    """A call with its answer, or either alone."""
    name = call.name if call else (answer.tool_name if answer else None) or "tool"
    result = opened(answer.text) if answer else None
    use = ToolUse(name, call.arguments if call else None, result)
    return Work(use, presentation(use), _took(call, answer, result))


def delegates(call: ToolCall | None) -> bool:
    """Whether a call starts subagents, as far as its name tells."""
    return call is not None and re.search(_DELEGATION, call.name) is not None


def head(work: Work, folded: bool, width: int, waiting: bool = False) -> Line:
    """The call in a line: ▸ terminal  make all  ✗ exit 2 · 48 lines · 2.1 s. A result that is
    `waiting` may still come."""
    start = f"{'▸' if folded else '▾'} {clean_line(work.use.name, 60)}"
    argument, is_path = _argument(work)
    none = ("no result yet", "dim") if waiting else ("no result", "error")
    said, style = work.use.result.outcome if work.use.result else none
    facts = _facts(work, said)
    while True:
        told = f"{' ' if said == '✓' else ' · '}{' · '.join(facts)}" if facts else ""
        room = width - cell_width(start) - cell_width(said) - cell_width(told) - 4
        if not facts or room >= min(cell_width(argument), _LEAST[len(facts) - 1]):
            break
        facts = facts[:-1]
    shown = (_shorter if is_path else fit)(argument, max(room, 8))
    middle = (f"  {shown}", "text") if shown else ("", "text")
    return cut_line(((start, "tool"), middle, (f"  {said}", style), (told, "dim")), width)


def body(work: Work, brief: bool, width: int, room: int) -> Drawn:
    """(lines, about how many more): all that `room` holds, or a few lines of what matters."""
    lines: list[Line] = []
    more = 0
    for part in work.shown.parts:
        if brief and not part.brief:
            continue
        left = BRIEF if brief else room - len(lines)
        most = left if not part.side else 3 if brief else min(room // 4, left)
        drawn, rest = part.draw(Room(width, max(most, 1), brief))
        if left < 1:
            more += len(drawn) + rest
            continue
        lines += drawn
        more += rest
        if rest and part.side:
            lines.append(left_out(rest, width))
    return lines, more


def whole(call: ToolCall | None, answer: Message | None) -> str:
    """All that was asked and all that came back, as text."""
    parts = [_whole_arguments(call.arguments)] if call else []
    parts += [_whole_result(answer.text)] if answer else []
    return "\n\n".join(part for part in parts if part)


def argument_that_matters(arguments: object) -> tuple[str, bool]:
    """(the one argument a person would read, whether it is a path)."""
    if not isinstance(arguments, dict):
        return _words(arguments), False
    name = next((name for name in _ARGUMENTS if arguments.get(name)), "")
    rest = (value for key, value in arguments.items() if value and key != "action")
    told = _words(arguments[name] if name else next(rest, ""))
    action = arguments.get("action")
    if isinstance(action, str):
        return f"{action[:40]} {told}".strip(), False
    return told, name in PATHS


def _argument(work: Work) -> tuple[str, bool]:
    told, is_path = work.shown.argument, work.shown.is_path
    if told is None:
        told, is_path = argument_that_matters(work.use.arguments)
    # Several lines as one, with a sign between them: two commands must not look like one.
    lines = (line.strip() for line in told[:2000].split("\n"))
    return clean_line(" ↵ ".join(filter(None, lines)), 400), is_path


def _words(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and isinstance(value[0], str):
        return value[0] + (f" +{len(value) - 1}" if len(value) > 1 else "")
    return "" if value is None else json_line(value, 400)


def _shorter(path: str, room: int) -> str:
    """The path with as many of its last names as fit."""
    names = path.split("/")
    for start in range(len(names)):
        shown = path if not start else "…/" + "/".join(names[start:])
        if cell_width(shown) <= room:
            return shown
    return fit(names[-1], room)


def _facts(work: Work, said: str) -> list[str]:
    """How much, how long; nothing of a call without a result of its own."""
    result = work.use.result
    if result is None or said in NOTHING:
        return []
    much = work.shown.amount() if work.shown.amount else _amount(result)
    took = duration(work.took) if work.took is not None else ""
    return [fact for fact in (much, took) if fact]


def _amount(result: ToolResult) -> str:
    """How much came back: lines where it is text, else bytes."""
    if result.length is not None:
        return f"truncated, {size(result.length)} total"
    if result.partial:
        return size(len(result.text))
    said = result.said or result.fields.get("error")
    if isinstance(said, str) and said.strip():
        lines = said.strip("\n").count("\n") + 1
        much = plural(lines, "line")
        if placeholder(said) or (lines == 1 and re.match(r'[\[{]+"', said[:50])):
            much = placeholder(said).strip("[]") or size(len(said))
    elif result.value is None or main_field(result.fields):
        much = "no output"
    else:
        tells = set(result.fields) - set(TOLD) or isinstance(result.value, list)
        much = size(len(result.text)) if tells else ""
    return f"{much}, truncated" if result.fields.get("truncated") is True else much


def _took(call: ToolCall | None, answer: Message | None, result: ToolResult | None) -> float | None:
    """Seconds, as the tool measured them, or from the call to its result. Of calls made together
    nothing is told by the times: the results are written one after the other, in the order of the
    calls, whether the tools ran one by one or side by side."""
    for name in _MEASURED:
        measured = result.fields.get(name) if result else None
        if isinstance(measured, int | float) and 0 < measured < _DAY and measured is not True:
            return measured
    if call is None or call.asked_at is None or answer is None or answer.timestamp is None:
        return None
    passed = answer.timestamp - call.asked_at
    return passed if TOGETHER <= passed < _DAY else None


def _whole_arguments(arguments: object) -> str:
    if isinstance(arguments, str) or arguments in (None, {}, []):
        return arguments if isinstance(arguments, str) else ""
    if not isinstance(arguments, dict):
        return json_text(arguments)
    return "\n".join(
        f"{name}: {value if isinstance(value, str) else json_text(value)}"
        for name, value in arguments.items()
    )


def _whole_result(text: str) -> str:
    """The result with its output unwrapped from JSON and everything else below it; as it is where
    the agent has put words of its own around it."""
    result = opened(text)
    value: object = result.value
    if result.partial and not result.before:
        try:
            value = json.loads(result.text)
        except (ValueError, RecursionError):
            return text
    if value is None or result.before:
        return text
    name = main_field(value) if isinstance(value, dict) else ""
    if isinstance(value, dict) and name:
        rest = {key: item for key, item in value.items() if key != name and item is not None}
        parts = [str(value[name]), json_text(rest) if rest else ""]
    else:
        parts = [json_text(value)]
    return "\n".join(part for part in (*parts, result.after.strip()) if part)
