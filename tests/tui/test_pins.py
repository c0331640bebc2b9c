"""Pins, and the order of a list that is remembered: kept in our own notes, first in every list."""

from pathlib import Path

import pytest

from explorer.browse.arrangement import SORTS
from explorer.browse.first_read import SORT_CHOICE, Opened, Opening, Remembered
from explorer.model import Sort
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.hermes.store import HermesStore
from explorer.stores.ours import notes as side
from explorer.stores.ours.notes import Notes
from tests.factories import altered, go_on, rows, talk
from tests.locker import Locker
from tests.newer_files import newer_file
from tests.tui.driving import NOW, Driver, Held, opened

HOUR = 3600.0
LATER = 1_800_000_000.0
"""Long after all that is in a file of today's Hermes."""
NAMES = ("ant", "bee", "cat", "dog", "eel", "fox")


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    return tmp_path / "ours" / "explorer.db"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Six sessions, the newest first by name, and an archived one."""
    file = tmp_path / "state.db"
    with StateFile.create(file) as state:
        for number, name in enumerate(NAMES):
            talk(state, name, f"I am {name}", at=NOW - number * HOUR, title=name)
        talk(state, "old", "put away", at=NOW - 100 * HOUR, title="old")
        state.set_archived("old", True)
    return file


def _starred(driver: Driver) -> list[str]:
    """The titles of the rows that are marked as pinned."""
    return [line[3:].split()[0] for line in driver.screen().splitlines() if "★" in line[:52]]


def _headings(driver: Driver) -> list[str]:
    return [group.title for group in driver.main.sessions.arranged.groups]


async def _pin(driver: Driver, *names: str) -> None:
    for name in names:
        await driver.press("g", *["j"] * driver.listed().index(name), "m")


async def test_m_pins_a_session_at_the_top_and_m_again_unpins_it(path: Path, notes: Path) -> None:
    async with opened(path, notes=notes) as driver:
        await _pin(driver, "cat")
        assert driver.listed() == ["cat", "ant", "bee", "dog", "eel", "fox"]
        assert _starred(driver) == ["cat"]
        assert _headings(driver)[:2] == ["Pinned", "Today"]
        assert driver.screen().splitlines()[4][1:20].strip() == "Pinned"
        assert driver.main.sessions.current is not None
        assert driver.main.sessions.current.title == "cat", "the cursor goes along"
        await driver.press("m")
        assert driver.listed() == list(NAMES)
        assert _starred(driver) == []
        assert "Pinned" not in _headings(driver)


async def test_pins_are_in_order_among_themselves(path: Path, notes: Path) -> None:
    async with opened(path, notes=notes) as driver:
        await _pin(driver, "eel", "bee", "dog")
        assert driver.listed() == ["bee", "dog", "eel", "ant", "cat", "fox"]


async def test_pins_are_there_again_after_a_restart(path: Path, notes: Path) -> None:
    async with opened(path, notes=notes) as driver:
        await _pin(driver, "cat", "fox")
    async with opened(path, notes=notes) as driver:
        assert driver.listed()[:2] == ["cat", "fox"]
        assert _starred(driver) == ["cat", "fox"]
        await _pin(driver, "cat")
    async with opened(path, notes=notes) as driver:
        assert _starred(driver) == ["fox"]


async def test_the_agents_file_is_not_touched(path: Path, notes: Path) -> None:
    before = path.read_bytes()
    async with opened(path, notes=notes) as driver:
        await _pin(driver, "cat")
        await driver.press("s", "j", "enter")
    assert path.read_bytes() == before
    assert notes.exists()


async def test_nothing_is_written_before_there_is_something_to_keep(
    path: Path, notes: Path
) -> None:
    async with opened(path, notes=notes) as driver:
        await driver.press("j", "space", "f", "escape", "s", "escape", "full_stop", "q")
    assert not notes.parent.exists()


async def test_a_pinned_session_shows_its_subagents_after_a_restart(
    tmp_path: Path, notes: Path
) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "boss", "plan it", at=NOW - HOUR, title="boss")
        talk(
            *(state, "helper", "look it up"),
            at=NOW - HOUR,
            parent="boss",
            source="subagent",
            config={"_delegate_from": "boss"},
        )
    Notes(notes, path).pin(["boss"], True)
    async with opened(path, notes=notes) as driver:
        assert "★ ○ ↳1" in driver.screen()
        await driver.press("z")
        assert "look it up" in driver.screen()


async def test_without_notes_pins_last_as_long_as_the_app(path: Path) -> None:
    async with opened(path) as driver:
        await _pin(driver, "cat")
        assert _starred(driver) == ["cat"]
        await driver.press("m")
        assert _starred(driver) == []


async def test_all_that_is_selected_is_pinned_and_if_all_is_pinned_unpinned(
    path: Path, notes: Path
) -> None:
    async with opened(path, notes=notes) as driver:
        await _pin(driver, "dog")
        await driver.press("g", "space", "j", "space")
        assert driver.main.sessions.selection.keys == {4, 2}
        await driver.press("m")
        assert _starred(driver) == ["bee", "dog"], "one was not: so both are"
        await driver.press("m")
        assert _starred(driver) == []
        assert len(driver.main.sessions.selection) == 2
    assert Notes(notes, path).pins() == frozenset()


async def test_pins_are_first_in_every_order(path: Path, notes: Path) -> None:
    async with opened(path, notes=notes) as driver:
        await _pin(driver, "eel", "bee")
        for sort in [*list(SORTS)[1:], Sort.ACTIVE, Sort.ACTIVE]:
            driver.main._choosing()._sorted(sort)
            await driver.settle()
            assert sorted(driver.listed()[:2]) == ["bee", "eel"]
            assert _headings(driver)[0] == "Pinned"
            assert _headings(driver)[1:]
        assert driver.listed()[:3] == ["eel", "bee", "fox"], "turned round, above and below"


async def test_a_pinned_archived_session_is_listed_and_says_why(path: Path, notes: Path) -> None:
    Notes(notes, path).pin(["old"], on=True)
    async with opened(path, notes=notes) as driver:
        assert driver.listed()[0] == "old"
        (line,) = (line for line in driver.screen().splitlines() if "★" in line)
        assert "◌" in line
        assert "▣" in line
        assert driver.counted() == "7 listed"
        assert "you opened" not in driver.screen()
        await _pin(driver, "old")
        assert "old" not in driver.listed()
        assert "6 listed · hidden: 1 archived" in driver.counted()


async def test_a_filter_hides_a_pinned_session_like_any_other(path: Path, notes: Path) -> None:
    with altered(path) as db:
        db.execute("UPDATE sessions SET source = 'telegram' WHERE id IN ('cat', 'fox')")
    Notes(notes, path).pin(["cat", "dog"], on=True)
    async with opened(path, notes=notes) as driver:
        wish = driver.main._lister.wish
        driver.main._lister.wish_for(
            wish._replace(filters=wish.filters._replace(sources=frozenset({"telegram"})))
        )
        await driver.settle()
        assert driver.listed() == ["cat", "fox"]
        assert _starred(driver) == ["cat"]


async def test_a_pinned_session_that_is_deleted_does_no_harm(path: Path, notes: Path) -> None:
    Notes(notes, path).pin(["cat", "never was", "\ud800", ""], on=True)
    with altered(path) as db:
        db.execute("DELETE FROM messages WHERE session_id = 'cat'")
        db.execute("DELETE FROM sessions WHERE id = 'cat'")
    async with opened(path, notes=notes) as driver:
        assert driver.listed() == ["ant", "bee", "dog", "eel", "fox"]
        assert "Pinned" not in _headings(driver)
        await _pin(driver, "dog")
        assert _starred(driver) == ["dog"]


async def test_a_conversation_stays_pinned_when_it_is_continued(path: Path, notes: Path) -> None:
    async with opened(path, notes=notes) as driver:
        await _pin(driver, "cat")
        with altered(path) as db:
            tip = go_on(db, "cat", "cat two", NOW)
        await driver.until(lambda: tip in driver.main.sessions.order)
        assert driver.main.sessions.order[0] == tip
        assert _headings(driver)[0] == "Pinned"
        assert len(_starred(driver)) == 1
    async with opened(path, notes=notes) as driver:
        assert driver.main.sessions.order[0] == tip
        assert len(_starred(driver)) == 1
        await driver.press("g", "m")
        assert _starred(driver) == []
    async with opened(path, notes=notes) as driver:
        assert _starred(driver) == [], "also the pin on its older part is out"


async def test_what_is_pinned_is_marked_among_the_results_of_a_search_too(
    path: Path, notes: Path
) -> None:
    async with opened(path, notes=notes) as driver:
        await _pin(driver, "cat")
        await driver.press("slash")
        await driver.type("I am")
        await driver.press("enter", "escape")
        assert _starred(driver) == ["cat"]
        await _pin(driver, "dog")
        assert sorted(_starred(driver)) == ["cat", "dog"]


async def test_keys_in_a_burst_pin_everything_they_were_pressed_on(
    path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path, notes=notes) as driver:
        held = Held(monkeypatch, HermesStore, "columns")
        await driver.pilot.press("j", "m")
        await held.holds(driver)
        await driver.pilot.press("j", "m", "j", "m", "m")
        held.let_go()
        await driver.settle()
        assert _starred(driver) == ["bee", "cat"]
    assert Notes(notes, path).pins() == {"bee", "cat"}


def _broken(notes: Path) -> None:
    notes.parent.mkdir()
    notes.write_text("no database at all, but long enough to be looked at\n" * 20)


async def test_broken_notes_are_said_at_the_start_and_the_list_is_there(
    path: Path, notes: Path
) -> None:
    _broken(notes)
    async with opened(path, notes=notes) as driver:
        assert driver.listed() == list(NAMES)
        assert any(str(notes) in said for said in driver.told())


async def test_a_pin_that_cannot_be_kept_is_said_and_the_list_stays(
    path: Path, notes: Path
) -> None:
    async with opened(path, notes=notes) as driver:
        before = driver.screen()
        _broken(notes)
        await driver.press("m")
        assert any("Pins and settings unavailable" in said for said in driver.told())
        assert driver.screen() == before
        await driver.press("s", "j", "enter")
        assert "by start" in str(driver.main.sessions.border_title), "the order is there, unkept"
        assert len(driver.told()) == 2
        await driver.press("j", "enter", "escape")
        assert driver.listed() == list(NAMES)


async def test_a_session_that_another_one_replaced_is_not_called_unpinned(
    path: Path, notes: Path
) -> None:
    async with opened(path, notes=notes) as driver:
        driver.stop_watching()
        with altered(path) as db:
            db.execute("UPDATE messages SET session_id = 'new' WHERE session_id = 'ant'")
            db.execute("UPDATE sessions SET id = 'new' WHERE id = 'ant'")
        await driver.press("m")
        assert "Another session has taken this place. Nothing was changed." in driver.said()
        assert "npinned" not in driver.said()


async def test_notes_that_another_program_holds_do_not_keep_the_list_waiting(
    path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Notes(notes, path).pin(["cat"], on=True)
    monkeypatch.setattr(side, "PATIENCE", 0.01)
    with Locker(notes):
        async with opened(path, notes=notes) as driver:
            assert driver.listed() == list(NAMES)
            assert any("locked" in said for said in driver.told())
            await driver.press("m")
            assert _starred(driver) == []


def _first_page(path: Path, notes: Path) -> Opened:
    return Opening(path, NOW, notes=notes).wait()


def test_the_pinned_rows_are_at_the_top_of_the_first_page(path: Path, notes: Path) -> None:
    Notes(notes, path).pin(["old", "dog", "fox", "never was"], on=True)
    page = _first_page(path, notes)
    assert [row.title for row in page.rows] == ["dog", "fox", "old", "ant", "bee", "cat", "eel"]
    assert page.pinned == 3
    assert page.trouble == ""


def test_without_pins_the_first_page_is_as_ever(path: Path, notes: Path) -> None:
    page = _first_page(path, notes)
    assert [row.title for row in page.rows] == list(NAMES)
    assert (page.pinned, page.remembered) == (0, Remembered())


def test_no_session_is_on_the_first_page_twice(path: Path, notes: Path) -> None:
    with altered(path) as db:
        go_on(db, "cat", "cat two", NOW - HOUR / 2)
    for pin in ("cat", "cat two"):
        Notes(notes, path).pin([pin], on=True)
    page = _first_page(path, notes)
    assert len({row.key for row in page.rows}) == len(page.rows)
    assert [row.id for row in page.rows].count("cat two") == 1
    assert "cat" not in [row.id for row in page.rows], "nor a part beside the whole"


def test_broken_notes_do_not_keep_the_first_page_from_coming(path: Path, notes: Path) -> None:
    _broken(notes)
    page = _first_page(path, notes)
    assert [row.title for row in page.rows] == list(NAMES)
    assert str(notes) in page.trouble


async def test_the_order_is_remembered_with_its_direction(path: Path, notes: Path) -> None:
    async with opened(path, notes=notes) as driver:
        await driver.press("s", *["j"] * 5, "enter", "s", "enter")
        assert "by title (reversed)" in str(driver.main.sessions.border_title)
        assert driver.listed() == list(NAMES)[::-1]
    async with opened(path, notes=notes) as driver:
        assert "by title (reversed)" in str(driver.main.sessions.border_title)
        assert driver.listed() == list(NAMES)[::-1]
        assert driver.main.sessions.cursor_row == driver.main.sessions.order[0]
        assert "I am fox" in "\n".join(line[54:] for line in driver.screen().splitlines())
        await driver.press("s", "enter")
    async with opened(path, notes=notes) as driver:
        assert str(driver.main.sessions.border_title) == "Sessions · by title"
        assert driver.listed() == list(NAMES)


async def test_each_file_has_its_own_order(path: Path, notes: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    with StateFile.create(other) as state:
        talk(state, "s", "hello", at=NOW)
    async with opened(path, notes=notes) as driver:
        await driver.press("s", "j", "enter")
    async with opened(other, notes=notes) as driver:
        assert "by last active" in str(driver.main.sessions.border_title)
    async with opened(path, notes=notes) as driver:
        assert "by start" in str(driver.main.sessions.border_title)


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("by the moon", "by last active"),
        ("", "by last active"),
        ("cost sideways", "by cost"),
        ("reversed", "by last active (reversed)"),
        ("title \0 reversed", "by title (reversed)"),
    ],
)
async def test_words_in_the_notes_that_mean_nothing_are_ignored(
    path: Path, notes: Path, words: str, title: str
) -> None:
    Notes(notes, path).choose(SORT_CHOICE, words)
    async with opened(path, notes=notes) as driver:
        assert str(driver.main.sessions.border_title) == f"Sessions · {title}"
        assert sorted(driver.listed()) == list(NAMES)


async def test_the_cursor_stays_where_somebody_put_it_before_the_list_was_made_again(
    path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Notes(notes, path).choose(SORT_CHOICE, "title reversed")
    async with opened(path, notes=notes) as driver:
        held = Held(monkeypatch, HermesStore, "catalog")
        driver.main.file.edited()
        await held.holds(driver)
        await driver.pilot.press("j", "j", "j", "j")
        held.let_go()
        await driver.settle()
        assert driver.listed() == list(NAMES)[::-1]
        assert driver.main.sessions.current is not None
        assert driver.main.sessions.current.title == "bee"


@pytest.fixture
def today(tmp_path: Path) -> Path:
    """A file of today's Hermes, which has pins of its own; nothing in it is pinned."""
    path = newer_file("hermes-v31", tmp_path, "delete")
    with altered(path) as db:
        db.execute("UPDATE sessions SET pinned = 0")
    return path


def _in_column(path: Path) -> set[object]:
    return {id_ for (id_,) in rows(path, "SELECT id FROM sessions WHERE pinned = 1")}


async def test_m_pins_in_the_agents_own_file_and_u_takes_it_back(
    today: Path, notes: Path, tmp_path: Path
) -> None:
    trash = tmp_path / "ours" / "trash.db"
    async with opened(today, now=LATER, notes=notes, trash=trash) as driver:
        await driver.press("j", "j", "m")
        await driver.until(lambda: len(_starred(driver)) == 1)
        current = driver.main.sessions.current
        assert current is not None
        assert _in_column(today) == {current.id}
        assert driver.listed()[0] == (current.title or "")
        await driver.press("u")
        await driver.until(lambda: "Undo" in driver.screen())
        await driver.press("y")
        await driver.until(lambda: not _starred(driver))
    assert _in_column(today) == set()
    assert not Notes(notes, today).pins()


async def test_what_hermes_pinned_is_first_in_the_first_frame(today: Path, notes: Path) -> None:
    with altered(today) as db:
        db.execute("UPDATE sessions SET pinned = 1 WHERE rowid = 3")
    ((id_,),) = rows(today, "SELECT id FROM sessions WHERE rowid = 3")
    found = Opening(today, LATER, notes=notes).wait()
    assert isinstance(found, Opened)
    assert (found.pinned, found.rows[0].id) == (1, id_)
