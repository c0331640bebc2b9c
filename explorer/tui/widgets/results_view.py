"""A painted list whose content may be about to change: it stays in sight, dimmed, till then."""

from textual.reactive import reactive
from textual.strip import Strip
from textual.timer import Timer

from explorer.render.lines import Line
from explorer.tui.widgets.painted import PaintedView

DIMMED_AFTER = 0.1
"""Seconds after which old results are dimmed: most new ones come before that, without a flicker."""


class ResultsView(PaintedView):
    """Shows results, and that other ones are being looked for."""

    stale = reactive(False)
    """What is shown is not what was asked for last."""
    _dimming: Timer | None = None

    def expect(self) -> None:
        """Other results are on their way."""
        if self._dimming is None:
            self._dimming = self.set_timer(DIMMED_AFTER, self._dim)

    def arrived(self) -> None:
        """They are here."""
        if self._dimming is not None:
            self._dimming.stop()
        self._dimming, self.stale = None, False

    def _dim(self) -> None:
        self.stale = self._dimming is not None

    def strip(self, line: Line, width: int, lit: bool = False) -> Strip:
        if self.stale:
            line = tuple((text, "dim") for text, _ in line)
        return super().strip(line, width, lit)
