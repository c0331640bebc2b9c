"""Plans and results as people read them: in sentences, for one as for many."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from explorer.model import Action
from explorer.stores.edits.delete_plan import RUNNING
from explorer.stores.edits.editor import Editor
from explorer.stores.edits.plans import EditPlan, Planned, PlannedOutcome
from explorer.stores.edits.words import plan_lines, skipped_words
from explorer.stores.hermes.gateway import ROUTES, folder_of


def _planned(
    id_: str, reason: str = "", outcome: PlannedOutcome = PlannedOutcome.DELETE
) -> Planned:
    return Planned(0, id_, None, "cli", 1, 9, "root", outcome, reason, files=(f"{id_}.json",))


def _lines(*sessions: Planned) -> str:
    return "\n".join(plan_lines(EditPlan(Action.DELETE, Path("state.db"), "sessions", sessions)))


def test_one_of_each_has_its_own_verb() -> None:
    lines = _lines(_planned("a", "a subagent of it"))
    assert "1 message (9 B) goes to the trash, where it can be restored" in lines
    assert "1 session of a subagent goes along: a" in lines
    assert "1 file beside the store goes too: a.json" in lines


def test_many_of_each_have_theirs() -> None:
    lines = _lines(_planned("a", "a subagent of it"), _planned("b", "a subagent of it"))
    assert "2 messages (18 B) go to the trash, where they can be restored" in lines
    assert "2 sessions of subagents go along: a, b" in lines
    assert "2 files beside the store go too: a.json, b.json" in lines


@pytest.mark.parametrize(
    ("skipped", "told"),
    [
        ({"it has this title already": 1}, "1 session (it has this title already)"),
        ({"Its agent has begun to write it": 1}, "1 session (its agent has begun to write it)"),
        ({RUNNING: 2}, "2 sessions running (its agent may be writing it)"),
        (
            {"SQLite refused": 1, "not ended": 3},
            "1 session (SQLite refused); 3 sessions (not ended)",
        ),
    ],
)
def test_what_is_left_out_is_said_with_its_reason(skipped: dict[str, int], told: str) -> None:
    assert skipped_words(skipped) == told
    (reason, *_), (number, *_) = skipped, skipped.values()
    left = [_planned(str(at), reason, PlannedOutcome.SKIP) for at in range(number)]
    assert f"Left out: {told.split(';')[0]}." in _lines(*left)


@pytest.mark.parametrize(
    ("chats", "told"),
    [
        (1, "1 chat of the gateway still leads there"),
        (2, "2 chats of the gateway still lead there"),
    ],
)
def test_chats_of_the_gateway_lead_there(
    path: Path, editor_of: Callable[[Path], Editor], chats: int, told: str
) -> None:
    routes = folder_of(path) / ROUTES
    routes.parent.mkdir(exist_ok=True)
    routes.write_text(json.dumps({f"chat {at}": {"session_id": "s"} for at in range(chats)}))
    assert any(note.startswith(told) for note in editor_of(path).plan(Action.DELETE, [1]).notes)
