"""The dialog that asks before something is done. Takes clean text; the harmless answer has the
focus."""

from collections.abc import Callable
from typing import NamedTuple

from textual import on
from textual._time import get_time
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget
from textual.widgets import Button, Static

from explorer.keys.actions import BY_ID
from explorer.keys.keymap import shown
from explorer.tui.dialogs.attention import pressed
from explorer.tui.dialogs.base import Dialog
from explorer.tui.hints import hint
from explorer.tui.key_bindings import bindings, keymap_of
from explorer.tui.words import ALL_SHOWN, TOO_EARLY, more_below


class Instead(NamedTuple):
    """Another answer than yes or no."""

    words: str
    do: Callable[[], None]


class QuestionText(VerticalScroll, can_focus=False):
    """What scrolls between a question and its answers: the keys stay with these."""

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As tall as its text where what stays visible leaves room for that. Textual would make it
        either too tall for the screen or, as what takes the rest, as tall as the screen."""
        height = super().get_content_height(container, viewport, width)
        if not container.height:
            # Only measured.
            return height
        beside = [one for one in self.siblings if not one.styles.is_docked]
        taken = sum(
            one.get_content_height(container, viewport, width) + one.styles.margin.height
            for one in beside
        )
        return min(height, max(container.height - taken, 0))


class Question(Dialog[bool]):
    """True for yes. Its answers are always visible; a text that is too long for the screen scrolls
    above them."""

    BINDINGS = [*bindings("question"), *bindings("scroll")]
    SCOPE = "question"
    HORIZONTAL_BREAKPOINTS = [(0, "-slim"), (70, "-roomy")]
    VERTICAL_BREAKPOINTS = [(0, "-short"), (14, "-tall")]

    def __init__(
        self,
        title: str,
        text: str,
        yes: str,
        no: str = "Cancel",
        instead: "Instead | None" = None,
        last: str = "",
    ) -> None:
        """`instead` is a third answer, `last` is what stays visible below the text."""
        super().__init__()
        self._instead = instead
        self._title = title
        self._last = last
        self._yes = yes
        self._no = no
        self._painted: float | None = None
        """When it was first on the screen, in the time of events."""
        self._text = QuestionText(Static(Content(text), id="question-text"))
        self._text.display = bool(text)

    def compose(self) -> ComposeResult:
        with Vertical(id="question"):
            yield Static(Content(self._title), id="question-title")
            yield self._text
            if self._last:
                yield Static(Content(self._last), id="question-last")
            with Horizontal(id="answers"):
                yield self._button("no", self._no, "answer-no", avoid="escape")
                if self._instead is not None:
                    yield Button(Content(self._instead.words), id="instead", compact=True)
                yield self._button("yes", self._yes, "answer-yes")

    def _button(self, id_: str, words: str, action: str, avoid: str = "") -> Button:
        """An answer with its key on it, rather a letter than `avoid`."""
        keys = keymap_of(self.app).keys(BY_ID[action])
        key = next((key for key in keys if key != avoid), next(iter(keys), ""))
        label = Content.assemble(words, (f"  {shown(key)}" if key else "", "dim"))
        return Button(label, id=id_, compact=True)

    def on_mount(self) -> None:
        self.set_focus(self.query_one("#no"))
        self.watch(self._text, "show_vertical_scrollbar", self._say_more)

    def _say_more(self, more: bool) -> None:
        key = keymap_of(self.app).key("scroll-page-down")
        self.query_one("#question").border_subtitle = Content(more_below(key) if more else "")

    def action_scroll(self, lines: int) -> None:
        if not self._text.max_scroll_y:
            hint(self, ALL_SHOWN)
        self._text.scroll_relative(y=lines, animate=False)

    def action_page(self, pages: int) -> None:
        self.action_scroll(pages * max(self._text.size.height - 1, 1))

    def action_top(self) -> None:
        self.action_scroll(-self._text.max_scroll_y)

    def action_bottom(self) -> None:
        self.action_scroll(self._text.max_scroll_y)

    def painted(self) -> None:
        """It is on the screen."""
        if self._painted is None:
            self._painted = get_time()

    @property
    def is_painted(self) -> bool:
        """Whether it can be read, and so answered."""
        return self._painted is not None

    def action_yes(self) -> None:
        """What was pressed before it could be read was meant for something else."""
        if self._painted is None or pressed(self.app).at < self._painted:
            hint(self, TOO_EARLY)
        else:
            self.dismiss(True)

    @on(Button.Pressed)
    def _answered(self, event: Button.Pressed) -> None:
        self.dismiss(event.button.id == "yes")
        if event.button.id == "instead" and self._instead is not None:
            self.app.call_later(self._instead.do)


def ask(at: Widget, question: Question, do: Callable[[], None]) -> None:
    """Ask a question, and do something after a yes."""
    at.app.push_screen(question, lambda yes: do() if yes else None)
