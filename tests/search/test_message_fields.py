"""What fields ask of messages, against plain Python over those of real files."""

import math
from collections.abc import Callable
from datetime import UTC
from pathlib import Path

import pytest

from explorer.model import Message, MessageState, ToolCall
from explorer.search.language.fields import MessageTest, message_test
from explorer.search.language.query import parse
from explorer.search.language.vocabulary import Period
from explorer.stores.kinds import open_store
from explorer.stores.resolve import read_session
from tests.factories import NOW
from tests.real_files import unpack

MIDNIGHT = 1_760_918_400.0
"""2025-10-20 UTC."""
DAY = 86_400.0


def _test(text: str) -> MessageTest:
    return message_test(parse(text, NOW, UTC), NOW, UTC)


def _messages(path: Path) -> list[Message]:
    store = open_store(path)
    return [m for key in store.catalog().keys for m in read_session(store, key, everything=True)]


def _time(message: Message) -> float:
    return message.timestamp or 0.0


def _names(message: Message) -> str:
    return " ".join([*(call.name for call in message.tool_calls), message.tool_name or ""]).lower()


def _has_tools(message: Message) -> bool:
    return message.role == "tool" or bool(message.tool_calls)


def _has_image(message: Message) -> bool:
    return "\n[image " in f"\n{message.text}"


QUESTIONS: dict[str, Callable[[Message], bool]] = {
    "role:user": lambda message: message.role == "user",
    "role:USER,tool": lambda message: message.role in ("user", "tool"),
    "-role:user": lambda message: message.role != "user",
    "role:user role:tool": lambda message: False,
    "tool:terminal": lambda message: "terminal" in _names(message),
    "tool:FILE": lambda message: "file" in _names(message),
    "-tool:terminal": lambda message: "terminal" not in _names(message),
    "has:tools": _has_tools,
    "has:image": _has_image,
    "has:reasoning": lambda message: bool(message.reasoning) or message.opaque_reasoning,
    "has:tools,image": lambda message: _has_tools(message) or _has_image(message),
    "has:tools has:image": lambda message: _has_tools(message) and _has_image(message),
    "-has:tools": lambda message: not _has_tools(message),
    "x before:2025-10-20": lambda message: _time(message) < MIDNIGHT,
    "x after:2025-10-20": lambda message: _time(message) >= MIDNIGHT,
    "x -before:2025-10-20": lambda message: _time(message) >= MIDNIGHT,
    "x -after:2025-10-20": lambda message: _time(message) < MIDNIGHT,
    "x on:2025-10-20": lambda message: MIDNIGHT <= _time(message) < MIDNIGHT + DAY,
    "x -on:2025-10-20": lambda message: not MIDNIGHT <= _time(message) < MIDNIGHT + DAY,
    "role:user on:2025-10-20": lambda message: (
        message.role == "user" and MIDNIGHT <= _time(message) < MIDNIGHT + DAY
    ),
    "x after:2025-10-19 before:2025-10-21 -on:2025-10-20": lambda message: (
        MIDNIGHT - DAY <= _time(message) < MIDNIGHT
    ),
}


def test_a_field_lets_through_what_plain_python_does(real_file: Path) -> None:
    messages = _messages(real_file)
    for text, judge in QUESTIONS.items():
        test = _test(text)
        passing = [message.id for message in messages if test.passes(message)]
        assert passing == [message.id for message in messages if judge(message)], text


def test_the_questions_tell_messages_of_the_real_files_apart(tmp_path: Path) -> None:
    """Or the test above would prove nothing."""
    messages = _messages(unpack("hermes-v22", tmp_path))
    for text, judge in QUESTIONS.items():
        assert text == "role:user role:tool" or len({judge(each) for each in messages}) == 2, text


def _message(**other: object) -> Message:
    plain = Message(
        id=1,
        session_id="s",
        role="user",
        timestamp=None,
        text="hello",
        reasoning="",
        opaque_reasoning=False,
        tool_calls=(),
        tool_call_id=None,
        tool_name=None,
        finish_reason=None,
        state=MessageState.LIVE,
    )
    return plain._replace(**other)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "is_there"),
    [
        ("[image]", True),
        ("look\n[image a [1].png 3 kB png]\nnice", True),
        ("an [image] of it", False),
        ("[images]", False),
        ("see [image", False),
    ],
)
def test_a_picture_is_what_stands_for_one(text: str, is_there: bool) -> None:
    assert _test("has:image").passes(_message(text=text)) is is_there


def test_a_tool_is_named_by_the_call_or_by_the_answer() -> None:
    test = _test("tool:github tool:search")
    assert test.passes(_message(tool_calls=(ToolCall("1", "mcp_GitHub_search", None),)))
    assert test.passes(_message(role="tool", tool_name="mcp_github_search"))
    both = (ToolCall("1", "github", None), ToolCall("2", "search", None))
    assert test.passes(_message(tool_calls=both))
    assert not test.passes(_message(tool_name="github"))


def test_a_message_without_a_time_is_on_no_day() -> None:
    for text in ("x before:today", "x after:2020", "x on:2025", "x -on:2025"):
        assert not _test(text).passes(_message())
    assert _test("x").passes(_message())


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("x", {"content", "tools", "reasoning", "title"}),
        ("x in:title", {"title"}),
        ("x in:content,tools", {"content", "tools"}),
        ("x in:content in:tools", {"content", "tools"}),
        ("x -in:tools", {"content", "reasoning", "title"}),
        ("x -in:tools,reasoning", {"content", "title"}),
        ("x in:content,tools -in:tools", {"content"}),
        ("x in:title -in:title", set()),
    ],
)
def test_words_stand_where_the_fields_say(text: str, places: set[str]) -> None:
    assert _test(text).places == places
    assert _test(text).idle


@pytest.mark.parametrize("text", ["role:user", "tool:x", "-has:image", "x on:2025", "x -on:2025"])
def test_a_test_that_asks_for_something_is_not_idle(text: str) -> None:
    assert not _test(text).idle


def test_days_come_as_one_span_and_what_is_left_out() -> None:
    test = _test("x after:2025-10-19 -after:2025-10-30 before:2025-10-21 -on:2025-10-20")
    assert (test.since, test.until) == (MIDNIGHT - DAY, MIDNIGHT + DAY)
    assert test.outside == (Period(MIDNIGHT, MIDNIGHT + DAY),)


def test_days_are_no_concern_of_messages_where_none_are_looked_for() -> None:
    test = _test("source:cli before:7d")
    assert (test.since, test.until) == (-math.inf, math.inf)
