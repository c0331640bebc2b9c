"""The app as users have it, but for two signals that make it look at its file at once.

By itself it looks about once a second, and that wait says nothing about speed. USR1 looks now;
USR2 looks now, and reads everything again if something has changed, as is due every ten seconds.
"""

import asyncio
import math
import signal

import explorer.tui.app
from explorer.cli import run
from explorer.tui.screens.main import MainScreen


class PromptedApp(explorer.tui.app.ExplorerApp):
    def on_mount(self) -> None:
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGUSR1, self._look)
        loop.add_signal_handler(signal.SIGUSR2, self._look_at_all)

    @property
    def _main(self) -> MainScreen:
        screen = self.screen_stack[0]
        assert isinstance(screen, MainScreen)
        return screen

    def _look(self) -> None:
        self._main.file.watching._tick()

    def _look_at_all(self) -> None:
        self._main._lister._surveyed = -math.inf
        self._look()


if __name__ == "__main__":
    explorer.tui.app.ExplorerApp = PromptedApp  # type: ignore[misc]
    run()
