"""The details of a session: all that is stored of it, in words, and nothing made up."""

import json
import re
from pathlib import Path

import pytest

from explorer.cancel import CancelToken
from explorer.errors import Cancelled, NoSuchSession
from explorer.model import Kind
from explorer.render.figures import count, exact, exact_cost
from explorer.stores.base import Details, Store
from explorer.stores.catalog import Unit
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.hermes.gateway import files_of
from explorer.stores.hermes.words import CODED, COST_STATUSES, in_words
from explorer.stores.kinds import open_store
from tests.factories import T0, altered, everybody, insert, one_session, pairs, rows, talk
from tests.newer_files import NEWER_FILES, newer_file
from tests.real_files import POWER_LOOP_FILES, unpack

TOKENS = {
    "input_tokens": "Input",
    "output_tokens": "Output",
    "cache_read_tokens": "Cache read",
    "cache_write_tokens": "Cache write",
    "reasoning_tokens": "Reasoning",
}


def _sections(details: Details) -> dict[str, list[tuple[str, str]]]:
    return {section.title: list(section.rows) for section in details.sections}


def _value(details: Details, title: str, label: str) -> str | None:
    return dict(_sections(details).get(title, [])).get(label)


def _one(path: Path, id_: str = "s") -> Details:
    store = open_store(path)
    return store.details(store.catalog().single(store.keys_of([id_])[id_]))


def _all_text(details: Details) -> str:
    return "\n".join(f"{label}\n{value}" for part in details.sections for label, value in part.rows)


def _expected(column: str, cell: object) -> list[str]:
    """What must be found of a cell: its number, its moment, the beginning of its text."""
    if column == "archived":
        return ["yes"]
    if column.endswith("_at"):
        assert isinstance(cell, int | float)
        return [exact(cell / 1000 if cell > 1e11 else cell)]
    if column.endswith("_usd"):
        assert isinstance(cell, int | float)
        return [exact_cost(float(cell))]
    if isinstance(cell, int):
        return [count(cell)]
    text = in_words(column, str(cell)) if column in CODED else str(cell)
    if text.startswith("{"):
        return list(json.loads(text))
    return [text[:150]]


def _columns(path: Path, table: str) -> list[str]:
    return [str(row[1]) for row in rows(path, f"PRAGMA table_info({table})")]


def _units(store: Store) -> list[Unit]:
    catalog = store.catalog()
    return [catalog.folded(key) for key in catalog.keys if catalog.folded(key).key == key]


def test_every_column_of_every_session_is_in_the_details(hermes_file: Path) -> None:
    store = open_store(hermes_file)
    catalog = store.catalog()
    columns = _columns(hermes_file, "sessions")
    for key, *stored in rows(hermes_file, "SELECT rowid, * FROM sessions"):
        assert isinstance(key, int)
        told = _all_text(store.details(catalog.single(key)))
        for column, cell in zip(columns, stored, strict=True):
            if cell not in (None, "", 0):
                for words in _expected(column, cell):
                    assert words in told, (column, cell)


@pytest.mark.parametrize("name", NEWER_FILES)
def test_every_column_of_todays_hermes_is_in_the_details_and_no_hash(
    name: str, tmp_path: Path
) -> None:
    path = newer_file(name, tmp_path, "delete")
    store = open_store(path)
    catalog = store.catalog()
    columns = _columns(path, "sessions")
    prompts: dict[object, object] = {}
    if _columns(path, "system_prompts"):
        prompts = pairs(path, "SELECT hash, prompt FROM system_prompts")
    for key, *stored in rows(path, "SELECT rowid, * FROM sessions"):
        assert isinstance(key, int)
        told = _all_text(store.details(catalog.single(key)))
        assert not re.search(r"[0-9a-f]{64}", told)
        for column, cell in zip(columns, stored, strict=True):
            if column == "last_read_at" and cell == 0:
                assert "marked as unread" in told
            elif column == "system_prompt_hash" and cell:
                assert str(prompts[cell])[:150] in told
            elif column == "tool_names" and cell:
                assert "terminal, read_file, patch" in told
            elif column in ("pinned", "hidden", "archived") and cell:
                assert f"{column.capitalize()}\nyes" in told
            elif column != "auto_archived" and cell not in (None, "", 0):
                for words in _expected(column, cell):
                    assert words in told, (column, cell)


def test_the_last_activity_and_automatic_changes_are_in_the_details(tmp_path: Path) -> None:
    path = newer_file("hermes-v31", tmp_path, "delete")
    ((id_, at),) = rows(
        path, "SELECT id, last_activity_at FROM sessions WHERE last_activity_at IS NOT NULL"
    )
    assert isinstance(at, float)
    activity = f"{exact(at)}\nrunning terminal: make all\nsource: unknown"
    assert _value(_one(path, str(id_)), "Times", "Last active") == activity
    with altered(path) as db:
        db.execute(
            "UPDATE sessions SET archived = 1, auto_archived = 1, transport_profile = 'relay',"
            " source = 'telegram', session_key = 'chat', last_activity_at = 'soon' WHERE id = ?",
            (id_,),
        )
        insert(db, "conversation_generations", source="telegram", session_key="chat", generation=3)
        db.execute('UPDATE system_prompts SET prompt = \'[{"name": 5}, 7, {"name": "x"}]\'')
    told = _one(path, str(id_))
    assert _value(told, "Session", "Archived") == "yes, automatically by the agent"
    assert _value(told, "Where", "Transport profile") == "relay"
    assert _value(told, "Where", "Chat resets") == "3"
    assert _value(told, "Model", "Tools") == "x"
    assert _value(told, "Times", "Last active") is None
    with altered(path) as db:
        db.execute("PRAGMA foreign_keys = OFF")
        db.execute("DELETE FROM system_prompts")
    assert _value(_one(path, str(id_)), "Model", "Tools") == "names not stored in this file"


@pytest.mark.parametrize("name", POWER_LOOP_FILES)
def test_every_column_of_power_loop_is_in_the_details(name: str, tmp_path: Path) -> None:
    path = unpack(name, tmp_path)
    table = "sessions" if name.endswith("0.2.0") else "pl_sessions"
    columns = _columns(path, table)
    store = open_store(path)
    catalog = store.catalog()
    for key, *stored in rows(path, f"SELECT rowid, * FROM {table}"):
        assert isinstance(key, int)
        told = _all_text(store.details(catalog.single(key)))
        for column, cell in zip(columns, stored, strict=True):
            if cell not in (None, "", 0, "{}"):
                for words in _expected(column, cell):
                    assert words in told, (column, cell)


def test_a_conversation_has_the_sums_and_all_ids_of_its_parts(hermes_file: Path) -> None:
    store = open_store(hermes_file)
    several = [unit for unit in _units(store) if len(unit.parts) > 1]
    assert len(several) >= 3
    there = _columns(hermes_file, "sessions")
    for unit in several:
        told = store.details(unit)
        marks = ",".join("?" * len(unit.parts))
        of_parts = f"FROM sessions WHERE rowid IN ({marks})"
        sums = {"message_count": ("Session", "Messages")}
        sums |= {column: ("Tokens", label) for column, label in TOKENS.items()}
        for column, (title, label) in sums.items():
            if column in there:
                ((total,),) = rows(hermes_file, f"SELECT sum({column}) {of_parts}", unit.parts)
                assert isinstance(total, int)
                shown = _value(told, title, label)
                assert shown == count(total) or (shown is None and total == 0)
        ids = [row[0] for row in rows(hermes_file, f"SELECT id {of_parts}", unit.parts)]
        parts = [value.split("\n")[0] for _, value in _sections(told)["Parts"]]
        assert sorted(parts) == sorted(map(str, ids))
        assert told.id == parts[-1]


def test_a_part_by_itself_names_the_others_and_says_which_it_is(hermes_file: Path) -> None:
    told = _one(hermes_file, "20251020_212232_f29d0d")
    parts = _sections(told)["Parts"]
    assert len(parts) == 4
    assert ["this part" in value for _, value in parts] == [False, True, False, False]
    continues = _value(told, "Lineage", "Continues") or ""
    assert continues.splitlines()[-1] == "20251020_212135_953f48"
    assert _value(told, "Session", "Messages") == "15"


def test_children_are_counted_as_the_catalog_has_them(hermes_file: Path) -> None:
    store = open_store(hermes_file)
    catalog = store.catalog()
    seen = 0
    for unit in _units(store):
        told = store.details(unit)
        for kind, label in ((Kind.SUBAGENT, "Subagents"), (Kind.BRANCH, "Branches")):
            found = [
                link
                for link in catalog.links.values()
                if link.kind is kind and link.parent in unit.parts
            ]
            assert _value(told, "Lineage", label) == (count(len(found)) if found else None)
            seen += len(found)
    assert seen > 4


def test_a_branch_names_its_origin(hermes_file: Path) -> None:
    told = _one(hermes_file, "20251023_093226_8e8197")
    origin = _value(told, "Lineage", "Branch of") or ""
    assert origin.splitlines()[-1] == "20251023_093149_0becd7"


def test_a_parent_whose_row_is_gone_is_still_named(tmp_path: Path) -> None:
    path = one_session(tmp_path / "state.db")
    with altered(path) as db:
        db.execute("UPDATE sessions SET parent_session_id = 'nobody'")
    assert "nobody\nno longer in this file" in _all_text(_one(path))


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("cli_close", "closed in the terminal"),
        ("compression", "compressed, continued in the next part"),
        ("eaten_by a grue", "eaten by a grue"),
    ],
)
def test_the_end_reason_is_in_words(tmp_path: Path, reason: str, words: str) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "s", "hello", "Hi.", end=reason)
    told = _one(path)
    assert _value(told, "Times", "End reason") == words
    assert _value(told, "Times", "Duration") == "3.0 s"


def test_the_duration_of_a_session_without_an_end_is_up_to_its_last_message(tmp_path: Path) -> None:
    told = _one(one_session(tmp_path / "state.db"))
    assert _value(told, "Times", "Ended") == "not recorded"
    assert _value(told, "Times", "Duration") == "2.0 s"


@pytest.mark.parametrize(
    ("estimated", "actual", "status", "shown"),
    [
        (0.0, None, "unknown", "-"),
        (0.0, None, "included", "-"),
        (0.0, 0.0, "unknown", "-"),
        (0.0, None, None, "-"),
        (None, None, None, "-"),
        ("dear", None, "estimated", "-"),
        (0.0, None, "estimated", "$0.00"),
        (0.0042, 0.0039, "actual", "$0.0039"),
        (0.0042, None, "estimated", "$0.0042"),
    ],
)
def test_a_zero_is_a_price_only_where_the_status_says_so(
    tmp_path: Path, estimated: object, actual: object, status: str | None, shown: str
) -> None:
    path = one_session(tmp_path / "state.db")
    with altered(path) as db:
        db.execute(
            "UPDATE sessions SET estimated_cost_usd = ?, actual_cost_usd = ?, cost_status = ?",
            (estimated, actual, status),
        )
    told = _one(path)
    assert _value(told, "Cost", "Cost") == shown
    assert shown != "-" or "$" not in _all_text(told)
    assert _value(told, "Cost", "Status") == (COST_STATUSES[status] if status else None)


def test_tokens_that_were_not_counted_are_not_zero(tmp_path: Path) -> None:
    told = _one(one_session(tmp_path / "state.db"))
    assert _sections(told)["Tokens"] == [("Total", "-")]


def test_the_settings_of_the_model_are_rows(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        config = {"temperature": 0.2, "stop": ["a", "b"], "note": "x\ny", "deep": {"k": "v" * 60}}
        talk(state, "s", "hello", config=config)
    told = dict(_sections(_one(path))["Model"])
    assert told["temperature"] == "0.2"
    assert told["stop"] == '["a", "b"]'
    assert told["note"] == "x\ny"
    assert told["deep"].startswith('{\n  "k": "vv')


def test_routes_of_the_gateway_and_usage_by_model_are_in_the_details(tmp_path: Path) -> None:
    told = _one(unpack("hermes-v22", tmp_path), "20251025_013409_1e27a1c0")
    (route,) = _sections(told)["Routes"]
    assert route[1].startswith("agent:main:telegram:dm:55\n")
    used = dict(_sections(told)["By model"])
    assert "input 2,400" in used["google/gemini-3-pro · openrouter"]
    assert used["google/gemini-3-flash · vision · openrouter"].startswith("1 call · input 900")


def test_a_route_to_another_session_is_not_this_ones(tmp_path: Path) -> None:
    path = one_session(tmp_path / "state.db")
    with altered(path) as db:
        for key, entry in (("a", {"session_id": "s2", "x": "s"}), ("b", {"session_id": "s"})):
            insert(
                db, "gateway_routing", session_key=key, entry_json=json.dumps(entry), updated_at=T0
            )
        insert(db, "gateway_routing", session_key="c", entry_json='{"s"', updated_at=T0)
        insert(
            db, "gateway_routing", session_key="d", entry_json='{"session_id": []}', updated_at=T0
        )
    assert [value[0] for _, value in _sections(_one(path))["Routes"]] == ["b"]


def test_columns_of_newer_schemas_are_shown_under_their_names(tmp_path: Path) -> None:
    path = one_session(tmp_path / "state.db")
    with altered(path) as db:
        for column in ('"odd ""name"', "last_read_at", "tool_names", "hidden", "blob"):
            db.execute(f"ALTER TABLE sessions ADD COLUMN {column}")
        db.execute(
            'UPDATE sessions SET "odd ""name" = ?, last_read_at = ?, tool_names = ?, hidden = 0,'
            " blob = ?",
            ("yes", T0, '["terminal", "web"]', b"\xff\x00x"),
        )
    told = _one(path)
    also = dict(_sections(told)["Also stored"])
    assert also['Odd "name'] == "yes"
    assert _value(told, "Times", "Last read") == exact(T0)
    assert _value(told, "Model", "Tools") == '["terminal", "web"]'
    assert also["Blob"] == "\ufffd\x00x"
    assert "Hidden" not in also


def test_a_huge_cell_is_cut_with_its_full_size(tmp_path: Path) -> None:
    path = one_session(tmp_path / "state.db")
    with altered(path) as db:
        db.execute("UPDATE sessions SET system_prompt = CAST(zeroblob(20000000) AS TEXT)")
    prompt = dict(_sections(_one(path))["Also stored"])["System prompt"]
    assert len(prompt) < 3000
    assert prompt.endswith("(truncated; 20,000,000 bytes in total)")


def test_an_id_is_never_cut(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "p" * 20_000, "hello")
        talk(state, "x" * 20_000, "hello", parent="p" * 20_000)
    told = _one(path, "x" * 20_000)
    assert _value(told, "Session", "Id") == "x" * 20_000
    assert (_value(told, "Lineage", "Subagent of") or "").startswith("p" * 20_000)


def test_a_session_that_is_gone_says_so(real_file: Path) -> None:
    with pytest.raises(NoSuchSession, match="deleted"):
        open_store(real_file).details(Unit(999_999, (999_999,), Kind.ROOT))


def test_files_beside_the_store_are_named_and_measured(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    folder = tmp_path / "sessions"
    folder.mkdir()
    with StateFile.create(path) as state:
        talk(state, "a1", "hello", end="compression")
        talk(state, "a2", "on", parent="a1", at=T0 + 100)
    sizes = {
        "a1.jsonl": 10,
        "a2.json": 2000,
        "session_a2.json": 30,
        "request_dump_a2_20260101.json": 5,
    }
    others = ("a3.json", "session_a1.txt", "request_dump_a22_1.json", "xa1.json", "a1.json.bak")
    for name, size in (sizes | dict.fromkeys(others, 1)).items():
        (folder / name).write_bytes(b"x" * size)
    (folder / "a1.json").mkdir()
    (folder / "session_a1.json").symlink_to(path)
    store = open_store(path)
    told = store.details(store.catalog().folded(1))
    rows_ = dict.fromkeys(value for _, value in _sections(told)["Files"])
    assert list(rows_) == [
        str(path),
        str(folder),
        "request_dump_a2_20260101.json · 5 B",
        "session_a2.json · 30 B",
        "a1.jsonl · 10 B",
        "a2.json · 2.0 kB",
    ]


def test_a_dump_of_a_session_with_a_longer_id_is_not_taken_for_one_of_this(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    folder = tmp_path / "sessions"
    folder.mkdir()
    with StateFile.create(path) as state:
        for id_ in ("a", "a_b"):
            talk(state, id_, "hello")
    for name in ("a_1", "a_b_1", "a_c_1"):
        (folder / f"request_dump_{name}.json").touch()
    dumps = {
        id_: [value for label, value in _sections(_one(path, id_))["Files"] if "dump" in label]
        for id_ in ("a", "a_b")
    }
    assert dumps == {
        "a": ["request_dump_a_1.json · 0 B", "request_dump_a_c_1.json · 0 B"],
        "a_b": ["request_dump_a_b_1.json · 0 B"],
    }


def test_no_path_is_made_of_an_id_that_is_no_plain_name(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    (tmp_path / "sessions").mkdir()
    (tmp_path / "secret.json").write_text("x")
    (tmp_path / "sessions" / ".json").write_text("x")
    (tmp_path / "sessions" / "-a.json").write_text("x")
    with StateFile.create(path) as state:
        for id_ in ("../secret", "", "-a", "a\n"):
            talk(state, id_, "hello")
    for session in everybody(path):
        assert ".json" not in _all_text(_one(path, session.id))


def test_of_very_many_files_some_are_named_and_all_are_counted(tmp_path: Path) -> None:
    path = one_session(tmp_path / "state.db")
    folder = tmp_path / "sessions"
    folder.mkdir()
    for number in range(50):
        (folder / f"request_dump_s_{number:03}.json").write_bytes(b"x" * 100)
        (folder / f"request_dump_other_{number:03}.json").touch()
    files = _sections(_one(path))["Files"]
    assert [label for label, _ in files].count("Request dump") == 20
    assert files[-1] == ("More", "30 files · 3.0 kB")


def test_looking_for_files_can_be_cancelled(tmp_path: Path) -> None:
    (tmp_path / "sessions").mkdir()
    (tmp_path / "sessions" / "s.json").touch()
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        files_of(tmp_path / "state.db", ["s"], lambda ids: (), token)


def test_a_folder_that_is_none_says_so(tmp_path: Path) -> None:
    path = one_session(tmp_path / "state.db")
    (tmp_path / "sessions").touch()
    assert "Not a directory" in (_value(_one(path), "Files", "Other files") or "")
