"""What is asked of many sessions at once, against plain SQL and against the rows of the list."""

from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.stores import columns as every
from explorer.stores.columns import (
    COST,
    ENDED,
    ID,
    LEASE,
    MESSAGES,
    MODEL,
    OWNER,
    SOURCE,
    STARTED,
    TITLE,
    TOKENS,
    TOOLS,
    WORKSPACE,
    Column,
    Columns,
    Recipe,
    made,
)
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.kinds import open_store
from explorer.stores.sqlite.read_only import Reader, Values
from tests.factories import NOW, T0, altered, everybody, insert, keys, one_session, rows, talk
from tests.real_files import POWER_LOOP_FILES, unpack

EVERY = [column for column in vars(every).values() if isinstance(column, Column)]
STORED = {ID: "id", TITLE: "title", SOURCE: "source", WORKSPACE: "cwd"}


def _columns(path: Path) -> set[object]:
    return {name for _, name, *_ in rows(path, "PRAGMA table_info(sessions)")}


def _stored(path: Path, column: str) -> dict[object, object]:
    """A column by key, as plain SQL gives it; nothing where there is no such column."""
    if column not in _columns(path):
        return {}
    return dict(rows(path, f"SELECT rowid, {column} FROM sessions"))  # type: ignore[arg-type]


def _only(columns: Columns, wanted: set[int]) -> dict[Column[Any], dict[int, Any]]:
    return {
        column: {key: value for key, value in found.items() if key in wanted}
        for column, found in columns.known.items()
    }


@pytest.mark.parametrize("column", STORED, ids=str)
def test_the_texts_of_hermes_are_its_columns(hermes_file: Path, column: Column[str]) -> None:
    columns = open_store(hermes_file).columns(EVERY)
    stored = _stored(hermes_file, STORED[column])
    assert columns[column] == {key: cell for key, cell in stored.items() if cell}


def test_every_session_of_hermes_has_its_id_and_some_a_title(hermes_file: Path) -> None:
    columns = open_store(hermes_file).columns(EVERY)
    assert len(columns[ID]) >= 60
    assert bool(columns[TITLE]) == ("title" in _columns(hermes_file))


def test_the_figures_of_hermes_are_sums_of_its_columns(hermes_file: Path) -> None:
    columns = open_store(hermes_file).columns(EVERY)
    stored = rows(hermes_file, "SELECT rowid, input_tokens + output_tokens FROM sessions")
    assert columns[TOKENS] == dict(stored)  # type: ignore[arg-type]
    if "cost_status" in _columns(hermes_file):
        priced = rows(
            hermes_file,
            "SELECT rowid, coalesce(actual_cost_usd, estimated_cost_usd) FROM sessions"
            " WHERE coalesce(actual_cost_usd, estimated_cost_usd) > 0"
            " OR cost_status IN ('actual', 'estimated')",
        )
        assert columns[COST] == {key: cost for key, cost in priced if cost is not None}
    else:
        assert columns[COST] == {}


def test_ended_sessions_are_in_the_columns_of_hermes(hermes_file: Path) -> None:
    stored = rows(hermes_file, "SELECT rowid FROM sessions WHERE ended_at IS NOT NULL")
    assert stored
    assert open_store(hermes_file).columns({ENDED})[ENDED].keys() == {key for (key,) in stored}


@pytest.mark.parametrize("name", POWER_LOOP_FILES)
def test_the_columns_of_power_loop_are_in_its_tables(name: str, tmp_path: Path) -> None:
    path = unpack(name, tmp_path)
    prefix = "" if name.endswith("0.2.0") else "pl_"
    columns = open_store(path).columns(EVERY)
    assert columns[ID] == dict(rows(path, f"SELECT rowid, session_id FROM {prefix}sessions"))  # type: ignore[arg-type]
    titled = rows(
        path,
        f"SELECT rowid, json_extract(metadata_json, '$.title') FROM {prefix}sessions"
        " WHERE json_extract(metadata_json, '$.title') IS NOT NULL",
    )
    assert titled
    assert columns[TITLE] == dict(titled)  # type: ignore[arg-type]
    table = "usage_rounds" if not prefix else "pl_session_stats"
    used = rows(
        path,
        f"SELECT s.rowid, sum(t.prompt_tokens) + sum(t.completion_tokens) FROM {table} t"
        f" JOIN {prefix}sessions s USING (session_id) GROUP BY s.rowid",
    )
    assert used
    assert {key: columns[TOKENS][key] for key, _ in used} == dict(used)  # type: ignore[index, arg-type]
    assert (columns[WORKSPACE], columns[COST], columns[ENDED]) == ({}, {}, {})


def test_columns_agree_with_what_the_rows_of_the_list_say(real_file: Path) -> None:
    columns = open_store(real_file).columns(EVERY)
    sessions = everybody(real_file)
    assert len(sessions) > 40
    for session in sessions:
        known = [n for n in (session.input_tokens, session.output_tokens) if n is not None]
        assert columns[ID][session.key] == session.id
        assert columns[TITLE].get(session.key) == session.title
        assert columns[WORKSPACE].get(session.key) == session.workspace
        assert columns[COST].get(session.key) == session.cost_usd
        assert columns[TOKENS].get(session.key) == (sum(known) if known else None)
        assert (session.key in columns[ENDED]) == (session.ended_at is not None)
        assert columns[SOURCE][session.key] == session.source
        assert columns[STARTED][session.key] == session.started_at
        assert columns[MESSAGES][session.key] == session.message_count
        assert columns[TOOLS].get(session.key, 0) == session.tool_call_count


@pytest.mark.parametrize("number", [0, 1, 2])
def test_only_what_is_asked_for_is_read(real_file: Path, number: int) -> None:
    store = open_store(real_file)
    everything = store.columns(EVERY)
    for asked in combinations(EVERY, number):
        found = store.columns(asked)
        assert found.known.keys() <= set(asked)
        assert all(found[column] == everything[column] for column in asked)


@pytest.mark.parametrize("step", [1, 3, 1000])
def test_the_columns_of_some_sessions_are_those_among_the_columns_of_all(
    real_file: Path, step: int
) -> None:
    store = open_store(real_file)
    wanted = list(store.catalog().keys)[::step]
    assert store.columns(EVERY, wanted).known == _only(store.columns(EVERY), set(wanted))
    assert not any(store.columns(EVERY, []).known.values())


@pytest.mark.parametrize(
    ("column", "index"),
    [
        (ID, "sqlite_autoindex_sessions_1"),
        (TITLE, "idx_sessions_title_unique"),
        (STARTED, "idx_sessions_started"),
    ],
    ids=str,
)
def test_ids_titles_and_starts_alone_come_from_their_indices(
    column: Column[object], index: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = unpack("hermes-v22", tmp_path)
    plain, asked = Reader.rows, []

    def noted(self: Reader, sql: str, values: Values = ()) -> list[object]:
        asked.append(sql)
        return plain(self, sql, values)

    monkeypatch.setattr(Reader, "rows", noted)
    assert open_store(path).columns({column})[column]
    (sql,) = asked
    ((*_, step),) = rows(path, f"EXPLAIN QUERY PLAN {sql}")
    assert f"USING COVERING INDEX {index}" in str(step)


def test_a_lease_holds_its_session_until_it_expires(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        for name in ("one", "two", "three"):
            talk(state, name, "hello")
    with altered(path) as db:
        db.execute("CREATE TABLE session_turn_leases (conversation_id, session_id, expires_at)")
        insert(db, "session_turn_leases", conversation_id="one", session_id="two", expires_at=T0)
        insert(
            db,
            "compression_locks",
            session_id="one",
            holder="x",
            acquired_at=T0,
            expires_at=T0 + 5,
        )
        insert(db, "session_turn_leases", conversation_id="gone", expires_at=T0)
    store = open_store(path)
    known = keys(store)
    assert store.columns({LEASE})[LEASE] == {known["one"]: T0 + 5, known["two"]: T0}
    assert store.columns({LEASE}, [known["two"]])[LEASE] == {known["two"]: T0}


def test_a_lease_of_power_loop_holds_its_session(tmp_path: Path) -> None:
    path = unpack("power-loop-8.0.0", tmp_path)
    session = everybody(path)[0]
    with altered(path) as db:
        db.execute("DELETE FROM pl_session_leases")
        columns = [row[1] for row in db.execute("PRAGMA table_info(pl_session_leases)")]
        values = {"session_id": session.id, "expires_at": int(NOW * 1000)}
        insert(db, "pl_session_leases", **{name: values.get(name, 1) for name in columns})
    assert open_store(path).columns({LEASE})[LEASE] == {session.key: NOW}


@pytest.mark.parametrize("cell", [b"\xff\xfe", "", "x\0y", 7, None])
def test_cells_of_any_kind_are_text_or_missing(tmp_path: Path, cell: object) -> None:
    path = one_session(tmp_path / "state.db")
    with altered(path) as db:
        db.execute("UPDATE sessions SET title = ?, cwd = ?", (cell, cell))
    columns = open_store(path).columns({TITLE, WORKSPACE})
    (session,) = everybody(path)
    expected = {} if not session.title else {session.key: session.title}
    assert columns[TITLE] == columns[WORKSPACE] == expected


_texts = st.dictionaries(st.integers(1, 9), st.sampled_from("abc"))
_figures = st.dictionaries(st.integers(1, 9), st.floats(0, 9))
few_columns = st.builds(
    lambda ids, titles, costs, ends: Columns({ID: ids, TITLE: titles, COST: costs, ENDED: ends}),
    *(_texts, _texts, _figures, _figures),
)


@given(few_columns, few_columns, st.sets(st.integers(1, 9)))
def test_renewed_columns_are_the_newer_ones_of_some_and_the_older_ones_of_all_others(
    older: Columns, anything: Columns, changed: set[int]
) -> None:
    newer = Columns(_only(anything, changed))
    kept = set(range(1, 10)) - changed
    made = older.renewed(newer, changed)
    assert _only(made, changed) == newer.known
    assert _only(made, kept) == _only(older, kept)


def test_names_that_repeat_are_told_apart_by_their_kind() -> None:
    recipes = {MODEL: Recipe(("a",), str, repeats=True), OWNER: Recipe(("b", "c"), _both, True)}
    rows = [(1, "1", "x", None), (2, 1, "x", None), (3, 1.0, "x", 1), (4, 1, "x", 1.0)]
    found = made(recipes, rows)
    assert found[MODEL] == {1: "1", 2: "1", 3: "1.0", 4: "1"}
    assert found[OWNER] == {1: "x None", 2: "x None", 3: "x 1", 4: "x 1.0"}
    lonely = [(1, "1", None, "x"), (2, "1", None, None), (3, "1", None, 1), (4, "1", None, 1.0)]
    found = made(recipes, lonely)
    assert found[OWNER] == {1: "None x", 2: "None None", 3: "None 1", 4: "None 1.0"}


def _both(one: object, other: object) -> str:
    return f"{one} {other}"
