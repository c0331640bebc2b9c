"""The first rows that are painted are those of the order that is remembered, and stay."""

from pathlib import Path
from typing import NamedTuple

import pytest

from explorer.browse.arrangement import Arranged
from explorer.browse.first_read import REVERSED, SORT_CHOICE
from explorer.model import Sort
from explorer.stores.columns import ID
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.hermes.store import HermesStore
from explorer.stores.kinds import open_store
from explorer.stores.ours.notes import Notes
from explorer.tui.list.session_list import SessionList
from tests.factories import altered, talk
from tests.tui.driving import NAMES, NOW, Held, animals, opened

PAGE = 10


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    return tmp_path / "ours" / "explorer.db"


class _Shown(NamedTuple):
    """A list as it was shown, as far as its first rows go."""

    order: list[int]
    headings: list[str]
    known: list[bool]


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[_Shown]:
    """Every list that is shown, the first one first."""
    found: list[_Shown] = []
    plain = SessionList.show

    def show(sessions: SessionList, arranged: Arranged, *others: object) -> None:
        plain(sessions, arranged, *others)  # type: ignore[arg-type]
        order = list(sessions.order[:PAGE])
        headings = [group.title for group in arranged.groups if group.first < PAGE]
        found.append(_Shown(order, headings, [sessions.row(row) is not None for row in order]))

    monkeypatch.setattr(SessionList, "show", show)
    return found


async def test_the_newest_session_is_under_the_cursor_however_rows_were_written(
    tmp_path: Path,
) -> None:
    """An import may write the oldest sessions last, and so they are what a first page begins with:
    the cursor does not stay on them."""
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        for day in range(400):
            at = NOW - day * 86_400
            talk(state, f"d{day}", "hello", "Hi.", at=at, title=f"day {day}", end="cli_close")
    async with opened(path) as driver:
        assert driver.main.sessions.current is not None
        assert driver.main.sessions.current.title == "day 0"
        assert driver.main.sessions.scroll_offset.y == 0
        await driver.press("j")
        assert driver.main.sessions.current.title == "day 1"


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("sort", list(Sort))
async def test_the_first_rows_are_those_of_the_remembered_order(
    demo: Path, notes: Path, shown: list[_Shown], sort: Sort, reverse: bool
) -> None:
    Notes(notes, demo).choose(SORT_CHOICE, f"{sort} {REVERSED}" if reverse else sort)
    async with opened(demo, notes=notes) as driver:
        assert (driver.main._lister.wish.sort, driver.main._lister.wish.reverse) == (sort, reverse)
        driver.main._lister.arrange()
        await driver.settle()
        assert len(shown) >= 2
        assert len(shown[0].order) == PAGE
        assert all(one == shown[-1] for one in shown), "nothing jumps"
        assert all(shown[0].known), "rows, not places for them"
        assert driver.main.sessions.cursor_row == shown[0].order[0]


@pytest.mark.parametrize("sort", [Sort.ACTIVE, Sort.STARTED, Sort.TITLE])
async def test_pinned_rows_are_first_from_the_first_frame_on(
    demo: Path, notes: Path, shown: list[_Shown], sort: Sort
) -> None:
    store = open_store(demo)
    catalog = store.catalog()
    newest = catalog.by_last_active(catalog.select()[0])
    tips = [newest[7], newest[-1], newest[3]]
    kept = Notes(notes, demo)
    ids = store.columns({ID}, tips)[ID]
    kept.pin([ids[tip] for tip in tips], on=True)
    kept.choose(SORT_CHOICE, sort)
    async with opened(demo, notes=notes) as driver:
        driver.main._lister.arrange()
        await driver.settle()
        assert set(shown[0].order[:3]) == set(tips)
        assert all(one.order == shown[0].order for one in shown)


async def test_the_cursor_stays_where_somebody_put_it_before_all_was_read(
    tmp_path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = animals(tmp_path / "state.db")
    with altered(path) as db:
        db.execute(
            "INSERT INTO messages (session_id, role, content, timestamp)"
            f" VALUES ('dog', 'user', 'again', {NOW})"
        )
    Notes(notes, path).choose(SORT_CHOICE, Sort.STARTED)
    held = Held(monkeypatch, HermesStore, "catalog")
    async with opened(path, notes=notes, first=held) as driver:
        assert driver.listed() == list(NAMES)
        await driver.pilot.press("j")
        held.let_go()
        await driver.settle()
        assert driver.listed() == list(NAMES)
        assert driver.current() == "bee"
