"""A table of queries, each on every real schema: what must be found, and nothing else."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from explorer.search.whole import Whole
from explorer.store.base import Store
from explorer.store.catalog import Catalog
from explorer.store.opening import open_store
from tests.factories import rows
from tests.real_files import HERMES_FILES, POWER_LOOP_FILES, unpack
from tests.search.noted import searched
from tests.search.plain_scan import Scanned, scan
from tests.search.planted import DAY, PLANTED_AT, plant
from tests.search.queries import LITERAL, SPOKEN

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
        whole = Whole(self.store, self.catalog, text, NOW)
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
    path = unpack(request.param, tmp_path_factory.mktemp("planted"))
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
    hidden = {"cron", "tool"}
    catalog = planted.catalog
    return {
        (key, id_)
        for key, id_ in places
        if catalog.source(tip := catalog.chain(key)[-1]) not in hidden
        and catalog.kind(tip).value != "subagent"
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


@pytest.mark.parametrize("name", POWER_LOOP_FILES)
def test_words_find_what_a_plain_scan_of_power_loop_finds(name: str, tmp_path: Path) -> None:
    store = open_store(unpack(name, tmp_path))
    catalog, scanned = store.catalog(), scan(store)
    for text in ("release", "it's", "大", "検索", "--", '"', "*", "AND", "e2e", "://", "zzyzx"):
        hits = Whole(store, catalog, text, NOW).hits()
        found = {(hit.session_key or 0, hit.message_id or 0) for hit in hits}
        every = scanned.holding(words(text))
        shown = {place for place in every if catalog.kind(place[0]).value != "subagent"}
        assert {place for place in found if place[1]} == shown, text
