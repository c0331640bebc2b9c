"""Keys while reading: they act on the session being read, in one pane and in two, also where that
is not the one under the cursor of the list."""

from pathlib import Path

import pytest

from explorer.tui.dialogs.choices import Choice
from explorer.tui.edits.edit_controller import Rename
from explorer.tui.edits.prune_screen import PruneScreen
from explorer.tui.edits.trash import TrashScreen
from explorer.tui.reading.open_elsewhere import DetailsScreen
from tests.tui.driving import Driver, animals, opened


async def _to_subagent(driver: Driver) -> str:
    """Follow a link from the session under the cursor; the id of the subagent's session."""
    await driver.to("Review the retry queue")
    await driver.press("enter", "g")
    transcript = driver.main.transcript
    for _ in range(100):
        _, block = transcript.here()
        if block is not None and "delegate" in str(block.lines):
            break
        await driver.press("right_curly_bracket")
    await driver.press("enter")
    if isinstance(driver.app.screen, Choice):
        await driver.press("enter")
    session = driver.main.pane.reader.session
    assert session is not None
    assert session.kind == "subagent"
    assert driver.main.sessions.current is not None
    assert session.id != driver.main.sessions.current.id
    return session.id


def _over(driver: Driver) -> type:
    return type(driver.app.screen)


@pytest.mark.parametrize("size", [(120, 60), (80, 40)])
async def test_keys_act_on_a_followed_subagent_not_on_the_cursor(
    demo: Path, tmp_path: Path, size: tuple[int, int]
) -> None:
    async with opened(demo, size=size, trash=tmp_path / "trash.db") as driver:
        read = await _to_subagent(driver)
        await driver.press("Y")
        assert driver.app.clipboard == read
        await driver.press("i")
        assert isinstance(driver.app.screen, DetailsScreen)
        assert driver.app.screen._details.id == read
        await driver.press("escape", "t")
        assert isinstance(driver.app.screen, Rename)
        assert driver.app.screen._session.id == read
        await driver.press("escape", "L")
        assert _over(driver) is Choice
        await driver.press("escape", "p")
        assert _over(driver) is PruneScreen
        await driver.press("escape", "U")
        assert _over(driver) is TrashScreen
        await driver.press("escape", "u")
        assert "Nothing to undo" in "".join(driver.told())
        assert driver.focus() == "transcript"
        driver.main._lister.arrange()
        await driver.settle()
        session = driver.main.pane.reader.session
        assert session is not None
        assert session.id == read, "a new list leaves the reader where they are"


async def test_archive_and_pin_while_reading_act_at_once(tmp_path: Path, trash: Path) -> None:
    path = animals(tmp_path / "state.db")
    async with opened(path, size=(80, 24), trash=trash, notes=tmp_path / "notes.db") as driver:
        await driver.to("cat")
        await driver.press("enter", "m")
        assert driver.focus() == "transcript"
        await driver.press("escape")
        assert driver.listed()[0] == "cat", "pinned sessions come first"
        await driver.press("enter", "d")
        assert "Delete “cat”?" in driver.screen()


async def test_the_footer_of_the_transcript_shows_what_acts_on_the_session(demo: Path) -> None:
    async with opened(demo, size=(80, 24)) as driver:
        footer = driver.screen().splitlines()[-1].split()
        assert footer[0:2] == ["enter", "Read"]
        for word in ("Resume", "Search", "Rename", "Delete", "Undo", "Help", "Commands"):
            assert word in footer
        await driver.press("enter")
        for words in ("esc Back", "enter Expand", "r Resume", "t Rename", "d Delete", "? Help"):
            assert words in driver.screen().splitlines()[-1]


async def test_keys_of_the_other_pane_say_where_they_work(demo: Path) -> None:
    async with opened(demo) as driver:
        await driver.press("c")
        assert "Whole conversation / this part works while reading. enter opens" in driver.said()
        await driver.press("x")
        assert "“x” does nothing here. ? lists the keys." in driver.said()
        await driver.press("enter", "s")
        assert "Sort works in the list. esc goes back to it." in driver.said()
        await driver.press("G", "right_square_bracket", "right_square_bracket")
        assert "No later prompt of yours" in driver.said()
        said = len(driver.told())
        await driver.press("right_square_bracket")
        assert len(driver.told()) == said, "a key that is held down says it once"
