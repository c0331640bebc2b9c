"""Whose a session is, by its row and by its file; and `profile:`, which finds it by either."""

import sqlite3
from collections import Counter
from pathlib import Path

import pytest

from explorer.errors import NoSuchSession
from explorer.search.filters import NO_FILTERS, filtered_by, tally, wanted
from explorer.search.hits import CompleteSearch
from explorer.search.language.chips import complete, understood_parts
from explorer.search.language.corrections import corrections
from explorer.search.language.query import parse
from explorer.search.prune_rules import Rules, by_profile, choose, ground
from explorer.stores.base import Store
from explorer.stores.columns import OWNER
from explorer.stores.discover import locate
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.kinds import open_store
from explorer.stores.open_found import open_found
from explorer.stores.resolve import profiles_of, resolve_for_edit
from explorer.stores.sqlite.read_only import ReadOnlyFile
from tests.factories import NOW, T0, altered, everybody, insert, say, talk
from tests.profile_homes import SAME, TwinProfiles, two_profiles
from tests.real_files import unpack

OWNERS = [
    ("agent:coder:telegram:dm:7", None, "coder"),
    ("agent:coder:telegram:dm:7", "default", "coder"),
    ("agent:main:telegram:dm:7", None, None),
    ("agent:main:telegram:dm:7", "coder", "coder"),
    ("agent:main~:telegram:dm:7", "coder", "main"),
    (None, "coder", "coder"),
    (None, None, None),
    ("", "", None),
    ("agent:", " coder ", "coder"),
    ("agent", None, None),
    ("agent:coder", "work", "work"),
    ("user:coder:telegram", None, None),
    ("agent:../../etc:x", "work", "work"),
    ("agent:\x1b[31m:x", "\x1b]0;title\x07", None),
    (f"agent:{'x' * 100_000}:y", "y" * 100_000, None),
    (b"agent:coder:telegram", None, "coder"),
    (b"\xff\xfe", b"\xff", None),
    (7, 3.5, None),
    ("agent:coder\n:x", "two\nlines", None),
    # What Hermes notes for every home that is not in its usual place.
    (None, "custom", None),
]


@pytest.mark.parametrize(("key", "name", "owner"), OWNERS)
def test_a_session_belongs_to_whom_its_row_names_else_to_its_file(
    tmp_path: Path, key: object, name: object, owner: str | None
) -> None:
    path = tmp_path / "profiles" / "mine" / "state.db"
    path.parent.mkdir(parents=True)
    with StateFile.create(path) as state:
        talk(state, "s", "hello")
    with altered(path) as db:
        db.execute("UPDATE sessions SET session_key = ?, profile_name = ?", (key, name))
    (session,) = everybody(path)
    assert (session.profile, session.owner) == ("mine", owner or "mine")
    columns = open_store(path).columns({OWNER})
    assert list(columns[OWNER].values()) == ([owner] if owner else [])


def test_files_without_these_columns_say_nothing_of_owners(tmp_path: Path) -> None:
    for name in ("hermes-v2", "power-loop-8.0.0"):
        path = unpack(name, tmp_path)
        assert open_store(path).columns({OWNER})[OWNER] == {}
        assert {session.owner for session in everybody(path)} == {None}


@pytest.fixture
def several(tmp_path: Path) -> Store:
    root = two_profiles(tmp_path / "hermes")
    return open_found(locate([str(root)], [], {}, tmp_path))


def _found(store: Store, text: str) -> list[tuple[str, str]]:
    """(profile of the file, id) of what a query without words lists."""
    search = CompleteSearch(store, store.catalog(), text, NOW)
    keys = [hit.session_key for hit in search.hits() if hit.session_key is not None]
    ids = {hit.session_key: hit.session_id for hit in search.hits()}
    return sorted((next(iter(store.profiles_at(key)), ""), ids[key]) for key in keys)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("profile:default", [("default", SAME), ("default", "chat")]),
        ("profile:work", [("default", "chat"), ("work", SAME), ("work", "only")]),
        ("profile:WORK", [("default", "chat"), ("work", SAME), ("work", "only")]),
        ("profile:wor", []),
        ("-profile:work", [("default", SAME)]),
        ("NOT profile:default", [("work", SAME), ("work", "only")]),
        ("-profile:work,default", []),
        ("profile:work title:pipes", [("work", SAME)]),
        ("profile:work source:telegram", [("default", "chat")]),
        ("profile:nobody,default", [("default", SAME), ("default", "chat")]),
    ],
)
def test_profile_finds_by_the_file_and_by_the_owner(
    several: Store, text: str, found: list[tuple[str, str]]
) -> None:
    assert _found(several, text) == found


def test_words_are_searched_in_the_profile_that_is_asked_for(several: Store) -> None:
    def hits(text: str) -> list[str]:
        search = CompleteSearch(several, several.catalog(), text, NOW)
        return [hit.snippet for hit in search.hits()]

    assert hits("water") == ["water pipes burst", "water the garden"]
    assert hits("water profile:work") == ["water pipes burst"]
    assert hits("water -profile:work") == ["water the garden"]


def test_profile_works_with_one_file_too(tmp_path: Path) -> None:
    root = two_profiles(tmp_path / "hermes")
    store = open_store(root / "state.db")
    assert [id_ for _, id_ in _found(store, "profile:work")] == ["chat"]
    assert len(_found(store, "profile:default")) == 2
    copied = open_store((root / "state.db").rename(tmp_path / "copy.db"))
    assert [id_ for _, id_ in _found(copied, "-profile:work")] == [SAME]
    assert _found(copied, "profile:default") == []


@pytest.fixture
def homes(tmp_path: Path) -> Store:
    """Two homes with profiles of the same names, and a chat of `work` in a root file of each."""
    roots = [two_profiles(tmp_path / name) for name in ("laptop", "backup")]
    return open_found(locate([str(root) for root in roots], [], {}, tmp_path))


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("profile:work", {"backup", "backup/work", "laptop", "laptop/work"}),
        ("profile:work -source:telegram", {"backup/work", "laptop/work"}),
        ("profile:default", {"backup", "laptop"}),
        ("profile:laptop", {"laptop"}),
        ("profile:laptop/work", {"laptop/work"}),
        ("-profile:default", {"backup/work", "laptop/work"}),
        ("water profile:work", {"backup/work", "laptop/work"}),
        ("profile:home", set()),
    ],
)
def test_a_plain_name_is_that_of_every_home(homes: Store, text: str, places: set[str]) -> None:
    search = CompleteSearch(homes, homes.catalog(), text, NOW)
    assert {hit.place for hit in search.hits()} == places


def test_a_name_that_lists_use_means_that_file_alone(tmp_path: Path) -> None:
    """The only `default` of a list beside a root file elsewhere, which its agent calls so too."""
    first, second = two_profiles(tmp_path / ".hermes"), two_profiles(tmp_path / "other")
    with altered(second / "state.db") as db:
        db.execute("UPDATE sessions SET id = 'there' WHERE id = 'chat'")
        db.execute("UPDATE sessions SET profile_name = 'default', session_key = NULL")
    store = open_found(locate([str(first), str(second / "state.db")], [], {}, tmp_path))
    assert store.places == ("default", "work", "other")
    search = CompleteSearch(store, store.catalog(), "profile:default", NOW)
    assert {hit.place for hit in search.hits()} == {"default"}
    one = resolve_for_edit(store, f"default/{SAME}")
    assert store.place(one.key) == "default"
    with pytest.raises(NoSuchSession):
        resolve_for_edit(store, "default/there")
    assert store.place(resolve_for_edit(store, "other/there").key) == "other"
    passes = wanted(
        store.catalog(),
        store.columns(filtered_by(store.places)),
        NO_FILTERS._replace(profiles=frozenset({"default"})),
        (),
        store.profiles_at,
    )
    assert passes is not None
    assert {store.place(key) for key in store.catalog().keys if passes(key)} == {"default"}


def test_a_prune_takes_a_plain_name_in_every_home(homes: Store) -> None:
    """Also where it is taken out of the query, as the rule of the app."""
    known = ground(homes, homes.catalog(), frozenset())
    everything = Rules(include_open=True)
    rules = by_profile(everything._replace(query="profile:work"), profiles_of(homes), NOW)
    assert rules == everything._replace(profiles=frozenset({"work"}))
    found = choose(known, rules, None, NOW).rows
    assert Counter(map(homes.place, found)) == {
        **{"laptop": 1, "laptop/work": 2},
        **{"backup": 1, "backup/work": 2},
    }


def test_a_filter_counts_what_it_lists_in_every_home(homes: Store) -> None:
    """By owner `work` is a choice of its own, and is no less than the profile of that name."""
    catalog, facts = homes.catalog(), homes.columns(filtered_by(homes.places))
    counted = tally(catalog, facts, NO_FILTERS, frozenset(), profiles=homes.profiles_at).profiles
    assert counted == {"laptop": 2, "laptop/work": 2, "backup": 2, "backup/work": 2, "work": 6}
    for name, number in counted.items():
        chosen = NO_FILTERS._replace(profiles=frozenset({name}))
        passes = wanted(catalog, facts, chosen, (), homes.profiles_at)
        assert passes is not None
        assert sum(map(passes, catalog.keys)) == number


def test_files_that_are_named_one_by_one_have_the_names_of_their_profiles(tmp_path: Path) -> None:
    root = two_profiles(tmp_path / "hermes")
    named = [str(root / "state.db"), str(root / "profiles" / "work")]
    store = open_found(locate(named, [], {}, tmp_path))
    assert store.places == ("hermes", "work")
    for name in ("hermes", "default"):
        assert [id_ for _, id_ in _found(store, f"profile:{name}")] == [SAME, "chat"]


def test_the_query_is_shown_as_it_was_understood() -> None:
    words = [part.words for part in understood_parts(parse("profile:a,b -profile:c", NOW))]
    assert words == ["profile is a or b", "profile is not c"]


def test_profiles_are_offered_where_there_are_several() -> None:
    several = {"profile": ["default", "work"]}
    assert [offer.text for offer in complete("pro", 3, several)] == ["profile:"]
    assert [offer.text for offer in complete("profile:w", 9, several)] == ["work"]
    assert complete("pro", 3, {"profile": ["default"]}) == []
    assert [one.text for one in corrections("profil:wrk", several)] == ["profile:"]
    assert [one.text for one in corrections("profile:wrok", several)] == ["work"]


@pytest.fixture
def connections(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The files that were opened, once for each connection."""
    opened: list[Path] = []
    connect = ReadOnlyFile._opened

    def noted(file: ReadOnlyFile, immutable: bool) -> sqlite3.Connection:
        opened.append(file.path)
        return connect(file, immutable)

    monkeypatch.setattr(ReadOnlyFile, "_opened", noted)
    return opened


def test_a_hit_that_is_only_counted_is_not_read(tmp_path: Path, connections: list[Path]) -> None:
    home = TwinProfiles(tmp_path)
    for name in home.names:
        with altered(home.file(name)) as db:
            for number in range(40):
                insert(db, "sessions", id=f"s{number}", source="cli", started_at=T0)
                say(db, f"s{number}", content="an owl", timestamp=T0 + number)
    store = home.store()
    catalog = store.catalog()
    connections.clear()
    few = CompleteSearch(store, catalog, "owl", NOW)
    given = list(few.hits(most=2))
    assert (len(given), few.total, few.complete) == (2, 80, True)
    opened_for_few = len(connections)
    connections.clear()
    every = CompleteSearch(store, catalog, "owl", NOW)
    all_given = list(every.hits())
    assert (all_given[:2], every.total) == (given, 80)
    assert len(connections) <= opened_for_few + 2, "what is shown is read over one connection"
    connections.clear()
    none = CompleteSearch(store, catalog, "owl", NOW)
    assert (list(none.hits(most=0)), none.total) == ([], 80)
    assert len(connections) <= opened_for_few
