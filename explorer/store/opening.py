"""From a path to a store: what kind of state file is this?"""

from collections.abc import Callable
from pathlib import Path

from explorer.errors import Problem, StoreError
from explorer.store.base import Store
from explorer.store.failures import store_error
from explorer.store.hermes.store import HermesStore, is_hermes
from explorer.store.read_only import PATIENCE, CancelToken, ReadOnlyFile
from explorer.store.side import SideFile


def open_store(
    path: Path,
    token: CancelToken | None = None,
    patience: float = PATIENCE,
    waiting: Callable[[], None] | None = None,
    notes: SideFile | None = None,
    trash: Path | None = None,
) -> Store:
    """The store at `path`; a `StoreError` that says what to do when there is none.

    `waiting` is called from the reading thread each time the file is busy and tried again;
    `notes` are our own about this file, and `trash` tells of our own edits: one that was cut short
    in the middle of a write is taken back."""
    file = ReadOnlyFile(path, patience, waiting)
    try:
        schema = file.read(lambda reader: reader.schema, token)
    except StoreError as error:
        if error.problem is not Problem.UNRECOVERED or trash is None:
            raise
        # Late: who starts after no crash need not load what edits: 60 ms on a busy machine.
        from explorer.store.edits.recovering import taken_back

        if not taken_back(path, trash):
            raise
        schema = file.read(lambda reader: reader.schema, token)
    if is_hermes(schema):
        if notes is not None and not schema.has("sessions", "archived"):
            from explorer.store.hermes.noted import NotedStore

            return NotedStore(file, notes)
        return HermesStore(file, keeps_pins=schema.has("sessions", "pinned"))
    # Late, because it saves every Hermes user 7 ms.
    from explorer.store.power_loop import PowerLoopStore, prefixes

    if prefixes(schema):
        return PowerLoopStore(file, prefixes(schema))
    raise store_error(Problem.NOT_A_STORE, path)
