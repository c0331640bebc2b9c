"""The writing half of a state file, with a trash of its own and at a time of one's choice."""

from collections.abc import Callable
from pathlib import Path

from explorer.store.base import Ours
from explorer.store.edits.editor import Editor
from explorer.store.opening import open_store
from explorer.store.side import SideFile
from tests.factories import NOW


def at_now() -> float:
    return NOW


def edits_on(
    path: Path,
    trash: Path,
    clock: Callable[[], float] = at_now,
    notes: SideFile | None = None,
) -> Editor:
    """As the app and the commands get it: from the store."""
    edits = open_store(path, trash=trash).edits(Ours(trash, clock, notes))
    assert isinstance(edits, Editor)
    return edits
