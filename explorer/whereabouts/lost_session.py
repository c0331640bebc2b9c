"""The search for a lost session: one place after the other, each told as it is looked into.

State files come first, those that are listed before the others; then our trash, the text files
beside the state files, and the snapshots that Hermes made. What was found once is not told again
for each of its copies, only counted. It runs in a thread, and stops when its token is cancelled;
memory does not grow with what is read.
"""

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from explorer.cancel import CancelToken
from explorer.errors import ExitCode, ExplorerError, Problem, StoreError
from explorer.render.figures import plural
from explorer.stores.base import Store
from explorer.stores.discover import FoundStore
from explorer.stores.hermes.left_behind import file_lost
from explorer.stores.hermes.routes_file import folder_of
from explorer.stores.hermes.snapshots import Snapshot
from explorer.stores.hermes.transcript_files.hostile_files import Identity
from explorer.stores.kinds import open_copy, open_store
from explorer.stores.library.members import HURRY
from explorer.stores.open_found import explained
from explorer.stores.ours.notes import Notes
from explorer.stores.ours.trash import TrashFile, state_files_in
from explorer.stores.sqlite.failures import of_a_copy, short_path
from explorer.whereabouts.databases import BesideSets, beside_sets, name_of, reached
from explorer.whereabouts.deleted import deleted_sightings
from explorer.whereabouts.earlier_titles import earlier_titles
from explorer.whereabouts.in_chats import chats_beside, in_chat
from explorer.whereabouts.places import (
    SearchedFile,
    Unfound,
    backups,
    snapshots,
    state_files,
)
from explorer.whereabouts.sightings import (
    Begun,
    Ended,
    Place,
    PlaceKind,
    Reason,
    Sighting,
    Told,
    Unseen,
)
from explorer.whereabouts.state_files import MOST, FileSearch
from explorer.whereabouts.transcript_files import (
    FOLDERS,
    TextFile,
    Unread,
    file_sightings,
    id_in_name,
    text_files,
)
from explorer.whereabouts.wanted import Wanted

NO_SESSIONS_YET = "no sessions yet"


class OwnFiles(NamedTuple):
    """Where our own files are."""

    notes: Path | None = None
    trash: Path | None = None


class LostSession:
    """One search; `look` runs it once."""

    def __init__(
        self,
        wanted: Wanted,
        listed: Sequence[FoundStore],
        ours: OwnFiles,
        environment: Mapping[str, str],
        here: Path | None,
        now: float,
        most: int = MOST,
        unfound: Sequence[Unfound] = (),
        waiting: Callable[[Path], Callable[[], None] | None] = lambda path: None,
    ) -> None:
        """`listed` are the state files that the user was looking at, and `unfound` those that were
        to be; of each place, `most` sessions are told, or all if it is 0, and the others are
        counted. What `waiting` gives for a state file is called each time it is tried again while
        another program keeps it locked."""
        self.wanted = wanted
        self._listed = listed
        self._wrong = unfound
        self._environment = environment
        self._here = here
        self._ours = ours
        self._now = now
        self._most = most or sys.maxsize
        self._waiting = waiting
        self._found: dict[str, set[str]] = {}
        """Ids of sessions that were told, by the real path of their state file."""
        self._stores: dict[str, Store] = {}

    @property
    def files(self) -> list[SearchedFile]:
        return self._places[0]

    @cached_property
    def _places(self) -> tuple[list[SearchedFile], list[Unfound]]:
        """Found when they are first asked for, in the thread of the search: a disk may be slow."""
        others = self._databases_have.sets
        return state_files(self._listed, self._environment, self._here, others)

    @cached_property
    def _databases_have(self) -> BesideSets:
        return beside_sets(self._listed)

    def state_file(self, path: Path) -> SearchedFile:
        """The state file at a path, or in that folder; one that is not among those looked into
        stands for itself."""
        real = os.path.realpath(path)
        for one in self.files:
            if real in (os.path.realpath(one.path), str(one.home)):
                return one
        there = reached(path, self._listed)
        return SearchedFile(there, name_of(there) or short_path(path))

    def look(self, token: CancelToken) -> Iterator[Told]:
        for file in self.files:
            yield from self._in_file(file, token)
        yield from self._not_there()
        for file in self.files:
            yield from self._in_chats(file, token)
        yield from self._in_trash(token)
        homes = {file.home: file for file in reversed(self.files)}
        for home, file in reversed(homes.items()):
            yield from self._in_texts(home, file, token)
        for home, file in reversed(homes.items()):
            copies, unseen = snapshots(home)
            for copy in copies:
                yield from self._in_snapshot(copy, file, token)
            yield from unseen
            yield from backups(home)
        yield from self._databases_have.unseen

    def _known(self, path: Path) -> set[str]:
        return self._found.setdefault(os.path.realpath(path), set())

    def _not_there(self) -> Iterator[Ended]:
        """What was named and has no state file, each once."""
        for path, one in {one.path: one for one in (*self._wrong, *self._places[1])}.items():
            place = Place(PlaceKind.PROFILE, one.name, path)
            yield Ended(place, error=_words(one.error), fails=one.error.exit_code)

    def _in_file(self, file: SearchedFile, token: CancelToken) -> Iterator[Told]:
        place = Place(PlaceKind.PROFILE, file.name, file.path)
        yield Begun(place)
        extra = () if file.listed else (Reason.OTHER_PROFILE,)
        try:
            store = self._opened(file, token)
            earlier = self._earlier_titles(file, token)
            search = FileSearch(store, self.wanted, self._now, token, earlier)
            tips = search.tips()
            found = list(search.sightings(place, extra, tips[: self._most]))
            self._known(file.path).update(search.ids())
            self._stores[os.path.realpath(file.path)] = store
        except StoreError as error:
            why = _why(error, file.path)
            # Like a profile without a file, which is no place to look, it holds nothing.
            if file.asked or why != NO_SESSIONS_YET:
                fails = error.exit_code if file.asked else ExitCode.DONE
                yield Ended(place, error=why, fails=fails)
            return
        except ExplorerError as error:
            yield Ended(place, error=_words(error))
            return
        yield from found
        yield Ended(place, len(found), max(len(tips) - self._most, 0))

    def _opened(self, file: SearchedFile, token: CancelToken) -> Store:
        """A locked file that was named, or is the only one, is waited for as other commands do; of
        several, none keeps the others waiting."""
        notes = None if self._ours.notes is None else Notes(self._ours.notes, file.path)
        if not file.asked and len(self.files) > 1:
            return open_store(file.path, token, HURRY, notes=notes)
        return open_store(file.path, token, waiting=self._waiting(file.path), notes=notes)

    def _in_chats(self, file: SearchedFile, token: CancelToken) -> Iterator[Told]:
        """The current sessions of chats whose people or names are meant, and those that a route
        names and no state file has. After all state files: a route may lead into another one. Where
        the state file cannot be read, the routes beside it are still there."""
        store = self._stores.get(os.path.realpath(file.path))
        place = Place(PlaceKind.CHATS, file.name, file.path)
        try:
            chats, troubles = store.chats(self._now, token) if store else chats_beside(file.path)
        except ExplorerError:
            # What is wrong with the file was told before.
            return
        if not chats and not troubles:
            return
        yield Begun(place)
        found = more = 0
        for chat in chats:
            if (told := in_chat(place, chat, self.wanted, lost=store is None)) is None:
                continue
            elsewhere = any(self._has(other, told.id, token) for other in self.files)
            if told.id in self._known(file.path) or (told.key is None and elsewhere):
                continue
            if store is not None:
                # Else a copy of it, which has more to offer, may still be found.
                self._known(file.path).add(told.id)
            extra = () if file.listed else (Reason.OTHER_PROFILE,)
            if found < self._most:
                found += 1
                yield told._replace(reasons=(*extra, *told.reasons))
            else:
                more += 1
        yield Ended(place, found, more, error=" ".join(troubles))

    def _earlier_titles(self, file: SearchedFile, token: CancelToken) -> Mapping[str, str]:
        path = self._ours.trash
        if path is None:
            return {}
        try:
            return earlier_titles(path, file.path, self.wanted, token)
        except ExplorerError:
            # That the trash cannot be read is told when it is its turn.
            return {}

    def _in_trash(self, token: CancelToken) -> Iterator[Told]:
        path = self._ours.trash
        if path is None:
            return
        whole = Place(PlaceKind.TRASH, "", path)
        try:
            kept = state_files_in(path)
        except ExplorerError as error:
            yield Ended(whole, error=_words(error))
            return
        if not kept:
            yield Begun(whole)
            yield Ended(whole)
        for state_file in kept:
            yield from self._in_trash_of(path, self.state_file(state_file), token)

    def _in_trash_of(self, path: Path, file: SearchedFile, token: CancelToken) -> Iterator[Told]:
        place = Place(PlaceKind.TRASH, file.name, file.path)
        yield Begun(place)
        found = more = 0
        try:
            trash, earlier = TrashFile(path, file.path), self._earlier_titles(file, token)
            for one in deleted_sightings(place, trash, self.wanted, earlier, token):
                one = self._with_its_session(file, one, token)
                if Reason.NO_SESSION not in one.reasons:
                    # Else a copy of it, which has more to offer, may still be found.
                    self._known(file.path).add(one.id)
                if found < self._most:
                    found += 1
                    yield one
                else:
                    more += 1
        except ExplorerError as error:
            yield Ended(place, found, more, error=_words(error))
            return
        yield Ended(place, found, more)

    def _with_its_session(self, file: SearchedFile, one: Sighting, token: CancelToken) -> Sighting:
        """Cleared messages are restored into their session: it may have to be restored before, or
        be gone."""
        if Reason.CLEARED not in one.reasons or self._has(file, one.id, token):
            return one._replace(after=None)
        if one.after is None and os.path.realpath(file.path) in self._stores:
            return one._replace(reasons=(*one.reasons, Reason.NO_SESSION))
        return one

    def _in_texts(self, home: Path, file: SearchedFile, token: CancelToken) -> Iterator[Told]:
        if not any(os.path.isdir(home / name) for name in FOLDERS):
            return
        place = Place(PlaceKind.FILES, file.name, home, store=file.path)
        yield Begun(place)
        unread = Unread()
        found = more = known = 0
        for text in text_files(home, unread, self._databases(), token):
            for one in self._in_text(place, file, text, unread, token):
                if one is None:
                    known += 1
                elif found < self._most:
                    found += 1
                    yield one
                else:
                    more += 1
        yield Ended(place, found, more, known)
        for why, number in unread.items():
            yield Unseen(home / FOLDERS[0], plural(number, "file"), why)

    def _in_text(
        self, place: Place, file: SearchedFile, text: TextFile, unread: Unread, token: CancelToken
    ) -> Iterator[Sighting | None]:
        """What is in a file; None for what the state file, or the trash, has as well."""
        for one in file_sightings(place, text, self.wanted, unread, token):
            known = self._known(file.path)
            name = "" if one.path is None else one.path.stem.removeprefix("session_")
            if one.id in known or any(name.startswith(id_) for id_ in known if id_):
                yield None
            elif self._has(file, one.id, token):
                shows = self._shows(file, one, token)
                yield one._replace(reasons=(*one.reasons, Reason.NOT_THE_WORDS), shows=shows)
            else:
                yield one._replace(shows=self._shows(file, one, token))

    def _in_snapshot(
        self, copy: Snapshot, file: SearchedFile, token: CancelToken
    ) -> Iterator[Told]:
        place = Place(PlaceKind.SNAPSHOT, file.name, copy.path, copy.made, file.path)
        yield Begun(place)
        known = self._known(file.path)
        try:
            search = FileSearch(open_copy(copy.path, token), self.wanted, self._now, token)
            every, new = search.tips(), search.tips(known)
            found = search.sightings(place, (Reason.SNAPSHOT,), new[: self._most])
            told = [self._compared(file, one, token) for one in found if one.id not in known]
        except StoreError as error:
            yield Ended(place, error=_words(of_a_copy(error, copy.path)))
            return
        except ExplorerError as error:
            yield Ended(place, error=_words(error))
            return
        known.update(search.ids())
        yield from told
        yield Ended(place, len(told), max(len(new) - self._most, 0), len(every) - len(new))

    def _compared(self, file: SearchedFile, one: Sighting, token: CancelToken) -> Sighting:
        """What a snapshot has, and whether its state file still has the session."""
        has = self._has(file, one.id, token)
        return one._replace(
            reasons=(Reason.SNAPSHOT, Reason.NOT_THE_WORDS) if has else (Reason.SNAPSHOT,)
        )

    def _has(self, file: SearchedFile, id_: str, token: CancelToken) -> bool:
        store = self._stores.get(os.path.realpath(file.path))
        try:
            return store is not None and bool(store.keys_of([id_], token))
        except StoreError:
            return False

    def _shows(self, file: SearchedFile, one: Sighting, token: CancelToken) -> bool:
        """Whether the transcript of a session has what is in this file beside it."""
        store = self._stores.get(os.path.realpath(file.path))
        if store is None or one.path is None or one.path.parent != folder_of(file.path):
            return False
        if id_in_name(one.path.name) != one.id:
            return False
        try:
            return self._has(file, one.id, token) or store.file_session(one.id, token) is not None
        except ExplorerError:
            return False

    def _databases(self) -> frozenset[Identity]:
        """Files that are never opened as text, whatever name they have there too."""
        ours = [path for path in self._ours if path is not None]
        paths = [*(file.path for file in self.files), *ours]
        found = set()
        for path in paths:
            for ending in ("", "-wal", "-shm", "-journal"):
                try:
                    at = os.stat(f"{path}{ending}")
                except OSError:
                    continue
                found.add((at.st_dev, at.st_ino))
        return frozenset(found)


def _why(error: StoreError, path: Path) -> str:
    """Why a state file could not be looked into."""
    if error.problem is Problem.MISSING and (lost := file_lost(path, True)) is not None:
        return _words(lost)
    if error.problem in (Problem.MISSING, Problem.EMPTY):
        return NO_SESSIONS_YET
    return _words(explained(error, path))


def _words(error: ExplorerError) -> str:
    return f"{error.title}. {error.message}"
