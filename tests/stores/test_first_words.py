"""The first and the last words of sessions of today's Hermes, where rows are marked as hidden, as
notices and as summaries."""

from pathlib import Path

import pytest

from explorer.model import Session
from tests.factories import T0, altered, everybody, one_session, rows, say
from tests.newer_files import NEWER_FILES, newer_file
from tests.render.test_turns import ASKED, END, INVOKED, NOTICE

BORN = [name for name in NEWER_FILES if "-to-" not in name or name == "hermes-v26-to-v31"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """One empty session, with the columns by which newer agents mark messages."""
    path = one_session(tmp_path / "state.db")
    with altered(path) as db:
        db.execute("DELETE FROM messages")
        for column in ("display_kind TEXT", "display_metadata TEXT", "_compressed_summary"):
            db.execute(f"ALTER TABLE messages ADD COLUMN {column}")
    return path


def _told(path: Path, *messages: dict[str, object]) -> Session:
    with altered(path) as db:
        for number, cells in enumerate(messages, 1):
            say(db, "s", timestamp=T0 + number, **cells)
    (session,) = everybody(path)
    return session


ANSWER: dict[str, object] = {"role": "assistant", "content": "Owls hunt at night."}


@pytest.mark.parametrize(
    "before",
    [
        {"content": "[scaffold] for the model", "display_kind": "hidden"},
        {"content": "merged", "display_metadata": '{"model_only": true}'},
        {"content": "[switched to b]", "display_kind": "model_switch"},
        {"content": "be grumpy", "display_kind": "personality_switch"},
        {"content": "Subagent done", "display_kind": "async_delegation_complete"},
        {"content": "go on", "display_kind": "auto_continue"},
        {"content": "process ended", "display_kind": "internal_notification"},
        {"content": "## Goal\nsummary in an unknown form", "_compressed_summary": 1},
        {"content": NOTICE},
        {"content": NOTICE * 20},
    ],
    ids=lambda before: str(before)[:60],
)
def test_notices_are_no_preview(path: Path, before: dict[str, object]) -> None:
    assert (
        _told(path, before, {"content": "what do owls do?"}, ANSWER).preview == "what do owls do?"
    )


@pytest.mark.parametrize("kind", ["", "steer", "of next year", b"\xff", 5, None])
@pytest.mark.parametrize("metadata", [None, "{", "[]", '{"model_only": false}', b"\xff", 7])
def test_any_other_mark_hides_nothing(path: Path, kind: object, metadata: object) -> None:
    marked: dict[str, object] = {"display_kind": kind, "display_metadata": metadata}
    session = _told(path, {"content": "hello owls", **marked}, {**ANSWER, **marked})
    assert (session.preview, session.last_reply) == ("hello owls", "Owls hunt at night.")


@pytest.mark.parametrize("summary", [None, 0, 1])
@pytest.mark.parametrize("length", [1, 10, 3000])
def test_the_question_behind_a_summary_is_the_preview(
    path: Path, summary: object, length: int
) -> None:
    text = f"{NOTICE}{' x' * length}\n\n{END}\n\nGo on with\npart 2"
    assert _told(path, {"content": text, "_compressed_summary": summary}).preview == (
        "Go on with part 2"
    )


@pytest.mark.parametrize("length", [1, 3000, 300_000])
def test_a_skill_is_the_command_and_never_its_text(path: Path, length: int) -> None:
    text = f"{INVOKED}{' Mend.' * length}\n\n{ASKED}patch the blue net"
    assert _told(path, {"content": text}).preview == "/mend — patch the blue net"


def test_an_instruction_that_is_longer_than_what_is_read_leaves_the_command(path: Path) -> None:
    text = f"{INVOKED}\n\n{ASKED}{'patch ' * 5000}"
    assert _told(path, {"content": text}).preview.startswith("/mend")


@pytest.mark.parametrize("kind", ["hidden", "model_switch"])
def test_a_hidden_row_is_no_last_reply_and_breaks_nothing_off(path: Path, kind: str) -> None:
    call: dict[str, object] = {"role": "assistant", "content": "", "tool_calls": '[{"id": "c"}]'}
    hidden: dict[str, object] = {**call, "content": "secret plan", "display_kind": kind}
    session = _told(path, {"content": "hi"}, ANSWER, hidden)
    assert (session.last_reply, session.broken_off) == ("Owls hunt at night.", False)


@pytest.mark.parametrize("kind", ["hidden", "model_switch"])
def test_a_hidden_row_does_not_mend_what_was_broken_off(path: Path, kind: str) -> None:
    call: dict[str, object] = {"role": "assistant", "content": "", "tool_calls": '[{"id": "c"}]'}
    hidden: dict[str, object] = {"content": "scaffold", "display_kind": kind}
    assert _told(path, {"content": "hi"}, call, hidden).broken_off


@pytest.mark.parametrize("name", BORN)
def test_no_preview_of_a_real_file_shows_what_the_agent_made(name: str, tmp_path: Path) -> None:
    path = newer_file(name, tmp_path, "delete")
    found = {session.id: session.preview for session in everybody(path)}
    made = ("[scaffold]", "[CONTEXT", "[IMPORTANT", "[switched", "Subagent done", "# Mend")
    assert not [preview for preview in found.values() if preview.startswith(made)]
    ((skilled, text),) = rows(
        path, "SELECT session_id, content FROM messages WHERE content LIKE '[IMPORTANT: The user%'"
    )
    instruction = str(text).rsplit(": ", 1)[1]
    assert found[str(skilled)] == f"/mend — {instruction}"
    for id_, content in rows(
        path,
        "SELECT session_id, content FROM messages m WHERE content LIKE '%END OF CONTEXT SUMMARY%'"
        " AND NOT EXISTS (SELECT 1 FROM messages o WHERE o.session_id = m.session_id"
        " AND o.timestamp < m.timestamp AND o.role = 'user')",
    ):
        assert found[str(id_)] == str(content).rsplit("---", 1)[1].strip()
