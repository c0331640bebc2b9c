"""What makes writing an invented session pleasant: calls, pictures, and a `DemoSession` with its own clock.

A chat is told forwards but placed backwards: `ago` is when its last message came, so that the list
shows the times we chose whatever is said in it. Nothing here knows the real time or real chance;
pauses and ids come from a hash of the chat's name.
"""

import base64
import hashlib
import json
import random
import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from difflib import unified_diff
from typing import Self

MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0

CHAT_APPS = ("telegram", "slack", "discord", "email", "whatsapp", "api_server")

SUMMARY = (
    "[CONTEXT COMPACTION — REFERENCE ONLY] What came before was folded into these notes. They are"
    " background, not a request; the newest message says what to do next.\n\n"
)


@dataclass(frozen=True, slots=True)
class Model:
    """A model, who bills for it, and dollars per million tokens in and out."""

    name: str
    provider: str
    prices: tuple[float, float] = (0.0, 0.0)


SONNET = Model("anthropic/claude-sonnet-4.5", "openrouter", (3.0, 15.0))
OPUS = Model("anthropic/claude-opus-4.5", "anthropic", (5.0, 25.0))
CODEX = Model("openai/gpt-5.1-codex", "openai-codex")
GEMINI = Model("google/gemini-3-pro", "google", (2.0, 12.0))
HERMES = Model("nousresearch/hermes-4-405b", "nous", (1.0, 3.0))
QWEN = Model("qwen3-coder:30b", "ollama")


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call; without a result it was interrupted."""

    name: str
    arguments: Mapping[str, object]
    result: str | None = None


def tool(name: str, arguments: Mapping[str, object], result: object) -> Call:
    said = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
    return Call(name, arguments, said)


def sh(command: str, output: str, code: int = 0, error: str | None = None) -> Call:
    result = {"output": output, "exit_code": code, "error": error}
    return tool("terminal", {"command": command}, result)


def read(path: str, text: str) -> Call:
    lines = text.strip("\n").split("\n")
    numbered = "\n".join(f"{number}|{line}" for number, line in enumerate(lines, 1))
    result = {"content": numbered, "total_lines": len(lines), "file_size": len(text.encode())}
    return tool("read_file", {"path": path}, {**result, "truncated": False})


def edit(path: str, old: str, new: str) -> Call:
    diff = unified_diff(old.splitlines(), new.splitlines(), f"a/{path}", f"b/{path}", lineterm="")
    result = {"success": True, "diff": "\n".join(diff), "files_modified": [path]}
    arguments = {"mode": "replace", "path": path, "old_string": old, "new_string": new}
    return tool("patch", arguments, result)


def save(path: str, text: str) -> Call:
    result = {"bytes_written": len(text.encode()), "dirs_created": False}
    return tool("write_file", {"path": path, "content": text}, result)


def web(query: str, *found: tuple[str, str, str]) -> Call:
    rows = [
        {"title": title, "url": url, "description": text, "position": place}
        for place, (title, url, text) in enumerate(found, 1)
    ]
    return tool("web_search", {"query": query}, {"success": True, "data": {"web": rows}})


def picture(side: int, seed: int) -> str:
    """A square PNG of coloured noise as a data: URL; stored, so its size is about 3·side²."""
    noise = random.Random(seed)
    rows = b"".join(b"\0" + noise.randbytes(3 * side) for _ in range(side))
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 0)), (b"IEND", b""))
    png = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )
    return "data:image/png;base64," + base64.b64encode(png).decode()


@dataclass(frozen=True, slots=True)
class Line:
    """One message, `at` seconds after its session began."""

    at: float
    role: str
    content: str | list[dict[str, object]] | None = None
    calls: tuple[dict[str, object], ...] = ()
    call_id: str | None = None
    tool_name: str | None = None
    finish: str | None = None
    reasoning: str | None = None
    reasoning_content: str | None = None
    reasoning_details: Sequence[object] | None = None
    codex_reasoning_items: Sequence[object] | None = None
    fate: str = "live"


def _with_thought(line: Line, text: str | None, place: str) -> Line:
    """The line with its reasoning in one of the places where providers put it."""
    match place if text else None:
        case "reasoning":
            return replace(line, reasoning=text)
        case "reasoning_content":
            return replace(line, reasoning_content=text)
        case "reasoning_details":
            item = {"type": "reasoning.text", "text": text, "signature": "ZGVtbw=="}
            return replace(line, reasoning_details=[item])
        case "codex_reasoning_items":
            sealed = base64.b64encode(hashlib.sha512(str(text).encode()).digest()).decode()
            summary = [{"type": "summary_text", "text": text}]
            item = {"type": "reasoning", "id": f"rs_{sealed[:8]}", "encrypted_content": sealed}
            return replace(line, codex_reasoning_items=[{**item, "summary": summary}])
        case "content":
            return replace(line, content=f"<think>\n{text}\n</think>\n\n{line.content}")
    return line


@dataclass(slots=True, eq=False)
class DemoSession:
    """One session. `ago` is the age of its last message; a continuation takes it over."""

    name: str
    ago: float
    source: str = "cli"
    model: Model = SONNET
    titled: bool = True
    cwd: str | None = None
    branch: str | None = None
    cost: str = "estimated"
    config: dict[str, object] = field(default_factory=lambda: {"max_iterations": 90})
    parent: "DemoSession | None" = None
    marker: str | None = None
    archived: bool = False
    reason: str | None = None
    lines: list[Line] = field(default_factory=list)
    clock: float = 0.0
    following: "DemoSession | None" = None
    after: float | None = None
    """When a helper began, in seconds after its parent did."""

    def user(self, text: str, *, image: str | None = None) -> Self:
        self._pause(30, 330)
        if image is None:
            return self._say(Line(self.clock, "user", text))
        shown: dict[str, object] = {"type": "image_url", "image_url": {"url": image}}
        return self._say(Line(self.clock, "user", [{"type": "text", "text": text}, shown]))

    def assistant(self, text: str, *, thinks: str | None = None, place: str = "reasoning") -> Self:
        """`place` names the column of the reasoning, or is "content" for a <think> tag."""
        self._pause(4, 8 + len(text) / 60)
        line = Line(self.clock, "assistant", text, finish="stop")
        return self._say(_with_thought(line, thinks, place))

    def does(
        self,
        *calls: Call,
        say: str = "",
        thinks: str | None = None,
        place: str = "reasoning",
        takes: float = 0.0,
    ) -> Self:
        """Calls made at once, and what came back after at least `takes` seconds."""
        self._pause(3, 12)
        made = tuple(self._call(call, index) for index, call in enumerate(calls))
        line = Line(self.clock, "assistant", say, calls=made, finish="tool_calls")
        self._say(_with_thought(line, thinks, place))
        self.clock += takes
        for call, record in zip(calls, made, strict=True):
            if call.result is not None:
                self._pause(1, 9)
                call_id = str(record["id"])
                self._say(
                    Line(self.clock, "tool", call.result, call_id=call_id, tool_name=call.name)
                )
        return self

    def later(self, hours: float) -> Self:
        self.clock += hours * HOUR
        return self

    def ends(self, reason: str = "cli_close") -> Self:
        self.reason = reason
        return self

    def rewinds(self, count: int) -> Self:
        """Take back the last `count` messages."""
        self.lines[-count:] = [replace(line, fate="rewound") for line in self.lines[-count:]]
        return self

    def compacts(self, summary: str) -> Self:
        """Fold all that was said so far into a note, within this session."""
        self.lines[:] = [replace(line, fate="compacted") for line in self.lines]
        return self._note(summary)

    def continued(self, part: int, summary: str) -> "DemoSession":
        """The next part of the conversation, which begins when this one was compressed."""
        base = self.name.removesuffix(f" #{part - 1}")
        child = replace(self, name=f"{base} #{part}", parent=self, lines=[], clock=0.0)
        self.reason, self.following = "compression", child
        child.reason = None
        return child._note(summary)

    def branched(self, name: str, later: float) -> "DemoSession":
        """A copy of what was said so far, which ends `later` seconds after this chat."""
        self.reason = self.reason or "branched"
        copied = [replace(line, at=index * 0.002) for index, line in enumerate(self.lines)]
        child = replace(self, name=name, parent=self, marker="_branched_from", lines=copied)
        child.ago -= later
        child.reason, child.following, child.clock = None, None, 1.0
        return child

    def delegated(
        self, name: str, source: str | None = None, model: Model | None = None
    ) -> "DemoSession":
        """A helper that this chat starts now and that is done before its next message."""
        child = DemoSession(
            name, self.ago, source or self.source, model or self.model, titled=False
        )
        child.cwd, child.parent, child.marker = self.cwd, self, "_delegate_from"
        child.after = self.clock + 14.0
        return child.ends("agent_close")

    def started(self, now: float) -> float:
        if self.after is not None and self.parent is not None:
            return self.parent.started(now) + self.after
        if self.following is not None:
            return self.following.started(now) - self.clock - 2.0
        return now - self.ago - self.clock

    def id(self, now: float) -> str:
        """Shaped as Hermes shapes them, with the time in UTC."""
        when = datetime.fromtimestamp(self.started(now), UTC).strftime("%Y%m%d_%H%M%S")
        job = self.name.split(" · ")[0] if self.source == "cron" else self.name
        digest = hashlib.sha256(job.encode()).hexdigest()
        if self.source == "cron":
            return f"cron_{digest[:12]}_{when}"
        gateway = self.source in CHAT_APPS and self.parent is None
        return f"{when}_{digest[: 8 if gateway else 6]}"

    def _note(self, summary: str) -> Self:
        self.clock += 1.0
        return self._say(Line(self.clock, "user", SUMMARY + summary))

    def _say(self, line: Line) -> Self:
        self.lines.append(line)
        return self

    def _call(self, call: Call, index: int) -> dict[str, object]:
        seed = f"{self.name}:{len(self.lines)}:{index}"
        call_id = "call_" + hashlib.sha256(seed.encode()).hexdigest()[:20]
        arguments = json.dumps(call.arguments, ensure_ascii=False)
        return {
            "id": call_id,
            "type": "function",
            "function": {"name": call.name, "arguments": arguments},
        }

    def _pause(self, least: float, most: float) -> None:
        digest = hashlib.sha256(f"{self.name}:{len(self.lines)}".encode()).digest()
        self.clock += round(least + (most - least) * digest[0] / 255, 1) if self.lines else 0.0
