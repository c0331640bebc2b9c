"""`complete`: the hidden command that the scripts of the shells ask.

It answers with texts that end in NUL, which no title can hold: first `words` or `paths`, then each
word, ready to be taken as it is; for zsh followed by the line to show for it, for fish by a tab and
what it is. Whatever goes wrong, it says nothing: an error in the middle of a line that is being
typed would only be in the way.
"""

import os
import signal
import sys
from collections.abc import Iterator, Sequence

from explorer.completion.bash_line import inserted, typed
from explorer.completion.candidates import Completions, completions
from explorer.completion.fish_token import unquoted
from explorer.render.clean import clean_line

WIDTH = 80
"""Characters of a word in the list of zsh."""
PATIENCE = 2.0
"""Seconds after which no answer is better than a late one."""


def answer(arguments: Sequence[str], now: float) -> int:
    """`bash LINE BREAKS`, `zsh WORD…` or `fish WORD… TOKEN`, the word at the cursor last."""
    _limit()
    # The shell shows what is written to standard error in the middle of the line.
    sys.stderr = open(os.devnull, "w")  # noqa: SIM115  # until the end
    try:
        said = "".join(f"{text}\0" for text in _texts(arguments, now))
        sys.stdout.buffer.write(said.encode("utf-8"))
        sys.stdout.flush()
    except Exception:
        # Of any kind: see above.
        pass
    return 0


def _limit() -> None:
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, lambda number, frame: os._exit(0))
        signal.setitimer(signal.ITIMER_REAL, PATIENCE)


def _texts(arguments: Sequence[str], now: float) -> Iterator[str]:
    shell, *words = arguments
    if shell == "bash":
        yield from _for_bash(words[0], words[1], now)
        return
    *before, current = words[1:]
    found = completions(before, unquoted(current) if shell == "fish" else current, now)
    yield _kind(found)
    for one in found.found:
        if shell == "fish":
            # A tab ends the word there.
            if "\t" not in one.value:
                yield f"{one.value}\t{one.about}"
        else:
            yield one.value
            yield "  -- ".join(filter(None, (clean_line(one.value, WIDTH), one.about)))


def _for_bash(line: str, breaks: str, now: float) -> Iterator[str]:
    found = typed(line, breaks)
    if found is None:
        return
    # Assignments may come before the program.
    words = list(found.words)
    while words and words[0].partition("=")[0].isidentifier() and "=" in words[0]:
        words.pop(0)
    given = completions(words[1:], found.current, now)
    yield _kind(given)
    for one in given.found:
        text = inserted(one.value, found)
        if text is not None:
            yield text


def _kind(found: Completions) -> str:
    return "paths" if found.paths else "words"
