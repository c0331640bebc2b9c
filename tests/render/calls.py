"""Calls and their results for tests, and how they are drawn."""

import json

from explorer.model import Message, MessageState, ToolCall
from explorer.render.blocks import Block, Level, View, blocks
from explorer.render.lines import Line

ASKED = 1_000.0


def answer(text: str, at: float | None = ASKED, name: str | None = None) -> Message:
    """The row of a result."""
    return Message(
        id=1,
        session_id="s",
        role="tool",
        timestamp=at,
        text=text,
        reasoning="",
        opaque_reasoning=False,
        tool_calls=(),
        tool_call_id="c",
        tool_name=name,
        finish_reason=None,
        state=MessageState.LIVE,
    )


def block(
    name: str, arguments: object, result: object, level: Level = Level.FULL, width: int = 80
) -> Block:
    """A call and its result, which is JSON unless it is text."""
    text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
    return blocks(answer(text), View(width, level=level), ToolCall("c", name, arguments))[0]


def words(lines: tuple[Line, ...]) -> list[str]:
    return ["".join(text for text, _ in line) for line in lines]


def full(name: str, arguments: object, result: object, width: int = 80) -> list[str]:
    return words(block(name, arguments, result, Level.FULL, width).lines)


def brief(name: str, arguments: object, result: object, width: int = 80) -> list[str]:
    return words(block(name, arguments, result, Level.BRIEF, width).lines)


def head(name: str, arguments: object, result: object, width: int = 80) -> str:
    return words(block(name, arguments, result, Level.FOLDED, width).lines)[0]
