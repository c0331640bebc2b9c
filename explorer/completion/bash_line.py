"""A line of bash that is being typed: its words, and how a word is quoted so that it fits what is
already there.

Bash passes the raw line and inserts the answer unchanged, so splitting and quoting happen here.
Nothing is ever evaluated: neither what was typed nor what is stored.
"""

import re
from typing import NamedTuple

SEPARATORS = " \t\n;|&()<>"
IN_DOUBLE = '"\\$`'
"""What a backslash quotes within double quotes."""
WITH_WORD = "$@"
"""Where bash begins what it replaces with the character itself, not after it."""
PLAIN = re.compile(r"[\w@%+=:,./-]+")
"""What bash takes as it is, letters of all alphabets included; not at the start of a word: see
`_backslashed`."""


class TypedLine(NamedTuple):
    """The words up to the cursor."""

    words: tuple[str, ...]
    """Those before the current one, without their quotes."""
    current: str
    """The word at the cursor, without quotes."""
    quote: str = ""
    """The quote that is still open."""
    kept: str = ""
    """The beginning of the current word that bash leaves as it is."""


def typed(line: str, breaks: str) -> TypedLine | None:
    """The line up to the cursor; `breaks` are the characters at which bash, besides, begins what
    it replaces (`$COMP_WORDBREAKS`). None where a quoting is used that is not understood."""
    words: list[str] = []
    word: str | None = None
    quote, kept, at = "", 0, 0
    while at < len(line):
        char = line[at]
        at += 1
        if quote:
            if char == quote:
                quote, kept = "", 0
                continue
            if quote == '"' and char == "\\" and line[at : at + 1] in tuple(IN_DOUBLE):
                char = line[at]
                at += 1
            word = (word or "") + char
        elif char in "'\"":
            word = word or ""
            if line[at - 2 : at - 1] == "$":
                return None
            quote, kept = char, len(word)
        elif char == "\\":
            word = (word or "") + line[at : at + 1]
            at += 1
        elif char in SEPARATORS:
            if word is not None:
                words.append(word)
            word, kept = None, 0
        else:
            word = (word or "") + char
            if char in breaks:
                kept = len(word) - (char in WITH_WORD)
    current = word or ""
    return TypedLine(tuple(words), current, quote, current[:kept])


def inserted(value: str, line: TypedLine) -> str | None:
    """What bash should insert for a value; None where it does not fit what was typed."""
    if not value.startswith(line.kept):
        return None
    rest = value[len(line.kept) :]
    if not line.quote:
        return _backslashed(rest, at_start=not line.kept)
    if not rest.isprintable() or (line.quote == '"' and "!" in rest):
        # Within double quotes nothing keeps bash from looking into its history for a `!`.
        return None
    if line.quote == "'":
        return rest.replace("'", "'\\''")
    return re.sub(r'(["\\$`])', r"\\\1", rest)


def _backslashed(text: str, at_start: bool) -> str:
    """The text outside of quotes."""
    if not text.isprintable():
        coded = "".join(map(_coded, text))
        return f"$'{coded}'"
    found = "".join(char if PLAIN.fullmatch(char) else f"\\{char}" for char in text)
    return found if found or not at_start else "''"


def _coded(char: str) -> str:
    """A character within $'…'."""
    if char in "\\'":
        return f"\\{char}"
    if char.isprintable():
        return char
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x80 else f"\\U{code:08x}"
