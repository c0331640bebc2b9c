"""What is particular to power-loop: several sets of tables in a file, leases, its own states."""

from pathlib import Path
from typing import Any

import pytest

from explorer.errors import Problem, StoreError
from explorer.model import Hidden, Session, Sort, State
from explorer.search.hits import CompleteSearch
from explorer.stores.base import Needles
from explorer.stores.kinds import open_store
from explorer.stores.power_loop import search
from explorer.stores.resolve import read_session
from explorer.stores.sort_order import ordered, values_of
from explorer.stores.sqlite.read_only import Reader, Values
from tests.conftest import Command
from tests.factories import NOW, altered, everybody, rows, told
from tests.real_files import unpack


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return unpack("power-loop-8.0.0", tmp_path)


@pytest.fixture
def upgraded(path: Path, tmp_path: Path) -> Path:
    """A file in which an old set of tables lies beside the new one."""
    old = unpack("power-loop-0.2.0", tmp_path)
    with altered(path) as db:
        db.execute("ATTACH ? AS old", (str(old),))
        for table in ("sessions", "messages", "usage_rounds"):
            (sql,) = db.execute(
                "SELECT sql FROM old.sqlite_master WHERE name = ?", (table,)
            ).fetchone()
            db.execute(sql)
            db.execute(f"INSERT INTO main.{table} SELECT * FROM old.{table}")
    return path


def _titled(path: Path, title: str) -> list[Session]:
    return [session for session in everybody(path) if session.title == title]


def test_every_set_of_tables_is_listed(upgraded: Path) -> None:
    sessions = everybody(upgraded)
    assert len(sessions) == 42 + 43
    assert len({session.key for session in sessions}) == len(sessions)
    assert [session.message_count for session in _titled(upgraded, "Marathon")] == [2001, 2001]


def test_sessions_are_ordered_by_title_and_by_tokens(upgraded: Path) -> None:
    store = open_store(upgraded)
    catalog = store.catalog()
    known = {session.key: session for session in everybody(upgraded)}
    by_title = ordered(catalog, catalog.keys, Sort.TITLE, values_of(store, Sort.TITLE))
    titles = [known[key].title for key in by_title]
    named = [title.casefold() for title in titles if title]
    assert titles[: len(named)] == [title for title in titles if title]
    assert named == sorted(named)
    by_tokens = ordered(catalog, catalog.keys, Sort.TOKENS, values_of(store, Sort.TOKENS))
    used = [(known[key].input_tokens or 0) + (known[key].output_tokens or 0) for key in by_tokens]
    assert used == sorted(used, reverse=True)
    assert used[0] > 1_000_000


def test_a_page_takes_as_many_questions_as_one_row(
    upgraded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store(upgraded)
    catalog = store.catalog()
    asked: list[str] = []
    really = Reader.rows

    def counted(self: Reader, sql: str, values: Values = ()) -> list[Any]:
        asked.append(sql)
        return really(self, sql, values)

    monkeypatch.setattr(Reader, "rows", counted)
    page = [catalog.folded(key) for key in catalog.keys]
    assert len(store.sessions(page, NOW)) == 85
    assert len(asked) < 24, "two sets of tables, a few questions each"
    assert not [sql for sql in asked if "count(*)" in sql and "= ?" in sql]


def test_a_title_of_power_loop_is_found(path: Path) -> None:
    store = open_store(path)
    found = CompleteSearch(store, store.catalog(), "marathon", NOW, everything=True).hits()
    (session,) = _titled(path, "Marathon")
    assert [hit.session_key for hit in found if hit.field == "title"] == [session.key]


def test_messages_come_from_the_set_their_session_is_in(upgraded: Path) -> None:
    store = open_store(upgraded)
    for session in _titled(upgraded, "Compacted twice"):
        messages = list(read_session(store, session.key, everything=True))
        assert len(messages) == 40
        assert {message.session_id for message in messages} == {session.id}


def test_hits_of_all_sets_come_newest_first(upgraded: Path) -> None:
    store = open_store(upgraded)
    found = CompleteSearch(store, store.catalog(), "release", NOW, everything=True).hits()
    times = [hit.timestamp or 0.0 for hit in found if hit.field == "content"]
    assert len(times) > 20
    assert times == sorted(times, reverse=True)


def test_a_lease_that_has_not_expired_means_running(path: Path) -> None:
    (loop,) = _titled(path, "Loop 1")
    assert loop.state is State.OPEN
    with altered(path) as db:
        db.execute("DELETE FROM pl_session_leases")
        columns = [row[1] for row in db.execute("PRAGMA table_info(pl_session_leases)")]
        values = {"session_id": loop.id, "expires_at": int(NOW * 1000) + 1}
        db.execute(
            f"INSERT INTO pl_session_leases ({', '.join(columns)})"
            f" VALUES ({', '.join('?' * len(columns))})",
            [values.get(column, 1) for column in columns],
        )
    assert _titled(path, "Loop 1")[0].state is State.RUNNING
    with altered(path) as db:
        db.execute("UPDATE pl_session_leases SET expires_at = ?", (int(NOW * 1000) - 1,))
    assert _titled(path, "Loop 1")[0].state is State.OPEN


@pytest.mark.parametrize(("ago", "running"), [(119, True), (121, False)])
def test_a_search_for_running_sessions_finds_those_whose_rows_say_so(
    path: Path, ago: int, running: bool
) -> None:
    with altered(path) as db:
        db.execute("UPDATE pl_messages SET created_at = ?", (int((NOW - ago) * 1000),))
    store = open_store(path)
    catalog = store.catalog()
    units = [catalog.single(key) for key in catalog.keys if key not in catalog.empty]
    said = {row.id for row in store.sessions(units, NOW) if row.state is State.RUNNING}
    found = CompleteSearch(store, catalog, "is:running", NOW, everything=True).hits()
    assert {hit.session_id for hit in found} == said
    assert bool(said) == running


def test_figures_too_great_for_a_sum_are_no_error(path: Path) -> None:
    with altered(path) as db:
        db.execute("UPDATE pl_usage_rounds SET prompt_tokens = 9223372036854775807")
        db.execute("UPDATE pl_session_stats SET prompt_tokens = 9223372036854775807")
    assert len(everybody(path)) == 43


def test_numbers_of_messages_that_are_none_lose_nothing(path: Path) -> None:
    (loop,) = _titled(path, "Loop 1")
    with altered(path) as db:
        db.execute(
            "UPDATE pl_messages SET seq = 'third', meta_json = '{'"
            " WHERE session_id = ? AND seq = 3",
            (loop.id,),
        )
    assert len(open_store(path).outlines(loop.key)) == 7


def test_dropped_messages_are_shown_on_request_only(path: Path) -> None:
    (session,) = _titled(path, "Compacted twice")
    assert len(told(path, session.id)) == len(told(path, session.id, everything=False)) + 1


def test_content_is_parts_only_where_its_meta_says_so(path: Path) -> None:
    (session,) = _titled(path, "Multimodal")
    assert told(path, session.id)[0].text == "What bird? kookaburra\n[image 3 B png]"
    with altered(path) as db:
        db.execute("UPDATE pl_messages SET meta_json = '{}'")
    assert told(path, session.id)[0].text.startswith('[{"type"')


def test_a_session_of_a_session_that_is_gone_is_still_there(path: Path) -> None:
    with altered(path) as db:
        db.execute("UPDATE pl_sessions SET parent_session_id = session_id WHERE kind = 'subagent'")
        db.execute("DELETE FROM pl_sessions WHERE kind = 'root'")
    listed, hidden = open_store(path).catalog().select()
    assert (listed, hidden) == ([], {Hidden.SUBAGENT: 5})


def test_tables_of_the_same_names_by_another_program_are_not_a_store(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with altered(path) as db:
        db.execute("CREATE TABLE my_sessions (session_id, created_at, kind)")
        db.execute("CREATE TABLE my_messages (session_id, text)")
    with pytest.raises(StoreError) as raised:
        open_store(path)
    assert raised.value.problem is Problem.NOT_A_STORE


def test_starts_are_seconds_and_missing_where_there_is_none(path: Path) -> None:
    before = {session.key: session.started_at for session in everybody(path)}
    assert values_of(open_store(path), Sort.STARTED) == before
    with altered(path) as db:
        db.execute("UPDATE pl_sessions SET created_at = 'soon' WHERE rowid = 2")
    assert values_of(open_store(path), Sort.STARTED) == {
        key: time for key, time in before.items() if key != 2
    }


def test_details_tell_what_lies_beside_the_messages(path: Path) -> None:
    store = open_store(path)
    (session,) = _titled(path, "Compacted twice")
    with altered(path) as db:
        db.executemany(
            "INSERT INTO pl_notes VALUES (?, ?, ?, 0, 1, 1)",
            [(session.id, number, f"note {number}") for number in range(3, 31)],
        )
    told = {
        section.title: dict(section.rows)
        for section in store.details(store.catalog().single(session.key)).sections
    }
    assert told["Timers"]["1"].startswith("wake up · armed · due 2025-10-16")
    assert told["Background tasks"] == {"bg1": "sleep 5 · running"}
    assert told["Queued follow-ups"] == {"steer": "steer left · pending"}
    assert told["Usage by send"]["Send 1"] == (
        "901 in, 81 out in 1 of 2 rounds, the others were not kept"
    )
    assert told["Hook events"]["LLM_BEFORE"].startswith("memory · recall")
    assert told["Notes"]["All"] == "30, of which the newest 20 follow"
    assert list(told["Notes"])[1:] == [str(number) for number in range(11, 31)]


def test_rounds_of_one_send_are_told_one_by_one(path: Path) -> None:
    (session,) = _titled(path, "Compacted twice")
    with altered(path) as db:
        db.execute("DELETE FROM pl_usage_rounds WHERE session_id = ?", (session.id,))
        db.executemany(
            "INSERT INTO pl_usage_rounds VALUES (?, 1, ?, ?, 5, ?, 0, 'gpt-5.1', 1)",
            [(session.id, number, 10 * number, 10 * number + 5) for number in (0, 1)],
        )
    assert _told_of(path, session, "Usage by send") == {
        "Send 1": "10 in, 10 out in 2 rounds: 0 in, 5 out; 10 in, 5 out"
    }


def test_an_early_file_says_that_its_sums_are_too_little(tmp_path: Path) -> None:
    early = unpack("power-loop-0.2.0", tmp_path)
    (session,) = _titled(early, "Compacted twice")
    assert _told_of(early, session, "Tokens")["Note"].startswith("An undercount")


@pytest.mark.parametrize("pending", ["{", "[]", '{"tool_calls": 7}', '{"tool_calls": [7]}'])
def test_what_cannot_be_read_of_an_interrupted_send_is_still_said(path: Path, pending: str) -> None:
    (session,) = _titled(path, "Interrupted")
    with altered(path) as db:
        db.execute(
            "UPDATE pl_session_state SET pending_json = ? WHERE session_id = ?",
            (pending, session.id),
        )
    assert _told_of(path, session, "Interrupted")["Waits for"].startswith("the results of ")


def _told_of(path: Path, session: Session, title: str) -> dict[str, str]:
    store = open_store(path)
    sections = store.details(store.catalog().single(session.key)).sections
    return next(dict(section.rows) for section in sections if section.title == title)


def test_what_changed_is_told_by_the_rows_above_the_last_ones(upgraded: Path) -> None:
    store = open_store(upgraded)
    catalog = store.catalog()
    nothing = store.changes(catalog.mark)
    assert nothing is not None
    assert (nothing.keys, nothing.family) == (frozenset(), None)
    (old, new) = _titled(upgraded, "Loop 1")
    with altered(upgraded) as db:
        for prefix, one in (("", old), ("pl_", new)):
            db.execute(
                f"INSERT INTO {prefix}messages (session_id, seq, role, content, created_at)"
                " VALUES (?, 900, 'user', 'more', ?)",
                (one.id, int(NOW * 1000)),
            )
        db.execute(
            "INSERT INTO pl_sessions (session_id, created_at, updated_at, kind, parent_session_id)"
            " VALUES ('child', 1, 1, 'subagent', ?)",
            (new.id,),
        )
    found = store.changes(catalog.mark)
    assert found is not None
    assert found.family is not None
    whole, renewed = store.catalog(), catalog.renewed(found.family, found.mark)
    assert {old.key, new.key} < found.keys
    assert len(found.keys) == 3
    assert set(renewed.keys) == set(whole.keys)
    assert renewed.links == whole.links
    assert renewed.last_active(old.key) == renewed.last_active(new.key) == NOW
    assert renewed.mark == whole.mark
    with altered(upgraded) as db:
        db.execute("DELETE FROM pl_messages WHERE rowid = (SELECT max(rowid) FROM pl_messages)")
    assert store.changes(found.mark) is None, "something is gone: only a survey can tell what"


def test_a_search_comes_in_stretches_from_the_end_and_misses_nothing(
    upgraded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "STRETCH", 100)
    monkeypatch.setattr(search, "PAGE", 3)
    monkeypatch.setattr(search, "MOST", 7)
    store = open_store(upgraded)
    for word in ("answer", "kookaburra", "bash"):
        wanted = Needles(((word,),), rewound=True)
        found: list[tuple[int | None, int]] = []
        done, below, stretches = [0.0], None, 0
        while stretches == 0 or below is not None:
            stretch = store.scanned(wanted, below)
            found += [(one.session_key, one.message_id) for one in stretch.found]
            done.append(stretch.done)
            below, stretches = stretch.below, stretches + 1
        holding = sum(
            int(str(amount))
            for prefix in ("", "pl_")
            for ((amount,),) in [
                rows(
                    upgraded,
                    f"SELECT count(*) FROM {prefix}messages WHERE lower(coalesce(content, '') ||"
                    " coalesce(tool_calls_json, '') || coalesce(name, '') ||"
                    f" coalesce(meta_json, '')) LIKE '%{word}%'",
                )
            ]
        )
        assert len(found) == len(set(found)) == holding
        assert stretches > 20
        assert done == sorted(done)
        assert done[-1] == 1.0


def test_show_counts_the_messages_that_it_leaves_out(tmp_path: Path, command: Command) -> None:
    path = unpack("power-loop-8.0.0", tmp_path)
    with altered(path) as db:
        db.execute(
            "UPDATE pl_messages SET state = 'dropped' WHERE state = 'active'"
            " AND session_id = (SELECT session_id FROM pl_messages LIMIT 1)"
        )
    ((id_, dropped),) = rows(
        path,
        "SELECT session_id, count(*) FROM pl_messages WHERE state = 'dropped'"
        " GROUP BY session_id ORDER BY count(*) DESC LIMIT 1",
    )
    shown = command("show", str(id_), "--db", path)
    assert f"{dropped} rewound or hidden messages not shown. --all prints them." in shown.err
    assert "not shown" not in command("show", str(id_), "--all", "--db", path).err
