"""What `info` says of the search tables is what they do: tried on every layout in the field."""

import json
import shutil
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.stores.hermes.info import Statements, layout
from explorer.stores.hermes.search import declared
from tests.conftest import Command
from tests.factories import T0, altered, insert, rows, say
from tests.newer_files import NEWER_FILES, newer_file
from tests.real_files import HERMES_FILES, unpack

CUT = "tool results beyond 8,192 characters"
TABLES = {"fts": "messages_fts", "trigram": "messages_fts_trigram"}
PROBES: dict[str, tuple[str, dict[str, object]]] = {
    "plaincontent": ("probe", {"content": "plaincontent"}),
    "toolnames": ("probe", {"role": "assistant", "content": "x", "tool_name": "toolnames"}),
    "toolcalls": (
        "probe",
        {"role": "assistant", "content": "x", "tool_calls": json.dumps(["toolcalls"])},
    ),
    "toolstart": ("probe", {"role": "tool", "content": "toolstart " + "x " * 5000}),
    "toolbehind": ("probe", {"role": "tool", "content": "x " * 5000 + "toolbehind"}),
    "byclock": ("probe-cron", {"content": "byclock"}),
    "subagents": ("probe-subagent", {"content": "subagents"}),
    "delegates": ("probe-delegate", {"content": "delegates"}),
    "reasoned": ("probe", {"role": "assistant", "content": "x", "reasoning": "reasoned"}),
}
"""A word each, and the message that holds it."""
GAPS = {
    "toolnames": ("tool names",),
    "toolcalls": ("tool calls",),
    "toolstart": ("tool messages",),
    "toolbehind": ("tool messages", CUT),
    "byclock": ("cron and subagent sessions",),
    "subagents": ("cron and subagent sessions",),
    "delegates": ("cron and subagent sessions",),
    "reasoned": ("reasoning",),
}
"""What is said where a table does not know the word."""


def _planted(name: str, folder: Path) -> Path:
    path = newer_file(name, folder) if name in NEWER_FILES else unpack(name, folder)
    with altered(path) as db:
        columns = {row[1] for row in db.execute("PRAGMA table_info(messages)")}
        for id_, source, config in (
            ("probe", "cli", None),
            ("probe-cron", "cron", None),
            ("probe-subagent", "subagent", None),
            ("probe-delegate", "cli", '{"_delegate_from": "probe"}'),
        ):
            cells = {"id": id_, "source": source, "started_at": T0, "model_config": config}
            insert(db, "sessions", **cells)
        for id_, cells in PROBES.values():
            if cells.keys() <= columns:
                say(db, id_, **cells)
    return path


def _knows(path: Path, table: str, word: str) -> bool:
    sql = f"SELECT rowid FROM {table} WHERE {table} MATCH ?"
    return bool(rows(path, sql, [f'"{word}"']))


@pytest.mark.parametrize("name", [*HERMES_FILES, *NEWER_FILES])
def test_the_reported_gaps_are_the_only_ones(name: str, tmp_path: Path, command: Command) -> None:
    path = _planted(name, tmp_path)
    said = command("info", "--json", "--db", path).json["search"]
    covers = {"fts": said["covers"], "trigram": said["trigram_covers"]}
    for key, table in TABLES.items():
        if not said[key]:
            assert key not in said["leaves_out"]
            continue
        gaps = said["leaves_out"][key]
        for word in PROBES:
            if word == "reasoned" and name == "hermes-v2":
                continue
            left_out = [gap for gap in GAPS.get(word, ()) if gap in gaps]
            assert _knows(path, table, word) is not bool(left_out), (table, word, gaps)
        columns = ("tool_name", "toolnames"), ("tool_calls", "toolcalls")
        for column, word in columns:
            assert (column in covers[key]) is _knows(path, table, word)
        assert "content" in covers[key]
        assert not any("unknown" in gap for gap in gaps)
    assert said["trouble"] == []


EXPECTED = {
    "hermes-v6": (["tool names", "tool calls", "reasoning"], None),
    "hermes-v22": (["reasoning", "Codex items"], ["reasoning", "Codex items"]),
    "hermes-v26": (["reasoning", "Codex items"], ["tool messages", "reasoning", "Codex items"]),
    "hermes-v26-to-v31": (
        [CUT, "reasoning", "Codex items"],
        ["tool messages", "reasoning", "Codex items"],
    ),
    "hermes-v31": (
        [CUT, "reasoning", "Codex items"],
        ["tool messages", "cron and subagent sessions", "tool calls", "reasoning", "Codex items"],
    ),
    "hermes-v22-to-v31": (
        [f"{CUT} that were changed later", "reasoning", "Codex items"],
        [f"{CUT} that were changed later", "reasoning", "Codex items"],
    ),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_each_layout_is_recognised(name: str, tmp_path: Path, command: Command) -> None:
    path = _planted(name, tmp_path)
    said = command("info", "--json", "--db", path).json["search"]
    words, trigrams = EXPECTED[name]
    told = {"fts": words} | ({} if trigrams is None else {"trigram": trigrams})
    assert said["leaves_out"] == told


def test_a_result_that_was_changed_later_is_cut_as_it_is_said(tmp_path: Path) -> None:
    path = _planted("hermes-v22-to-v31", tmp_path)
    assert _knows(path, "messages_fts", "toolbehind")
    with altered(path) as db:
        db.execute("UPDATE messages SET content = content || ' ' WHERE content LIKE '%toolbehind'")
    for table in TABLES.values():
        assert not _knows(path, table, "toolbehind")


NOTED = {
    "fts_stale": ("1", "the search table is out of date"),
    "fts_rebuild_high_water": ("1000000", "the search table is being rebuilt, 10 messages to go"),
}


@pytest.mark.parametrize("name", ["hermes-v26", "hermes-v31"])
@pytest.mark.parametrize("key", NOTED)
def test_what_the_agent_noted_of_its_tables_is_said(
    name: str, key: str, tmp_path: Path, command: Command
) -> None:
    path = newer_file(name, tmp_path)
    value, why = NOTED[key]
    with altered(path) as db:
        (newest,) = db.execute(
            "SELECT id FROM messages ORDER BY id DESC LIMIT 1 OFFSET 10"
        ).fetchone()
        noted = {key: value, "fts_rebuild_progress": str(newest)}
        db.executemany("INSERT OR REPLACE INTO state_meta VALUES (?, ?)", noted.items())
    assert command("info", "--json", "--db", path).json["search"]["trouble"] == [why]
    assert f"{why}: every search reads all messages" in command("info", "--db", path).out


def test_tables_without_triggers_are_reported_as_out_of_date(
    tmp_path: Path, command: Command
) -> None:
    path = newer_file("hermes-v31", tmp_path)
    with altered(path) as db:
        db.execute("DROP TRIGGER messages_fts_insert")
        # A comment feeds nothing.
        db.execute(
            "CREATE TRIGGER other AFTER INSERT ON messages BEGIN"
            " /* INSERT INTO messages_fts(rowid) VALUES (1); */ SELECT 1;"
            " -- INSERT INTO messages_fts(rowid) VALUES (1);\n END"
        )
    said = command("info", "--json", "--db", path).json["search"]
    assert said["trouble"] == ["the search table is not kept up to date"]
    assert said["covers"] == ["content", "tool_name", "tool_calls"]


def test_info_says_that_tables_can_be_made_smaller(tmp_path: Path, command: Command) -> None:
    path = newer_file("hermes-v22-to-v31", tmp_path)
    assert "`hermes sessions optimize-storage`" in command("info", "--db", path).out
    work = tmp_path / "profiles" / "work" / "state.db"
    work.parent.mkdir(parents=True)
    shutil.copy(path, work)
    assert "`hermes -p work sessions optimize-storage`" in command("info", "--db", work).out
    with altered(path) as db:
        db.execute("UPDATE state_meta SET value = '0' WHERE key = 'fts_optimize_available'")
    assert "optimize-storage" not in command("info", "--db", path).out
    assert command("info", "--json", "--db", path).json["search"]["notes"] == []


def test_the_words_of_info(tmp_path: Path, command: Command) -> None:
    said = command("info", "--db", newer_file("hermes-v31", tmp_path)).out
    assert "words over content, tool_name, tool_calls; trigrams over content, tool_name" in said
    assert f"not covered by words: {CUT}, reasoning" in said
    assert "not covered by trigrams: tool messages, cron and subagent sessions, tool calls" in said
    assert "Text that is not covered is found by reading all messages." in said
    older = command("info", "--db", unpack("hermes-v22", tmp_path)).out
    assert "words and trigrams over content, tool_name, tool_calls" in older
    assert "not covered by words or trigrams: reasoning" in older


def _layout(table: str, view: str = "", *triggers: str) -> Any:
    views = {"src": f"CREATE VIEW src AS {view}"} if view else {}
    return layout("t", Statements({"t": table}, views, triggers))


EXTERNAL = "CREATE VIRTUAL TABLE t USING fts5(content, tool_name, tool_calls, content='src')"


def test_names_may_be_quoted_and_comments_say_nothing() -> None:
    made = """CREATE VIRTUAL TABLE "t" USING fts5 ( -- content, tool_calls
        "content", [tool_name], `role` UNINDEXED, /* tool_calls, */ content = "src",
        content_rowid=id, tokenize="unicode61 remove_diacritics 2")"""
    assert declared(made) == (("content", "tool_name"), "src")
    found = _layout(made, "SELECT id, content FROM messages -- WHERE role <> 'tool'")
    assert found == (("content", "tool_name"), ())
    quoted = 'SELECT id FROM messages AS "m" WHERE "m"."role" != \'tool\' /* AND x */'
    assert _layout(made, quoted).leaves_out == ("tool messages",)


UNKNOWN = ("messages that a rule unknown to this version leaves out",)


@pytest.mark.parametrize(
    ("view", "gaps"),
    [
        ("SELECT id, content FROM messages", ()),
        ("SELECT id FROM messages WHERE weight > 3", UNKNOWN),
        ("SELECT id FROM messages WHERE role <> 'tool' OR weight > 3", UNKNOWN),
        (
            "SELECT id FROM messages WHERE role <> 'tool' AND weight > 3",
            ("tool messages", *UNKNOWN),
        ),
        ("SELECT id FROM messages WHERE (role <> 'tool')", ("tool messages",)),
        ("SELECT id FROM messages UNION SELECT id FROM others", UNKNOWN),
        ("SELECT id FROM messages LIMIT 5", UNKNOWN),
        (
            "SELECT id, substr(content, 1, 100) AS content FROM messages",
            ("content beyond 100 characters",),
        ),
        ("SELECT id, 'substr(content, 1, 9)' FROM messages", ()),
        (
            "SELECT m.id FROM messages m JOIN sessions s ON s.id = m.session_id"
            " WHERE s.source NOT IN ('cron')",
            ("cron sessions",),
        ),
        ("SELECT id FROM messages WHERE", ()),
    ],
)
def test_what_a_view_leaves_out_is_named_or_reported_as_unknown(
    view: str, gaps: tuple[str, ...]
) -> None:
    assert _layout(EXTERNAL, view).leaves_out == gaps


def test_a_table_whose_view_is_gone_is_still_described() -> None:
    assert _layout(EXTERNAL) == (("content", "tool_name", "tool_calls"), ())


@cache
def _real() -> list[str]:
    """The statements that real tables are made of."""
    sql = "SELECT sql FROM sqlite_master WHERE sql LIKE '%fts%'"
    with TemporaryDirectory() as folder:
        files = [newer_file(name, Path(folder)) for name in ("hermes-v31", "hermes-v22-to-v31")]
        return [str(made) for path in files for (made,) in rows(path, sql)]


@settings(deadline=None)
@given(st.data())
def test_no_statement_is_too_odd(data: st.DataObject) -> None:
    """Cut anywhere, with anything put in."""

    def odd() -> str:
        sql = data.draw(st.sampled_from(_real()))
        start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(sql))] * 2)))
        return (
            sql[:start]
            + data.draw(st.sampled_from(["", "(", ")", "'", "AND", ",", "--", "x"]))
            + sql[end:]
        )

    found = layout(
        "messages_fts",
        Statements({"messages_fts": odd()}, {"messages_fts_src": odd()}, [odd(), odd()]),
    )
    assert set(found.covers) <= {"content", "tool_name", "tool_calls"}
