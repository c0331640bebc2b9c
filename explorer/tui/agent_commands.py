"""Commands of the agent that get the terminal after a question: to resume a session, and to free
the space in its file after a prune.

We never do the latter ourselves: it needs the file for itself, and only the agent knows when it
may.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from textual.screen import Screen

from explorer.browse.first_read import Start
from explorer.cancel import CancelToken
from explorer.errors import ExplorerError, Refused, StoreError
from explorer.model import Session, State
from explorer.render import veil
from explorer.render.clean import clean, clean_line, for_clipboard
from explorer.resume import (
    OPTIMIZE,
    Command,
    call_for,
    command_for,
    fitted,
    installed,
    own_command,
    run,
    why_running,
    why_too_long,
)
from explorer.settings import Config
from explorer.stores.base import Store, TooLong
from explorer.stores.catalog import Catalog
from explorer.stores.columns import LEASE, STATE
from explorer.stores.sqlite.failures import check_file
from explorer.tui.dialogs.attention import FocusPlace, may_ask, place, still_at
from explorer.tui.dialogs.questions import Question, ask
from explorer.tui.suspend import run_command
from explorer.tui.workers import Lanes, say


class _Found(NamedTuple):
    """How a session is resumed, and what was found out about it."""

    command: Command
    installed: bool
    too_long: TooLong | None = None


def resume(
    screen: Screen[None],
    lanes: Lanes,
    start: Start,
    store: Store,
    session: Session,
    known: Catalog | None,
) -> None:
    """Find out how, in a thread: asking the agent what it knows takes a moment. What is `known` of
    the file need not be read for it."""
    config, asked_at = start.config, place(screen.app)

    def work(token: CancelToken) -> _Found | str:
        home, _ = store.home(session.key)
        command = _command(home, session, config)
        if isinstance(command, str):
            return command
        if not installed(command):
            return _Found(command, False)
        catalog = known or store.catalog(token)
        whole = catalog.folded(session.key) if catalog.has(session.key) else None
        too_long = store.too_long(whole, token) if whole else None
        return _Found(fitted(command, home.handover(), config), True, too_long)

    def found(found: _Found | str) -> None:
        if isinstance(found, str):
            screen.app.copy_to_clipboard(for_clipboard(found))
            screen.notify(f"Copied the call that resumes it:\n{clean(found)}", markup=False)
        elif may_ask(screen, asked_at):
            _hand_over(screen, start, session, found)

    lanes.start("resume", work, found)


def resume_line(
    lanes: Lanes, config: Config, store: Store, session: Session, then: Callable[[str], None]
) -> None:
    """Find out the command that resumes a session, quoted for a shell."""

    def work(token: CancelToken) -> str:
        home, _ = store.home(session.key)
        command = _command(home, session, config)
        return (
            command if isinstance(command, str) else fitted(command, home.handover(), config).line()
        )

    lanes.start("resume", work, then)


def _command(home: Store, session: Session, config: Config) -> Command | str:
    """The command that resumes a session, or the call where there is none."""
    if call := call_for(home, session, config):
        return call
    try:
        check_file(home.path)
    except StoreError as error:
        # The agent would begin another file, without the session.
        raise Refused("Cannot resume", f"{error.title}. {error.message}") from None
    return command_for(home, session, config)


def _hand_over(screen: Screen[None], start: Start, session: Session, found: _Found) -> None:
    """Ask where something speaks against it, then go."""
    command = found.command

    def copy() -> None:
        line = for_clipboard(command.line())
        if veil.holds_mark(line):
            screen.notify(f"Not copied. {veil.NO_COMMAND}", severity="warning", markup=False)
            return
        screen.app.copy_to_clipboard(line)
        screen.notify("Copied the command", markup=False)

    def go() -> None:
        if start.config.resume == "exec":
            screen.app.exit(command)
        elif code := run_command(screen, lambda: run(command)):
            words = f"{command.arguments[0]} exited with code {code}."
            say(screen, ExplorerError("Back from the agent", words))

    against = {}
    if session.state is State.RUNNING:
        name = clean_line(session.name, 60)
        against[f"“{name}” is running"] = why_running(session, start.clock())
    if found.too_long is not None:
        against["Too long for Hermes to resume"] = why_too_long(found.too_long)
    if not found.installed:
        title = f"{clean_line(command.arguments[0], 40)} was not found"
        text = f"Run this where it is installed:\n\n{clean(command.line())}"
        ask(screen, Question(title, text, "Copy command"), copy)
    elif against:
        title, text = next(iter(against)), "\n\n".join(against.values())
        ask(screen, Question(title, clean(text), "Resume anyway"), go)
    else:
        go()


def reclaim_commands(
    store: Store, homes: Iterable[Store], now: float, catalog: Catalog
) -> list[Command]:
    """The commands that free space in the files of these homes; none where something is running."""
    found = [command for home in homes if (command := own_command(home, *OPTIMIZE))]
    usable = list(filter(installed, found))
    return usable if usable and not _running(store, catalog, now) else []


def _running(store: Store, catalog: Catalog, now: float) -> bool:
    known = store.columns(STATE)
    held = any(until > now for until in known[LEASE].values())
    return held or any(catalog.state((key,), known, now) is State.RUNNING for key in catalog.keys)


def offer_room(
    screen: Screen[None],
    lanes: Lanes,
    store: Store,
    pruned: Sequence[int],
    catalog: Catalog,
    clock: Callable[[], float],
    pruned_at: FocusPlace,
) -> None:
    """Ask whether to run it in the files that sessions were `pruned` from, where it can be run and
    the user has not moved on."""

    def offer(commands: list[Command]) -> None:
        if commands and still_at(screen.app, pruned_at):
            lines = "\n".join(clean(command.line()) for command in commands)
            question = Question(
                "Free the space on disk?",
                "The state file has not shrunk yet. The agent's own command compacts it; nothing"
                f" else can use the file while it runs:\n\n{lines}",
                "Free space",
                "Not now",
            )
            ask(screen, question, lambda: _free_space(screen, commands))

    def work(token: CancelToken) -> list[Command]:
        homes = {home.path: home for home, _ in map(store.home, pruned)}
        return reclaim_commands(store, homes.values(), clock(), catalog)

    lanes.start("reclaim", work, offer)


def _free_space(screen: Screen[None], commands: Sequence[Command]) -> None:
    # Stops at the first that fails.
    code = run_command(screen, lambda: next(filter(None, map(run, commands)), 0))
    if code is not None:
        words = f"The command exited with code {code}." if code else "Freed the space on disk"
        screen.notify(words, markup=False)
