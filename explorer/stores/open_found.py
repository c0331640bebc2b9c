"""From the state files that were found to the store that is worked with: the one there is, or a
library of all of them.

In a library a file is opened when it can be: one that is missing, locked or broken is a trouble of
the library, tried again with every look at it, and keeps none of the others waiting.
"""

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.cancel import CancelToken
from explorer.errors import ExplorerError, NoFileYet, Problem, StoreError
from explorer.stores.base import Store
from explorer.stores.discover import FoundStore, named
from explorer.stores.hermes.left_behind import file_lost, with_snapshots
from explorer.stores.hermes.store import STATE_FILE, profile_of
from explorer.stores.kinds import open_store
from explorer.stores.ours.notes import Notes
from explorer.stores.server_path import ServerPath
from explorer.stores.sqlite.failures import to_put_back

if TYPE_CHECKING:
    from explorer.stores.library.member import MemberFile


def open_found(
    found: Sequence[FoundStore],
    token: CancelToken | None = None,
    waiting: Callable[[], None] | None = None,
    notes: Path | None = None,
    trash: Path | None = None,
    hurried: bool = False,
) -> Store:
    """The store of these files, at least one of which can be opened; else the `StoreError` of the
    first. `waiting` is called each time a busy file is tried again, `notes` and `trash` are our
    own files. If `hurried`, the others do not wait for one of several that is locked: who looks at
    them on and on will see it later."""
    if len(found) == 1:
        return _opened_alone(found[0], token, waiting, notes, trash)
    # Late: one file needs none of it.
    from explorer.stores.library.library import Library

    library = Library(_member_files(found, waiting, notes, trash))
    library.open_all(token, hurried)
    return library


def every_set(
    found: Sequence[FoundStore],
    token: CancelToken | None = None,
    waiting: Callable[[], None] | None = None,
) -> list[FoundStore]:
    """The same, but for each database the sets of tables that it has. The error of a database
    that is alone is raised; one of several is left as it is, and opening it says what is wrong."""
    if not any(isinstance(one.path, ServerPath) and not one.path.schema for one in found):
        return list(found)
    # Late: only a server needs it.
    from explorer.stores.servers import FoundTables, check_names, sets_at

    every: list[FoundStore] = []
    closed: dict[Path, int] = {}
    known: dict[ServerPath, Sequence[FoundTables]] = {}
    for one in found:
        if not isinstance(one.path, ServerPath) or one.path.schema:
            every.append(one)
            continue
        try:
            sets = sets_at(one.path, token, waiting)
        except StoreError:
            if len(found) == 1:
                raise
            every.append(one)
            continue
        known[one.path] = sets
        for each in sets:
            if one.only and each.name not in one.only:
                continue
            usual = bool(one.only) or len(sets) == 1
            store = one._replace(path=each.path, name=each.name, usual=usual, only=())
            before = closed.get(each.path)
            if before is None:
                every.append(store)
            elif each.closed < before:
                # It is read with the address that may read more of it.
                every = [store if other.path == each.path else other for other in every]
            closed[each.path] = each.closed if before is None else min(each.closed, before)
    if len(known) == sum(bool(one.only) for one in found):
        check_names(found[0].only, known)
    return named(every)


def take_in(
    store: Store,
    own: Notes | None,
    found: Sequence[FoundStore],
    waiting: Callable[[], None] | None = None,
    notes: Path | None = None,
    trash: Path | None = None,
) -> bool:
    """Have a library, and our `own` notes on it, be about these files too, which are opened with
    the next look at all of them; False where the store is a single one, or has no room for them."""
    from explorer.stores.library.library import Library  # late: as above
    from explorer.stores.library.notes import LibraryNotes

    files = _member_files(found, waiting, notes, trash)
    if not isinstance(store, Library) or not store.take_in(files):
        return False
    if isinstance(own, LibraryNotes):
        own.take_in([one.path for one in found])
    return True


def _member_files(
    found: Sequence[FoundStore],
    waiting: Callable[[], None] | None,
    notes: Path | None,
    trash: Path | None,
) -> "list[MemberFile]":
    from explorer.stores.library.member import MemberFile  # late: as above

    def file(one: FoundStore) -> MemberFile:
        def opened(token: CancelToken | None) -> Store:
            return _opened_among(one, token, waiting, notes, trash)

        def told(error: StoreError) -> StoreError:
            return with_snapshots(to_put_back(error), one.path)

        return MemberFile(one.path, one.name, opened, told, _profile_of(one.path), one.links)

    return [file(one) for one in found]


def _profile_of(path: Path) -> str | None:
    """What `--profile` calls a file, or a set of tables, whatever others are open."""
    if not isinstance(path, ServerPath):
        return profile_of(path)
    from explorer.stores.servers import set_name  # late: only a server needs it

    return set_name(path.schema, path.prefix) if path.schema else None


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
    _take_over(one.path, own, trash)
    try:
        return open_store(one.path, token, waiting=waiting, notes=own, trash=trash)
    except StoreError as error:
        lost = file_lost(one.path) if error.problem is Problem.MISSING else None
        if lost is not None:
            raise lost from None
        if error.problem is Problem.MISSING and one.because:
            raise error.also(one.because) from None
        raise


def _take_over(path: Path, notes: Notes | None, trash: Path | None) -> None:
    """What our files know tables on a server by as they were typed goes by their one name. Where
    that cannot be written now, it can with the next start."""
    if not isinstance(path, ServerPath) or path.as_typed == path:
        return
    with suppress(ExplorerError):
        take_over(path, path.as_typed, notes, trash)


def take_over(path: Path, before: Path, notes: Notes | None, trash: Path | None) -> None:
    """What our files know a store by its name before goes by the one that it has now. The trash
    last: what it still has under the old name shows that this was cut short."""
    from explorer.stores.ours.trash import TrashFile  # late: a list needs none of it

    if notes is not None:
        notes.take_over(before)
    if trash is not None:
        TrashFile(trash, path).take_over(before)


def _opened_alone(
    one: FoundStore,
    token: CancelToken | None,
    waiting: Callable[[], None] | None,
    notes: Path | None,
    trash: Path | None,
) -> Store:
    try:
        return _opened(one, token, waiting, notes, trash)
    except StoreError as error:
        raise explained(error, one.path) from None


def explained(error: StoreError, path: Path) -> StoreError:
    """The error of a file that is looked at alone; what to do about it is the same as where it is
    one of several."""
    if path.name != STATE_FILE:
        return error
    return with_snapshots(to_put_back(error, path), path)


def _opened_among(
    one: FoundStore,
    token: CancelToken | None,
    waiting: Callable[[], None] | None,
    notes: Path | None,
    trash: Path | None,
) -> Store:
    """As one of several: a profile that was only found may have nothing yet."""
    try:
        return _opened(one, token, waiting, notes, trash)
    except StoreError as error:
        if one.asked or not one.name or error.problem not in (Problem.MISSING, Problem.EMPTY):
            raise
        raise _nothing_yet(one, error.problem) from None


def _nothing_yet(one: FoundStore, problem: Problem) -> NoFileYet:
    if problem is Problem.EMPTY:
        # SQLite takes it for a new database, and so does the agent.
        why = "The state file is empty (0 bytes). The agent fills it with its first session."
    elif os.path.isdir(one.path.parent):
        why = f"The profile has no state file. `hermes -p {one.name}` makes one."
    else:
        why = "Its folder was removed. It had no state file."
        return NoFileYet(problem, "Profile removed", why)
    return NoFileYet(problem, "No sessions yet", why)
