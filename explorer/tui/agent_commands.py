"""Commands of the agent that get the terminal after a question: to resume a session, and to give
the room in its file back after a prune.

We never do the latter ourselves: it needs the file for itself, and only the agent knows when it
may.
"""

from collections.abc import Callable
from typing import NamedTuple

from textual.screen import Screen

from explorer.browse.first_read import Start
from explorer.cancel import CancelToken
from explorer.errors import ExplorerError
from explorer.model import Session, State
from explorer.render.clean import clean, for_clipboard
from explorer.resume import (
    OPTIMIZE,
    Command,
    command_for,
    fitted,
    installed,
    own_command,
    run,
    why_running,
    why_too_long,
)
from explorer.stores.base import Store, TooLong
from explorer.stores.catalog import Catalog
from explorer.stores.columns import ENDED, LEASE
from explorer.tui.dialogs.questions import FocusPlace, Question, may_ask, place, still_at
from explorer.tui.suspend import run_command
from explorer.tui.workers import Lanes, say


class _Found(NamedTuple):
    """How a session is resumed, and what was found out about it."""

    command: Command
    installed: bool
    too_long: TooLong | None = None


class Resuming:
    """One attempt after the other to hand a session over."""

    def __init__(self, screen: Screen[None], lanes: Lanes, start: Start) -> None:
        self._screen = screen
        self._lanes = lanes
        self._start = start

    def start(self, store: Store, session: Session, known: Catalog | None) -> None:
        """Find out how, in a thread: asking the agent what it knows takes a moment. What is
        `known` of the file need not be read for it."""
        config, asked_at = self._start.config, place(self._screen.app)

        def work(token: CancelToken) -> _Found:
            command = command_for(store, session, config)
            if not installed(command):
                return _Found(command, False)
            catalog = known or store.catalog(token)
            whole = catalog.folded(session.key) if catalog.has(session.key) else None
            too_long = store.too_long(whole, token) if whole else None
            return _Found(fitted(command, store.handover(), config), True, too_long)

        self._lanes.start("resume", work, lambda found: self._ask(session, found, asked_at))

    def _ask(self, session: Session, found: _Found, asked_at: FocusPlace) -> None:
        # Late, as all dialogs: together they take 10 ms from the first frame.
        from explorer.tui.dialogs.questions import Question

        if not may_ask(self._screen, asked_at):
            return
        command = found.command
        against = self._against(session, found)
        if not found.installed:
            text = f"{clean(command.arguments[0])} is not on the PATH.\n\n{clean(command.line())}"
            question = Question("The agent is not installed", text, "Copy the command")
            self._screen.app.push_screen(question, lambda yes: self._copy(command, yes))
        elif against:
            title, text = next(iter(against)), "\n\n".join(against.values())
            question = Question(title, clean(text), "Resume anyway")
            self._screen.app.push_screen(question, lambda yes: self._go(command, yes))
        else:
            self._go(command, True)

    def _against(self, session: Session, found: _Found) -> dict[str, str]:
        """What speaks against it: a title, and why."""
        reasons = {}
        if session.state is State.RUNNING:
            reasons["This session is running"] = why_running(session, self._start.clock())
        if found.too_long is not None:
            reasons["Too long for Hermes to resume"] = why_too_long(found.too_long)
        return reasons

    def _copy(self, command: Command, yes: bool | None) -> None:
        if yes:
            self._screen.app.copy_to_clipboard(for_clipboard(command.line()))
            self._screen.notify("The command is in the clipboard.", markup=False)

    def _go(self, command: Command, yes: bool | None) -> None:
        if not yes:
            return
        if self._start.config.resume == "exec":
            self._screen.app.exit(command)
            return
        code = run_command(self._screen, lambda: run(command))
        if code:
            words = f"{command.arguments[0]} ended with code {code}."
            say(self._screen, ExplorerError("Back from the agent", words))


def reclaim_command(store: Store, now: float, catalog: Catalog) -> Command | None:
    """The command that gives room back; None where there is none, or something is running."""
    command = own_command(store, *OPTIMIZE)
    if command is None or not installed(command) or _running(store, catalog, now):
        return None
    return command


def _running(store: Store, catalog: Catalog, now: float) -> bool:
    known = store.columns({ENDED, LEASE})
    held = any(until > now for until in known[LEASE].values())
    return held or any(catalog.state((key,), known, now) is State.RUNNING for key in catalog.keys)


def offer_room(
    screen: Screen[None],
    lanes: Lanes,
    store: Store,
    catalog: Catalog,
    clock: Callable[[], float],
    pruned_at: FocusPlace,
) -> None:
    """Ask whether to run it, where it can be run, whoever is still where the prune was."""

    def work(token: CancelToken) -> Command | None:
        return reclaim_command(store, clock(), catalog)

    def ask(command: Command | None) -> None:
        if command is not None and still_at(screen.app, pruned_at):
            question = Question(
                "Give the room back to the disk?",
                "The state file is as big as before. The agent's own command rewrites it without"
                f" the gaps, and needs it for itself meanwhile:\n\n{clean(command.line())}",
                "Run it",
                "Not now",
            )
            screen.app.push_screen(question, lambda yes: _run(screen, command) if yes else None)

    lanes.start("reclaim", work, ask)


def _run(screen: Screen[None], command: Command) -> None:
    code = run_command(screen, lambda: run(command))
    if code is not None:
        words = f"The command ended with code {code}." if code else "The room was given back."
        screen.notify(words, markup=False)
