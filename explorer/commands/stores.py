"""The store that a command works on: never the demo, and an error if there is none."""

import argparse
import os
from collections.abc import Sequence

from explorer.errors import Problem, StoreError
from explorer.model import Session
from explorer.settings import notes_path, trash_path
from explorer.stores.base import Store
from explorer.stores.catalog import Catalog
from explorer.stores.discover import current_folder, default_home, locate
from explorer.stores.kinds import open_store
from explorer.stores.ours.notes import Notes
from explorer.stores.resolve import pinned_rows
from explorer.stores.sqlite.failures import short_path


def with_noted_pins(store: Store, catalog: Catalog, sessions: Sequence[Session]) -> list[Session]:
    """The same sessions, pinned also where our notes say so."""
    pinned = pinned_rows(store, catalog, Notes(notes_path(), store.path).pins())
    return [
        one._replace(pinned=True) if catalog.tip(one.key) in pinned else one for one in sessions
    ]


def chosen_store(options: argparse.Namespace) -> Store:
    place = locate(options.db, options.profile, os.environ, current_folder())
    if place is None:
        home = short_path(default_home(os.environ))
        raise StoreError(
            Problem.MISSING,
            "No state file found",
            f"There is none in {home}. Use --db PATH, or try `session-explorer demo`.",
        )
    path = place.path
    return open_store(path, notes=Notes(notes_path(), path), trash=trash_path())
