"""The edits of a state file, with a trash of its own and any clock."""

from collections.abc import Callable
from pathlib import Path

from explorer.stores.edits.editor import Editor
from explorer.stores.kinds import open_store
from explorer.stores.ours.notes import Notes, OurFiles
from tests.factories import NOW


def at_now() -> float:
    return NOW


def edits_on(
    path: Path,
    trash: Path,
    clock: Callable[[], float] = at_now,
    notes: Notes | None = None,
) -> Editor:
    """As the app and the commands get it: from the store."""
    edits = open_store(path, trash=trash).edits(OurFiles(trash, clock, notes))
    assert isinstance(edits, Editor)
    return edits
