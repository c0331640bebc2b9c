"""When a session was last active: at its newest message, or when its agent noted that it was at
work. The measure is plain SQL over every row."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from explorer.model import Sort
from explorer.stores.kinds import open_store
from explorer.stores.sort_order import ordered, values_of
from explorer.stores.sqlite.cells import SANE_UNTIL
from tests.factories import NOW, altered, everybody, insert, pairs, say
from tests.newer_files import NEWER_FILES, newer_file

NOTING = [name for name in NEWER_FILES if name != "hermes-v23"]
INDEXED = [name for name in NEWER_FILES if name.endswith(("v30", "v31"))]
LATER = 2e9
NEVER = ["soon", b"\xff", "", -1.0, 0, 9e999, 1e18, 1.76e12, SANE_UNTIL + 1, None]
"""What no clock has shown."""


@pytest.fixture(params=NOTING)
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return newer_file(request.param, tmp_path, "delete")


def _note(path: Path, key: int, time: object) -> None:
    with altered(path) as db:
        db.execute("UPDATE sessions SET last_activity_at = ? WHERE rowid = ?", (time, key))


def _stored(path: Path) -> dict[object, object]:
    """The last activity of every session by id, as plain SQL gives it."""
    sane = f"BETWEEN 0.001 AND {SANE_UNTIL}"
    return pairs(
        path,
        "SELECT id, coalesce((SELECT max(time) FROM (SELECT s.last_activity_at AS time"
        " UNION ALL SELECT max(timestamp) FROM messages WHERE session_id = s.id)"
        f" WHERE typeof(time) IN ('real', 'integer') AND time {sane}), s.started_at)"
        " FROM sessions s",
    )


def test_last_active_is_the_later_of_message_and_note(path: Path) -> None:
    with altered(path) as db:
        insert(db, "sessions", id="silent", source="cli", started_at=1e9, last_activity_at=LATER)
        insert(db, "sessions", id="noted", source="cli", started_at=1e9, last_activity_at=1.1e9)
        say(db, "noted", timestamp=1.2e9)
    for key, time in zip((3, 4, 5), (LATER, 1.0, LATER + 7), strict=True):
        _note(path, key, time)
    stored = _stored(path)
    assert {session.id: session.last_active for session in everybody(path)} == stored
    catalog = open_store(path).catalog()
    alone = [key for key in catalog.keys if catalog.chain(key) == (key,)]
    ids = pairs(path, "SELECT rowid, id FROM sessions")
    assert {ids[key]: catalog.last_active(key) for key in alone} == {
        ids[key]: stored[ids[key]] for key in alone
    }
    for key in catalog.keys:
        whole = max(float(str(stored[ids[part]])) for part in catalog.chain(key))
        if key == catalog.tip(key):
            assert catalog.last_active(key) == whole


@pytest.mark.parametrize("wrong", NEVER, ids=repr)
def test_what_no_clock_has_shown_counts_for_nothing(path: Path, wrong: object) -> None:
    (before,) = (session for session in everybody(path) if session.key == 3)
    _note(path, 3, wrong)
    (after,) = (session for session in everybody(path) if session.key == 3)
    assert after.last_active == before.last_active
    store = open_store(path)
    catalog = store.catalog()
    assert catalog.last_active(catalog.tip(3)) < SANE_UNTIL
    assert store.first_page(7, NOW)[0].id != after.id


def test_a_note_counts_also_where_messages_have_no_time(path: Path) -> None:
    with altered(path) as db:
        insert(db, "sessions", id="odd", source="cli", started_at=1e9, last_activity_at=LATER)
        say(db, "odd", timestamp="soon")
    (odd,) = (session for session in everybody(path) if session.id == "odd")
    assert odd.last_active == LATER
    assert open_store(path).catalog().last_active(odd.key) == LATER


def test_what_has_changed_is_as_a_whole_survey_gives_it(path: Path) -> None:
    store = open_store(path)
    before = store.catalog()
    _note(path, 3, LATER)
    with altered(path) as db:
        db.execute(
            "INSERT INTO messages (session_id, role, content, timestamp)"
            " SELECT id, 'user', 'more', started_at FROM sessions WHERE rowid = 3"
        )
    changes = store.changes(before.mark)
    assert changes is not None
    assert changes.family is not None
    renewed, whole = before.renewed(changes.family, changes.mark), store.catalog()
    assert list(renewed.active) == list(whole.active)


def test_activity_without_a_message_comes_with_the_next_whole_survey(path: Path) -> None:
    store = open_store(path)
    before = store.catalog()
    tip = before.tip(3)
    _note(path, tip, LATER)
    changes = store.changes(before.mark)
    assert changes is not None
    assert (changes.keys, changes.family) == (frozenset(), None), "no id tells of it"
    assert store.sessions([before.folded(tip)], NOW)[0].last_active == LATER, "the rows in sight do"
    assert store.catalog().last_active(tip) == LATER


@pytest.mark.parametrize("sort", [Sort.ACTIVE, Sort.STARTED])
@pytest.mark.parametrize("limit", [1, 7, 50])
def test_the_first_page_is_exact(path: Path, limit: int, sort: Sort) -> None:
    _note(path, 5, LATER)
    store = open_store(path)
    catalog = store.catalog()
    order = ordered(catalog, catalog.select()[0], sort, values_of(store, sort))
    exact = store.sessions([catalog.folded(key) for key in order[:limit]], NOW)
    assert store.first_page(limit, NOW, sort) == exact


@pytest.mark.parametrize("name", INDEXED)
def test_an_old_session_at_work_again_is_on_the_first_page(name: str, tmp_path: Path) -> None:
    path = newer_file(name, tmp_path, "delete")
    with altered(path) as db:
        db.execute("UPDATE sessions SET last_activity_at = 'soon' WHERE rowid = 2")
        for number in range(900):
            insert(db, "sessions", id=f"new{number}", source="cli", started_at=1.9e9 + number)
            say(db, f"new{number}", timestamp=1.9e9 + number)
        db.execute(
            "UPDATE sessions SET last_activity_at = ? WHERE rowid = (SELECT min(rowid) FROM"
            " sessions WHERE source = 'cli' AND archived = 0 AND hidden = 0"
            " AND parent_session_id IS NULL AND end_reason IS NOT 'compression')",
            (LATER,),
        )
    store = open_store(path)
    first = store.first_page(5, NOW)
    catalog = store.catalog()
    assert first[0].last_active == LATER
    assert [row.key for row in first] == catalog.by_last_active(catalog.select()[0])[:5]


def test_the_index_on_activity_is_walked_in_its_order(tmp_path: Path) -> None:
    path = newer_file("hermes-v31", tmp_path, "delete")
    with closing(sqlite3.connect(path)) as db:
        plan = db.execute(
            "EXPLAIN QUERY PLAN SELECT rowid FROM sessions"
            " INDEXED BY idx_sessions_effective_activity"
            " WHERE COALESCE(last_activity_at, started_at) < 4e9"
            " ORDER BY COALESCE(last_activity_at, started_at) DESC LIMIT 64"
        ).fetchall()
    assert [row[3].split(" (")[0] for row in plan] == [
        "SEARCH sessions USING INDEX idx_sessions_effective_activity"
    ]
