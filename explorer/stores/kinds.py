"""The kinds of stores, one row each, and how a path becomes a store.

A kind is recognised by the tables of a file, never by its name or a version number.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from explorer.cancel import CancelToken
from explorer.errors import Problem, StoreError
from explorer.render import veil
from explorer.stores.base import Store
from explorer.stores.hermes.noted_store import NotedStore
from explorer.stores.hermes.store import HermesStore, is_hermes
from explorer.stores.ours.notes import Notes
from explorer.stores.server_path import ServerPath
from explorer.stores.sqlite.failures import store_error
from explorer.stores.sqlite.read_only import PATIENCE, FinishedCopy, ReadOnlyFile
from explorer.stores.sqlite.schema import Schema


class StoreKind(NamedTuple):
    """One kind of store."""

    recognised: Callable[[Schema], bool]
    """Whether a file has its tables."""
    opened: Callable[[ReadOnlyFile, Schema, Notes | None], Store]
    """The store in such a file; our notes keep what the file has no column for."""


def _hermes(file: ReadOnlyFile, schema: Schema, notes: Notes | None) -> Store:
    if notes is not None and not schema.has("sessions", "archived"):
        return NotedStore(file, notes)
    return HermesStore(file, keeps_pins=schema.has("sessions", "pinned"))


def _power_loop(file: ReadOnlyFile, schema: Schema, notes: Notes | None) -> Store:
    # Late, because it saves every Hermes user 7 ms.
    from explorer.stores.power_loop.store import PowerLoopStore
    from explorer.stores.power_loop.tables import sets_of_tables

    return PowerLoopStore(file, sets_of_tables(schema), notes)


def _is_power_loop(schema: Schema) -> bool:
    from explorer.stores.power_loop.tables import sets_of_tables

    return bool(sets_of_tables(schema))


KINDS = (StoreKind(is_hermes, _hermes), StoreKind(_is_power_loop, _power_loop))


def open_store(
    path: Path,
    token: CancelToken | None = None,
    patience: float = PATIENCE,
    waiting: Callable[[], None] | None = None,
    notes: Notes | None = None,
    trash: Path | None = None,
    kinds: Sequence[StoreKind] = KINDS,
) -> Store:
    """The store at `path`; a `StoreError` that says what to do where there is none.

    `waiting` is called from the reading thread each time a busy file is tried again; `notes` are
    our own about this file; with `trash`, a change of ours that was interrupted in the middle of a
    write is rolled back."""
    if isinstance(path, ServerPath):
        # Late: only a server needs it.
        from explorer.stores.servers import open_server

        return _as_shown(open_server(path, token, waiting, notes), token)
    file = ReadOnlyFile(path, patience, waiting)
    try:
        schema = file.read(lambda reader: reader.schema, token)
    except StoreError as error:
        if error.problem is not Problem.UNRECOVERED or trash is None:
            raise
        # Late: without a crash the code for changes is not needed: 60 ms on a busy machine.
        from explorer.stores.edits.recovery import taken_back

        if not taken_back(path, trash):
            raise
        schema = file.read(lambda reader: reader.schema, token)
    return _recognised(file, schema, notes, kinds, token)


def open_copy(path: Path, token: CancelToken | None = None) -> Store:
    """The store in a snapshot that an agent made, which no process writes any more."""
    file = FinishedCopy(path)
    schema = file.read(lambda reader: reader.schema, token)
    return _recognised(file, schema, None, KINDS, token)


def _recognised(
    file: ReadOnlyFile,
    schema: Schema,
    notes: Notes | None,
    kinds: Sequence[StoreKind],
    token: CancelToken | None,
) -> Store:
    for kind in kinds:
        if kind.recognised(schema):
            return _as_shown(kind.opened(file, schema, notes), token)
    raise store_error(Problem.NOT_A_STORE, file.path)


def _as_shown(store: Store, token: CancelToken | None) -> Store:
    """While the privacy view is on, with marks for people and chats."""
    if not veil.drawn():
        return store
    # Late: only the privacy view needs it.
    from explorer.stores.private.view import privately

    return privately(store, token)
