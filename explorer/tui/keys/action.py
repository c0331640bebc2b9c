"""One thing a user can do, as a row of the table of actions."""

from typing import NamedTuple


class Action(NamedTuple):
    """One thing a user can do."""

    name: str
    scope: str
    """What must have the focus: list, transcript, search, or app for all of them."""
    keys: str
    """As Textual names them, the first one shown; empty where only the palette has it."""
    shown: str
    """The keys as people write them."""
    label: str
    """A word for the footer."""
    help: str
    call: str
    """The action that a widget, the screen or the app performs."""
    rank: int | None = None
    """Place in the footer, if it belongs there."""
    palette: bool = True
