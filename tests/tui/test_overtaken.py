"""Answers that come when somebody has gone on to another session meanwhile."""

from pathlib import Path

import pytest

from explorer.stores.hermes.create.state_file import StateFile
from explorer.transcript import find as finding
from explorer.tui.reading import find_controller as finder
from explorer.tui.reading import transcript_controller as controller
from tests.factories import altered, say, talk
from tests.tui.driving import NOW, Driver, Held, opened

HOUR = 3600.0
LONG = ["hello"] * 60


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A session whose end no other one reaches, between two short ones."""
    file = tmp_path / "state.db"
    with StateFile.create(file) as state:
        talk(state, "last", "hello", "Hi.", at=NOW - 3 * HOUR, title="last", end="done")
        talk(state, "long", *LONG, "needle", at=NOW - 2 * HOUR, title="long", end="done")
        talk(state, "short", "hello", "Hi.", at=NOW - HOUR, title="needle", end="done")
    with altered(file) as db:
        at = NOW - 2 * HOUR + 100
        say(db, "long", role="assistant", content="cut", finish_reason="error", timestamp=at)
    return file


async def _is_read(driver: Driver, id_: str) -> None:
    """Wait until a session is shown, whatever else is still under way."""

    def so() -> bool:
        outlined = driver.main._reader.outlined
        return outlined is not None and outlined.session.id == id_

    await driver.until_seen(so)


async def test_the_hit_of_one_session_is_not_gone_to_in_another(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path) as driver:
        hit = Held(monkeypatch, finding, "first_match")
        await driver.pilot.press("slash", *"needle")
        await driver.until_seen(lambda: driver.listed() == ["needle", "long"])
        await driver.pilot.press("down")
        await hit.holds(driver)
        await driver.pilot.press("up")
        await _is_read(driver, "short")
        hit.let_go()
        await driver.settle()
        assert "Hi." in driver.screen()


async def test_the_error_in_one_session_is_not_gone_to_in_another(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path) as driver:
        await driver.press("j", "enter")
        error = Held(monkeypatch, finding, "next_error")
        await driver.pilot.press("exclamation_mark")
        await error.holds(driver)
        await driver.pilot.press("escape", "k")
        await _is_read(driver, "short")
        error.let_go()
        await driver.settle()
        assert "Hi." in driver.screen()


async def test_a_step_to_the_next_match_does_not_lead_on_from_another_session(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path) as driver:
        await driver.press("slash")
        await driver.type("hi.")
        await driver.press("enter")
        await driver.press("tab")
        assert driver.listed() == ["needle", "last"]
        matches = Held(monkeypatch, finder, "look_through")
        await driver.pilot.press("n")
        await matches.holds(driver)
        await driver.pilot.press("j")
        await _is_read(driver, "last")
        await driver.pilot.press("k")
        await _is_read(driver, "short")
        matches.let_go()
        await driver.settle()
        current = driver.main.sessions.current
        assert current is not None
        assert current.id == "short"


async def test_nothing_more_of_one_session_is_not_said_of_another(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path) as driver:
        await driver.press("enter")
        held = Held(monkeypatch, controller, "beginning")
        await driver.pilot.press("R")
        await held.holds(driver)
        # The last one has as many messages.
        await driver.pilot.press("escape", "G")
        await _is_read(driver, "last")
        held.let_go()
        await driver.settle()
        assert driver.said() == ""


async def test_a_date_can_be_asked_for_before_the_end_is_laid_out(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path) as driver:
        await driver.press("j", "enter")
        held = Held(monkeypatch, controller, "lay_out")
        await driver.pilot.press("G")
        await held.holds(driver)
        await driver.pilot.press("at")
        assert "Go to date" in driver.screen()
        held.let_go()
