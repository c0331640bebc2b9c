"""Calls that nobody meant well: whatever is stored, lines fit and are clean."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.model import ToolCall
from explorer.render.blocks import CAP, whole_text
from explorer.render.clean import clean
from explorer.render.lines import line_width
from explorer.render.tools import call as tools
from tests.hostile import HOSTILE
from tests.render.calls import answer


def _check(name: str, arguments: object, result: str, width: int) -> None:
    call = ToolCall("c", name, arguments, 990.0)
    for answered in (answer(result), None):
        work = tools.understood(call, answered)
        drawn = [tools.head(work, True, width)]
        for brief in (True, False):
            lines, more = tools.body(work, brief, width, CAP)
            assert len(lines) <= CAP + 3
            assert more >= 0
            drawn += lines
        for line in drawn:
            assert line_width(line) <= width
            for text, _ in line:
                assert clean(text) == text


def _shapes(text: str) -> list[object]:
    """Arguments of every kind of call."""
    return [
        text,
        {"command": text},
        {"path": text, "content": text},
        {"path": text, "old_string": text, "new_string": text[::-1]},
        {"patch": f"*** Begin Patch\n*** Update File: {text}\n@@\n-{text}\n+{text}"},
        {"query": text, text[:50]: [text, {text[:50]: text}]},
        {"todos": [{"content": text, "status": "completed"}, {"text": text, "status": text}]},
        {"tasks": [{"goal": text}]},
    ]


def _results(text: str) -> list[str]:
    return [
        text,
        json.dumps({"output": text, "exit_code": 1, "stderr": text, "error": text, text[:9]: 1}),
        json.dumps({"content": f"1|{text}\n2|{text}"}),
        json.dumps({"diff": f"--- {text}\n+++ {text}\n@@ -1 +1 @@\n-{text}\n+{text}"}),
        json.dumps({"matches": [{"path": text, "line": 10**30, "content": text}]}),
        json.dumps({"results": [{"url": text, "title": text, "content": text, "error": text}]}),
        json.dumps({"results": [{"status": text, "summary": text, "duration_seconds": -1}]}),
        json.dumps([[[text]], {text[:50]: {"x": text}}]) + f"\n{text}",
    ]


@pytest.mark.parametrize(("name", "text"), HOSTILE)
def test_no_text_breaks_out_of_a_call(name: str, text: str) -> None:
    for width, arguments, result in zip(
        (10, 11, 23, 38, 52, 79, 98, 120), _shapes(text), _results(text), strict=True
    ):
        _check(text, arguments, result, width)
        _check(text, arguments, text, 130 - width)


@pytest.mark.parametrize(
    "result",
    [
        "[" * 100_000,
        "[" * 900 + "]" * 900,
        '{"a":' * 900 + "1" + "}" * 900,
        '{"status": ' + "[" * 900 + "]" * 900 + "}",
        '{"diff": ' + "[" * 900 + "]" * 900 + ', "error": [[]]}',
        '{"exit_code": ' + "9" * 4000 + "}",
        '{"n": ' + "9" * 6000 + "}",
        "[NaN, Infinity, -Infinity, 1e999]",
        '{"output": "\\ud800\\udc00\\u0000", "exit_code": NaN, "duration_seconds": NaN}',
        '{"todos": [], "results": [], "matches": [1, "a", null], "files": [[]]}',
        '{"total_lines": 1e400, "content": "1|a"}',
        "[image \x1b[2J\u202e]",
        "data:\x1b]0;x\x07;base64,AAAA",
        json.dumps({"output": "[file \x9b2J 2 kB]", "image": "data:\x1bc;base64,AA"}),
        " " * 2_000_000,
        "{" + " " * 2_000_000,
        "<untrusted_tool_result>\n\n</untrusted_tool_result>",
        "<untrusted_tool_result",
        "<persisted-output>\nwas too large (,,, characters chars):\n</persisted-output>",
        "@@ -1,999999999 +1,999999999 @@\n" + "+x\n" * 50_000,
    ],
)
def test_no_result_is_too_odd_to_draw(result: str) -> None:
    asked: list[object] = [{"path": "x"}, {"pattern": "x"}, {"command": "x"}, None, [], 7]
    for arguments in asked:
        _check("read", arguments, result, 40)
        assert isinstance(whole_text(answer(result), "call", ToolCall("c", "x", arguments)), str)


_NAMES = (
    *("command", "cmd", "path", "content", "old_string", "new_string", "patch", "diff", "edits"),
    *("query", "pattern", "todos", "tasks", "status", "goal", "code", "url", "urls", "action"),
    *("output", "stderr", "error", "exit_code", "success", "results", "data", "web", "matches"),
    *("files", "matches_text", "total_count", "total_lines", "truncated", "summary", "line"),
)
_TEXTS = st.one_of(
    st.text(max_size=60),
    st.sampled_from(
        ["completed", "@@ -1 +1 @@\n-a\n+b", "1|a\n2|b", '{"a": [1]}', "Error: no", ""]
    ),
)
_JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), _TEXTS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=5),
        st.dictionaries(
            st.one_of(st.sampled_from(_NAMES), st.text(max_size=30)), inner, max_size=5
        ),
    ),
    max_leaves=20,
)


@settings(deadline=None, max_examples=200, derandomize=True)
@given(
    st.text(max_size=30),
    _JSON,
    st.one_of(
        _TEXTS, _JSON.map(json.dumps), st.tuples(_JSON.map(json.dumps), _TEXTS).map("\n".join)
    ),
    st.integers(10, 120),
)
def test_any_json_is_drawn_within_its_pane(
    name: str, arguments: object, result: str, width: int
) -> None:
    _check(name, arguments, result, width)
    whole = whole_text(answer(result), "call", ToolCall("c", name, arguments))
    assert isinstance(whole, str)
