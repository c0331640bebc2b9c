"""No key is silent: each one, in every place where it acts, changes what is on the screen or says
why it cannot; also the keys of the other pane."""

import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

import pytest
from textual.screen import Screen

from explorer.browse.first_read import Opening, Start
from explorer.errors import Problem
from explorer.keys.actions import ACTIONS, TOGETHER, KeyAction
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.sqlite.failures import store_error
from explorer.tui.app import ExplorerApp
from explorer.tui.dialogs.choices import Several
from explorer.tui.dialogs.problem import ProblemScreen
from explorer.tui.dialogs.progress import ProgressDialog
from explorer.tui.dialogs.prompt import Prompt
from explorer.tui.dialogs.questions import Question
from explorer.tui.reading.block_screen import BlockScreen
from tests.factories import talk
from tests.tui.driving import NOW, SIZE, Driver

LEAVES = {"quit", "interrupt", "problem-quit", "editor", "pager"}
"""These end the app, or give the terminal to another program."""
MOVES = {
    *("half-page-down", "half-page-up"),
    *("list-down", "list-up", "list-page-down", "list-page-up"),
    *("list-first", "list-last", "extend-down", "extend-up"),
    *("transcript-down", "transcript-up", "transcript-page-down", "transcript-page-up"),
    *("transcript-top", "transcript-bottom"),
    *("search-next", "search-previous", "search-page-down", "search-page-up"),
    *("find-next", "find-previous"),
    *("prune-down", "prune-up"),
    *(f"filters-{way}" for way in ("down", "up", "page-down", "page-up", "first", "last")),
    *("option-down", "option-up", "option-first", "option-last"),
    *("help-top", "help-bottom", "help-down", "help-up"),
    *(f"scroll-{way}" for way in ("down", "up", "page-down", "page-up", "top", "bottom")),
}
"""Movement, which may be at its end: the cursor or the scroll bar shows it."""
STAYS = {
    "find-go": "enter in an empty find goes to the text: only the focus moves, which is painted",
    "search-complete": "goes to the other pane where there is nothing to complete",
}


def _empty(path: Path) -> None:
    StateFile.create(path).__exit__(None, None, None)


def _one(path: Path) -> None:
    with StateFile.create(path) as state:
        talk(state, "ant", "I am ant", "Hi.", at=NOW - 3600, title="ant", end="cli_close")


FILES: dict[str, Callable[[Path], None]] = {"empty": _empty, "one session": _one}
PLACES: dict[str, tuple[str, ...] | Callable[[], object]] = {
    **{"list": (), "transcript": ("tab",), "search": ("slash",), "find": ("tab", "ctrl+f")},
    **{"prune": ("p",), "details": ("i",), "trash": ("U",), "filters": ("f",), "rename": ("t",)},
    **{"choice": ("s",), "help": ("question_mark",)},
    "block": lambda: BlockScreen("a line\n" * 200, "A block"),
    "question": lambda: Question("Really?", "", "Yes"),
    "several": lambda: Several("Source", "Any", [("a", "a"), ("b", "b")], ()),
    "prompt": lambda: Prompt("Number", "", lambda text: (True, "fine")),
    "progress": lambda: ProgressDialog("Deleting", None),
    "problem": lambda: ProblemScreen(store_error(Problem.MISSING, Path("state.db"))),
}
"""How to get to a place from the list."""
NEED_A_SESSION = {"details", "rename"}


@asynccontextmanager
async def _opened(what: str, demo: Path, folder: Path) -> AsyncIterator[Driver]:
    path = folder / "state.db"
    if what == "demo":
        shutil.copy(demo, path)
    else:
        FILES[what](path)
    why = "made-up sessions" if what == "demo" else ""
    opening = Opening(path, NOW, why, notes=folder / "notes.db", trash=folder / "trash.db")
    app = ExplorerApp(Start(opening, lambda: NOW))
    async with app.run_test(size=SIZE) as pilot:
        driver = Driver(app, pilot)
        await driver.settle()
        yield driver


def _look(driver: Driver) -> object:
    strips = driver.app.screen._compositor.render_strips(driver.app.size)
    return [list(strip) for strip in strips], len(driver.app.screen_stack), driver.focus()


async def _go(driver: Driver, place: str) -> None:
    """From wherever the last key led, to a place as it is at first."""
    app, main = driver.app, driver.main
    while len(app.screen_stack) > 1:
        await app.pop_screen()
    main.search_bar.input.value = ""
    main.sessions._select(main.sessions.selection.clear)
    wish = main._lister.wish._replace(shown=frozenset(), unfolded=frozenset())
    if wish != main._lister.wish:
        main._lister.wish_for(wish)
    if main.pane._open_finder():
        main.pane._close_find()
    main._to_list()
    main.sessions.action_first()
    await driver.settle()
    way = PLACES[place]
    if callable(way):
        app.push_screen(cast("Screen[object]", way()))
        await driver.settle()
    elif way:
        await driver.press(*way)


def _keys(place: str) -> Iterator[tuple[KeyAction, str]]:
    """Its keys, and in one pane of the main screen those of the other."""
    here = {place, *TOGETHER.get(place, ())}
    both = here | {"list", "transcript"} if place in ("list", "transcript") else here
    exempt = LEAVES | MOVES | STAYS.keys()
    moving = {
        key
        for action in ACTIONS
        if here & set(action.scopes) and action.id in exempt
        for key in action.all_keys
    }
    for action in ACTIONS:
        if both & set(action.scopes) and action.id not in exempt:
            yield from ((action, key) for key in action.all_keys if key not in moving)


@pytest.mark.parametrize(
    ("place", "what"),
    [
        (place, what)
        for place, way in PLACES.items()
        for what in (("one session",) if callable(way) else ("empty", "demo", "one session"))
        if what != "empty" or place not in NEED_A_SESSION
    ],
)
async def test_every_key_acts_or_says_why(
    place: str, what: str, demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    silent = []
    async with _opened(what, demo, tmp_path) as driver:
        await _go(driver, place)
        for action, key in _keys(place):
            driver.app.clear_notifications()
            before = _look(driver)
            await driver.press(key)
            if _look(driver) != before:
                await _go(driver, place)
            elif not driver.told():
                silent.append((action.id, key))
    assert silent == []
