"""Which sessions a prune takes, and why others stay: against plain SQL on every real schema."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from explorer.cancel import CancelToken
from explorer.model import Hidden
from explorer.search.prune_rules import (
    ARCHIVED,
    DAY,
    ELSEWHERE,
    KEPT,
    NEWEST,
    OPEN,
    PINNED,
    PRESETS,
    RUNNING,
    Chosen,
    Rules,
    choose,
    ground,
    holding,
    without,
)
from explorer.stores.columns import ID
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.kinds import open_store
from tests.factories import NOW, altered, go_on, insert, keys, rows, talk
from tests.real_files import POWER_LOOP_FILES, unpack


def _chosen(path: Path, rules: Rules, now: float, pins: Iterable[str] = ()) -> Chosen:
    store = open_store(path)
    known = ground(store, store.catalog(), frozenset(pins))
    return choose(known, rules, holding(known, rules.query, now, CancelToken()), now)


def _names(path: Path, chosen: Iterable[int]) -> set[str]:
    names = {key: id_ for id_, key in keys(open_store(path)).items()}
    return {names[key] for key in chosen}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        old = NOW - 200 * DAY
        talk(state, "old", "one", "two", at=old, end="cli_close")
        talk(state, "old but used", "long ago", at=old, end="cli_close")
        talk(state, "never ended", "hello", at=old)
        talk(state, "pinned", "hello", at=old, end="cli_close")
        talk(state, "archived", "hello", at=old, end="cli_close")
        talk(state, "cron", "tick", source="cron", at=NOW - 10 * DAY, end="cron_complete")
        talk(state, "fresh cron", "tick", source="cron", at=NOW - DAY, end="cron_complete")
        talk(state, "void", at=NOW - 3 * DAY, end="cli_close")
        talk(state, "busy", "hello", at=NOW - 60)
        state.set_archived("archived", True)
    with altered(path) as db:
        insert(
            db,
            "messages",
            session_id="old but used",
            role="user",
            content="x",
            timestamp=NOW - 5 * DAY,
        )
        go_on(db, "old", "old two", NOW - 150 * DAY)
        db.execute("UPDATE sessions SET ended_at = 1 WHERE id = 'old two'")
    return path


def test_age_is_that_of_the_last_activity(path: Path) -> None:
    chosen = _chosen(path, Rules(older=90 * DAY), NOW, ["pinned"])
    assert _names(path, chosen.rows) == {"old two"}, "a conversation goes as a whole"
    assert {reason: _names(path, tips) for reason, tips in chosen.skipped.items()} == {
        ARCHIVED: {"archived"},
        OPEN: {"never ended"},
        PINNED: {"pinned"},
    }


def test_sessions_that_never_ended_can_be_included(path: Path) -> None:
    chosen = _chosen(path, Rules(older=90 * DAY, include_open=True), NOW, ["pinned"])
    assert _names(path, chosen.rows) == {"old two", "never ended"}


def test_a_running_session_is_always_kept(path: Path) -> None:
    chosen = _chosen(path, Rules(most=1, include_open=True), NOW)
    assert _names(path, chosen.skipped[RUNNING]) == {"busy"}


@pytest.mark.parametrize(
    ("preset", "going"),
    [
        ("Empty sessions", {"void"}),
        ("Cron sessions older than 7 days", {"cron"}),
        ("Subagent sessions older than 30 days", set()),
        ("All sessions older than 90 days", {"old two", "pinned"}),
    ],
)
def test_presets(preset: str, going: set[str], path: Path) -> None:
    assert _names(path, _chosen(path, PRESETS[preset], NOW).rows) == going


def test_the_newest_can_be_kept(path: Path) -> None:
    rules = Rules(classes=frozenset({Hidden.CRON}), keep=1)
    chosen = _chosen(path, rules, NOW)
    assert _names(path, chosen.rows) == {"cron"}
    assert _names(path, chosen.skipped[NEWEST]) == {"fresh cron"}


def test_what_the_user_keeps_is_in_no_number(path: Path) -> None:
    store = open_store(path)
    known = ground(store, store.catalog(), frozenset())
    chosen = choose(known, Rules(sources=frozenset({"cron"})), None, NOW)
    left = without(known, chosen, {keys(store)["cron"]})
    assert _names(path, left.skipped[KEPT]) == {"cron"}
    assert (left.conversations, left.sessions, left.messages) == (1, 1, 1)
    assert left.sources == {"cron": 1}
    assert sum(left.months.values()) == 1


def test_a_query_says_which(path: Path) -> None:
    assert _names(path, _chosen(path, Rules(query="tick"), NOW).rows) == {"cron", "fresh cron"}
    fields = Rules(query="source:cron before:7d")
    assert _names(path, _chosen(path, fields, NOW).rows) == {"cron"}
    assert _names(path, _chosen(path, Rules(query="is:archived"), NOW).rows) == {"archived"}


@pytest.mark.parametrize(
    ("query", "taken"),
    [
        ("is:open,archived before:7d", True),
        ("IS:archived", True),
        ("-is:archived", False),
        ('"is:archived" hello', False),
        ("title:is:archived", False),
    ],
)
def test_archived_sessions_are_removed_only_when_a_field_names_them(
    query: str, taken: bool, path: Path
) -> None:
    assert ("archived" in _names(path, _chosen(path, Rules(query=query), NOW).rows)) is taken


def test_several_sources_and_classes_at_once(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    old = NOW - 9 * DAY
    with StateFile.create(path) as state:
        for name in ("telegram", "cron", "tool", "cli"):
            talk(state, name, "hello", source=name, at=old, end="done")
        talk(state, "fresh cron", "tick", source="cron", at=NOW - DAY, end="done")
        talk(state, "void", at=old, end="done")
    sources = Rules(sources=frozenset({"telegram", "cron"}), older=7 * DAY)
    assert _names(path, _chosen(path, sources, NOW).rows) == {"telegram", "cron"}
    classes = Rules(classes=frozenset({Hidden.CRON, Hidden.TOOL, Hidden.EMPTY}))
    going = {"cron", "fresh cron", "tool", "void"}
    assert _names(path, _chosen(path, classes, NOW).rows) == going
    both = classes._replace(sources=frozenset({"tool", "telegram"}))
    assert _names(path, _chosen(path, both, NOW).rows) == {"tool"}, "both must fit"


def test_bars_add_up(path: Path) -> None:
    chosen = _chosen(path, Rules(include_open=True, most=100), NOW)
    assert sum(chosen.sources.values()) == sum(chosen.months.values()) == len(chosen.rows)
    assert list(chosen.months) == sorted(chosen.months)


def test_rules_that_say_nothing_are_known() -> None:
    assert Rules().say_nothing
    assert Rules(include_open=True).say_nothing
    assert not Rules(older=DAY).say_nothing
    assert not Rules(query="x").say_nothing


LAST = "coalesce((SELECT max(m.timestamp) FROM messages m WHERE m.session_id = s.id), s.started_at)"


@pytest.mark.parametrize("days", [0.5, 30, 400])
def test_age_and_end_against_plain_sql(hermes_file: Path, days: float) -> None:
    """On sessions that are no part of a chain, where SQL and we count the same rows."""
    (newest,) = rows(hermes_file, f"SELECT max({LAST}) FROM sessions s")[0]
    now = float(str(newest)) + 3600
    store = open_store(hermes_file)
    catalog = store.catalog()
    alone = {key for key in catalog.keys if catalog.chain(key) == (key,)}
    chosen = _chosen(hermes_file, Rules(older=days * DAY), now)
    archived = " AND NOT archived" if "v16" in hermes_file.name or "v22" in hermes_file.name else ""
    expected = {
        int(str(key))
        for (key,) in rows(
            hermes_file,
            f"SELECT s.rowid FROM sessions s WHERE {LAST} <= ? AND ended_at IS NOT NULL{archived}",
            (now - days * DAY,),
        )
    }
    assert set(chosen.rows) & alone == expected & alone
    still_open = rows(
        hermes_file,
        f"SELECT s.rowid FROM sessions s WHERE {LAST} <= ? AND s.ended_at IS NULL",
        (now - days * DAY,),
    )
    assert (
        set(chosen.skipped.get(OPEN, ())) & alone
        == {int(str(key)) for (key,) in still_open} & alone
    )


def test_sources_and_sizes_against_plain_sql(hermes_file: Path) -> None:
    now = 4e9
    store = open_store(hermes_file)
    catalog = store.catalog()
    for source in catalog.source_names[:4]:
        rules = Rules(sources=frozenset({source}), most=3, include_open=True, query="")
        found = set(_chosen(hermes_file, rules, now).rows)
        expected = {
            int(str(key))
            for (key,) in rows(
                hermes_file,
                "SELECT rowid FROM sessions WHERE source = ? AND message_count <= 3",
                (source,),
            )
        }
        alone = {key for key in catalog.keys if catalog.chain(key) == (key,)} - catalog.archived
        assert found & alone == expected & alone


@pytest.mark.parametrize("name", POWER_LOOP_FILES)
@pytest.mark.parametrize("days", [0.1, 2.0, 6.0])
def test_rules_against_plain_sql_where_no_ends_are_kept(
    name: str, days: float, tmp_path: Path
) -> None:
    path = unpack(name, tmp_path)
    prefix = "" if name.endswith("0.2.0") else "pl_"
    last = (
        f"coalesce((SELECT max(m.created_at) FROM {prefix}messages m"
        " WHERE m.session_id = s.session_id), s.created_at) / 1000.0"
    )
    (newest,) = rows(path, f"SELECT max({last}) FROM {prefix}sessions s")[0]
    now = float(str(newest)) + 2 * 3600
    old = f"FROM {prefix}sessions s WHERE {last} <= {now - days * DAY!r}"
    count = f"(SELECT count(*) FROM {prefix}messages m WHERE m.session_id = s.session_id)"

    def ids(where: str) -> set[str]:
        return {str(id_) for (id_,) in rows(path, f"SELECT s.session_id {old} AND {where}")}

    chosen = _chosen(path, Rules(older=days * DAY), now)
    assert _names(path, chosen.rows) == ids("status = 'active'")
    assert _names(path, chosen.skipped.get(ARCHIVED, ())) == ids("status = 'archived'")
    assert set(chosen.skipped) <= {ARCHIVED}, "nothing is open where nothing ends"
    subagents = Rules(older=days * DAY, classes=frozenset({Hidden.SUBAGENT}))
    assert _names(path, _chosen(path, subagents, now).rows) == ids(
        "kind = 'subagent' AND status = 'active'"
    )
    few = Rules(older=days * DAY, most=3)
    assert _names(path, _chosen(path, few, now).rows) == ids(f"status = 'active' AND {count} <= 3")
    empty = Rules(older=days * DAY, empty=True)
    assert _names(path, _chosen(path, empty, now).rows) == ids(f"status = 'active' AND {count} = 0")


def test_what_lies_in_other_tables_of_the_file_is_counted(tmp_path: Path) -> None:
    """As after an upgrade of power-loop: the old tables, and new ones beside them."""
    path = unpack("power-loop-8.0.0", tmp_path)
    with altered(path) as db:
        for table in ("sessions", "messages"):
            db.execute(f"CREATE TABLE old_{table} AS SELECT * FROM pl_{table}")
        db.execute("DELETE FROM old_sessions WHERE rowid > 5")
    chosen = _chosen(path, Rules(older=DAY), 4e9)
    store = open_store(path)
    olds = rows(path, "SELECT session_id FROM old_sessions")
    assert {store.set_of(row) for row in chosen.rows} == {0}
    assert set(store.columns({ID}, chosen.rows)[ID].values()) <= {id_ for (id_,) in olds}
    (active,) = rows(path, "SELECT count(*) FROM pl_sessions WHERE status = 'active'")[0]
    assert chosen.counts[ELSEWHERE] == active
