"""Draw the pictures of the README: the real app on the demo, at a fixed time and size.

A rerun gives the same files: the clock, the theme, the size and every id in the pictures are
fixed. Run by `make screenshots`.
"""

import asyncio
import os
import re
import tempfile
import time
from collections.abc import Sequence
from html import unescape
from pathlib import Path
from typing import NamedTuple

from rich.cells import cell_len
from textual.pilot import Pilot

from explorer.browse.first_read import Opening, Start
from explorer.demo import DemoHome, write_demo_home
from explorer.resume import Command
from explorer.stores.discover import FoundStore
from explorer.tui.app import ExplorerApp

NOW = 1_790_000_000.0
HERE = Path(__file__).parent


class Picture(NamedTuple):
    """What is pressed before a picture is taken."""

    name: str
    keys: Sequence[str] = ()
    size: tuple[int, int] = (120, 36)
    file: str = "state.db"
    """What is opened: the demo, or something that cannot be read."""


PICTURES = (
    Picture("list"),
    Picture("transcript", (*["j"] * 9, "enter", "T", "o")),
    Picture("search", ("slash", *"registry")),
    Picture("filters", ("f",)),
    Picture("delete", (*"jjjj", "d")),
    Picture("prune", ("p", "j", "j", "j", "enter")),
    Picture("light", ("ctrl+t", *"jjj")),
    Picture("help", ("question_mark",)),
    Picture("rename", (*"jjjj", "t")),
    Picture("details", (*"jjjj", "i")),
    Picture("palette", (*"jjjj", "ctrl+p")),
    Picture("problem-not-a-database", file="notes.txt"),
    Picture("problem-truncated", file="truncated.db"),
    # Last, since it changes the demo.
    Picture("trash", (*"jjjjd", "y", "ctrl+p", *"trash", "enter")),
)


async def settle(app: ExplorerApp, pilot: Pilot[Command | str]) -> None:
    """Wait until no thread works and nothing waits to be painted."""
    quiet = 0
    while quiet < 3:
        await pilot.pause()
        quiet = 0 if any(not worker.is_finished for worker in app.workers) else quiet + 1


async def take(picture: Picture, folder: Path) -> None:
    demo, path = picture.file == "state.db", folder / picture.file
    found = DemoHome.at(folder).found if demo else [FoundStore(path, asked=True)]
    why = "demo" if demo else ""
    opening = Opening(path, NOW, demo=why, trash=folder / "trash.db", found=found)
    app = ExplorerApp(Start(opening, lambda: NOW))
    async with app.run_test(size=picture.size) as pilot:
        await settle(app, pilot)
        for key in picture.keys:
            await pilot.press(key)
            await settle(app, pilot)
        drawing = app.export_screenshot(title="Session Explorer")
    # How long a search took is never the same.
    drawing = re.sub(r"&#160;·&#160;[\d,]+&#160;ms", "", drawing)
    drawing = re.sub(r'textLength="([\d.]+)"([^>]*>)([^<]*)<', _in_cells, drawing)
    # Textual numbers its classes at random; one name for all makes a rerun equal.
    drawing = re.sub(r"terminal-\d+", f"terminal-{picture.name}", drawing)
    (HERE / f"{picture.name}.svg").write_text(drawing + "\n", encoding="utf-8")


def _in_cells(found: re.Match[str]) -> str:
    """The length of a text counted in cells, not letters: wide ones would be squeezed."""
    text = unescape(found[3])
    length = float(found[1]) * cell_len(text) / max(len(text), 1)
    return f'textLength="{length:g}"{found[2]}{found[3]}<'


def main() -> None:
    os.environ["TZ"] = "UTC"
    time.tzset()
    with tempfile.TemporaryDirectory() as folder:
        # Shown as ~ in the pictures, whatever its name.
        os.environ["HOME"] = folder
        here = Path(folder)
        write_demo_home(here, NOW)
        (here / "notes.txt").write_text("Not a database at all.", encoding="utf-8")
        whole = (here / "state.db").read_bytes()
        (here / "truncated.db").write_bytes(whole[: len(whole) // 3])
        for picture in PICTURES:
            asyncio.run(take(picture, here))
            print(f"screenshots/{picture.name}.svg")


if __name__ == "__main__":
    main()
