"""A message as blocks: text, reasoning, tool calls and their results.

Reasoning, calls, notices and what the agent put around a turn are folded to one line that says what
is inside. No block is longer than a cap: the rest opens alone. A call and its result are one block,
drawn where the result stands. Only as much of a text is looked at as can be shown: a cell of many
megabytes costs no more than its beginning.
"""

import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from datetime import tzinfo
from enum import StrEnum
from itertools import islice
from typing import NamedTuple

from explorer.model import Message, MessageState, ToolCall
from explorer.render.clean import cell_width, clean, clean_line, fit
from explorer.render.figures import clock, plural
from explorer.render.lines import Line, beginning, cut_line, line_width, take
from explorer.render.passages import FOR_THE_MODEL, REASONING, STATE_WORDS, Passage, passages
from explorer.render.provenance import provenance_mark

CAP = 200
"""Lines of a block that are shown in place."""
INDENT = "  "
SUBAGENT = "  ↳"
"""The sign of a call that leads to a subagent; where there is room, words follow it."""

_FINISH = {
    "length": "cut off: the answer reached its length limit",
    "content_filter": "stopped by the provider's content filter",
    "error": "ended with an error",
    "interrupted": "interrupted",
    "cancelled": "interrupted",
}
_MARKUP = (
    r"[*_`#>|~<\[\\]|://"  # anywhere
    r"|^(?: |[-+=]|\d{1,9}[.)])"  # where a line begins
    r"|\n *\n *\n"
)
"""What only Markdown lays out in another way than plain text."""


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
    enter: str = "enter"
    """The key that opens a block."""


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
    said = list(passages(message))
    nobodys = message.role == "system" or bool(said and all(_is_made(one) for one in said))
    if len(said) > 1 and _is_made(said[0]):
        # A summary replaces earlier messages, so it comes above the head.
        made.append(_passage(message, said.pop(0), view))
    if not nobodys:
        made.append(Block("head", (_head(message, view),)))
    if message.reasoning:
        hidden = " · rest hidden by the provider" if message.opaque_reasoning else ""
        thought = Passage(REASONING, message.reasoning, REASONING)
        made.append(_folding(message, thought, view, f"{_length(thought)}{hidden}"))
    elif message.opaque_reasoning:
        opaque = "reasoning hidden by the provider"
        made.append(Block("reasoning", (((INDENT + opaque, "dim"),),)))
    made += [_passage(message, one, view) for one in said]
    for number, asked in enumerate(message.tool_calls):
        if asked.id is None or asked.id not in view.answered:
            made.append(_call(message, f"call-{number}", asked, None, view))
    if message.finish_reason in _FINISH:
        made.append(Block("finish", (((_FINISH[message.finish_reason], "error"),),)))
    loud = message.state is MessageState.LIVE and not message.unseen
    return tuple(made if loud else map(_dimmed, made))


def _dimmed(block: Block) -> Block:
    """What the agent no longer sees is quieter."""
    quiet = tuple(tuple((text, "dim") for text, _ in line) for line in block.lines)
    return block._replace(lines=block.lines if block.key == "seam" else quiet)


def _head(message: Message, view: View) -> Line:
    who = "you" if message.role == "user" else clean_line(message.role, 40) or "?"
    style = {"user": "you", "assistant": "assistant"}.get(message.role, "system")
    facts = []
    if message.role == "assistant" and view.model:
        facts.append(clean_line(view.model, 60).rpartition("/")[2])
    facts.append(clock(message.timestamp, view.tz))
    if message.state in STATE_WORDS:
        facts.append(STATE_WORDS[message.state])
    if message.unseen:
        facts.append(FOR_THE_MODEL)
    if message.file:
        facts.append(provenance_mark(message))
    if message.repeats > 1:
        facts.append(f"×{message.repeats}")
    facts += [clean_line(sign, 16) for sign in message.reactions]
    line = (("── ", "dim"), (who, style), (" · " + " · ".join(facts), "dim"))
    return cut_line(line, view.width)


def _passage(message: Message, one: Passage, view: View) -> Block:
    if one.label:
        hidden = f" · {FOR_THE_MODEL}" if message.unseen else ""
        if not message.notice:
            return _folding(message, one, view, f"{_length(one)}{hidden}")
        when = f" · {clock(message.timestamp, view.tz)}{hidden}"
        if one.text.strip():
            return _folding(message, one, view, when)
        name = (f"· {clean_line(one.label, 300)}", "reasoning")
        return Block(one.key, (cut_line((name, (when, "dim")), view.width),))
    lines, more, cut = prose_lines(one.text, view.width, CAP)
    shown = _capped(lines, more, view.enter)
    if cut and not more:
        wide = f"… cut off at the right · {view.enter}: full width"
        shown = (*shown, cut_line(((wide, "link"),), view.width))
    return Block(one.key, shown, more=more, cut=cut)


def _is_made(one: Passage) -> bool:
    """Whether the agent put it around what was said."""
    return bool(one.label) and one.label != REASONING


def _length(one: Passage) -> str:
    return f" · {plural(len(one.text.split()), 'word')}"


def _folding(message: Message, one: Passage, view: View, behind: str) -> Block:
    """A label that unfolds to a text; `behind` follows it, quieter."""
    key, name = one.key, clean_line(one.label, 300)
    folded = view.folds.get((message.id, key), key.partition("-")[0] not in view.unfolded)
    sign = "▸" if folded else "▾"
    # What comes behind is short, and tells when: it stays where a name is too long.
    room = max(view.width - len(behind) - 2, 8)
    head = cut_line(((f"{sign} {fit(name, room)}", "reasoning"), (behind, "dim")), view.width)
    if folded:
        return Block(key, (head,), foldable=True, folded=True)
    lines, more = plain_lines(one.text, view.width - len(INDENT), CAP, "reasoning")
    return Block(
        key, (head, *_indented(_capped(lines, more, view.enter))), foldable=True, more=more
    )


def _call(
    message: Message, key: str, call: ToolCall | None, result: Message | None, view: View
) -> Block:
    # Late: 15 ms that the first frame need not wait for.
    from explorer.render.tools import call as tools

    work = tools.understood(call, result)
    folded = view.folds.get((message.id, key))
    level = view.level if folded is None else Level.FOLDED if folded else Level.FULL
    waiting = result is None and message.id == view.waiting
    head = tools.head(work, level is Level.FOLDED, view.width, waiting)
    if tools.delegates(call):
        link = f"{SUBAGENT} {view.enter}: go to subagent"
        if line_width(head) + cell_width(link) > view.width:
            link = SUBAGENT
        head = tools.head(work, level is Level.FOLDED, view.width - cell_width(link), waiting)
        head = (*head, (link, "link"))
    if level is Level.FOLDED:
        return Block(key, (head,), foldable=True, folded=True)
    inner = view.width - len(INDENT)
    lines, more = tools.body(work, level is Level.BRIEF, inner, CAP)
    if level is Level.BRIEF:
        # To fold and to unfold are the two ends: what is brief unfolds to all of it.
        return Block(key, (head, *_indented(tuple(lines))), foldable=True, folded=True)
    shown = tuple(cut_line(line, inner) for line in _capped(lines, more, view.enter))
    return Block(key, (head, *_indented(shown)), foldable=True, more=more)


def whole_text(message: Message, key: str, call: ToolCall | None) -> str:
    """The whole text of a block, however long."""
    if key == "reasoning":
        return message.reasoning
    if not key.startswith("call"):
        pieces = (one.text for one in passages(message) if one.key == key)
        return next(pieces, message.text)
    from explorer.render.tools import call as tools  # late, as above

    answer = message if message.role == "tool" else None
    return tools.whole(shown_call(message, key, call), answer)


def shown_call(message: Message, key: str, answered: ToolCall | None) -> ToolCall | None:
    """The call that a block shows: one of the message's own, or the one that it answers."""
    kind, _, number = key.partition("-")
    return message.tool_calls[int(number)] if kind == "call" and number else answered


def _rule(words: str, style: str, width: int) -> Line:
    label = f"── {words} "
    return cut_line(((label + "─" * max(width - cell_width(label), 0), style),), width)


def _capped(lines: list[Line], more: int, enter: str) -> tuple[Line, ...]:
    if not more:
        return tuple(lines)
    return (*lines, ((f"… {plural(more, 'more line')} · {enter}: show all", "link"),))


def _indented(lines: tuple[Line, ...]) -> tuple[Line, ...]:
    return tuple(((INDENT, "text"), *line) for line in lines)


class Prose(NamedTuple):
    """The beginning of a text."""

    lines: list[Line]
    more: int
    """About how many lines follow."""
    cut: bool = False
    """Whether a line of code or a table was wider than the pane."""


def prose_lines(text: str, width: int, limit: int) -> Prose:
    """At most `limit` lines of Markdown."""
    width = max(width, 4)
    text = text.strip("\n")
    shown, whole = _enough(text, width, limit)
    if not re.search(_MARKUP, shown, re.MULTILINE):
        return Prose(*plain_lines(text, width, limit, "text"))
    # Late: 40 ms for the parser, in the thread that lays out.
    from explorer.render.markdown.blocks import Markdown

    markdown = Markdown(shown, width, limit)
    drawn = markdown.lines()
    lines: list[Line] = []
    at: list[int] = []
    for line in islice(drawn, limit):
        lines.append(line)
        at.append(markdown.at)
    if next(drawn, None) is None and whole:
        return Prose(lines, 0, markdown.cut)
    left = text.split("\n", markdown.at)[-1]
    # Of the line that is being drawn some may be shown already.
    wrapped = len(left) // width - at.count(markdown.at)
    return Prose(lines, max(left.count("\n") + 1, wrapped), markdown.cut)


def _enough(text: str, width: int, limit: int) -> tuple[str, bool]:
    """(clean text that should do for `limit` lines, whether it is all): marks take no room, and
    several blank lines are shown as one."""
    most = limit * (width + 1) * 5 // 4
    shown = clean(text[:most])
    end = -1
    for _ in range(3 * limit):
        end = shown.find("\n", end + 1)
        if end < 0:
            break
    end = min(most, len(shown)) if end < 0 else min(most, end)
    return shown[:end], len(text) <= most and len(shown) <= end


def plain_lines(text: str, width: int, limit: int, style: str) -> tuple[list[Line], int]:
    """The same for text that is no prose: output, arguments, thoughts."""
    shown, rest = beginning(text.strip("\n"), width, limit)
    lines, more = take(clean(shown), width, limit)
    return [((line, style),) for line in lines], more + rest
