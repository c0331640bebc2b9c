"""The list as it is made: worked out anew, and brought up to date after a change."""

import sqlite3
from collections.abc import Callable, Collection, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from explorer.browse.arrangement import CLASSES, SORTS, Arranged, Wish, arrange, brought_up_to_date
from explorer.cancel import CancelToken
from explorer.demo import write_demo
from explorer.model import Hidden, Sort
from explorer.render.figures import day_heading
from explorer.search.filters import FILTERED, Filters
from explorer.stores.base import Store
from explorer.stores.catalog import Catalog
from explorer.stores.columns import Column, Columns
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.kinds import open_store
from tests.factories import NOW, T0, altered, go_on, insert, keys, say, talk

DAY = 86_400.0
SOURCES = ("cli", "telegram", "cron", "tool", "subagent")
TIMES = (T0, T0 + 1, T0 + DAY, T0 + 2 * DAY, NOW - DAY, NOW, NOW + DAY)
"""Few, so that many are equal."""
MARKS = {"branch": "_branched_from", "subagent": "_delegate_from"}


def _arrange(store: Store, catalog: Catalog, wish: Wish, now: float = NOW) -> Arranged:
    return arrange(store, catalog, store.columns(FILTERED), wish, now, CancelToken())


@pytest.mark.parametrize("sort", SORTS)
def test_all_sessions_are_walked_through_once_for_an_order_and_its_headings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sort: Sort
) -> None:
    path = tmp_path / "state.db"
    write_demo(path, NOW)
    store = open_store(path)
    facts = store.columns(FILTERED)
    asked = []
    plain = store.columns

    def columns(
        which: Collection[Column[object]],
        keys: Sequence[int] | None = None,
        token: CancelToken | None = None,
    ) -> Columns:
        asked.append(which)
        return plain(which, keys, token)

    monkeypatch.setattr(store, "columns", columns)
    catalog = store.catalog()
    hidden = next(key for key in catalog.keys if catalog.hidden_as(key) is Hidden.CRON)
    wish = Wish(sort=sort, revealed=frozenset({hidden}))
    made = arrange(store, catalog, facts, wish, NOW, CancelToken())
    assert hidden in made.order
    told = (Sort.ACTIVE, Sort.SOURCE, Sort.EXPIRING, Sort.PROFILE)
    assert len(asked) == (sort not in told)


class Step(NamedTuple):
    """Something that an agent does: to the session of this number, at this time."""

    what: str
    which: int
    time: float
    source: str


class Agent:
    """Writes to a file as an agent would; every step leaves a message or a session."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._made = 0

    def take(self, steps: list[Step]) -> None:
        with altered(self._path) as db:
            db.execute("BEGIN")
            for step in steps:
                self._step(db, step)
            db.execute("COMMIT")

    def _step(self, db: sqlite3.Connection, step: Step) -> None:
        new, old = f"s{self._made}", f"s{step.which % max(self._made, 1)}"
        if step.what == "message" and self._made:
            say(db, old, timestamp=step.time)
            return
        self._made += 1
        if step.what == "continue" and self._made > 1:
            go_on(db, old, new, step.time)
            return
        cells: dict[str, object] = {}
        if step.what in MARKS and self._made > 1:
            config = f'{{"{MARKS[step.what]}": "{old}"}}'
            cells = {"parent_session_id": old, "model_config": config}
        insert(db, "sessions", id=new, source=step.source, started_at=step.time, **cells)
        if step.what != "empty":
            say(db, new, timestamp=step.time)


steps = st.builds(
    Step,
    st.sampled_from(("new", "new", "empty", "message", "continue", "branch", "subagent")),
    st.integers(0, 30),
    st.sampled_from(TIMES),
    st.sampled_from(SOURCES),
)


@st.composite
def lives(draw: st.DrawFn) -> tuple[list[Step], list[list[Step]], Wish]:
    """(what happened before, what happens between one look and the next, how the list is)."""
    before = draw(st.lists(steps, min_size=1, max_size=12))
    numbers = st.integers(0, 12)
    wish = Wish(
        shown=draw(st.frozensets(st.sampled_from(CLASSES))),
        pins=frozenset(f"s{number}" for number in draw(st.sets(numbers, max_size=3))),
        # Keys count from one, in the order the sessions are made.
        revealed=frozenset(draw(st.sets(numbers, max_size=3))),
        unfolded=frozenset(draw(st.sets(numbers, max_size=3))),
    )
    return before, draw(st.lists(st.lists(steps, max_size=4), max_size=3)), wish


def _same(one: Arranged, other: Arranged) -> None:
    for name in ("order", "groups", "hidden", "listed", "inside", "pinned", "excepted"):
        assert getattr(one, name) == getattr(other, name), name


@pytest.fixture(scope="module")
def blank(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A file without sessions."""
    path = tmp_path_factory.mktemp("blank") / "state.db"
    with StateFile.create(path):
        pass
    return path.read_bytes()


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(lives())
def test_a_list_brought_up_to_date_is_the_one_that_would_be_made_anew(
    tmp_path_factory: pytest.TempPathFactory,
    blank: bytes,
    life: tuple[list[Step], list[list[Step]], Wish],
) -> None:
    before, looks, wish = life
    path = tmp_path_factory.mktemp("life") / "state.db"
    path.write_bytes(blank)
    agent = Agent(path)
    agent.take(before)
    store = open_store(path)
    catalog = store.catalog()
    wish = wish.followed(catalog)
    arranged = _arrange(store, catalog, wish)
    for number, look in enumerate(looks):
        agent.take(look)
        changes = store.changes(catalog.mark)
        assert changes is not None
        family = changes.family.keys if changes.family else ()
        catalog = catalog.renewed(changes.family, changes.mark) if changes.family else catalog
        later = NOW + number * DAY
        assert arranged.basis is not None
        made = brought_up_to_date(store, arranged.basis, catalog, family, later, CancelToken())
        assert made is not None
        wish = wish.followed(catalog)
        _same(made, _arrange(store, catalog, wish, later))
        _same(made, _arrange(store, store.catalog(), wish, later))
        arranged = made


@pytest.fixture
def store(tmp_path: Path) -> Store:
    path = tmp_path / "state.db"
    write_demo(path, NOW)
    return open_store(path)


@pytest.mark.parametrize(
    "wish",
    [
        Wish(sort=Sort.TITLE),
        Wish(reverse=True),
        Wish(filters=Filters(tools=True)),
        Wish(filters=Filters(sources=frozenset({"cli"}))),
    ],
    ids=["other order", "turned round", "filter by facts", "filter by source"],
)
def test_what_cannot_be_brought_up_to_date_is_to_be_made_anew(store: Store, wish: Wish) -> None:
    catalog = store.catalog()
    basis = _arrange(store, catalog, wish).basis
    assert basis is not None
    assert brought_up_to_date(store, basis, catalog, (), NOW, CancelToken()) is None


def test_bringing_it_up_to_date_leaves_the_list_before_as_it_was(store: Store) -> None:
    catalog = store.catalog()
    before = _arrange(store, catalog, Wish())
    order, hidden = list(before.order), dict(before.hidden)
    with altered(store.path) as db:
        insert(db, "sessions", id="new", source="cron", started_at=NOW)
        say(db, "new", timestamp=NOW)
        say(db, db.execute("SELECT id FROM sessions").fetchone()[0], timestamp=NOW)
    changes = store.changes(catalog.mark)
    assert changes is not None
    assert changes.family is not None
    newer = catalog.renewed(changes.family, changes.mark)
    assert before.basis is not None
    made = brought_up_to_date(store, before.basis, newer, changes.family.keys, NOW, CancelToken())
    assert made is not None
    assert made.hidden[Hidden.CRON] == hidden[Hidden.CRON] + 1
    assert (list(before.order), dict(before.hidden)) == (order, hidden)
    assert before.basis.order == order


def _times(store: Store, catalog: Catalog, sort: Sort) -> Callable[[int], float]:
    """When a conversation was last active, or when it was started."""
    rows = store.sessions([catalog.folded(key) for key, _ in catalog.rows()], NOW)
    if sort is Sort.ACTIVE:
        return {row.key: row.last_active or 0.0 for row in rows}.__getitem__
    return {row.key: row.started_at or 0.0 for row in rows}.__getitem__


@pytest.mark.parametrize("sort", [Sort.ACTIVE, Sort.STARTED])
@pytest.mark.parametrize("reverse", [False, True])
def test_the_headings_are_the_days_of_the_rows_below_them(
    real_file: Path, sort: Sort, reverse: bool
) -> None:
    store = open_store(real_file)
    catalog = store.catalog()
    now = max(catalog.active) + 3600
    arranged = _arrange(store, catalog, Wish(sort, reverse, frozenset(CLASSES)), now)
    time_of = _times(store, catalog, sort)
    said = {group.first: group.title for group in arranged.groups}
    heading = ""
    for row, key in enumerate(arranged.order):
        heading = said.get(row, heading)
        assert heading == day_heading(time_of(key), now), row
    assert len(set(said.values())) == len(said), "each day comes once"


@pytest.mark.parametrize("sort", list(Sort))
@pytest.mark.parametrize("reverse", [False, True])
def test_pinned_rows_are_first_under_their_heading_in_every_order(
    store: Store, sort: Sort, reverse: bool
) -> None:
    catalog = store.catalog()
    plain = _arrange(store, catalog, Wish(sort, reverse))
    names = {key: id_ for id_, key in keys(store).items()}
    chosen = [plain.order[at] for at in (40, 3, 17)]
    pins = frozenset(names[key] for key in chosen)
    pinned = _arrange(store, catalog, Wish(sort, reverse, pins=pins))
    assert pinned.order[:3] == [key for key in plain.order if key in chosen]
    assert pinned.order[3:] == [key for key in plain.order if key not in chosen]
    assert pinned.groups[0] == (0, "Pinned")
    assert pinned.groups[1].first == 3
    assert pinned.listed == plain.listed
    if not plain.groups:
        assert pinned.groups[1].title == SORTS[sort].capitalize()


def test_a_pin_lists_its_session_unless_a_filter_hides_it(store: Store) -> None:
    catalog = store.catalog()
    plain = _arrange(store, catalog, Wish())
    (cron,) = [key for key, reason in catalog.rows() if reason is Hidden.CRON][:1]
    names = {key: id_ for id_, key in keys(store).items()}
    wish = Wish(pins=frozenset({names[cron]}))
    pinned = _arrange(store, catalog, wish)
    assert pinned.order[0] == cron
    assert pinned.excepted == {cron}
    assert pinned.hidden[Hidden.CRON] == plain.hidden[Hidden.CRON] - 1
    filtered = _arrange(store, catalog, wish._replace(filters=Filters(sources=frozenset({"cli"}))))
    assert cron not in filtered.order
    assert filtered.excepted == frozenset()
    asked = _arrange(store, catalog, wish._replace(filters=Filters(sources=frozenset({"cron"}))))
    assert asked.order[0] == cron
    assert asked.excepted == frozenset()


def test_who_was_asked_for_by_name_is_listed_whatever_hides_him(store: Store) -> None:
    catalog = store.catalog()
    (cron,) = [key for key, reason in catalog.rows() if reason is Hidden.CRON][:1]
    for filters in (Filters(), Filters(sources=frozenset({"cli"})), Filters(least=10_000)):
        wish = Wish(filters=filters, revealed=frozenset({cron, 10**9}))
        plain = _arrange(store, catalog, wish._replace(revealed=frozenset()))
        found = _arrange(store, catalog, wish)
        assert set(found.order) == {*plain.order, cron}
        assert found.excepted == {cron}
        assert found.listed + sum(found.hidden.values()) == len(catalog)


@pytest.mark.parametrize("sort", list(Sort))
@pytest.mark.parametrize("reverse", [False, True])
def test_who_is_listed_all_the_same_stands_where_he_belongs(
    store: Store, sort: Sort, reverse: bool
) -> None:
    catalog = store.catalog()
    odd = frozenset([key for key, reason in catalog.rows() if reason][::4])
    everybody = _arrange(store, catalog, Wish(sort, reverse, frozenset(CLASSES)))
    found = _arrange(store, catalog, Wish(sort, reverse, revealed=odd))
    assert found.excepted == odd
    assert found.order == [
        key for key in everybody.order if key in odd or catalog.hidden_as(key) is None
    ]


@pytest.mark.parametrize("name", ["one", "two", "three"])
def test_a_conversation_is_pinned_by_any_of_its_parts(tmp_path: Path, name: str) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "one", "a", end="compression")
        talk(state, "two", "b", at=T0 + 100, parent="one", end="compression")
        talk(state, "three", "c", at=T0 + 200, parent="two")
        talk(state, "newer", "d", at=T0 + 300)
    store = open_store(path)
    known = keys(store)
    pinned = _arrange(store, store.catalog(), Wish(pins=frozenset({name})))
    assert pinned.order == [known["three"], known["newer"]]
    assert pinned.pinned == {known["three"]}


@pytest.mark.parametrize("sort", list(Sort))
def test_headings_stay_above_their_rows_whatever_is_unfolded(store: Store, sort: Sort) -> None:
    catalog = store.catalog()
    plain = _arrange(store, catalog, Wish(sort))
    for step in (1, 2, 3):
        opened = frozenset(plain.order[::step])
        found = _arrange(store, catalog, Wish(sort, unfolded=opened))
        assert step > 1 or len(found.order) == len(plain.order) + len(found.inside) > 60
        assert [row for row in found.order if row not in found.inside] == plain.order
        assert [(found.order[first], title) for first, title in found.groups] == [
            (plain.order[first], title) for first, title in plain.groups
        ]
        assert found.listed == plain.listed
        assert found.hidden == plain.hidden


def test_hidden_classes_that_nobody_is_left_in_are_not_named(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "mine", "hello")
        talk(state, "tick", "tick", source="cron")
    store = open_store(path)
    tick = keys(store)["tick"]
    assert _arrange(store, store.catalog(), Wish(revealed=frozenset({tick}))).hidden == {}


def test_a_pin_on_a_session_that_is_gone_does_no_harm(store: Store) -> None:
    catalog = store.catalog()
    plain = _arrange(store, catalog, Wish())
    with closing(sqlite3.connect(store.path)) as db:
        assert db.execute("SELECT 1 FROM sessions WHERE id = 'gone'").fetchall() == []
    pinned = _arrange(store, catalog, Wish(pins=frozenset({"gone", "", "\ud800"})))
    assert pinned.order == plain.order
    assert pinned.groups == plain.groups
