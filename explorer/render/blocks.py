"""A message as blocks: what is said, what was thought, what was called and what came of it.

Reasoning, calls and scaffolding are folded to one line that says what is inside. No block is
longer than a cap: the rest opens alone. A call and its result are one block, drawn where the
result stands.
"""

import json
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from datetime import tzinfo
from typing import NamedTuple

from explorer.model import Message, MessageState, ToolCall
from explorer.render.amounts import count, plural
from explorer.render.clean import cell_width, clean_line, fit
from explorer.render.lines import Line, Span, cut_line
from explorer.render.outcome import outcome
from explorer.render.prose import plain_lines, prose_lines
from explorer.render.when import clock

CAP = 200
"""Lines of a block that are shown in place."""
INDENT = "  "

_WHO = {"user": "you"}
_STATE = {MessageState.COMPACTED: "compressed", MessageState.REWOUND: "rewound"}
_FINISH = {
    "length": "cut off: the answer reached its length limit",
    "content_filter": "stopped by the provider's filter",
    "error": "ended in an error",
    "interrupted": "interrupted",
    "cancelled": "interrupted",
}
_NOTES = ("[context compaction", "[context summary")
_ARGUMENTS = ("command", "cmd", "path", "file_path", "query", "url", "pattern", "goal", "prompt")


class Block(NamedTuple):
    """Some lines that are folded, copied and pointed at together."""

    key: str
    lines: tuple[Line, ...]
    foldable: bool = False
    folded: bool = False
    more: int = 0
    """Lines that the cap left out."""
    cut: bool = False
    """Whether something is wider than the pane."""

    @property
    def opens_alone(self) -> bool:
        """Whether there is more of it than is shown in place."""
        return self.more > 0 or self.cut


GAP = Block("gap", ((("", "text"),),))


class View(NamedTuple):
    """How messages are to be laid out."""

    width: int
    model: str | None = None
    tz: tzinfo | None = None
    folds: Mapping[tuple[int, str], bool] = {}
    """What the reader has folded (True) or unfolded (False), by message and block."""
    unfolded: AbstractSet[str] = frozenset()
    """Kinds of blocks that are unfolded unless the reader folded them: reasoning, call."""
    answered: AbstractSet[str] = frozenset()
    """Ids of calls whose result is drawn by itself."""
    seams: Mapping[int, str] = {}
    """What to say above a message that begins another part."""
    first: int | None = None
    """The message above which there is nothing."""

    def is_folded(self, message: int, key: str) -> bool:
        return self.folds.get((message, key), key.partition("-")[0] not in self.unfolded)


def blocks(message: Message, view: View, call: ToolCall | None = None) -> tuple[Block, ...]:
    """The blocks of one message, always at least one; `call` is what a result answers."""
    made: list[Block] = []
    if message.id in view.seams:
        made += [GAP, Block("seam", (_rule(view.seams[message.id], view.width),))]
    if message.role == "tool":
        made.append(_call(message, "call", call, message, view))
        return tuple(made)
    if message.id != view.first:
        made.append(GAP)
    made.append(Block("head", (_head(message, view),)))
    if message.reasoning:
        made.append(_folding(message, "reasoning", "reasoning", message.reasoning, view))
    elif message.opaque_reasoning:
        said = "reasoning that only the provider can read"
        made.append(Block("reasoning", (((INDENT + said, "dim"),),)))
    if message.text.strip():
        made.append(_text(message, view))
    for number, asked in enumerate(message.tool_calls):
        if asked.id is None or asked.id not in view.answered:
            made.append(_call(message, f"call-{number}", asked, None, view))
    if message.finish_reason in _FINISH:
        made.append(Block("finish", (((_FINISH[message.finish_reason], "error"),),)))
    return tuple(made)


def _head(message: Message, view: View) -> Line:
    who = _WHO.get(message.role, clean_line(message.role, 40) or "?")
    style = {"user": "you", "assistant": "assistant"}.get(message.role, "system")
    facts = []
    if message.role == "assistant" and view.model:
        facts.append(clean_line(view.model, 60).rpartition("/")[2])
    facts.append(clock(message.timestamp, view.tz))
    if message.state in _STATE:
        facts.append(_STATE[message.state])
    if message.repeats > 1:
        facts.append(f"×{message.repeats}")
    line = (("── ", "dim"), (who, style), (" · " + " · ".join(facts), "dim"))
    return cut_line(line, view.width)


def _text(message: Message, view: View) -> Block:
    note = message.text[:40].lstrip().lower().startswith(_NOTES)
    if message.role == "system" or note:
        name = "summary of what came before" if note else "system prompt"
        return _folding(message, "text", name, message.text, view)
    lines, more, cut = prose_lines(message.text, view.width, CAP)
    shown = _capped(lines, more)
    if cut and not more:
        shown = (*shown, cut_line((("… wider than here · enter opens it", "link"),), view.width))
    return Block("text", shown, more=more, cut=cut)


def _folding(message: Message, key: str, name: str, text: str, view: View) -> Block:
    folded = view.is_folded(message.id, key)
    sign = "▸" if folded else "▾"
    head = cut_line(((f"{sign} {name}", "reasoning"), (_words(text), "dim")), view.width)
    if folded:
        return Block(key, (head,), foldable=True, folded=True)
    lines, more = plain_lines(text, view.width - len(INDENT), CAP, "reasoning")
    return Block(key, (head, *_indented(_capped(lines, more))), foldable=True, more=more)


def _call(
    message: Message, key: str, call: ToolCall | None, result: Message | None, view: View
) -> Block:
    name = call.name if call else (message.tool_name or "tool")
    folded = view.is_folded(message.id, key)
    start = f"{'▸' if folded else '▾'} {clean_line(name, 60)}"
    said, style = outcome(result.text) if result else ("no result", "error")
    room = max(view.width - cell_width(start) - cell_width(said) - 4, 8)
    shown = fit(clean_line(argument_that_matters(call), 400), room) if call else ""
    spans: list[Span] = [(start, "tool"), (f"  {shown}" if shown else "", "text")]
    spans.append((f"  {said}", style))
    head = cut_line(tuple(spans), view.width)
    if folded:
        return Block(key, (head,), foldable=True, folded=True)
    inner = view.width - len(INDENT)
    body: list[Line] = []
    more = 0
    if call and call.arguments not in (None, "", {}):
        lines, more = plain_lines(pretty(call.arguments), inner, CAP // 4, "dim")
        body += _capped(lines, more)
    if result and result.text:
        lines, further = plain_lines(pretty_result(result.text), inner, CAP, "code")
        body += _capped(lines, further)
        more += further
    return Block(key, (head, *_indented(tuple(body))), foldable=True, more=more)


def whole_text(message: Message, key: str, call: ToolCall | None) -> str:
    """All that a block stands for, however long."""
    if key == "reasoning":
        return message.reasoning
    if not key.startswith("call"):
        return message.text
    if key != "call":
        call = message.tool_calls[int(key.partition("-")[2])]
    asked = pretty(call.arguments) if call and call.arguments not in (None, "", {}) else ""
    came = pretty_result(message.text) if message.role == "tool" else ""
    return "\n\n".join(part for part in (asked, came) if part)


def argument_that_matters(call: ToolCall | None) -> str:
    """The one argument a person would read: the command, the path, the query."""
    if call is None or call.arguments is None:
        return ""
    if not isinstance(call.arguments, dict):
        return call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)
    named = [call.arguments[name] for name in _ARGUMENTS if call.arguments.get(name)]
    values = named or [value for value in call.arguments.values() if value]
    first = values[0] if values else ""
    return first if isinstance(first, str) else json.dumps(first, ensure_ascii=False)


def pretty(value: object) -> str:
    """Arguments as a person would write them down."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict) and all(isinstance(item, str) for item in value.values()):
        return "\n".join(f"{name}: {item}" for name, item in value.items())
    return json.dumps(value, ensure_ascii=False, indent=2)


def pretty_result(text: str) -> str:
    """A result that wraps its output in JSON, unwrapped."""
    if not text.startswith("{"):
        return text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    if isinstance(value, dict):
        for name in ("output", "content", "result", "stdout"):
            inner = value.get(name)
            if isinstance(inner, str) and inner.strip():
                rest = {key: item for key, item in value.items() if key != name and item}
                tail = f"\n{json.dumps(rest, ensure_ascii=False)}" if rest else ""
                return inner + tail
    return json.dumps(value, ensure_ascii=False, indent=2)


def _rule(text: str, width: int) -> Line:
    label = f"── {text} "
    return cut_line(((label + "─" * max(width - cell_width(label), 0), "seam"),), width)


def _words(text: str) -> str:
    return f" · {plural(len(text.split()), 'word')}"


def _capped(lines: list[Line], more: int) -> tuple[Line, ...]:
    if not more:
        return tuple(lines)
    return (*lines, ((f"… {count(more)} more lines · enter opens them", "link"),))


def _indented(lines: tuple[Line, ...]) -> tuple[Line, ...]:
    return tuple(((INDENT, "text"), *line) for line in lines)
