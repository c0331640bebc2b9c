"""A session that is too long to be outlined at once: its text appears, and the rest follows."""

import threading
from pathlib import Path
from typing import Any

import pytest

from explorer.model import Outline
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.hermes.store import HermesStore
from tests.factories import altered, say
from tests.tui.driving import NOW, Driver, opened

MESSAGES = 500


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A long session, and a short one above it."""
    file = tmp_path / "state.db"
    with StateFile.create(file) as state:
        state.create_session("s", "cli", started_at=NOW - 9000, title="Long")
        for number in range(MESSAGES):
            state.append_message("s", "user", f"word {number}.", timestamp=NOW - 8000 + number)
        state.create_session("t", "cli", started_at=NOW - 50, title="Short")
        state.append_message("t", "user", "hello", timestamp=NOW - 40)
    return file


async def _begin(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Read the beginning of the long session; the rest comes when the event is set."""
    gate = threading.Event()
    whole = HermesStore.outlines

    def later(*args: Any) -> list[Outline]:
        gate.wait(10)
        return whole(*args)

    monkeypatch.setattr(HermesStore, "outlines", later)
    await driver.pilot.press("j", "enter")
    await driver.until_seen(lambda: "word 0." in driver.screen())
    return gate


async def test_text_appears_before_all_messages_are_known(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path) as driver:
        gate = await _begin(driver, monkeypatch)
        seen = driver.screen()
        assert "message 1 ─" in seen
        gate.set()
        await driver.settle()
        assert "message 1 of 500" in driver.screen()
        assert "below · G" not in driver.screen()
        assert [line[:110] for line in driver.screen().splitlines()[4:36]] == [
            line[:110] for line in seen.splitlines()[4:36]
        ]


async def test_who_goes_to_the_end_meanwhile_gets_there(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path) as driver:
        gate = await _begin(driver, monkeypatch)
        await driver.pilot.press("G")
        await driver.pilot.pause(0.2)
        assert "word 199." in driver.screen()
        gate.set()
        await driver.settle()
        assert f"word {MESSAGES - 1}." in driver.screen()


async def test_what_arrives_meanwhile_is_there_as_well(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path) as driver:
        gate = await _begin(driver, monkeypatch)
        with altered(path) as db:
            say(db, "s", role="user", content="just in", timestamp=NOW - 1)
        driver.main.file.changed()
        await driver.pilot.pause(0.2)
        gate.set()
        await driver.settle()
        assert "of 501" in driver.screen()
        await driver.press("G")
        assert "just in" in driver.screen()
