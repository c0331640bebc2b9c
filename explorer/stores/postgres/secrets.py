"""Keeping passwords out of everything that is shown or written down.

A password may be in the address, in `PGPASSWORD` or in a pgpass file. It is told to `remember` as
soon as it is known, and whatever quotes an address, an argument or an error passes `scrubbed`.
"""

import re
from collections.abc import Iterable
from urllib.parse import quote, quote_plus, unquote

MARK = "•••"
SHORTEST = 4
"""Characters from which a password is looked for by itself. A shorter one may be a part of many
words: it is only hidden where its place tells what it is."""
_MOST = 100
"""Passwords that are known at once, the last ones."""

_IN_ADDRESS = re.compile(r"(\b[a-z][a-z0-9+.\-]*:/+[^\s:/@?#]*):([^\s]*)@", re.IGNORECASE)
"""A path that was made of an address has one slash. The last `@` ends a password, so that one with
an `@` in it is hidden whole."""
_NAMED = re.compile(
    r"\b((?:ssl)?password|pgpassword)(\s*=\s*|%3D)('(?:[^'\\]|\\.)*'|[^\s&;]+)", re.IGNORECASE
)

_TYPED = re.compile(r"\b[a-z][a-z0-9+.\-]*://[^:@]*:(.*)@", re.IGNORECASE | re.DOTALL)
"""A whole argument, so that a password with spaces is hidden too."""

_known: dict[str, None] = {}


def remember(password: str | None, public: str = "") -> None:
    """Hide this password from now on, in every way in which it may be written. One that is a part
    of a `public` text is no secret as a word: hiding it would tell which word it is."""
    if password and len(password) >= SHORTEST and password not in public:
        # The last one is at the end, the longest spelling is found first.
        for way in _spellings(password):
            _known.pop(way, None)
            _known[way] = None
        while len(_known) > _MOST:
            del _known[next(iter(_known))]


def remember_typed(arguments: Iterable[str]) -> None:
    """Hide the passwords of these words of a command line, whether they are valid addresses or
    not: what is between the first colon after the scheme and the last `@`."""
    for argument in arguments:
        if found := _TYPED.search(argument):
            remember(found[1])
            remember(unquote(found[1], errors="surrogateescape"))


def scrubbed(text: str) -> str:
    """The text without passwords: those that are known, and what looks like one by its place."""
    for known in sorted(_known, key=len, reverse=True):
        text = text.replace(known, MARK)
    text = _IN_ADDRESS.sub(rf"\1:{MARK}@", text)
    return _NAMED.sub(rf"\1\2{MARK}", text)


def _spellings(password: str) -> set[str]:
    raw = password.encode("utf-8", "surrogateescape")
    ways = {password, quote(raw, safe=""), quote(raw), quote_plus(raw)}
    # As Python and libpq quote it in an error.
    ways |= {repr(password)[1:-1], password.replace("\\", "\\\\").replace("'", "\\'")}
    return {way for one in ways for way in (one, _small_escapes(one))}


def _small_escapes(text: str) -> str:
    return re.sub(r"%[0-9A-F]{2}", lambda found: found[0].lower(), text)
