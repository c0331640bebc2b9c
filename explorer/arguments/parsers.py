"""argparse with short messages, which name the closest command, option or value, and with options
anywhere among the words of a command."""

import argparse
import os
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import takewhile
from typing import Any, NoReturn

from explorer.errors import ExitCode, closest
from explorer.render.clean import clean_line

COMMAND = "command"
"""The name under which the command and all words after it are kept."""
SYNONYMS = {
    "ls": ("list",),
    "dir": ("list",),
    "sessions": ("list",),
    "cat": ("show",),
    "view": ("show",),
    "read": ("show",),
    "open": ("show", "resume"),
    "print": ("show",),
    "export": ("show",),
    "find": ("search",),
    "grep": ("search",),
    "locate": ("where",),
    "lost": ("where",),
    "missing": ("where",),
    "recover": ("where", "trash"),
    "status": ("info",),
    "stats": ("info",),
    "continue": ("resume",),
    "title": ("rename",),
    "mv": ("rename",),
    "rm": ("delete",),
    "remove": ("delete",),
    "clean": ("prune",),
    "cleanup": ("prune",),
    "restore": ("undo", "trash"),
    "history": ("trash", "list"),
    "purge": ("trash", "prune"),
    "settings": ("config",),
    "help": ("--help",),
}
"""Commands that people try, and ours."""


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """One is made for each argument that is added, so it finds the width without `shutil`, which
    takes 2 ms to load."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_columns() - 2)


def _columns() -> int:
    named = os.environ.get("COLUMNS", "")
    if named.isdecimal() and int(named):
        return int(named)
    try:
        return os.get_terminal_size().columns or 80
    except (OSError, ValueError):
        return 80


class ArgumentParser(argparse.ArgumentParser):
    """A wrong line is an error in one line, and says what to type instead."""

    def __init__(self, help_text: Callable[[], str], **options: Any) -> None:
        super().__init__(formatter_class=_HelpFormatter, allow_abbrev=False, **options)
        self._help_text = help_text
        self._private = False

    def format_help(self) -> str:
        # Made here: most commands never show it, and that of `search` loads the search language.
        self.epilog = self._help_text()
        return super().format_help()

    def parse_known_args(  # type: ignore[override]  # its overloads only tell namespaces apart
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        self._words = list(args or ())
        self._private = "--private" in self._words or getattr(namespace, "private", False)
        found, unknown = super().parse_known_args(args, namespace)
        self._refuse_options(unknown)
        if unknown:
            self.error(f"Unexpected argument {unknown[0]!r}.")
        return found, unknown

    @property
    def known_options(self) -> dict[str, argparse.Action]:
        return self._option_string_actions

    def word(self, at: int) -> argparse.Action | None:
        """What the word at a place means, not counting options."""
        for action in self._get_positional_actions():
            if not at or action.nargs in ("*", "+"):
                return action
            at -= 1
        return None

    def _refuse_options(self, words: Iterable[str]) -> None:
        for word in words:
            name = word.partition("=")[0]
            if word.startswith("-") and name not in self._option_string_actions:
                more = _closest(name, self._option_string_actions) or self._if_text(word)
                self.error(f"Unknown option {word}.{more}")

    def _if_text(self, word: str) -> str:
        """What to do where a word was meant as text, as the id of a session may be."""
        takes_text = any(one.choices is None for one in self._get_positional_actions())
        if word.startswith("--") or not takes_text:
            return ""
        return " Text that starts with a dash goes after --."

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        if action.dest == COMMAND:
            # The value of a misspelt option is taken for the command.
            self._refuse_options(self._words[: self._words.index(value)])
            meant = SYNONYMS.get(value)
            close = f" Closest: {', '.join(meant)}." if meant else _closest(value, action.choices)
            raise argparse.ArgumentError(None, f"Unknown command {value!r}.{close}")
        of = f" for {action.option_strings[0]}" if action.option_strings else ""
        use = _closest(value, action.choices) or f" Use {', '.join(action.choices)}."
        raise argparse.ArgumentError(None, f"Unknown value {value!r}{of}.{use}")

    def error(self, message: str) -> NoReturn:
        if message.startswith(_REQUIRED):
            # Taken for an option, the word that is missing would be said not to be there.
            self._refuse_options(takewhile(lambda word: word != "--", self._words))
        for pattern, words in _SHORTER.items():
            message = re.sub(pattern, words, message)
        if self._private:
            # Nobody is known yet: what was typed is not said again.
            message = re.sub(r"(['\"]).*\1|(?<=^Unknown option )\S+", "…", message)
        # Late: only a mistake needs it. What is quoted may be the address of a server.
        from explorer.stores.postgres.secrets import scrubbed

        said = f"{self.prog}: {clean_line(scrubbed(message))} See `{self.prog} --help`."
        self.exit(int(ExitCode.USAGE), f"{said}\n")


_REQUIRED = ("the following arguments are required: ", "one of the arguments ")
"""How argparse says that a word is missing."""
_SHORTER = {
    r"^argument (\S+): expected one argument$": r"\1 needs a value.",
    r"^argument (\S+): not allowed with argument (\S+)$": r"Use either \1 or \2, not both.",
    r"^argument (\S+): ": r"\1 ",
    r"^the following arguments are required: (.*)$": r"Missing: \1.",
    r"^one of the arguments (\S+) (\S+) is required$": r"Missing: \1 or \2.",
}
"""Messages of argparse, and what we say instead."""


def _closest(word: str, known: Iterable[str]) -> str:
    """The names that begin with the word, else the most similar ones."""
    names = list(known)
    begin = [name for name in names if len(word.strip("-")) > 1 and name.startswith(word)]
    close = begin[:3] or closest(word.lower(), names, least=0.65)
    return f" Closest: {', '.join(close)}." if close else ""


class CommandParser(ArgumentParser):
    """The arguments of one command, with its options anywhere among them.

    `argparse` assigns words from left to right and lets an option end a list of them, so that
    the words after it are "unrecognized": `trash restore --yes 35`, `delete A --yes B`. Its own
    remedy supports no commands and loses `--`. Here the options are put first, so that all words
    come in one go.
    """

    def parse_known_args(  # type: ignore[override]  # as above
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        return super().parse_known_args(self._options_first(args or ()), namespace)

    def _options_first(self, arguments: Sequence[str]) -> list[str]:
        """Unknown options stay where they are: argparse reports them."""
        options: list[str] = []
        words: list[str] = []
        left = list(arguments)
        while left:
            word = left.pop(0)
            if word == "--":
                return [*options, *words, word, *left]
            option = self.option(word)
            if option is None:
                words.append(word)
                continue
            options.append(word)
            wants = option.nargs is None and "=" not in word
            if wants and left and left[0] != "--" and self.option(left[0]) is None:
                options.append(left.pop(0))
        return [*options, *words]

    def option(self, word: str) -> argparse.Action | None:
        """What an option of this name is, with or without a value behind a `=`."""
        return self._option_string_actions.get(word.partition("=")[0])
