"""How long a conversation Hermes resumes: by its settings, and by what its release counts."""

from pathlib import Path

import pytest

from explorer.stores.base import TooLong
from explorer.stores.catalog import Unit
from explorer.stores.kinds import open_store
from tests.factories import altered, insert, rows, say
from tests.hermes_homes import hermes_home


def _limit(number: object) -> str:
    return f"sessions: {{max_resume_messages: {number}}}\n"


def _longest(path: Path) -> tuple[Unit, int, int]:
    """(a conversation of two parts, its live messages, those summarised away)."""
    with altered(path) as db:
        insert(db, "sessions", id="first", source="cli", started_at=1.0, end_reason="compression")
        insert(db, "sessions", id="second", source="cli", started_at=2.0, parent_session_id="first")
        for number in range(30):
            session = ("first", "second")[number % 2]
            active, compacted = ((1, 0), (1, 0), (0, 1), (0, 0))[number % 4]
            say(db, session, timestamp=3.0 + number, active=active, compacted=compacted)
    ours = "FROM messages WHERE session_id IN ('first', 'second')"
    found = rows(path, f"SELECT sum(active), sum(compacted) {ours}")
    live, compacted = (int(str(number)) for number in found[0])
    catalog = open_store(path).catalog()
    unit = max((catalog.folded(key) for key in catalog.keys), key=lambda unit: max(unit.parts))
    assert len(unit.parts) == 2
    return unit, live, compacted


@pytest.mark.parametrize(
    ("name", "with_compacted"),
    [("hermes-v25", False), ("hermes-v26", False), ("hermes-v30", True), ("hermes-v31", True)],
)
def test_a_release_counts_what_it_would_load(
    tmp_path: Path, name: str, with_compacted: bool
) -> None:
    path = hermes_home(tmp_path, name, "")
    unit, live, compacted = _longest(path)
    number = live + compacted * with_compacted
    config = tmp_path / "config.yaml"
    config.write_text(_limit(number))
    store = open_store(path)
    assert store.too_long(unit) is None, "as many as are allowed"
    config.write_text(_limit(number - 1))
    setting = "sessions.max_resume_messages"
    found = TooLong(number, number - 1, setting, str(config), certain=True)
    assert store.too_long(unit) == found
    part = open_store(path).catalog().single(unit.key)
    assert store.too_long(part) == found, "a part is resumed with its whole conversation"


@pytest.mark.parametrize("value", ["0", "-1", "'5'", "true", "null", "many"])
def test_no_limit_and_one_that_is_not_understood_refuse_nothing(tmp_path: Path, value: str) -> None:
    path = hermes_home(tmp_path, "hermes-v31", _limit(value))
    unit, *_ = _longest(path)
    assert open_store(path).too_long(unit) is None


@pytest.mark.parametrize(
    ("name", "refused"),
    [("hermes-v22", None), ("hermes-v23", None), ("hermes-v25", False), ("hermes-v31", True)],
)
def test_the_usual_limit_holds_since_schema_25(
    tmp_path: Path, name: str, refused: bool | None
) -> None:
    path = hermes_home(tmp_path, name, "model: x\n")
    unit, live, _ = _longest(path)
    assert open_store(path).too_long(unit) is None
    with altered(path) as db:
        names = db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for (trigger,) in names:
            db.execute(f"DROP TRIGGER {trigger}")
        db.execute(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)"
            " INSERT INTO messages (session_id, role, content, timestamp, active)"
            " SELECT 'second', 'user', 'on', 100.0 + i, 1 FROM n"
        )
    found = open_store(path).too_long(unit)
    assert (found.certain if found else None) is refused
    if found:
        assert found.limit == 20_000
        assert found.messages >= 20_000 + live


def test_unreadable_settings_give_no_limit(tmp_path: Path) -> None:
    path = hermes_home(tmp_path, "hermes-v31", "sessions:\n\tmax_resume_messages: 1\n")
    unit, *_ = _longest(path)
    assert open_store(path).too_long(unit) is None
    (tmp_path / "config.yaml").write_text(_limit(1))
    assert open_store(path).too_long(unit) is not None
    copy = path.rename(tmp_path / "copy.db")
    assert open_store(copy).too_long(unit) is None
