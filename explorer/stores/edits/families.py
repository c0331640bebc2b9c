"""Sessions that hang together go together, or stay together.

A delete goes through each conversation from its newest part to its oldest. Stopped in between it
would leave a beginning without its end, and a part that its agent has begun to write again would
stay without what came before.
"""

from collections.abc import Iterable

from explorer.stores.edits.plans import Planned
from explorer.stores.edits.subject import APART

CONTINUED = "what continues it stays"


class Family:
    """Knows which of the sessions that are to go hang on which others."""

    def __init__(self, doomed: Iterable[Planned]) -> None:
        self._parents = {child: one.id for one in doomed for child in one.children}
        """Of each session below one that is to go, that one."""
        self._owed: set[str] = set()
        """Those that are still there while what hangs on them is gone."""
        self.spared: set[str] = set()
        """Those that stay since what continues them, or works for them, does."""

    def went(self, id_: str) -> None:
        self._owed.discard(id_)
        if id_ in self._parents:
            self._owed.add(self._parents[id_])

    def stayed(self, planned: Planned) -> None:
        """One was left out; a branch is a conversation of its own, and keeps nobody."""
        self._owed.discard(planned.id)
        if planned.kind not in APART and planned.id in self._parents:
            self.spared.add(self._parents[planned.id])

    def is_whole(self) -> bool:
        """Whether nothing is gone of what is still there."""
        return not self._owed
