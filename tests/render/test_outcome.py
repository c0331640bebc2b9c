"""How a call ended, told from its result."""

import pytest

from explorer.render.tools.results import LARGEST_JSON, opened


@pytest.mark.parametrize(
    ("text", "words", "style"),
    [
        ("fine", "✓", "ok"),
        ("", "✓", "ok"),
        ("Error executing tool: timeout", "✗ failed", "error"),
        ("ValueError: no", "✗ failed", "error"),
        ("fatal: not a git repository", "✗ failed", "error"),
        ("Traceback (most recent call last):\n  File", "✗ failed", "error"),
        ("Errors are handled in error.py: see there", "✓", "ok"),
        ('{"error": "no such file"}', "✗ failed", "error"),
        ('{"error": null, "exit_code": 0, "output": "a"}', "✓", "ok"),
        ('{"exit_code": -9, "output": ""}', "✗ exit -9", "error"),
        ('{"returncode": 2}', "✗ exit 2", "error"),
        ('{"exit_code": true}', "✓", "ok"),
        ('{"exit_code": 1, "exit_code_meaning": "No matches (not an error)"}', "✓ exit 1", "ok"),
        ('{"success": false}', "✗ failed", "error"),
        ('{"is_error": true}', "✗ failed", "error"),
        ('{"status": "timeout"}', "✗ timeout", "error"),
        ('{"status": "timed_out"}', "✗ timed out", "error"),
        ('{"status": [["timeout"]]}', "✓", "ok"),
        ('{"results": [{"error": "blocked"}, {"status": "failed"}]}', "✗ failed", "error"),
        ('{"results": [{"error": "blocked"}, {"status": "ok"}]}', "✓", "ok"),
        ("exit_code=2\nno such file", "✗ exit 2", "error"),
        ("exit_code=0\nerror: only a word", "✓", "ok"),
        ("no such file\n[exit code: 127]", "✗ exit 127", "error"),
        ("Process exited with code 1", "✗ exit 1", "error"),
        ("[Tool execution cancelled — x was skipped]", "✗ cancelled", "error"),
        ("[Duplicate tool output — same content as a more recent call]", "cleared", "dim"),
        ("{broken", "✓", "ok"),
        ("[1, 2]", "✓", "ok"),
    ],
)
def test_an_outcome_is_told_from_the_result(text: str, words: str, style: str) -> None:
    assert opened(text).outcome == (words, style)
    assert opened(text).failed is (style == "error")


def test_json_that_is_too_long_to_decode_still_tells_its_exit_code_and_its_output() -> None:
    line = "a line\\n"
    text = '{"output": "' + line * LARGEST_JSON + '", "exit_code": 3, "error": null}'
    result = opened(text)
    assert result.partial
    assert result.exit_code == 3
    assert result.said.startswith("a line\na line\n")
    assert len(result.said) < 100_000


def test_json_that_is_too_long_and_has_another_shape_is_text() -> None:
    text = '{"rows": [' + "1, " * LARGEST_JSON + "1]}"
    assert opened(text).value is None
    assert opened(text).outcome == ("✓", "ok")


def test_a_hint_behind_json_is_set_aside_but_text_that_begins_like_json_is_text() -> None:
    assert opened('{"a": 1}\n\n[Hint: more]').after == "\n\n[Hint: more]"
    assert opened("[1] first note").value is None
    assert opened('{"a": 1} and more').value is None
