"""The commands that change something, on the command line."""

import argparse
from collections.abc import Callable

DELETE_EPILOG = """\
examples:
  session-explorer delete 20261103_140211_a1b2c3
  session-explorer delete --dry-run 'Trip to Kyoto'      what would go
  session-explorer delete --conversation --yes ID        all its parts, without a question
  session-explorer undo                                  and all is back

What is deleted goes to a trash of our own first, for 30 days. Subagents go along where the file
proves whose they are; branches and continuations stay.
"""

EDIT_EPILOG = """\
Nothing happens without a yes: --dry-run shows the plan, --yes skips the question. `undo` takes it
back.
"""

TRASH_EPILOG = """\
examples:
  session-explorer trash list                what can be brought back
  session-explorer trash show 12             what is in receipt 12
  session-explorer trash restore 12          bring all of it back
  session-explorer trash restore 12 ID       only that session
  session-explorer trash purge 12            delete it for good, and free the room
  session-explorer trash purge --all
"""

Add = Callable[[str, str, str | None], argparse.ArgumentParser]
"""Adds a command: (name, summary, epilog)."""

_WHICH = "an id, its unique beginning, or a title that only one session has"


def add_edits(command: Add, text: Callable[[str], str], count: Callable[[str], int]) -> None:
    rename = command("rename", "give a session another title", EDIT_EPILOG)
    rename.add_argument("id", metavar="ID", type=text, help=_WHICH)
    rename.add_argument("title", metavar="TITLE", type=text, help="empty to take the title off")
    _add_edit(rename)
    for name, summary in (
        ("archive", "hide sessions from lists; they stay searchable"),
        ("unarchive", "list archived sessions again"),
        ("end", "end sessions that a crash left open"),
        ("reopen", "open ended sessions again"),
        ("clear", "delete the messages of sessions and keep the sessions"),
    ):
        made = command(name, summary, EDIT_EPILOG)
        made.add_argument("ids", metavar="ID", nargs="+", type=text, help=_WHICH)
        _add_edit(made)
    delete = command("delete", "delete sessions; undo brings them back", DELETE_EPILOG)
    delete.add_argument("ids", metavar="ID", nargs="+", type=text, help=_WHICH)
    delete.add_argument(
        "--conversation", action="store_true", help="with all parts of their conversations"
    )
    _add_edit(delete)
    undo = command("undo", "take the last edit of this file back", EDIT_EPILOG)
    undo.add_argument("receipt", metavar="RECEIPT", nargs="?", type=count, help="another edit")
    _add_answers(undo)
    trash = command("trash", "what was deleted: list, show, restore, purge", TRASH_EPILOG)
    trash.add_argument("what", choices=("list", "show", "restore", "purge"))
    trash.add_argument("receipt", metavar="RECEIPT", nargs="?", type=count)
    trash.add_argument("ids", metavar="ID", nargs="*", type=text, help="only these sessions")
    trash.add_argument("--all", action="store_true", help="purge everything")
    _add_answers(trash)


def _add_edit(to: argparse.ArgumentParser) -> None:
    to.add_argument("--force", action="store_true", help="also if it is running")
    _add_answers(to)


def _add_answers(to: argparse.ArgumentParser) -> None:
    to.add_argument("--dry-run", action="store_true", help="only show what would happen")
    to.add_argument("--yes", "-y", action="store_true", help="do not ask")
    to.add_argument("--json", action="store_true", help="one JSON document on standard output")
