"""Resuming from the app: questions first, then the terminal goes to the agent."""

from textual.screen import Screen

from explorer.errors import ExplorerError
from explorer.model import Session, State
from explorer.render.clean import clean, for_clipboard
from explorer.resume import Command, command_for, fitted, installed, run, why_running
from explorer.store.base import Store
from explorer.tui.attention import Place, may_ask, place
from explorer.tui.handing_over import in_the_terminal
from explorer.tui.lanes import Lanes
from explorer.tui.opening import Start
from explorer.tui.saying import say


class Resuming:
    """One attempt after the other to hand a session over."""

    def __init__(self, screen: Screen[None], lanes: Lanes, start: Start) -> None:
        self._screen = screen
        self._lanes = lanes
        self._start = start

    def start(self, store: Store, session: Session) -> None:
        """Find out how, in a thread: asking the agent what it knows takes a moment."""
        config, asked_at = self._start.config, place(self._screen.app)

        def work(_: object) -> tuple[Command, bool] | ExplorerError:
            try:
                command = command_for(store, session, config)
            except ExplorerError as error:
                return error
            there = installed(command)
            return fitted(command, store.handover(), config) if there else command, there

        self._lanes.start("resume", work, lambda found: self._ask(session, found, asked_at))

    def _ask(
        self, session: Session, found: tuple[Command, bool] | ExplorerError, asked_at: Place
    ) -> None:
        # Late, as all dialogs: together they take 10 ms from the first frame.
        from explorer.tui.dialogs.question import Question

        if isinstance(found, ExplorerError):
            say(self._screen, found)
            return
        if not may_ask(self._screen, asked_at):
            return
        command, there = found
        if not there:
            text = f"{clean(command.arguments[0])} is not on the PATH.\n\n{clean(command.line())}"
            question = Question("The agent is not installed", text, "Copy the command")
            self._screen.app.push_screen(question, lambda yes: self._copy(command, yes))
        elif session.state is State.RUNNING:
            text = why_running(session, self._start.clock())
            question = Question("This session is running", text, "Resume all the same")
            self._screen.app.push_screen(question, lambda yes: self._go(command, yes))
        else:
            self._go(command, True)

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
        try:
            code = in_the_terminal(self._screen.app, lambda: run(command))
        except ExplorerError as error:
            say(self._screen, error)
            return
        if code:
            words = f"{command.arguments[0]} ended with code {code}."
            say(self._screen, ExplorerError("Back from the agent", words))
