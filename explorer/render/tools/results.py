"""What a tool sent back, opened once: JSON taken apart, the agent's own wrapping set aside, and
how the call ended: well or not, and if a program ran, with which exit code.

A result is whatever the tool printed, or JSON with the output in one of its fields, possibly with
a hint of the agent behind it. Only so much is ever decoded as takes a few milliseconds: of longer
JSON the beginning of its first text, and the exit code at its end.
"""

import json
import re
from typing import NamedTuple

from explorer.render.clean import clean_line
from explorer.render.figures import count, size

LARGEST_JSON = 400_000
"""Letters of JSON that are decoded: the densest takes 25 ms."""
OPENED = 100_000
"""Letters of longer JSON that are looked at, more than any pane shows."""
TEXTS = (
    *("output", "stdout", "diff", "matches_text", "content", "result", "text", "snapshot"),
    *("summary", "analysis", "response", "answer", "message"),
)
"""Fields that hold what a person wants to read, the most telling first."""

MEDIA = r"\[(?:image|audio|video|file) [^\]\n]{1,200}\]"
"""What the reader of the file has put in the place of a picture."""

_UNTRUSTED = ("<untrusted_tool_result", "\n\n", "</untrusted_tool_result>")
_SAVED = ("<persisted-output>", " chars):\n", "</persisted-output>")
_SAVED_SIZE = r"was too large \(([\d,]{1,20}) characters"
_FIRST_TEXT = r'\{\s{0,9}"([a-z_]{1,20})"\s{0,9}:\s{0,9}"'
_ESCAPED = r'(?:[^"\\]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*'
_PLAIN = r'(?:, ?"[a-z_]+": ?(?:null|true|false|""))*'
_LAST_CODE = rf'"(?:exit_code|returncode)": ?(-?\d{{1,9}}){_PLAIN}\}}$'

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


class ToolResult(NamedTuple):
    """A result, in the parts that are drawn apart from each other."""

    text: str
    """What the tool said, without what the agent wrapped round it."""
    value: dict[str, object] | list[object] | None = None
    """The same, decoded, where it is an object or a list."""
    before: str = ""
    """The agent's words above it: that it is not to be trusted, that it was saved to a file."""
    after: str = ""
    partial: bool = False
    """Only the beginning of the JSON was decoded."""
    length: int | None = None
    """How long it was before the agent cut it, in letters."""

    @property
    def fields(self) -> dict[str, object]:
        return self.value if isinstance(self.value, dict) else {}

    @property
    def said(self) -> str:
        """The text that matters, whether it came bare or in a field."""
        if self.value is None:
            return self.text
        value = self.fields.get(main_field(self.fields))
        return value if isinstance(value, str) else ""

    @property
    def exit_code(self) -> int | None:
        """From a field or from the first or last line of the text; None if unknown."""
        code = self.fields.get("exit_code", self.fields.get("returncode"))
        if isinstance(code, int) and not isinstance(code, bool):
            return code
        if self.value is not None:
            return None
        text = self.text
        first = re.match(_CODE, text[:200].partition("\n")[0])
        found = first or re.match(_CODE, text[-200:].rstrip().rpartition("\n")[2])
        return int(found[1]) if found else None

    @property
    def outcome(self) -> tuple[str, str]:
        """(words, style): "✓", "✗ exit 2", "✗ failed"."""
        fields = self.fields
        code = self.exit_code
        meaning = fields.get("exit_code_meaning")
        if code and isinstance(meaning, str) and "not an error" in meaning:
            return f"✓ exit {count(code)}", "ok"
        if code:
            return f"✗ exit {count(code)}", "error"
        status = fields.get("status")
        if isinstance(status, str) and status in _BAD:
            return f"✗ {status.replace('_', ' ')}", "error"
        told = fields.get("error") or fields.get("is_error") is True
        if told or fields.get("success") is False or _none_worked(fields.get("results")):
            return "✗ failed", "error"
        if self.value is None:
            if self.text.startswith(_CLEARED):
                return NOTHING[0], "dim"
            if re.match(_CANCELLED, self.text):
                return NOTHING[1], "error"
            if code is None and re.match(_FAILED, self.text[:400].lstrip()):
                return "✗ failed", "error"
        return "✓", "ok"

    @property
    def failed(self) -> bool:
        """Whether it tells of a failure; its beginning is enough."""
        return self.outcome[1] == "error"


def opened(text: str) -> ToolResult:
    """The parts of a result."""
    before, body, after = _unwrapped(text, *_UNTRUSTED)
    saved, body, end = _unwrapped(body, *_SAVED)
    told = re.search(_SAVED_SIZE, saved)
    length = int(told[1].replace(",", "") or 0) if told else None
    if told:
        body = body.rstrip().removesuffix("...")
    before, after = before + saved, end + after
    found = _decoded(body)
    if found is not None:
        value, rest = found
        return ToolResult(body[: len(body) - len(rest)], value, before, rest + after, length=length)
    first = _first_text(body) if told or len(body) > LARGEST_JSON else None
    return ToolResult(body, first, before, after, partial=first is not None, length=length)


def main_field(fields: dict[str, object]) -> str:
    """The name of the field that holds the output, even if there was none; or nothing."""
    told = [name for name in TEXTS if isinstance(fields.get(name), str)]
    return next((name for name in told if str(fields[name]).strip()), next(iter(told), ""))


def placeholder(text: str) -> str:
    """Type and size of data that is not text, clean; empty for text."""
    start = text[:2000]
    if len(text) < 300 and re.fullmatch(MEDIA, text.strip()):
        return clean_line(text)
    if start.startswith("data:") and ";base64," in start[:200]:
        kind = clean_line(start[5:].partition(";")[0], 40)
        return f"[{kind or 'data'} · {size(len(text) * 3 // 4)}]"
    if len(text) > 1000 and re.fullmatch(r"[A-Za-z0-9+/_=\r\n-]+", start) and _mixed(start):
        return f"[base64 data · {size(len(text) * 3 // 4)}]"
    odd = len(re.findall("[\x00-\x08\x0e-\x1a\x1c-\x1f\ufffd\udc80-\udcff]", start))
    if odd > 8 and odd * 10 > len(start):
        return f"[binary data · {size(len(text))}]"
    return ""


def _none_worked(results: object) -> bool:
    """Whether all of several things that were done at once failed."""
    if not isinstance(results, list) or not results:
        return False
    return all(
        isinstance(one, dict) and (one.get("error") or one.get("status") in _BAD)
        for one in results[:100]
    )


def _unwrapped(text: str, opening: str, ends: str, closing: str) -> tuple[str, str, str]:
    """(wrapping, what is inside, wrapping); all of it inside where there is no wrapping."""
    start = text.find(ends, 0, 2000) if text.startswith(opening) else -1
    end = text.rfind(closing) if start >= 0 else -1
    if end < start or start < 0:
        return "", text, ""
    start += len(ends)
    return text[:start], text[start:end].removesuffix("\n"), text[end:]


def _decoded(text: str) -> tuple[dict[str, object] | list[object], str] | None:
    """(value, what stands behind it) of JSON; agents put hints on lines of their own after it."""
    if not text.startswith(("{", "[")) or len(text) > LARGEST_JSON:
        return None
    try:
        value, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return None
    rest = text[end:]
    if rest.strip() and not (isinstance(value, dict) and rest.startswith(("\n", "\r"))):
        return None
    return value, rest


def _first_text(text: str) -> dict[str, object] | None:
    """The first field of an object that is too long or was cut, if it holds the output; with the
    exit code, if it is the end of the object."""
    start = re.match(_FIRST_TEXT, text)
    if start is None or start[1] not in TEXTS:
        return None
    inside = re.match(_ESCAPED, text[start.end() : start.end() + OPENED])
    words = inside[0] if inside else ""
    fields: dict[str, object] = {start[1]: json.loads(f'"{words}"', strict=False)}
    code = re.search(_LAST_CODE, text[-200:].rstrip())
    return fields | {"exit_code": int(code[1])} if code else fields


def _mixed(text: str) -> bool:
    """Whether it has what encoded bytes have in any thousand letters, and words have not."""
    return all(re.search(kind, text) for kind in ("[a-z]", "[A-Z]", "[0-9]")) and "\n\n" not in text
