"""What is inside a paragraph, a heading, a cell of a table or a piece of code, as spans.

Nothing is hidden behind a word: a link and an image name their target. Code has the colours of its
language, which its fence names; nothing is guessed.

Lexers are big patterns that were not made for hostile text, and one that has begun cannot be
stopped. So only well-known ones are used, and they see no more than is shown, up to a limit.
"""

from collections.abc import Iterable
from functools import cache
from itertools import islice
from typing import Protocol

from markdown_it.token import Token

from explorer.render.clean import ELLIPSIS, clean_line, fit
from explorer.render.lines import Line, Span, settled
from explorer.render.markdown.grammar import inline_tokens

MOST_TARGET = 300
"""Characters of a target: an image may be a megabyte of them."""
ENOUGH = 16_000
"""What the texts of one message may cost: 40 ms. Beyond it they stay as they were written."""

_COSTS = {"`": 8, "*": 8, "_": 8, "~~": 8, "[": 24, "]": 4, "<": 8, "\\": 8, "://": 16}
_LETTERS = {"strong": "strong", "em": "emphasis", "s": "strike"}


class Inline:
    """Makes lines of the texts of one message."""

    def __init__(self) -> None:
        self._left = ENOUGH
        self.cut = False
        """Whether a target was too long to show."""

    def lines(self, text: str, base: str = "text") -> list[Line]:
        """The lines that were written, each of spans in the style `base` or derived from it."""
        if not self._worth(text):
            return [((line.rstrip(" "), base),) for line in text.split("\n")]
        made = _Spans(base)
        for token in inline_tokens(text):
            made.add(token)
        self.cut = self.cut or made.cut
        return [settled(tuple(line), base) for line in made.lines]

    def _worth(self, text: str) -> bool:
        """Whether there is something to look for, and time for it."""
        cost = sum(text.count(mark) * cost for mark, cost in _COSTS.items() if mark in text)
        if not cost or cost > self._left:
            return False
        self._left -= cost
        return True


class _Spans:
    def __init__(self, base: str) -> None:
        self.lines: list[list[Span]] = [[]]
        self.cut = False
        self._base = base
        self._letters: list[str] = []
        self._link: str | None = None
        """The target of the link that is open, and what it was said to be."""
        self._said = ""

    def add(self, token: Token) -> None:
        kind, _, edge = token.type.rpartition("_")
        if kind in _LETTERS and edge == "open":
            self._letters.append(_LETTERS[kind])
        elif kind in _LETTERS:
            self._letters.remove(_LETTERS[kind])
        elif token.type == "link_open":
            self._link, self._said = str(token.attrs["href"]), ""
        elif token.type == "link_close":
            self._close_link(self._target(self._link or ""))
        elif token.type == "image":
            alt = clean_line(token.content)
            self._put(f"[image: {alt}]" if alt else "[image]", "link")
            self._aside(self._target(str(token.attrs["src"])))
        elif token.type in ("hardbreak", "softbreak"):
            self.lines.append([])
        elif token.type == "code_inline":
            self._put(token.content, "code")
        else:
            self._put(token.content, self._base if self._link is None else "link")

    def _close_link(self, target: str) -> None:
        said, self._link = self._said.strip(), None
        if not said:
            self._put(target, "link")
        elif not _same(said, target):
            self._aside(target)

    def _aside(self, target: str) -> None:
        if target:
            self._put(f" ({target})", "dim")

    def _target(self, target: str) -> str:
        shown = clean_line(target, MOST_TARGET)
        self.cut = self.cut or (len(shown) == MOST_TARGET and shown[-1] == ELLIPSIS)
        return shown

    def _put(self, text: str, style: str) -> None:
        if not text:
            return
        self._said += text
        if self._letters and style != "dim":
            letters = " ".join(dict.fromkeys(self._letters))
            style = letters if style == "text" else f"{style} {letters}"
        line = self.lines[-1]
        if line and line[-1][1] == style:
            text = line.pop()[0] + text
        line.append((text, style))


def _same(said: str, target: str) -> bool:
    """Whether a link says its own address."""
    for start in ("https://", "http://", "mailto:"):
        target = target.removeprefix(start)
        said = said.removeprefix(start)
    return said.rstrip("/") == target.rstrip("/")


MOST = 5_000
"""Characters of the code of one message that are coloured."""
MOST_TOKENS = 2_000
"""Tokens of one piece of code: about 10 µs each."""
_SLOW = frozenset(("java", "csharp", "cs", "c#", "dart"))
"""Languages whose patterns look far ahead: of these a quarter."""

LANGUAGES = frozenset(
    (
        *("bash", "sh", "shell", "zsh", "console", "powershell", "ps1", "fish", "awk", "http"),
        *("c", "cpp", "c++", "csharp", "cs", "c#", "go", "golang", "java", "kotlin", "rust", "rs"),
        *("swift", "zig", "dart", "objective-c", "haskell", "elixir", "erlang", "ocaml", "nasm"),
        *("python", "py", "python3", "pycon", "pytb", "ruby", "rb", "perl", "php", "lua", "r"),
        *("javascript", "js", "jsx", "typescript", "ts", "tsx", "html", "css", "scss", "vue"),
        *("json", "json5", "yaml", "yml", "toml", "ini", "cfg", "xml", "graphql", "protobuf"),
        *("sql", "sqlite3", "postgresql", "mysql", "diff", "udiff", "make", "makefile", "cmake"),
        *("dockerfile", "docker", "nginx", "terraform", "hcl", "nix", "clojure", "lisp", "scheme"),
        *("vim", "tex", "latex", "markdown", "md"),
    )
)
_ALIASES = {"jsonc": "json", "patch": "diff", "h": "c", "svg": "xml", "node": "js"}

_STYLES = {
    "Token.Comment": "code-comment",
    "Token.Keyword": "code-keyword",
    "Token.Keyword.Constant": "code-number",
    "Token.Operator.Word": "code-keyword",
    "Token.Literal.String": "code-string",
    "Token.Literal.Number": "code-number",
    "Token.Name.Function": "code-name",
    "Token.Name.Class": "code-name",
    "Token.Name.Builtin": "code-name",
    "Token.Name.Decorator": "code-name",
    "Token.Name.Tag": "code-keyword",
    "Token.Name.Attribute": "code-name",
    "Token.Name.Variable": "code-name",
    "Token.Generic.Inserted": "ok",
    "Token.Generic.Deleted": "error",
    "Token.Generic.Heading": "code-name",
    "Token.Generic.Subheading": "code-name",
    "Token.Generic.Prompt": "code-comment",
    "Token.Generic.Output": "code-comment",
    "Token.Generic.Traceback": "code-comment",
}
"""By kind of token; others are as the kind they belong to."""


class _Lexer(Protocol):
    def get_tokens(self, text: str) -> Iterable[tuple[object, str]]: ...


class Code:
    """Makes lines of the code of one message."""

    def __init__(self) -> None:
        self._left = MOST
        self.cut = False
        """Whether a line was too long."""

    def lines(self, code: str, language: str, width: int, limit: int) -> list[Line]:
        """The first lines of clean code that fit, in colours as far as the language is known."""
        written = [line.rstrip() for line in code.split("\n", limit)[:limit]]
        # Cut before they are coloured: what is not visible costs nothing.
        shown = [fit(line, width) for line in written]
        self.cut = self.cut or shown != written
        language = _ALIASES.get(language.lower(), language.lower())
        if language not in LANGUAGES:
            return [((line, "code"),) for line in shown]
        share = 4 if language in _SLOW else 1
        text = "\n".join(shown)[: self._left // share]
        self._left -= len(text) * share
        coloured = _coloured(text, language, shown)
        return [*coloured, *(((line, "code-text"),) for line in shown[len(coloured) :])]


def _coloured(text: str, language: str, lines: list[str]) -> list[Line]:
    """Those of the lines that the text holds: its end may be missing."""
    made: list[list[Span]] = [[]]
    for kind, part in islice(_lexer(language).get_tokens(text), MOST_TOKENS):
        style = _style(kind)
        for number, piece in enumerate(part.split("\n")):
            if number:
                made.append([])
            if piece:
                _put(made[-1], piece, style)
    done: list[Line] = []
    for line, spans in zip(lines, made, strict=False):
        # Where a lexer has lost something, colours end too.
        if "".join(piece for piece, _ in spans) != line:
            break
        done.append(settled(tuple(spans), "code-text"))
    return done


def _put(line: list[Span], text: str, style: str) -> None:
    # White space takes the style before it: fewer spans to paint.
    if line and (line[-1][1] == style or text.isspace()):
        last, style = line.pop()
        text = last + text
    line.append((text, style))


@cache
def _style(kind: object) -> str:
    name = str(kind)
    while name and name not in _STYLES:
        name = name.rpartition(".")[0]
    return _STYLES.get(name, "code-text")


@cache
def _lexer(language: str) -> _Lexer:
    # Late: 15 ms, and up to 50 more for a language, where there is code at all.
    from pygments.lexers import get_lexer_by_name

    lexer: _Lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    return lexer
