"""What went wrong, at the corner of the screen: cleaned, for an error may hold stored text."""

from textual.screen import Screen

from explorer.errors import ExplorerError
from explorer.render.clean import clean, clean_line


def say(screen: Screen[None], error: ExplorerError) -> None:
    screen.notify(
        clean(error.message), title=clean_line(error.title), severity="warning", markup=False
    )
