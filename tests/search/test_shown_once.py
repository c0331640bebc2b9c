"""A search gives what a transcript shows: copies once, what is for the model alone not at all."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from explorer.cancel import CancelToken
from explorer.search.engine import Request, holders
from explorer.search.hits import CompleteSearch
from explorer.search.language.query import parse
from explorer.search.matcher import Matcher
from explorer.stores.base import Needles
from explorer.stores.hermes.messages import BY_ORDER
from explorer.stores.kinds import open_store
from explorer.stores.sqlite.read_only import Reader, Values
from tests.factories import NOW, T0, altered, insert, keys, rows, say
from tests.newer_files import newer_file
from tests.search.noted import searched

HIDDEN = {"display_kind": "hidden"}
MODEL_ONLY = {"display_metadata": '{"model_only": true}'}


def _file(name: str, folder: Path) -> Path:
    path = newer_file(name, folder, "delete")
    with altered(path) as db:
        insert(db, "sessions", id="owls", source="cli", started_at=T0)
    return path


def _hits(path: Path, text: str, everything: bool = False) -> list[int]:
    store = open_store(path)
    hits = CompleteSearch(store, store.catalog(), text, NOW, everything).hits()
    return sorted(hit.message_id or 0 for hit in hits)


def _typed(path: Path, text: str) -> list[int]:
    store = open_store(path)
    return sorted(id_ for _, id_ in searched(store, store.catalog(), text)[1])


def _shown(path: Path) -> list[int]:
    store = open_store(path)
    return sorted(one.id for one in store.outlines(keys(store)["owls"]))


@pytest.mark.parametrize("name", ["hermes-v23", "hermes-v26", "hermes-v31", "hermes-v22-to-v31"])
def test_what_is_for_the_model_alone_is_found_only_when_all_is_asked_for(
    name: str, tmp_path: Path
) -> None:
    path = _file(name, tmp_path)
    with altered(path) as db:
        said = say(db, "owls", content="a wombowl")
        unseen = [say(db, "owls", content="a wombowl", **marks) for marks in (HIDDEN, MODEL_ONLY)]
        say(db, "owls", content="a wombowl", active=0)
    assert _hits(path, "wombowl") == _typed(path, "wombowl") == [said] == _shown(path)
    assert _hits(path, "wombowl", everything=True) == [said, *unseen, unseen[-1] + 1]


@pytest.mark.parametrize("name", ["hermes-v30", "hermes-v31", "hermes-v26-to-v31"])
def test_of_copies_the_one_that_is_shown_is_found(name: str, tmp_path: Path) -> None:
    path = _file(name, tmp_path)
    with altered(path) as db:
        first = say(db, "owls", content="a wombowl", active=0, compacted=1)
        live = say(db, "owls", content="a wombowl", display_order=first)
        say(db, "owls", content="a wombowl", active=0, compacted=1, display_order=first)
        older = say(db, "owls", content="another wombowl")
        newer = say(db, "owls", content="another wombowl", display_order=older)
        db.execute("UPDATE messages SET display_order = NULL WHERE session_id = 'owls'")
        assert len(_hits(path, "wombowl")) == 5, "as nobody has numbered them"
        for place, ids in ((first, (first, live, live + 1)), (older, (older, newer))):
            for id_ in ids:
                db.execute("UPDATE messages SET display_order = ? WHERE id = ?", (place, id_))
    assert _hits(path, "wombowl") == _typed(path, "wombowl") == [live, newer] == _shown(path)
    assert len(_hits(path, "wombowl", everything=True)) == 5


def test_a_copy_that_nobody_sees_hides_none_that_is_shown(tmp_path: Path) -> None:
    path = _file("hermes-v31", tmp_path)
    with altered(path) as db:
        said = say(db, "owls", content="a wombowl")
        say(db, "owls", content="a wombowl", display_order=said, **HIDDEN)
        say(db, "owls", content="a wombowl", display_order=said, active=0)
    assert _hits(path, "wombowl") == _typed(path, "wombowl") == [said] == _shown(path)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = _file("hermes-v31", tmp_path_factory.mktemp("owls"))
    with altered(path) as db:
        for (name,) in rows(path, "SELECT name FROM sqlite_master WHERE name LIKE '%display%'"):
            if str(name).startswith("messages_"):
                db.execute(f"DROP TRIGGER {name}")
    return path


marks = st.fixed_dictionaries(
    {
        "active": st.sampled_from([0, 1, 1]),
        "compacted": st.sampled_from([0, 0, 1]),
        "display_order": st.sampled_from([None, 1, 2]),
        "display_kind": st.sampled_from([None, None, "hidden", "model_switch"]),
        "display_metadata": st.sampled_from([None, None, '{"model_only": true}']),
    }
)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(messages=st.lists(marks, max_size=6))
def test_a_search_gives_what_is_shown(path: Path, messages: list[dict[str, object]]) -> None:
    with altered(path) as db:
        db.execute("DELETE FROM messages WHERE session_id = 'owls'")
        for told in messages:
            say(db, "owls", content="a wombowl", **told)
    assert _hits(path, "wombowl") == _typed(path, "wombowl") == _shown(path)
    assert len(_hits(path, "wombowl", everything=True)) == len(messages)


def test_what_nobody_sees_keeps_no_conversation_out_of_a_list(tmp_path: Path) -> None:
    """`NOT word` lists who never says it; a prune looks at everything."""
    path = _file("hermes-v31", tmp_path)
    with altered(path) as db:
        say(db, "owls", content="a wombowl", **HIDDEN)
    store = open_store(path)
    own = keys(store)["owls"]
    for rewound, held in ((False, frozenset[int]()), (True, frozenset({own}))):
        matcher = Matcher(parse("wombowl", NOW), NOW)
        request = Request(store, store.catalog(), matcher, NOW, rewound=rewound)
        assert holders(request, CancelToken()) == held


@pytest.mark.parametrize("name", ["hermes-v31", "hermes-v22-to-v31"])
def test_copies_are_found_by_the_agents_own_index(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = newer_file(name, tmp_path)
    asked: list[str] = []
    plain = Reader.rows

    def noted(self: Reader, sql: str, values: Values = ()) -> list[Any]:
        asked.append(sql)
        return plain(self, sql, values)

    monkeypatch.setattr(Reader, "rows", noted)
    store = open_store(path)
    store.scanned(Needles((("owl",),)), None)
    store.indexed(Needles((("owl",),)), 50)
    told = [sql for sql in asked if "NOT EXISTS" in sql]
    assert len(told) >= 2
    for sql in told:
        plan = rows(path, f"EXPLAIN QUERY PLAN {sql}", [""] * sql.count("?"))
        assert any(
            f"INDEX {BY_ORDER} (session_id=? AND display_order=?" in str(s) for *_, s in plan
        )
