"""Edits as diffs, in signs and colours: from the old and the new text, or from a diff as it came.

`difflib` can take the cube of what it compares, so it is given little: what both texts begin and
end with is set aside, and the rest is compared only while it is short and does not repeat itself.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from explorer.render.figures import plural, size
from explorer.render.tools.rows import TextRow

LONGEST = 200_000
"""Letters of a text or of a diff that are read."""
MOST = 5000
"""Lines of it that are read."""
COMPARED = 400
"""Lines of each text that `difflib` may look at: more are shown as all out, all in."""
ALIKE = 10_000
"""Pairs of equal lines among them: with more, as of one line a hundred times, it takes a second."""
CONTEXT = 3

_HUNK = r"@@ -\d{1,9}(?:,(\d{1,9}))? \+\d{1,9}(?:,(\d{1,9}))? @@"
_IS_DIFF = rf"(?m)^(?:diff --git |{_HUNK}|\*\*\* Begin Patch|--- [^\n]+\n\+\+\+ )"
_FILE = r"(?m)^(?:\*\*\* (?:Update|Add|Delete) File: |\+\+\+ (?:b/)?)(?!/dev/null)([^\n\t]{1,300})"
_STYLES = {"+": "diff-add", "-": "diff-remove", " ": "diff-context", "@": "diff-hunk"}
_SIGNS = "+- "
_ABOUT = (
    *("diff --git ", "index ", "rename ", "similarity ", "Binary files ", "\\ No newline"),
    *("new file mode ", "deleted file mode ", "old mode ", "new mode "),
)


class DiffLine(NamedTuple):
    """One line of a diff."""

    sign: str
    """`+`, `-`, a space for context; `@` for a line about the diff; nothing for a line that only
    stands beside it."""
    text: str
    rest: int = 0
    """Letters of the diff that are left out after it."""


def is_diff(text: str) -> bool:
    """Whether the text is a diff, or has one near its beginning."""
    return re.search(_IS_DIFF, text[:5000]) is not None


def changed_files(text: str) -> list[str]:
    """The files that a diff names, each once."""
    return list(dict.fromkeys(name.strip() for name in re.findall(_FILE, text[:20_000])))


def parsed(text: str) -> list[DiffLine]:
    """The lines of a unified diff, or of a patch whose hunks have no numbers. Only lines that the
    head of a hunk counts are its own: a removed line may begin with `--`."""
    changes: list[DiffLine] = []
    out = into = 0
    loose = False
    lines, rest = _lines(text.strip("\r\n"))
    for number, line in enumerate(lines):
        sign = line[:1] or " "
        if (out or into) and sign in _SIGNS:
            out = max(out - (sign != "+"), 0)
            into = max(into - (sign != "-"), 0)
        elif line.startswith("@@"):
            hunk = re.match(_HUNK, line)
            out, into = (int(hunk[1] or 1), int(hunk[2] or 1)) if hunk else (0, 0)
            loose, sign = hunk is None, "@"
        elif line.startswith("*** "):
            loose, sign = True, "@"
        elif _names_file(lines, number) or line.startswith(_ABOUT):
            loose, sign = False, "@"
        elif not loose or sign not in _SIGNS:
            sign = ""
        changes.append(DiffLine(sign, line[1:] if sign and sign in _SIGNS else line))
    return _with_rest(changes, rest)


def compared(old: str, new: str) -> list[DiffLine]:
    """What an edit takes out and puts in, with a few lines around it."""
    out, out_rest = _lines(old.removesuffix("\n"))
    into, into_rest = _lines(new.removesuffix("\n"))
    start = _alike(out, into)
    end = 0 if out_rest or into_rest else _alike(out[start:][::-1], into[start:][::-1])
    before, after = out[:start], out[len(out) - end :]
    changes = [DiffLine(" ", line) for line in before[-CONTEXT:]]
    changes += _middle(out[start : len(out) - end], into[start : len(into) - end])
    changes += [DiffLine(" ", line) for line in after[:CONTEXT]]
    return _with_rest(changes, out_rest + into_rest)


def amounts(changes: Sequence[DiffLine]) -> str:
    """How much went in and out: +3 −1; nothing where not all of it was read."""
    if any(change.rest for change in changes):
        return ""
    signs = [change.sign for change in changes]
    return f"+{signs.count('+'):,} −{signs.count('-'):,}"


def diff_rows(changes: Sequence[DiffLine], brief: bool = False) -> Iterator[TextRow]:
    """A row for each line; briefly, of one file, without the names of that file."""
    one = sum(change.text.startswith("+++ ") for change in changes if change.sign == "@") < 2
    for sign, text, rest in changes:
        if brief and one and sign == "@" and text.startswith(("--- ", "+++ ", "diff ", "index ")):
            continue
        style = _STYLES.get(sign, "output")
        if sign == "@" and not text.startswith(("@@", "*** ")):
            style = "dim"
        lead = ((f"{sign} ", style),) if sign and sign in _SIGNS else ()
        yield TextRow(lead, text, style, rest=rest)


def _names_file(lines: Sequence[str], number: int) -> bool:
    """Whether it is one of the two lines that name the old and the new file."""
    if lines[number].startswith("+++ "):
        return number > 0 and lines[number - 1].startswith("--- ")
    pair = lines[number : number + 2]
    return pair[0].startswith("--- ") and len(pair) == 2 and pair[1].startswith("+++ ")


def _lines(text: str) -> tuple[list[str], int]:
    """(the lines that are read, letters after them)."""
    if not text:
        return [], 0
    lines = text[:LONGEST].split("\n", MOST)
    if len(text) > LONGEST or len(lines) > MOST:
        lines = lines[:MOST]
        return lines, max(len(text) - sum(map(len, lines)) - len(lines), 1)
    return lines, 0


def _with_rest(changes: list[DiffLine], rest: int) -> list[DiffLine]:
    return [*changes, DiffLine("@", f"… {size(rest)} more", rest)] if rest else changes


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """How many lines both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))


def _middle(out: list[str], into: list[str]) -> list[DiffLine]:
    removed = [DiffLine("-", line) for line in out]
    added = [DiffLine("+", line) for line in into]
    if not _comparable(out, into):
        return removed + added
    from difflib import SequenceMatcher  # late: 3 ms that most sessions need not pay

    changes: list[DiffLine] = []
    for tag, first, last, start, end in SequenceMatcher(None, out, into, False).get_opcodes():
        if tag == "equal":
            changes += _folded(out[first:last])
        else:
            changes += removed[first:last] + added[start:end]
    return changes


def _comparable(out: list[str], into: list[str]) -> bool:
    if not out or not into or max(len(out), len(into)) > COMPARED:
        return False
    often = Counter(into)
    return sum(often[line] for line in out) <= ALIKE


def _folded(lines: Sequence[str]) -> list[DiffLine]:
    """What stayed the same between two changes, without its middle."""
    kept = [DiffLine(" ", line) for line in lines]
    hidden = len(lines) - 2 * CONTEXT
    if hidden < 2:
        return kept
    said = DiffLine("@", f"⋯ {plural(hidden, 'unchanged line')}")
    return [*kept[:CONTEXT], said, *kept[-CONTEXT:]]
