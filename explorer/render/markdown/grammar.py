"""Markdown as it is meant in a chat: CommonMark with tables, and without its surprises.

Where CommonMark would lose something that was said, the text stays as it is: HTML and entities
are not interpreted, definitions of references do not vanish, names such as `a/__init__.py` keep
their underscores. A line under a quote or a list that is not indented is no part of it.
"""

import re
from types import SimpleNamespace
from typing import Any

from markdown_it import MarkdownIt, helpers
from markdown_it.rules_block import StateBlock, hr, table
from markdown_it.rules_inline import StateInline, emphasis
from markdown_it.token import Token

DEEPEST = 24
"""Levels of nesting. The parser drops what is deeper, so no such text may be given to it."""
_DEEPEST_INLINE = 6
"""The same inside a paragraph, where nothing is dropped, but each level takes its time again."""

_LONGEST_RULE = 500
_LOOK_UP = re.compile(r"[\n`*_\[\]<\\]|!(?=\[)|:(?=//)|~(?=~)")
"""Where something can begin or end inside a paragraph."""
_TARGET = re.compile(r"(?:[^\s()\\]++|\\.|\((?:[^\s()\\]++|\\.)*+\))*+")
_PIPE = re.compile(r"(?<!\\)\|")
_ALIGNS = {
    (False, False): "",
    (True, False): "left",
    (False, True): "right",
    (True, True): "center",
}
_TAG = r"</?[A-Za-z][\w.-]*(?::[\w.-]+)?(?=\s|/?>)"
_TAG_LINE = re.compile(rf"(?:{_TAG}|<[!?]).*>")
_TAG_INLINE = re.compile(rf"{_TAG}[^<>\n]*>")
_ADDRESS = r"[^\s<>\"`()|\\\[\]\u3000-\u303f\uff00-\uff0f\uff1a-\uff20\u2018-\u201d]"
_URL = re.compile(rf"://(?:{_ADDRESS}|\({_ADDRESS}*\))+")
_AFTER_URL = ".,;:!?'*_~"
_WIDE = "\u2e80"
"""From here on scripts have no spaces between words."""


class _Parser(MarkdownIt):
    """Targets are shown, never followed: they stay as they were written."""

    def validateLink(self, url: str) -> bool:
        return True

    def normalizeLink(self, url: str) -> str:
        return url

    def normalizeLinkText(self, link: str) -> str:
        return link


def block_tokens(text: str) -> list[Token]:
    """The blocks of clean text; what is inside a paragraph is not yet looked at."""
    return _BLOCKS.block.parse(text, _BLOCKS, {}, []) or []


def inline_tokens(text: str) -> list[Token]:
    """The pieces of a paragraph, a heading or a cell."""
    return _INLINE.inline.parse(text, _INLINE, {}, [])


def _parser(deepest: int) -> MarkdownIt:
    options: dict[str, Any] = {"maxNesting": deepest, "tasklists": True}
    made = _Parser("commonmark", options).enable(["table", "strikethrough"])
    made.disable(["reference", "html_block", "entity"])
    blocks = made.block.ruler
    blocks.at("table", _table, {"alt": ["paragraph"]})
    blocks.at("hr", _rule, {"alt": ["paragraph", "blockquote", "list"]})
    blocks.before("table", "tags", _tags, {"alt": ["paragraph", "blockquote"]})
    blocks.before("table", "not_indented", _not_indented, {"alt": ["paragraph", "blockquote"]})
    made.inline.terminator_re = _LOOK_UP
    bounded: Any = SimpleNamespace(**{**vars(helpers), "parseLinkDestination": _destination})
    made.helpers = bounded
    inline = made.inline.ruler
    inline.at("newline", _newline)
    inline.at("emphasis", _emphasis)
    inline.at("html_inline", _inline_tag)
    inline.after("text", "url", _url)
    return made


def _destination(text: str, start: int, end: int) -> Any:
    """The target of a link. The parser would look for the end of each up to 32 brackets ahead."""
    if not text.startswith("<", start):
        found = _TARGET.match(text, start, end)
        end = found.end() if found else start
    return helpers.parseLinkDestination(text, start, end)


def _table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A table as one token with `rows` and `aligns`: one for each cell takes ten times as long."""
    if not table(state, start, end, True):
        return False
    if silent:
        return True
    parent, state.parentType = state.parentType, "table"
    rules = state.md.block.ruler.getRules("blockquote")
    after = start + 2
    while (
        after < end
        and state.sCount[after] >= state.blkIndent
        and not state.isEmpty(after)
        and not state.is_code_block(after)
        and not any(rule(state, after, end, True) for rule in rules)
    ):
        after += 1
    state.parentType = parent
    token = state.push("table", "", 0)
    token.map = [start, after]
    dashes = _row(state, start + 1)
    token.meta["aligns"] = [_ALIGNS[cell[0] == ":", cell[-1] == ":"] for cell in dashes]
    token.meta["rows"] = [_row(state, start), *(_row(state, at) for at in range(start + 2, after))]
    state.line = after
    return True


def _row(state: StateBlock, line: int) -> list[str]:
    text = state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]].strip()
    cells = [cell.replace("\\|", "|").strip() for cell in _PIPE.split(text)]
    first = not cells[0]
    last = len(cells) > 1 and not cells[-1]
    return cells[first : len(cells) - last]


def _rule(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    # Of a very long line each level of a list in it would look at every character.
    length = state.eMarks[start] - state.bMarks[start]
    return length <= _LONGEST_RULE and hr(state, start, end, silent)


def _tags(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Lines that are tags from end to end, with their indentation."""
    if state.parentType == "table" or not _is_tag_line(state, start):
        return False
    if silent:
        return True
    after = start + 1
    while after < end and state.sCount[after] >= state.blkIndent and _is_tag_line(state, after):
        after += 1
    token = state.push("tags", "", 0)
    token.map = [start, after]
    token.content = state.getLines(start, after, state.blkIndent, False)
    state.line = after
    return True


def _is_tag_line(state: StateBlock, line: int) -> bool:
    at = state.bMarks[line] + state.tShift[line]
    if not state.src.startswith("<", at):
        return False
    return _TAG_LINE.fullmatch(state.src[at : state.eMarks[line]].rstrip()) is not None


def _not_indented(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Whether a line ends what is above it because it is neither quoted nor indented. CommonMark
    would go on there, but a line below a quote is meant as an answer."""
    if not silent or state.parentType == "table":
        return False
    outside = state.sCount[start] < state.blkIndent and state.sCount[start] <= state.listIndent
    return outside or state.parentType == "blockquote"


def _newline(state: StateInline, silent: bool) -> bool:
    """Every line break was meant, and so was the indentation after it."""
    if state.src[state.pos] != "\n":
        return False
    if not silent:
        state.pending = state.pending.rstrip(" ")
        state.push("hardbreak", "br", 0)
    state.pos += 1
    return True


def _emphasis(state: StateInline, silent: bool) -> bool:
    mark = state.src[state.pos]
    if silent or mark not in "*_":
        return False
    scanned = state.scanDelims(state.pos, mark == "*")
    end = state.pos + scanned.length
    before = state.src[state.pos - 1 : state.pos]
    after = state.src[end : end + 2]
    if _is_in_name(mark * scanned.length, before, after):
        state.pending += mark * scanned.length
        state.pos = end
        return True
    known = len(state.delimiters)
    emphasis.tokenize(state, silent)
    if mark == "*" and (before >= _WIDE or after >= _WIDE):
        for delimiter in state.delimiters[known:]:
            delimiter.open = bool(after) and not after[0].isspace()
            delimiter.close = bool(before) and not before.isspace()
    return True


def _is_in_name(run: str, before: str, after: str) -> bool:
    """Whether marks belong to a path, a pattern or a product: `a/__init__.py`, `src/*.c`, `2*3`."""
    suffix = after[:1] == "." and after[1:].isalnum()
    if run[0] == "_":
        return before in tuple("/\\.$@=-") or suffix or after[:1] in tuple("/\\([=")
    if before in ("/", "\\") or (suffix and bool(before) and not before.isspace()):
        return True
    around = before + after[:1]
    return run == "*" and len(around) == 2 and around.isascii() and around.isalnum()


def _inline_tag(state: StateInline, silent: bool) -> bool:
    """A tag is text, but what looks like emphasis in it is none."""
    found = _TAG_INLINE.match(state.src, state.pos, state.posMax)
    if found is None:
        return False
    if not silent:
        state.pending += found[0]
    state.pos = found.end()
    return True


def _url(state: StateInline, silent: bool) -> bool:
    """A bare address, of which no character is a mark."""
    if state.src[state.pos] != ":":
        return False
    scheme = re.search("https?$", state.src[max(state.pos - 5, 0) : state.pos])
    found = _URL.match(state.src, state.pos, state.posMax) if scheme else None
    rest = found[0].rstrip(_AFTER_URL) if found else ""
    if scheme is None or len(rest) <= len("://"):
        return False
    state.pos += len(rest)
    if silent:
        return True
    if state.linkLevel or not state.pending.endswith(scheme[0]):
        state.pending += rest
        return True
    state.pending = state.pending[: -len(scheme[0])]
    state.push("link_open", "a", 1).attrSet("href", scheme[0] + rest)
    state.push("text", "", 0).content = scheme[0] + rest
    state.push("link_close", "a", -1)
    return True


_BLOCKS = _parser(DEEPEST)
_INLINE = _parser(_DEEPEST_INLINE)
