"""What a stored message says: its text, its reasoning and its tool calls; and its preview.

Content is text, or a list of parts (text, images, files) behind a marker; reasoning may be in any
of five places. Pictures become placeholders here, before anything lays them out: a data URL may be
many megabytes. Agents put scaffolding before or instead of what a person wrote (workspace blocks,
system notes, summaries of earlier parts), so a preview leaves it out.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from explorer.model import Message, Thought, ToolCall
from explorer.render import veil
from explorer.render.figures import size
from explorer.render.passages import turn
from explorer.render.plain_words import plain
from explorer.render.reasoning import split_reasoning
from explorer.stores.sqlite import cells

MARKER = "\x00json:"
"""What newer agents put before content that is a list or an object."""

_MEDIA = {"image_url": "image", "input_image": "image", "image": "image"}
_MEDIA |= {"input_audio": "audio", "audio": "audio", "video_url": "video", "video": "video"}
_MEDIA |= {"file": "file", "input_file": "file", "document": "file"}
_WHERE = ("url", "data", "file_data", "file_url", "source", *_MEDIA)
"""Where a part may keep what it holds, or an object that does."""


def content_text(cell: object, bare_json: bool = False) -> str:
    """The readable text of a content cell, with placeholders for what is not text."""
    source = cells.words(cell)
    if source.startswith(MARKER):
        value = cells.decoded(source[len(MARKER) :])
        return source[1:] if value is cells.BROKEN else parts_text(value)
    if bare_json and source.startswith('[{"type"'):
        value = cells.decoded(source)
        if isinstance(value, list) and all(_is_part(part) for part in value):
            return parts_text(value)
    return source


def parts_text(value: object) -> str:
    """Parts as text, one below the other."""
    if isinstance(value, list):
        return "\n".join(filter(None, map(parts_text, value)))
    if not isinstance(value, dict):
        return value if isinstance(value, str) else _raw(value)
    kind = _MEDIA.get(cells.words(value.get("type")))
    if kind:
        return _placeholder(kind, value)
    inner = value.get("text", value.get("content"))
    if isinstance(inner, str):
        return inner
    return parts_text(inner) if isinstance(inner, list) else _raw(value)


class Said(NamedTuple):
    """What the agent said in one message, and what it thought."""

    text: str
    reasoning: str
    """Before the text."""
    opaque: bool
    """Some of it is encrypted for the provider."""
    thoughts: tuple[Thought, ...] = ()
    """In the middle of the text."""


def what_was_said(
    content: str, plain: Sequence[object], details: object = None, codex: object = None
) -> Said:
    """Content of the agent, without the thoughts between tags in it, and its reasoning from every
    place, each thought once. Some agents keep a copy of all thoughts of a text beside it: those are
    shown where they stood."""
    text, thoughts = split_reasoning(content)
    if not thoughts:
        return Said(text, *reasoning_text(plain, details, codex))
    copied = " ".join(thought.text for thought in thoughts).split()
    kept = [cell for cell in plain if cells.words(cell).split() != copied]
    first = "\n\n".join(thought.text for thought in thoughts if not thought.at)
    reasoning, opaque = reasoning_text((*kept, first), details, codex)
    inside = (one for one in thoughts if one.at and one.text not in reasoning)
    return Said(text, reasoning, opaque, tuple(inside))


def reasoning_text(plain: Iterable[object], details: object, codex: object) -> tuple[str, bool]:
    """(text, opaque): reasoning from every place, each thought once; opaque when some of it is
    encrypted for the provider."""
    found = [cells.words(cell) for cell in plain]
    opaque = False
    for item in cells.items(details) + cells.items(codex):
        opaque = opaque or bool(item.get("encrypted_content")) or "data" in item
        found += _thoughts(item)
    kept: list[str] = []
    for thought in (text.strip() for text in found):
        if thought and not any(thought in other for other in kept):
            kept = [*(other for other in kept if not thought.startswith(other)), thought]
    return "\n\n".join(kept), opaque


def tool_calls(cell: object) -> tuple[ToolCall, ...]:
    """The calls in a cell; an unknown form becomes a call with its own text."""
    source = cells.text(cell)
    if not source or source in ("[]", "null"):
        return ()
    value = cells.decoded(source)
    if isinstance(value, list):
        return tuple(map(_call, value))
    return (_call(value) if isinstance(value, dict) else ToolCall(None, "?", source),)


def loose_message(fields: Mapping[str, object], session_id: str = "", number: int = 0) -> Message:
    """A message by the names of its columns, wherever it was kept: as a row in our trash, or as an
    object in a transcript beside the state file."""
    role = cells.words(fields.get("role"))
    content = fields.get("content")
    calls = fields.get("tool_calls", fields.get("tool_calls_json"))
    if isinstance(content, (list, dict)):
        text = parts_text(content)
    else:
        text = content_text(content, bare_json="active" not in fields)
    kept = [fields.get(name) for name in ("reasoning", "reasoning_content")]
    plain = [one for one in kept if not isinstance(one, (list, dict))]
    beside = (fields.get(name) for name in ("reasoning_details", "codex_reasoning_items"))
    details, codex = map(_listed, beside)
    if role == "assistant":
        said = what_was_said(text, plain, details, codex)
    else:
        said = Said(text, *reasoning_text(plain, details, codex))
    return Message(
        id=number,
        session_id=session_id,
        role=role,
        timestamp=cells.seconds(fields.get("timestamp", fields.get("created_at"))),
        text=said.text or message_items_text(_listed(fields.get("codex_message_items"))),
        reasoning=said.reasoning,
        opaque_reasoning=said.opaque,
        thoughts=said.thoughts,
        tool_calls=tuple(map(_call, calls)) if isinstance(calls, list) else tool_calls(calls),
        tool_call_id=cells.text(fields.get("tool_call_id")),
        tool_name=cells.text(fields.get("tool_name", fields.get("name"))),
        finish_reason=cells.text(fields.get("finish_reason")),
    )


def _listed(value: object) -> object:
    """A list as the cell that a state file has for it."""
    return json.dumps(value) if isinstance(value, (list, dict)) else value


def message_items_text(cell: object) -> str:
    """The text in a provider's own message items, for rows whose content is empty."""
    return "\n".join(filter(None, (parts_text(item.get("content")) for item in cells.items(cell))))


def _call(item: object) -> ToolCall:
    if not isinstance(item, dict):
        return ToolCall(None, "?", item)
    function = item.get("function")
    body = function if isinstance(function, dict) else item
    name = body.get("name")
    if not isinstance(name, str):
        return ToolCall(None, "?", item)
    arguments = body.get("arguments", body.get("input"))
    if isinstance(arguments, str):
        value = cells.decoded(arguments)
        arguments = arguments if value is cells.BROKEN else value
    return ToolCall(cells.text(item.get("id") or item.get("call_id")), name, arguments)


def _thoughts(item: dict[str, object]) -> list[str]:
    texts = [item.get("text"), item.get("thinking")]
    for inner in (item.get("summary"), item.get("content")):
        for part in inner if isinstance(inner, list) else [inner]:
            texts.append(part.get("text") if isinstance(part, dict) else part)
    return [text for text in texts if isinstance(text, str)]


def _is_part(value: object) -> bool:
    return isinstance(value, dict) and (cells.words(value.get("type")) in _MEDIA or "text" in value)


def _placeholder(kind: str, part: dict[str, object]) -> str:
    name = subtype = amount = ""
    body: object = part
    while isinstance(body, dict):
        name = name or cells.words(body.get("filename", body.get("name")))
        subtype = cells.words(body.get("media_type", body.get("format"))).rpartition("/")[2]
        body = next((body[key] for key in _WHERE if body.get(key)), "")
    source = cells.words(body)
    if source.startswith("data:"):
        head, _, data = source.partition(",")
        amount = size(len(data) * 3 // 4 if head.endswith(";base64") else len(data))
        subtype = head[5:].split(";")[0].rpartition("/")[2]
    elif "://" in source:
        path = source.partition("://")[2].partition("?")[0].partition("#")[0]
        name = name or path.rpartition("/")[2] or source
    elif subtype or len(source) > 200:
        amount = size(len(source) * 3 // 4)
    else:
        name = name or source
    return f"[{' '.join(filter(None, (kind, name, amount, subtype)))}]"


def _raw(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


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
    found = turn(veil.cut(text, PREVIEW_CHARS * 80), summary)
    if found.names_skill:
        return _line(found.said)
    rest = veil.cut(found.said, PREVIEW_CHARS * 40)
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
    first = plain(veil.cut(text.lstrip(), PREVIEW_CHARS * 2))
    return veil.cut(" ".join(first.split()), PREVIEW_CHARS)
