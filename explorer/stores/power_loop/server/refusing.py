"""Changes of sessions on a server: none yet but pins, which are in our notes.

This is the one place that says so, to `info`, to the app and to whoever asks for a plan.
"""

from collections.abc import Mapping
from typing import NoReturn

from explorer.cancel import CancelToken
from explorer.errors import Refused, sentence
from explorer.model import Action
from explorer.stores.edits.editor import Editor
from explorer.stores.edits.plans import KINDS, RULES

REASON = "sessions on a server cannot be changed yet"


def reasons() -> Mapping[str, str | None]:
    """Of each change why it is not possible; None where it is."""
    return {name: None if name == Action.PIN.value else REASON for name in RULES}


class RefusingEditor(Editor):
    """Refuses whatever would have to be written to the server."""

    def _planning(self, action: Action, table: str, token: CancelToken | None) -> NoReturn:
        self.trash.check()
        raise Refused(KINDS[action].rule.cannot, sentence(REASON))

    def _connected(self, cannot: str, token: CancelToken | None) -> NoReturn:
        raise Refused(cannot, sentence(REASON))
