"""One long block alone on the screen, from its first line to its last, with a find of its own."""

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content

from explorer.errors import ExplorerError
from explorer.search.pattern import Pattern, pattern
from explorer.tui.dialogs.base import Dialog
from explorer.tui.key_bindings import bindings
from explorer.tui.reading.clipboard import copy
from explorer.tui.reading.find_bar import FindBar
from explorer.tui.reading.long_text import LongText


class BlockScreen(Dialog[None]):
    """A block that is longer or wider than a transcript shows in place."""

    BINDINGS = bindings("block")

    def __init__(
        self,
        text: str,
        title: str,
        looking_for: str = "",
        match: int = 0,
        found: Pattern | None = None,
    ) -> None:
        """`looking_for` is what the transcript is being searched for, `match` the match index in
        this block that the reader is at. `found` is what a search over all sessions found: its
        language is not that of a find, so it stands in no bar."""
        super().__init__()
        self._text = text
        self._name_of_block = title
        self._looking_for = looking_for
        self._match = match
        self._found = found

    def compose(self) -> ComposeResult:
        with Vertical():
            view = LongText(self._text, self._match)
            view.border_title = Content(self._name_of_block)
            yield view
            bar = FindBar(id="find")
            bar.display = bool(self._looking_for)
            yield bar

    def on_mount(self) -> None:
        self.set_focus(self._view)
        if self._looking_for:
            self._bar.input.value = self._looking_for
        elif self._found is not None:
            self._view.look_for(self._found)

    @property
    def _view(self) -> LongText:
        return self.query_one(LongText)

    @property
    def _bar(self) -> FindBar:
        return self.query_one(FindBar)

    @on(FindBar.Typed)
    def _look_for(self, event: FindBar.Typed) -> None:
        try:
            self._view.look_for(pattern(event.text))
        except ExplorerError as error:
            self._bar.say(str(error))

    @on(FindBar.Told)
    def _say(self, event: FindBar.Told) -> None:
        self._bar.say(event.words)

    @on(FindBar.StepWanted)
    def _step(self, event: FindBar.StepWanted) -> None:
        self._view.step(event.step)

    @on(FindBar.Entered)
    def _to_text(self) -> None:
        self.set_focus(self._view)

    @on(FindBar.Closed)
    def _close_find(self) -> None:
        self._bar.display = False
        self._view.look_for(None)
        self.set_focus(self._view)

    def action_find(self) -> None:
        self._bar.display = True
        self.set_focus(self._bar.input)

    def action_step(self, step: int) -> None:
        self._view.step(step)

    def action_copy(self) -> None:
        copy(self, self._text, "the block")

    def cancel(self) -> None:
        self.action_leave()

    def action_leave(self) -> None:
        """Out of the find, then out of the block."""
        if self._bar.display:
            self._close_find()
        else:
            self.dismiss()
