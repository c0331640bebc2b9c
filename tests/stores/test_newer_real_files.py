"""Files of today's Hermes, of every schema, born and upgraded: nothing in them is lost, misread or
changed. The measure is plain SQL."""

from pathlib import Path

import pytest

from explorer.model import MessageState
from explorer.stores.kinds import open_store
from tests.conftest import Command
from tests.factories import everybody, keys, pairs, rows, told
from tests.newer_files import MODES, NEWER_FILES, newer_file

FILES = pytest.mark.parametrize("name", NEWER_FILES)


@FILES
def test_sums_hold_whatever_is_asked_for(name: str, tmp_path: Path, command: Command) -> None:
    path = newer_file(name, tmp_path, "delete")
    for options in (["--source", "cli"], ["--archived"], ["--source", "kanban"], ["--source", "?"]):
        for more in ([], ["--all"]):
            said = command("list", *options, *more, "--json", "--db", path).json
            assert said["matching"] + sum(said["hidden"].values()) == said["total"]


@FILES
def test_show_all_gives_every_message_of_every_session(
    name: str, tmp_path: Path, command: Command
) -> None:
    path = newer_file(name, tmp_path, "delete")
    stored: dict[str, list[object]] = {}
    for session, message in rows(path, "SELECT session_id, id FROM messages ORDER BY id"):
        stored.setdefault(str(session), []).append(message)
    for session in everybody(path):
        said = command("show", "--all", "--json", "--db", path, session.id).json
        assert [message["id"] for message in said["messages"]] == stored.pop(session.id, [])
    assert stored == {}


@FILES
def test_messages_are_those_of_the_rows(name: str, tmp_path: Path) -> None:
    path = newer_file(name, tmp_path, "delete")
    stored = {
        id_: cells
        for id_, *cells in rows(
            path,
            "SELECT id, role, CASE WHEN active THEN 'live' WHEN compacted THEN 'compacted'"
            " ELSE 'rewound' END, display_kind, content FROM messages",
        )
    }
    for session in everybody(path):
        for message in told(path, session.id):
            role, state, kind, content = stored.pop(message.id)
            assert (message.role, message.state, message.display) == (role, state, kind)
            plain = content is not None and not str(content).startswith(("\0", "<think"))
            if plain and role == "user":
                assert message.text == content
    assert stored == {}


@FILES
def test_what_is_shown_is_what_is_live_or_was_compressed(name: str, tmp_path: Path) -> None:
    path = newer_file(name, tmp_path, "delete")
    for session in everybody(path):
        shown = told(path, session.id, everything=False)
        assert MessageState.REWOUND not in {message.state for message in shown}
        assert not any(message.unseen for message in shown)


@FILES
def test_system_prompts_come_from_their_table(name: str, tmp_path: Path) -> None:
    path = newer_file(name, tmp_path, "delete")
    shared = "NULL"
    if rows(path, "SELECT 1 FROM sqlite_master WHERE name = 'system_prompts'"):
        shared = "(SELECT prompt FROM system_prompts WHERE hash = system_prompt_hash)"
    stored = pairs(path, f"SELECT id, coalesce({shared}, system_prompt, '') FROM sessions")
    store = open_store(path)
    assert {id_: store.system_prompt(key) for id_, key in keys(store).items()} == stored
    assert any(stored.values())


@FILES
@pytest.mark.parametrize("mode", MODES)
def test_reading_leaves_the_file_as_it_was(
    name: str, mode: str, tmp_path: Path, command: Command
) -> None:
    path = newer_file(name, tmp_path, mode)
    before = path.read_bytes()
    some = everybody(path)[0].id
    for arguments in (["list", "--all"], ["show", "--all", some], ["search", "the"], ["info"]):
        assert command(*arguments, "--db", path).code == 0
    assert path.read_bytes() == before
    assert not path.with_name(f"{path.name}-journal").exists()
