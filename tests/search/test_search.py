"""Search over whole files: anything can be typed, nothing is hidden silently, hits are true."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from explorer.model import Hidden, Hit, MessageState
from explorer.render.letters import fold
from explorer.search.hits import CompleteSearch
from explorer.stores.base import Needles
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.kinds import open_store
from tests.factories import NOW, T0, altered, one_session, rows, say, talk
from tests.hostile import HOSTILE
from tests.real_files import HERMES_FILES, unpack

TYPED = (
    "it's",
    "foo(",
    '"',
    "AND",
    "*",
    "C++",
    "a AND",
    "NEAR(",
    "-x",
    "x:y",
    "{",
    "^a",
    "'",
    "\\",
)


def _search(path: Path, text: str, everything: bool = False) -> tuple[CompleteSearch, list[Hit]]:
    store = open_store(path)
    search = CompleteSearch(store, store.catalog(), text, NOW, everything)
    return search, list(search.hits())


def _ids(path: Path, text: str, everything: bool = False) -> list[int | None]:
    return [hit.message_id for hit in _search(path, text, everything)[1]]


@pytest.mark.parametrize("text", TYPED)
def test_anything_can_be_typed(real_file: Path, text: str) -> None:
    found, given = _search(real_file, text)
    assert found.complete
    assert len(given) == found.total
    counted = CompleteSearch(open_store(real_file), found._catalog, text, NOW)
    assert list(counted.hits(most=1)) == given[:1]
    assert (counted.total, counted.hidden) == (found.total, found.hidden)


def test_messages_of_any_number_are_found(tmp_path: Path) -> None:
    path = one_session(tmp_path / "state.db", "an owl")
    odd = [-(1 << 63), 7 - (1 << 63), -1, 0, 1 << 40, (1 << 63) - 1]
    with altered(path) as db:
        for number in odd:
            say(db, "s", id=number, content="an owl")
        db.execute("UPDATE messages SET timestamp = 1e9")
    assert _ids(path, "owl") == sorted([1, *odd], reverse=True)


def test_many_alternatives_are_looked_for(tmp_path: Path) -> None:
    """Each letter has its cases, each column its test: thousands, which SQLite takes in no row."""
    alternatives = [f"{one}{other}" for one in "абвгд" for other in "ежзик"]
    path = one_session(tmp_path / "state.db", f"das ist {alternatives[-1].upper()}", "und nichts")
    assert _ids(path, " OR ".join(alternatives)) == [1]
    stacked = [f"{letter}\u0323\u0307\u0316" for letter in "qwxqwxqwxqwxqwxqwxqwx"]
    assert _ids(path, " OR ".join(stacked)) == []


@pytest.mark.parametrize("text", [text for _, text in HOSTILE], ids=[name for name, _ in HOSTILE])
def test_anything_can_be_pasted(tmp_path: Path, text: str) -> None:
    found, given = _search(one_session(tmp_path / "state.db"), text)
    assert found.complete
    assert len(given) == found.total


@pytest.mark.parametrize("name", HERMES_FILES)
def test_words_are_found_where_plain_sql_finds_them(name: str, tmp_path: Path) -> None:
    path = unpack(name, tmp_path)
    stored = rows(path, "SELECT id FROM messages WHERE content LIKE '%platypus%' ORDER BY id DESC")
    found, given = _search(path, "PLATYPUS", everything=True)
    assert found.complete
    assert [(hit.message_id,) for hit in given] == stored
    assert all(hit.field == "content" for hit in given)


def test_a_hit_shows_what_was_typed(real_file: Path) -> None:
    _, given = _search(real_file, "quokka", everything=True)
    for hit in given:
        assert [fold(hit.snippet[a:b]) for a, b in hit.marks] == ["quokka"] * len(hit.marks)
        assert hit.marks


def test_all_words_must_be_in_one_message(tmp_path: Path) -> None:
    path = one_session(tmp_path / "state.db", "docker on arm64", "docker", "arm64")
    assert _ids(path, "arm64 docker") == [1]
    assert _ids(path, '"docker on"') == [1]
    assert _ids(path, '"on docker"') == []


def test_hits_come_newest_first_and_titles_before_all(tmp_path: Path) -> None:
    path = one_session(tmp_path / "state.db", "kyoto", "Kyoto!", "other", title="Trip to Kyoto")
    found, given = _search(path, "kyoto")
    assert [(hit.field, hit.message_id) for hit in given] == [
        ("title", None),
        ("content", 2),
        ("content", 1),
    ]
    assert given[0].marks == ((8, 13),)
    assert found.total == 3


@pytest.fixture
def classes(tmp_path: Path) -> Path:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "root", "owl", end="compression")
        talk(state, "tip", "owl", "Owl.", at=T0 + 9, parent="root")
        talk(state, "helper", "owl", parent="tip", config={"_delegate_from": "tip"})
        talk(state, "job", "owl", source="cron", title="Owl watch")
        talk(state, "tool", "owl", source="tool")
        talk(state, "kept", "owl")
        state.set_archived("kept", True)
        undone = talk(state, "undone", "owl", "Owl.", "owl and more")
        state.rewind("undone", undone[2])
        old = talk(state, "compacted", "owl")
        state.compact("compacted", old)
    return path


def test_hits_in_machinery_are_counted_and_left_out(classes: Path) -> None:
    found, given = _search(classes, "owl")
    assert found.hidden == {Hidden.SUBAGENT: 1, Hidden.CRON: 2, Hidden.TOOL: 1}
    assert {hit.session_id for hit in given} == {"root", "tip", "kept", "undone", "compacted"}
    assert found.total == len(given) == 7


def test_everything_means_every_class_and_what_was_rewound(classes: Path) -> None:
    found, given = _search(classes, "owl", everything=True)
    stored = rows(classes, "SELECT id FROM messages")
    assert found.hidden == {}
    assert len(given) == len(stored) + 1
    assert {hit.state for hit in given} == set(MessageState)


def test_rewound_messages_are_no_context_unless_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        ids = talk(state, "s", "first", "needle", "taken back", "never mind")
        state.rewind("s", ids[2])
        state.append_message("s", "user", "instead", timestamp=T0 + 9)
    assert _search(path, "needle")[1][0].context == (("user", "first"), ("user", "instead"))
    everything = _search(path, "needle", everything=True)[1][0]
    assert everything.context == (("user", "first"), ("user", "taken back"))


def test_context_is_the_message_before_and_after_by_id(tmp_path: Path) -> None:
    path = one_session(tmp_path / "state.db", "before", "the needle", "after")
    with altered(path) as db:
        db.execute("UPDATE messages SET timestamp = -timestamp")
    assert _search(path, "needle")[1][0].context == (("user", "before"), ("user", "after"))
    assert _search(path, "before")[1][0].context == (("assistant", "the needle"),)
    assert _search(path, "after")[1][0].context == (("assistant", "the needle"),)


def test_the_field_that_matched_is_named(tmp_path: Path) -> None:
    path = one_session(tmp_path / "state.db")
    call = (
        '[{"id": "c", "function": {"name": "terminal", "arguments": "{\\"cmd\\": \\"ferret\\"}"}}]'
    )
    with altered(path) as db:
        say(db, "s", role="assistant", content="", tool_calls=call)
        say(db, "s", role="tool", content="done", tool_name="weasel")
    assert [hit.field for hit in _search(path, "ferret")[1]] == ["tool_calls"]
    assert [hit.field for hit in _search(path, "weasel")[1]] == ["tool_name"]


def _drop_table(db: sqlite3.Connection) -> None:
    for name in ("insert", "delete", "update"):
        db.execute(f"DROP TRIGGER messages_fts_{name}")
    db.execute("DROP TABLE messages_fts")


def _drop_triggers(db: sqlite3.Connection) -> None:
    for name in ("insert", "delete", "update"):
        db.execute(f"DROP TRIGGER messages_fts_{name}")
    say(db, "s", content="the needle that nobody indexed")


def _break_blocks(db: sqlite3.Connection) -> None:
    db.execute("DELETE FROM messages_fts_data WHERE id > 10")


def _lose_tokenizer(db: sqlite3.Connection) -> None:
    db.execute("PRAGMA writable_schema = ON")
    db.execute(
        "UPDATE sqlite_master SET sql = 'CREATE VIRTUAL TABLE messages_fts USING"
        " fts5(content, tokenize=''cjk_unicode61'')' WHERE name = 'messages_fts'"
    )


def _call_it_stale(db: sqlite3.Connection) -> None:
    db.execute("INSERT INTO state_meta VALUES ('fts_stale', '1')")
    db.execute("DELETE FROM messages_fts")


def _half_rebuilt(db: sqlite3.Connection) -> None:
    db.execute("INSERT INTO state_meta VALUES ('fts_rebuild_high_water', '2')")
    db.execute("INSERT INTO state_meta VALUES ('fts_rebuild_progress', '1')")
    db.execute("DELETE FROM messages_fts WHERE rowid = 2")


@pytest.mark.parametrize(
    "spoil",
    [_drop_table, _drop_triggers, _break_blocks, _lose_tokenizer, _call_it_stale, _half_rebuilt],
)
def test_a_search_table_that_cannot_be_trusted_is_passed_by(tmp_path: Path, spoil: Any) -> None:
    path = one_session(tmp_path / "state.db", "a needle", "A NEEDLE.")
    with altered(path) as db:
        spoil(db)
    ((stored,),) = rows(path, "SELECT count(*) FROM messages")
    found, given = _search(path, "needle")
    assert found.complete
    assert len(given) == stored


def test_a_rebuild_that_is_done_is_trusted(tmp_path: Path) -> None:
    path = one_session(tmp_path / "state.db", "a needle")
    with altered(path) as db:
        db.execute("INSERT INTO state_meta VALUES ('fts_rebuild_high_water', '1')")
        db.execute("INSERT INTO state_meta VALUES ('fts_rebuild_progress', '1')")
    told = open_store(path).indexed(Needles((("needle",),)), 10)
    assert told.table
    assert [one.message_id for one in told.found] == [1]


def test_a_scan_reads_behind_a_nul(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        state.create_session("s", "cli", started_at=T0)
        parts = [{"type": "text", "text": "a needle"}, {"type": "image_url", "image_url": "x"}]
        state.append_message("s", "user", parts, timestamp=T0)
        state.append_message("s", "user", "x\0needle", timestamp=T0)
    with altered(path) as db:
        _drop_table(db)
    assert _ids(path, "needle") == [2, 1]


def test_rewound_messages_are_kept_out_of_a_scan_too(tmp_path: Path) -> None:
    path = one_session(tmp_path / "state.db", "needle", "needle")
    with altered(path) as db:
        db.execute("UPDATE messages SET active = 0 WHERE id = 2")
        _drop_table(db)
    assert _ids(path, "needle") == [1]
    assert _ids(path, "needle", everything=True) == [2, 1]


def test_dropped_messages_of_power_loop_are_found_on_request_only(tmp_path: Path) -> None:
    path = unpack("power-loop-8.0.0", tmp_path)
    less, more = _search(path, "release")[1], _search(path, "release", everything=True)[1]
    assert [hit.state for hit in more].count(MessageState.REWOUND) == 1
    assert [hit.state for hit in less].count(MessageState.REWOUND) == 0


def test_a_word_is_found_inside_others(tmp_path: Path) -> None:
    path = one_session(tmp_path / "state.db", "needles and threadneedle")
    assert _ids(path, "eedl") == [1]


def test_a_scan_goes_stretch_by_stretch_and_finds_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A read that takes its time would lock out an agent without a write-ahead log."""
    monkeypatch.setattr("explorer.stores.hermes.search.STRETCH", 7)
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        state.create_session("s", "cli", started_at=1.0)
        ids = [state.append_message("s", "user", f"+++ {n}", timestamp=2.0) for n in range(50)]
    assert _ids(path, "+++") == ids[::-1]
    first = open_store(path).scanned(Needles((("+++",),)), None)
    assert [one.message_id for one in first.found] == ids[:-8:-1]
    assert 0.0 < first.done < 0.2
