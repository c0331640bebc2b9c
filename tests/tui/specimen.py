"""A state file with one of everything a transcript can show, for pictures of whole screens."""

import json
from pathlib import Path

from explorer.stores.hermes.create.state_file import StateFile
from tests.tui.driving import NOW

MODEL = "anthropic/claude-opus-4.5"
ANSWER = """\
## Why it fails
The base image has **no arm64 variant**, see [the list](https://example.org/tags).

1. mirror it
   - [x] `amd64`
   - [ ] `arm64`
2. build again

> exec format error

| platform | size | note |
|----------|-----:|------|
| amd64 | 48 | built on Monday, by hand, on a laptop that nobody will find again |

```python
def mirror(name: str) -> None:
    copy(f"docker://{name}", all=True)  # every platform, or the loop below fails loudly
```
日本語 and 👍 keep their columns."""
NOTE = "[CONTEXT COMPACTION — REFERENCE ONLY] They mirrored the image."
DIFF = "--- a/mirror.sh\n+++ b/mirror.sh\n@@ -1,2 +1,2 @@\n set -e\n-copy\n+copy --all\n"


def _call(id_: str, name: str, arguments: object) -> dict[str, object]:
    said = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": id_, "type": "function", "function": {"name": name, "arguments": said}}


class _Talk:
    """Says one thing after the other, three seconds each."""

    def __init__(
        self,
        state: StateFile,
        name: str,
        began: float,
        title: str,
        prompt: str | None = None,
        parent: str | None = None,
    ) -> None:
        state.create_session(
            name,
            "cli",
            started_at=began,
            model=MODEL,
            title=title,
            system_prompt=prompt,
            parent=parent,
        )
        self._state, self._name, self._time = state, name, began

    def say(
        self,
        role: str,
        text: str | list[object] = "",
        wait: float = 3.0,
        calls: list[dict[str, object]] | None = None,
        answers: tuple[str, str] | None = None,
        finish: str | None = None,
        thought: str | None = None,
        opaque: bool = False,
    ) -> int:
        self._time += wait
        return self._state.append_message(
            self._name,
            role,
            text or None,
            timestamp=self._time,
            tool_calls=calls,
            tool_call_id=answers[0] if answers else None,
            tool_name=answers[1] if answers else None,
            finish_reason=finish,
            reasoning=thought,
            reasoning_details=[{"type": "reasoning.encrypted", "data": "x"}] if opaque else None,
        )


def write_specimen(path: Path) -> Path:
    with StateFile.create(path) as state:
        _work(_Talk(state, "work", NOW - 3_000, "Fix the build", "Be kind."))
        _history(state)
        long = _Talk(state, "long", NOW - 90_000, "A long log")
        long.say("user", "show me the log")
        long.say("assistant", "\n".join(f"{n:>5} all is well" for n in range(1, 12_001)))
        for name in ("work", "long"):
            state.end_session(name, NOW - 1_000, "cli_close")
    return path


def _work(talk: _Talk) -> None:
    talk.say("user", "why does the build fail on arm64?")
    talk.say(
        "assistant",
        "Let me look.",
        thought="The platform comes to mind first.\nThen the mirror.",
        calls=[
            _call("a", "terminal", {"command": "docker build .\ndocker images"}),
            _call("b", "read_file", {"path": "/srv/build/Dockerfile"}),
            _call("c", "terminal", '{"command": "never'),
        ],
    )
    output = "\n".join(f"step {n}" for n in range(1, 41))
    talk.say("tool", json.dumps({"output": output, "exit_code": 1}), answers=("a", "terminal"))
    file = "1|FROM python:3.11-slim\n2|COPY . ."
    talk.say("tool", json.dumps({"content": file, "total_lines": 2}), answers=("b", "read_file"))
    talk.say("assistant", ANSWER, opaque=True, finish="stop")
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 40_000}}
    talk.say("user", [{"type": "text", "text": "like this?"}, picture], wait=1_500.0)
    edit = {"path": "mirror.sh", "old_string": "copy", "new_string": "copy --all"}
    talk.say("assistant", calls=[_call("d", "patch", edit)])
    talk.say("tool", json.dumps({"success": True, "diff": DIFF}), answers=("d", "patch"))
    talk.say("assistant", "Done, but", finish="length")


def _history(state: StateFile) -> None:
    """A conversation in two parts: compacted, rewound, repeated, and written several times."""
    first = _Talk(state, "one", NOW - 300_000, "Plan the move")
    gone = [first.say("user", "an early idea"), first.say("assistant", "We dropped it.")]
    state.compact("one", gone)
    first.say("user", "find a van")
    for _ in range(3):
        first.say("assistant", "I found two.", wait=0.0)
    first.say("user", "the cheaper one", wait=8_000.0)
    first.say("assistant", "Booked.")
    state.end_session("one", NOW - 280_000, "compression")
    second = _Talk(state, "two", NOW - 200_000, "Plan the move #2", parent="one")
    second.say("user", NOTE)
    second.say("user", "the cheaper one")
    second.say("assistant", "Booked.")
    wrong = second.say("user", "and a boat")
    second.say("assistant", "Which one?")
    state.rewind("two", wrong)
    second.say("user", "and boxes")
    second.say("assistant", "Forty of them.")
    state.end_session("two", NOW - 100_000, "cli_close")
