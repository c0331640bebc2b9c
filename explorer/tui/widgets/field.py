"""A line to type into, of a bounded length and without controls.

Every key lays the whole line out, and each search looks at all of it: without a bound, a paste of
some kilobytes would keep the app busy for minutes.
"""

import re

from textual.widgets import Input

LONGEST = 1_000
"""Characters that a field takes: five times as many as are searched for."""
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class TextField(Input):
    """Takes as much of a text as it has room for."""

    def replace(self, text: str, start: int, end: int) -> None:
        room = LONGEST - len(self.value) + abs(end - start)
        super().replace(_CONTROLS.sub(" ", text[: max(room, 0)]), start, end)
