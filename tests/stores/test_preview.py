"""The words that tell one session from another."""

import json
from pathlib import Path

import pytest

from explorer.stores.content import PREVIEW_CHARS, said
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.hermes.sessions.first_words import partial_text
from tests.factories import T0, altered, everybody, one_session, say, talk


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("fix the build", "fix the build"),
        ("  two\n\tlines ", "two lines"),
        ("<workspace_context>\ncwd: /x\n</workspace_context>\nfix it", "fix it"),
        ('<file path="a">x</file> <env>y</env> and now?', "and now?"),
        ("[SYSTEM: be brief] hello", "hello"),
        ("[Note to self]: hello", "hello"),
        ("[IMPORTANT: x]\n<env>y</env>\nhello", "hello"),
        ("[CONTEXT COMPACTION, reference only] Earlier we spoke of birds.", ""),
        ("Review the conversation above and update the skill library", ""),
        ("<workspace_context>\nnever closed", ""),
        ("[todo] buy milk", "[todo] buy milk"),
        ("<b>unclosed", "<b>unclosed"),
        ("a < b", "a < b"),
        ("", ""),
        (" \n ", ""),
    ],
)
def test_scaffolding_is_left_out(text: str, words: str) -> None:
    assert said(text) == words


def test_a_preview_is_short_whatever_the_message() -> None:
    assert said("word " * 100_000) == ("word " * 100)[:PREVIEW_CHARS]
    assert len(said("x" * 1_000_000)) == PREVIEW_CHARS
    assert said("<a>" * 50_000).startswith("<a><a>")


def _preview(path: Path) -> str:
    (session,) = everybody(path)
    return session.preview


def test_the_first_words_of_the_user_are_the_preview(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        state.create_session("s", "cli", started_at=T0)
        for number, (role, text) in enumerate(
            [("system", "be kind"), ("assistant", "Hello!"), ("user", "help me"), ("user", "more")]
        ):
            state.append_message("s", role, text, timestamp=T0 + number)
    assert _preview(path) == "help me"


def test_scaffolding_rows_are_passed_over(tmp_path: Path) -> None:
    texts = ["[SYSTEM: you are in a room]"] * 9 + ["is it dark?", "It is."]
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        state.create_session("s", "cli", started_at=T0)
        for number, text in enumerate(texts):
            state.append_message("s", "user", text, timestamp=T0 + number)
    assert _preview(path) == "is it dark?"


def test_where_the_user_says_nothing_the_agent_is_quoted(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        state.create_session("s", "cli", started_at=T0)
        state.append_message("s", "assistant", "Good morning", timestamp=T0)
        state.append_message("s", "tool", "output", timestamp=T0)
    assert _preview(path) == "Good morning"


def test_a_continuation_is_previewed_by_its_first_real_words(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "s", "[CONTEXT COMPACTION] we spoke of birds", "", "and owls?")
    assert _preview(path) == "and owls?"


def test_the_last_reply_is_the_agents_last_live_words(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        ids = talk(state, "s", "a", "<think>hm</think>Kept.", "b", "Undone.")
        state.rewind("s", ids[2])
    (session,) = everybody(path)
    assert session.last_reply == "Kept."


def test_a_picture_comes_with_its_words(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    big = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 100_000}}
    with StateFile.create(path) as state:
        state.create_session("words", "cli", started_at=T0)
        words = {"type": "text", "text": 'what is "this"?'}
        state.append_message("words", "user", [words, big], timestamp=T0)
        state.create_session("alone", "cli", started_at=T0)
        state.append_message("alone", "user", [big], timestamp=T0)
    previews = {session.id: session.preview for session in everybody(path)}
    assert previews == {"words": 'what is "this"?', "alone": "[image]"}


@pytest.mark.parametrize("text", ["plain", 'a "quote"', "back\\slash", "ends in \\", "naïve 字"])
def test_text_before_a_cut_is_salvaged(text: str) -> None:
    whole = "\0json:" + json.dumps([{"type": "text", "text": text}, {"type": "image_url"}])
    assert partial_text(whole[:-5].encode(), bare_json=False) == text


def test_text_that_is_itself_cut_keeps_its_beginning() -> None:
    cut = '\0json:[{"type": "text", "text": "a long sto'
    assert partial_text(cut.encode(), bare_json=False) == "a long sto"


def test_a_long_reply_kept_by_the_provider_is_quoted_too(tmp_path: Path) -> None:
    path = one_session(tmp_path / "state.db", "go")
    text = "Done. " + "x" * 20_000
    items = f'[{{"content": [{{"type": "output_text", "text": "{text}"}}]}}]'
    with altered(path) as db:
        say(db, "s", role="assistant", content="", timestamp=T0 + 9, codex_message_items=items)
    (session,) = everybody(path)
    assert session.last_reply.startswith("Done. xxx")
