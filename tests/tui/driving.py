"""Driving the app in a test: open a file, press keys, wait until it holds still, look."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from textual.pilot import Pilot
from textual.worker import WorkerState

from explorer.resume import Command
from explorer.tui.app import ExplorerApp
from explorer.tui.opening import Opening, Start
from explorer.tui.screens.main import MainScreen

NOW = 1_790_000_000.0
"""The clock of every test: a Monday in September 2026, in the afternoon."""
SIZE = (120, 40)


class Driver:
    """The app under test."""

    def __init__(self, app: ExplorerApp, pilot: Pilot[Command | str]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def main(self) -> MainScreen:
        screen = self.app.screen_stack[0]
        assert isinstance(screen, MainScreen)
        return screen

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.settle()

    async def type(self, text: str) -> None:
        for letter in text:
            await self.pilot.press("space" if letter == " " else letter)
        await self.settle()

    async def resize(self, width: int, height: int) -> None:
        await self.pilot.resize_terminal(width, height)
        await self.settle()

    async def settle(self) -> None:
        """Wait until no thread works and nothing waits to be painted."""
        quiet = 0
        while quiet < 2:
            await self.pilot.pause()
            busy = [worker for worker in self.app.workers if not worker.is_finished]
            quiet = 0 if busy else quiet + 1
        failed = [worker for worker in self.app.workers if worker.state is WorkerState.ERROR]
        assert not failed, [worker.error for worker in failed]

    def said(self) -> str:
        """What was said in passing; tests have no place on the screen for it."""
        return "\n".join(notice.message for notice in self.app._notifications)

    def screen(self) -> str:
        """What a person would see, line by line."""
        strips = self.app.screen._compositor.render_strips(self.app.size)
        return "\n".join(strip.text.rstrip() for strip in strips)


@asynccontextmanager
async def opened(
    path: Path, size: tuple[int, int] = SIZE, now: float = NOW
) -> AsyncIterator[Driver]:
    """The app on a state file, all of it read."""
    app = ExplorerApp(Start(Opening(path, now), lambda: now))
    async with app.run_test(size=size) as pilot:
        driver = Driver(app, pilot)
        await driver.settle()
        yield driver
