"""How a tool call ended, in a few words: ok or not, the exit code, how much came back."""

import json
import re

from explorer.render.amounts import count, plural

_FAILED = r"(?i)\s*(?:error\b|traceback \(most recent|fatal:|exception\b)"
LARGEST_JSON = 1_000_000


def outcome(text: str) -> tuple[str, str]:
    """(words, style) for the result of a call."""
    lines = text.count("\n") + 1 if text.strip() else 0
    much = plural(lines, "line") if lines else "no output"
    value = _json(text)
    if value is not None:
        inner = value.get("output")
        if isinstance(inner, str):
            much = plural(inner.count("\n") + 1, "line") if inner.strip() else "no output"
        code = value.get("exit_code", value.get("returncode"))
        if isinstance(code, int) and code != 0:
            return f"✗ exit {count(code)} · {much}", "error"
        if value.get("error") or value.get("success") is False:
            return f"✗ failed · {much}", "error"
    elif re.match(_FAILED, text):
        return f"✗ failed · {much}", "error"
    return f"✓ {much}", "ok"


def _json(text: str) -> dict[str, object] | None:
    if not text.startswith("{") or len(text) > LARGEST_JSON:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
