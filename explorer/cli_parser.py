"""One command's part of the command line, with its options wherever somebody puts them.

`argparse` gives out words from left to right and lets an option end a list of them, so that what
follows is "unrecognized": `trash restore --yes 35`, `delete A --yes B`. Its own remedy takes no
commands and loses `--`. Here the options are put first, and then it has all words in one go.
"""

import argparse
from collections.abc import Sequence
from typing import Any


class CommandParser(argparse.ArgumentParser):
    """Takes options before, between and after what the command is about."""

    def parse_known_args(  # type: ignore[override]  # its overloads only tell namespaces apart
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        return super().parse_known_args(self._options_first(args or ()), namespace)

    def _options_first(self, arguments: Sequence[str]) -> list[str]:
        """What is not known stays where it is: argparse says of it what is wrong."""
        options: list[str] = []
        words: list[str] = []
        left = list(arguments)
        while left:
            word = left.pop(0)
            if word == "--":
                return [*options, *words, word, *left]
            option = self._option(word)
            if option is None:
                words.append(word)
                continue
            options.append(word)
            wants = option.nargs is None and "=" not in word
            if wants and left and left[0] != "--" and self._option(left[0]) is None:
                options.append(left.pop(0))
        return [*options, *words]

    def _option(self, word: str) -> argparse.Action | None:
        return self._option_string_actions.get(word.partition("=")[0])
