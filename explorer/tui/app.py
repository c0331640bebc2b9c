"""The app: themes, signals, commands; everything else is on its screens."""

import asyncio
import os
import signal
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import partial

from rich.console import RenderableType
from textual import on
from textual.app import App, ScreenStackError, SystemCommand
from textual.css.query import NoMatches
from textual.driver import Driver
from textual.errors import NoWidget
from textual.events import Event, Key, MouseDown
from textual.screen import Screen
from textual.widgets import Input
from textual.worker import WorkerFailed

from explorer.browse.first_read import THEME_CHOICE, Start
from explorer.errors import ExitCode
from explorer.keys.actions import KeyAction
from explorer.keys.keymap import read_keymap
from explorer.left_open import LeftOpen
from explorer.resume import Command
from explorer.tui import FRAMES
from explorer.tui.dialogs.attention import SELECTS, note_act, note_press
from explorer.tui.dialogs.base import Closing
from explorer.tui.dialogs.questions import Question
from explorer.tui.hints import ShownInTime, hint
from explorer.tui.key_bindings import bindings, bound_action, scope_of, textual_keymap
from explorer.tui.screens.main import MainScreen
from explorer.tui.screens.obstacles import unanswered
from explorer.tui.suspend import leave_soon
from explorer.tui.terminal_background import BeforeApp
from explorer.tui.themes import DARK, LIGHT, known_as, own_variables, style, theme_name
from explorer.tui.widgets.bars import KeyBar

if os.environ.get("TEXTUAL_FPS") == FRAMES:
    # Textual has read it; programs that are started from here are not concerned.
    del os.environ["TEXTUAL_FPS"]

TURN = 0.001
"""Seconds that a thread may go on while another waits. A key goes through the loop some ten times,
and would wait for the usual 5 ms at each, while something is looked through in the background."""


class ExplorerApp(App[Command | str]):
    """Session Explorer."""

    TITLE = "Session Explorer"
    CSS_PATH = [style("app"), style("panes")]
    ENABLE_COMMAND_PALETTE = True
    # A transcript selects painted lines by itself; and Textual raises where the button goes down
    # on a message that is just leaving the screen.
    ALLOW_SELECT = False
    # Before anything else: a field would copy with it, and a dialog keeps the app's keys out.
    BINDINGS = bindings("always")

    def __init__(self, start: Start, before: BeforeApp | None = None) -> None:
        super().__init__()
        self._notifications = ShownInTime()
        self.before = before or BeforeApp()
        """How the terminal was, and what was typed: for the driver."""
        self._start = start
        self.user_keys, _ = read_keymap(start.config.keys)
        self.crash: BaseException | None = None
        """The unexpected error that ended the app."""
        self.left_open = LeftOpen()
        """What was open then."""
        self._dropped_frame = False
        sys.setswitchinterval(TURN)
        # Before the styles are read: they name colours that only these themes have.
        for theme in (DARK, LIGHT):
            self.register_theme(theme)
        fitting = LIGHT.name if start.look.light else DARK.name
        self.theme = theme_name(start.look.theme) if start.look.theme else fitting

    async def on_event(self, event: Event) -> None:
        # A click and a key, before anything is done about them.
        if isinstance(event, Key | MouseDown) and not event.is_forwarded:
            note_press(self, event.time)
        await super().on_event(event)

    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        """Textual drops a frame that falls into a batch, and takes it for painted: a notification
        that appears while the transcript waits for its text would never be seen."""
        dropped = renderable is not None and self._batch_count > 0
        if dropped:
            self._dropped_frame = True
        super()._display(screen, renderable)
        if isinstance(screen, Question) and renderable is not None and not dropped:
            screen.painted()

    def _end_batch(self) -> None:
        super()._end_batch()
        if self._dropped_frame and not self._batch_count and self.screen_stack:
            self._dropped_frame = False
            self.screen.refresh()

    def get_driver_class(self) -> type[Driver]:
        usual = super().get_driver_class()
        if usual.__name__ != "LinuxDriver":
            return usual
        # Late: there is no such terminal on Windows, where it cannot be imported.
        from explorer.tui.terminal_driver import TerminalDriver

        return TerminalDriver

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return {**DARK.variables, **own_variables(self.current_theme)}

    def get_default_screen(self) -> Screen[None]:
        return MainScreen(self._start)

    def on_mount(self) -> None:
        if self.user_keys.own:
            self.set_keymap(textual_keymap(self.user_keys))
        if self.is_headless:
            return
        loop = asyncio.get_running_loop()
        # Where there are no such signals.
        with suppress(NotImplementedError):
            for number in (signal.SIGTERM, signal.SIGHUP):
                loop.add_signal_handler(number, self._leave_now)
            loop.add_signal_handler(signal.SIGINT, self.action_interrupt)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """The command palette: every action that can be done where the user is, the usual ones
        first, then what the other pane can do with the same session."""
        main = self.screen_stack[0]
        for action in main.commands() if isinstance(main, MainScreen) else ():
            keys = self.user_keys.shown(action)
            yield SystemCommand(
                action.title,
                " · ".join(filter(None, (keys, action.about))),
                partial(self.call_later, self._perform, action),
            )

    @property
    def scope(self) -> str:
        """Whose keys act now."""
        if not self.screen_stack:
            return scope_of(None)
        focused = self.focused
        own = self.screen.SCOPE if isinstance(self.screen, Closing) else ""
        return own or scope_of(focused.id if focused else None)

    @on(KeyBar.Pressed)
    async def _press(self, event: KeyBar.Pressed) -> None:
        await self._perform(event.action)

    async def _perform(self, action: KeyAction) -> None:
        """Do what a key would do, for the palette and the mouse."""
        if isinstance(self.screen, MainScreen):
            if not self.screen.refuses(action):
                await self.run_action(action.call, self.screen.target(action))
        else:
            await self.run_action(action.call, self.screen.focused or self.screen)

    async def _check_bindings(self, key: str, priority: bool = False) -> bool:
        """Every key is answered: one that cannot act, or that nothing here is bound to, says why.
        Textual asks this for each key, first for those that come before everything else."""
        if priority:
            return await super()._check_bindings(key, priority)
        action = bound_action(self.screen, key)
        main = self.screen if isinstance(self.screen, MainScreen) else None
        if action is not None and main is not None and main.refuses(action):
            return True
        if action is not None and action.palette and action.id not in SELECTS:
            note_act(self)
        done = await super()._check_bindings(key)
        if not done and (words := unanswered(self.user_keys, key, self.scope, main is not None)):
            hint(self.screen, words)
        return done

    def _leave_now(self) -> None:
        """Quit on a signal."""
        leave_soon(getattr(self._driver, "give_back", None))
        self.exit()

    def action_interrupt(self) -> None:
        """Control+c, the same everywhere: it clears what is typed, then cancels the dialog or the
        work, then goes back to the list, and there it quits. While the app quits it does nothing:
        there may be no screen any more, and the choice stays."""
        if self._exit or self.crash is not None:
            return
        screen = self.screen
        if isinstance(screen.focused, Input) and screen.focused.value:
            screen.focused.clear()
        elif isinstance(screen, Closing):
            screen.cancel()
        elif not (isinstance(screen, MainScreen) and screen.step_back()):
            self.exit(return_code=int(ExitCode.INTERRUPTED))

    def _handle_exception(self, error: Exception) -> None:
        """Quit, and have a report written. Textual would print all variables, which hold stored
        text and take seconds."""
        cause = error.error if isinstance(error, WorkerFailed) else error
        if self._exit and isinstance(cause, NoMatches | NoWidget | ScreenStackError):
            # A last message to a widget that is gone.
            return
        self._return_code = int(ExitCode.CRASHED)
        if self.crash is None:
            self.crash = cause
            self.left_open = self._open_now()
            self._exception = error
            self._exception_event.set()
        self._close_messages_no_wait()

    def _open_now(self) -> LeftOpen:
        try:
            main = self.screen_stack[0]
            return main.open_now() if isinstance(main, MainScreen) else LeftOpen()
        except Exception:
            # Whatever is broken: this is only what the next start could offer.
            return LeftOpen()

    def action_command_palette(self) -> None:
        # Late, as all dialogs: together they take 10 ms from the first frame.
        from explorer.tui.dialogs.palette import ActionFinder, Palette

        if not any(isinstance(screen, Palette) for screen in self.screen_stack):
            self.push_screen(Palette([ActionFinder], id="--command-palette"))

    def action_help(self) -> None:
        # Late, as above.
        from explorer.tui.screens.help import HelpScreen

        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen(self.scope))

    def action_look(self) -> None:
        self.choose_theme(known_as((LIGHT if self.current_theme.dark else DARK).name))

    def action_themes(self) -> None:
        # Late, as above.
        from explorer.tui.dialogs.theme_choice import ThemeChoice

        if not any(isinstance(screen, ThemeChoice) for screen in self.screen_stack):
            before = self.theme

            def take(name: str | None) -> None:
                if name is None:
                    self.theme = before
                else:
                    self.choose_theme(name)

            self.push_screen(ThemeChoice(known_as(before)), take)

    def choose_theme(self, name: str) -> None:
        """Use a theme, now and at the next start."""
        self.theme = theme_name(name)
        main = self.screen_stack[0]
        if isinstance(main, MainScreen):
            main.keep_choice(THEME_CHOICE, name)
