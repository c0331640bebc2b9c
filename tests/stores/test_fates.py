"""What Hermes does by itself, against a plain statement of its rules and Hermes."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from explorer.stores.base import Store
from explorer.stores.fates import (
    DAY,
    NO_FATES,
    SOON,
    Deed,
    Fate,
    Fates,
    SettingState,
    expiring,
    fate_words,
)
from explorer.stores.kinds import open_store
from explorer.stores.sqlite import slices
from tests.agents import HERMES, run_agent
from tests.factories import altered, insert, keys, one_session, rows, say
from tests.hermes_homes import ON, hermes_home
from tests.newer_files import newer_file
from tests.real_files import unpack

HOUR = 3600.0
BOTH = "sessions: {auto_prune: true, auto_archive: true, min_interval_hours: 0}\n"


def _fates(path: Path) -> Fates:
    store = open_store(path)
    return store.fates(store.catalog())


class _Plain:
    """The rules once more, row by row at one moment, without any cleverness."""

    def __init__(self, path: Path, now: float, retention: float, idle: float) -> None:
        columns = [
            str(row[0]) for row in rows(path, "SELECT name FROM pragma_table_info('sessions')")
        ]
        self._rows = [
            dict(zip(columns, row, strict=True)) for row in rows(path, "SELECT * FROM sessions")
        ]
        said = rows(path, "SELECT session_id, max(timestamp) FROM messages GROUP BY 1")
        newest = {session: time for session, time in said}
        for row in self._rows:
            row["newest"] = newest.get(row["id"])
        tables = {name for (name,) in rows(path, "SELECT name FROM sqlite_master")}
        self._ends = "gateway_heartbeats" in tables
        self._whole = "auto_archived" in columns
        self._before, self._idle_before = now - retention * DAY, now - idle * DAY
        self._retention = retention

    def _last(self, row: Mapping[str, object], noted: bool) -> float:
        times = [row["newest"], row["last_activity_at"] if noted else None]
        known = [time for time in times if isinstance(time, float | int)]
        start = row["started_at"]
        assert isinstance(start, float)
        return max(known, default=start)

    def _continues(self, row: Mapping[str, object]) -> Mapping[str, object] | None:
        """The row that this one continues."""
        config = json.loads(str(row["model_config"] or "{}"))
        marked = any(config.get(f"_{mark}_from") for mark in ("branched", "delegate", "reset"))
        if marked or row["source"] == "tool":
            return None
        parents = [one for one in self._rows if one["id"] == row["parent_session_id"]]
        return next((one for one in parents if one["end_reason"] == "compression"), None)

    def _spared(self) -> set[object]:
        pinned = {row["id"] for row in self._rows if row["pinned"]}
        while self._whole:
            more = {
                row["id"]
                for row in self._rows
                if (parent := self._continues(row)) and parent["id"] in pinned
            }
            if more <= pinned:
                break
            pinned |= more
        return pinned

    def deleted(self) -> set[object]:
        spared = self._spared()
        gone = {
            row["id"]
            for row in self._rows
            if row["ended_at"] is not None
            and row["id"] not in spared
            and self._last(row, self._whole) < self._before
            and (
                row["end_reason"] != "startup_orphan_reap"
                or not self._ends
                or float(str(row["ended_at"])) < self._before
            )
        }
        while self._whole:
            held = {
                parent["id"]
                for row in self._rows
                if row["id"] not in gone and (parent := self._continues(row))
            }
            if not held & gone:
                break
            gone -= held
        return gone

    def archived(self) -> set[object]:
        spared = self._spared()
        return {
            row["id"]
            for row in self._rows
            if not row["archived"]
            and row["id"] not in spared
            and row["end_reason"] != "compression"
            and not (self._whole and row["hidden"] and row["title"] == "Bot Chat")
            and self._last(row, True) < self._idle_before
        }

    def ended(self) -> set[object]:
        sources = {"cli", "cron", "kanban", "acp", "api_server", "subagent", "tool"}
        sources |= {"recovered"} if self._whole else set()
        spared = self._spared()
        if not self._ends or self._retention <= 0:
            return set()
        return {
            row["id"]
            for row in self._rows
            if row["ended_at"] is None
            and row["source"] in sources
            and row["id"] not in spared
            and float(str(row["started_at"])) < self._before
            and self._last(row, True) < self._before
        }


def _happening(store: Store, times: Mapping[int, float], now: float) -> set[str]:
    known = {key: id_ for id_, key in keys(store).items()}
    return {known[key] for key, time in times.items() if time < now}


NEWEST = 1_793_030_359.0
"""About when these files were last written."""
CLOCKS = [NEWEST + days * DAY for days in (-100, -60, -20, 2, 5, 40, 85, 95, 400)]


def _complicate(path: Path) -> None:
    """What the files do not have: a chain with a pinned root, one whose tip is open, rows that
    Hermes ended, a Bot Chat."""
    with altered(path) as db:
        chains = db.execute(
            "SELECT p.id, c.id FROM sessions p JOIN sessions c ON c.parent_session_id = p.id"
            " WHERE p.end_reason = 'compression' AND c.model_config NOT LIKE '%_from%'"
            " OR c.model_config IS NULL AND p.end_reason = 'compression' ORDER BY 1"
        ).fetchall()
        assert len(chains) > 2
        db.execute("UPDATE sessions SET pinned = 1 WHERE id = ?", (chains[0][0],))
        db.execute(
            "UPDATE sessions SET ended_at = NULL, end_reason = NULL WHERE id = ?", (chains[1][1],)
        )
        db.execute(
            "UPDATE sessions SET end_reason = 'startup_orphan_reap', ended_at = ? WHERE rowid IN"
            " (SELECT rowid FROM sessions WHERE end_reason = 'agent_close' LIMIT 3)",
            (NEWEST - 30 * DAY,),
        )
        title = db.execute("SELECT id FROM sessions WHERE hidden = 1").fetchone()
        db.execute("UPDATE sessions SET title = 'Bot Chat' WHERE id = ?", title)
        for number, source in enumerate(("recovered", "telegram", "cli", "tool")):
            insert(
                db,
                "sessions",
                id=f"open{number}",
                source=source,
                started_at=NEWEST - 200 * DAY,
                last_activity_at=None if number else NEWEST - 50 * DAY,
            )


@pytest.mark.parametrize("retention", [0, 30, 90])
@pytest.mark.parametrize("name", ["hermes-v26", "hermes-v30", "hermes-v31"])
def test_the_sessions_due_at_any_moment_are_those_of_the_rules(
    tmp_path: Path, name: str, retention: int
) -> None:
    config = (
        f"sessions: {{auto_prune: true, retention_days: {retention}, auto_archive: true,"
        " auto_archive_days: 2.5, min_interval_hours: 0}"
    )
    path = hermes_home(tmp_path, name, config)
    _complicate(path)
    with altered(path) as db:
        db.execute("DELETE FROM state_meta WHERE key LIKE 'last_auto%'")
    store = open_store(path)
    fates = store.fates(store.catalog())
    assert fates.certain
    taken = 0
    for now in CLOCKS:
        plain = _Plain(path, now, retention, 2.5)
        assert _happening(store, fates.deletes, now) == plain.deleted()
        assert _happening(store, fates.archives, now) == plain.archived()
        assert _happening(store, fates.ends, now) == plain.ended()
        taken += len(plain.deleted()) + len(plain.archived())
    assert taken > 100, "the clocks are about something"


@pytest.mark.parametrize("config", [BOTH, "sessions: {auto_prune: true}", "model: x"])
@pytest.mark.parametrize("name", ["hermes-v22", "hermes-v26", "hermes-v30", "hermes-v31"])
def test_fates_before_a_time_equal_those_among_all(tmp_path: Path, name: str, config: str) -> None:
    path = hermes_home(tmp_path, name, config)
    if name != "hermes-v22":
        _complicate(path)
    store = open_store(path)
    catalog = store.catalog()
    every = store.fates(catalog)
    for now in CLOCKS:
        some = store.fates(catalog, before=now)
        assert some == every._replace(
            deletes={key: time for key, time in every.deletes.items() if time <= now},
            archives={key: time for key, time in every.archives.items() if time <= now},
            ends={key: time for key, time in every.ends.items() if time <= now},
        )


_PRUNE = """
import sys, time
from pathlib import Path
import hermes_state
now, retention, interval = map(float, sys.argv[2:])
time.time = lambda: now
db = hermes_state.SessionDB(Path(sys.argv[1]))
print(db.maybe_auto_prune_and_vacuum(int(retention), int(interval), vacuum=False)["pruned"])
db.close()
"""


@pytest.mark.parametrize(("share", "pruned"), [(0.1, True), (0.6, True), (0.6, False), (1.0, True)])
def test_hermes_itself_deletes_what_was_predicted(
    tmp_path: Path, share: float, pruned: bool
) -> None:
    """The newest release there is to run: by the age of the start, not in the first 24 hours."""
    path = hermes_home(tmp_path, "hermes-v22")
    starts = [float(str(time)) for (time,) in rows(path, "SELECT started_at FROM sessions")]
    now = sorted(starts)[int(share * (len(starts) - 1))] + 90 * DAY + 1
    mark = now - 25 * HOUR if pruned else now - 23 * HOUR
    with altered(path) as db:
        db.execute("DELETE FROM state_meta WHERE key = 'last_auto_prune'")
        insert(db, "state_meta", key="last_auto_prune", value=str(mark))
    store = open_store(path)
    fates = store.fates(store.catalog())
    said = _happening(store, fates.deletes, now)
    assert fates.next_run == mark + 24 * HOUR
    before = {id_ for (id_,) in rows(path, "SELECT id FROM sessions")}
    run_agent(_PRUNE, *HERMES, tmp_path / "home", path, str(now), "90", "24")
    after = {id_ for (id_,) in rows(path, "SELECT id FROM sessions")}
    assert before - after == said
    assert bool(said) is pruned


@pytest.mark.parametrize(
    ("name", "config", "certain"),
    [
        ("hermes-v31", ON, True),
        ("hermes-v31", "model: x\n", False),
        ("hermes-v31", None, False),
        ("hermes-v23", "model: x\n", False),
        ("hermes-v22", ON, True),
    ],
)
def test_a_fate_is_certain_only_where_it_is_set(
    tmp_path: Path, name: str, config: str | None, certain: bool
) -> None:
    fates = _fates(hermes_home(tmp_path, name, config))
    assert fates.deletes
    assert fates.certain is certain
    assert fates.retention == 90
    assert fates.unknown == ""


@pytest.mark.parametrize(
    ("name", "config"),
    [
        ("hermes-v22", "model: x\n"),
        ("hermes-v22", None),
        ("hermes-v6", ON),
        ("hermes-v31", "sessions: {auto_prune: false}"),
        ("hermes-v31", "sessions: {auto_prune: false, auto_archive: false, retention_days: x}"),
    ],
)
def test_where_hermes_does_nothing_nothing_is_claimed(
    tmp_path: Path, name: str, config: str | None
) -> None:
    fates = _fates(hermes_home(tmp_path, name, config))
    assert fates.tell_nothing
    assert fates.unknown == ""
    assert fates.next_run is None


@pytest.mark.parametrize(
    ("config", "why"),
    [
        ("sessions: {auto_prune: 'true'}", "sessions.auto_prune is not understood"),
        ("sessions: {auto_prune: true, retention_days: -1}", "sessions.retention_days is not"),
        ("sessions: {retention_days: '90'}", "sessions.retention_days is not understood"),
        ("sessions: {auto_prune: true, min_interval_hours: true}", "sessions.min_interval_hours"),
        ("sessions: {auto_prune: false, auto_archive: 1}", "sessions.auto_archive is not"),
        ("sessions: {auto_prune: no, auto_archive: yes, auto_archive_days: -1}", "archive_days is"),
        ("sessions:\n", "sessions.auto_prune is not understood"),
        ("sessions:\n\tauto_prune: true\n", "config.yaml cannot be read: line 2"),
        ("- nothing", "config.yaml cannot be read: it does not hold settings"),
    ],
)
def test_nothing_is_claimed_from_settings_that_are_not_understood(
    tmp_path: Path, config: str, why: str
) -> None:
    fates = _fates(hermes_home(tmp_path, "hermes-v31", config))
    assert fates.tell_nothing
    assert why in fates.unknown


def test_one_thing_that_is_not_understood_leaves_the_other(tmp_path: Path) -> None:
    path = hermes_home(tmp_path, "hermes-v31", "sessions: {auto_prune: 1, auto_archive: true}")
    fates = _fates(path)
    assert fates.archives
    assert not fates.deletes
    assert fates.settings["auto_prune"].given is SettingState.NOT_UNDERSTOOD


def test_a_copy_that_hermes_does_not_open_has_no_fate(tmp_path: Path) -> None:
    path = newer_file("hermes-v31", tmp_path, "delete")
    (tmp_path / "config.yaml").write_text(ON)
    assert _fates(path).unknown == "Hermes opens only files named state.db"
    lonely = tmp_path / "backup"
    lonely.mkdir()
    copy = path.rename(lonely / "state.db")
    assert _fates(copy).unknown == "no config.yaml beside it"
    link = tmp_path / "link.db"
    link.symlink_to(copy)
    (lonely / "config.yaml").write_text(ON)
    assert _fates(link).deletes, "it is Hermes' own file by another name"


def test_the_next_start_comes_after_the_interval(tmp_path: Path) -> None:
    path = hermes_home(
        tmp_path, "hermes-v31", "sessions: {auto_prune: true, min_interval_hours: 6}"
    )
    (mark,) = rows(path, "SELECT value FROM state_meta WHERE key = 'last_auto_prune'")[0]
    fates = _fates(path)
    assert fates.next_run == float(str(mark)) + 6 * HOUR
    assert min(fates.deletes.values()) == fates.next_run


@pytest.mark.parametrize(
    ("value", "next_run"),
    [("never", 24 * HOUR), (None, 24 * HOUR), ("nan", 24 * HOUR), (b"\xff", 24 * HOUR), (7, None)],
)
def test_a_mark_that_is_no_time_counts_as_never(
    tmp_path: Path, value: object, next_run: float | None
) -> None:
    path = hermes_home(tmp_path, "hermes-v31")
    with altered(path) as db:
        db.execute("UPDATE state_meta SET value = ? WHERE key = 'last_auto_prune'", (value,))
    assert _fates(path).next_run == (next_run or 7 + 24 * HOUR)


def test_a_mark_for_ever_keeps_everything(tmp_path: Path) -> None:
    path = hermes_home(tmp_path, "hermes-v31")
    with altered(path) as db:
        db.execute("UPDATE state_meta SET value = 'inf' WHERE key = 'last_auto_prune'")
    assert not _fates(path).deletes


@pytest.mark.parametrize("cell", ["soon", b"\x00", float("inf"), -1e308, "2026-01-01", None])
def test_a_time_that_is_none_is_never_claimed_to_be_old(tmp_path: Path, cell: object) -> None:
    path = hermes_home(tmp_path, "hermes-v31", BOTH)
    with altered(path) as db:
        db.execute("DELETE FROM messages")
        db.execute("DELETE FROM sessions WHERE parent_session_id IS NOT NULL")
        db.execute("PRAGMA ignore_check_constraints = ON")
        db.execute("PRAGMA writable_schema = ON")
        db.execute("UPDATE sessions SET ended_at = 1, pinned = 0, last_activity_at = ?", (cell,))
        if cell is None:
            say(db, db.execute("SELECT id FROM sessions").fetchone()[0], timestamp="never")
    store = open_store(path)
    fates = store.fates(store.catalog())
    if cell is None:
        assert len(fates.deletes) == len(store.catalog()) - 1
    else:
        assert not fates.deletes
        assert not fates.archives


@pytest.mark.parametrize("cell", ["yes", 2, b"\x01", -1])
def test_any_pin_but_zero_spares(tmp_path: Path, cell: object) -> None:
    path = hermes_home(tmp_path, "hermes-v31", BOTH)
    with altered(path) as db:
        db.execute("UPDATE sessions SET pinned = ?", (cell,))
    assert _fates(path).tell_nothing


def test_fates_of_some_sessions_equal_those_among_all(tmp_path: Path) -> None:
    path = hermes_home(tmp_path, "hermes-v31", BOTH)
    store = open_store(path)
    catalog = store.catalog()
    every = store.fates(catalog)
    chain = next(chain for key in catalog.keys if len(chain := catalog.chain(key)) > 2)
    some = [chain[0], catalog.keys[0], catalog.keys[5]]
    few = store.fates(catalog, some)
    asked = {part for key in some for part in catalog.chain(key)}
    for name in ("deletes", "archives", "ends"):
        whole: Mapping[int, float] = getattr(every, name)
        assert getattr(few, name) == {key: whole[key] for key in asked if key in whole}


@pytest.mark.parametrize("name", ["hermes-v22", "hermes-v26", "hermes-v31"])
def test_a_file_without_a_log_is_walked_in_slices_and_says_the_same(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for bound, number in (("FIRST", 3), ("LEAST", 2), ("MOST", 5)):
        monkeypatch.setattr(slices, bound, number)
    path = hermes_home(tmp_path, name, BOTH)
    said = {}
    for mode in ("wal", "delete"):
        with altered(path) as db:
            db.execute(f"PRAGMA journal_mode = {mode}").fetchall()
        store = open_store(path)
        catalog = store.catalog()
        said[mode] = (store.fates(catalog), store.fates(catalog, before=NEWEST))
    assert said["delete"] == said["wal"]
    assert said["wal"][0].deletes


def test_fates_are_renewed_for_what_changed(tmp_path: Path) -> None:
    path = hermes_home(tmp_path, "hermes-v31", BOTH)
    store = open_store(path)
    catalog = store.catalog()
    before = store.fates(catalog)
    key = min(before.deletes, key=before.deletes.__getitem__)
    with altered(path) as db:
        db.execute("UPDATE sessions SET pinned = 1 WHERE rowid = ?", (key,))
    after = before.renewed(store.fates(catalog, [key]), [key])
    assert after == store.fates(catalog)
    assert key not in after.deletes


def test_power_loop_does_nothing_by_itself(tmp_path: Path) -> None:
    store = open_store(unpack("power-loop-8.0.0", tmp_path))
    assert store.fates(store.catalog()) == NO_FATES
    assert store.too_long(store.catalog().folded(store.catalog().keys[0])) is None


def test_a_file_of_ours_has_no_fate(tmp_path: Path) -> None:
    path = one_session(tmp_path / "state.db")
    (tmp_path / "logs").mkdir()
    assert _fates(path).tell_nothing


NOW = 1_000 * DAY


def _of(**times: Mapping[int, float]) -> Fates:
    return Fates(**times, retention=90, idle=3)  # type: ignore[arg-type]


def test_a_conversation_has_the_fate_of_its_first_part_to_be_deleted() -> None:
    fates = _of(deletes={1: NOW + DAY, 2: NOW + 2 * DAY, 3: NOW + DAY})
    assert fates.of((1, 2, 3), NOW) == Fate(Deed.DELETE, NOW + DAY, True, 90, parts=2)
    assert fates.of((1, 2, 3), NOW + 3 * DAY) == Fate(Deed.DELETE, NOW + DAY, True, 90, parts=3)
    assert fates.of((4,), NOW) is None


def test_the_first_fate_counts_and_at_the_same_start_a_delete_before_an_archive() -> None:
    fates = _of(archives={1: NOW - 90 * DAY, 2: NOW - DAY}, deletes={1: NOW - DAY, 2: NOW + DAY})
    first, second = fates.of((1,), NOW), fates.of((2,), NOW)
    assert first is not None
    assert second is not None
    assert (first.deed, second.deed) == (Deed.DELETE, Deed.ARCHIVE)
    ended = _of(ends={1: NOW + DAY}).of((1,), NOW)
    assert ended is not None
    assert ended.deed is Deed.END


def test_expiring_is_what_is_deleted_within_a_week_or_archived_at_the_next_start() -> None:
    fates = _of(
        deletes={1: NOW - DAY, 2: NOW + SOON, 3: NOW + SOON + 1},
        archives={4: NOW, 5: NOW + 1},
        ends={6: NOW - DAY},
    )
    found = expiring(fates, lambda key: (key,), NOW)
    assert set(found) == {1, 2, 4}
    assert [fate.is_due(NOW) for fate in found.values()] == [True, False, True]


@pytest.mark.parametrize(
    ("fate", "words"),
    [
        (Fate(Deed.DELETE, NOW, True, 90, parts=3), "Deleted by Hermes at its next start."),
        (
            Fate(Deed.DELETE, NOW, False, 90, parts=2),
            "2 of 3 parts may be deleted by Hermes at its next start.",
        ),
        (
            Fate(Deed.END, NOW, True, 1),
            "Marked as ended by Hermes at its next start, then deleted 1 day later.",
        ),
    ],
)
def test_a_fate_in_words(fate: Fate, words: str) -> None:
    assert fate_words(NO_FATES, fate, 3, NOW) == words
