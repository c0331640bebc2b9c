"""Where the agent was told that it is: in the transcript, in the details, and in `show`."""

import subprocess
import sys
from pathlib import Path

import pytest

from explorer.demo.publish import ON_TELEGRAM
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.kinds import open_store
from tests.factories import T0, keys
from tests.newer_files import upgrade
from tests.tui.driving import opened


@pytest.fixture(params=[22, 31])
def told(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A chat whose prompt is far longer than what details read of a cell."""
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        prompt = "Be kind. " * 5000 + ON_TELEGRAM
        state.create_session("s", "telegram", started_at=T0, system_prompt=prompt, title="Chat")
        state.append_message("s", "user", "hello", timestamp=T0 + 1)
    if request.param != 22:
        upgrade(path, str(request.param))
    return path


async def test_transcript_says_where_the_agent_is_in_its_own_block(told: Path) -> None:
    async with opened(told) as driver:
        assert "▸ where the agent is: Telegram · DM with Ada" in driver.screen()
        assert "▸ system prompt · 10,000 words" in driver.screen()
        await driver.press("enter", "g", "z")
        screen = driver.screen()
        for words in ("Platform: Telegram", "Chat: DM with Ada", "People: Ada", "Slack: kiosk-al"):
            assert words in screen
        assert "**" not in screen
        assert "message 1 of 1" in screen


async def test_find_counts_the_words_where_they_are_shown(told: Path) -> None:
    async with opened(told) as driver:
        await driver.press("enter", "ctrl+f", *"C0KIOSK", "enter")
        assert "1 of 1" in driver.screen()
        assert "Slack: kiosk-alerts (C0KIOSK)" in driver.screen()


def test_details_have_it_as_a_section(told: Path) -> None:
    store = open_store(told)
    (key,) = keys(store).values()
    found = store.details(store.catalog().single(key))
    rows = {section.title: dict(section.rows) for section in found.sections}
    assert rows["Where the agent is"]["Chat"] == "DM with Ada"
    assert rows["Where the agent is"]["Home channels"].startswith("Telegram: Ada (7001)")


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_show_tells_it_before_the_messages(told: Path, form: str) -> None:
    command = [sys.executable, "-m", "explorer", "--db", str(told), "show", "s", "--format", form]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert said.index("where the agent is: Telegram") < said.index("People: Ada")
    assert said.index("People: Ada") < said.index("hello")
    assert "Be kind." not in said
