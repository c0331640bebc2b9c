"""What is unread: something came after the agent noted that it was read."""

from pathlib import Path

import pytest

from explorer.search.filters import FILTERED
from explorer.stores.columns import READ_AT
from explorer.stores.kinds import open_store
from tests.conftest import Command
from tests.factories import NOW, altered, everybody, go_on, insert, one_session, rows, say
from tests.newer_files import NEWER_FILES, newer_file

TRACKING = [name for name in NEWER_FILES if name != "hermes-v23"]


@pytest.fixture(params=TRACKING)
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = newer_file(request.param, tmp_path, "delete")
    with altered(path) as db:
        for name, read_at in (("marked", 0), ("before", 1.5e9), ("after", 2.5e9), ("never", None)):
            insert(db, "sessions", id=name, source="cli", started_at=1e9, last_read_at=read_at)
            say(db, name, timestamp=2e9, content="zebrafinch")
        insert(
            db, "sessions", id="beat", source="cli", started_at=1e9, last_read_at=2.2e9,
            last_activity_at=2.3e9,
        )  # fmt: skip
        say(db, "beat", timestamp=2e9, content="zebrafinch")
    return path


def _stored(path: Path) -> set[object]:
    """By plain SQL."""
    return {
        id_
        for (id_,) in rows(
            path,
            "SELECT id FROM sessions s WHERE last_read_at IS NOT NULL AND last_read_at <"
            " max(coalesce(last_activity_at, 0), coalesce((SELECT max(timestamp) FROM messages"
            " WHERE session_id = s.id), started_at))",
        )
    }


def test_a_session_is_unread_when_something_came_after_it_was_read(path: Path) -> None:
    found = {session.id for session in everybody(path) if session.unread}
    assert found == _stored(path) >= {"marked", "before", "beat"}


def test_the_language_and_the_json_say_the_same(path: Path, command: Command) -> None:
    found = command("search", "is:unread zebrafinch", "--json", "--db", path).json["hits"]
    assert {hit["session_id"] for hit in found} == {"marked", "before", "beat"}
    others = command("search", "-is:unread zebrafinch", "--json", "--db", path).json["hits"]
    assert {hit["session_id"] for hit in others} == {"after", "never"}
    listed = command("list", "--all", "--limit", "0", "--json", "--db", path).json["sessions"]
    assert {row["id"] for row in listed if row["unread"]} == _stored(path)
    shown = command("show", "marked", "--json", "--db", path).json["session"]
    assert (shown["unread"], shown["pinned"], shown["title_source"]) == (True, False, None)


def test_a_conversation_is_as_unread_as_its_tip_says(path: Path) -> None:
    with altered(path) as db:
        go_on(db, "after", "tip", 2.6e9)
        db.execute("UPDATE sessions SET last_read_at = 2.7e9 WHERE id = 'tip'")
        db.execute("UPDATE sessions SET last_read_at = 1 WHERE id = 'after'")
    store = open_store(path)
    catalog = store.catalog()
    ((key,),) = rows(path, "SELECT rowid FROM sessions WHERE id = 'tip'")
    assert isinstance(key, int)
    assert not store.sessions([catalog.folded(key)], NOW)[0].unread


@pytest.mark.parametrize("cell", ["soon", b"\xff", "", None, 9e999])
def test_a_cell_that_is_not_a_time_means_read(tmp_path: Path, cell: object) -> None:
    path = one_session(tmp_path / "state.db")
    with altered(path) as db:
        db.execute("ALTER TABLE sessions ADD COLUMN last_read_at")
        db.execute("UPDATE sessions SET last_read_at = ?", (cell,))
    assert not everybody(path)[0].unread
    store = open_store(path)
    assert store.columns({READ_AT})[READ_AT] == {}
    assert store.columns(FILTERED)[READ_AT] == {}
