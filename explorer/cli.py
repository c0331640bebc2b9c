"""The command line: arguments in, exit code out.

Nothing of Textual is imported here or by any command but the one that opens the app: commands such
as `list` must start in little more than Python's own time.
"""

import argparse
import gc
import re
import signal
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, NoReturn

from explorer import __version__
from explorer.commands.output import flush, let_go, note, open_closed
from explorer.errors import Cancelled, ExitCode, ExplorerError, closest
from explorer.model import OWN_CLASSES, Action, Sort
from explorer.render.clean import clean_line

COMMANDS = ("list", "show", "search", "info", "resume", "undo", "trash", "config", "demo", *Action)

EPILOG = """\
examples:
  session-explorer                         open your sessions
  session-explorer --db ~/backup/state.db  open another file or folder
  session-explorer demo                    try it on an invented history
  session-explorer --pick                  pick a session to resume
  session-explorer list --limit 10         list the last 10 sessions
  session-explorer list --json | jq '.sessions[].title'
  session-explorer show 20261103_1402      print a session, by id or title
  session-explorer search 'docker arm64'   search all messages
  session-explorer resume 'Trip to Kyoto'  resume a session in its agent
  session-explorer delete 'Trip to Kyoto'  show what will happen, then ask
  session-explorer undo                    restore it

exit codes: 0 done, 1 failed, 2 wrong usage, 3 no such session, 4 file busy,
5 file cannot be opened, 6 refused, 70 unexpected error, 130 interrupted
"""

LIST_EPILOG = """\
examples:
  session-explorer list                    the last 50 sessions
  session-explorer list --limit 0          all sessions
  session-explorer list --source telegram --source slack
  session-explorer list --sort cost        most expensive first
  session-explorer list --all --json       every row, including hidden ones

Subagent, cron, tool, kanban, one-shot, agent-hidden, empty and archived
sessions are hidden and counted. A conversation of several parts is one row.
--all lists every session and every part.
"""

SHOW_EPILOG = """\
examples:
  session-explorer show 20261103_140211_a1b2c3
  session-explorer show 'Fix docker deployment'         by title
  session-explorer show --conversation 20261103_1402    all parts as one text
  session-explorer show --format markdown ID > session.md
"""

SEARCH_EPILOG = """\
examples:
  session-explorer search docker arm64         messages with both words
  session-explorer search '"no space left"'    the exact phrase
  session-explorer search 'docker source:cli after:7d'
  session-explorer search --json-lines kyoto | head
  session-explorer search -- --force           text that starts with a dash

Archived sessions are searched too. Hits in subagent, cron, tool, kanban,
one-shot and agent-hidden sessions are only counted. --all lists these hits,
and hits in rewound and hidden messages.
"""

INFO_EPILOG = """\
examples:
  session-explorer info                        your state file
  session-explorer info --db ~/backup/state.db
  session-explorer info --json | jq .schema_version
"""

DELETE_EPILOG = """\
examples:
  session-explorer delete 20261103_140211_a1b2c3
  session-explorer delete --dry-run 'Trip to Kyoto'    show what will happen
  session-explorer delete --conversation --yes ID      all parts, without asking
  session-explorer undo                                restore them

Deleted sessions are kept in the trash for 30 days. Subagent sessions are also
deleted, if the file proves whose they are. Branches and continuations are kept.
"""

EDIT_EPILOG = """\
It asks before it changes anything. --dry-run only shows what will happen,
--yes skips the question, and `session-explorer undo` undoes the change.
"""

UNDO_EPILOG = """\
examples:
  session-explorer undo                        undo the last change
  session-explorer undo --dry-run              only show what will happen
  session-explorer undo 12                     undo change 12; see `trash list`
"""

PRUNE_EPILOG = """\
examples:
  session-explorer prune --older-than 90d --dry-run    show what will happen
  session-explorer prune --class cron --class subagent --older-than 7d --keep 20
  session-explorer prune --empty --include-open --yes
  session-explorer prune --older-than 1y --archive     archive, do not delete
  session-explorer prune 'source:telegram messages:<5' match a search
  session-explorer prune 'source:cli NOT docker'       keep what mentions docker

A session must match every rule. Age counts from the last activity. Running and
pinned sessions are kept, and archived ones unless the search asks for them. A
search with NOT or a dash keeps every conversation in which any message, the
title or a subagent matches the excluded words. One `undo` restores everything.
"""

TRASH_EPILOG = """\
examples:
  session-explorer trash list                  changes that can be undone
  session-explorer trash show 12               the sessions of change 12
  session-explorer trash restore 12            restore all of them
  session-explorer trash restore 12 ID         restore one of them
  session-explorer trash purge 12              permanently delete them
  session-explorer trash purge --all           empty the trash
"""

DEMO_EPILOG = """\
examples:
  session-explorer demo                        open the app
  session-explorer demo --write try.db         save the history as a state file
"""

CONFIG_EPILOG = """\
examples:
  session-explorer config show         every setting, its value and its source
  session-explorer config validate     check the settings file
  session-explorer config init         write a settings file with comments
  session-explorer config path         where the settings file is
"""

RESUME_EPILOG = """\
examples:
  session-explorer resume 20261103_140211_a1b2c3
  session-explorer resume 'Fix docker deployment'      by title
  session-explorer resume --print 20261103_1402        only print the command

A conversation resumes at its newest part, in its workspace if the folder still
exists. `resume_command` in the settings replaces the agent's own command.
"""

Add = Callable[[str, str, str], argparse.ArgumentParser]
"""Adds a command: (name, summary, epilog)."""

_WHICH_TO_READ = "id, unique beginning of an id, or title"
_WHICH = f"{_WHICH_TO_READ} that only one session has"
_NO_MOUSE = "let the terminal handle the mouse"


def run() -> None:
    """The console script."""
    # A command ends before collecting garbage pays, which takes a fifth of the time of a big list;
    # the app turns it on again when its first frame is painted.
    gc.disable()
    open_closed()
    code = int(ExitCode.INTERRUPTED)
    # For a second control+c while the first one is being handled.
    with suppress(KeyboardInterrupt):
        try:
            code = main(sys.argv[1:])
        except SystemExit as left:
            # From argparse, after its message.
            code = left.code if isinstance(left.code, int) else int(ExitCode.FAILED)
        except Exception as error:
            code = _crashed(error)
    # One more control+c, while the terminal is restored and threads end, changes nothing.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(let_go(code))


def main(arguments: Sequence[str]) -> int:
    options = parser().parse_args(arguments)
    try:
        code = _dispatch(options)
        # Here, where a reader that has gone is not an error yet.
        flush()
        return code
    except ExplorerError as error:
        note(f"session-explorer: {clean_line(error.title)}. {error.message}")
        return int(error.exit_code)
    except (KeyboardInterrupt, Cancelled):
        # Cancelled: it came in the middle of a query, which SQLite then interrupts.
        return int(ExitCode.INTERRUPTED)
    except BrokenPipeError:
        # The reader of our output has closed it.
        return int(ExitCode.DONE)


def _crashed(error: Exception) -> int:
    """Say where the report is, and nothing of what was being read."""
    # Late: only a crash needs them.
    from explorer.crash_report import write_report
    from explorer.settings import crash_folder

    names = [name for name in sys.argv[1:] if name in COMMANDS]
    path = write_report(error, crash_folder(), names[0] if names else "the app", time.time())
    report = f"The report is in {path}, without any of your text." if path else "No report."
    said = f"session-explorer: Unexpected error ({type(error).__name__}). {report}\n"
    with suppress(OSError, ValueError):
        sys.stderr.write(said.encode("ascii", "backslashreplace").decode())
    return int(ExitCode.CRASHED)


def _dispatch(options: argparse.Namespace) -> int:
    # Late imports, each for its own command only: the others together cost 10 to 300 ms.
    match options.command:
        case "list":
            from explorer.commands.listing import list_sessions as run_command
        case "show":
            from explorer.commands.show import show_session as run_command
        case "search":
            from explorer.commands.search import search_messages as run_command
        case "info":
            from explorer.commands.info import show_info as run_command
        case "resume":
            from explorer.commands.resume import resume_session as run_command
        case "prune":
            from explorer.commands.prune import prune_sessions as run_command
        case "undo":
            from explorer.commands.trash import undo_edit as run_command
        case "trash":
            from explorer.commands.trash import handle_trash as run_command
        case "config":
            from explorer.commands.config import handle_config as run_command
        case "demo" | None:
            from explorer.commands.open import open_app as run_command
        case _:
            from explorer.commands.editing import edit_sessions as run_command
    return run_command(options, time.time())


def parser() -> argparse.ArgumentParser:
    raw = argparse.RawDescriptionHelpFormatter
    top = _Parser(
        prog="session-explorer",
        description="Review, search, resume and prune the past sessions of your AI agent.\n"
        "Without a command, it opens the app.",
        epilog=EPILOG,
        formatter_class=raw,
        allow_abbrev=False,
    )
    top.add_argument("--version", action="version", version=f"session-explorer {__version__}")
    _add_common(top, None)
    intent = top.add_mutually_exclusive_group()
    intent.add_argument("--pick", **_FLAG, help="enter resumes the session in its agent")
    intent.add_argument("--print-id", **_FLAG, help="enter prints the session id and quits")
    top.add_argument("--no-mouse", **_FLAG, help=_NO_MOUSE)
    commands = top.add_subparsers(
        dest="command", metavar="COMMAND", title="commands", parser_class=_CommandParser
    )

    def command(name: str, summary: str, epilog: str) -> argparse.ArgumentParser:
        made = commands.add_parser(
            name,
            help=summary,
            description=summary[0].upper() + summary[1:] + ".",
            epilog=epilog,
            formatter_class=raw,
            allow_abbrev=False,
        )
        _add_common(made, argparse.SUPPRESS)
        return made

    _add_reading(command)
    _add_edits(command)
    _add_trash(command)
    demo = command("demo", "open the app with an invented history", DEMO_EPILOG)
    demo.add_argument("--no-mouse", **_FLAG, default=argparse.SUPPRESS, help=_NO_MOUSE)
    demo.add_argument("--write", metavar="PATH", help="save the history as a state file instead")

    config = command("config", "show, check or create the settings", CONFIG_EPILOG)
    config.add_argument("what", choices=("show", "validate", "path", "init"))
    config.add_argument("--json", **_JSON)
    return top


def _add_reading(command: Add) -> None:
    """The commands that change nothing."""
    listing = command("list", "list sessions, last active first", LIST_EPILOG)
    listing.add_argument("--limit", **_LIMIT)
    listing.add_argument("--source", **_SOURCE)
    listing.add_argument("--sort", **_SORT)
    listing.add_argument("--all", **_FLAG, help="every row, including hidden ones and single parts")
    listing.add_argument("--archived", **_FLAG, help="only archived sessions")
    listing.add_argument("--json", **_JSON)

    show = command("show", "print a session as text, Markdown or JSON", SHOW_EPILOG)
    show.add_argument("id", metavar="ID", type=_text, help=_WHICH_TO_READ)
    show.add_argument("--conversation", **_FLAG, help="print all parts of the conversation")
    show.add_argument("--all", **_FLAG, help="include rewound, repeated and hidden messages")
    show.add_argument("--format", choices=("text", "markdown"), **_FORMAT)
    show.add_argument("--json", **_JSON)

    search = command("search", "search the text of all sessions", SEARCH_EPILOG)
    search.add_argument("query", nargs="+", **_QUERY)
    search.add_argument("--limit", **_LIMIT)
    search.add_argument("--all", **_FLAG, help="include hidden sessions, hidden and rewound text")
    search.add_argument("--json-lines", **_FLAG, help="print one JSON document per hit")
    search.add_argument("--json", **_JSON)

    info = command("info", "describe the state file and what can be changed in it", INFO_EPILOG)
    info.add_argument("--json", **_JSON)

    resume = command("resume", "resume a session in its agent", RESUME_EPILOG)
    resume.add_argument("id", metavar="ID", help=_WHICH_TO_READ)
    resume.add_argument("--print", **_FLAG, help="only print the command")
    resume.add_argument("--force", **_FORCE)


def _add_edits(command: Add) -> None:
    """The commands that change single sessions."""
    rename = command("rename", "rename a session", EDIT_EPILOG)
    rename.add_argument("id", metavar="ID", type=_text, help=_WHICH)
    rename.add_argument("title", metavar="TITLE", type=_text, help="new title; '' removes it")
    rename.add_argument("--force", **_FORCE)
    _add_answers(rename)
    for name, summary in (
        ("archive", "archive sessions: hidden from lists, still searched"),
        ("unarchive", "unarchive sessions"),
        ("pin", "pin sessions: listed first, never pruned"),
        ("unpin", "unpin sessions"),
        ("end", "mark sessions as ended that a crash left open"),
        ("reopen", "reopen ended sessions"),
        ("clear", "clear the messages of sessions, keep the sessions"),
        ("delete", "delete sessions; `undo` restores them"),
    ):
        made = command(name, summary, DELETE_EPILOG if name == "delete" else EDIT_EPILOG)
        made.add_argument("ids", metavar="ID", nargs="+", type=_text, help=_WHICH)
        if name == "delete":
            parts = "delete all parts of each conversation"
            made.add_argument("--conversation", **_FLAG, help=parts)
        made.add_argument("--force", **_FORCE)
        _add_answers(made)


def _add_trash(command: Add) -> None:
    """The commands that change many sessions, and those that restore them."""
    prune = command("prune", "delete or archive many sessions by rules", PRUNE_EPILOG)
    prune.add_argument("query", nargs="*", **_QUERY)
    prune.add_argument("--older-than", metavar="AGE", help="inactive for at least 12h, 90d, 8w, 1y")
    prune.add_argument("--source", **_SOURCE)
    classes = [one.value for one in OWN_CLASSES]
    only = f"only this class, repeatable: {', '.join(classes)}"
    prune.add_argument("--class", **_MANY, dest="classes", choices=classes, metavar="C", help=only)
    prune.add_argument("--empty", **_FLAG, help="only sessions without messages")
    prune.add_argument("--max-messages", type=_count, metavar="N", help="only up to N messages")
    prune.add_argument(
        "--keep", type=_count, default=0, metavar="N", help="keep the newest N matches"
    )
    prune.add_argument("--include-open", **_FLAG, help="include sessions that never ended")
    prune.add_argument("--archive", **_FLAG, help="archive instead of deleting")
    _add_answers(prune)
    undo = command("undo", "undo the last change of this file", UNDO_EPILOG)
    undo.add_argument("receipt", nargs="?", **_CHANGE)
    _add_answers(undo)
    trash = command("trash", "list, show, restore or purge deleted sessions", TRASH_EPILOG)
    trash.add_argument("what", choices=("list", "show", "restore", "purge"))
    trash.add_argument("receipt", nargs="?", **_CHANGE)
    trash.add_argument("ids", metavar="ID", nargs="*", type=_text, help="only these sessions")
    trash.add_argument("--all", **_FLAG, help="purge: everything in the trash")
    _add_answers(trash)


def _add_answers(to: argparse.ArgumentParser) -> None:
    to.add_argument("--dry-run", **_FLAG, help="only show what will happen")
    to.add_argument("--yes", "-y", **_FLAG, help="do not ask")
    to.add_argument("--json", **_JSON)


def _add_common(to: argparse.ArgumentParser, missing: str | None) -> None:
    """Options that may come before or after the command."""
    holder = "state file, or a folder that contains one"
    to.add_argument("--db", metavar="PATH", default=missing, help=holder)
    to.add_argument("--profile", metavar="NAME", default=missing, help="Hermes profile")


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
_FLAG: dict[str, Any] = {"action": "store_true"}
_MANY: dict[str, Any] = {"action": "append", "default": []}
_JSON = {**_FLAG, "help": "print one JSON document"}
_FORCE = {**_FLAG, "help": "even if the session is running"}
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


class _Parser(argparse.ArgumentParser):
    """argparse with short messages, which name the closest command, option or value."""

    def parse_known_args(  # type: ignore[override]  # its overloads only tell namespaces apart
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        self._words = list(args or ())
        found, unknown = super().parse_known_args(args, namespace)
        self._refuse_options(unknown)
        if unknown:
            self.error(f"Unexpected argument {unknown[0]!r}.")
        return found, unknown

    def _refuse_options(self, words: Iterable[str]) -> None:
        for word in words:
            name = word.partition("=")[0]
            if word.startswith("-") and name not in self._option_string_actions:
                close = _closest(name, self._option_string_actions)
                self.error(f"Unknown option {word}.{close}")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        if action.dest == "command":
            # The value of a misspelt option is taken for the command.
            self._refuse_options(self._words[: self._words.index(value)])
            message = f"Unknown command {value!r}.{_closest(value, action.choices)}"
        else:
            of = f" for {action.option_strings[0]}" if action.option_strings else ""
            message = f"Unknown value {value!r}{of}. Use {', '.join(action.choices)}."
        raise argparse.ArgumentError(None, message)

    def error(self, message: str) -> NoReturn:
        for pattern, words in _SHORTER.items():
            message = re.sub(pattern, words, message)
        see = f"See `{self.prog} --help`."
        self.exit(int(ExitCode.USAGE), f"{self.prog}: {clean_line(message)}\n{see}\n")


_SHORTER = {
    r"^argument (\S+): expected one argument$": r"\1 needs a value.",
    r"^argument (\S+): not allowed with argument (\S+)$": r"Use either \1 or \2, not both.",
    r"^argument (\S+): ": r"\1 ",
    r"^the following arguments are required: (.*)$": r"Missing: \1.",
}
"""Messages of argparse, and what we say instead."""


def _closest(word: str, known: Iterable[str]) -> str:
    close = closest(word, known, least=0.65)
    return f" Closest: {', '.join(close)}." if close else ""


class _CommandParser(_Parser):
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


if __name__ == "__main__":
    run()
