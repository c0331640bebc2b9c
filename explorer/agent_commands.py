"""What only the agent itself can do to its file: its own commands, for a person to run or to copy.

As with a resume, a command is a list of arguments, and only ids that are plain names go into it.
"""

import re
from collections.abc import Sequence

from explorer.errors import Refused
from explorer.model import SAFE_ID
from explorer.resume import Command, fitted, installed
from explorer.settings import Config
from explorer.stores.base import Store

OPTIMIZE = ("sessions", "optimize")


def own_command(store: Store, *words: str) -> Command | None:
    """A command of the agent's about this very file, as far as it can be told to open it."""
    handover = store.handover()
    if isinstance(handover, str):
        return None
    arguments = (handover.program, "-p", handover.profile, *words)
    command = Command(arguments, handover.environment, None)
    return fitted(command, handover, Config()) if installed(command) else command


def delete_commands(store: Store, ids: Sequence[str], sure: bool) -> list[Command]:
    """The agent's own delete, which takes one session at a time; it asks itself unless `sure`."""
    odd = next((id_ for id_ in ids if not re.fullmatch(SAFE_ID, id_)), None)
    if odd is not None:
        raise Refused(
            "An id that is no plain name",
            "A session's id holds characters that could mean something else in a command, so it"
            " is not handed to one.",
        )
    one = own_command(store, "sessions", "delete")
    if one is None:
        return []
    end = ("--yes",) if sure else ()
    return [one._replace(arguments=(*one.arguments, id_, *end)) for id_ in ids]
