"""The folder of transcripts as a whole: of which sessions it holds files, and which of those the
state file does not have.

It may hold 100,000 files, so it is listed only for a search and for who asks for all sessions, and
once for each state of it. Names tell what is a transcript; none is opened here. A gateway replaces
its routes in this folder with every message, which is another state of it: who looks again and
again sets the pace.
"""

import os
import re
import threading
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from explorer.cancel import CancelToken
from explorer.model import SAFE_ID
from explorer.stores.catalog import FILE_SOURCE, Catalog
from explorer.stores.hermes.routes_file import folder_of
from explorer.stores.hermes.sessions.columns import keys_of
from explorer.stores.hermes.transcript_files.beside import snapshot_name
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.read_only import Reader, ReadOnlyFile, Stamp, stamp

FIRST_KEY = 1 << 48
"""Keys of sessions that exist only as files begin here: no row of a real file has such a number."""
ONE_BY_ONE = 200
"""Ids that are looked for each by itself; more of them in one walk."""
_LOG, _SNAPSHOT = ".jsonl", "session_"
_SUMMED = re.compile(r"_[0-9a-f]{12}\.json\Z")
"""How the name of a snapshot ends whose id is no plain name."""
_BETWEEN_CHECKS = 1000


class FolderSession(NamedTuple):
    """A session with files in the folder."""

    written: float
    """When the last of them was."""
    id: str
    """Where the state file does not have it, by the name of the file."""
    key: int
    is_alone: bool = False
    """The state file does not have it."""


class _Listing(NamedTuple):
    """The folder in one state."""

    state: int
    written: Mapping[str, float]
    """By the ids of sessions, as the names of their files tell them."""
    summed: frozenset[str]
    """Ids that may be a sum in the name of a snapshot."""
    empty: frozenset[str]
    """Ids whose files hold nothing at all."""


class _Known(NamedTuple):
    """The sessions of the folder, for one state of it and of the state file."""

    state: tuple[int, Stamp | None]
    sessions: tuple[FolderSession, ...]
    catalog: Catalog
    empty: int = 0
    """Sessions that the state file does not have, and whose files hold nothing."""


_NOTHING = Catalog([], [], [], {}, (), (), frozenset())


class TranscriptFolder:
    """Knows the folder beside one state file; any thread may ask."""

    def __init__(self, file: ReadOnlyFile) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._listing: _Listing | None = None
        self._known: _Known | None = None
        self._keys: dict[str, int] = {}
        self._ids: dict[int, str] = {}

    @cached_property
    def _folder(self) -> Path:
        return folder_of(self._file.path)

    def id_of(self, key: int) -> str:
        """The id of a session that exists only as a file; empty for any other."""
        return self._ids.get(key, "") if key >= FIRST_KEY else ""

    @property
    def ids(self) -> Mapping[int, str]:
        """Those that were found so far, by key."""
        return self._ids

    def written(self, key: int) -> float:
        """When the files of such a session were last written to."""
        listing, id_ = self._listing, self.id_of(key)
        return listing.written.get(id_, 0.0) if listing else 0.0

    def sessions(self, token: CancelToken) -> tuple[FolderSession, ...]:
        """All sessions with files in it, the one written last first."""
        known = self._look(token)
        return known.sessions if known else ()

    def empty(self, token: CancelToken) -> int:
        """Of how many sessions, which the state file does not have either, the files are empty."""
        known = self._look(token)
        return known.empty if known else 0

    def catalog(self, token: CancelToken) -> Catalog:
        """Those that the state file does not have; the very same catalog while they are."""
        known = self._look(token)
        return known.catalog if known else _NOTHING

    def _look(self, token: CancelToken) -> _Known | None:
        """None where there is no such folder."""
        listing = self._listed(token)
        if listing is None:
            return None
        state = listing.state, stamp(self._file.path)
        known = self._known
        if known is None or known.state != state:
            known = self._known = self._resolved(state, listing, known, token)
        return known

    def _listed(self, token: CancelToken) -> _Listing | None:
        try:
            state = os.stat(self._folder).st_mtime_ns
        except OSError:
            return None
        listing = self._listing
        if listing is None or listing.state != state:
            written: dict[str, float] = {}
            summed, empty = set(), set()
            for id_, at, may_be_sum in _transcripts(self._folder, token):
                if may_be_sum:
                    summed.add(id_)
                if at is None:
                    empty.add(id_)
                else:
                    written[id_] = max(at, written.get(id_, 0.0))
            nothing = frozenset(empty - written.keys())
            listing = self._listing = _Listing(state, written, frozenset(summed), nothing)
        return listing

    def _resolved(
        self,
        state: tuple[int, Stamp | None],
        listing: _Listing,
        before: _Known | None,
        token: CancelToken,
    ) -> _Known:
        if not listing.written and not listing.empty:
            return _Known(state, (), _NOTHING)
        held = self._file.read(lambda reader: _held(reader, listing), token)
        found = sorted(
            (
                FolderSession(at, *held[name])
                if name in held
                else FolderSession(at, name, self._key(name), is_alone=True)
                for name, at in listing.written.items()
            ),
            reverse=True,
        )
        alone = [one for one in found if one.is_alone]
        made = Catalog(
            keys=[one.key for one in alone],
            active=[one.written for one in alone],
            sources=[FILE_SOURCE] * len(alone),
            links={},
            chains=(),
            archived=(),
            empty=frozenset(),
            files=[one.key for one in alone],
        )
        if before is not None and _equal(before.catalog, made):
            made = before.catalog
        return _Known(state, tuple(found), made, len(listing.empty - held.keys()))

    def _key(self, id_: str) -> int:
        """The key of a session without a row: always the same."""
        with self._lock:
            key = self._keys.get(id_)
            if key is None:
                key = self._keys[id_] = FIRST_KEY + len(self._keys)
                self._ids[key] = id_
            return key


def _equal(one: Catalog, other: Catalog) -> bool:
    return one.keys == other.keys and one.active == other.active


def _transcripts(folder: Path, token: CancelToken) -> Iterator[tuple[str, float | None, bool]]:
    """(id, time, whether that may be a sum) of each file; of an empty one no time."""
    try:
        with os.scandir(folder) as entries:
            for number, entry in enumerate(entries):
                if number % _BETWEEN_CHECKS == 0:
                    token.check()
                name = entry.name
                is_log = name.endswith(_LOG)
                is_copy = name.startswith(_SNAPSHOT) and name.endswith(".json")
                if (is_log or is_copy) and entry.is_file(follow_symlinks=False):
                    id_ = name.rpartition(".")[0]
                    id_ = id_ if is_log else id_.removeprefix(_SNAPSHOT)
                    if re.fullmatch(SAFE_ID, id_) or (is_copy and snapshot_name(id_) == name):
                        found = entry.stat(follow_symlinks=False)
                        at = found.st_mtime if found.st_size else None
                        yield id_, at, is_copy and bool(_SUMMED.search(name))
    except OSError:
        # It is not ours to read, or went away: nothing is known of its sessions.
        return


def _held(reader: Reader, listing: _Listing) -> dict[str, tuple[str, int]]:
    """(id, key) of the sessions that the state file has, by the names of their files."""
    ids = listing.written.keys() | listing.empty
    if len(ids) <= ONE_BY_ONE:
        found = {id_: (id_, key) for id_, key in keys_of(reader, list(ids)).items()}
    else:
        found = {id_: (id_, key) for key, id_ in _all_ids(reader) if id_ in ids}
    unknown = listing.summed - found.keys()
    if unknown:
        found |= dict(_by_sum(_all_ids(reader), unknown))
    return found


def _all_ids(reader: Reader) -> Iterator[tuple[int, str]]:
    for key, id_ in reader.rows("SELECT s.rowid, s.id FROM sessions s"):
        yield key, cells.words(id_)


def _by_sum(
    every: Iterable[tuple[int, str]], unknown: frozenset[str]
) -> Iterator[tuple[str, tuple[str, int]]]:
    """Sessions whose snapshot has a sum of the id in its name."""
    for key, id_ in every:
        if not re.fullmatch(SAFE_ID, id_) or "." in id_ or len(id_) > 96:
            name = snapshot_name(id_).removeprefix(_SNAPSHOT).removesuffix(".json")
            if name in unknown:
                yield name, (id_, key)
