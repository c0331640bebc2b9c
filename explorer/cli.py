"""The command line: arguments in, exit code out.

Nothing of Textual is imported here or by any command but the one that opens the app: commands such
as `list` must start in little more than Python's own time.
"""

import argparse
import gc
import os
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress

from explorer.arguments.commands import COMMANDS, SHELLS, parse
from explorer.commands.output import flush, let_go, note, open_closed
from explorer.errors import Cancelled, ExitCode, ExplorerError, UnknownSession
from explorer.render.clean import clean_line
from explorer.settings import notes_path


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
    if arguments[:1] == ["complete"] and arguments[1:2] and arguments[1] in SHELLS:
        # Late: only the tab key of a shell asks this.
        from explorer.completion.answer import answer

        return answer(arguments[1:], time.time())
    typed = [*arguments, os.environ.get("SESSION_EXPLORER_DB", "")]
    if any("://" in one for one in typed):
        # Late: few type an address. Before anything can quote it.
        from explorer.stores.postgres.secrets import remember_typed

        remember_typed(typed)
    options = parse(arguments)
    try:
        return _run(options)
    finally:
        # Not before: what went wrong is told with marks too.
        if options.private:
            from explorer.stores.private.view import turn_off  # late: as below

            turn_off()


def _run(options: argparse.Namespace) -> int:
    try:
        if options.private and options.command != "demo":
            # Late: only the privacy view needs it.
            from explorer.stores.private.view import turn_on

            turn_on(notes_path().parent)
        code = _dispatch(options)
        # A profile that was named and cannot be read is a failure, after all that could be done.
        code = code or getattr(options, "missed", None) or code
        # Here, where a reader that has gone is not an error yet.
        flush()
        return code
    except ExplorerError as error:
        note(f"session-explorer: {clean_line(error.title)}. {error.message}")
        if isinstance(error, UnknownSession) and not getattr(options, "json", False):
            from explorer.commands.next_commands import advise_where  # late: only this needs it

            advise_where(error.text, options, time.time())
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
        case "where":
            from explorer.commands.where import find_session as run_command
        case "chats":
            from explorer.commands.chats import list_chats as run_command
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
        case "completion":
            from explorer.completion.scripts import print_script as run_command
        case "demo" | None:
            from explorer.commands.open import open_app as run_command
        case _:
            from explorer.commands.editing import edit_sessions as run_command
    return run_command(options, time.time())


if __name__ == "__main__":
    run()
