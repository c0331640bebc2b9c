"""Files that the real agents wrote: nothing in them is lost, misread or changed."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from explorer.model import Kind, MessageState
from explorer.stores.kinds import open_store
from tests.agents import run_agent
from tests.conftest import Command
from tests.factories import everybody, rows, told
from tests.real_files import HERMES_FILES, POWER_LOOP_FILES, unpack


class Facts(NamedTuple):
    """What is known to be in a file."""

    sessions: int
    matching: int
    hidden: dict[str, int]
    states: dict[str, int]
    """Messages by state."""


_EARLY = Facts(
    60, 43, {"continuation": 6, "subagent": 5, "cron": 3, "empty": 3}, {MessageState.LIVE: 2506}
)
_LATE = {"continuation": 7, "subagent": 4, "cron": 3, "empty": 3, "archived": 2}
_LOOPS = {"subagent": 5, "archived": 4, "empty": 1}

FACTS = {
    "hermes-v2": _EARLY,
    "hermes-v6": _EARLY,
    "hermes-v11": _EARLY,
    "hermes-v16": Facts(63, 44, _LATE, {MessageState.LIVE: 2532, MessageState.REWOUND: 4}),
    "hermes-v22": Facts(
        63,
        44,
        _LATE,
        {MessageState.LIVE: 2522, MessageState.REWOUND: 4, MessageState.COMPACTED: 17},
    ),
    "power-loop-0.2.0": Facts(
        42, 32, _LOOPS, {MessageState.LIVE: 2402, MessageState.COMPACTED: 20}
    ),
    "power-loop-8.0.0": Facts(
        43,
        33,
        _LOOPS,
        {MessageState.LIVE: 2403, MessageState.COMPACTED: 20, MessageState.REWOUND: 1},
    ),
}

_ALL_MESSAGES = {
    "hermes": "SELECT session_id, id FROM messages ORDER BY id",
    "power-loop-0.2.0": "SELECT session_id, seq FROM messages ORDER BY seq",
    "power-loop-8.0.0": "SELECT session_id, seq FROM pl_messages ORDER BY seq",
}


def _facts(path: Path) -> Facts:
    return FACTS[path.stem]


def _stored(path: Path) -> dict[str, list[object]]:
    """The ids of all messages by session, as plain SQL gives them."""
    sql = _ALL_MESSAGES.get(path.stem, _ALL_MESSAGES["hermes"])
    found: dict[str, list[object]] = {}
    for session, message in rows(path, sql):
        found.setdefault(str(session), []).append(message)
    return found


def _titled(path: Path, title: str) -> Any:
    return next(session for session in everybody(path) if session.title == title)


def test_list_all_gives_every_row(real_file: Path, command: Command) -> None:
    said = command("list", "--all", "--limit", "0", "--json", "--db", real_file).json
    assert said["total"] == said["matching"] == said["shown"] == _facts(real_file).sessions
    assert said["hidden"] == {}
    assert len({session["id"] for session in said["sessions"]}) == _facts(real_file).sessions


def test_hidden_sessions_are_counted_by_class(real_file: Path, command: Command) -> None:
    said = command("list", "--limit", "5", "--json", "--db", real_file).json
    facts = _facts(real_file)
    assert (said["total"], said["matching"], said["shown"]) == (facts.sessions, facts.matching, 5)
    assert said["hidden"] == facts.hidden
    assert said["matching"] + sum(said["hidden"].values()) == said["total"]


def test_sums_hold_whatever_is_asked_for(real_file: Path, command: Command) -> None:
    for options in (["--source", "cli"], ["--archived"], ["--source", "cron"], ["--source", "?"]):
        for more in ([], ["--all"]):
            said = command("list", *options, *more, "--json", "--db", real_file).json
            assert said["matching"] + sum(said["hidden"].values()) == said["total"]


def test_show_all_gives_every_message_of_every_session(real_file: Path, command: Command) -> None:
    stored = _stored(real_file)
    for session in everybody(real_file):
        said = command("show", "--all", "--json", "--db", real_file, session.id).json
        shown = [message["id"] for message in said["messages"]]
        assert sorted(shown) == stored.pop(session.id, [])
        assert {message["session_id"] for message in said["messages"]} <= {session.id}
    assert stored == {}


def test_states_of_messages_are_those_of_the_rows(real_file: Path) -> None:
    found: dict[str, int] = {}
    for session in everybody(real_file):
        for message in told(real_file, session.id):
            found[message.state] = found.get(message.state, 0) + 1
    assert found == _facts(real_file).states


def test_reading_leaves_the_file_as_it_was(real_file: Path, command: Command) -> None:
    before = real_file.read_bytes()
    some = everybody(real_file)[0].id
    for arguments in (["list", "--all"], ["show", "--all", some], ["search", "the"], ["info"]):
        assert command(*arguments, "--db", real_file).code == 0
    assert real_file.read_bytes() == before
    log = real_file.with_name(real_file.name + "-wal")
    assert not log.exists() or log.stat().st_size == 0


def test_info_counts_what_is_there(real_file: Path, command: Command) -> None:
    said = command("info", "--json", "--db", real_file).json
    assert said["sessions"] == _facts(real_file).sessions
    assert said["messages"] == sum(_facts(real_file).states.values())
    assert said["orphans"] == 0
    assert said["journal_mode"] == "wal"
    assert said["bytes"] == real_file.stat().st_size


@pytest.mark.parametrize(
    ("name", "version", "fts", "trigram", "covers"),
    [
        ("hermes-v2", 2, True, False, ["content"]),
        ("hermes-v6", 6, True, False, ["content"]),
        ("hermes-v11", 11, True, True, ["content", "tool_name", "tool_calls"]),
        ("hermes-v16", 16, True, True, ["content", "tool_name", "tool_calls"]),
        ("hermes-v22", 22, True, True, ["content", "tool_name", "tool_calls"]),
        ("power-loop-0.2.0", None, False, False, []),
        ("power-loop-8.0.0", 9, False, False, []),
    ],
)
def test_info_knows_the_schema_and_its_search_tables(
    name: str,
    version: int | None,
    fts: bool,
    trigram: bool,
    covers: list[str],
    tmp_path: Path,
    command: Command,
) -> None:
    said = command("info", "--json", "--db", unpack(name, tmp_path)).json
    assert said["kind"] == name.rpartition("-")[0]
    assert said["schema_version"] == version
    search = {"fts": fts, "trigram": trigram, "cjk": False, "covers": covers}
    assert said["search"] | search == said["search"]


def test_a_compressed_conversation_is_one_row(hermes_file: Path) -> None:
    store = open_store(hermes_file)
    catalog = store.catalog()
    listed, _ = catalog.select()
    folded = {s.root_id: s for s in store.sessions([catalog.folded(k) for k in listed], 0.0)}
    chain = folded["20251020_212135_953f48"]
    assert (chain.parts, chain.id, chain.tip_id) == (4, *["20251020_212506_93bd04"] * 2)
    assert chain.message_count == 11 + 15 + 15 + 12
    assert {s.parts for s in folded.values()} == {1, 2, 3, 4}


def test_a_part_by_itself_names_its_conversation(hermes_file: Path) -> None:
    part = next(s for s in everybody(hermes_file) if s.id == "20251020_212349_0fd630")
    assert part.kind is Kind.CONTINUATION
    assert part.parts == 1
    assert (part.root_id, part.tip_id) == ("20251020_212135_953f48", "20251020_212506_93bd04")


def test_branches_are_listed_beside_their_origin(hermes_file: Path) -> None:
    kinds = {session.id: session.kind for session in everybody(hermes_file)}
    assert kinds["20251023_093149_0becd7"] is Kind.ROOT
    assert kinds["20251023_093226_8e8197"] is Kind.BRANCH


@pytest.mark.parametrize("name", ["hermes-v16", "hermes-v22"])
def test_an_archived_conversation_is_archived_as_a_whole(
    name: str, tmp_path: Path, command: Command
) -> None:
    path = unpack(name, tmp_path)
    said = command("list", "--archived", "--json", "--db", path).json
    assert {(row["title"], row["parts"]) for row in said["sessions"]} == {
        ("Archived one", 1),
        ("Archived chain #2", 2),
    }
    assert all(row["archived"] for row in said["sessions"])


@pytest.mark.parametrize("name", ["hermes-v16", "hermes-v22"])
def test_rewound_messages_are_shown_on_request_only(name: str, tmp_path: Path) -> None:
    path = unpack(name, tmp_path)
    session = _titled(path, "Rewound session")
    states = [message.state for message in told(path, session.id)]
    assert states.count(MessageState.REWOUND) == 4
    assert len(told(path, session.id, everything=False)) == len(states) - 4


def test_a_compacted_session_is_shown_in_full(tmp_path: Path) -> None:
    path = unpack("hermes-v22", tmp_path)
    session = _titled(path, "In-place compacted")
    assert session.message_count == 7
    assert len(told(path, session.id, everything=False)) == 24


@pytest.mark.parametrize("name", HERMES_FILES)
def test_a_picture_is_a_placeholder(name: str, tmp_path: Path) -> None:
    path = unpack(name, tmp_path)
    texts = [message.text for message in told(path, "20251025_013409_1e27a1c0")]
    assert texts[0].startswith("What bird is in this picture? kookaburra\n[image ")
    assert any(text == "screenshot taken\n[image s.png]" for text in texts)
    assert "base64" not in "".join(texts)


@pytest.mark.parametrize("name", POWER_LOOP_FILES)
def test_a_title_of_power_loop_comes_from_its_metadata(name: str, tmp_path: Path) -> None:
    session = _titled(unpack(name, tmp_path), "Marathon")
    assert session.message_count == 2001
    assert session.input_tokens == 1_266_633


def test_a_note_comes_before_the_messages_it_replaces(tmp_path: Path) -> None:
    path = unpack("power-loop-8.0.0", tmp_path)
    told_ = told(path, _titled(path, "Compacted twice").id)
    notes = [at for at, message in enumerate(told_) if message.tool_name == "compact_note"]
    assert [told_[at + 1].id for at in notes] == [1, 11]
    assert {message.state for message in told_[1:11]} == {MessageState.COMPACTED}


@pytest.mark.parametrize(
    ("name", "version"),
    [("hermes-v11", "0.13.0"), ("hermes-v16", "0.17.0"), ("hermes-v22", "0.19.0")],
)
def test_hermes_itself_lists_the_same_conversations(
    name: str, version: str, tmp_path: Path, command: Command
) -> None:
    code = """
import json, sys
from pathlib import Path
from hermes_state import SessionDB
db = SessionDB(Path(sys.argv[1]))
print(json.dumps([row["id"] for row in db.list_sessions_rich(limit=999)]))
db.close()
"""
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    copy = unpack(name, theirs)
    listed = json.loads(run_agent(code, "hermes-agent", version, tmp_path / "home", copy))
    path = unpack(name, tmp_path)
    ours = command("list", "--limit", "0", "--json", "--db", path).json["sessions"]
    machinery = {s.id for s in everybody(path) if s.source == "cron" or not s.message_count}
    assert {row["id"] for row in ours} == set(listed) - machinery
