r"""The one way from stored text to a screen, a terminal or the clipboard.

Terminals obey what they are shown, and toolkits pass it on: a title can wipe the screen, write the
clipboard, or stack twenty thousand accents on one letter. Every stored string goes through here
first. What has no honest picture is replaced, not dropped, so that hidden text becomes visible:
controls by their control picture (`ESC` by `\u241b`), invisible format characters by `HIDDEN`,
broken or meaningless code points by `BROKEN`. Each is one cell wide. While the privacy view is on
(`veil`), people and chats are hidden here as well.
"""

import re
from functools import cache

from explorer.render import veil

HIDDEN = "\u00b7"
"""Middle dot: stands for a character that has no shape (zero-width, bidi, tags, fillers)."""
BROKEN = "\ufffd"
"""Replacement character: stands for C1 controls, lone surrogates and noncharacters."""
ELLIPSIS = "\u2026"
TAB = 4
MOST_MARKS = 8
"""Marks kept on one base character, and joins in one emoji. No script needs more."""

# Patterns are kept as text, so that a command that meets only plain text compiles none of them.
_SGR = r"\x1b\[[0-9;:]*m"
_BREAKS = ("\r\n", "\r", "\v", "\f", "\x85", "\u2028", "\u2029")
_BLANKS = "\u034f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u115f\u3164\uffa0\ufffc"
"""Hangul fillers and the object replacement: Unicode has them as printable, but they are blank."""
_FORBIDDEN = (
    "["
    r"\x00-\x09\x0b-\x1f\x7f-\x9f"
    "\u00ad\u034f\u061c\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    f"{_BLANKS}\ufff0-\ufffb\ufdd0-\ufdef\ufffe\uffff\ud800-\udfff"
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"  # layout of rare scripts
    "\U0001fffe\U0001ffff\U0002fffe\U0002ffff\U000ffffe\U000fffff\U0010fffe\U0010ffff"
    # Tags, and the empty planes around them: nothing but the selectors between is assigned.
    "\U0003fffe-\U000e00ff\U000e01f0-\U000effff"
    "]+"
)

_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_TONES = "\U0001f3fb-\U0001f3ff"
_JOINABLE = "\u2194\u2195\u2600-\u27bf\u2b1b\U0001f000-\U0001f3fa\U0001f400-\U0001faff"
_EMOJI = (
    r"#*0-9\xa9\xae"
    "\u203c\u2049\u2122\u2139\u2196-\u21aa\u2300-\u23ff\u24c2\u25aa-\u25fe"
    f"\u2934\u2935\u2b05-\u2b55\u3030\u303d\u3297\u3299{_JOINABLE}"
)
_ONE_EMOJI = f"[{_JOINABLE}][{_TONES}]?"
_JOINED = f"({_ONE_EMOJI}(?:\u200d{_ONE_EMOJI}){{1,{MOST_MARKS}}})|\u200d"
# A second selector in a row chooses nothing: such runs smuggle bytes.
_STRAY_SELECTOR = f"\ufe0f[{_SELECTORS}]*|(?<=[{_SELECTORS}])[{_SELECTORS}]+"
_EMOJI_LOOK = f"(?<=[{_EMOJI}{_TONES}])\ufe0f"
# Every block that holds marks or other characters without width. Exact tables would be ten times
# as long; the letters that share these blocks are told apart in the rare run that is long enough.
_STACK = (
    "[\u0300-\u036f\u0483-\u1dff\u20d0-\u20ff\u2cef-\u2cf1\u2d7f\u2de0-\u2dff\u302a-\u302f"
    "\u3099\u309a\ua66f-\ua6f1\ua802-\uabff\ud7b0-\ud7ff\ufb1e\ufe20-\ufe2f"
    f"\U00010100-\U0001efff{_TONES}{_SELECTORS}]{{{MOST_MARKS + 1},}}"
)
_UNPASTEABLE = r"[\x00-\x08\x0b-\x1f\x7f-\x9f" "\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
CLUSTER = f"(?s:[\U0001f1e6-\U0001f1ff]{{2}}|{_ONE_EMOJI}(?:\u200d{_ONE_EMOJI})*|.)"


def clean(text: str) -> str:
    """Text of many lines, safe to show: only LF breaks lines, and nothing else moves the cursor.

    Colour sequences vanish, since they say nothing else; other escapes become visible. Cleaning
    twice changes nothing more.
    """
    if veil.hide is not None:
        text = veil.hide(text)
    if _is_plain(text):
        return text
    if "\x1b" in text:
        text = re.sub(_SGR, "", text)
    for line_break in _BREAKS:
        text = text.replace(line_break, "\n")
    text = text.expandtabs(TAB)
    if "\ufe0f" in text:
        # Terminals do not agree on the width of a narrow sign that is asked to be an emoji.
        text = re.sub(_EMOJI_LOOK, "", text)
    if _is_plain(text):
        return text
    text = re.sub(_FORBIDDEN, lambda found: "".join(map(_symbol, found[0])), text)
    # In this order: no step makes work for one before it, so that a second cleaning finds none.
    text = re.sub(_STACK, lambda found: _capped(found[0]), text)
    text = re.sub(_STRAY_SELECTOR, HIDDEN, text)
    # A lone joiner also upsets the width: Rich does not count the character after it.
    return re.sub(_JOINED, lambda found: found[1] or HIDDEN, text) if "\u200d" in text else text


def clean_line(text: str, limit: int | None = None) -> str:
    """Text for one line: cleaned, with all white space made single spaces.

    With a limit the result has at most that many characters, the last an ellipsis if something is
    missing, and the work does not grow with the text: only its first part is looked at.
    """
    if limit is None:
        return " ".join(clean(text).split())
    # Four to one leaves room for indentation, blank lines and colours before the words run out.
    window = 4 * limit + 1024
    line = " ".join(clean(veil.cut(text, window)).split())
    if len(line) <= limit and len(text) <= window:
        return line
    if limit <= 0:
        return ""
    return line[: limit - 1].rstrip(" \u200d") + ELLIPSIS


def cell_width(text: str) -> int:
    """How many terminal cells the text takes, as Rich and Textual count them."""
    if text.isascii() and text.isprintable():
        return len(text)
    from rich.cells import cell_len  # late: 20 ms that a headless command need not pay

    return cell_len(text)


def fit(text: str, cells: int) -> str:
    """The clean line, cut with an ellipsis to at most so many cells, between whole graphemes."""
    if cell_width(text) <= cells:
        return text
    return text[: cut(text, cells - 1)] + ELLIPSIS if cells > 0 else ""


def fit_end(text: str, cells: int) -> str:
    """As `fit`, with what is cut off missing at the front: the end of a path says most."""
    if cell_width(text) <= cells:
        return text
    text = text[-4 * cells :] if cells > 0 else ""
    for found in re.finditer(CLUSTER, text):
        rest = text[found.start() :]
        whole = rest[0] != "\u200d" and not _stacks(rest[0])
        if whole and cell_width(rest) < cells:
            return ELLIPSIS + rest
    return ELLIPSIS if cells > 0 else ""


def fit_middle(text: str, cells: int) -> str:
    """As `fit`, with what is cut off missing in the middle: names may begin or end alike."""
    if cell_width(text) <= cells or cells < 3:
        return fit(text, cells)
    end = fit_end(text, cells // 2 + 1)
    return text[: cut(text, cells - cell_width(end))] + end


def pad(text: str, cells: int) -> str:
    """The clean line, cut or filled with spaces to exactly so many cells."""
    text = fit(text, cells)
    return text + " " * (cells - cell_width(text))


def for_clipboard(text: str) -> str:
    """The true text without what acts when pasted: controls but TAB and LF, bidi overrides.

    Lone surrogates go too: they cannot be encoded.
    """
    return re.sub(_UNPASTEABLE, "", re.sub(_SGR, "", veil.hidden(text)))


def _is_plain(text: str) -> bool:
    """Whether there is nothing to replace, told mostly without a pattern: 3 ms for a megabyte."""
    # These spaces are harmless, but `isprintable` knows none except the usual one.
    shapes = text.replace("\n", "").replace("\xa0", "").replace("\u3000", "")
    if not shapes.isprintable():
        return False
    return text.isascii() or not (
        re.search(f"[{_SELECTORS}{_BLANKS}]", text) or re.search(_STACK, text)
    )


@cache
def _symbol(char: str) -> str:
    """The visible stand-in for a forbidden character."""
    code = ord(char)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    return BROKEN if _category(char) in ("Cc", "Cs", "Cn") else HIDDEN


def _capped(run: str) -> str:
    """The run with at most `MOST_MARKS` marks in a row; one symbol stands for the others."""
    kept: list[str] = []
    marks = 0
    for char in run:
        marks = marks + 1 if _stacks(char) else 0
        if marks <= MOST_MARKS:
            kept.append(char)
        elif marks == MOST_MARKS + 1:
            kept.append(HIDDEN)
    return "".join(kept)


@cache
def _stacks(char: str) -> bool:
    """Whether the character is drawn onto the one before it, or may be in a later Unicode."""
    return (
        _category(char) in ("Mn", "Me", "Mc", "Cn")
        or "\u1160" <= char <= "\u11ff"
        or "\ud7b0" <= char <= "\ud7ff"
        or "\U0001f3fb" <= char <= "\U0001f3ff"
    )


def cut(text: str, room: int) -> int:
    """Where to cut so that the part before takes at most `room` cells and ends a grapheme."""
    if text.isascii() and text.isprintable():
        return min(room, len(text))
    from rich.cells import cell_len  # late, as above

    before = start = width = 0
    for found in re.finditer(CLUSTER, text):
        if not _stacks(found[0][0]):
            before += width
            start = found.start()
        # Measured from its base: a selector can make the base wider.
        width = cell_len(text[start : found.end()])
        if before + width > room:
            return start
    return len(text)


def _category(char: str) -> str:
    # Late, because most text needs none of it, and the tables take 1 ms to load.
    from unicodedata import category

    return category(char)
