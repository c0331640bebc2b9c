"""What a list says of a session: whether it runs, when it was used, what it cost."""

from pathlib import Path

import pytest

from explorer.model import Session, Sort, State
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.kinds import open_store
from explorer.stores.sort_order import ordered, values_of
from tests.factories import NOW, T0, altered, everybody, insert, one_session, say, talk


def _one(path: Path, now: float = NOW) -> Session:
    store = open_store(path)
    return store.sessions([store.catalog().single(1)], now)[0]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return one_session(tmp_path / "state.db")


@pytest.mark.parametrize(
    ("seconds_later", "state"), [(0, State.RUNNING), (599, State.RUNNING), (600, State.OPEN)]
)
def test_a_session_runs_ten_minutes_after_its_newest_message(
    path: Path, seconds_later: float, state: State
) -> None:
    assert _one(path, T0 + 2 + seconds_later).state is state


def test_an_empty_session_runs_ten_minutes_after_its_start(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        state.create_session("s", "cli", started_at=T0)
    assert _one(path, T0 + 599).state is State.RUNNING
    assert _one(path, T0 + 600).state is State.OPEN


def test_an_ended_session_has_ended_however_fresh(path: Path) -> None:
    with altered(path) as db:
        db.execute("UPDATE sessions SET ended_at = ?, end_reason = 'cli_close'", (T0 + 3,))
    assert _one(path, T0 + 4).state is State.ENDED


@pytest.mark.parametrize(("until", "state"), [(1, State.RUNNING), (-1, State.OPEN)])
def test_a_lock_that_has_not_expired_means_running(path: Path, until: int, state: State) -> None:
    with altered(path) as db:
        insert(
            db,
            "compression_locks",
            session_id="s",
            holder="x",
            acquired_at=T0,
            expires_at=NOW + until,
        )
    assert _one(path).state is state


def test_a_lease_of_newer_agents_means_running(path: Path) -> None:
    with altered(path) as db:
        db.execute("CREATE TABLE session_turn_leases (conversation_id, expires_at)")
        insert(db, "session_turn_leases", conversation_id="s", expires_at=NOW + 1)
    assert _one(path).state is State.RUNNING


@pytest.mark.parametrize("wrong", [9e999, 1e18, "soon", b"\xff", -1.0])
def test_one_impossible_time_does_not_hide_the_others(path: Path, wrong: object) -> None:
    with altered(path) as db:
        say(db, "s", timestamp=wrong)
    assert _one(path).last_active == T0 + 2
    catalog = open_store(path).catalog()
    assert catalog.last_active(1) == T0 + 2


def test_without_any_time_a_session_was_last_active_when_it_began(path: Path) -> None:
    with altered(path) as db:
        db.execute("UPDATE messages SET timestamp = 'soon'")
    assert _one(path).last_active == T0
    assert open_store(path).catalog().last_active(1) == T0


@pytest.mark.parametrize(
    ("estimated", "actual", "status", "cost"),
    [
        (0.5, None, "estimated", 0.5),
        (0.5, 0.25, "actual", 0.25),
        (0.0, None, "estimated", 0.0),
        (0.0, None, "unknown", None),
        (0.0, None, "included", None),
        (0.0, None, None, None),
        (0.5, None, "unknown", 0.5),
        (None, None, "estimated", None),
        ("dear", None, "estimated", None),
    ],
)
def test_a_known_cost_is_shown(
    path: Path, estimated: object, actual: object, status: object, cost: float | None
) -> None:
    with altered(path) as db:
        db.execute(
            "UPDATE sessions SET estimated_cost_usd = ?, actual_cost_usd = ?, cost_status = ?",
            (estimated, actual, status),
        )
    assert _one(path).cost_usd == cost
    assert _one(path).cost_status == status


@pytest.fixture
def chain(tmp_path: Path) -> Path:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "root", "a", "b", "c", title="zebra", end="compression")
        talk(state, "tip", "d", at=T0 + 50, parent="root")
        talk(state, "other", "e", "f", "g", at=T0 + 10, title="Apple")
        talk(state, "plain", "h", at=T0 + 90)
        state.set_usage("root", 100, 10, 0.4, "estimated")
        state.set_usage("tip", 50, 5, 0.3, "estimated")
        state.set_usage("other", 1, 1, 0.6, "estimated")
    return path


def test_a_conversation_counts_with_all_its_parts(chain: Path) -> None:
    store = open_store(chain)
    catalog = store.catalog()
    tip = next(s.key for s in everybody(chain) if s.id == "tip")
    (whole,) = store.sessions([catalog.folded(tip)], NOW)
    assert (whole.message_count, whole.input_tokens, whole.output_tokens) == (4, 150, 15)
    assert whole.cost_usd == pytest.approx(0.7)
    assert (whole.title, whole.started_at, whole.last_active) == ("zebra", T0, T0 + 51)


@pytest.mark.parametrize(
    ("sort", "folded", "single"),
    [
        (Sort.ACTIVE, ["plain", "tip", "other"], ["plain", "tip", "other", "root"]),
        (Sort.STARTED, ["plain", "other", "tip"], ["plain", "tip", "other", "root"]),
        (Sort.MESSAGES, ["tip", "other", "plain"], ["other", "root", "plain", "tip"]),
        (Sort.COST, ["tip", "other", "plain"], ["other", "root", "tip", "plain"]),
        (Sort.TITLE, ["other", "tip", "plain"], ["other", "root", "plain", "tip"]),
    ],
)
def test_an_order_is_over_conversations_or_over_single_sessions(
    chain: Path, sort: Sort, folded: list[str], single: list[str]
) -> None:
    store = open_store(chain)
    catalog = store.catalog()
    names = {session.key: session.id for session in everybody(chain)}
    listed, _ = catalog.select()
    values = values_of(store, sort)
    assert [names[key] for key in ordered(catalog, listed, sort, values)] == folded
    assert [names[key] for key in ordered(catalog, catalog.keys, sort, values, False)] == single


@pytest.mark.parametrize(
    ("status", "order"),
    [
        ("estimated", ["other", "root", "tip", "plain"]),
        ("unknown", ["other", "root", "plain", "tip"]),
        ("included", ["other", "root", "plain", "tip"]),
        (None, ["other", "root", "plain", "tip"]),
    ],
)
def test_a_zero_that_is_not_a_price_is_sorted_as_unknown(
    chain: Path, status: str | None, order: list[str]
) -> None:
    with altered(chain) as db:
        zero = "UPDATE sessions SET estimated_cost_usd = 0.0, cost_status = ? WHERE id = 'tip'"
        db.execute(zero, (status,))
    store = open_store(chain)
    catalog = store.catalog()
    names = {session.key: session.id for session in everybody(chain)}
    values = values_of(store, Sort.COST)
    assert [names[key] for key in ordered(catalog, catalog.keys, Sort.COST, values, False)] == order
