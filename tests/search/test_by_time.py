"""Newest first is by time, also where rows were written in another order, as imports do."""

import random
from itertools import islice
from pathlib import Path

import pytest

from explorer.browse.arrangement import Arranged, Asked, Wish
from explorer.browse.live_search import LiveSearch
from explorer.cancel import CancelToken
from explorer.demo import write_demo
from explorer.model import OWN_CLASSES, Hidden
from explorer.search.hits import CompleteSearch
from explorer.search.language.query import parse
from explorer.search.matcher import Matcher
from explorer.stores.base import Store
from explorer.stores.hermes import search
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.kinds import open_store
from tests.factories import altered, say, talk

T0 = 1_700_000_000.0
MESSAGES = 300


@pytest.fixture
def imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Messages of ten sessions, written in a random order, some at the same time."""
    monkeypatch.setattr(search, "STRETCH", 40)
    monkeypatch.setattr(search, "BLOCK", 5)
    dice, path = random.Random(7), tmp_path / "state.db"
    with StateFile.create(path) as state:
        for number in range(10):
            talk(state, f"s{number}", "hello", at=T0 + number)
    times = [T0 + 100 + minute // 2 * 60 for minute in range(MESSAGES)]
    dice.shuffle(times)
    with altered(path) as db:
        for at in times:
            word = "owl" if dice.random() < 0.7 else "gull"
            say(db, f"s{dice.randrange(10)}", content=f"an {word}", timestamp=at)
    return path


def _plain(path: Path) -> list[tuple[float, int, str]]:
    """(time, message, session) of every owl, the newest first."""
    with altered(path) as db:
        sql = "SELECT timestamp, id, session_id FROM messages WHERE content LIKE '%owl%'"
        return sorted(db.execute(sql).fetchall(), key=lambda row: (-row[0], -row[1]))


def _listed(store: Store, text: str, wish: Wish | None = None) -> tuple[Arranged, list[Arranged]]:
    """(the list at the end, what was listed before)."""
    told: list[Arranged] = []
    asked = Asked(store, store.catalog(), None, text, wish or Wish(), T0)
    matcher = Matcher(parse(text, T0), T0)
    return LiveSearch(asked, matcher, told.append, CancelToken()).run(), told


@pytest.mark.parametrize("limit", [1, 20, None])
def test_a_limit_keeps_the_newest_by_time(imported: Path, limit: int | None) -> None:
    store, plain = open_store(imported), _plain(imported)
    given = islice(CompleteSearch(store, store.catalog(), "owl", T0).hits(), limit)
    assert [hit.message_id for hit in given] == [id_ for _, id_, _ in plain][:limit]


def test_rows_in_the_order_of_their_times_are_given_before_the_end(imported: Path) -> None:
    with altered(imported) as db:
        db.execute("UPDATE messages SET timestamp = ? + id", (T0,))
    store = open_store(imported)
    found = CompleteSearch(store, store.catalog(), "owl", T0)
    next(found.hits())
    assert not found.complete
    bound = store.newest_below()
    assert bound(200) < T0 + 240, "not much later than the message itself"


def test_the_list_is_by_time_and_shows_the_newest_hit_of_each(imported: Path) -> None:
    newest: dict[str, int] = {}
    for _, id_, session in _plain(imported):
        newest.setdefault(session, id_)
    store = open_store(imported)
    arranged, _ = _listed(store, "owl")
    assert arranged.found is not None
    leading = [arranged.found.result.leading[row] for row in arranged.order]
    assert [(hit.session_id, hit.message_id) for hit in leading] == list(newest.items())


@pytest.mark.parametrize(
    "text", ["docker", "-source:cli docker", "docker -is:open", "kiosk after:30d", "report", "the"]
)
def test_hidden_hits_are_those_that_including_hidden_sessions_adds(
    tmp_path: Path, text: str
) -> None:
    path = tmp_path / "state.db"
    write_demo(path, T0)
    store = open_store(path)
    found, _ = _listed(store, text)
    everything, _ = _listed(store, text, Wish(shown=frozenset({*OWN_CLASSES, Hidden.ARCHIVED})))
    assert Hidden.FILTERED not in found.hidden, "there are no filters"
    assert everything.hidden == {}
    assert _hits(everything) - _hits(found) == sum(found.hidden.values())


def _hits(arranged: Arranged) -> int:
    assert arranged.found is not None
    return arranged.found.result.total + arranged.found.titles
