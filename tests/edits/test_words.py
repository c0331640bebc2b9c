"""Plans and results as people read them: in sentences, for one as for many."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from explorer.model import Action
from explorer.stores.edits.editor import Editor
from explorer.stores.edits.plans import EditPlan, Planned, PlannedOutcome
from explorer.stores.edits.reasons import RUNNING, skipped_words
from explorer.stores.edits.words import plan_lines, question, receipt_words, recounted
from explorer.stores.hermes.routes_file import ROUTES, folder_of


def _planned(
    id_: str, reason: str = "", outcome: PlannedOutcome = PlannedOutcome.DELETE
) -> Planned:
    return Planned(0, id_, None, "cli", 1, 9, "root", outcome, reason, files=(f"{id_}.json",))


def _plan(*sessions: Planned) -> EditPlan:
    path = Path("state.db")
    return EditPlan(Action.DELETE, path, "sessions", sessions, folder="sessions/")


def _lines(*sessions: Planned) -> str:
    return "\n".join(plan_lines(_plan(*sessions)))


def test_one_of_each_is_in_the_singular() -> None:
    lines = _lines(_planned("a", "a subagent of it"))
    assert "Kept in the trash for 30 days: 1 message (9 B)" in lines
    assert "Also deleted: 1 subagent session (“a”)" in lines
    assert "Also deleted: 1 file in sessions/ (a.json)" in lines


def test_many_of_each_are_in_the_plural() -> None:
    lines = _lines(_planned("a", "a subagent of it"), _planned("b", "a subagent of it"))
    assert "Kept in the trash for 30 days: 2 messages (18 B)" in lines
    assert "Also deleted: 2 subagent sessions (“a”, “b”)" in lines
    assert "Also deleted: 2 files in sessions/ (a.json, b.json)" in lines


def _branch(id_: str) -> Planned:
    return _planned(id_, "a branch", PlannedOutcome.DETACH)._replace(kind="branch")


def test_what_is_kept_without_its_link_is_named() -> None:
    one = _lines(_planned("a"), _branch("b"))
    assert "Kept: branch “b”, no longer linked to this session" in one
    several = _lines(_planned("a"), _planned("c"), _branch("b")).splitlines()
    assert "Kept: branch “b”, no longer linked" in several
    two = _lines(_planned("a"), _branch("b"), _branch("c"))
    assert "Kept, no longer linked: 2 sessions (“b”, “c”)" in two


def test_the_parts_of_one_conversation_are_called_so() -> None:
    parts = (_planned("a3")._replace(continues="a2"), _planned("a2")._replace(continues="a"))
    plan = _plan(*parts, _planned("a"))
    assert question(plan) == "Delete the conversation “a3” (3 parts)?"
    assert receipt_words(plan) == "Deleted the conversation “a3” (3 parts)"
    assert question(_plan(*parts, _planned("b"))) == "Delete 3 sessions?"
    whole = _plan(*parts, _planned("a"), _planned("b"))
    assert question(whole) == "Delete 2 conversations (4 sessions)?"


def test_a_conversation_is_called_as_in_the_list() -> None:
    last = _planned("a2")._replace(continues="a", title=None, words="and then")
    first = _planned("a")._replace(title="The dog", words="a dog barks")
    assert question(_plan(last, first)) == "Delete the conversation “The dog” (2 parts)?"
    untitled = first._replace(title=None)
    assert question(_plan(last, untitled)) == "Delete the conversation “a dog barks” (2 parts)?"
    circle = first._replace(continues="a2")
    beside = _planned("b")._replace(continues="a", title="B")
    assert question(_plan(last, circle, beside)) == "Delete the conversation “B” (3 parts)?"


@pytest.mark.parametrize(
    ("action", "asked", "done"),
    [
        (Action.CLEAR, "Clear all messages of “a”?", "Cleared all messages of “a”"),
        (Action.END, "Mark “a” as ended?", "Marked “a” as ended"),
        (Action.PRUNE, "Delete “a”?", "Deleted “a”"),
        (Action.UNARCHIVE, "Unarchive “a”?", "Unarchived “a”"),
    ],
)
def test_a_question_and_its_receipt_have_one_verb(action: Action, asked: str, done: str) -> None:
    plan = _plan(_planned("a"))._replace(action=action)
    assert (question(plan), receipt_words(plan)) == (asked, done)


@pytest.mark.parametrize("words", ["Deleted", "Cleared all messages of", "Pruned"])
def test_a_receipt_of_an_interrupted_edit_can_be_recounted(words: str) -> None:
    assert recounted(f"{words} 0 of 4 sessions", 3) == f"{words} 3 of 4 sessions"
    assert recounted(f"{words} 3 of 4 sessions", 4) == f"{words} 4 sessions"
    assert recounted(f"{words} “a”", 3) == f"{words} “a”"


@pytest.mark.parametrize(
    ("skipped", "told"),
    [
        ({"it has this title already": 1}, "1 session already has this title"),
        ({"Its agent has written to it": 1}, "1 session (its agent has written to it)"),
        ({RUNNING: 2}, "2 sessions are running"),
        (
            {"SQLite refused": 1, "not ended": 3},
            "1 session (SQLite refused); 3 sessions have not ended",
        ),
    ],
)
def test_what_is_skipped_has_its_reason(skipped: dict[str, int], told: str) -> None:
    assert skipped_words(skipped) == told
    (reason, *_), (number, *_) = skipped, skipped.values()
    left = [_planned(str(at), reason, PlannedOutcome.SKIP) for at in range(number)]
    assert f"Not deleted: {told.split(';')[0]}." in _lines(*left)


@pytest.mark.parametrize(
    ("chats", "told"),
    [
        (1, "Still used by 1 gateway chat: "),
        (2, "Still used by 2 gateway chats: "),
    ],
)
def test_chats_that_use_a_session_are_counted(
    path: Path, editor_of: Callable[[Path], Editor], chats: int, told: str
) -> None:
    routes = folder_of(path) / ROUTES
    routes.parent.mkdir(exist_ok=True)
    routes.write_text(json.dumps({f"chat {at}": {"session_id": "s"} for at in range(chats)}))
    assert any(note.startswith(told) for note in editor_of(path).plan(Action.DELETE, [1]).notes)
