"""What is new in a file: found without reading it all again, and equal to reading it all."""

from pathlib import Path

import pytest

from explorer.stores.base import Store
from explorer.stores.catalog import Catalog, Mark
from explorer.stores.kinds import open_store
from tests.agents import run_agent
from tests.factories import T0, altered, insert, one_session, say


def _facts(catalog: Catalog) -> dict[int, tuple[object, ...]]:
    return {
        key: (
            catalog.last_active(key),
            catalog.source(key),
            catalog.kind(key),
            catalog.hidden_as(key),
            catalog.chain(key),
            key in catalog.archived,
            key in catalog.empty,
            key in catalog.pinned,
            key in catalog.hidden,
        )
        for key in catalog.keys
    }


def _followed(store: Store, before: Catalog) -> Catalog:
    changes = store.changes(before.mark)
    assert changes is not None
    return before.renewed(changes.family, changes.mark) if changes.family else before


LIFE = """
import sys, time
from hermes_state import SessionDB
db = SessionDB()
db.create_session("parent", "cli")
db.append_message("parent", "user", "hello")
db.append_message(sys.argv[1], "user", "an old one is taken up again")
db.end_session("parent", "compression")
db.create_session("child", "cli", parent_session_id="parent")
db.append_message("child", "user", "going on")
db.create_session("helper", "subagent", parent_session_id="child",
                  model_config={"_delegate_from": "child"})
db.append_message("helper", "user", "a task")
db.create_session("tick", "cron")
db.append_message("tick", "user", "tick")
db.create_session("nothing", "telegram")
db.close()
"""


def test_following_a_writing_agent_gives_what_a_whole_survey_gives(tmp_path: Path) -> None:
    start = """
from hermes_state import SessionDB
db = SessionDB()
for number in range(30):
    db.create_session(f"s{number}", "cli")
    db.append_message(f"s{number}", "user", "hi")
db.close()
"""
    run_agent(start, "hermes-agent", "0.19.0", tmp_path)
    store = open_store(tmp_path / "state.db")
    before = store.catalog()
    kept = _facts(before)
    run_agent(LIFE, "hermes-agent", "0.19.0", tmp_path, "s3")
    after = _followed(store, before)
    assert _facts(after) == _facts(store.catalog())
    assert _facts(before) == kept, "whoever still reads the old one is not disturbed"
    changes = store.changes(before.mark)
    assert changes is not None
    assert len(changes.keys) == 6
    assert store.changes(after.mark) is not None
    assert store.changes(after.mark).keys == frozenset()  # type: ignore[union-attr]


def test_a_file_that_lost_rows_needs_a_whole_survey(hermes_file: Path) -> None:
    store = open_store(hermes_file)
    mark = store.catalog().mark
    with altered(hermes_file) as db:
        db.execute("DELETE FROM messages WHERE id = (SELECT max(id) FROM messages)")
    assert store.changes(mark) is None


@pytest.mark.parametrize("behind", [1, 40, 100_000])
def test_on_every_schema_what_is_new_equals_a_whole_survey(hermes_file: Path, behind: int) -> None:
    store = open_store(hermes_file)
    whole = store.catalog()
    assert isinstance(whole.mark, Mark)
    old = Mark(max(whole.mark.message - behind, 0), whole.mark.session - 3)
    changes = store.changes(old)
    assert changes is not None
    assert changes.mark == whole.mark
    assert changes.family is not None
    assert _facts(whole.renewed(changes.family, changes.mark)) == _facts(whole)


def test_a_session_is_empty_until_its_first_message(tmp_path: Path) -> None:
    path = one_session(tmp_path / "state.db")
    with altered(path) as db:
        new = insert(db, "sessions", id="new", source="cron", started_at=T0)
    store = open_store(path)
    before = store.catalog()
    assert before.empty == {new}
    with altered(path) as db:
        say(db, "new")
        newer = insert(db, "sessions", id="newer", source="cli", started_at=T0)
    assert _followed(store, before).empty == store.catalog().empty == {newer}
    assert before.empty == {new}
