"""`resume`: hand a session back to its agent, or print how."""

import argparse
import sys

from explorer.commands.output import confirmed, note, write
from explorer.commands.stores import chosen_store
from explorer.errors import ExitCode, ExplorerError, Refused
from explorer.model import Session, State
from explorer.render.clean import clean_line
from explorer.resume import command_for, fitted, give_way, installed, why_running, why_too_long
from explorer.settings import config_path, load_config
from explorer.stores.resolve import resolve


def resume_session(options: argparse.Namespace, now: float) -> int:
    store = chosen_store(options)
    key = resolve(store, options.id).key
    unit = store.catalog().folded(key)
    session = store.sessions([unit], now)[0]
    config = load_config(config_path())
    command = fitted(command_for(store, session, config), store.handover(), config)
    if (found := store.too_long(unit)) is not None:
        # Only said: the settings may be others by the time it starts.
        note(why_too_long(found))
    if options.print:
        write(command.line())
        return ExitCode.DONE
    if not installed(command):
        raise ExplorerError(
            "The agent is not installed",
            f"{command.arguments[0]} is not on the PATH. Where it is: {command.line()}",
        )
    if session.state is State.RUNNING and not options.force:
        _ask(session, now)
    give_way(command)
    return ExitCode.FAILED


def _ask(session: Session, now: float) -> None:
    """A running session is resumed only by somebody who knows that it runs."""
    why = why_running(session, now)
    if not sys.stdin.isatty():
        raise Refused("It is running", f"{why} Use --force to resume it all the same.")
    note(f"{clean_line(session.name, 60)}: {why}")
    if not confirmed("Resume it all the same?"):
        raise Refused("Not resumed", "Nothing was changed.")
