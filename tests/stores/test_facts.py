"""What a list is filtered by, and finding sessions by their ids, against plain SQL."""

from pathlib import Path

import pytest

from explorer.search.filters import FILTERED
from explorer.stores.columns import MESSAGES, MODEL, TOOLS, Columns
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.kinds import open_store
from tests.factories import NOW, altered, everybody, insert, keys, one_session, rows, talk
from tests.real_files import POWER_LOOP_FILES, unpack

FAR_MORE_THAN_A_BATCH = 1300


def _facts(path: Path) -> Columns:
    return open_store(path).columns(FILTERED)


def test_the_facts_of_hermes_are_the_columns_of_its_sessions(hermes_file: Path) -> None:
    facts = _facts(hermes_file)
    stored = rows(hermes_file, "SELECT rowid, model, message_count, tool_call_count FROM sessions")
    assert facts[MODEL] == {key: model for key, model, _, _ in stored if model}
    assert facts[MESSAGES] == {key: number for key, _, number, _ in stored}
    assert facts[TOOLS].keys() == {key for key, _, _, calls in stored if calls}


@pytest.mark.parametrize("name", POWER_LOOP_FILES)
def test_the_facts_of_power_loop_are_counted_from_its_messages(name: str, tmp_path: Path) -> None:
    path = unpack(name, tmp_path)
    facts = _facts(path)
    prefix = "" if rows(path, "SELECT 1 FROM sqlite_master WHERE name = 'sessions'") else "pl_"
    stored = rows(
        path,
        f"SELECT s.rowid, s.model, (SELECT count(*) FROM {prefix}messages m"
        f" WHERE m.session_id = s.session_id), EXISTS (SELECT 1 FROM {prefix}messages m"
        f" WHERE m.session_id = s.session_id AND m.role = 'tool') FROM {prefix}sessions s",
    )
    assert facts[MODEL] == {key: model for key, model, _, _ in stored if model}
    assert facts[MESSAGES] == {key: number for key, _, number, _ in stored}
    assert facts[TOOLS].keys() == {key for key, _, _, calls in stored if calls}


def test_the_facts_agree_with_what_the_rows_of_the_list_say(real_file: Path) -> None:
    facts = _facts(real_file)
    sessions = everybody(real_file)
    assert len(sessions) > 40
    for session in sessions:
        assert facts[MESSAGES][session.key] == session.message_count
        assert facts[MODEL].get(session.key) == session.model
        assert (session.key in facts[TOOLS]) == (session.tool_call_count > 0)


def test_an_empty_name_is_no_model(tmp_path: Path) -> None:
    path = one_session(tmp_path / "state.db")
    with altered(path) as db:
        db.execute("UPDATE sessions SET model = ''")
    assert _facts(path)[MODEL] == {}


def test_any_number_of_sessions_can_be_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        for number in range(FAR_MORE_THAN_A_BATCH):
            state.create_session(f"s{number}", "cli", started_at=NOW, model=f"m{number % 7}")
    store = open_store(path)
    facts = store.columns(FILTERED)
    assert store.columns(FILTERED, list(store.catalog().keys)).known == facts.known
    assert len(facts[MODEL]) == FAR_MORE_THAN_A_BATCH
    ids = [f"s{number}" for number in range(FAR_MORE_THAN_A_BATCH)]
    assert len(store.keys_of(ids)) == FAR_MORE_THAN_A_BATCH


def test_every_session_is_found_by_its_id_and_none_by_another(real_file: Path) -> None:
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


def test_an_id_that_no_file_can_hold_is_not_found(real_file: Path) -> None:
    assert open_store(real_file).keys_of(["\ud800", "a\udcffb", "\ufffd"]) == {}


def test_facts_brought_up_to_date_are_those_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        for name in ("one", "two", "three"):
            talk(state, name, "hello", "Hi.")
    store = open_store(path)
    before, known = store.columns(FILTERED), keys(store)
    with altered(path) as db:
        db.execute("UPDATE sessions SET message_count = 9, model = 'opus' WHERE id = 'two'")
        db.execute("UPDATE sessions SET tool_call_count = 1 WHERE id = 'one'")
        insert(db, "sessions", id="four", source="cli", started_at=NOW, message_count=4)
    changed = [known["one"], known["two"], keys(store)["four"]]
    after = store.columns(FILTERED)
    assert before.known != after.known
    assert before.renewed(store.columns(FILTERED, changed), changed).known == after.known
