"""The themes: each is tried while the cursor is on it."""

from textual.widgets import OptionList

from explorer.settings import OWN_THEMES, THEMES
from explorer.tui.dialogs.choices import Choice
from explorer.tui.themes import theme_name
from explorer.tui.words import THEME_TITLE, theme_words


class ThemeChoice(Choice[str]):
    """The chosen theme, by the name that users know, or nothing."""

    def __init__(self, chosen: str) -> None:
        options = [(name, theme_words(name, name in OWN_THEMES)) for name in THEMES]
        super().__init__(THEME_TITLE, options, chosen if chosen in THEMES else THEMES[0])

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        self.app.theme = theme_name(THEMES[event.option_index])
