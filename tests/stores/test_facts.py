"""What a list is filtered by, and finding sessions by their ids, against plain SQL."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.stores.base import Facts
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.kinds import open_store
from tests.factories import NOW, altered, everybody, insert, keys, one_session, rows, talk
from tests.real_files import POWER_LOOP_FILES, unpack

FAR_MORE_THAN_A_BATCH = 1300


def _subset(facts: Facts, wanted: set[int]) -> Facts:
    return Facts(
        {key: model for key, model in facts.models.items() if key in wanted},
        {key: number for key, number in facts.messages.items() if key in wanted},
        facts.tools & wanted,
    )


def test_the_facts_of_hermes_are_the_columns_of_its_sessions(hermes_file: Path) -> None:
    facts = open_store(hermes_file).facts()
    stored = rows(hermes_file, "SELECT rowid, model, message_count, tool_call_count FROM sessions")
    assert facts.models == {key: model for key, model, _, _ in stored if model}
    assert facts.messages == {key: number for key, _, number, _ in stored}
    assert facts.tools == {key for key, _, _, calls in stored if calls}


@pytest.mark.parametrize("name", POWER_LOOP_FILES)
def test_the_facts_of_power_loop_are_counted_from_its_messages(name: str, tmp_path: Path) -> None:
    path = unpack(name, tmp_path)
    facts = open_store(path).facts()
    prefix = "" if rows(path, "SELECT 1 FROM sqlite_master WHERE name = 'sessions'") else "pl_"
    stored = rows(
        path,
        f"SELECT s.rowid, s.model, (SELECT count(*) FROM {prefix}messages m"
        f" WHERE m.session_id = s.session_id), EXISTS (SELECT 1 FROM {prefix}messages m"
        f" WHERE m.session_id = s.session_id AND m.role = 'tool') FROM {prefix}sessions s",
    )
    assert facts.models == {key: model for key, model, _, _ in stored if model}
    assert facts.messages == {key: number for key, _, number, _ in stored}
    assert facts.tools == {key for key, _, _, calls in stored if calls}


def test_the_facts_agree_with_what_the_rows_of_the_list_say(real_file: Path) -> None:
    facts = open_store(real_file).facts()
    sessions = everybody(real_file)
    assert len(sessions) > 40
    for session in sessions:
        assert facts.messages[session.key] == session.message_count
        assert facts.models.get(session.key) == session.model
        assert (session.key in facts.tools) == (session.tool_call_count > 0)


@pytest.mark.parametrize("step", [1, 3, 1000])
def test_the_facts_of_some_sessions_are_those_among_the_facts_of_all(
    real_file: Path, step: int
) -> None:
    store = open_store(real_file)
    wanted = list(store.catalog().keys)[::step]
    assert store.facts(wanted) == _subset(store.facts(), set(wanted))


def test_the_facts_of_nobody_are_none(real_file: Path) -> None:
    assert open_store(real_file).facts([]) == Facts({}, {}, frozenset())


def test_an_empty_name_is_no_model(tmp_path: Path) -> None:
    path = one_session(tmp_path / "state.db")
    with altered(path) as db:
        db.execute("UPDATE sessions SET model = ''")
    assert open_store(path).facts().models == {}


def test_any_number_of_sessions_can_be_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        for number in range(FAR_MORE_THAN_A_BATCH):
            state.create_session(f"s{number}", "cli", started_at=NOW, model=f"m{number % 7}")
    store = open_store(path)
    assert store.facts(list(store.catalog().keys)) == store.facts()
    assert len(store.facts().models) == FAR_MORE_THAN_A_BATCH
    ids = [f"s{number}" for number in range(FAR_MORE_THAN_A_BATCH)]
    assert len(store.keys_of(ids)) == FAR_MORE_THAN_A_BATCH


def test_every_session_is_found_by_its_id_and_nobody_by_another(real_file: Path) -> None:
    store = open_store(real_file)
    known = keys(store)
    assert store.keys_of(sorted(known)) == known
    first = min(known)
    assert store.keys_of([first, "nobody", first[:-1], f"{first} ", ""]) == {first: known[first]}
    assert store.keys_of([]) == {}


ODD_IDS = ("", " ", "a\0b", "\u202eevil", "it's", "%", "\U0001f469\u200d\U0001f4bb", "x" * 5000)


def test_odd_ids_are_found_exactly(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path):
        pass
    with altered(path) as db:
        known = {
            id_: insert(db, "sessions", id=id_, source="cli", started_at=NOW) for id_ in ODD_IDS
        }
    assert open_store(path).keys_of(ODD_IDS) == known


def test_an_id_that_no_file_can_hold_is_nobodys(real_file: Path) -> None:
    assert open_store(real_file).keys_of(["\ud800", "a\udcffb", "\ufffd"]) == {}


facts = st.builds(
    Facts,
    st.dictionaries(st.integers(1, 9), st.sampled_from(["opus", "haiku", "gpt"])),
    st.dictionaries(st.integers(1, 9), st.integers(0, 50)),
    st.frozensets(st.integers(1, 9)),
)


@given(facts, facts, st.sets(st.integers(1, 9)))
def test_renewed_facts_are_the_newer_ones_of_some_and_the_older_ones_of_all_others(
    older: Facts, anything: Facts, changed: set[int]
) -> None:
    newer = _subset(anything, changed)
    kept = set(range(1, 10)) - changed
    made = older.renewed(newer, changed)
    assert _subset(made, changed) == newer
    assert _subset(made, kept) == _subset(older, kept)


def test_facts_brought_up_to_date_are_those_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        for name in ("one", "two", "three"):
            talk(state, name, "hello", "Hi.")
    store = open_store(path)
    before, known = store.facts(), keys(store)
    with altered(path) as db:
        db.execute("UPDATE sessions SET message_count = 9, model = 'opus' WHERE id = 'two'")
        db.execute("UPDATE sessions SET tool_call_count = 1 WHERE id = 'one'")
        insert(db, "sessions", id="four", source="cli", started_at=NOW, message_count=4)
    changed = [known["one"], known["two"], keys(store)["four"]]
    after = store.facts()
    assert before != after
    assert before.renewed(store.facts(changed), changed) == after
