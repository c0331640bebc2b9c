"""Notifications, which every screen that opens draws anew."""

from pathlib import Path

from textual.notifications import Notification
from textual.widgets._toast import Toast

from explorer.browse.first_read import Opening, Start
from explorer.tui.app import ExplorerApp
from tests.tui.driving import NOW, SIZE, Driver, animals


async def test_one_that_is_about_to_end_is_not_drawn_on_a_screen_that_opens(tmp_path: Path) -> None:
    """Its timer would be set for a time that is over, which hangs the app."""
    app = ExplorerApp(Start(Opening(animals(tmp_path / "state.db"), NOW), lambda: NOW))
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        driver = Driver(app, pilot)
        await driver.settle()
        app._notifications.add(Notification("is about to end", timeout=0.9))
        app._notifications.add(Notification("stays for long", timeout=600))
        await driver.press("question_mark")
        shown = [str(toast.render()) for toast in app.screen.query(Toast)]
        assert shown == ["stays for long"]
