"""A message as blocks: what is said, what was thought, what was called and what came of it.

Reasoning, calls and scaffolding are folded to one line that says what is inside. No block is
longer than a cap: the rest opens alone. A call and its result are one block, drawn where the
result stands.
"""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from datetime import tzinfo
from enum import StrEnum
from typing import NamedTuple

from explorer.model import Message, MessageState, ToolCall
from explorer.render.amounts import count, plural
from explorer.render.clean import cell_width, clean_line
from explorer.render.lines import Line, cut_line, line_width
from explorer.render.prose import plain_lines, prose_lines
from explorer.render.when import clock

CAP = 200
"""Lines of a block that are shown in place."""
INDENT = "  "
SUBAGENT = "  ↳ enter goes there"
"""Where a call of a subagent leads; the sign alone where there is no room."""

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


class Level(StrEnum):
    """How much of a call is shown."""

    FOLDED = "folded"
    BRIEF = "brief"
    FULL = "full"

    @property
    def next(self) -> "Level":
        levels = list(Level)
        return levels[(levels.index(self) + 1) % len(levels)]


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
    """Kinds of blocks that are unfolded unless the reader folded them: reasoning."""
    level: Level = Level.FOLDED
    """How much of a call is shown unless the reader folded or unfolded it."""
    answered: AbstractSet[str] = frozenset()
    """Ids of calls whose result is drawn by itself."""
    seams: Mapping[int, tuple[tuple[str, str], ...]] = {}
    """Lines above a message, (words, style) each: another part, another day."""
    first: int | None = None
    """The message above which there is nothing."""
    waiting: int | None = None
    """The message whose calls are still being worked on: what has no result may get one."""

    def is_folded(self, message: int, key: str) -> bool:
        return self.folds.get((message, key), key.partition("-")[0] not in self.unfolded)

    def level_of(self, message: int, key: str) -> Level:
        folded = self.folds.get((message, key))
        return self.level if folded is None else Level.FOLDED if folded else Level.FULL


def blocks(message: Message, view: View, call: ToolCall | None = None) -> tuple[Block, ...]:
    """The blocks of one message, always at least one; `call` is what a result answers."""
    made: list[Block] = []
    if message.id in view.seams:
        lines = tuple(_rule(*seam, view.width) for seam in view.seams[message.id])
        made += [GAP] if message.id != view.first else []
        made.append(Block("seam", lines))
    if message.role == "tool":
        made.append(_call(message, "call", call, message, view))
        return tuple(made)
    if made or message.id != view.first:
        made.append(GAP)
    if not is_scaffolding(message):
        made.append(Block("head", (_head(message, view),)))
    if message.reasoning:
        hidden = " · the rest only the provider can read" if message.opaque_reasoning else ""
        made.append(_folding(message, "reasoning", "reasoning", message.reasoning, view, hidden))
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
    return tuple(made if message.state is MessageState.LIVE else map(_dimmed, made))


def is_scaffolding(message: Message) -> bool:
    """Whether nobody said this: a system prompt, or the summary of what was compressed."""
    return message.role == "system" or message.text[:40].lstrip().lower().startswith(_NOTES)


def _dimmed(block: Block) -> Block:
    """What the agent no longer sees is quieter."""
    quiet = tuple(tuple((text, "dim") for text, _ in line) for line in block.lines)
    return block._replace(lines=block.lines if block.key == "seam" else quiet)


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
    if is_scaffolding(message):
        prompt = message.id < 0 or not message.text[:40].lstrip().lower().startswith(_NOTES)
        name = "system prompt" if prompt else "summary of what came before"
        return _folding(message, "text", name, message.text, view)
    lines, more, cut = prose_lines(message.text, view.width, CAP)
    shown = _capped(lines, more)
    if cut and not more:
        shown = (*shown, cut_line((("… wider than here · enter opens it", "link"),), view.width))
    return Block("text", shown, more=more, cut=cut)


def _folding(
    message: Message, key: str, name: str, text: str, view: View, hidden: str = ""
) -> Block:
    folded = view.is_folded(message.id, key)
    sign = "▸" if folded else "▾"
    head = cut_line(((f"{sign} {name}", "reasoning"), (_words(text) + hidden, "dim")), view.width)
    if folded:
        return Block(key, (head,), foldable=True, folded=True)
    lines, more = plain_lines(text, view.width - len(INDENT), CAP, "reasoning")
    return Block(key, (head, *_indented(_capped(lines, more))), foldable=True, more=more)


def _call(
    message: Message, key: str, call: ToolCall | None, result: Message | None, view: View
) -> Block:
    from explorer.render import tools  # late: 15 ms that the first frame need not wait for

    work = tools.understood(call, result)
    level = view.level_of(message.id, key)
    waiting = result is None and message.id == view.waiting
    head = tools.head(work, level is Level.FOLDED, view.width, waiting)
    if tools.delegates(call):
        roomy = line_width(head) + len(SUBAGENT) <= view.width
        link = SUBAGENT if roomy else SUBAGENT[:3]
        head = tools.head(work, level is Level.FOLDED, view.width - len(link), waiting)
        head = (*head, (link, "link"))
    if level is Level.FOLDED:
        return Block(key, (head,), foldable=True, folded=True)
    inner = view.width - len(INDENT)
    lines, more = tools.body(work, level is Level.BRIEF, inner, CAP)
    if level is Level.BRIEF:
        # To fold and to unfold are the two ends: what is brief unfolds to all of it.
        return Block(key, (head, *_indented(tuple(lines))), foldable=True, folded=True)
    shown = tuple(cut_line(line, inner) for line in _capped(lines, more))
    return Block(key, (head, *_indented(shown)), foldable=True, more=more)


def whole_text(message: Message, key: str, call: ToolCall | None) -> str:
    """All that a block stands for, however long."""
    if key == "reasoning":
        return message.reasoning
    if not key.startswith("call"):
        return message.text
    if key != "call":
        call = message.tool_calls[int(key.partition("-")[2])]
    from explorer.render import tools  # late, as above

    return tools.whole(call, message if message.role == "tool" else None)


def _rule(words: str, style: str, width: int) -> Line:
    label = f"── {words} "
    return cut_line(((label + "─" * max(width - cell_width(label), 0), style),), width)


def _words(text: str) -> str:
    return f" · {plural(len(text.split()), 'word')}"


def _capped(lines: list[Line], more: int) -> tuple[Line, ...]:
    if not more:
        return tuple(lines)
    return (*lines, ((f"… {count(more)} more lines · enter opens them", "link"),))


def _indented(lines: tuple[Line, ...]) -> tuple[Line, ...]:
    return tuple(((INDENT, "text"), *line) for line in lines)
