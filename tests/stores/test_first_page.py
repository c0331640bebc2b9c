"""The first page comes from a few index walks: it must be what the whole catalog would give."""

from pathlib import Path

import pytest

from bench.generate import Recipe, build
from explorer.model import Session, Sort
from explorer.stores.base import Store
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.kinds import open_store
from explorer.stores.sort_order import ordered, values_of
from tests.factories import NOW, T0, altered, talk

ORDERS = pytest.mark.parametrize("sort", [Sort.ACTIVE, Sort.STARTED])
PAGES = pytest.mark.parametrize("limit", [1, 7, 50, 2000])


def _exact(store: Store, limit: int, sort: Sort) -> list[Session]:
    catalog = store.catalog()
    listed, _ = catalog.select()
    order = ordered(catalog, listed, sort, values_of(store, sort))
    return store.sessions([catalog.folded(key) for key in order[:limit]], NOW)


@ORDERS
@PAGES
def test_the_page_of_a_real_file_is_exact(real_file: Path, limit: int, sort: Sort) -> None:
    store = open_store(real_file)
    assert store.first_page(limit, NOW, sort) == _exact(store, limit, sort)


RECIPES = (
    Recipe(60, 600),
    Recipe(400, 2000, noise=0.5),
    Recipe(400, 2000, noise=0.9, seed=2),
    Recipe(1500, 4000, noise=0.99, trigram=False),
)


@pytest.fixture(scope="module", params=RECIPES, ids=lambda recipe: recipe.name)
def invented(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(request.param, tmp_path_factory.mktemp("invented"))


@ORDERS
@PAGES
def test_the_page_of_an_invented_history_is_exact(invented: Path, limit: int, sort: Sort) -> None:
    store = open_store(invented)
    assert store.first_page(limit, NOW, sort) == _exact(store, limit, sort)


@pytest.fixture
def long_history(tmp_path: Path) -> Path:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "oldest", "long ago")
        talk(state, "root", "part one", at=T0 + 5, end="compression")
        for number in range(200):
            talk(state, f"s{number:03}", "hi", "Hi.", at=T0 + 100 * (number + 1))
            talk(state, f"cron{number:03}", "tick", source="cron", at=T0 + 100 * (number + 1))
    return path


def test_an_old_session_that_was_written_to_lately_comes_first(long_history: Path) -> None:
    with altered(long_history) as db:
        db.execute(
            "INSERT INTO messages (session_id, role, content, timestamp)"
            " VALUES ('oldest', 'user', 'back again', ?)",
            (NOW - 60,),
        )
    first = open_store(long_history).first_page(5, NOW)
    assert [session.id for session in first] == ["oldest", "s199", "s198", "s197", "s196"]


def test_an_old_conversation_that_continues_comes_first_as_a_whole(long_history: Path) -> None:
    with altered(long_history) as db:
        db.execute(
            "INSERT INTO sessions (id, source, started_at, parent_session_id)"
            " VALUES ('tip', 'cli', ?, 'root')",
            (NOW - 90,),
        )
        db.execute(
            "INSERT INTO messages (session_id, role, content, timestamp)"
            " VALUES ('tip', 'user', 'part two', ?)",
            (NOW - 60,),
        )
    first = open_store(long_history).first_page(5, NOW)[0]
    assert (first.id, first.root_id, first.parts) == ("tip", "root", 2)


def test_by_start_a_session_keeps_its_place(long_history: Path) -> None:
    with altered(long_history) as db:
        db.execute(
            "INSERT INTO messages (session_id, role, content, timestamp)"
            " VALUES ('oldest', 'user', 'back again', ?)",
            (NOW - 60,),
        )
    first = open_store(long_history).first_page(3, NOW, Sort.STARTED)
    assert [session.id for session in first] == ["s199", "s198", "s197"]


def test_noise_does_not_push_people_off_the_page(long_history: Path) -> None:
    page = open_store(long_history).first_page(30, NOW)
    assert [session.id for session in page] == [f"s{number:03}" for number in range(199, 169, -1)]


def test_an_empty_file_has_an_empty_page(tmp_path: Path) -> None:
    StateFile.create(tmp_path / "state.db").close()
    assert open_store(tmp_path / "state.db").first_page(10, NOW) == []


def test_a_fork_of_a_conversation_has_the_same_tip_as_in_the_catalog(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "root", "one", end="compression")
        talk(state, "spoken", "two", at=T0 + 10, parent="root")
        talk(state, "silent", at=T0 + 99, parent="root")
    store = open_store(path)
    assert store.first_page(5, NOW) == _exact(store, 5, Sort.ACTIVE)
    assert store.first_page(5, NOW)[0].id == "silent"
