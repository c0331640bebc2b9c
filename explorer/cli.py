"""The command line: what was asked for, and the exit code for what came of it.

Nothing of Textual is imported here or by any command but the one that opens the app: `list` and
its like must start in little more than Python's own time.
"""

import argparse
import gc
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress

from explorer import __version__
from explorer.cli_edits import EDIT_COMMANDS, add_edits
from explorer.cli_parser import CommandParser
from explorer.errors import Cancelled, ExitCode, ExplorerError
from explorer.streams import let_go, open_closed

COMMANDS = (
    *("list", "show", "search", "info", "resume", "prune", "undo", "trash", "demo"),
    *EDIT_COMMANDS,
)

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

DEMO_EPILOG = """\
examples:
  session-explorer demo                      look around in it
  session-explorer demo --write try.db       keep it as a file
"""


RESUME_EPILOG = """\
examples:
  session-explorer resume 20261103_140211_a1b2c3
  session-explorer resume 'Fix docker deployment'      by title
  session-explorer resume --print 20261103_1402        the command, quoted for a shell

A conversation of several parts is resumed at its newest part, in its workspace if that still
exists. The command can be set in the settings.
"""


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
        from explorer.commands.output import flush

        # Here, where a reader that went away can still be met in silence.
        flush()
        return code
    except ExplorerError as error:
        from explorer.commands.output import complain

        complain(error)
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
    now = time.time()
    # Late imports, each only for its own command: the others together would cost 10 to 300 ms.
    match options.command:
        case "list":
            from explorer.commands.listing import list_sessions

            return list_sessions(options, now)
        case "show":
            from explorer.commands.show import show_session

            return show_session(options, now)
        case "search":
            from explorer.commands.search import search_messages

            return search_messages(options, now)
        case "info":
            from explorer.commands.info import show_info

            return show_info(options, now)
        case "resume":
            from explorer.commands.resume import resume_session

            return resume_session(options, now)
        case name if name in EDIT_COMMANDS:
            from explorer.commands.editing import edit_sessions

            return edit_sessions(options, now)
        case "prune":
            from explorer.commands.prune import prune_sessions

            return prune_sessions(options, now)
        case "undo":
            from explorer.commands.trash import undo_edit

            return undo_edit(options, now)
        case "trash":
            from explorer.commands.trash import handle_trash

            return handle_trash(options, now)
        case _:
            from explorer.commands.open import open_app

            return open_app(options, now)


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
    _add_common(top, defaults=True)
    intent = top.add_mutually_exclusive_group()
    intent.add_argument("--pick", action="store_true", help="enter resumes the session")
    intent.add_argument("--print-id", action="store_true", help="enter prints its id and leaves")
    top.add_argument("--no-mouse", action="store_true", help="leave the mouse to the terminal")
    commands = top.add_subparsers(
        dest="command", metavar="COMMAND", title="commands", parser_class=CommandParser
    )

    def command(name: str, summary: str, epilog: str | None = None) -> argparse.ArgumentParser:
        made = commands.add_parser(
            name,
            help=summary,
            description=summary[0].upper() + summary[1:] + ".",
            epilog=epilog,
            formatter_class=raw,
            allow_abbrev=False,
        )
        _add_common(made, defaults=False)
        return made

    listing = command("list", "list sessions, the one used last first", LIST_EPILOG)
    listing.add_argument("--limit", type=_count, default=50, metavar="N", help="0 for all (50)")
    listing.add_argument(
        "--source", action="append", default=[], metavar="S", help="only this source; repeatable"
    )
    listing.add_argument(
        "--sort",
        choices=(
            *("active", "started", "messages", "cost", "title", "tokens", "source"),
            "expiring",
        ),
        default="active",
    )
    listing.add_argument("--all", action="store_true", help="every row of the file by itself")
    listing.add_argument("--archived", action="store_true", help="the archived ones instead")
    _add_json(listing)

    show = command("show", "show one session", SHOW_EPILOG)
    show.add_argument(
        "id", metavar="ID", type=_text, help="an id, its unique beginning, or a title"
    )
    show.add_argument("--conversation", action="store_true", help="all parts of its conversation")
    show.add_argument(
        "--all", action="store_true", help="also rewound, repeated and hidden messages"
    )
    show.add_argument("--format", choices=("text", "markdown"), default="text")
    _add_json(show)

    search = command("search", "search the text of all sessions", SEARCH_EPILOG)
    search.add_argument("query", metavar="QUERY", nargs="+", type=_text)
    search.add_argument("--limit", type=_count, default=50, metavar="N", help="0 for all (50)")
    search.add_argument(
        "--all", action="store_true", help="every class, and rewound and hidden messages"
    )
    search.add_argument("--json-lines", action="store_true", help="a JSON document for each hit")
    _add_json(search)

    info = command("info", "say what this state file is and what can be done with it", INFO_EPILOG)
    _add_json(info)

    resume = command("resume", "hand a session back to its agent", RESUME_EPILOG)
    resume.add_argument("id", metavar="ID", help="an id, its unique beginning, or a title")
    resume.add_argument("--print", action="store_true", help="only print the command")
    resume.add_argument("--force", action="store_true", help="also if it is running")

    add_edits(command, _text, _count)

    demo = command("demo", "open the app on an invented history", DEMO_EPILOG)
    demo.add_argument(
        "--no-mouse",
        action="store_true",
        default=argparse.SUPPRESS,
        help="leave the mouse to the terminal",
    )
    demo.add_argument("--write", metavar="PATH", help="write its state file instead")
    return top


def _add_common(to: argparse.ArgumentParser, defaults: bool) -> None:
    """Options that may stand before the command or after it."""
    missing = None if defaults else argparse.SUPPRESS
    to.add_argument(
        "--db", metavar="PATH", default=missing, help="a state file, or a folder that holds one"
    )
    to.add_argument("--profile", metavar="NAME", default=missing, help="a profile of Hermes")


def _add_json(to: argparse.ArgumentParser) -> None:
    to.add_argument("--json", action="store_true", help="one JSON document on standard output")


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


if __name__ == "__main__":
    run()
