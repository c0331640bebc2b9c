"""A word is found composed and taken apart alike: in every schema, at every place, in both
directions; and what is lit is what is stored."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from unicodedata import normalize

import pytest

from explorer.cancel import CancelToken
from explorer.model import Hit
from explorer.search.hits import CompleteSearch
from explorer.search.language.query import parse
from explorer.search.matcher import Matcher, needles
from explorer.search.prune_rules import Rules, choose, ground, holding
from explorer.stores.base import Store
from explorer.stores.columns import ID
from explorer.stores.kinds import open_store
from explorer.stores.sqlite.spelling import may_hold
from tests.conftest import Command
from tests.factories import NOW, T0, altered, insert, one_session, rows, say
from tests.newer_files import NEWER_FILES, newer_file
from tests.real_files import HERMES_FILES, POWER_LOOP_FILES, unpack
from tests.search.noted import searched

Form = Literal["NFC", "NFD"]
FORMS: tuple[Form, ...] = ("NFC", "NFD")
WORDS = (
    *("Xcafé", "Việtzq", "zqtiếng", "한국어zq", "zq검색을", "がぎぐzq", "Ångströmzq", "ёлкаzq"),
    *("İstanbulzq", "Άθήναzq", "naïve résuméx"),
)


@dataclass(frozen=True, repr=False)
class Planted:
    """A file with every word in both forms, at every place that its schema has."""

    store: Store
    messages: dict[int, tuple[str, str]]
    """(place, word) of each message."""
    titled: bool

    def hits(self, typed: str) -> list[Hit]:
        whole = CompleteSearch(self.store, self.store.catalog(), typed, NOW)
        found = list(whole.hits())
        assert whole.complete
        return found

    def expected(self, word: str) -> list[tuple[str, str]]:
        """Where a word is, by place; once in each form."""
        places = [place for place in self.messages.values() if place[1] == word]
        return sorted(places + [("title", word)] * (2 if self.titled else 0))

    def found(self, typed: str) -> list[tuple[str, str]]:
        """The places of all hits; a title is told by its word."""
        words = {normalize("NFC", word): word for word in WORDS}
        return sorted(
            ("title", words[normalize("NFC", hit.title or "")])
            if hit.field == "title"
            else self.messages[hit.message_id or 0]
            for hit in self.hits(typed)
        )


@pytest.fixture(scope="module", params=(*HERMES_FILES, *NEWER_FILES))
def planted(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Planted:
    folder = tmp_path_factory.mktemp("composed")
    name = request.param
    path = newer_file(name, folder) if name in NEWER_FILES else unpack(name, folder)
    messages: dict[int, tuple[str, str]] = {}
    with altered(path) as db:
        known, columns = (
            {row[1] for row in db.execute(f"PRAGMA table_info({table})")}
            for table in ("sessions", "messages")
        )
        titled = "title" in known
        for form in FORMS:
            for word in WORDS:
                stored = normalize(form, word)
                id_ = f"{form}-{WORDS.index(word)}"
                cells = {"id": id_, "source": "cli", "started_at": T0}
                insert(db, "sessions", **cells, **({"title": stored} if titled else {}))
                for place, told in _cells(stored).items():
                    if told.keys() <= columns:
                        messages[say(db, id_, **told)] = place, word
    return Planted(open_store(path), messages, titled)


def _cells(word: str) -> dict[str, dict[str, object]]:
    call = {"name": "terminal", "arguments": json.dumps({"command": f"echo {word}"})}
    return {
        "content": {"content": f"I said {word}."},
        "tool_calls": {
            "role": "assistant",
            "content": "",
            "tool_calls": json.dumps([{"id": "c", "type": "function", "function": call}]),
        },
        "result": {
            "role": "tool",
            "content": json.dumps({"output": f"a\n{word}"}, ensure_ascii=False),
        },
        "reasoning": {"role": "assistant", "content": "Yes.", "reasoning": f"perhaps {word}"},
    }


def test_every_pair_is_found(planted: Planted) -> None:
    """Whatever form is typed and whatever form is stored, at every place."""
    pairs = 0
    for word in WORDS:
        for form in FORMS:
            typed = f'"{normalize(form, word)}"'
            assert planted.found(typed) == planted.expected(word), typed
            pairs += len(planted.expected(word))
    assert pairs >= 32


def test_the_search_tables_know_both_forms(planted: Planted) -> None:
    """What is listed at once, before all messages have been read."""
    for word in WORDS:
        for form in FORMS:
            query = parse(f'"{normalize(form, word)}"', NOW)
            first = planted.store.indexed(needles(query, rewound=False), 100)
            told = [planted.messages.get(one.message_id) for one in first.found]
            assert told.count(("content", word)) == 2, (first.table, query.text)
            assert not first.trouble


def test_a_search_while_typing_finds_the_same(planted: Planted) -> None:
    catalog = planted.store.catalog()
    for word in WORDS[::4]:
        for form in FORMS:
            typed = f'"{normalize(form, word)}"'
            _, found = searched(planted.store, catalog, typed, now=NOW)
            places = sorted(planted.messages[id_] for _, id_ in found)
            assert places == [one for one in planted.expected(word) if one[0] != "title"]


def test_beginnings_capitals_and_what_is_left_out_go_either_way(planted: Planted) -> None:
    for form in FORMS:
        start = normalize(form, "한국어z")
        assert planted.found(f"{start}*") == planted.expected("한국어zq")
        assert planted.found(normalize(form, "XCAFÉ")) == planted.expected("Xcafé")
        left = planted.found(f"said NOT {normalize(form, 'café')} NOT {normalize(form, 'ёлка')}")
        assert {word for _, word in left if word in WORDS} == {*WORDS} - {"Xcafé", "ёлкаzq"}
        either = f"{normalize(form, 'xcafé')} OR {normalize(form, 'việtzq')}"
        both = planted.expected("Xcafé") + planted.expected("Việtzq")
        assert planted.found(either) == sorted(both)


def test_what_is_lit_is_the_word_as_it_is_stored(planted: Planted) -> None:
    for word in WORDS:
        for form in FORMS:
            for hit in planted.hits(f'"{normalize(form, word)}"'):
                (begin, end), *_ = hit.marks
                lit = hit.snippet[begin:end]
                assert normalize("NFC", lit) == normalize("NFC", word)
                stored: Form = "NFC" if hit.session_id.startswith("NFC") else "NFD"
                assert lit == normalize(stored, word)


def test_fields_of_titles_go_either_way(planted: Planted) -> None:
    if not planted.titled:
        pytest.skip("no titles")
    for form in FORMS:
        hits = planted.hits(f"title:{normalize(form, 'ångströmzq')}")
        assert {hit.session_id for hit in hits} == {"NFC-6", "NFD-6"}


@pytest.mark.parametrize("name", POWER_LOOP_FILES)
def test_power_loop_goes_either_way(name: str, tmp_path: Path) -> None:
    path = unpack(name, tmp_path)
    with altered(path) as db:
        (table,) = next(
            row
            for row in db.execute("SELECT name FROM sqlite_master WHERE name LIKE '%messages'")
            if "project" not in row[0]
        )
        said = db.execute(f"SELECT rowid FROM {table} WHERE role = 'user' LIMIT 2").fetchall()
        for (row,), form in zip(said, FORMS, strict=True):
            values = normalize(form, "x한국어"), row
            db.execute(f"UPDATE {table} SET content = ? WHERE rowid = ?", values)
    store = open_store(path)
    for form in FORMS:
        whole = CompleteSearch(
            store, store.catalog(), normalize(form, "x한국어"), NOW, everything=True
        )
        assert len(list(whole.hits())) == 2


def test_a_prune_goes_either_way(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    one_session(path, "plain")
    with altered(path) as db:
        for form in FORMS:
            insert(db, "sessions", id=form, source="cli", started_at=T0, ended_at=T0 + 9)
            say(db, form, content=normalize(form, "le café"))
        db.execute("UPDATE sessions SET ended_at = 1 WHERE id = 's'")
    store = open_store(path)
    known = ground(store, store.catalog(), frozenset())
    for form in FORMS:
        for query, taken in (("café", set(FORMS)), ("NOT café before:1d", {"s"})):
            rules = Rules(query=normalize(form, query))
            chosen = choose(known, rules, holding(known, rules.query, NOW, CancelToken()), NOW)
            ids = store.columns({ID}, list(chosen.rows))[ID]
            assert set(ids.values()) == taken, query


def test_a_prefix_begins_a_word_also_behind_an_accent(tmp_path: Path) -> None:
    path = one_session(tmp_path / "state.db", *(normalize(form, "cafés") for form in FORMS))
    store = open_store(path)
    assert not list(CompleteSearch(store, store.catalog(), "s*", NOW).hits())
    assert len(list(CompleteSearch(store, store.catalog(), "caf*", NOW).hits())) == 2


def test_the_command_line_goes_either_way(tmp_path: Path, command: Command) -> None:
    path = one_session(tmp_path / "state.db", *(normalize(form, "un café noir") for form in FORMS))
    for form in FORMS:
        found = command("search", normalize(form, "café"), "--json", "--db", path).json
        assert found["total"] == 2
        lit = [hit["snippet"][slice(*hit["marks"][0])] for hit in found["hits"]]
        assert sorted(lit) == sorted(normalize(other, "café") for other in FORMS)


def test_what_hermes_stored_apart_is_found_by_both(born_hermes: Path, command: Command) -> None:
    said = rows(born_hermes, "SELECT id, content FROM messages")
    stored = {id_ for id_, text in said if "café" in normalize("NFC", str(text))}
    assert len(stored) == 32
    assert not any("café" in str(text) for _, text in said), "none of them is composed"
    for form in FORMS:
        typed = normalize(form, "café")
        found = command("search", typed, "--all", "--limit", "0", "--json", "--db", born_hermes)
        assert {hit["message_id"] for hit in found.json["hits"]} == stored


def test_several_words_are_lit_without_overlaps() -> None:
    matcher = Matcher(parse("cafe\u0301 é", 0.0))
    text = "un café, deux cafe\u0301s"
    assert [text[begin:end] for begin, end in matcher.spans(text)] == ["café", "cafe\u0301"]


def test_plain_words_cost_what_they_did() -> None:
    """The SQL for words of ASCII is not made longer by letters that they do not have."""
    sql, values = may_hold(["m.content"], [("docker",), ("a", "50%")])
    cell = "instr(lower(coalesce(CAST(m.content AS BLOB), '')), ?)"
    assert sql == f"1 AND ({cell}) AND ({cell} OR {cell})"
    assert values == ["docker", "a", "50%"]
