"""From a path to a store: what kind of state file is this?

`KINDS` is the one table of them. A kind is told by the tables of a file, never by its name or by a
version number.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from explorer.cancel import CancelToken
from explorer.errors import Problem, StoreError
from explorer.stores.base import Store
from explorer.stores.hermes.store import HermesStore, is_hermes
from explorer.stores.ours.notes import Notes
from explorer.stores.power_loop.tables import is_power_loop, sets_of_tables
from explorer.stores.sqlite.failures import store_error
from explorer.stores.sqlite.read_only import PATIENCE, ReadOnlyFile
from explorer.stores.sqlite.schema import Schema


class StoreKind(NamedTuple):
    """One kind of store."""

    recognised: Callable[[Schema], bool]
    """Whether these tables are its own."""
    opened: Callable[[ReadOnlyFile, Schema, Notes | None], Store]
    """The store in such a file; it may use our notes for what the file has no place for."""


def _hermes(file: ReadOnlyFile, schema: Schema, notes: Notes | None) -> Store:
    if notes is not None and not schema.has("sessions", "archived"):
        from explorer.stores.hermes.noted_archive import NotedStore

        return NotedStore(file, notes)
    return HermesStore(file, keeps_pins=schema.has("sessions", "pinned"))


def _power_loop(file: ReadOnlyFile, schema: Schema, notes: Notes | None) -> Store:
    # Late, because it saves every Hermes user 7 ms.
    from explorer.stores.power_loop.store import PowerLoopStore

    return PowerLoopStore(file, sets_of_tables(schema))


KINDS = (StoreKind(is_hermes, _hermes), StoreKind(is_power_loop, _power_loop))


def open_store(
    path: Path,
    token: CancelToken | None = None,
    patience: float = PATIENCE,
    waiting: Callable[[], None] | None = None,
    notes: Notes | None = None,
    trash: Path | None = None,
    kinds: Sequence[StoreKind] = KINDS,
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
        from explorer.stores.edits.apply.recovery import taken_back

        if not taken_back(path, trash):
            raise
        schema = file.read(lambda reader: reader.schema, token)
    for kind in kinds:
        if kind.recognised(schema):
            return kind.opened(file, schema, notes)
    raise store_error(Problem.NOT_A_STORE, path)
