"""Who is pinned in the agent itself, and who gave a session its title: by the agent's columns."""

from pathlib import Path

import pytest

from explorer.stores.kinds import open_store
from tests.factories import NOW, altered, everybody, one_session, pairs, rows
from tests.newer_files import NEWER_FILES, newer_file


@pytest.fixture(params=NEWER_FILES)
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return newer_file(request.param, tmp_path, "delete")


def _pin(path: Path, *keys: int) -> None:
    with altered(path) as db:
        db.executemany("UPDATE sessions SET pinned = 1 WHERE rowid = ?", [(key,) for key in keys])


def _stored(path: Path) -> set[object]:
    return {key for (key,) in rows(path, "SELECT rowid FROM sessions WHERE pinned")}


def test_the_catalog_knows_every_pin(path: Path) -> None:
    _pin(path, 3, 5)
    catalog = open_store(path).catalog()
    assert catalog.pinned == _stored(path) >= {3, 5}
    assert catalog.with_archived([7]).pinned == catalog.pinned


def test_a_pin_is_followed_with_what_else_changed(path: Path) -> None:
    store = open_store(path)
    before = store.catalog()
    _pin(path, 4)
    with altered(path) as db:
        db.execute("UPDATE sessions SET pinned = 0 WHERE rowid = 3")
        db.execute(
            "INSERT INTO messages (session_id, role, content, timestamp)"
            " SELECT id, 'user', 'more', started_at FROM sessions WHERE rowid IN (3, 4)"
        )
    changes = store.changes(before.mark)
    assert changes is not None
    assert changes.family is not None
    assert before.renewed(changes.family, changes.mark).pinned == _stored(path)


def test_a_conversation_is_pinned_with_any_of_its_parts(path: Path) -> None:
    store = open_store(path)
    catalog = store.catalog()
    chain = next(chain for key in catalog.keys if len(chain := catalog.chain(key)) > 1)
    with altered(path) as db:
        db.execute("UPDATE sessions SET pinned = 0")
    assert not store.sessions([catalog.folded(chain[0])], NOW)[0].pinned
    _pin(path, chain[0])
    assert store.sessions([catalog.folded(chain[0])], NOW)[0].pinned


@pytest.mark.parametrize("cell", ["yes", b"\xff", None, ""])
def test_a_pin_that_is_no_number_is_none(tmp_path: Path, cell: object) -> None:
    path = one_session(tmp_path / "state.db")
    with altered(path) as db:
        db.execute("ALTER TABLE sessions ADD COLUMN pinned")
        db.execute("UPDATE sessions SET pinned = ?", (cell,))
    assert open_store(path).catalog().pinned == set()
    assert not everybody(path)[0].pinned


def test_files_without_the_column_have_no_pins(tmp_path: Path) -> None:
    path = one_session(tmp_path / "state.db")
    assert open_store(path).catalog().pinned == set()
    [session] = everybody(path)
    assert (session.pinned, session.unread, session.title_source) == (False, False, None)


def test_the_source_of_a_title_is_that_of_the_title_shown(path: Path) -> None:
    if not rows(path, "SELECT 1 FROM pragma_table_info('sessions') WHERE name = 'title_source'"):
        pytest.skip("this schema keeps none")
    stored = pairs(path, "SELECT id, title_source FROM sessions")
    assert {session.id: session.title_source for session in everybody(path)} == stored
