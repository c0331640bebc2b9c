"""How the file is, in the top bar: what it holds, and whether it is live, busy or in trouble.

In trouble the last good view stays: the bar says since when, and a note in the corner says why
and what to do.
"""

from collections.abc import Callable

from textual.screen import Screen

from explorer.browse.first_read import Opening
from explorer.browse.outlook import Outlook
from explorer.errors import Problem, StoreError
from explorer.model import StoreInfo
from explorer.render.clean import clean, clean_line
from explorer.render.figures import ago, clock, plural, size
from explorer.stores.sqlite.failures import DISAGREES
from explorer.tui.list.file_watcher import Watching
from explorer.tui.widgets.bars import TopBar

LIVELY = 60.0
"""Seconds since the last write within which a file counts as live."""
BUSY = "busy: another program has locked it"
SNAPSHOT = "snapshot: its folder is read-only"
DAMAGED = "damaged: lists and counts may be wrong"
GONE = (
    "The file is not there any more. What is listed is what was read before; it goes on by itself"
    " when the file is back."
)
"""Of a file that was there: advice about its path would be beside the point."""


class Condition:
    """Says how one file is."""

    def __init__(
        self, screen: Screen[None], top: TopBar, watching: Watching, now: Callable[[], float]
    ) -> None:
        self._screen = screen
        self._top = top
        self._watching = watching
        self._now = now
        self._snapshot = False
        self._trouble = ""
        self._damaged = False

    def say(self, opening: Opening) -> None:
        """Bring the bar up to date."""
        if opening.demo:
            state = opening.demo
        elif self._trouble:
            state = self._trouble
        elif opening.busy:
            state = BUSY
        elif self._damaged:
            state = DAMAGED
        else:
            state = SNAPSHOT if self._snapshot else self._liveness()
        self._top.state = state

    def _liveness(self) -> str:
        """How long nobody has written to it."""
        written, now = self._watching.written, self._now()
        if written is None:
            return ""
        if now - written < LIVELY:
            return f"live · written {max(int(now - written), 0)}s ago"
        when = ago(written, now)
        since = when[-1:].isdigit() or " " in when
        return f"at rest since {when}" if since else f"at rest · {when}"

    def informed(self, info: StoreInfo) -> None:
        """What is in it, and how large it is."""
        self._snapshot = info.snapshot
        if not info.sound and not self._damaged:
            self._screen.notify(
                DISAGREES, title="The file is damaged", severity="warning", markup=False
            )
        self._damaged = not info.sound
        amounts = (
            plural(info.sessions, "session"),
            plural(info.messages, "message"),
            size(info.bytes + info.wal_bytes),
        )
        self._top.facts = " · ".join(amounts)

    def foreseen(self, outlook: Outlook | None) -> None:
        """What the agent is going to do by itself."""
        self._top.warning = outlook.warning if outlook else ()

    def failed(self, error: StoreError) -> None:
        """Something could not be read: said once, however often it is tried again."""
        if not self._trouble.startswith(error.title):
            self._trouble = f"{error.title} · as of {clock(self._now())}"
            message = GONE if error.problem is Problem.MISSING else error.message
            title, text = clean_line(error.title), clean(message)
            self._screen.notify(text, title=title, severity="error", markup=False)

    def recovered(self) -> bool:
        """It can be read; whether there was trouble before."""
        before, self._trouble = self._trouble, ""
        return bool(before)
