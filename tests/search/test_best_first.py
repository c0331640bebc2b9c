"""The best first: by the agent's own search table over the newest hits, else by their number."""

from pathlib import Path

import pytest

from explorer.cancel import CancelToken
from explorer.search.engine import Gathered, Request, SearchResult, left_out, search
from explorer.search.language.query import parse
from explorer.search.matcher import Matcher
from explorer.stores.base import Needles, Store
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.kinds import open_store
from tests.factories import T0, altered, keys, talk
from tests.search.test_spoilt_tables import drop_tables


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "about", "owl owl owl", at=T0)
        talk(state, "twice", "an owl", "yes, I think it was an owl, in the dark", at=T0 + 10)
        talk(state, "by the way", "a long talk of other things " * 40 + "owl", at=T0 + 20)
        talk(state, "other", *["nothing of the kind"] * 20, at=T0 + 30)
    return path


def _order(store: Store, best: bool) -> tuple[SearchResult, list[str]]:
    names = {key: id_ for id_, key in keys(store).items()}
    catalog, matcher = store.catalog(), Matcher(parse("owl", 0.0))
    request = Request(store, catalog, matcher, hides=left_out(catalog), best=best)
    result = search(Gathered(request), lambda _: None, lambda _: None, CancelToken())
    return result, [names[tip] for tip in result.order]


def test_the_newest_come_first_unless_asked(path: Path) -> None:
    result, order = _order(open_store(path), best=False)
    assert order == ["by the way", "twice", "about"]
    assert not result.ranked


def test_the_best_come_first_when_asked(path: Path) -> None:
    store = open_store(path)
    result, order = _order(store, best=True)
    assert order == ["about", "twice", "by the way"]
    assert result.ranked
    assert result.complete
    # The short one of the two says more.
    assert result.leading[keys(store)["twice"]].message_id == 2


def test_without_a_table_the_most_hits_come_first(path: Path) -> None:
    with altered(path) as db:
        drop_tables(db)
    result, order = _order(open_store(path), best=True)
    assert order == ["twice", "by the way", "about"]
    assert not result.ranked


def test_only_the_newest_are_ranked(path: Path) -> None:
    scores = open_store(path).ranked(Needles((("owl",),)), 2)
    assert sorted(scores) == [3, 4]


def test_what_no_table_can_answer_has_no_rank(path: Path) -> None:
    assert open_store(path).ranked(Needles((("+",),)), 10) == {}
