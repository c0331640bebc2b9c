"""The details of a session on the screen: from the list and from the transcript, whole and safe."""

import re
from pathlib import Path

import pytest

from explorer.render.clean import cell_width, clean
from explorer.render.lines import line_width
from explorer.stores.base import Details, Section
from explorer.stores.columns import ID
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.kinds import open_store
from explorer.transcript.detail_lines import detail_lines
from explorer.tui.reading.open_elsewhere import DetailsScreen, DetailsView
from tests.factories import altered, talk
from tests.hostile import HOSTILE
from tests.tui.driving import NOW, Driver, opened


def _text(driver: Driver) -> str:
    """All of it, as if the terminal were tall enough."""
    view = driver.app.screen.query_one(DetailsView)
    return "\n".join("".join(text for text, _ in line) for line in view._lines)


def _title(driver: Driver) -> str:
    return str(driver.app.screen.query_one(DetailsView).border_title)


async def test_i_in_the_list_opens_the_details_and_esc_closes_them(demo: Path) -> None:
    async with opened(demo) as driver:
        await driver.press("i")
        screen = driver.screen()
        assert "Details · Fix docker deployment" in screen
        for words in ("Workspace", "/home/ada/code/parcel-api", "fix/arm64-image", "Cache read"):
            assert words in screen
        await driver.press("escape")
        assert driver.app.screen is driver.main
        await driver.press("i", "i")
        assert driver.app.screen is driver.main
        await driver.press("i", "q")
        assert driver.app.screen is driver.main


async def test_i_in_the_transcript_is_about_what_is_being_read(demo: Path) -> None:
    async with opened(demo, size=(80, 24)) as driver:
        await driver.press("j", "enter", "i")
        row = driver.main.sessions.current
        assert row is not None
        assert row.title is not None
        assert row.title in _title(driver)
        assert row.id in _text(driver)
        await driver.press("escape")
        assert driver.main.focused is driver.main.transcript


async def test_in_the_transcript_they_are_of_the_part_that_is_read_alone(demo: Path) -> None:
    async with opened(demo) as driver:
        store = driver.main.file.opened.store  # type: ignore[union-attr]
        driver.main._lister.reveal(store.find("Trip to Kyoto #3")[0].key)
        await driver.settle()
        await driver.press("enter", "c", "i")
        assert "this part" in _text(driver)
        await driver.press("escape", "c", "i")
        assert "this part" not in _text(driver)


async def test_the_ids_of_all_parts_are_whole_in_eighty_columns(real_file: Path) -> None:
    async with opened(real_file, size=(80, 24)) as driver:
        store = driver.main.file.opened.store  # type: ignore[union-attr]
        catalog = store.catalog()
        listed = list(driver.main.sessions.order)
        several = [key for key in listed if len(catalog.chain(key)) > 1]
        for key in {listed[0], listed[-1], *several}:
            driver.main._lister.reveal(key)
            await driver.settle()
            await driver.press("i")
            assert isinstance(driver.app.screen, DetailsScreen)
            shown = re.sub(r"\s+", "", _text(driver))
            for id_ in store.columns({ID}, catalog.chain(key))[ID].values():
                assert id_ in shown
            assert max(map(cell_width, driver.screen().splitlines())) <= 80
            await driver.press("escape")


def test_details_of_every_session_fit_eighty_columns(real_file: Path) -> None:
    store = open_store(real_file)
    catalog = store.catalog()
    for key in catalog.keys:
        for unit in (catalog.single(key), catalog.folded(key)):
            told = store.details(unit)
            lines = detail_lines(told, 72)
            assert max(map(line_width, lines)) <= 72
            shown = "".join(text for line in lines for text, _ in line)
            for id_ in store.columns({ID}, unit.parts)[ID].values():
                assert id_ in shown


async def test_a_part_of_an_unfolded_conversation_has_its_own(demo: Path) -> None:
    async with opened(demo) as driver:
        store = driver.main.file.opened.store  # type: ignore[union-attr]
        driver.main._lister.reveal(store.find("Trip to Kyoto #3")[0].key)
        await driver.settle()
        await driver.press("z", "j", "i")
        assert "this part" in _text(driver)
        assert _title(driver).endswith("Trip to Kyoto")


async def test_y_copies_the_id_of_the_newest_part(demo: Path) -> None:
    async with opened(demo) as driver:
        store = driver.main.file.opened.store  # type: ignore[union-attr]
        key = store.find("Trip to Kyoto #3")[0].key
        driver.main._lister.reveal(key)
        await driver.settle()
        await driver.press("i", "y")
        assert driver.app.clipboard == store.columns({ID}, [key])[ID][key]
        assert "Copied session id (" in driver.said()


async def test_they_can_be_scrolled_and_resized(demo: Path) -> None:
    async with opened(demo, size=(80, 24)) as driver:
        await driver.press("i")
        view = driver.app.screen.query_one(DetailsView)
        await driver.press("j", "j", "pagedown")
        assert view.scroll_offset.y > 10
        await driver.press("g")
        assert view.scroll_offset.y == 0
        await driver.press("G")
        assert "State file" in driver.screen()
        await driver.resize(44, 12)
        await driver.resize(120, 40)
        await driver.press("g")
        assert "Details · Fix docker deployment" in driver.screen()


async def test_the_details_of_a_deleted_session_say_that_it_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "a", "hello", at=NOW - 500)
        talk(state, "b", "hello", at=NOW - 900)
    async with opened(path) as driver:
        with altered(path) as db:
            db.execute("DELETE FROM messages WHERE session_id = 'a'")
            db.execute("DELETE FROM sessions WHERE id = 'a'")
        await driver.press("i")
        assert driver.app.screen is driver.main
        assert "This session was deleted a moment ago" in driver.said()


async def test_an_empty_list_has_none(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path):
        pass
    async with opened(path) as driver:
        await driver.press("i", "tab", "i")
        assert driver.app.screen is driver.main


@pytest.mark.parametrize("width", [10, 40, 72, 100])
@pytest.mark.parametrize(("name", "text"), HOSTILE, ids=[name for name, _ in HOSTILE])
def test_hostile_text_stays_in_its_lines(name: str, text: str, width: int) -> None:
    short = text[:2000]
    details = Details("s", short, (Section("Session", ((short[:200], short), ("Id", short))),))
    for line in detail_lines(details, width):
        # A single wide letter may be wider than what is left of a very narrow pane.
        assert line_width(line) <= max(width, 8)
        assert all(clean(span) == span and "\n" not in span for span, _ in line)


def test_many_empty_lines_are_one() -> None:
    details = Details("s", None, (Section("Session", (("Title", "\n\na\n\n \n\n\n  b\n\n"),)),))
    assert [text.rstrip() for (*_, (text, _)) in detail_lines(details, 72)[1:]] == ["a", "", "  b"]


def test_nothing_of_a_value_is_lost() -> None:
    id_ = "x" * 300 + "_end"
    details = Details(id_, None, (Section("Session", (("Id", id_), ("A" * 40, "below it"))),))
    for width in (12, 50, 72):
        lines = ["".join(text for text, _ in line) for line in detail_lines(details, width)]
        told = re.sub(r"\s+", "", "".join(lines))
        assert told == f"SessionId{id_}{'A' * 40}belowit"
