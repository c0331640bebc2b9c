"""Which sessions a prune takes, and why others stay: against plain SQL on every real schema."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from explorer.model import Hidden
from explorer.search.pruning import (
    ARCHIVED,
    DAY,
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
)
from explorer.store.create import StateFile
from explorer.store.opening import open_store
from explorer.store.read_only import CancelToken
from tests.factories import NOW, altered, go_on, insert, keys, rows, talk


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


def test_the_open_ones_go_when_somebody_says_so(path: Path) -> None:
    chosen = _chosen(path, Rules(older=90 * DAY, include_open=True), NOW, ["pinned"])
    assert _names(path, chosen.rows) == {"old two", "never ended"}


def test_a_running_session_always_stays(path: Path) -> None:
    chosen = _chosen(path, Rules(most=1, include_open=True), NOW)
    assert _names(path, chosen.skipped[RUNNING]) == {"busy"}


@pytest.mark.parametrize(
    ("preset", "going"),
    [
        ("Empty sessions", {"void"}),
        ("Cron older than 7 days", {"cron"}),
        ("Subagents older than 30 days", set()),
        ("Everything older than 90 days", {"old two", "pinned"}),
    ],
)
def test_presets(preset: str, going: set[str], path: Path) -> None:
    assert _names(path, _chosen(path, PRESETS[preset], NOW).rows) == going


def test_the_newest_can_be_kept(path: Path) -> None:
    rules = Rules(classes=frozenset({Hidden.CRON}), keep=1)
    chosen = _chosen(path, rules, NOW)
    assert _names(path, chosen.rows) == {"cron"}
    assert _names(path, chosen.skipped[NEWEST]) == {"fresh cron"}


def test_what_somebody_spares_stays(path: Path) -> None:
    spared = frozenset({keys(open_store(path))["cron"]})
    chosen = _chosen(path, Rules(sources=frozenset({"cron"}), spared=spared), NOW)
    assert _names(path, chosen.skipped[KEPT]) == {"cron"}


def test_a_query_says_which(path: Path) -> None:
    assert _names(path, _chosen(path, Rules(query="tick"), NOW).rows) == {"cron", "fresh cron"}
    fields = Rules(query="source:cron before:7d")
    assert _names(path, _chosen(path, fields, NOW).rows) == {"cron"}
    assert _names(path, _chosen(path, Rules(query="is:archived"), NOW).rows) == {"archived"}


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
