"""Files of power-loop releases between the first and the latest, each written by the real package:
the same talk in every one, so that what is read of it should be the same too."""

import json
from pathlib import Path

import pytest

from explorer.cancel import CancelToken
from explorer.model import Action, Folded, Kind, MessageState, Session
from explorer.render.seams import folded_words
from explorer.search.hits import CompleteSearch
from explorer.stores.kinds import open_store
from explorer.stores.power_loop.store import PowerLoopStore
from explorer.tui.reading.block_screen import subagents
from tests.agents import run_agent
from tests.editors import edits_on
from tests.edits.states import dump
from tests.factories import altered, told
from tests.real_files import POWER_LOOP_RELEASES, unpack

AFTER = 2_000_000_000.0
"""Long after all that is in these files: nothing counts as running."""


@pytest.fixture(params=POWER_LOOP_RELEASES)
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return unpack(request.param, tmp_path)


def _of(path: Path, title: str) -> Session:
    return next(one for one in _all(path) if one.title == title)


def _all(path: Path) -> list[Session]:
    store = open_store(path)
    catalog = store.catalog()
    return store.sessions([catalog.single(key) for key in catalog.keys], AFTER)


def _section(path: Path, session: Session, title: str) -> dict[str, str]:
    store = open_store(path)
    sections = store.details(store.catalog().single(session.key)).sections
    return next((dict(one.rows) for one in sections if one.title == title), {})


def test_a_talk_reads_the_same_in_every_release(path: Path) -> None:
    talk = _of(path, "Talk")
    assert (talk.message_count, talk.tool_call_count) == (18, 3)
    assert talk.preview == "Zebra one: LOOK LOOK"
    messages = told(path, talk.id)
    assert [one.text for one in messages[:3]] == [
        "Second summary: zebras and giraffes.",
        "First summary: zebras were seen.",
        "Zebra one: LOOK LOOK",
    ], "the summary that stands for the other one is above it"
    assert messages[-1].text == "Answer 8 to: fifth, after both"
    folded = [one for one in messages if one.state is MessageState.COMPACTED]
    assert len(folded) == 8


def test_summaries_say_what_they_stand_for(path: Path) -> None:
    outlines = open_store(path).outlines(_of(path, "Talk").key)
    found = [one.folded for one in outlines if one.folded]
    assert found == [Folded(4, 2090, 310), Folded(4, 1090, 210)]


def test_a_summary_of_messages_that_are_gone_counts_none(path: Path) -> None:
    """power-loop can delete what it compressed."""
    talk = _of(path, "Talk")
    table = "messages" if "1.0.0" in path.name else "pl_messages"
    with altered(path) as db:
        db.execute(f"DELETE FROM {table} WHERE state = 'compacted_out'")
    words = [folded_words(one.folded) for one in open_store(path).outlines(talk.key) if one.folded]
    assert words == ["earlier messages summarised, 2,090 → 310 tokens"]


def test_an_interrupted_send_is_told_by_name(path: Path) -> None:
    pending = _of(path, "Pending")
    assert pending.broken_off
    assert [one.awaits for one in open_store(path).outlines(pending.key)][-1] == ("stop", "look")


def test_what_was_used_in_all_is_what_power_loop_says(path: Path) -> None:
    """`get_session_stats` of each release said: 5 sends, 8 rounds, 3600 tokens in, 116 out."""
    talk = _of(path, "Talk")
    assert (talk.input_tokens, talk.output_tokens) == (3600, 116)
    used = _section(path, talk, "Tokens")
    assert (used["Input"], used["Output"], used["Total"]) == ("3,600", "116", "3,716")
    assert "Note" not in used
    assert _section(path, talk, "Usage") == {
        "Sends": "5",
        "Rounds": "8",
        "Model calls": "8",
        "Tool calls": "3",
    }


@pytest.mark.parametrize(
    ("name", "first", "sends"),
    [
        ("power-loop-1.0.0", None, 0),
        ("power-loop-3.17.0", "300 in, 13 out in 1 of 3 rounds, the others were not kept", 5),
        (
            "power-loop-8.0.0-sends",
            "600 in, 36 out in 3 rounds: 100 in, 11 out; 200 in, 12 out; 300 in, 13 out",
            5,
        ),
    ],
)
def test_sends_are_numbered_as_power_loop_numbers_them(
    tmp_path: Path, name: str, first: str | None, sends: int
) -> None:
    path = unpack(name, tmp_path)
    told = _section(path, _of(path, "Talk"), "Usage by send")
    assert told.get("Send 1") == first
    assert list(told) == [f"Send {number}" for number in range(1, sends + 1)]


def test_totals_that_began_late_are_called_an_undercount(tmp_path: Path) -> None:
    """As after an early file went on in a release that has totals."""
    path = unpack("power-loop-1.0.0", tmp_path)
    with altered(path) as db:
        db.execute("UPDATE session_stats SET prompt_tokens = 100, completion_tokens = 9, sends = 1")
    talk = _of(path, "Talk")
    assert (talk.input_tokens, talk.output_tokens) == (1700, 47), "the rounds that were kept"
    assert "not every send" in _section(path, talk, "Tokens")["Note"]
    with altered(path) as db:
        db.execute("DELETE FROM session_stats")
    assert "overwrote" in _section(path, talk, "Tokens")["Note"]
    single = _of(path, "Multimodal")
    assert "Note" not in _section(path, single, "Tokens"), "there was one send only"


def test_a_picture_is_no_heap_of_json_before_content_was_marked(path: Path) -> None:
    shown = _of(path, "Multimodal")
    words = "what is in this picture of an okapi?"
    assert shown.preview == f"{words} [image 3 B png]"
    assert told(path, shown.id)[0].text == f"{words}\n[image 3 B png]"
    store = open_store(path)
    for text, hits in (("okapi", 1), ("base64", 0)):
        search = CompleteSearch(store, store.catalog(), f"{text} role:user", AFTER, everything=True)
        assert len(list(search.hits())) == hits


def test_a_long_picture_does_not_hide_the_words_in_the_list(tmp_path: Path) -> None:
    path = unpack("power-loop-1.0.0", tmp_path)
    with altered(path) as db:
        db.execute(
            "UPDATE messages SET content = replace(content, 'AAAA', ?) WHERE content LIKE '[{%'",
            ("A" * 100_000,),
        )
    assert _of(path, "Multimodal").preview == (
        "what is in this picture of an okapi? [image 75.0 kB png]"
    )


def test_the_call_that_resumes_names_a_prefix_of_every_release_that_has_one(tmp_path: Path) -> None:
    path = unpack("power-loop-3.17.0", tmp_path)
    with altered(path) as db:
        names = [
            name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type='table'")
        ]
        for name in names:
            if name.startswith("pl_"):
                db.execute(f"ALTER TABLE {name} RENAME TO my_{name[3:]}")
        db.execute("ALTER TABLE my_messages DROP COLUMN send_index")  # the first with prefixes
    store = open_store(path)
    assert isinstance(store, PowerLoopStore)
    assert "table_prefix='my_'" in store.resume_call(_of(path, "Talk"))


def test_every_change_is_undone_to_the_last_cell(path: Path, tmp_path: Path) -> None:
    editor = edits_on(path, tmp_path / "ours" / "trash.db", clock=lambda: AFTER)
    talk, before = _of(path, "Talk"), dump(path)
    for action, title in ((Action.RENAME, "New"), (Action.ARCHIVE, ""), (Action.DELETE, "")):
        plan = editor.plan(action, [talk.key], title=title)
        assert not plan.skipped
        editor.apply(plan)
        assert dump(path) != before
        editor.undo(editor.undo_plan())
        assert dump(path) == before
    pending = editor.plan(Action.DELETE, [_of(path, "Pending").key])
    assert sum(pending.skipped.values()) == 1


def test_a_call_leads_to_the_subagent_that_its_result_names(tmp_path: Path) -> None:
    """The latest release writes down no call in the row of a subagent that it queued."""
    path = unpack("power-loop-8.0.0-sends", tmp_path)
    store = open_store(path)
    catalog = store.catalog()
    tree = [_of(path, "Spawner 5")]
    while children := catalog.children(Kind.SUBAGENT).get(tree[-1].key):
        (call,) = (
            call.id
            for one in told(path, tree[-1].id)
            for call in one.tool_calls
            if call.name == "spawn_agent"
        )
        # As if they all had started at once.
        found = subagents(store, catalog, tree[-1].key, call, (None, None), AFTER, CancelToken())
        assert [one.key for one in found] == children
        tree += found
    assert [one.spawned for one in tree] == ["", *(f"linked, depth {at}" for at in range(1, 6))]


def test_the_result_of_a_subagent_is_no_word_of_the_user(tmp_path: Path) -> None:
    """The latest release puts it before the model as a message of the user."""
    path = unpack("power-loop-8.0.0-sends", tmp_path)
    one = next(one for one in _all(path) if one.preview.startswith("SPAWN1 deeper"))
    notices = {message.id: message.notice for message in told(path, one.id) if message.notice}
    assert set(notices.values()) == {"Subagent finished"}
    outlines = open_store(path).outlines(one.key)
    assert [outline.id for outline in outlines if outline.unsaid] == list(notices)
    with altered(path) as db:
        for kinds, words in (
            (["task_done"], "Background task finished"),
            (["reminder"], "Reminder"),
            (["user"], ""),
            (["user", "reminder"], ""),
            (["of the host"], ""),
            ("?", ""),
        ):
            about = json.dumps({"inbox": {"item_ids": ["x"], "kinds": kinds}})
            db.execute("UPDATE pl_messages SET meta_json = ? WHERE seq = 1", (about,))
            db.commit()
            (first, *_) = told(path, one.id)
            assert first.notice == words
            assert bool(first.notice) == ("SPAWN1 deeper" not in _titled(path, one.key).preview)


def _titled(path: Path, key: int) -> Session:
    return next(one for one in _all(path) if one.key == key)


GOES_ON = """
import asyncio, sys
from power_loop.runtime.store import open_store

async def main(path):
    store = await open_store(path)
    session = await store.create_session(metadata={"title": "After"})
    for number in range(1, 16):
        await store.append_message(session, role="user", content=f"number {number}")
    folds = [[3, 4, 5]], [[6, 7]], [[8, 9, 10]]
    note = None
    for (fold,) in folds:
        whole = fold if note is None else [note, *fold]
        _, note = await store.record_compaction(
            session, from_seq=fold[0], to_seq=fold[-1], note_content=f"until {fold[-1]}",
            before_tokens=100, after_tokens=10, round_index=0, fold_seqs=whole, order_key=3)
    await store.close()

asyncio.run(main(*sys.argv[1:]))
"""


def test_a_file_that_the_latest_release_opened_has_all_of_both(path: Path, tmp_path: Path) -> None:
    before = {one.id: one.title for one in _all(path)}
    run_agent(GOES_ON, "power-loop", "8.0.0", tmp_path / "home", path)
    after = {one.id: one.title for one in _all(path)}
    assert before.items() <= after.items()
    assert set(after.values()) - set(before.values()) == {"After"}
    outlines = open_store(path).outlines(_of(path, "After").key)
    shown = [one.text for one in told(path, _of(path, "After").id)]
    assert shown[:6] == ["number 1", "number 2", "until 10", "until 7", "until 5", "number 3"]
    # Each summary but the first stands for the one before it too.
    assert [one.folded.messages for one in outlines if one.folded] == [4, 3, 3]
