"""Which messages of today's Hermes are shown, in which place, and what the others are: by plain
SQL, and by a plain rule for rows that nobody would write."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from explorer.model import Message
from explorer.stores.hermes.messages import notice, reactions
from explorer.stores.kinds import open_store
from tests.conftest import Command
from tests.factories import T0, altered, keys, one_session, rows, say, told
from tests.newer_files import NEWER_FILES, newer_file

COLUMNS = ("display_kind", "display_metadata", "display_order INTEGER", "_compressed_summary")


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One session, with the columns by which newer agents say what is shown."""
    path = one_session(tmp_path_factory.mktemp("marked") / "state.db")
    with altered(path) as db:
        for column in COLUMNS:
            db.execute(f"ALTER TABLE messages ADD COLUMN {column}")
        db.execute(
            "CREATE INDEX idx_messages_display_page"
            " ON messages(session_id, display_order, active DESC, id DESC)"
            " WHERE active = 1 OR compacted = 1"
        )
    return path


def _filled(path: Path, messages: Sequence[dict[str, object]]) -> Path:
    with altered(path) as db:
        db.execute("DELETE FROM messages")
        for id_, cells in enumerate(messages, 1):
            say(db, "s", **{"id": id_, "timestamp": T0 + id_, "content": f"text {id_}", **cells})
    return path


class Row(NamedTuple):
    """A stored message."""

    id: int
    active: object
    compacted: object
    order: object
    hidden: bool

    @property
    def seen(self) -> bool:
        return not self.hidden and bool(self.active in (None, 1) or self.compacted)


def _shown(stored: Sequence[Row]) -> list[tuple[int, int]]:
    """(id, how many it stands for) as the rule says."""
    groups: dict[object, list[Row]] = {}
    for row in stored:
        if row.seen:
            own = ("own", row.id)
            groups.setdefault(own if row.order is None else ("order", row.order), []).append(row)
    found = []
    for (kind, place), same in groups.items():  # type: ignore[misc]
        best = max(same, key=lambda row: (row.active in (None, 1), row.id))
        found.append((place, kind == "order", best.id, len(same)))  # type: ignore[has-type]
    return [(id_, number) for _, _, id_, number in sorted(found)]


@pytest.mark.parametrize("name", NEWER_FILES)
def test_one_row_of_all_that_say_the_same_is_shown_in_their_place(
    name: str, tmp_path: Path
) -> None:
    path = newer_file(name, tmp_path, "delete")
    known = {str(row[0]) for row in rows(path, "SELECT name FROM pragma_table_info('messages')")}
    order = "display_order" if "display_order" in known else "NULL"
    store = open_store(path)
    for id_, key in keys(store).items():
        stored = [
            Row(int(str(number)), active, compacted, place, kind == "hidden")
            for number, active, compacted, place, kind in rows(
                path,
                f"SELECT id, active, compacted, {order}, display_kind FROM messages"
                " WHERE session_id = ? ORDER BY id",
                (id_,),
            )
        ]
        shown = _shown(stored)
        assert [(one.id, one.repeats) for one in store.outlines(key)] == shown
        assert [one.id for one in store.outlines(key, rewound=True)] == [row.id for row in stored]
        read = [(message.id, message.repeats) for message in told(path, id_, everything=False)]
        assert {id_ for id_, _ in read} <= {id_ for id_, _ in shown}
        assert sum(number for _, number in read) == sum(number for _, number in shown)


MESSAGES = st.lists(
    st.fixed_dictionaries(
        {
            "active": st.sampled_from([0, 1]),
            "compacted": st.sampled_from([0, 1]),
            "display_order": st.sampled_from([None, 1, 2, 3, 4, 9, -5]),
            "display_kind": st.sampled_from([None, None, "hidden", "model_switch", "steer"]),
            "role": st.sampled_from(["user", "assistant", "tool"]),
        }
    ),
    max_size=9,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(messages=MESSAGES, most=st.integers(1, 5))
def test_any_marks_are_read_by_the_rule(
    marked: Path, messages: list[dict[str, object]], most: int
) -> None:
    store = open_store(_filled(marked, messages))
    stored = [
        Row(id_, one["active"], one["compacted"], one["display_order"],
            one["display_kind"] == "hidden")
        for id_, one in enumerate(messages, 1)
    ]  # fmt: skip
    whole = store.outlines(1)
    assert [(one.id, one.repeats) for one in whole] == _shown(stored)
    first, complete = store.first_outlines(1, most)
    assert complete == (len(messages) < most)
    # Which of several copies is shown is decided by all of them, also before all are outlined.
    begun = {one.id for one in first}
    assert [one.id for one in first] == [one.id for one in whole if one.id in begun]
    assert first == whole or not complete


def _cases(path: Path) -> None:
    """A few messages, of which four hold a walrus."""
    _filled(
        path,
        [
            {"content": "Say hello", "role": "user"},
            {"content": "walrus scaffold", "display_kind": "hidden"},
            {"content": "walrus merged", "display_metadata": '{"model_only": true}'},
            {"content": "walrus", "active": 0, "compacted": 1, "display_order": 4},
            {"content": "walrus", "active": 1, "compacted": 0, "display_order": 4},
            {"content": "[switched to b]", "display_kind": "model_switch",
             "display_metadata": '{"from": "a", "to": "b"}'},
            {"content": "bye"},
        ],
    )  # fmt: skip


def test_show_gives_what_a_person_sees_and_all_gives_every_row(
    marked: Path, command: Command
) -> None:
    _cases(marked)
    said = command("show", "s", "--json", "--db", marked).json["messages"]
    assert [(one["id"], one["repeats"], one["display"]) for one in said] == [
        (1, 1, None),
        (5, 2, None),
        (6, 1, "model_switch"),
        (7, 1, None),
    ]
    everything = command("show", "s", "--all", "--json", "--db", marked).json["messages"]
    assert [one["id"] for one in everything] == [1, 2, 3, 4, 5, 6, 7]
    assert everything[1]["display"] == "hidden"
    plain = command("show", "s", "--db", marked).out
    assert "Model changed from a to b · " in plain
    assert "scaffold" not in plain
    assert "you · " in plain
    text = command("show", "s", "--all", "--format", "markdown", "--db", marked).out
    assert text.count("for the model only") == 2
    assert "walrus scaffold" in text


def test_a_search_finds_what_is_shown_and_all_finds_every_row(
    marked: Path, command: Command
) -> None:
    _cases(marked)
    found = command("search", "walrus", "--json", "--db", marked).json
    assert [hit["message_id"] for hit in found["hits"]] == [5]
    assert [side["text"] for side in found["hits"][0]["context"]] == ["walrus", "[switched to b]"]
    everything = command("search", "walrus", "--all", "--json", "--db", marked).json
    assert {hit["message_id"] for hit in everything["hits"]} == {2, 3, 4, 5}
    hello = command("search", "hello", "--json", "--db", marked).json
    assert [side["text"] for side in hello["hits"][0]["context"]] == ["walrus"]


@pytest.mark.parametrize("name", ["hermes-v26", "hermes-v30", "hermes-v31", "hermes-v26-to-v31"])
def test_search_tables_and_scan_agree_on_what_is_shown(
    name: str, tmp_path: Path, command: Command
) -> None:
    path = newer_file(name, tmp_path, "delete")
    assert command("search", "scaffold", "--json", "--db", path).json["total"] == 0
    assert command("search", "scaffold", "--all", "--json", "--db", path).json["total"] == 2
    # In sessions that were compressed twice, the tail is there twice over.
    place = "display_order" if name in ("hermes-v30", "hermes-v31") else "id"
    ((visible,),) = rows(
        path,
        f"SELECT count(DISTINCT {place}) FROM messages"
        " WHERE instr(content, ?) AND (active = 1 OR compacted = 1)",
        (BAKERY,),
    )
    found = command("search", f'in:content "{BAKERY}"', "--json", "--db", path).json
    assert found["total"] + sum(found["hidden"].values()) == visible


BAKERY = "Draft a note to the bakery about the oven"


@pytest.mark.parametrize(
    ("kind", "metadata", "text", "words"),
    [
        ("model_switch", '{"from": "a", "to": "b"}', "x", "Model changed from a to b"),
        ("model_switch", '"{\\"to\\": \\"b\\"}"', "x", "Model changed to b"),
        (
            "model_switch",
            None,
            "[System: The active model for this chat has changed to maker/opus-4.6 via provider x."
            " From this point forward, …]",
            "Model changed to maker/opus-4.6",
        ),
        ("model_switch", None, "[switched to qwen/qwen3]", "Model changed to qwen/qwen3"),
        ("model_switch", "{", "garbled", "Model changed"),
        ("model_switch", '{"from": 5, "to": []}', "", "Model changed"),
        ("personality_switch", '{"to": "pirate"}', "", "Personality changed to pirate"),
        ("personality_switch", None, "", "Personality changed"),
        (
            "async_delegation_complete",
            '{"task_count": 1}',
            "Subagent done: 3 puffins",
            "Subagent finished: Subagent done: 3 puffins",
        ),
        (
            "async_delegation_complete",
            '{"task_count": 3, "failed_count": 1}',
            "[ASYNC DELEGATION BATCH COMPLETE — deleg_1]\nAll is well.\nMore.",
            "3 subagents finished, 1 failed: All is well.",
        ),
        ("async_delegation_complete", '{"task_count": "many"}', "", "Subagent finished"),
        ("auto_continue", None, "[System note: …]", "Continued after an interruption"),
        ("internal_notification", None, "disk is full", "Notice: disk is full"),
        ("process_complete", None, "[IMPORTANT: x]\nmake: done", "Process finished: make: done"),
        ("hidden", None, "scaffold", ""),
        ("steer", None, "left!", ""),
        ("of next year", None, "text", ""),
        (None, '{"to": "b"}', "text", ""),
        (b"\xff", None, "text", ""),
        (5, 5, "text", ""),
    ],
)
def test_a_notice_is_in_words(kind: object, metadata: object, text: str, words: str) -> None:
    assert notice(kind, metadata, text) == words


def test_a_notice_is_short_whatever_was_stored() -> None:
    assert len(notice("internal_notification", None, "x" * 1_000_000)) < 200
    assert len(notice("model_switch", '{"to": "' + "x" * 100_000 + '"}', "")) < 200


@pytest.mark.parametrize(
    ("metadata", "signs"),
    [
        (None, ()),
        ('{"reactions": [{"emoji": "👍"}, {"emoji": "👍"}, {"emoji": "🎉"}]}', ("👍", "🎉")),
        ('{"reactions": {"emoji": "👍"}}', ()),
        ('{"reactions": [5, null, {"emoji": 7}, {"emoji": ""}]}', ()),
        ("{", ()),
        (b"\xff", ()),
        (5, ()),
    ],
)
def test_reactions_are_the_signs_each_once(metadata: object, signs: tuple[str, ...]) -> None:
    assert reactions(metadata) == signs


def test_a_real_file_tells_its_notices_summaries_and_reactions(tmp_path: Path) -> None:
    path = newer_file("hermes-v31", tmp_path, "delete")
    found: list[Message] = [
        message for id_ in keys(open_store(path)) for message in told(path, id_)
    ]
    assert {message.notice for message in found} == {
        "",
        "Model changed from a to b",
        "Subagent finished: Subagent done: 3 puffins",
    }
    assert sum(message.summary for message in found) == 13
    assert sum(message.unseen for message in found) == 2
    assert {message.reactions for message in found} == {(), ("👍",)}
