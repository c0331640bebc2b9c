"""Text fields and lists: Textual's own, made to survive long pastes and late clicks."""

import re
from contextlib import suppress

from textual._widget_navigation import Direction
from textual.events import Click
from textual.geometry import Size
from textual.message import Message
from textual.widgets import Input, OptionList

from explorer.tui.hints import hint
from explorer.tui.key_bindings import bindings
from explorer.tui.words import NOTHING_TO_CHOOSE

LONGEST = 1_000
"""Characters that a field takes: five times as many as are searched for."""
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class TextField(Input):
    """Takes as much of a text as it has room for."""

    def replace(self, text: str, start: int, end: int) -> None:
        room = LONGEST - len(self.value) + abs(end - start)
        super().replace(_CONTROLS.sub(" ", text[: max(room, 0)]), start, end)


class SteadyList(OptionList):
    """Textual's own, which raises where a key or a click comes before the list is laid out anew."""

    def _move_page(self, direction: Direction) -> None:
        with suppress(LookupError):
            super()._move_page(direction)

    @property
    def _least_width(self) -> int:
        """Cells for one letter, and for what surrounds an option."""
        padding = self.get_component_styles("option-list--option").padding.width
        return 1 + padding + self._get_left_gutter_width()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """In a terminal of a few columns nothing is left for the options, and Textual would divide
        their words into pieces of no width."""
        return super().get_content_height(container, viewport, max(width, self._least_width))

    def _update_lines(self) -> None:
        """The same where the options are painted: there are none then."""
        if self.scrollable_content_region.width >= self._least_width:
            super()._update_lines()

    async def _on_click(self, event: Click) -> None:
        """A click on an option that is painted but gone does nothing."""
        option = event.style.meta.get("option")
        if isinstance(option, int) and option >= self.option_count:
            # Textual's own comes after this one.
            event.prevent_default()


class Options(SteadyList):
    """Options, one below the other."""

    BINDINGS = bindings("options")

    def action_select(self) -> None:
        if self.highlighted is None or self.get_option_at_index(self.highlighted).disabled:
            hint(self, NOTHING_TO_CHOOSE)
        super().action_select()

    def action_half_page(self, step: int) -> None:
        """Half a page on or back, to the nearest option that can be chosen."""
        free = [at for at, option in enumerate(self.options) if not option.disabled]
        if free:
            goal = (self.highlighted or 0) + step * max(self.size.height // 2, 1)
            self.highlighted = min(free, key=lambda at: abs(at - goal))


class CheckBoxes(Options):
    """Options with check boxes: a click turns one on or off, and chooses nothing yet."""

    class Clicked(Message):
        """The box under the cursor."""

    async def _on_click(self, event: Click) -> None:
        event.prevent_default()
        option = event.style.meta.get("option")
        if isinstance(option, int) and option < self.option_count:
            self.highlighted = option
            self.post_message(self.Clicked())
