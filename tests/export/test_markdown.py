"""A session as Markdown: whole, clean, and as the command prints it."""

import json
from pathlib import Path

import pytest

from explorer.export import MARKDOWN, session_lines
from explorer.render.clean import clean
from explorer.stores.columns import ID
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.kinds import open_store
from explorer.stores.resolve import read_conversation
from tests.conftest import Command
from tests.factories import NOW, one_session, talk
from tests.hostile import HOSTILE
from tests.real_files import POWER_LOOP_RELEASES, unpack


def _drawn(path: Path, key: int = 1) -> str:
    store = open_store(path)
    unit = store.catalog().folded(key)
    (session,) = store.sessions([unit], NOW)
    messages = read_conversation(store, unit.parts, everything=False)
    return "\n".join(session_lines(session, messages, MARKDOWN)) + "\n"


def test_it_is_what_show_prints(real_file: Path, command: Command) -> None:
    store = open_store(real_file)
    catalog = store.catalog()
    for key in catalog.by_last_active(catalog.select()[0])[:12]:
        id_ = store.columns({ID}, [key])[ID][key]
        said = command("show", "--conversation", "--format", "markdown", "--db", real_file, id_)
        assert said.out == _drawn(real_file, key)


def test_every_part_of_a_message_has_its_place(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "s", "find it", title="Search", at=NOW)
        call = {"id": "c", "function": {"name": "terminal", "arguments": '{"command": "ls"}'}}
        state.append_message(
            "s", "assistant", "Looking.", reasoning="Hm.\nls?", tool_calls=[call], timestamp=NOW
        )
        state.append_message(
            "s", "tool", "a\n```\nb", tool_call_id="c", tool_name="terminal", timestamp=NOW
        )
    drawn = _drawn(path)
    assert drawn.startswith("# Search\ns · cli · ")
    assert "> *reasoning · 2 words*\n>\n> Hm.\n> ls?\n" in drawn
    assert '**terminal**\n\n```\n{\n  "command": "ls"\n}\n```\n' in drawn
    assert "````\na\n```\nb\n````\n" in drawn


def test_reasoning_between_tags_is_reasoning_where_it_stands(
    tmp_path: Path, command: Command
) -> None:
    said = "One `<think>` tag.\n<think>\nHm, wait.\n</think>\nTwo."
    path = one_session(tmp_path / "state.db", "why?", said)
    drawn = _drawn(path)
    assert "One `<think>` tag.\n> *reasoning · 2 words*\n>\n> Hm, wait.\n\nTwo.\n" in drawn
    shown = json.loads(command("show", "--json", "--db", path, "s").out)["messages"][1]
    assert (shown["text"], shown["reasoning"]) == ("One `<think>` tag.\n\nTwo.", "Hm, wait.")


@pytest.mark.parametrize(("name", "text"), HOSTILE, ids=[name for name, _ in HOSTILE])
def test_no_control_is_left_in_it(name: str, text: str, tmp_path: Path) -> None:
    stored = text[:20_000].encode("utf-8", "replace").decode()
    path = one_session(tmp_path / "state.db", stored, stored, title=stored[:90])
    drawn = _drawn(path)
    assert clean(drawn) == drawn


@pytest.mark.parametrize("name", POWER_LOOP_RELEASES)
def test_what_lies_between_messages_is_said_as_in_the_app(
    tmp_path: Path, command: Command, name: str
) -> None:
    path = unpack(name, tmp_path)
    for form, seam in (("text", "──── {} ────"), ("markdown", "---\n\n*{}*")):
        talk = command("show", "--db", path, "--format", form, "Talk").out
        first = seam.format("4 messages summarised, 1,090 → 210 tokens")
        assert talk.index(first) < talk.index("First summary") < talk.index("Zebra one")
        assert "compressed here" not in talk, "it is said above the summaries"
        assert talk.count(" · compressed\n") == 8
        pending = command("show", "--db", path, "--format", form, "Pending").out
        waits = seam.format("interrupted: waits for the results of stop, look")
        assert pending.endswith(f"{waits}\n\n")
    messages = json.loads(command("show", "--json", "--db", path, "Talk").out)["messages"]
    summary = next(one for one in messages if one["text"].startswith("First summary"))
    assert summary["summarises"] == {"messages": 4, "tokens_before": 1090, "tokens_after": 210}
    assert sum(one["summarises"] is not None for one in messages) == 2
    (*_, last) = json.loads(command("show", "--json", "--db", path, "Pending").out)["messages"]
    assert last["waits_for"] == ["stop", "look"]


def test_a_conversation_says_where_its_parts_begin_and_what_was_compressed(
    tmp_path: Path, command: Command
) -> None:
    path = unpack("hermes-v22", tmp_path)
    said = command("show", "--db", path, "In-place compacted").out
    assert said.count("messages summarised") == 1
    whole = command("show", "--db", path, "--conversation", "Long refactor #4").out
    assert [f"part {part} of 4 · compressed here, " in whole for part in range(1, 6)] == [
        *(False, True, True, True, False)
    ]
