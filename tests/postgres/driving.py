"""The app on a database."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from explorer.browse.first_read import Opening, Start
from explorer.stores.discover import locate
from explorer.tui.app import ExplorerApp
from tests.tui.driving import Driver


@asynccontextmanager
async def app_on(
    address: str, folder: Path, settled: bool = True, now: float = 2e9
) -> AsyncIterator[Driver]:
    """The app with our own files in a folder; `settled` when a session with a title is listed."""
    found = locate([address], (), {}, None)
    ours = folder / "explorer.db", folder / "trash.db"
    opening = Opening(found[0].path, now, notes=ours[0], trash=ours[1], found=found)
    app = ExplorerApp(Start(opening, lambda: now))
    async with app.run_test(size=(120, 40)) as pilot:
        driver = Driver(app, pilot)
        if settled:
            await driver.until_seen(lambda: "Plan of" in driver.screen())
            await driver.settle()
        yield driver
