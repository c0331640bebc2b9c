"""From the state files that were found to the store that is worked with: the one there is, or a
library of all of them.

In a library a file is opened when it can be: one that is missing, locked or broken is a trouble of
the library, tried again with every look at it, and keeps none of the others waiting.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from explorer.cancel import CancelToken
from explorer.errors import NoFileYet, Problem, StoreError
from explorer.stores.base import Store
from explorer.stores.discover import FoundStore
from explorer.stores.kinds import open_store
from explorer.stores.ours.notes import Notes


def open_found(
    found: Sequence[FoundStore],
    token: CancelToken | None = None,
    waiting: Callable[[], None] | None = None,
    notes: Path | None = None,
    trash: Path | None = None,
) -> Store:
    """The store of these files, at least one of which can be opened; else the `StoreError` of the
    first. `waiting` is called each time a busy file is tried again, `notes` and `trash` are our
    own files."""
    if len(found) == 1:
        return _opened(found[0], token, waiting, notes, trash)
    # Late: one file needs none of it.
    from explorer.stores.library.library import Library
    from explorer.stores.library.members import MemberFile

    def file(one: FoundStore) -> MemberFile:
        def opened(token: CancelToken | None) -> Store:
            return _opened(one, token, waiting, notes, trash)

        return MemberFile(one.path, one.name, opened)

    library = Library([file(one) for one in found])
    library.open_all(token)
    return library


def notes_on(found: Sequence[FoundStore], notes: Path) -> Notes:
    """Our notes about the sessions of these files."""
    if len(found) == 1:
        return Notes(notes, found[0].path)
    from explorer.stores.library.notes import LibraryNotes  # late: as above

    return LibraryNotes(notes, [one.path for one in found])


def _opened(
    one: FoundStore,
    token: CancelToken | None,
    waiting: Callable[[], None] | None,
    notes: Path | None,
    trash: Path | None,
) -> Store:
    own = Notes(notes, one.path) if notes is not None else None
    try:
        return open_store(one.path, token, waiting=waiting, notes=own, trash=trash)
    except StoreError as error:
        if error.problem is not Problem.MISSING:
            raise
        if one.because:
            raise error.also(one.because) from None
        if one.asked or not one.name:
            raise
        raise NoFileYet(
            Problem.MISSING,
            "No sessions yet",
            f"The profile has no state file. `hermes -p {one.name}` makes one.",
        ) from None
