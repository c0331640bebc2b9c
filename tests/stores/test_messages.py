"""What a stored message says: text and pictures, reasoning, calls, and whether it still counts."""

import json
from pathlib import Path

import pytest

from explorer.model import UNKNOWN, Message, MessageState, Thought, ToolCall
from explorer.stores.content import (
    Said,
    content_text,
    reasoning_text,
    tool_calls,
    what_was_said,
)
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.hermes.messages import message_state
from explorer.stores.kinds import open_store
from explorer.stores.resolve import without_repeats
from tests.factories import T0, altered, keys, one_session, say, talk, told


def _parts(*parts: object) -> str:
    return "\0json:" + json.dumps(list(parts))


def _picture(url: str) -> dict[str, object]:
    return {"type": "image_url", "image_url": {"url": url}}


MEGABYTES = "A" * 2_800_000


@pytest.mark.parametrize(
    ("part", "shown"),
    [
        (_picture("data:image/png;base64," + MEGABYTES), "[image 2.1 MB png]"),
        (_picture("data:image/jpeg;base64,AAAA"), "[image 3 B jpeg]"),
        (_picture("data:image/svg+xml,%3Csvg"), "[image 6 B svg+xml]"),
        (_picture("file:///tmp/shot.png"), "[image shot.png]"),
        (_picture("https://example.org/a/b.jpg?size=9#x"), "[image b.jpg]"),
        ({"type": "input_image", "image_url": "data:image/png;base64,AAAA"}, "[image 3 B png]"),
        ({"type": "image", "source": {"type": "base64", "data": "A" * 4000}}, "[image 3.0 kB]"),
        (
            {"type": "image", "source": {"media_type": "image/png", "data": "AAAA"}},
            "[image 3 B png]",
        ),
        (
            {"type": "input_audio", "input_audio": {"data": "A" * 4000, "format": "wav"}},
            "[audio 3.0 kB wav]",
        ),
        (
            {"type": "file", "file": {"filename": "tax.pdf", "file_data": "A" * 400}},
            "[file tax.pdf 300 B]",
        ),
        ({"type": "input_file", "file_url": "https://example.org/tax.pdf"}, "[file tax.pdf]"),
        ({"type": "file", "file": {"file_id": "f1"}}, "[file]"),
        ({"type": "image_url"}, "[image]"),
        ({"type": "image_url", "image_url": None}, "[image]"),
    ],
)
def test_what_is_not_text_becomes_a_placeholder(part: dict[str, object], shown: str) -> None:
    assert content_text(_parts(part)) == shown


def test_parts_stand_one_below_the_other() -> None:
    content = _parts({"type": "text", "text": "Look:"}, _picture("file:///x.png"), "and", None)
    assert content_text(content) == "Look:\n[image x.png]\nand\nnull"


def test_parts_within_parts_are_read() -> None:
    inner = {"type": "tool_result", "content": [{"type": "text", "text": "inside"}]}
    assert content_text(_parts(inner)) == "inside"


def test_an_unknown_part_is_shown_unchanged() -> None:
    assert (
        content_text(_parts({"type": "hologram", "beam": 3})) == '{"type": "hologram", "beam": 3}'
    )


def test_parts_that_do_not_decode_are_shown_without_the_marker() -> None:
    assert content_text("\0json:[{") == "json:[{"


def test_bare_json_is_parts_only_where_the_file_has_no_marker() -> None:
    bare = json.dumps([{"type": "text", "text": "hi"}, _picture("file:///x.png")])
    assert content_text(bare, bare_json=True) == "hi\n[image x.png]"
    assert content_text(bare) == bare
    other = '[{"type": "wall", "height": 2}]'
    assert content_text(other, bare_json=True) == other


@pytest.mark.parametrize(
    ("content", "beside", "said"),
    [
        ("plain", "hm", Said("plain", "hm", False)),
        ("<think>hm</think>Yes.", "", Said("Yes.", "hm", False)),
        ("<think>hm</think>Yes.", "hm", Said("Yes.", "hm", False)),
        ("One.\n<think>b</think>\nTwo.", "", Said("One.\n\nTwo.", "", False, (Thought(4, "b"),))),
        # The agent keeps what it thought beside the text too: where it stood says more.
        (
            "<think>a</think>One.\n<think>b</think>\nTwo.",
            "a\n\nb",
            Said("One.\n\nTwo.", "a", False, (Thought(4, "b"),)),
        ),
        ("One.\n<think>b</think>\nTwo.", "a, b, c", Said("One.\n\nTwo.", "a, b, c", False)),
    ],
)
def test_thoughts_between_tags_are_reasoning_once(content: str, beside: str, said: Said) -> None:
    assert what_was_said(content, (beside,)) == said


DETAILS = '[{"type": "reasoning.text", "text": "step"}]'
SUMMARY = '[{"type": "reasoning.summary", "summary": "in short"}]'
ENCRYPTED = '[{"type": "reasoning.encrypted", "data": "AAAA"}]'
CODEX = '[{"encrypted_content": "AA", "summary": [{"type": "summary_text", "text": "plan"}]}]'
CODEX_OPEN = '[{"summary": [], "content": [{"type": "reasoning_text", "text": "in full"}]}]'


@pytest.mark.parametrize(
    ("plain", "details", "codex", "found"),
    [
        (("a",), None, None, ("a", False)),
        ((None, "b", ""), None, None, ("b", False)),
        ((), DETAILS, None, ("step", False)),
        ((), SUMMARY, None, ("in short", False)),
        ((), '[{"thinking": "deep"}]', None, ("deep", False)),
        ((), '[{"summary": ["one", "two"]}]', None, ("one\n\ntwo", False)),
        ((), ENCRYPTED, None, ("", True)),
        ((), None, CODEX, ("plan", True)),
        ((), None, CODEX_OPEN, ("in full", False)),
        (("a", "b"), DETAILS, CODEX, ("a\n\nb\n\nstep\n\nplan", True)),
        ((), "broken", "[", ("", False)),
    ],
)
def test_reasoning_is_found_in_every_place(
    plain: tuple[object, ...], details: object, codex: object, found: tuple[str, bool]
) -> None:
    assert reasoning_text(plain, details, codex) == found


def test_a_thought_in_several_places_is_shown_once() -> None:
    assert reasoning_text(("Step", "Step", "Step and more"), None, None) == ("Step and more", False)


def _call(name: str, arguments: object, **more: object) -> dict[str, object]:
    return {"type": "function", "function": {"name": name, "arguments": arguments}, **more}


def test_arguments_are_decoded_where_they_decode() -> None:
    cell = json.dumps([_call("f", '{"x": [1]}', id="c1"), _call("g", "{oops", id="c2")])
    assert tool_calls(cell) == (ToolCall("c1", "f", {"x": [1]}), ToolCall("c2", "g", "{oops"))


def test_calls_are_read_in_the_shapes_of_other_providers() -> None:
    flat = json.dumps([{"call_id": "c1", "name": "f", "input": {"x": 1}}])
    assert tool_calls(flat) == (ToolCall("c1", "f", {"x": 1}),)
    nameless = json.dumps([_call("f", "{}", id=None, call_id="c2")])
    assert tool_calls(nameless) == (ToolCall("c2", "f", {}),)
    assert tool_calls(json.dumps(_call("f", "{}", id="c3"))) == (ToolCall("c3", "f", {}),)


@pytest.mark.parametrize("cell", [None, "", "[]", "null"])
def test_no_calls_are_no_calls(cell: object) -> None:
    assert tool_calls(cell) == ()


@pytest.mark.parametrize("cell", ["oops", "7", '"do it"', "[" * 1000])
def test_a_cell_without_a_call_is_one_in_its_own_words(cell: str) -> None:
    assert tool_calls(cell) == (ToolCall(None, "?", cell),)


def test_an_unknown_call_among_calls_is_kept() -> None:
    cell = json.dumps([_call("f", "{}", id="c1"), {"weird": 1}, 5])
    assert tool_calls(cell) == (
        ToolCall("c1", "f", {}),
        ToolCall(None, "?", {"weird": 1}),
        ToolCall(None, "?", 5),
    )


def test_a_result_names_the_call_it_answers(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    calls = [_call("terminal", "{}", id="c1"), _call("read", "{}", id="c2")]
    with StateFile.create(path) as state:
        talk(state, "s", "go")
        state.append_message("s", "assistant", "", tool_calls=calls, timestamp=T0 + 2)
        for name in ("c2", "c1"):
            state.append_message(
                "s", "tool", "ok", tool_call_id=name, tool_name="x", timestamp=T0 + 3
            )
    _, asking, *results = told(path)
    assert [call.id for call in asking.tool_calls] == ["c1", "c2"]
    assert [(result.tool_call_id, result.tool_name) for result in results] == [
        ("c2", "x"),
        ("c1", "x"),
    ]


def test_an_outline_knows_what_the_message_holds(tmp_path: Path) -> None:
    path = one_session(tmp_path / "state.db", "häh", "Yes.")
    with altered(path) as db:
        say(db, "s", role="assistant", content=None, tool_calls="[1]")
        say(db, "s", role="tool", content="\0json:[]", tool_call_id="c1", active=0)
    store = open_store(path)
    said = [
        (one.role, one.size, one.calls, one.tool_call_id, one.state)
        for one in store.outlines(keys(store)["s"], rewound=True)
    ]
    live = MessageState.LIVE
    assert said == [
        ("user", 4, False, None, live),
        ("assistant", 4, False, None, live),
        ("assistant", 0, True, None, live),
        ("tool", 8, False, "c1", MessageState.REWOUND),
    ]
    assert len(store.outlines(keys(store)["s"])) == 3


def test_the_first_outlines_are_those_of_all_but_for_sizes(tmp_path: Path) -> None:
    store = open_store(one_session(tmp_path / "state.db", "a", "bb", "ccc"))
    key = keys(store)["s"]
    whole = store.outlines(key)
    assert store.first_outlines(key, 4) == (whole, True)
    assert store.first_outlines(key, 2) == ([o._replace(size=UNKNOWN) for o in whole[:2]], False)


def test_text_of_a_provider_replaces_empty_content(tmp_path: Path) -> None:
    path = one_session(tmp_path / "state.db")
    items = '[{"type": "message", "content": [{"type": "output_text", "text": "Done."}]}]'
    with altered(path) as db:
        say(db, "s", role="assistant", content="", codex_message_items=items)
    assert told(path)[-1].text == "Done."


def test_tags_are_thoughts_of_the_agent_only(tmp_path: Path) -> None:
    path = one_session(tmp_path / "state.db", "<think>quoted</think> why?", "<think>hm</think>So.")
    asked, answered = told(path)
    assert (asked.text, asked.reasoning) == ("<think>quoted</think> why?", "")
    assert (answered.text, answered.reasoning) == ("So.", "hm")


@pytest.mark.parametrize(
    ("active", "compacted", "state"),
    [
        (1, 0, MessageState.LIVE),
        (None, None, MessageState.LIVE),
        (1, 1, MessageState.LIVE),
        (0, 0, MessageState.REWOUND),
        (0, None, MessageState.REWOUND),
        (0, 1, MessageState.COMPACTED),
        ("x", "y", MessageState.LIVE),
    ],
)
def test_the_flags_tell_the_state(active: object, compacted: object, state: MessageState) -> None:
    assert message_state(active, compacted) is state


def test_messages_are_ordered_by_id_though_clocks_step_back(tmp_path: Path) -> None:
    path = one_session(tmp_path / "state.db", "first", "second")
    with altered(path) as db:
        db.execute("UPDATE messages SET timestamp = timestamp - 100 * id")
    assert [message.text for message in told(path)] == ["first", "second"]


def _message(id_: int, text: str = "hi", role: str = "user", **more: object) -> Message:
    plain = Message(id_, "s", role, T0, text, "", False, (), None, None, None, MessageState.LIVE)
    return Message(**(plain._asdict() | more))


def test_a_run_of_equal_messages_is_one_and_counted() -> None:
    told_ = [_message(1), _message(2), _message(3), _message(4, "other"), _message(5)]
    assert [(m.id, m.repeats) for m in without_repeats(told_)] == [(1, 3), (4, 1), (5, 1)]


@pytest.mark.parametrize(
    "other",
    [
        _message(2, "ho"),
        _message(2, role="assistant"),
        _message(2, reasoning="hm"),
        _message(2, thoughts=(Thought(1, "hm"),)),
        _message(2, tool_call_id="c"),
        _message(2, tool_calls=(ToolCall("c", "f", {}),)),
        _message(2, state=MessageState.COMPACTED),
    ],
)
def test_messages_that_differ_in_anything_seen_are_both_kept(other: Message) -> None:
    assert len(list(without_repeats([_message(1), other]))) == 2


def test_messages_that_say_nothing_are_not_repeats() -> None:
    assert len(list(without_repeats([_message(1, ""), _message(2, "")]))) == 2
