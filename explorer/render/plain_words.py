"""Words of a message without the signs of Markdown around them, for one line of a list.

Only signs are taken out, never words: code keeps what is in it, a link its words. What could be
something else, as `2**3`, `__init__` or `C#`, stays. The text may be cut anywhere.
"""

import re
from collections.abc import Iterable, Sequence

from explorer.render.lines import Line, restyled

Place = tuple[int, int]
"""(start, end) in a text."""

_CODE = r"(```[\w+-]*[ \n]|`+)([^`]+)(`+)"
_AROUND = {
    "](": r"(!?\[)([^\[\]]{1,200})(\]\([^()\s]*(?:\([^()\s]*\))?[^()\s]*(?: \"[^\"]*\")?\))",
    "**": r"(?s)(?<![\w*])(\*\*\*|\*\*)(?=[^\s*])(.{1,300}?)(?<=[^\s*])(\1)(?![\w*])",
    "*": r"(?<![\w*])(\*)(?=[^\s*])([^*]{1,300}?)(?<=[^\s*])(\*)(?![\w*])",
    "__": r"(?<![\w_])(__)(?=[^\s_])([^_]{1,300}?\s[^_]{1,300}?)(?<=[^\s_])(__)(?![\w_])",
    "_": r"(?<![\w_])(_)(?=[^\s_])([^_]{1,300}?)(?<=[^\s_])(_)(?![\w_])",
    "~~": r"(?<![\w~])(~~)(?=[^\s~])([^~]{1,300}?)(?<=[^\s~])(~~)(?![\w~])",
}
"""Signs at both ends of words, by what a text must hold to have them: as text, so that those which
no text holds are not compiled, and looked for only where they can be."""
_ALONE = {
    "##": r"(?<=\s)#{2,6}\s+(?=\S)",
    "--": r"\|?(?:\s*:?-{2,}:?\s*\|)+(?:\s*:?-{2,}:?\s*(?=\n|\Z))?|(?:^|(?<=\s))-{3,}(?=\s|\Z)",
    "***": r"(?:^|(?<=\s))\*{3,}(?=\s|\Z)",
    "___": r"(?:^|(?<=\s))_{3,}(?=\s|\Z)",
}
"""The same for signs alone: a heading where lines were joined before, the line below the head of a
table, and one between two parts."""
_AT_START = r"(?m)^[ \t]*(?:#{1,6}[ \t]+(?=\S)|>[ \t]+|[-*+][ \t]+(?:\[[ xX]\][ \t]+)?(?=\S))"
"""Of a line: a heading, a quotation, a bullet."""


def plain(text: str) -> str:
    """The words."""
    places = signs(text)
    if not places:
        return text
    kept, at = [], 0
    for start, end in places:
        kept.append(text[at:start])
        at = end
    return "".join([*kept, text[at:]])


def plain_line(line: Line, kept: Iterable[Place] = ()) -> Line:
    """A painted line without the signs, except where one of these places is in them: what was
    searched for may be a sign."""
    text = "".join(part for part, _ in line)
    spared = list(kept)
    taken = [
        (start, end, _TAKEN)
        for start, end in signs(text)
        if not any(first < end and start < last for first, last in spared)
    ]
    return tuple(span for span in restyled(line, taken) if span[1] != _TAKEN)


_TAKEN = "taken out"


def signs(text: str) -> Sequence[Place]:
    """Where the signs are, from left to right, without overlaps."""
    code = [one for one in re.finditer(_CODE, text) if _closes(one)] if "`" in text else []
    quoted = [one.span() for one in code]
    found = [place for one in code for place in (one.span(1), one.span(3))]
    for needed, pattern in _AROUND.items():
        if needed in text:
            for one in re.finditer(pattern, text):
                ends = (one.span(1), one.span(3))
                if not any(_inside(place, quoted) for place in ends):
                    found += ends
    alone = [pattern for needed, pattern in _ALONE.items() if needed in text]
    if "\n" in text or text[:1] in "#>-*+ \t":
        alone.append(_AT_START)
    for pattern in alone:
        places = (one.span() for one in re.finditer(pattern, text))
        found += [place for place in places if not _inside(place, quoted)]
    kept: list[Place] = []
    for start, end in sorted(place for place in found if place[0] < place[1]):
        if not kept or start >= kept[-1][1]:
            kept.append((start, end))
    return kept


def _closes(code: re.Match[str]) -> bool:
    """Whether the signs at both ends belong together."""
    return code[1].startswith("```") == code[3].startswith("```") or len(code[1]) == len(code[3])


def _inside(place: Place, quoted: Iterable[Place]) -> bool:
    return any(start < place[1] and place[0] < end for start, end in quoted)
