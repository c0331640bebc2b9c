"""Which store a headless command works on: never the demo, and an error where there is none."""

import argparse
import os

from explorer.config import side_path, trash_path
from explorer.errors import Problem, StoreError
from explorer.paths import current_folder, default_home, locate
from explorer.store.base import Store
from explorer.store.failures import short_path
from explorer.store.opening import open_store
from explorer.store.side import SideFile


def chosen_store(options: argparse.Namespace) -> Store:
    place = locate(options.db, options.profile, os.environ, current_folder())
    if place is None:
        home = short_path(default_home(os.environ))
        raise StoreError(
            Problem.MISSING,
            "No state file found",
            f"There is none in {home}. Name one with --db PATH, or see `session-explorer demo`.",
        )
    path = place.path
    return open_store(path, notes=SideFile(side_path(), path), trash=trash_path())
