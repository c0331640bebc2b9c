"""`resume`: resume a session in its agent, or print the command."""

import argparse
import sys

from explorer.commands.output import confirmed, note, write
from explorer.commands.stores import chosen_store
from explorer.commands.words import not_to_resume, resuming
from explorer.errors import ExitCode, ExplorerError, NoSuchSession, Refused, SeveralSessions
from explorer.model import Session, State
from explorer.render import veil
from explorer.render.clean import clean_line
from explorer.resume import (
    call_for,
    command_for,
    fitted,
    give_way,
    installed,
    why_running,
    why_too_long,
)
from explorer.settings import config_path, load_config
from explorer.stores.base import Store
from explorer.stores.catalog import Catalog
from explorer.stores.resolve import resolve_to_resume


def resume_session(options: argparse.Namespace, now: float) -> int:
    store = chosen_store(options)
    catalog = store.catalog()
    key = _last(catalog) if options.last else _named(store, options.id)
    unit = catalog.folded(key)
    session = store.sessions([unit], now)[0]
    if options.last:
        note(resuming(session, now))
    config = load_config(config_path())
    home, _ = store.home(session.key)
    if call := call_for(home, session, config):
        if options.print:
            write(call)
            return ExitCode.DONE
        raise Refused("Cannot resume", f"{home.handover()} The call: {call}")
    command = fitted(command_for(home, session, config), home.handover(), config)
    if (found := store.too_long(unit)) is not None:
        # Only a note: the settings may change before it starts.
        note(why_too_long(found))
    if options.print:
        if veil.hidden(command.line()) != command.line():
            raise Refused("Not printed", f"{veil.NO_COMMAND} `resume` itself works.")
        write(command.line())
        return ExitCode.DONE
    if not installed(command):
        raise ExplorerError(
            "The agent is not installed",
            f"{command.arguments[0]} is not on the PATH. Run this where it is installed:"
            f" {command.line()}",
        )
    if session.state is State.RUNNING and not options.force:
        _ask(session, now)
    give_way(command)
    return ExitCode.FAILED


def _named(store: Store, id_: str) -> int:
    """The session that is meant; one that exists only as a file is refused."""
    try:
        return resolve_to_resume(store, id_).key
    except SeveralSessions:
        raise
    except NoSuchSession:
        if (alone := store.file_session(id_)) is None:
            raise
        raise Refused("Not resumed", not_to_resume(alone.provenance)) from None


def _last(catalog: Catalog) -> int:
    """The most recently active session that a list shows."""
    listed, _ = catalog.select(frozenset())
    newest = catalog.by_last_active(listed)
    if not newest:
        raise NoSuchSession("No session to resume", "The list is empty. Give an id.")
    return newest[0]


def _ask(session: Session, now: float) -> None:
    """A running session is resumed only after a yes."""
    why = why_running(session, now)
    running = f"“{clean_line(session.name, 60)}” is running"
    if not sys.stdin.isatty():
        raise Refused(f"Not resumed: {running}", f"{why} Use --force to resume anyway.")
    note(f"{running}. {why}")
    if not confirmed("Resume anyway?"):
        raise Refused("Not resumed", "Nothing was changed.")
