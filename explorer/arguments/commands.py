"""Every command: what it does, and its arguments.

Only the parser of the command that was typed is made: those of all commands take 5 ms.
"""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from explorer import __version__
from explorer.arguments.parsers import COMMAND, ArgumentParser, CommandParser
from explorer.model import OWN_CLASSES, Sort

PROGRAM = "session-explorer"
SHELLS = ("bash", "zsh", "fish")

Add = Callable[[argparse.ArgumentParser], None]
"""Adds the arguments of a command."""


class CommandArguments(NamedTuple):
    """One command of the command line."""

    summary: str
    add: Add


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """What was typed; a mistake ends the program with one line that says what to type instead."""
    options = parser().parse_args(arguments)
    name, *words = options.command or (None,)
    options.command = name
    if name is not None:
        command_parser(name).parse_args(words, options)
    return options


def parser() -> ArgumentParser:
    """The options before the command. The command and all words after it are left for
    `command_parser`."""
    top = ArgumentParser(
        _overview_help,
        prog=PROGRAM,
        usage=f"{PROGRAM} [OPTIONS] [COMMAND …]",
        description="Review, search, resume and prune the past sessions of your AI agent.\n"
        "Without a command, it opens the app.",
    )
    top.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    _add_common(top, [])
    intent = top.add_mutually_exclusive_group()
    intent.add_argument("--pick", **_FLAG, help="enter resumes the session in its agent")
    intent.add_argument("--print-id", **_FLAG, help="enter prints the session id and quits")
    top.add_argument("--no-mouse", **_FLAG, help=_NO_MOUSE)
    summaries = (f"{name:<13} {one.summary}" for name, one in COMMANDS.items())
    group = top.add_argument_group("commands", "\n".join(summaries))
    rest = group.add_argument(
        COMMAND, nargs=argparse.PARSER, choices=COMMANDS, help=argparse.SUPPRESS
    )
    rest.required = False
    return top


def command_parser(name: str) -> CommandParser:
    summary = COMMANDS[name].summary
    made = CommandParser(
        lambda: _command_help(name),
        prog=f"{PROGRAM} {name}",
        description=summary[0].upper() + summary[1:] + ".",
    )
    COMMANDS[name].add(made)
    _add_common(made, argparse.SUPPRESS)
    return made


def _overview_help() -> str:
    from explorer.arguments.examples import overview_help  # late: 1 ms, only for --help

    return overview_help()


def _command_help(name: str) -> str:
    from explorer.arguments.examples import command_help  # late: as above

    return command_help(name)


def _add_common(to: argparse.ArgumentParser, missing: str | list[str]) -> None:
    """Options that may come before or after the command, and more than once."""
    holder = "state file, folder that contains one, or postgresql:// address; again for more"
    to.add_argument("--db", metavar="PATH", action="append", default=missing, help=holder)
    profile = "only this profile; again for more"
    to.add_argument("--profile", metavar="NAME", action="append", default=missing, help=profile)
    private: dict[str, Any] = {"default": argparse.SUPPRESS} if missing else {}
    to.add_argument("--private", **_FLAG, **private, help="hide names, ids and phone numbers")


def _list(to: argparse.ArgumentParser) -> None:
    to.add_argument("--limit", **_LIMIT)
    to.add_argument("--source", **_SOURCE)
    to.add_argument("--sort", **_SORT)
    to.add_argument("--all", **_FLAG, help="every row, including hidden ones and single parts")
    to.add_argument("--archived", **_FLAG, help="only archived sessions")
    _add_output(to)


def _show(to: argparse.ArgumentParser) -> None:
    to.add_argument("id", metavar="ID", type=_text, help=_WHICH_TO_READ)
    to.add_argument("--conversation", **_FLAG, help="print all parts of the conversation")
    to.add_argument("--all", **_FLAG, help="include rewound, repeated and hidden messages")
    to.add_argument("--format", choices=("text", "markdown"), **_FORMAT)
    _add_output(to)


def _search(to: argparse.ArgumentParser) -> None:
    to.add_argument("query", nargs="+", **_QUERY)
    to.add_argument("--limit", **_LIMIT)
    to.add_argument("--all", **_FLAG, help="include hidden sessions, hidden and rewound text")
    to.add_argument("--json-lines", **_FLAG, help="print one JSON document per hit")
    _add_output(to)


def _where(to: argparse.ArgumentParser) -> None:
    to.add_argument("text", metavar="TEXT", nargs="+", type=_text, help=_LOST)
    most = "at most N of each place; 0 for all (default: 20)"
    to.add_argument("--limit", type=_count, default=20, metavar="N", help=most)
    to.add_argument("--json", **_JSON)


def _chats(to: argparse.ArgumentParser) -> None:
    to.add_argument("words", metavar="WORD", nargs="*", type=_text, help=_CHAT_WORDS)
    platform = "only this platform, such as telegram; again for more"
    to.add_argument("--platform", metavar="P", action="append", default=[], help=platform)
    to.add_argument("--active", metavar="AGE", help="written to within 12h, 7d, 8w")
    _add_output(to)


def _info(to: argparse.ArgumentParser) -> None:
    to.add_argument("--json", **_JSON)


def _resume(to: argparse.ArgumentParser) -> None:
    which = to.add_mutually_exclusive_group(required=True)
    which.add_argument("id", metavar="ID", nargs="?", type=_text, help=_WHICH_TO_READ)
    which.add_argument("--last", **_FLAG, help="the most recently active session of the list")
    to.add_argument("--print", **_FLAG, help="only print the command")
    to.add_argument("--force", **_FORCE)


def _rename(to: argparse.ArgumentParser) -> None:
    to.add_argument("id", metavar="ID", type=_text, help=_WHICH)
    to.add_argument("title", metavar="TITLE", type=_text, help="new title; '' removes it")
    to.add_argument("--force", **_FORCE)
    _add_answers(to)


def _edit(to: argparse.ArgumentParser) -> None:
    to.add_argument("ids", metavar="ID", nargs="+", type=_text, help=_WHICH)
    to.add_argument("--force", **_FORCE)
    _add_answers(to)


def _delete(to: argparse.ArgumentParser) -> None:
    to.add_argument("--conversation", **_FLAG, help="delete all parts of each conversation")
    _edit(to)


def _prune(to: argparse.ArgumentParser) -> None:
    to.add_argument("query", nargs="*", **_QUERY)
    to.add_argument("--older-than", metavar="AGE", help="inactive for at least 12h, 90d, 8w, 1y")
    to.add_argument("--source", **_SOURCE)
    classes = [one.value for one in OWN_CLASSES]
    only = f"only this class, repeatable: {', '.join(classes)}"
    to.add_argument("--class", **_MANY, dest="classes", choices=classes, metavar="C", help=only)
    to.add_argument("--empty", **_FLAG, help="only sessions without messages")
    to.add_argument("--max-messages", type=_count, metavar="N", help="only up to N messages")
    to.add_argument("--keep", type=_count, default=0, metavar="N", help="keep the newest N matches")
    to.add_argument("--include-open", **_FLAG, help="include sessions that never ended")
    to.add_argument("--archive", **_FLAG, help="archive instead of deleting")
    to.add_argument("--all-profiles", **_ALL_PROFILES)
    _add_answers(to)
    to.add_argument("--no-pager", **_NO_PAGER)


def _undo(to: argparse.ArgumentParser) -> None:
    to.add_argument("receipt", nargs="?", **_CHANGE)
    to.add_argument("--all-profiles", **_ALL_PROFILES)
    _add_answers(to)


def _trash(to: argparse.ArgumentParser) -> None:
    actions = ("list", "show", "restore", "purge")
    about = f"{', '.join(actions)} (default: list)"
    to.add_argument(
        "what", nargs="?", default="list", choices=actions, metavar="ACTION", help=about
    )
    to.add_argument("receipt", nargs="?", **_CHANGE)
    to.add_argument("ids", metavar="ID", nargs="*", type=_text, help="only these sessions")
    to.add_argument(
        "--all", **_FLAG, help="purge: all deleted sessions, and the undo of all changes"
    )
    to.add_argument("--all-profiles", **_FLAG, help="purge --all: of every profile")
    _add_answers(to)
    to.add_argument("--no-pager", **_NO_PAGER)


def _demo(to: argparse.ArgumentParser) -> None:
    to.add_argument("--no-mouse", **_FLAG, default=argparse.SUPPRESS, help=_NO_MOUSE)
    to.add_argument(
        "--write",
        metavar="PATH",
        help="save the history instead: as a state file, or with its profiles in a folder",
    )


def _config(to: argparse.ArgumentParser) -> None:
    actions = ("show", "validate", "path", "init")
    to.add_argument("what", choices=actions, metavar="ACTION", help=", ".join(actions))
    _add_output(to)


def _completion(to: argparse.ArgumentParser) -> None:
    shells = f"{', '.join(SHELLS[:-1])} or {SHELLS[-1]}"
    to.add_argument("shell", choices=SHELLS, metavar="SHELL", help=shells)


def _add_answers(to: argparse.ArgumentParser) -> None:
    to.add_argument("--dry-run", **_FLAG, help="only show what will happen")
    to.add_argument("--yes", "-y", **_FLAG, help="do not ask")
    to.add_argument("--json", **_JSON)


def _add_output(to: argparse.ArgumentParser) -> None:
    to.add_argument("--json", **_JSON)
    to.add_argument("--no-pager", **_NO_PAGER)


def _count(text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = -1
    if value < 0:
        raise argparse.ArgumentTypeError("must be a number, 0 or more.")
    if value > sys.maxsize:
        raise argparse.ArgumentTypeError("is too large.")
    return value


def _text(argument: str) -> str:
    """Bytes that are not text are replaced, as they are elsewhere: SQLite would refuse them."""
    return argument.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


# Options and arguments that several commands have.
_NAMED = "id, unique beginning of an id, or title"
_IN_ONE = "PROFILE/ID for one of several profiles"
_WHICH_TO_READ = f"{_NAMED}; {_IN_ONE}"
_WHICH = f"{_NAMED} that only one session has; {_IN_ONE}"
_CHAT_WORDS = "only chats with this word: a person, a group, a topic"
_LOST = "words of the session, its title, its id, or the beginning of its id"
_NO_MOUSE = "let the terminal handle the mouse"
_FLAG: dict[str, Any] = {"action": "store_true"}
_MANY: dict[str, Any] = {"action": "append", "default": []}
_JSON = {**_FLAG, "help": "print one JSON document"}
_NO_PAGER = {**_FLAG, "help": "never use a pager"}
_FORCE = {**_FLAG, "help": "even if the session is running"}
_ALL_PROFILES = {**_FLAG, "help": "in every profile, not only the one Hermes uses"}
_SOURCE = {**_MANY, "metavar": "S", "help": "only this source, repeatable"}
_LIMIT: dict[str, Any] = {
    **{"type": _count, "default": 50, "metavar": "N"},
    "help": "at most N; 0 for all (default: 50)",
}
_SORT: dict[str, Any] = {
    **{"choices": [sort.value for sort in Sort], "default": "active", "metavar": "ORDER"},
    "help": f"sort by {', '.join(Sort)} (default: active)",
}
_FORMAT: dict[str, Any] = {"default": "text", "help": "print in this format (default: text)"}
_QUERY: dict[str, Any] = {
    **{"metavar": "QUERY", "type": _text},
    "help": "words, phrases and fields, as in the search bar",
}
_CHANGE: dict[str, Any] = {
    **{"metavar": "CHANGE", "type": _count},
    "help": "number of a change, from `trash list`",
}

COMMANDS: Mapping[str, CommandArguments] = {
    "list": CommandArguments("list sessions, last active first", _list),
    "show": CommandArguments("print a session as text, Markdown or JSON", _show),
    "search": CommandArguments("search the text of all sessions", _search),
    "where": CommandArguments("find a session that no list shows", _where),
    "chats": CommandArguments("list the chats of Hermes' gateway and their sessions", _chats),
    "info": CommandArguments("describe the state file and what can be changed in it", _info),
    "resume": CommandArguments("resume a session in its agent", _resume),
    "rename": CommandArguments("rename a session", _rename),
    "archive": CommandArguments("archive sessions: hidden from lists, still searched", _edit),
    "unarchive": CommandArguments("unarchive sessions", _edit),
    "pin": CommandArguments("pin sessions: first in the app, never pruned", _edit),
    "unpin": CommandArguments("unpin sessions", _edit),
    "end": CommandArguments("mark sessions as ended that a crash left open", _edit),
    "reopen": CommandArguments("reopen ended sessions", _edit),
    "clear": CommandArguments("clear the messages of sessions, keep the sessions", _edit),
    "delete": CommandArguments("delete sessions; `undo` restores them", _delete),
    "prune": CommandArguments("delete or archive many sessions by rules", _prune),
    "undo": CommandArguments("undo the last change of this file", _undo),
    "trash": CommandArguments("list, show, restore or purge deleted sessions", _trash),
    "demo": CommandArguments("open the app with an invented history", _demo),
    "config": CommandArguments("show, check or create the settings", _config),
    "completion": CommandArguments("print a script for completion in your shell", _completion),
}
