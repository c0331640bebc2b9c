"""Driving the app in a test: open a file, press keys, wait until it is idle, look."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from itertools import count
from pathlib import Path

import pytest
from textual.events import Key
from textual.pilot import Pilot
from textual.worker import WorkerState

from explorer.browse.first_read import Intent, Opening, Start, look_of
from explorer.resume import Command
from explorer.settings import Config
from explorer.stores.discover import locate
from explorer.stores.edits.editor import Editor
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.newcomers import Newcomers
from explorer.stores.ours.notes import Notes
from explorer.tui.app import ExplorerApp
from explorer.tui.dialogs.questions import Question
from explorer.tui.screens.main import MainScreen
from tests.factories import talk

NOW = 1_790_000_000.0
"""The clock of every test: a Monday in September 2026, in the afternoon."""
SIZE = (120, 40)
PATIENCE = 120.0
"""Seconds until a test gives up: far more than a slow machine needs."""


NAMES = ("ant", "bee", "cat", "dog")


def animals(path: Path) -> Path:
    """Four sessions that have ended, an hour apart, the newest first by name."""
    with StateFile.create(path) as state:
        for hours, name in enumerate(NAMES, 1):
            at = NOW - hours * 3600
            talk(state, name, f"I am {name}", "Hi.", at=at, title=name, end="cli_close")
    return path


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

    async def press_on(self, *keys: str) -> None:
        """As `press`, with keys that come as fast as from one that is held down: each is for what
        has the focus when the first one comes."""
        sent = self.app._driver
        assert sent is not None
        for key in keys:
            event = Key(key, key if len(key) == 1 else None)
            event.set_sender(self.app)
            sent.send_message(event)
        await self.settle()

    async def type(self, text: str) -> None:
        for letter in text:
            await self.pilot.press("space" if letter == " " else letter)
        await self.settle()

    async def resize(self, width: int, height: int) -> None:
        await self.pilot.resize_terminal(width, height)
        await self.settle()

    async def settle(self) -> None:
        """Wait until no thread is working and everything is painted."""
        quiet = 0
        async with asyncio.timeout(PATIENCE):
            while quiet < 2:
                await self.pilot.pause()
                busy = [worker for worker in self.app.workers if not worker.is_finished]
                quiet = 0 if busy or self._asks_unseen() else quiet + 1
        failed = [worker for worker in self.app.workers if worker.state is WorkerState.ERROR]
        assert not failed, [worker.error for worker in failed]

    def stop_watching(self) -> None:
        """From now on, changes of the file are not noticed."""
        self.main.file.watching._store = None

    def focus(self) -> str | None:
        """The id of what has the focus."""
        focused = self.app.screen.focused
        return focused.id if focused else None

    def said(self) -> str:
        """The latest notifications of the app."""
        return "\n".join(str(note.message) for note in self.app._notifications)

    async def until(self, so: Callable[[], bool]) -> None:
        """Wait for something that the clock or another process causes, and for its effects."""
        await self.until_seen(so)
        await self.settle()

    async def until_seen(self, so: Callable[[], bool]) -> None:
        """As `until`, while something is still under way."""
        async with asyncio.timeout(PATIENCE):
            while not so() or self._asks_unseen():
                await self.pilot.pause(0.05)

    def _asks_unseen(self) -> bool:
        """Whether there is a question that nobody could have read yet: it takes no answer."""
        screen = self.app.screen_stack[-1] if self.app.screen_stack else None
        return isinstance(screen, Question) and not screen.is_painted

    def listed(self) -> list[str]:
        """The titles of the rows in the list that are known, in order."""
        rows = map(self.main.sessions.row, self.main.sessions.order)
        return [row.title or row.preview or row.id for row in rows if row]

    def current(self) -> str | None:
        """The title of the session under the cursor."""
        current = self.main.sessions.current
        return current.title if current else None

    async def to(self, name: str) -> None:
        """Go to the session with this title."""
        await self.press_on("g", *["j"] * self.listed().index(name))

    def counted(self) -> str:
        """The text of the lower border of the list."""
        return str(self.main.sessions.border_subtitle)

    def told(self) -> list[str]:
        """What has popped up, title and text."""
        return [f"{note.title}: {note.message}" for note in self.app._notifications]

    def screen(self) -> str:
        """The screen as a person sees it, line by line."""
        strips = self.app.screen._compositor.render_strips(self.app.size)
        return "\n".join(strip.text.rstrip() for strip in strips)


class Held:
    """Stands for a function, or a method of a class, and keeps one answer back, as a rule the
    first, until it is let go."""

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, module: object, name: str, which: int = 1
    ) -> None:
        self._plain = getattr(module, name)
        self._which = which
        self._go = threading.Event()
        self.made = threading.Event()
        """The answer is there, and waits."""
        self.calls = 0
        self._answers = count(1)
        """What is cancelled or refused gives none."""
        monkeypatch.setattr(module, name, self)

    def __get__(self, instance: object, owner: type) -> Callable[..., object]:
        return partial(self, instance)

    def __call__(self, *arguments: object, **named: object) -> object:
        self.calls += 1
        made = self._plain(*arguments, **named)
        if next(self._answers) == self._which:
            self.made.set()
            self._go.wait(60)
        return made

    async def holds(self, driver: Driver) -> None:
        await driver.until_seen(self.made.is_set)

    def let_go(self) -> None:
        self._go.set()


async def delete_in_planning(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> Held:
    """A delete was asked for; its plan is made, and kept back."""
    plan = Held(monkeypatch, Editor, "plan")
    await driver.pilot.press("d")
    await plan.holds(driver)
    return plan


DEFAULTS = Config()


@asynccontextmanager
async def opened(
    path: Path,
    size: tuple[int, int] = SIZE,
    now: float = NOW,
    notes: Path | None = None,
    trash: Path | None = None,
    first: Held | None = None,
    config: Config = DEFAULTS,
    intent: Intent = Intent.READ,
    home: Path | None = None,
) -> AsyncIterator[Driver]:
    """The app on a state file, or on the profiles in a folder, all of it read, or so far that
    `first` is held; with a `home`, on what is found when the app is started in the folder `path`
    and that is Hermes' home; `notes` is our own file about it, `trash` the one that keeps what is
    deleted, `config` what the user has set, `intent` what enter does."""
    choices = Notes(notes) if notes is not None else None
    look = look_of(config, choices)
    environment = {} if home is None else {"HERMES_HOME": str(home)}
    where = [str(path)] if home is None else [], (), environment, path if home else None
    found = locate(*where) if path.is_dir() else []
    opening = Opening(
        found[0].path if found else path,
        now,
        notes=notes,
        trash=trash,
        density=look.density,
        found=found,
        newcomers=Newcomers.of(*where) if found else None,
    )
    if first is not None:
        opening.wait()
    app = ExplorerApp(Start(opening, lambda: now, config, intent, look=look, choices=choices))
    async with app.run_test(size=size) as pilot:
        driver = Driver(app, pilot)
        await (first.holds(driver) if first is not None else driver.settle())
        yield driver
