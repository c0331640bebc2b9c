"""Help for what has the focus: every key, every mark."""

from collections.abc import Iterable

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget
from textual.widgets import Static

from explorer.keys.actions import ACTIONS, BY_ID, SCOPES
from explorer.render.clean import cell_width
from explorer.render.lines import wrapped
from explorer.tui.dialogs.base import Dialog
from explorer.tui.key_bindings import bindings, keymap_of
from explorer.tui.words import MARKS, help_words

LEFT = 14
"""Cells of the left column."""
STACKED = 36
"""Below this width the words are below their key."""


class KeyTable(Widget):
    """Keys and what they do, in two columns. Takes clean text."""

    DEFAULT_CSS = "KeyTable { height: auto; }"

    def __init__(self, rows: Iterable[tuple[str, str]]) -> None:
        super().__init__()
        self._rows = tuple(rows)

    def render(self) -> Content:
        lines = [
            Content.assemble((key, "bold $accent"), words) for key, words in self._lines(self.size)
        ]
        return Content("\n").join(lines)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._lines(Size(width, 0)))

    def _lines(self, size: Size) -> list[tuple[str, str]]:
        """(left column, words) of each line."""
        found = []
        below = size.width < STACKED
        indent = 4 if below else LEFT
        for key, words in self._rows:
            head = f"  {key}"
            # Keys that would touch the words get a line of their own.
            stacked = below or cell_width(head) >= indent
            head += " " * (indent - cell_width(head))
            first, *rest = wrapped(words, size.width - indent)
            if stacked:
                found.append((head, ""))
                rest.insert(0, first)
            else:
                found.append((head, first))
            found += [(" " * indent, line) for line in rest]
        return found


PANES = ("list", "transcript", "search", "find", "prune", "app")
"""Whose keys come first; those of the dialogs follow."""


class HelpScreen(Dialog[None]):
    """Keys and marks, those of the focused pane first."""

    BINDINGS = bindings("help")

    def __init__(self, scope: str) -> None:
        super().__init__()
        self._scope = scope

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="help"):
            *panes, app = PANES
            first = (self._scope, *(scope for scope in panes if scope != self._scope), app)
            for scope in (*first, *(scope for scope in SCOPES if scope not in PANES)):
                yield from self._section(scope)
            yield Static(Content("Marks"), classes="help-title")
            yield KeyTable(MARKS)
            keymap = keymap_of(self.app)
            words = help_words(keymap.key("undo"), keymap.key("show-hidden"))
            yield Static(Content(words), classes="help-words")

    def _section(self, scope: str) -> ComposeResult:
        keymap = keymap_of(self.app)
        yield Static(Content(SCOPES[scope]), classes="help-title")
        yield KeyTable(
            (keymap.shown(action) or keymap.shown(BY_ID["palette"]), action.help)
            for action in ACTIONS
            if scope in action.scopes
        )

    def on_mount(self) -> None:
        help_pane = self.query_one("#help")
        help_pane.border_title = Content("Help")
        help_pane.border_subtitle = Content(keymap_of(self.app).hint("help"))
        help_pane.focus()

    def action_end(self, last: bool) -> None:
        pane = self.query_one("#help")
        pane.scroll_end(animate=False) if last else pane.scroll_home(animate=False)
