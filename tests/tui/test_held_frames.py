"""Frames that fall into a moment in which nothing may be painted."""

from pathlib import Path
from typing import Any

import pytest
from textual.app import App
from textual.screen import Screen

from tests.tui.driving import opened


async def test_what_appears_while_painting_is_held_back_is_painted_after(
    demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    painted: list[str] = []
    plain = App._display

    def display(app: App[object], screen: Screen[object], update: Any) -> None:
        if update is not None and not app._batch_count:
            painted.append(update.render_segments(app.console))
        plain(app, screen, update)

    monkeypatch.setattr(App, "_display", display)
    async with opened(demo) as driver:
        with driver.app.batch_update():
            driver.main.sessions.border_title = "A new title"
            await driver.pilot.pause()
            # As when the transcript gets another size.
            driver.main._refresh_layout()
            await driver.pilot.pause()
        painted.clear()
        await driver.settle()
        assert "A new title" in driver.screen()
        assert any("A new title" in update for update in painted)
