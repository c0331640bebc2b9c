"""How a tool call ended: well or not, and if a program ran, with which exit code."""

import re

from explorer.render.amounts import count
from explorer.render.tools.results import Result, opened

NOTHING = ("cleared", "✗ cancelled")
"""The outcomes in which the text is not the tool's but the agent's, in the place of a result."""

_FAILED = (
    r"(?i)(?:[a-z.]{0,40}(?:error|exception)\b[^\n:]{0,80}:|fatal:"
    r"|error executing|traceback \(most recent)"
)
_CANCELLED = r"\[Tool execution (?:cancelled|skipped)"
_CLEARED = ("[Old tool output cleared", "[Duplicate tool output")
_CODE = (
    r"(?i)\[?(?:process )?(?:exited with|exit)[ _](?:code|status)[:= ]{1,2}(-?\d{1,9})\b"
    r"[^\n]{0,80}$"
)
_BAD = ("error", "failed", "failure", "timeout", "timed_out", "interrupted", "cancelled")


def outcome(result: Result) -> tuple[str, str]:
    """(words, style): "✓", "✗ exit 2", "✗ failed"."""
    fields = result.fields
    code = exit_code(result)
    meaning = fields.get("exit_code_meaning")
    if code and isinstance(meaning, str) and "not an error" in meaning:
        return f"✓ exit {count(code)}", "ok"
    if code:
        return f"✗ exit {count(code)}", "error"
    status = fields.get("status")
    if isinstance(status, str) and status in _BAD:
        return f"✗ {status.replace('_', ' ')}", "error"
    bad = fields.get("error") or fields.get("success") is False or fields.get("is_error") is True
    if bad or _none_worked(fields.get("results")):
        return "✗ failed", "error"
    if result.value is None:
        if result.text.startswith(_CLEARED):
            return NOTHING[0], "dim"
        if re.match(_CANCELLED, result.text):
            return NOTHING[1], "error"
        if code is None and re.match(_FAILED, result.text[:400].lstrip()):
            return "✗ failed", "error"
    return "✓", "ok"


def _none_worked(results: object) -> bool:
    """Whether all of several things that were done at once failed."""
    if not isinstance(results, list) or not results:
        return False
    return all(
        isinstance(one, dict) and (one.get("error") or one.get("status") in _BAD)
        for one in results[:100]
    )


def failed(text: str) -> bool:
    """Whether a result tells of a failure; its beginning is enough."""
    return outcome(opened(text))[1] == "error"


def exit_code(result: Result) -> int | None:
    """The exit code, from a field or from the first or last line of the text; None if unknown."""
    code = result.fields.get("exit_code", result.fields.get("returncode"))
    if isinstance(code, int) and not isinstance(code, bool):
        return code
    if result.value is not None:
        return None
    text = result.text
    first = re.match(_CODE, text[:200].partition("\n")[0])
    found = first or re.match(_CODE, text[-200:].rstrip().rpartition("\n")[2])
    return int(found[1]) if found else None
