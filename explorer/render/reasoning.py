"""Reasoning that a model wrote between tags into its text: `<think>…</think>` and its variants.

`split_reasoning` takes it out and notes where it stood; `without_reasoning` only takes it out, for
previews and excerpts. A tag in code, fenced or inline, is quoted and stays. One that is never
closed reaches to the end, but only where a line begins with it: in a sentence it is spoken of. All
work is linear: a text may be many megabytes, and made to keep us busy.
"""

import re
from bisect import bisect_left
from itertools import accumulate
from typing import NamedTuple

from explorer.model import Thought

TAGS = ("think", "thinking", "reasoning", "thought", "REASONING_SCRATCHPAD")
"""As agents write them: a search table is asked about the same spellings."""

MOST = 200
"""Thoughts in one text; more are left in it."""

_NAMES = "|".join(TAGS)
_TOKEN = re.compile(
    r"(?m)^[ \t>]*(?P<fence>`{3,}(?=[^`\n]*$)|~{3,})[^\n]*"
    r"|(?P<ticks>`+)"
    rf"|<(?P<open>{_NAMES})>"
    rf"|(?P<close></(?:{_NAMES})>)"
)
_FENCE_END = re.compile(r"(?m)^[ \t>]*(`{3,}|~{3,})[ \t]*$")
_LINE_END = re.compile(r"[ \t]*(?:\n|\Z)")
_LONGEST_SPAN = 2000
"""Characters within which inline code ends."""
_TRIES = 20
"""Closing tags looked at in search of one that is not quoted."""


class Split(NamedTuple):
    """A text in two."""

    text: str
    """Without reasoning."""
    thoughts: tuple[Thought, ...] = ()
    """The reasoning, and where in that text each piece stood."""


def without_reasoning(text: str) -> str:
    """What is said in a text."""
    return split_reasoning(text).text


def split_reasoning(text: str) -> Split:
    """What is said in a text, and what was thought in between."""
    if not any(f"{name}>" in text for name in TAGS):
        return Split(text)
    said, at = "", 0
    thoughts: list[Thought] = []
    for start, first, last, end in _spans(text):
        said = _joined(said, text[at:start])
        thought = text[first:last].strip()
        if thought:
            thoughts.append(Thought(len(said.strip()), thought))
        at = end
    if not at:
        return Split(text)
    return Split(_joined(said, text[at:]).strip(), tuple(thoughts))


def _joined(before: str, after: str) -> str:
    """Two pieces of a text between which a thought stood: one line where none ended at it, else
    two paragraphs."""
    said, behind = before.rstrip(), after.lstrip()
    if not said or not behind:
        return said + behind
    between = before[len(said) :] + after[: len(after) - len(behind)]
    gap = "\n\n" if "\n" in between else " "
    return f"{said}{gap}{behind}"


def _spans(text: str) -> list[tuple[int, int, int, int]]:
    """(start, first, last, end) of every thought with its tags, and of what is between them."""
    found: list[tuple[int, int, int, int]] = []
    unclosed: set[str] = set()
    fences = _FenceEnds(text)
    at = 0
    while len(found) < MOST and (token := _TOKEN.search(text, at)):
        name = token["open"]
        if token["close"]:
            if not found and not unclosed and _is_alone(text, token):
                # Its beginning was in the prompt: all before it was thought.
                found.append((0, 0, token.start(), token.end()))
            at = token.end()
        elif name is None:
            at = _code_end(text, token, fences)
        elif name in unclosed or (closing := _closing(text, token.end(), name, fences)) is None:
            unclosed.add(name)
            if _begins_line(text, token.start()):
                found.append((token.start(), token.end(), len(text), len(text)))
                break
            at = token.end()
        else:
            found.append((token.start(), token.end(), *closing.span()))
            at = closing.end()
    return found


class _FenceEnds:
    """The lines of a text that can end fenced code. They are looked for once: a text may begin a
    fence on each of its lines, and looking for the end of each would read the whole text again."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._known: dict[str, tuple[list[int], list[int]]] = {}
        """By sign: where such lines begin, and the longest fence from each of them on."""

    def after(self, at: int, fence: str) -> int | None:
        """Where the code ends that a fence before `at` begins, if it does."""
        if not self._known:
            self._read()
        starts, longest = self._known[fence[0]]
        first = bisect_left(starts, at)
        if first == len(starts) or longest[first] < len(fence):
            return None
        end = re.compile(rf"(?m)^[ \t>]*{re.escape(fence[0])}{{{len(fence)},}}[ \t]*$")
        closed = end.search(self._text, at)
        return closed.end() if closed else None

    def _read(self) -> None:
        lines = list(_FENCE_END.finditer(self._text))
        for sign in "`~":
            own = [line for line in lines if line[1][0] == sign]
            sizes = list(accumulate((len(line[1]) for line in reversed(own)), max))
            self._known[sign] = [line.start() for line in own], sizes[::-1]


def _closing(text: str, start: int, name: str, fences: _FenceEnds) -> "re.Match[str] | None":
    """The end of a thought: the first closing tag that is not quoted, else the first at all. A
    fence that the thought itself leaves open quotes nothing."""
    tags = re.compile(f"</{name}>")
    first = tag = tags.search(text, start)
    at = start
    for _ in range(_TRIES):
        if tag is None:
            return first
        while (token := _TOKEN.search(text, at, tag.start())) and at < tag.start():
            quoted = not token["open"] and not token["close"]
            end = _code_end(text, token, fences) if quoted else token.end()
            at = token.end() if end == len(text) else end
        if at <= tag.start():
            return tag
        tag = tags.search(text, at)
    return first


def _code_end(text: str, token: "re.Match[str]", fences: _FenceEnds) -> int:
    """Where the code ends that a fence or a backtick begins."""
    if fence := token["fence"]:
        end = fences.after(token.end(), fence)
        return len(text) if end is None else end
    ticks = token["ticks"]
    limit = min(token.end() + _LONGEST_SPAN, len(text))
    blank = text.find("\n\n", token.end(), limit)
    limit = limit if blank < 0 else blank
    closed = re.compile(f"(?<!`){ticks}(?!`)").search(text, token.end(), limit)
    return closed.end() if closed else token.end()


def _begins_line(text: str, start: int) -> bool:
    while start and text[start - 1] in " \t":
        start -= 1
    return not start or text[start - 1] == "\n"


def _is_alone(text: str, token: "re.Match[str]") -> bool:
    """Whether there is nothing else on the line of a tag."""
    ends = _LINE_END.match(text, token.end()) is not None
    return ends and _begins_line(text, token.start())
