"""What a key press costs: rows near the screen, whatever the size of the file.

Counted in what SQLite is asked and in what it gives, never in time. A read that is superseded
before its end is asked again; what was asked twice counts once.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.sqlite.read_only import Reader, Values
from tests.factories import talk
from tests.tui.driving import NOW, SIZE, Driver, opened

FEW, MANY = 600, 3000
SCREEN = SIZE[1]
"""Lines of the terminal; a row of the list takes two."""
A_SCREEN_OR_SO = 4 * SCREEN


def _history(path: Path, sessions: int) -> Path:
    """Sessions that are all alike, so that equal work costs the same in any of them. One in ten
    is a conversation of two parts, and as many come from a clock."""
    with StateFile.create(path) as state:
        for number in range(sessions):
            at = NOW - 600 * (sessions - number)
            source = "cron" if number % 10 == 3 else "cli"
            ended = "compression" if number % 10 == 5 else "cli_close"
            parent = f"s{number - 1}" if number % 10 == 6 else None
            talk(
                state, f"s{number}", "hello", "Hi.", source=source, at=at, parent=parent, end=ended
            )
    return path


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    folder = tmp_path_factory.mktemp("cost")
    return {number: _history(folder / f"{number}.db", number) for number in (FEW, MANY)}


class Cost(NamedTuple):
    """What was asked of a file."""

    questions: int
    rows: int
    """Of all answers but the walks."""
    walks: tuple[int, ...] = ()
    """The answers that are far longer than a screen."""
    bodies: int = 0
    """Messages of which the text was read."""


class Meter:
    """Counts what is asked of a file."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._answers: dict[tuple[str, tuple[object, ...]], int] = {}
        plain = Reader.rows

        def rows(reader: Reader, sql: str, values: Values = ()) -> list[object]:
            found = plain(reader, sql, values)
            self._answers[sql, tuple(values)] = len(found)
            return found

        monkeypatch.setattr(Reader, "rows", rows)

    def take(self) -> Cost:
        """The cost since the last time."""
        answers, self._answers = self._answers, {}
        walks = tuple(number for number in answers.values() if number > A_SCREEN_OR_SO)
        bodies = sum(number for (sql, _), number in answers.items() if 'm."content"' in sql)
        return Cost(len(answers), sum(answers.values()) - sum(walks), walks, bodies)


@pytest.fixture
def meter(monkeypatch: pytest.MonkeyPatch) -> Meter:
    return Meter(monkeypatch)


@asynccontextmanager
async def _quiet(path: Path, meter: Meter) -> AsyncIterator[Driver]:
    """The app, all read, with nobody looking whether the file changes. Of this height, as many
    headings are near the screen in both files."""
    async with opened(path, size=(SIZE[0], SIZE[1] + 1)) as driver:
        driver.stop_watching()
        await driver.settle()
        meter.take()
        yield driver


async def _costs(path: Path, meter: Meter, *presses: str) -> list[Cost]:
    """What each of these costs, one after the other; several keys are separated by blanks."""
    found = []
    async with _quiet(path, meter) as driver:
        for keys in presses:
            await driver.press(*keys.split())
            found.append(meter.take())
    return found


MOVES = (
    *("j", "j", "pagedown", "pagedown", "k", "G", "k", "pageup", "g", "j"),
    *("right_curly_bracket", "left_curly_bracket", "shift+down", "space"),
)


async def test_moving_reads_what_is_near_the_screen_and_nothing_else(
    files: dict[int, Path], meter: Meter
) -> None:
    costs = await _costs(files[MANY], meter, *MOVES)
    for key, cost in zip(MOVES, costs, strict=True):
        assert cost.questions < 3 * SCREEN, key
        assert cost.rows < 8 * SCREEN, key
        assert cost.walks == (), key
    assert costs == await _costs(files[FEW], meter, *MOVES)


async def test_a_move_within_what_is_known_reads_the_transcript_only(
    files: dict[int, Path], meter: Meter
) -> None:
    for cost in await _costs(files[MANY], meter, "j", "j", "k", "shift+down"):
        assert cost == Cost(questions=4, rows=7, bodies=2)


async def test_selecting_reads_no_more_than_ids(files: dict[int, Path], meter: Meter) -> None:
    """By which a selection stays on its sessions."""
    presses = ("ctrl+a", "asterisk", "ctrl+a", "escape", "asterisk")
    for cost in await _costs(files[MANY], meter, *presses):
        assert cost.rows == cost.bodies == 0
        assert sum(cost.walks) <= MANY, "each once"


async def test_another_density_and_the_hidden_ones_cost_what_comes_into_sight(
    files: dict[int, Path], meter: Meter
) -> None:
    presses = ("v", "v", "full_stop", "full_stop", "full_stop", "v", "full_stop")
    costs = await _costs(files[MANY], meter, *presses)
    for cost in costs:
        assert cost.rows < 16 * SCREEN, "up to twice as many rows are in sight"
        assert cost.walks == ()
    assert sum(cost.rows for cost in costs) > 0
    assert costs == await _costs(files[FEW], meter, *presses)


async def test_unfolding_reads_what_is_inside(files: dict[int, Path], meter: Meter) -> None:
    down = " ".join(["j"] * 3)
    presses = (down, "z", "j", "j", "z", "z")
    costs = {number: await _costs(path, meter, *presses) for number, path in files.items()}
    assert costs[MANY] == costs[FEW]
    for cost in costs[MANY][1:]:
        assert cost.rows < 20
    async with _quiet(files[MANY], meter) as driver:
        await driver.press(*presses[0].split(), "z")
        assert len(driver.main.sessions.arranged.inside) == 2, "there was something to read"


async def test_another_order_walks_through_the_sessions_once(
    files: dict[int, Path], meter: Meter
) -> None:
    presses = ("s j j enter", "s enter", "s k k enter")
    costs = {number: await _costs(path, meter, *presses) for number, path in files.items()}
    for number, found in costs.items():
        assert [cost.walks for cost in found] == [(number,), (number,), ()]
    few, many = ([cost._replace(walks=()) for cost in costs[number]] for number in (FEW, MANY))
    assert few == many
    assert all(cost.rows < 8 * SCREEN for cost in many)


async def test_filters_walk_through_the_sessions_once_for_all_choices(
    files: dict[int, Path], meter: Meter
) -> None:
    choose = "f down down down down down space space"
    presses = (choose, "escape", choose, "G space escape", "backspace")
    costs = {number: await _costs(path, meter, *presses) for number, path in files.items()}
    for number, found in costs.items():
        assert [cost.walks for cost in found] == [(number,), (), (), (), ()]
    few, many = ([cost._replace(walks=()) for cost in costs[number]] for number in (FEW, MANY))
    assert few == many


@pytest.fixture(scope="module")
def long_ones(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """Files with a session of a few hundred messages, and of thousands, below a short one."""
    folder = tmp_path_factory.mktemp("long")
    for number in (FEW, MANY):
        with StateFile.create(folder / f"{number}.db") as state:
            talk(state, "long", *["some words"] * number, at=NOW - 9000)
            talk(state, "short", "hello", at=NOW - 100)
    return {number: folder / f"{number}.db" for number in (FEW, MANY)}


async def test_of_a_long_session_only_the_messages_near_the_screen_are_read(
    long_ones: dict[int, Path], meter: Meter
) -> None:
    presses = ("j", "enter", "pagedown", "G", "g")
    costs = {number: await _costs(path, meter, *presses) for number, path in long_ones.items()}
    for number, found in costs.items():
        assert [cost.walks for cost in found] == [
            (200, 200, number),
            *[()] * 4,
        ], "the outline of the beginning, then of all, once"
        assert sum(cost.bodies for cost in found) > 0
        assert all(cost.bodies < 3 * SCREEN for cost in found)
    few, many = ([cost._replace(walks=()) for cost in costs[number]] for number in (FEW, MANY))
    assert few == many
