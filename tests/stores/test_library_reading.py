"""Several profiles read as one: what each of them must be asked for, and no more."""

import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from explorer.demo import DemoHome, write_demo_home
from explorer.model import Session, Sort
from explorer.stores.base import Indexed, Needles, Store
from explorer.stores.columns import ID, LEASE, MESSAGES, MODEL, OWNER, TITLE
from explorer.stores.fates import Fates
from explorer.stores.hermes.store import HermesStore
from explorer.stores.library.keys import KeyRing
from explorer.stores.library.library import Library
from explorer.stores.open_found import open_found
from tests.factories import altered
from tests.profile_homes import TwinProfiles

NOW = 1_763_307_000.0


@pytest.fixture
def home(tmp_path: Path) -> DemoHome:
    return write_demo_home(tmp_path, NOW)


def _alone(home: DemoHome) -> list[Store]:
    return [open_found([one]) for one in home.found]


def _names(rows: list[Session]) -> list[tuple[str, str]]:
    return [(row.id, row.title or "") for row in rows]


@pytest.mark.parametrize("sort", [Sort.ACTIVE, Sort.STARTED])
@pytest.mark.parametrize("limit", [1, 3, 10, 40])
def test_the_first_page_is_that_of_all_profiles(home: DemoHome, sort: Sort, limit: int) -> None:
    def time(row: Session) -> float:
        return (row.started_at if sort is Sort.STARTED else row.last_active) or 0.0

    every = [row for store in _alone(home) for row in store.first_page(limit, NOW, sort)]
    wanted = sorted(every, key=time, reverse=True)[:limit]
    assert _names(open_found(home.found).first_page(limit, NOW, sort)) == _names(wanted)


def test_a_scan_finds_what_is_in_any_profile_once(home: DemoHome) -> None:
    needles = Needles(groups=(("parcel",),))

    def scanned(store: Store) -> list[int]:
        found, below = [], None
        while True:
            stretch = store.scanned(needles, below)
            found += [one.message_id for one in stretch.found]
            below = stretch.below
            if below is None:
                assert stretch.done == 1.0
                return sorted(found)

    alone = [id_ for store in _alone(home) for id_ in scanned(store)]
    assert len(alone) > 10
    assert scanned(open_found(home.found)) == sorted(alone)


@pytest.mark.parametrize("limit", [1, 4, 30, 500])
def test_a_search_shows_the_newest_hits_of_all_profiles(home: DemoHome, limit: int) -> None:
    needles = Needles(groups=(("the",),), sure=(("the",),))

    def times(store: Store) -> list[float]:
        return [one.at for one in store.indexed(needles, limit).found]

    alone = [at for store in _alone(home) for at in times(store)]
    several = open_found(home.found)
    assert times(several) == sorted(alone, reverse=True)[:limit]
    # What was searched for before may have been in other profiles.
    for before in ("the", "parcel", "a"):
        several.indexed(Needles(groups=((before,),)), limit)
        assert times(several) == sorted(alone, reverse=True)[:limit]


def test_the_next_letter_asks_each_profile_once(
    home: DemoHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where most of the hits are in one profile, more are asked of that at once."""
    asked: list[Path] = []
    plain = HermesStore.indexed

    def indexed(store: HermesStore, *arguments: Any, **named: Any) -> Indexed:
        asked.append(store.path)
        return plain(store, *arguments, **named)

    monkeypatch.setattr(HermesStore, "indexed", indexed)
    store = open_found(home.found)
    first = store.indexed(Needles((("the",),)), 40).found
    assert len(asked) > len(set(asked)), "nothing is known yet"
    asked.clear()
    second = store.indexed(Needles((("the ",),)), 40).found
    assert len(asked) == len(set(asked))
    assert (len(first), len(second)) == (40, 40)


def test_a_locked_profile_does_not_keep_the_others_from_being_listed(home: DemoHome) -> None:
    with closing(sqlite3.connect(home.default, isolation_level=None)) as writer:
        writer.execute("PRAGMA journal_mode = DELETE")
        writer.execute("BEGIN EXCLUSIVE")
        store = open_found(home.found)
        assert [one.name for one in store.troubles] == ["default"]
        assert {row.place for row in store.first_page(5, NOW)} == {"work", "parcel-bot"}
        assert not store.recovered()
    assert store.recovered()
    assert {row.place for row in store.first_page(9, NOW)} == {"default", "work", "parcel-bot"}
    assert not store.troubles


def test_others_are_read_while_one_does_not_answer(home: DemoHome) -> None:
    library = open_found(home.found)
    assert isinstance(library, Library)
    others, asked = threading.Event(), []

    def work(member: object) -> None:
        asked.append(member)
        if len(asked) == 1:
            assert others.wait(20)
        elif len(asked) == 3:
            others.set()

    assert len(library.members.ask(work, again=True)) == 3


def test_a_catalog_that_dropped_its_positions_still_knows_its_sessions(home: DemoHome) -> None:
    store = open_found(home.found[:1])
    catalog = store.catalog()
    keys = list(catalog.keys)
    before = [(key, catalog.last_active(key), catalog.source(key)) for key in keys]
    catalog.drop_positions()
    assert [(key, catalog.last_active(key), catalog.source(key)) for key in keys] == before
    assert not catalog.has(-1)


def test_many_keys_become_what_each_of_them_would() -> None:
    ring = KeyRing(7)
    hostile = [0, -5, 2**62, -(2**62), 2**63 - 1, 7]
    assert ring.outers(3)(hostile) == [ring.outer(3)(key) for key in hostile]
    assert ring.outers(3)([1, 2]) == [ring.outer(3)(1), ring.outer(3)(2)]
    assert [ring.inner(key) for key in ring.outers(3)(hostile)] == [(3, key) for key in hostile]


def test_keys_nearly_without_gaps_stay_so_among_several_stores() -> None:
    ring = KeyRing(10)
    found = [key for store in range(10) for key in ring.outers(store)(range(1, 101))]
    assert len(set(found)) == 1000
    assert max(found) - min(found) < 2 * 1000


@pytest.mark.parametrize("limit", [3, 40])
def test_a_search_is_as_certain_of_its_hits_as_each_profile(home: DemoHome, limit: int) -> None:
    needles = Needles(groups=(("parcel",),), sure=(("parcel",),))
    known = {
        (number, one.message_id): one.certain
        for number, store in enumerate(_alone(home))
        for one in store.indexed(needles, 1000).found
    }
    found = open_found(home.found).indexed(needles, limit).found
    assert {(one.store, one.message_id): one.certain for one in found}.items() <= known.items()
    assert any(one.certain for one in found)


def test_columns_are_those_of_each_profile(home: DemoHome) -> None:
    library = open_found(home.found)
    asked = {ID, TITLE, MODEL, OWNER, MESSAGES, LEASE}
    together = library.columns(asked)
    for number, store in enumerate(_alone(home)):
        alone = store.columns(asked)
        for column in asked:
            own = {
                library.home(key)[1]: value
                for key, value in together[column].items()
                if library.place(key) == home.found[number].name
            }
            assert own == alone[column]


def test_what_hermes_will_delete_is_read_only_of_a_profile_that_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = TwinProfiles(tmp_path)
    for name in home.names:
        (home.file(name).parent / "config.yaml").write_text("sessions: {auto_prune: true}\n")
    store = home.store()
    soon = 400 * 86_400.0

    def doomed() -> set[str]:
        found = store.fates(store.catalog(), before=NOW + soon)
        return {store.place(key) for key in found.deletes}

    assert doomed() == {"default", "work"}
    asked: list[str] = []
    plain = HermesStore.fates

    def noting(own: HermesStore, *rest: Any, **named: Any) -> Fates:
        asked.append(own.profile or "")
        return plain(own, *rest, **named)

    monkeypatch.setattr(HermesStore, "fates", noting)
    assert doomed() == {"default", "work"}
    assert asked == []
    with altered(home.file("work")) as db:
        db.execute("UPDATE sessions SET ended_at = NULL")
    assert doomed() == {"default"}
    assert asked == ["work"]
    (home.root / "config.yaml").write_text("sessions: {auto_prune: false}\n")
    assert doomed() == set()
    assert asked == ["work", "default"]
