"""Commands to type next: with the same options for files, and quoted for a shell."""

import argparse
import shlex

from explorer.arguments.commands import PROGRAM
from explorer.commands.output import note
from explorer.render.clean import clean_line

SHORTEST = 2
"""Characters that are worth looking for everywhere; one is in every session."""


def in_shell(*words: str) -> str:
    """The program with these words, as they are typed."""
    return shlex.join((PROGRAM, *words))


def same_files(options: argparse.Namespace) -> str:
    """The options that name the files which a command was about, to be typed again."""
    chosen = (("--db", options.db), ("--profile", options.profile))
    return "".join(
        f" {name} {shlex.quote(_public(value))}" for name, values in chosen for value in values
    )


def _public(place: str) -> str:
    """What was given for a file or a database, without a password."""
    if "://" not in place:
        return place
    from explorer.stores.postgres.given import typed_again  # late: only a server needs it

    return typed_again(place)


def advise_where(text: str, options: argparse.Namespace, now: float) -> None:
    """Name the command that looks where lists and searches do not. It needs words, and what cannot
    be typed as it is shown is not offered."""
    # Late: 5 ms that only this needs.
    from explorer.search.language.query import parse
    from explorer.whereabouts.places import as_text

    text = text.strip()
    command = f"{PROGRAM} where{same_files(options)} {shlex.join(as_text(text))}"
    possible = len(text) >= SHORTEST and parse(text, now).needs_text
    if possible and clean_line(command) == command:
        note(f"To search other profiles, the trash and snapshots too: {command}")
