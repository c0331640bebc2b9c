"""Cells that no honest agent writes: nothing raises, and nothing is lost."""

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from explorer.model import Sort
from explorer.stores.columns import COST, ID, MESSAGES, TITLE, WORKSPACE
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.kinds import open_store
from explorer.stores.resolve import read_session
from explorer.stores.sqlite import cells
from tests.conftest import Command
from tests.factories import NOW, T0, altered, everybody, insert, one_session, rows, say, talk, told

NOT_TEXT = "CAST(x'68e928ff' AS TEXT)"
DEEP = "[" * 1000 + "]" * 1000
NEARLY_TOO_DEEP = "[" * 900 + "]" * 900


def _set(column: str, value: str, table: str = "messages") -> Callable[[sqlite3.Connection], None]:
    def spoil(db: sqlite3.Connection) -> None:
        db.execute(f"UPDATE {table} SET {column} = {value}")

    return spoil


def _new(column: str, value: str, table: str = "messages") -> Callable[[sqlite3.Connection], None]:
    """A column of a newer schema, with this in every row."""

    def spoil(db: sqlite3.Connection) -> None:
        db.execute(f"ALTER TABLE {table} ADD COLUMN {column}")
        db.execute(f"UPDATE {table} SET {column.split()[0]} = {value}")

    return spoil


def _add(**message: object) -> Callable[[sqlite3.Connection], None]:
    def spoil(db: sqlite3.Connection) -> None:
        say(db, "s", **message)

    return spoil


def _id_not_text(db: sqlite3.Connection) -> None:
    db.execute(f"UPDATE messages SET session_id = {NOT_TEXT} WHERE session_id = 's'")
    db.execute(f"UPDATE sessions SET id = {NOT_TEXT} WHERE id = 's'")


def _id_of_bytes(db: sqlite3.Connection) -> None:
    db.execute("UPDATE messages SET session_id = x'73' WHERE session_id = 's'")
    db.execute("UPDATE sessions SET id = x'73' WHERE id = 's'")


def _ids_that_look_alike(db: sqlite3.Connection) -> None:
    for byte in ("fe", "ff"):
        db.execute(
            "INSERT INTO sessions (id, source, started_at, parent_session_id)"
            f" VALUES (CAST(x'{byte}' AS TEXT), 'cli', 1, 's')"
        )


def _id_null(db: sqlite3.Connection) -> None:
    for _ in range(2):
        insert(db, "sessions", id=None, source="cli", started_at=T0)


def _many_versions(db: sqlite3.Connection) -> None:
    for version in (1, 99, 3):
        insert(db, "schema_version", version=version)


def _orphans(db: sqlite3.Connection) -> None:
    say(db, "gone", content="hello from nowhere")
    db.execute(f"INSERT INTO messages (session_id, role, timestamp) VALUES ({NOT_TEXT}, 'x', 1)")


def _missing_parent(db: sqlite3.Connection) -> None:
    db.execute("UPDATE sessions SET parent_session_id = 'nobody'")


SPOILERS: dict[str, Callable[[sqlite3.Connection], None]] = {
    "content that is no text": _set("content", NOT_TEXT),
    "title that is no text": _set("title", f"{NOT_TEXT} || rowid", "sessions"),
    "source that is no text": _set("source", NOT_TEXT, "sessions"),
    "id that is no text": _id_not_text,
    "ids that look alike": _ids_that_look_alike,
    "id of bytes": _id_of_bytes,
    "id that is null": _id_null,
    "no source": _set("source", "''", "sessions"),
    "NUL in content": _set("content", "'a' || char(0) || 'hello'"),
    "NUL in the title": _set("title", "char(0) || 'x' || rowid", "sessions"),
    "content of bytes": _set("content", "x'00ff68'"),
    "multimodal content of bytes": _set("content", "CAST(char(0) || 'json:[1]' AS BLOB)"),
    "numbers for text": _set("content", "12345"),
    "role of bytes": _set("role", "x'75736572'"),
    "unknown role": _set("role", "'oracle'"),
    "no role": _set("role", "''"),
    "text for a time": _set("timestamp", "'last Tuesday'"),
    "ISO text for a time": _set("timestamp", "'2026-03-12T14:02:33Z'"),
    "infinite time": _set("timestamp", "9e999"),
    "minus infinite time": _set("timestamp", "-9e999"),
    "time before 1970": _set("timestamp", "-1.0"),
    "time beyond the calendar": _set("timestamp", "1e18"),
    "milliseconds": _set("timestamp", "1760000000000"),
    "bytes for a time": _set("timestamp", "x'ff'"),
    "text for the start": _set("started_at", "'long ago'", "sessions"),
    "infinite start": _set("started_at", "9e999", "sessions"),
    "text for counters": _set("message_count", "'many'", "sessions"),
    "counters without end": _set("tool_call_count", "9223372036854775807", "sessions"),
    "text for archived": _set("archived", "'yes'", "sessions"),
    "text for the cost": _set("estimated_cost_usd", "'dear'", "sessions"),
    "config that is no JSON": _set("model_config", "'{_delegate_from'", "sessions"),
    "config of bytes": _set("model_config", "x'ff5f64656c65676174655f66726f6d'", "sessions"),
    "config too deep": _set("model_config", f"'_delegate_from{DEEP}'", "sessions"),
    "calls that are no JSON": _add(tool_calls="[{"),
    "calls too deep": _add(tool_calls=DEEP),
    "calls nearly too deep": _add(tool_calls=NEARLY_TOO_DEEP),
    "calls as an object": _add(tool_calls='{"id": 1}'),
    "calls as text": _add(tool_calls='"do it"'),
    "calls as a number": _add(tool_calls="7"),
    "calls as a list of anything": _add(tool_calls='[1, null, "x", {"function": 3}, [[]]]'),
    "arguments that are no number": _add(
        tool_calls='[{"function": {"name": "f", "arguments": {"x": NaN, "y": 1e999}}}]'
    ),
    "arguments nearly too deep": _add(
        tool_calls=json.dumps([{"function": {"name": "f", "arguments": NEARLY_TOO_DEEP}}])
    ),
    "half a surrogate in a call": _add(tool_calls='[{"name": "\\ud800", "arguments": "\\udfff"}]'),
    "multimodal content too deep": _add(content=f"\0json:{DEEP}"),
    "multimodal content nearly too deep": _add(content=f"\0json:{NEARLY_TOO_DEEP}"),
    "multimodal content that is no JSON": _add(content="\0json:{"),
    "parts of any type": _add(content='\0json:[{"type": []}, {"type": {}}, {"type": null}, 3]'),
    "a number of 5,000 digits": _add(content="\0json:" + "9" * 5000),
    "details of any shape": _add(reasoning_details='[1, {"text": 5, "summary": [3, {}]}]'),
    "items of any shape": _add(content="", codex_message_items='[{"content": {"a": [1]}}, 2]'),
    "every message hidden": _new("display_kind", "'hidden'"),
    "kind of bytes": _new("display_kind", "x'ff68696464656e'"),
    "a number for the kind": _new("display_kind", "7"),
    "metadata too deep": _new("display_metadata", f"'{DEEP}'"),
    "metadata that is no JSON": _new("display_metadata", "'{'"),
    "metadata of bytes": _new("display_metadata", "x'ff'"),
    "metadata twice over": _new("display_metadata", '\'"{\\"reactions\\": 5}"\''),
    "text for the order": _new("display_order INTEGER", "'first'"),
    "bytes for the order": _new("display_order", "x'ff'"),
    "half an order": _new("display_order", "1.5"),
    "one order for all": _new("display_order", "9223372036854775807"),
    "an order without a sum": _new("display_order", "-9223372036854775807 + id"),
    "text for a summary": _new("_compressed_summary", "'yes'"),
    "text for hidden": _new("hidden", "'yes'", "sessions"),
    "bytes for pinned": _new("pinned", "x'ff'", "sessions"),
    "text for the activity": _new("last_activity_at", "'soon'", "sessions"),
    "infinite activity": _new("last_activity_at", "9e999", "sessions"),
    "activity beyond the calendar": _new("last_activity_at", "1e18", "sessions"),
    "text for what was read": _new("last_read_at", "'yes'", "sessions"),
    "bytes for who named it": _new("title_source", "x'ff'", "sessions"),
    "a number for the prompt": _new("system_prompt_hash", "5", "sessions"),
    "bytes for the tools": _new("tool_names", "x'ff'", "sessions"),
    "several schema versions": _many_versions,
    "messages of nobody": _orphans,
    "a missing parent": _missing_parent,
}


@pytest.fixture(params=SPOILERS, ids=lambda name: str(name).replace(" ", "-"))
def spoiled(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "s", "hello", "Hi.")
        talk(state, "t", "hello again", "Yes?", title="Other")
    with altered(path) as db:
        SPOILERS[request.param](db)
    return path


def test_every_session_is_listed(spoiled: Path, command: Command) -> None:
    for sort in Sort:
        said = command("list", "--all", "--limit", "0", "--sort", sort, "--json", "--db", spoiled)
        ((count,),) = rows(spoiled, "SELECT count(*) FROM sessions")
        assert len(said.json["sessions"]) == count


def test_a_search_knows_of_every_session_what_the_list_says(spoiled: Path) -> None:
    columns = open_store(spoiled).columns({ID, TITLE, WORKSPACE, COST})
    for session in everybody(spoiled):
        assert columns[ID].get(session.key, "") == session.id
        assert columns[TITLE].get(session.key) == session.title
        assert columns[WORKSPACE].get(session.key) == session.workspace
        assert columns[COST].get(session.key) == session.cost_usd


def test_every_session_that_says_something_is_listed_by_default(spoiled: Path) -> None:
    talking = rows(
        spoiled,
        "SELECT rowid FROM sessions WHERE id IN (SELECT session_id FROM messages) ORDER BY rowid",
    )
    listed, _ = open_store(spoiled).catalog().select()
    assert [(key,) for key in sorted(listed)] == talking


def test_the_first_page_agrees_with_the_catalog(spoiled: Path) -> None:
    store = open_store(spoiled)
    catalog = store.catalog()
    listed = catalog.by_last_active(catalog.select()[0])
    assert [session.key for session in store.first_page(50, NOW)] == listed


def test_every_message_is_shown(spoiled: Path) -> None:
    store = open_store(spoiled)
    shown = [
        message.id
        for key in store.catalog().keys
        for message in read_session(store, key, everything=True)
    ]
    stored = rows(
        spoiled, "SELECT id FROM messages WHERE session_id IN (SELECT id FROM sessions) ORDER BY id"
    )
    assert [(id_,) for id_ in sorted(shown)] == stored


def test_the_details_of_every_session_can_be_read(spoiled: Path) -> None:
    store = open_store(spoiled)
    catalog = store.catalog()
    ids = {session.key: session.id for session in everybody(spoiled)}
    for key in catalog.keys:
        told_ = store.details(catalog.single(key))
        assert told_.id == ids[key]
        assert all(section.rows for section in told_.sections)


def test_every_session_has_facts_and_is_found_by_the_id_that_is_shown(spoiled: Path) -> None:
    store = open_store(spoiled)
    sessions = everybody(spoiled)
    assert store.columns({MESSAGES})[MESSAGES] == {row.key: row.message_count for row in sessions}
    for row in sessions:
        if row.id:
            alike = {other.key for other in sessions if other.id == row.id}
            assert store.keys_of([row.id])[row.id] in alike


def test_every_command_is_content(spoiled: Path, command: Command) -> None:
    ids = [session.id for session in everybody(spoiled)]
    for id_ in filter(None, ids):
        for how in (["--json"], [], ["--format", "markdown"]):
            said = command("show", "--all", *how, "--db", spoiled, "--", id_)
            assert said.code == (0 if ids.count(id_) == 1 else 3)
    for arguments in (["info"], ["list"], ["search", "--all", "hello"], ["search", "?"]):
        assert command(*arguments, "--json", "--db", spoiled).json
        assert command(*arguments, "--db", spoiled).code == 0


def test_messages_without_a_session_are_found_and_shown(tmp_path: Path, command: Command) -> None:
    path = one_session(tmp_path / "state.db")
    with altered(path) as db:
        _orphans(db)
        db.execute(f"INSERT INTO messages VALUES (90, {NOT_TEXT}, 'user', 'nowhere'" + _REST)
        db.execute("INSERT INTO messages VALUES (91, x'6162', 'user', 'nowhere'" + _REST)
    said = command("search", "nowhere", "--json", "--db", path).json
    assert said["total"] == 3
    assert [hit["message_id"] for hit in said["hits"]] == [3, 91, 90]
    assert command("info", "--json", "--db", path).json["orphans"] == 4
    shown = command("show", "--json", "--db", path, "gone").json
    assert shown["session"] is None
    assert [message["text"] for message in shown["messages"]] == ["hello from nowhere"]
    assert command("show", "--json", "--db", path, "ab").json["messages"][0]["id"] == 91


_REST = ", NULL, NULL, NULL, NULL, 1.0" + ", NULL" * 9 + ", 1, 0, NULL)"


def test_an_id_that_is_no_text_is_found_as_it_is_shown(tmp_path: Path, command: Command) -> None:
    path = one_session(tmp_path / "state.db")
    with altered(path) as db:
        _id_not_text(db)
    (session,) = everybody(path)
    assert session.id == "h\ufffd(\ufffd"
    said = command("show", "--json", "--db", path, "h\udce9(\udcff").json
    assert [message["text"] for message in said["messages"]] == ["hello", "Hi."]


def test_a_message_of_fifty_megabytes_is_listed_by_its_first_words(tmp_path: Path) -> None:
    path = one_session(tmp_path / "state.db")
    with altered(path) as db:
        for name in ("messages_fts_update", "messages_fts_trigram_update"):
            db.execute(f"DROP TRIGGER {name}")
        db.execute("UPDATE messages SET content = 'begin ' || CAST(zeroblob(50000000) AS TEXT)")
    (session,) = everybody(path)
    assert session.preview.startswith("begin")
    assert len(session.preview) < 1000
    assert [len(message.text) for message in told(path)] == [50_000_006] * 2


@pytest.mark.parametrize(
    ("cell", "seconds"),
    [
        (1_760_000_000, 1_760_000_000.0),
        (1_760_000_000.25, 1_760_000_000.25),
        (1_760_000_000_250, 1_760_000_000.25),
        (1_760_000_000_250_000, 1_760_000_000.25),
        ("1760000000.25", 1_760_000_000.25),
        ("2025-10-09T08:53:20Z", 1_760_000_000.0),
        (b"2025-10-09T08:53:20+00:00", 1_760_000_000.0),
        *[(cell, None) for cell in (None, "", "soon", b"\xff", 0, -1, -1e12, 1e18, float("inf"))],
        (10**400, None),
        ("nan", None),
        (True, None),
    ],
)
def test_a_time_is_understood_in_any_unit_or_not_at_all(
    cell: object, seconds: float | None
) -> None:
    assert cells.seconds(cell) == seconds


@pytest.mark.parametrize("text", [DEEP, NEARLY_TOO_DEEP, "NaN", "[-Infinity]", "1e999", "{", ""])
def test_json_that_could_not_be_written_again_is_text(text: str) -> None:
    assert cells.decoded(text) is cells.BROKEN


def test_json_may_be_wide_and_a_hundred_levels_deep() -> None:
    wide = [{"a": [number]} for number in range(500)]
    assert cells.decoded(json.dumps(wide)) == wide
    assert cells.decoded("[" * 99 + "]" * 99) is not cells.BROKEN
