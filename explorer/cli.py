"""The command line: what was asked for, and the exit code for what came of it.

Nothing of Textual is imported here or by any command but the one that opens the app: `list` and
its like must start in little more than Python's own time.
"""

import argparse
import gc
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from explorer import __version__
from explorer.commands.output import flush, let_go, note, open_closed
from explorer.errors import Cancelled, ExitCode, ExplorerError
from explorer.model import OWN_CLASSES, Action, Sort
from explorer.render.clean import clean_line

COMMANDS = ("list", "show", "search", "info", "resume", "undo", "trash", "config", "demo", *Action)

EPILOG = """\
examples:
  session-explorer                           open your own sessions
  session-explorer --db ~/backup/state.db    open another file, or a folder that holds one
  session-explorer demo                      look around in an invented history
  session-explorer list --limit 10           the ten sessions you used last
  session-explorer list --json | jq '.sessions[].title'
  session-explorer show 20261103_1402        read one, by the beginning of its id or by its title
  session-explorer search 'docker arm64'     find where you talked about it
  session-explorer resume 'Trip to Kyoto'    go on with it
  session-explorer --pick                    choose one to go on with
  session-explorer delete 'Trip to Kyoto'    after showing what goes; `undo` brings it back

exit codes: 0 done, 1 failed, 2 usage, 3 no such session, 4 file busy, 5 file cannot be opened,
6 refused, 70 crashed (a report file says where), 130 interrupted
"""

LIST_EPILOG = """\
examples:
  session-explorer list                      the 50 sessions you used last
  session-explorer list --limit 0            all of them
  session-explorer list --source telegram --source slack
  session-explorer list --sort cost          the dearest first
  session-explorer list --all --json         every row of the file, hidden ones too

Sessions of subagents, cron, tools, kanban and one-shot runs, those that the agent hides, empty and
archived ones are left out and counted; the parts of a conversation that was compressed are one
row. --all lists every row by itself.
"""

SHOW_EPILOG = """\
examples:
  session-explorer show 20261103_140211_a1b2c3
  session-explorer show 'Fix docker deployment'           by title
  session-explorer show --conversation 20261103_1402      all parts, as one text
  session-explorer show --format markdown ID > chat.md
"""

SEARCH_EPILOG = """\
examples:
  session-explorer search docker arm64       messages that hold both words
  session-explorer search '"no space left"'  this very phrase
  session-explorer search --json-lines kyoto | head
  session-explorer search -- --force         text that starts with a dash

Archived sessions are searched too. Hits in sessions of subagents, cron, tools, kanban and one-shot
runs and in those that the agent hides are counted; --all lists them, and messages that were
rewound or hidden.
"""

INFO_EPILOG = """\
examples:
  session-explorer info                      your own state file
  session-explorer info --db ~/backup/state.db
  session-explorer info --json | jq .schema_version
"""

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

DEMO_EPILOG = """\
examples:
  session-explorer demo                      look around in it
  session-explorer demo --write try.db       keep it as a file
"""

CONFIG_EPILOG = """\
examples:
  session-explorer config show               every setting, its value and where it comes from
  session-explorer config validate           check the settings file
  session-explorer config init               write a settings file with comments
  session-explorer config path               where it is
"""

RESUME_EPILOG = """\
examples:
  session-explorer resume 20261103_140211_a1b2c3
  session-explorer resume 'Fix docker deployment'      by title
  session-explorer resume --print 20261103_1402        the command, quoted for a shell

A conversation of several parts is resumed at its newest part, in its workspace if that still
exists. The command can be set in the settings.
"""

Add = Callable[[str, str, str], argparse.ArgumentParser]
"""Adds a command: (name, summary, epilog)."""

_WHICH_TO_READ = "an id, its unique beginning, or a title"
_WHICH = f"{_WHICH_TO_READ} that only one session has"
_NO_MOUSE = "leave the mouse to the terminal"


def run() -> None:
    """The console script."""
    # A command does not live long enough for anything to be worth collecting, a fifth of the time
    # of a big list; the app turns it on again when its first frame is painted.
    gc.disable()
    open_closed()
    code = int(ExitCode.INTERRUPTED)
    # Where a second control+c comes while the first one is being answered.
    with suppress(KeyboardInterrupt):
        try:
            code = main(sys.argv[1:])
        except SystemExit as left:
            # What argparse says goes out the same way.
            code = left.code if isinstance(left.code, int) else int(ExitCode.FAILED)
        except Exception as error:
            code = _crashed(error)
    # One control+c more, when the terminal is given back and threads are ending, changes nothing.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(let_go(code))


def main(arguments: Sequence[str]) -> int:
    options = parser().parse_args(arguments)
    try:
        code = _dispatch(options)
        # Here, where a reader that went away can still be met in silence.
        flush()
        return code
    except ExplorerError as error:
        note(f"session-explorer: {clean_line(error.title)}. {error.message}")
        return int(error.exit_code)
    except (KeyboardInterrupt, Cancelled):
        # The second where it came in the middle of a query, which SQLite then breaks off.
        return int(ExitCode.INTERRUPTED)
    except BrokenPipeError:
        # Whoever read our output has had enough.
        return int(ExitCode.DONE)


def _crashed(error: Exception) -> int:
    """Nobody foresaw it: say where the report is, and nothing of what was being read."""
    # Late: only a crash needs them.
    from explorer.crash_report import write_report
    from explorer.settings import crash_folder

    names = [name for name in sys.argv[1:] if name in COMMANDS]
    path = write_report(error, crash_folder(), names[0] if names else "the app", time.time())
    where = f"The report is in {path}; it holds no text of yours." if path else "No report."
    said = f"session-explorer: Unexpected error ({type(error).__name__}). {where}\n"
    with suppress(OSError, ValueError):
        sys.stderr.write(said.encode("ascii", "backslashreplace").decode())
    return int(ExitCode.CRASHED)


def _dispatch(options: argparse.Namespace) -> int:
    # Late imports, each only for its own command: the others together would cost 10 to 300 ms.
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
    top = argparse.ArgumentParser(
        prog="session-explorer",
        description="Review, search and read the past sessions of your AI agent. Without a command"
        " it opens the app.",
        epilog=EPILOG,
        formatter_class=raw,
        allow_abbrev=False,
    )
    top.add_argument("--version", action="version", version=f"session-explorer {__version__}")
    _add_common(top, None)
    intent = top.add_mutually_exclusive_group()
    intent.add_argument("--pick", **_FLAG, help="enter resumes the session")
    intent.add_argument("--print-id", **_FLAG, help="enter prints its id and leaves")
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
    demo = command("demo", "open the app on an invented history", DEMO_EPILOG)
    demo.add_argument("--no-mouse", **_FLAG, default=argparse.SUPPRESS, help=_NO_MOUSE)
    demo.add_argument("--write", metavar="PATH", help="write its state file instead")

    config = command("config", "show, check or create the settings", CONFIG_EPILOG)
    config.add_argument("what", choices=("show", "validate", "path", "init"))
    config.add_argument("--json", **_JSON)
    return top


def _add_reading(command: Add) -> None:
    """The commands that change nothing."""
    listing = command("list", "list sessions, the one used last first", LIST_EPILOG)
    listing.add_argument("--limit", **_LIMIT)
    listing.add_argument("--source", **_SOURCE)
    listing.add_argument("--sort", choices=[sort.value for sort in Sort], default="active")
    listing.add_argument("--all", **_FLAG, help="every row of the file by itself")
    listing.add_argument("--archived", **_FLAG, help="the archived ones instead")
    listing.add_argument("--json", **_JSON)

    show = command("show", "show one session", SHOW_EPILOG)
    show.add_argument("id", metavar="ID", type=_text, help=_WHICH_TO_READ)
    show.add_argument("--conversation", **_FLAG, help="all parts of its conversation")
    show.add_argument("--all", **_FLAG, help="also rewound, repeated and hidden messages")
    show.add_argument("--format", choices=("text", "markdown"), default="text")
    show.add_argument("--json", **_JSON)

    search = command("search", "search the text of all sessions", SEARCH_EPILOG)
    search.add_argument("query", metavar="QUERY", nargs="+", type=_text)
    search.add_argument("--limit", **_LIMIT)
    search.add_argument("--all", **_FLAG, help="every class, and rewound and hidden messages")
    search.add_argument("--json-lines", **_FLAG, help="a JSON document for each hit")
    search.add_argument("--json", **_JSON)

    info = command("info", "say what this state file is and what can be done with it", INFO_EPILOG)
    info.add_argument("--json", **_JSON)

    resume = command("resume", "hand a session back to its agent", RESUME_EPILOG)
    resume.add_argument("id", metavar="ID", help=_WHICH_TO_READ)
    resume.add_argument("--print", **_FLAG, help="only print the command")
    resume.add_argument("--force", **_FORCE)


def _add_edits(command: Add) -> None:
    """The commands that change single sessions."""
    rename = command("rename", "give a session another title", EDIT_EPILOG)
    rename.add_argument("id", metavar="ID", type=_text, help=_WHICH)
    rename.add_argument("title", metavar="TITLE", type=_text, help="empty to take the title off")
    rename.add_argument("--force", **_FORCE)
    _add_answers(rename)
    for name, summary in (
        ("archive", "hide sessions from lists; they stay searchable"),
        ("unarchive", "list archived sessions again"),
        ("pin", "keep sessions at the top, and from being pruned, by the agent too"),
        ("unpin", "unpin sessions"),
        ("end", "end sessions that a crash left open"),
        ("reopen", "open ended sessions again"),
        ("clear", "delete the messages of sessions and keep the sessions"),
        ("delete", "delete sessions; undo brings them back"),
    ):
        made = command(name, summary, DELETE_EPILOG if name == "delete" else EDIT_EPILOG)
        made.add_argument("ids", metavar="ID", nargs="+", type=_text, help=_WHICH)
        if name == "delete":
            parts = "with all parts of their conversations"
            made.add_argument("--conversation", **_FLAG, help=parts)
        made.add_argument("--force", **_FORCE)
        _add_answers(made)


def _add_trash(command: Add) -> None:
    """The commands that change many sessions, and those that bring them back."""
    prune = command("prune", "delete or archive many sessions by rules", PRUNE_EPILOG)
    prune.add_argument("query", metavar="QUERY", nargs="*", type=_text)
    prune.add_argument("--older-than", metavar="SPAN", help="quiet for so long: 12h, 90d, 8w, 1y")
    prune.add_argument("--source", **_SOURCE)
    classes = [one.value for one in OWN_CLASSES]
    only = f"only this class: {', '.join(classes)}; repeatable"
    prune.add_argument("--class", **_MANY, dest="classes", choices=classes, metavar="C", help=only)
    prune.add_argument("--empty", **_FLAG, help="only those without messages")
    prune.add_argument("--max-messages", type=_count, metavar="N", help="only up to N messages")
    prune.add_argument("--keep", type=_count, default=0, metavar="N", help="the newest N stay")
    prune.add_argument("--include-open", **_FLAG, help="also those never ended")
    prune.add_argument("--archive", **_FLAG, help="archive instead of deleting")
    _add_answers(prune)
    undo = command("undo", "take the last edit of this file back", EDIT_EPILOG)
    undo.add_argument("receipt", metavar="RECEIPT", nargs="?", type=_count, help="another edit")
    _add_answers(undo)
    trash = command("trash", "what was deleted: list, show, restore, purge", TRASH_EPILOG)
    trash.add_argument("what", choices=("list", "show", "restore", "purge"))
    trash.add_argument("receipt", metavar="RECEIPT", nargs="?", type=_count)
    trash.add_argument("ids", metavar="ID", nargs="*", type=_text, help="only these sessions")
    trash.add_argument("--all", **_FLAG, help="purge everything")
    _add_answers(trash)


def _add_answers(to: argparse.ArgumentParser) -> None:
    to.add_argument("--dry-run", **_FLAG, help="only show what would happen")
    to.add_argument("--yes", "-y", **_FLAG, help="do not ask")
    to.add_argument("--json", **_JSON)


def _add_common(to: argparse.ArgumentParser, missing: str | None) -> None:
    """Options that may stand before the command or after it."""
    holder = "a state file, or a folder that holds one"
    to.add_argument("--db", metavar="PATH", default=missing, help=holder)
    to.add_argument("--profile", metavar="NAME", default=missing, help="a profile of Hermes")


def _count(text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = -1
    if value < 0:
        raise argparse.ArgumentTypeError("must be a number, 0 or more")
    if value > sys.maxsize:
        raise argparse.ArgumentTypeError("is too great a number")
    return value


def _text(argument: str) -> str:
    """Bytes that are no text as they are shown elsewhere: SQLite would not take them."""
    return argument.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


# What several commands take in the same way.
_FLAG: dict[str, Any] = {"action": "store_true"}
_MANY: dict[str, Any] = {"action": "append", "default": []}
_JSON = {**_FLAG, "help": "one JSON document on standard output"}
_FORCE = {**_FLAG, "help": "also if it is running"}
_SOURCE = {**_MANY, "metavar": "S", "help": "only this source; repeatable"}
_LIMIT: dict[str, Any] = {"type": _count, "default": 50, "metavar": "N", "help": "0 for all (50)"}


class _CommandParser(argparse.ArgumentParser):
    """One command's part of the command line, with its options wherever somebody puts them.

    `argparse` gives out words from left to right and lets an option end a list of them, so that
    what follows is "unrecognized": `trash restore --yes 35`, `delete A --yes B`. Its own remedy
    takes no commands and loses `--`. Here the options are put first, and then it has all words in
    one go.
    """

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


if __name__ == "__main__":
    run()
