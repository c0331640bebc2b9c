"""A table of queries, each on every real schema: what must be found, and nothing else."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from explorer.model import Hidden
from explorer.search import engine
from explorer.search.engine import SearchResult
from explorer.search.hits import CompleteSearch
from explorer.search.language.query import parse
from explorer.search.matcher import needles
from explorer.stores.base import Store
from explorer.stores.catalog import Catalog
from explorer.stores.kinds import open_store
from tests.factories import rows
from tests.newer_files import NEWER_FILES, newer_file
from tests.real_files import HERMES_FILES, POWER_LOOP_FILES, unpack
from tests.search.noted import searched
from tests.search.plain_scan import Scanned, scan
from tests.search.planted import DAY, PLANTED_AT, plant
from tests.search.queries import ALONE, LANGUAGES, LITERAL, PUNCTUATION, SPOKEN, WORDS

NOW = PLANTED_AT + 2 * DAY


@dataclass(frozen=True, repr=False)
class Planted:
    """A real file with planted messages, and all of it read."""

    store: Store
    catalog: Catalog
    names: dict[int, str]
    columns: frozenset[str]
    scanned: Scanned

    def found(self, text: str) -> set[tuple[int, int]]:
        """(session, message) of what a search lists; titles are another matter."""
        whole = CompleteSearch(self.store, self.catalog, text, NOW)
        hits = [hit for hit in whole.hits() if hit.message_id is not None]
        assert whole.complete
        assert whole.total >= len(hits)
        return {(hit.session_key or 0, hit.message_id or 0) for hit in hits}

    def typed(self, text: str) -> set[tuple[int, int]]:
        """The same of a search while typing, which asks the search tables first."""
        result, found = searched(self.store, self.catalog, text, now=NOW, hide=True)
        assert result.complete
        assert result.total == len(found)
        return found

    def named(self, places: set[tuple[int, int]]) -> set[str]:
        return {self.names[id_] for _, id_ in places if id_ in self.names}

    def there(self, names: str) -> set[str]:
        """Those of these messages that this schema could hold."""
        return set(names.split()) & set(self.names.values())


@pytest.fixture(scope="module", params=HERMES_FILES)
def planted(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Planted:
    return _planted(unpack(request.param, tmp_path_factory.mktemp("planted")))


@pytest.fixture(scope="module", params=NEWER_FILES)
def newer(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Planted:
    return _planted(newer_file(request.param, tmp_path_factory.mktemp("newer")))


def _planted(path: Path) -> Planted:
    names = plant(path)
    store = open_store(path)
    columns = {str(row[0]) for row in rows(path, "SELECT name FROM pragma_table_info('sessions')")}
    return Planted(store, store.catalog(), names, frozenset(columns), scan(store))


def words(text: str) -> list[str]:
    """What a plain scan looks for: a phrase, or words."""
    quoted = len(text) > 1 and text.startswith('"') and text.endswith('"')
    return [text[1:-1]] if quoted else text.split()


def listed(planted: Planted, places: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """Those that a search gives, and does not only count."""
    hidden = {"cron", "tool", "kanban", "oneshot"}
    catalog = planted.catalog
    return {
        (key, id_)
        for key, id_ in places
        if catalog.source(tip := catalog.chain(key)[-1]) not in hidden
        and catalog.kind(tip).value != "subagent"
        and catalog.hidden_as(tip) is not Hidden.HIDDEN
    }


def test_the_table_is_long_enough() -> None:
    assert len({text for text, *_ in (*LITERAL, *SPOKEN)}) >= 150


@pytest.mark.parametrize(("text", "names"), LITERAL, ids=[text for text, _ in LITERAL])
def test_words_find_what_a_plain_scan_finds(planted: Planted, text: str, names: str) -> None:
    found = planted.typed(text)
    assert found == listed(planted, planted.scanned.holding(words(text)))
    if names != "?":
        assert planted.named(found) == planted.there(names)


@pytest.mark.parametrize(("text", "names", "needs"), SPOKEN, ids=[text for text, *_ in SPOKEN])
def test_the_language_finds_what_it_says(
    planted: Planted, text: str, names: str, needs: str
) -> None:
    if needs and needs not in planted.columns:
        pytest.skip(f"no column {needs}")
    assert planted.named(planted.found(text)) == planted.there(names)


@pytest.fixture
def _without_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is painted here, so that nothing is waited for."""
    monkeypatch.setattr(engine, "REST", 0.0)


@pytest.mark.usefixtures("_without_rests")
def test_newer_schemas_find_what_a_plain_scan_finds(newer: Planted) -> None:
    """Some of each kind of query: all of them on all files would take minutes."""
    for text, names in (
        *PUNCTUATION[::6],
        *((text, "?") for text in ALONE[::8]),
        *LANGUAGES[::5],
        *WORDS,
    ):
        found = newer.typed(text)
        assert found == listed(newer, newer.scanned.holding(words(text))), text
        if names != "?":
            assert newer.named(found) == newer.there(names), text


def test_newer_schemas_speak_the_language(newer: Planted) -> None:
    for text, names, needs in SPOKEN[::4]:
        assert not needs or needs in newer.columns
        assert newer.named(newer.found(text)) == newer.there(names), text


@pytest.mark.usefixtures("_without_rests")
def test_nothing_is_called_complete_before_all_has_been_read(newer: Planted) -> None:
    """Also where a table knew it all: nobody can tell."""
    for text in ("kea", "8192", "docker", "think"):
        told: list[SearchResult] = []
        result, _ = searched(newer.store, newer.catalog, text, told.append, NOW)
        assert result.complete
        assert told[0].done == 0.0
        assert not any(one.complete for one in told)


def test_the_first_hits_are_of_results_too(newer: Planted) -> None:
    """Newer tables of trigrams have none of them; that of words has."""
    for text in ("lyrebird", "exit_code lyreb"):
        first = newer.store.indexed(needles(parse(text, NOW), rewound=False), 50)
        assert first.table == "messages_fts_trigram"
        ids = [one.message_id for one in first.found]
        assert "answered" in {newer.names.get(id_) for id_ in ids}, text
        assert ids == sorted(set(ids), reverse=True)
    for most in (1, 3):
        first = newer.store.indexed(needles(parse("kea", NOW), rewound=False), most)
        assert len(first.found) == most


def test_what_a_table_knows_is_ranked(newer: Planted) -> None:
    for text in ("kea", '"kea alpha"', "kea*", "ki alpha OR kea"):
        scores = newer.store.ranked(needles(parse(text, NOW), rewound=False), 2000)
        assert {"one", "three"} <= {newer.names.get(id_) for id_ in scores}
        assert all(score < 0 for score in scores.values())


def test_the_place_of_a_match_is_named(newer: Planted) -> None:
    for text, place, field in (
        ("cassowary", "called", "tool_calls"),
        ("lyrebird", "answered", "tool_name"),
        ("bowerbird", "answered", "content"),
        ('"I think"', "thought", "reasoning"),
        ("détail", "details", "reasoning"),
        ("parakea", "five", "content"),
    ):
        hits = CompleteSearch(newer.store, newer.catalog, text, NOW).hits()
        (hit,) = [hit for hit in hits if newer.names.get(hit.message_id or 0) == place]
        assert hit.field == field, text
        begin, end = hit.marks[0]
        assert hit.snippet[begin:end].casefold() == text.strip('"').casefold()


@pytest.mark.parametrize("name", POWER_LOOP_FILES)
def test_words_find_what_a_plain_scan_of_power_loop_finds(name: str, tmp_path: Path) -> None:
    store = open_store(unpack(name, tmp_path))
    catalog, scanned = store.catalog(), scan(store)
    for text in ("release", "it's", "大", "検索", "--", '"', "*", "AND", "e2e", "://", "zzyzx"):
        hits = CompleteSearch(store, catalog, text, NOW).hits()
        found = {(hit.session_key or 0, hit.message_id or 0) for hit in hits}
        every = scanned.holding(words(text))
        shown = {place for place in every if catalog.kind(place[0]).value != "subagent"}
        assert {place for place in found if place[1]} == shown, text
