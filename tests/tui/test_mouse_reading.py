"""The mouse in a transcript: a click folds and unfolds, a drag copies."""

from pathlib import Path

import pytest

from explorer.model import Outline
from explorer.render.blocks import Block
from explorer.render.lines import Line
from explorer.stores.hermes.create.state_file import StateFile
from explorer.transcript.document import Document, LaidMessage
from explorer.transcript.selection import Point, TextSelection
from tests.tui.driving import NOW, Driver, opened


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A session with reasoning, wide letters, and more lines than fit."""
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        state.create_session("s", "cli", started_at=NOW - 900, title="Mouse")
        state.append_message("s", "user", "first line here", timestamp=NOW - 890)
        state.append_message(
            "s",
            "assistant",
            "東京 is big",
            reasoning="a hidden thought",
            timestamp=NOW - 880,
        )
        lines = "\n\n".join(f"line {number}" for number in range(150))
        state.append_message("s", "assistant", lines, timestamp=NOW - 870)
    return path


def _row(driver: Driver, text: str) -> int:
    """Of the transcript, with its border."""
    view = driver.main.transcript
    rows = (y for y in range(view.size.height) if text in view.render_line(y).text)
    return next(rows) + 1


def _column(cell: int) -> int:
    """Of a cell of the text, behind border and gutter."""
    return cell + 3


async def _drag(driver: Driver, start: tuple[int, int], end: tuple[int, int]) -> None:
    await driver.pilot.mouse_down("#transcript", offset=start)
    await driver.pilot.hover("#transcript", offset=end)
    await driver.settle()


async def _drop(driver: Driver, at: tuple[int, int]) -> None:
    await driver.pilot.mouse_up("#transcript", offset=at)
    await driver.settle()


async def test_one_click_on_the_head_of_a_fold_unfolds_it(path: Path) -> None:
    async with opened(path) as driver:
        row = _row(driver, "▸ reasoning")
        await driver.pilot.click("#transcript", offset=(_column(6), row))
        await driver.settle()
        assert "a hidden thought" in driver.screen()
        # Elsewhere it only moves the cursor, also a second one on the same block.
        inside = _row(driver, "a hidden thought")
        await driver.pilot.click("#transcript", offset=(_column(6), inside))
        await driver.settle()
        assert "a hidden thought" in driver.screen()
        await driver.pilot.click("#transcript", offset=(_column(6), row))
        await driver.settle()
        assert "a hidden thought" not in driver.screen()
        await driver.pilot.click("#transcript", offset=(_column(2), _row(driver, "first line")))
        await driver.settle()
        view = driver.main.transcript
        assert view.render_line(_row(driver, "first line") - 1).text.startswith("▌")
        assert driver.focus() == "transcript"
        assert driver.said() == ""


async def test_a_drag_copies_what_it_was_drawn_over(path: Path) -> None:
    async with opened(path) as driver:
        row = _row(driver, "first line here")
        start, end = (_column(6), row), (_column(9), row)
        await _drag(driver, start, end)
        view = driver.main.transcript
        style = view._style("selected", False)
        assert [one.text for one in view.render_line(row - 1) if one.style == style] == ["line"]
        await _drop(driver, end)
        assert driver.app.clipboard == "line"
        assert driver.said().split("\n")[0] == "Copied 4 characters"
        assert all(one.style != style for one in view.render_line(row - 1))
        assert "▸ reasoning" in driver.screen()
        # Upwards, from the second half of one wide letter to the first half of another.
        wide = _row(driver, "東京")
        await _drag(driver, (_column(3), wide), (_column(0), row))
        await _drop(driver, (_column(0), row))
        copied = driver.app.clipboard.split("\n")
        assert copied[0] == "first line here"
        assert copied[-1] == "東京"
        assert "▸ reasoning · 3 words" in copied


async def test_a_drag_beyond_the_edge_scrolls_on(path: Path) -> None:
    async with opened(path) as driver:
        view, before = driver.main.transcript, driver.screen()
        await driver.pilot.mouse_down("#transcript", offset=(_column(0), _row(driver, "line 3")))
        await driver.pilot.hover("#keys")
        await driver.until_seen(lambda: view.scroll_offset.y > 5)
        await driver.pilot.mouse_up("#keys")
        await driver.settle()
        copied = driver.app.clipboard.split()
        assert copied[:4] == ["line", "3", "line", "4"]
        assert f"line {copied[-1]} " not in before
        still = view.scroll_offset.y
        await driver.settle()
        assert view.scroll_offset.y == still, "it ends with the button"


async def test_a_drag_says_what_it_could_not_copy(path: Path) -> None:
    async with opened(path) as driver:
        row = _row(driver, "first line here")
        await _drag(driver, (_column(0), row), (_column(9), _row(driver, "line 3")))
        # As if it had been scrolled far away since.
        driver.main.transcript.document.forget(1)
        await _drop(driver, (_column(9), _row(driver, "line 3")))
        assert driver.app.clipboard.startswith("first line here\n")
        assert "東京" not in driver.app.clipboard
        assert "Copied only 2 of 3 messages: the others are too far away." in driver.said()


def _document(*lines: Line) -> Document:
    document = Document([Outline(1, 1, "user", None, 1)], 80)
    document.lay({0: LaidMessage(None, (Block("text", lines),))})
    return document


def test_bars_before_code_are_not_copied_and_letters_are_taken_whole() -> None:
    code: Line = (("  ", "text"), ("│ ", "dim"), ("x = 1", "code-text"))
    tree: Line = (("│ ├── file", "output"),)
    composed: Line = (("cafe\u0301 👩‍👩‍👧 x", "text"),)
    document = _document(code, tree, composed)

    def taken(start: tuple[int, int], end: tuple[int, int]) -> str:
        return TextSelection(Point(0, *start), Point(0, *end)).text(document)

    assert taken((0, 0), (1, 99)) == "x = 1\n│ ├── file"
    assert taken((2, 3), (2, 3)) == "e\u0301"
    assert taken((2, 6), (2, 5)) == "👩‍👩‍👧"
    assert taken((0, 4), (0, 4)) == "x"
