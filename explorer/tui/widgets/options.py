"""A list of options that also goes by j and k, as every list here."""

from textual.binding import Binding
from textual.widgets import OptionList


class Options(OptionList):
    """Options, one below the other."""

    BINDINGS = [
        Binding("j", "cursor_down", show=False),
        Binding("k", "cursor_up", show=False),
    ]
