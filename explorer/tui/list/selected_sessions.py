"""Keeps a selection on its sessions.

The list knows its rows by numbers, which a file gives to other sessions once theirs are deleted, or
when it is packed. So the ids of what is selected are noted, and compared after each change.
"""

from collections.abc import Callable, Mapping

from explorer.browse.arrangement import session_of
from explorer.browse.refresh import Moved, ids_of
from explorer.browse.row_set import MANY
from explorer.browse.words import not_selected_now
from explorer.cancel import CancelToken
from explorer.stores.base import Store
from explorer.tui.list.session_list import SessionList
from explorer.tui.workers import Lanes

AFTER = 0.05
"""Seconds before ids are read: what is visible comes first."""


class SelectedSessions:
    """Knows which sessions the selected rows of a list are."""

    def __init__(self, sessions: SessionList, lanes: Lanes) -> None:
        self._sessions = sessions
        self._lanes = lanes
        self._in_change: list[frozenset[int]] = []

    def note(self, store: Store | None) -> None:
        """Note which they are, as far as that is not known."""
        selection = self._sessions.selection
        selection.note(self._sessions.known_ids())
        if store is None or len(selection.ids) >= min(len(selection), MANY):
            return
        rows, ids = selection.keys.copy(), dict(selection.ids)

        def work(token: CancelToken) -> Mapping[int, str]:
            token.wait(AFTER)
            return ids_of(store, rows, ids, token)

        self._lanes.start("selected", work, selection.note)

    def begin_change(self, keys: frozenset[int]) -> Callable[[], None]:
        """A change of ours is about these: that they go is its own to say. Gives what ends it."""
        self._in_change.append(keys)
        return lambda: self._in_change.remove(keys)

    def follow(self, moved: Moved) -> None:
        """Follow sessions to the rows where they are now, the cursor too; what is gone is not
        selected any more, which is said."""
        selection, cursor = self._sessions.selection, self._sessions.cursor
        kept = [row for row in moved.to if row in selection]
        lost = [row for row in moved.gone if row in selection and row not in moved.to]
        if cursor.row is not None and cursor.row in moved.to:
            cursor.go_to(moved.to[cursor.row])
        else:
            cursor.stay_near(moved.gone)
        selection.drop(moved.gone)
        selection.add([moved.to[row] for row in kept])
        self.say_dropped(sum(not self._is_in_change(row) for row in lost))

    def _is_in_change(self, row: int) -> bool:
        return any(session_of(row) in keys for keys in self._in_change)

    def say_dropped(self, number: int) -> None:
        """So many sessions are not selected any more, without the user."""
        if number > 0:
            said = not_selected_now(number)
            self._sessions.notify(said, severity="warning", markup=False)
