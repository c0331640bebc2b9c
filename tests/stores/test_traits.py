"""What a search asks of every session, against plain SQL and against the rows of the list."""

from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.kinds import open_store
from explorer.stores.sqlite.read_only import Reader, Values
from explorer.stores.traits import Trait, Traits
from tests.factories import NOW, T0, altered, everybody, insert, keys, one_session, rows, talk
from tests.real_files import POWER_LOOP_FILES, unpack

T = TypeVar("T")

COLUMN_OF = {"ids": "id", "titles": "title", "workspaces": "cwd"}


def _columns(path: Path) -> set[object]:
    return {name for _, name, *_ in rows(path, "PRAGMA table_info(sessions)")}


def _stored(path: Path, column: str) -> dict[object, object]:
    """A column by key, as plain SQL gives it; nothing where there is no such column."""
    if column not in _columns(path):
        return {}
    return dict(rows(path, f"SELECT rowid, {column} FROM sessions"))  # type: ignore[arg-type]


def _only(traits: Traits, wanted: set[int]) -> Traits:
    def some(found: Mapping[int, T]) -> dict[int, T]:
        return {key: value for key, value in found.items() if key in wanted}

    return Traits(
        some(traits.ids),
        some(traits.titles),
        some(traits.workspaces),
        some(traits.costs),
        some(traits.tokens),
        traits.ended & wanted,
        some(traits.held),
        some(traits.read_at),
    )


@pytest.mark.parametrize("name", COLUMN_OF)
def test_the_texts_of_hermes_are_its_columns(hermes_file: Path, name: str) -> None:
    traits = open_store(hermes_file).traits(set(Trait))
    stored = _stored(hermes_file, COLUMN_OF[name])
    assert getattr(traits, name) == {key: cell for key, cell in stored.items() if cell}


def test_every_session_of_hermes_has_its_id_and_some_a_title(hermes_file: Path) -> None:
    traits = open_store(hermes_file).traits(set(Trait))
    assert len(traits.ids) >= 60
    assert bool(traits.titles) == ("title" in _columns(hermes_file))


def test_the_figures_of_hermes_are_sums_of_its_columns(hermes_file: Path) -> None:
    traits = open_store(hermes_file).traits(set(Trait))
    stored = rows(hermes_file, "SELECT rowid, input_tokens + output_tokens FROM sessions")
    assert traits.tokens == dict(stored)  # type: ignore[arg-type]
    if "cost_status" in _columns(hermes_file):
        priced = rows(
            hermes_file,
            "SELECT rowid, coalesce(actual_cost_usd, estimated_cost_usd) FROM sessions"
            " WHERE coalesce(actual_cost_usd, estimated_cost_usd) > 0"
            " OR cost_status IN ('actual', 'estimated')",
        )
        assert traits.costs == {key: cost for key, cost in priced if cost is not None}
    else:
        assert traits.costs == {}


def test_who_has_ended_is_in_the_columns_of_hermes(hermes_file: Path) -> None:
    stored = rows(hermes_file, "SELECT rowid FROM sessions WHERE ended_at IS NOT NULL")
    assert stored
    assert open_store(hermes_file).traits({Trait.STATE}).ended == {key for (key,) in stored}


@pytest.mark.parametrize("name", POWER_LOOP_FILES)
def test_the_traits_of_power_loop_are_in_its_tables(name: str, tmp_path: Path) -> None:
    path = unpack(name, tmp_path)
    prefix = "" if name.endswith("0.2.0") else "pl_"
    traits = open_store(path).traits(set(Trait))
    assert traits.ids == dict(rows(path, f"SELECT rowid, session_id FROM {prefix}sessions"))  # type: ignore[arg-type]
    titled = rows(
        path,
        f"SELECT rowid, json_extract(metadata_json, '$.title') FROM {prefix}sessions"
        " WHERE json_extract(metadata_json, '$.title') IS NOT NULL",
    )
    assert titled
    assert traits.titles == dict(titled)  # type: ignore[arg-type]
    table = "usage_rounds" if not prefix else "pl_session_stats"
    used = rows(
        path,
        f"SELECT s.rowid, sum(t.prompt_tokens) + sum(t.completion_tokens) FROM {table} t"
        f" JOIN {prefix}sessions s USING (session_id) GROUP BY s.rowid",
    )
    assert used
    assert {key: traits.tokens[key] for key, _ in used} == dict(used)  # type: ignore[index, arg-type]
    assert (traits.workspaces, traits.costs, traits.ended) == ({}, {}, frozenset())


def test_traits_agree_with_what_the_rows_of_the_list_say(real_file: Path) -> None:
    traits = open_store(real_file).traits(set(Trait))
    sessions = everybody(real_file)
    assert len(sessions) > 40
    for session in sessions:
        known = [n for n in (session.input_tokens, session.output_tokens) if n is not None]
        assert traits.ids[session.key] == session.id
        assert traits.titles.get(session.key) == session.title
        assert traits.workspaces.get(session.key) == session.workspace
        assert traits.costs.get(session.key) == session.cost_usd
        assert traits.tokens.get(session.key) == (sum(known) if known else None)
        assert (session.key in traits.ended) == (session.ended_at is not None)


@pytest.mark.parametrize("number", [0, 1, 2])
def test_only_what_is_asked_for_is_read(real_file: Path, number: int) -> None:
    store = open_store(real_file)
    everything = store.traits(set(Trait))
    fields = {
        Trait.ID: ("ids",),
        Trait.TITLE: ("titles",),
        Trait.WORKSPACE: ("workspaces",),
        Trait.COST: ("costs",),
        Trait.TOKENS: ("tokens",),
        Trait.STATE: ("ended", "held"),
        Trait.READ: ("read_at",),
    }
    for asked in combinations(Trait, number):
        wanted = {name for trait in asked for name in fields[trait]}
        kept = {name: getattr(everything, name) for name in wanted}
        assert store.traits(asked) == Traits()._replace(**kept)


@pytest.mark.parametrize("step", [1, 3, 1000])
def test_the_traits_of_some_sessions_are_those_among_the_traits_of_all(
    real_file: Path, step: int
) -> None:
    store = open_store(real_file)
    wanted = list(store.catalog().keys)[::step]
    everything = store.traits(set(Trait))
    assert store.traits(set(Trait), wanted) == _only(everything, set(wanted))
    assert store.traits(set(Trait), []) == Traits()


@pytest.mark.parametrize(
    ("trait", "index"),
    [(Trait.ID, "sqlite_autoindex_sessions_1"), (Trait.TITLE, "idx_sessions_title_unique")],
)
def test_ids_alone_and_titles_alone_come_from_their_indices(
    trait: Trait, index: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = unpack("hermes-v22", tmp_path)
    plain, asked = Reader.rows, []

    def noted(self: Reader, sql: str, values: Values = ()) -> list[object]:
        asked.append(sql)
        return plain(self, sql, values)

    monkeypatch.setattr(Reader, "rows", noted)
    assert open_store(path).traits({trait}) != Traits()
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
    assert store.traits({Trait.STATE}).held == {known["one"]: T0 + 5, known["two"]: T0}
    assert store.traits({Trait.STATE}, [known["two"]]).held == {known["two"]: T0}


def test_a_lease_of_power_loop_holds_its_session(tmp_path: Path) -> None:
    path = unpack("power-loop-8.0.0", tmp_path)
    session = everybody(path)[0]
    with altered(path) as db:
        db.execute("DELETE FROM pl_session_leases")
        columns = [row[1] for row in db.execute("PRAGMA table_info(pl_session_leases)")]
        values = {"session_id": session.id, "expires_at": int(NOW * 1000)}
        insert(db, "pl_session_leases", **{name: values.get(name, 1) for name in columns})
    assert open_store(path).traits({Trait.STATE}).held == {session.key: NOW}


@pytest.mark.parametrize("cell", [b"\xff\xfe", "", "x\0y", 7, None])
def test_cells_of_any_kind_are_text_or_missing(tmp_path: Path, cell: object) -> None:
    path = one_session(tmp_path / "state.db")
    with altered(path) as db:
        db.execute("UPDATE sessions SET title = ?, cwd = ?", (cell, cell))
    traits = open_store(path).traits({Trait.TITLE, Trait.WORKSPACE})
    (session,) = everybody(path)
    expected = {} if not session.title else {session.key: session.title}
    assert traits.titles == traits.workspaces == expected


traits_of_few = st.builds(
    Traits,
    *[st.dictionaries(st.integers(1, 9), st.sampled_from("abc"))] * 3,
    *[st.dictionaries(st.integers(1, 9), st.floats(0, 9))] * 2,
    st.frozensets(st.integers(1, 9)),
    st.dictionaries(st.integers(1, 9), st.floats(0, 9)),
)


@given(traits_of_few, traits_of_few, st.sets(st.integers(1, 9)))
def test_renewed_traits_are_the_newer_ones_of_some_and_the_older_ones_of_all_others(
    older: Traits, anything: Traits, changed: set[int]
) -> None:
    newer = _only(anything, changed)
    kept = set(range(1, 10)) - changed
    made = older.renewed(newer, changed)
    assert _only(made, changed) == newer
    assert _only(made, kept) == _only(older, kept)
