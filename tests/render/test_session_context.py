"""Where an agent was told that it is: taken out of prompts that the real gateways write."""

from pathlib import Path

import pytest

from explorer.model import Message
from explorer.render.blocks import View, blocks, whole_text
from explorer.render.clean import clean
from explorer.render.lines import line_text
from explorer.render.passages import passages
from explorer.render.session_context import LONGEST, session_context
from tests.gateway_homes import EVIL_NAME, EVIL_TOPIC, LONG_NAME, origin
from tests.hostile import HOSTILE
from tests.real_gateway import real_prompts

VERSIONS = ("0.13.0", "0.17.0", "0.19.0")
BEFORE = "You are Hermes.\n\n## Skills\n- bread"
AFTER = "# Channel prompt\nBe nice."
GROUP = origin(
    "telegram",
    "7",
    chat_name="Ops (EU)",
    chat_type="group",
    thread_id="17",
    user_id="u1",
    user_name='Ada "A." L.',
    chat_topic="Deploys: (daily), now",
    guild_id="44",
)
HOMES = {"telegram": {"chat_id": "7001", "name": "Home (ID: x)"}}
CONNECTED = ("telegram", "whatsapp", "api_server")
LABELS = {
    *("current", "session", "context", "source", "the", "running", "agent", "user", "channel"),
    *("local", "files", "on", "channels", "default", "destinations", "platform", "notes", "matrix"),
    *("boundary", "options", "for", "scheduled", "tasks", "id", "ids", "tools", "discord_admin"),
    *("connected", "platforms"),
}
"""What the section's own labels say, which are put in other words."""
HEADING = "## Current Session Context"


def _around(section: str) -> str:
    return f"{BEFORE}\n\n{section}\n\n{AFTER}"


@pytest.mark.parametrize("version", VERSIONS)
def test_every_platform_of_every_release_is_told_in_rows(tmp_path: Path, version: str) -> None:
    told = real_prompts(version, tmp_path / "h", GROUP, connected=CONNECTED, homes=HOMES)
    assert len(told) >= 22
    for platform, section in told.items():
        found = session_context(_around(section))
        assert found is not None
        assert found.prompt == f"{BEFORE}\n\n{AFTER}"
        rows = dict(found.rows)
        if platform == "local":
            assert rows["Platform"] == found.place == "this machine"
        else:
            written = rows["Platform"].lower().replace(" ", "")
            assert platform.replace("_", "")[:5] in written or platform.startswith("msgraph")
            assert rows["Chat"] == "group: Ops (EU), thread: 17"
            assert rows["Delivery"].startswith("origin: Back to this chat (Ops (EU))\nlocal: Save")
        assert rows["Topic"] == "Deploys: (daily), now"
        assert rows["People"] == 'Ada "A." L.'
        assert rows["Connected to"] == "this machine, Telegram, WhatsApp, API server"
        assert rows["Home channels"] == "Telegram: Home (ID: x) (7001)"
        assert rows["Delivery"].endswith("telegram: Home channel (Home (ID: x))")
        assert "**" not in found.text


@pytest.mark.parametrize("version", VERSIONS)
def test_no_word_of_a_section_is_lost(tmp_path: Path, version: str) -> None:
    """Labels and platforms are put in other words; notes, names and ids are all there."""
    told = real_prompts(
        version, tmp_path / "h", GROUP, connected=CONNECTED, homes=HOMES, discord_tools=True
    )
    for platform, section in told.items():
        found = session_context(section)
        assert found is not None
        kept = _words(found.text)
        lost = {word for word in _words(section) if word not in kept and word not in LABELS}
        assert lost <= {platform, *platform.split("_"), "✓", "→", "/", "api_server"}, platform


def _words(text: str) -> set[str]:
    return {word.strip("*`\"'.,:()[]#-—") for word in text.lower().replace("\\", "").split()} - {""}


@pytest.mark.parametrize("version", VERSIONS)
def test_people_of_shared_and_of_redacted_chats(tmp_path: Path, version: str) -> None:
    shared = real_prompts(version, tmp_path / "h", GROUP, shared=True)["telegram"]
    found = session_context(shared)
    assert found is not None
    assert dict(found.rows)["People"].startswith("several, in one thread: each message")
    alone = origin("signal", "+15550100", user_id="+15550100")
    masked = session_context(real_prompts(version, tmp_path / "h", alone, redact=True)["signal"])
    assert masked is not None
    assert dict(masked.rows)["People"].startswith("user_")
    assert "5550100" not in masked.text
    assert "Home channels" not in dict(masked.rows)


def test_ids_for_tools_are_rows(tmp_path: Path) -> None:
    told = real_prompts("0.19.0", tmp_path / "h", GROUP, discord_tools=True)
    found = session_context(told["discord"])
    assert found is not None
    assert dict(found.rows)["Discord ids"] == "Guild: 44\nChannel: 7"
    room = session_context(told["matrix"])
    assert room is not None
    rows = dict(room.rows)
    assert (rows["Room"], rows["Room id"], rows["Thread"]) == ("Ops (EU)", "7", "17")


@pytest.mark.parametrize("version", VERSIONS)
def test_names_that_imitate_the_section_are_shown_as_what_they_are(
    tmp_path: Path, version: str
) -> None:
    evil = origin(
        "signal", "1", chat_name=EVIL_NAME, chat_type="group", user_name="Bo", chat_topic=EVIL_TOPIC
    )
    section = real_prompts(version, tmp_path / "h", evil, connected=("signal",))["signal"]
    found = session_context(_around(section))
    assert found is not None
    assert found.prompt == f"{BEFORE}\n\n{AFTER}"
    rows = dict(found.rows)
    # Until 0.17 nothing tells a name of several lines from the gateway's own lines: both are shown.
    assert "Bo" in rows["People"].split("\n")
    assert "[@click=app.quit]here[/]" in rows["Topic"]
    drawn = blocks(Message(-1, "s", "system", None, _around(section)), View(60))
    for block in drawn:
        for line in block.lines:
            assert clean(line_text(line)) == line_text(line)


def test_block_is_folded_to_its_place_and_copied_whole(tmp_path: Path) -> None:
    section = real_prompts("0.19.0", tmp_path / "h", GROUP, homes=HOMES)["telegram"]
    message = Message(-1, "s", "system", None, _around(section))
    where, rest = passages(message)
    assert where.label == "where the agent is: Telegram · group: Ops (EU), thread: 17"
    assert (rest.key, rest.text) == ("text", f"{BEFORE}\n\n{AFTER}")
    shown = [line_text(line) for block in blocks(message, View(80)) for line in block.lines]
    assert [line.split(" · ")[0] for line in shown if line] == [
        "▸ where the agent is: Telegram",
        "▸ system prompt",
    ]
    view = View(80, folds={(-1, "where"): False})
    opened = [line_text(line) for block in blocks(message, view) for line in block.lines]
    assert '  People: Ada "A." L.' in opened
    assert whole_text(message, "where", None).startswith("Platform: Telegram\nChat: group: Ops")


def test_stored_message_of_the_system_stays_as_it_is(tmp_path: Path) -> None:
    """A search finds what is stored, so what is shown of it must hold the words."""
    section = real_prompts("0.19.0", tmp_path / "h", GROUP)["telegram"]
    assert [one.text for one in passages(Message(5, "s", "system", None, section))] == [section]


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        "no section at all",
        HEADING,
        f"{HEADING}\n",
        f"{HEADING}\n\nnothing that we know",
        f"{HEADING}\n**User:** Ada",
        f"text {HEADING}\n**Source:** Telegram (DM)",
        f"{HEADING}\n**Source:** Telegram (DM)\n" + "x" * LONGEST,
        f"{HEADING}\n" * 5000,
    ],
)
def test_what_is_no_section_stays_text(prompt: str) -> None:
    assert session_context(prompt) is None
    if prompt:
        (one,) = passages(Message(-1, "s", "system", None, prompt))
        assert (one.text, one.label) == (prompt, "system prompt")


def test_unknown_lines_are_notes() -> None:
    found = session_context(
        f"{HEADING}\n\n**Source:** Newapp (DM with Ada)\n**Mood:** sunny\n\n**Mice:**\n- one"
        "\n\nA new sentence.\n\n**Connected Platforms:** local (files on this machine), x: Asleep"
        "\n## Next\ntext"
    )
    assert found is not None
    assert found.prompt == "## Next\ntext"
    assert dict(found.rows) == {
        "Platform": "Newapp",
        "Chat": "DM with Ada",
        "Connected to": "this machine, x: Asleep",
        "Note": "Mood: sunny\nMice:\n- one\nA new sentence.",
    }


def test_first_section_counts_and_a_quoted_heading_does_not() -> None:
    quote = f"{HEADING}\nis what the gateway writes.\n\n"
    found = session_context(f"{quote}{HEADING}\n**Source:** Telegram (DM with Ada)")
    assert found is not None
    assert (found.place, found.prompt) == ("Telegram · DM with Ada", quote.strip())


@pytest.mark.parametrize(("name", "text"), HOSTILE, ids=[name for name, _ in HOSTILE])
def test_hostile_values_lose_nothing_that_can_be_seen(name: str, text: str) -> None:
    """Whatever stands in a section, the lines that are drawn of it are clean."""
    prompt = f"{HEADING}\n**Source:** Telegram ({text})\n**Channel Topic:** {text}\n- {text}\n"
    message = Message(-1, "s", "system", None, prompt)
    view = View(40, folds={(-1, "where"): False, (-1, "text"): False})
    for block in blocks(message, view):
        for line in block.lines:
            assert clean(line_text(line)) == line_text(line)


def test_long_names_and_long_prompts_are_taken_apart(tmp_path: Path) -> None:
    long = origin("signal", "1", chat_name=LONG_NAME, chat_type="group", user_name=LONG_NAME)
    section = real_prompts("0.13.0", tmp_path / "h", long)["signal"]
    found = session_context("x" * 5_000_000 + "\n\n" + section)
    assert found is not None
    assert dict(found.rows)["People"] == LONG_NAME
    assert len(found.label) < 300
    assert found.prompt == "x" * 5_000_000
