"""Where our own files are, for whoever edits."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from explorer.stores.ours.notes import SideFile


class OurFiles(NamedTuple):
    """Our own files, which an edit keeps what it needs in."""

    trash: Path
    clock: Callable[[], float]
    notes: SideFile | None = None
