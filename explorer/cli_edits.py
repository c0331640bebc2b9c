"""The commands that change something, on the command line."""

import argparse
from collections.abc import Callable

from explorer.model import OWN_CLASSES, Action

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

PRUNE_EPILOG = """\
examples:
  session-explorer prune --older-than 90d --dry-run      what would go, and what stays and why
  session-explorer prune --class cron --class subagent --older-than 7d --keep 20
  session-explorer prune --empty --include-open --yes
  session-explorer prune --older-than 1y --archive       hide them instead of deleting
  session-explorer prune 'source:telegram messages:<5'   in the language of the search bar
  session-explorer prune 'source:cli NOT docker'         all but those that hold the word anywhere

Age is that of the last activity. Running and pinned sessions always stay; archived ones unless
the query asks for them; and whatever holds, in any message, its title or a subagent's session,
what the query denies with NOT or a dash. One receipt, one undo for all of it.
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

EDIT_COMMANDS = tuple(action.value for action in Action if action is not Action.PRUNE)
"""Those that change single sessions."""

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
        ("pin", "keep sessions at the top, and from being pruned, by the agent too"),
        ("unpin", "unpin sessions"),
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
    prune = command("prune", "delete or archive many sessions by rules", PRUNE_EPILOG)
    prune.add_argument("query", metavar="QUERY", nargs="*", type=text)
    prune.add_argument("--older-than", metavar="SPAN", help="quiet for so long: 12h, 90d, 8w, 1y")
    prune.add_argument(
        "--source", action="append", default=[], metavar="S", help="only this source; repeatable"
    )
    prune.add_argument(
        "--class",
        dest="classes",
        action="append",
        default=[],
        choices=[one.value for one in OWN_CLASSES],
        metavar="C",
        help=f"only this class: {', '.join(one.value for one in OWN_CLASSES)}; repeatable",
    )
    prune.add_argument("--empty", action="store_true", help="only those without messages")
    prune.add_argument("--max-messages", type=count, metavar="N", help="only up to N messages")
    prune.add_argument("--keep", type=count, default=0, metavar="N", help="the newest N stay")
    prune.add_argument("--include-open", action="store_true", help="also those never ended")
    prune.add_argument("--archive", action="store_true", help="archive instead of deleting")
    _add_answers(prune)
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
