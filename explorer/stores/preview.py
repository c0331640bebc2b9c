"""The words that tell one session from another: its first request and its last answer.

Agents put scaffolding before or instead of what a person wrote (workspace blocks, system notes,
summaries of earlier parts); a preview that shows those tells nothing.
"""

import re

from explorer.render.passages import turn

PREVIEW_CHARS = 300
"""Enough for a row on the widest screen."""

_BLOCK = r"(?s)\s*<([A-Za-z][\w-]*)(?:\s[^>]*)?>.*?</\1>\s*"
_NOTE = r"(?i)\s*\[(?:SYSTEM|CONTEXT|NOTE|IMPORTANT)\b[^\]]*\]:?\s*"
_SCAFFOLDING = (
    "[compressed",
    "[your previous",
    "review the conversation above and",
    "<workspace_context",
    "<environment_context",
    "[system",
)


def said(text: str, summary: bool = False) -> str:
    """What a person said in `text`, without the scaffolding around it; may be empty. The agent may
    have marked it as a `summary`."""
    found = turn(text[: PREVIEW_CHARS * 80], summary)
    if found.names_skill:
        return _line(found.said)
    rest = found.said[: PREVIEW_CHARS * 40]
    lowered = rest[:60].lstrip().lower()
    if lowered.startswith(_SCAFFOLDING[:3]):
        return ""
    while True:
        pattern = {"<": _BLOCK, "[": _NOTE}.get(rest.lstrip()[:1])
        match = re.match(pattern, rest) if pattern else None
        if match is None:
            break
        rest = rest[match.end() :]
    if rest.lstrip()[:60].lower().startswith(_SCAFFOLDING):
        return ""
    return _line(rest)


def _line(text: str) -> str:
    return " ".join(text[: PREVIEW_CHARS * 4].split())[:PREVIEW_CHARS]
