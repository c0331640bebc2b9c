"""The transcripts beside a state file: what they hold of a session and the state file lacks.

A session's files are looked for by their names, one `lstat` each: the folder, which may hold
100,000 files, is never listed for that. Where there is none, nothing else happens. The gateway
used the longer of its two sources; here both are read, and a message that only a file has is put at
its place. Rewound and compressed rows count as held.

What was read is kept for the next call: a running session is read again with every message.
"""

import hashlib
import os
import re
from collections import Counter, OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Generic, NamedTuple, TypeVar

from explorer.cancel import CancelToken
from explorer.model import SAFE_ID, Message, Outline, Provenance
from explorer.stores.hermes import messages
from explorer.stores.hermes.routes_file import ROUTES, folder_of
from explorer.stores.hermes.transcript_files.file_index import FileIndex, bodies, index_of
from explorer.stores.hermes.transcript_files.hostile_files import identities, regular
from explorer.stores.hermes.transcript_files.sameness import (
    Alike,
    Compare,
    Told,
    combined,
    is_copy,
    mark_of,
)
from explorer.stores.sqlite.read_only import Reader, ReadOnlyFile

KEPT = 4
"""Sessions and files of which what was read is kept."""
REMEMBERED = 64
"""Sessions of which it is kept where their messages come from."""
AT_ONCE = 500
LONGEST_NAME = 96
"""Characters of an id in the name of its snapshot."""

_FLOOR = 1 << 32
_OFFSETS = 38
_KEYS = 21


def snapshot_name(id_: str) -> str:
    """What Hermes calls the snapshot of a session: by its id if that is a plain name, else by what
    is plain in it and a sum of all of it."""
    safe = re.sub(r"[^\w-]", "_", id_).strip("._")[:LONGEST_NAME]
    if safe != id_:
        safe += f"_{hashlib.sha256(id_.encode('utf-8', 'replace')).hexdigest()[:12]}"
    return f"session_{safe}.json"


def names_of(id_: str) -> tuple[str, ...]:
    """The files that a session may have. Only an id that is a plain name goes into a path as it
    is."""
    plain = bool(re.fullmatch(SAFE_ID, id_))
    names = (f"{id_}.jsonl", f"{id_}.json", f"session_{id_}.json") if plain else ()
    # Early releases wrote the id as it is.
    return tuple(dict.fromkeys(name for name in (*names, snapshot_name(id_)) if name != ROUTES))


class Numbers:
    """The ids of messages in files: below zero and below every other id, of the session and the
    place in it, so that they are the same whenever they are read."""

    def __init__(self, key: int) -> None:
        self._base = (key & ((1 << _KEYS) - 1)) << (_OFFSETS + 2)

    def of(self, file: int, offset: int) -> int:
        return -(_FLOOR + self._base + (file << _OFFSETS) + offset)

    def place(self, id_: int) -> tuple[int, int] | None:
        """(number of the file, offset); None for an id that is of no file of this session."""
        rest = -id_ - _FLOOR - self._base
        if not 0 <= rest < 4 << _OFFSETS:
            return None
        return rest >> _OFFSETS, rest & ((1 << _OFFSETS) - 1)


class TranscriptFile(NamedTuple):
    """A file of a session."""

    number: int
    path: Path

    @property
    def redacted(self) -> bool:
        return self.path.name.startswith("session_")


T = TypeVar("T")


class Kept(Generic[T]):
    """The values used last, of any thread."""

    def __init__(self, most: int) -> None:
        self._values: OrderedDict[Hashable, T] = OrderedDict()
        self._most = most
        self._lock = Lock()

    def get(self, name: Hashable) -> T | None:
        with self._lock:
            return self._values.get(name)

    def put(self, name: Hashable, value: T) -> None:
        with self._lock:
            self._values[name] = value
            self._values.move_to_end(name)
            while len(self._values) > self._most:
                self._values.popitem(last=False)


class FilesBeside:
    """Reads the transcripts beside one state file."""

    def __init__(self, file: ReadOnlyFile) -> None:
        self._file = file
        self._indices: Kept[FileIndex] = Kept(KEPT)
        self._marks: Kept[Mapping[Outline, int]] = Kept(KEPT)
        self._provenance: Kept[Provenance] = Kept(REMEMBERED)

    @cached_property
    def _folder(self) -> Path:
        return folder_of(self._file.path)

    def has_folder(self) -> bool:
        """Whether there can be files. A copy of a state file has no such folder beside it, and
        then nothing more is asked about a session."""
        return os.path.isdir(self._folder)

    def files_of(self, id_: str) -> list[TranscriptFile]:
        """The files of a session that may be opened."""
        folder = self._folder
        never = None
        found = []
        for number, name in enumerate(names_of(id_)):
            if regular(folder / name) is None:
                continue
            never = identities(self._file.path.resolve()) if never is None else never
            if regular(folder / name, never) is not None:
                found.append(TranscriptFile(number, folder / name))
        return found

    def state_of(self, id_: str) -> tuple[object, ...]:
        """What changes with the files of a session; empty where there are none."""
        found = ((one.number, regular(one.path)) for one in self.files_of(id_))
        return tuple((number, one.st_size, one.st_mtime_ns) for number, one in found if one)

    def provenance(self, key: int, rewound: bool) -> Provenance | None:
        """Where the messages come from that were outlined last; None if that is not known."""
        return self._provenance.get((key, rewound))

    def outlined(
        self, key: int, id_: str, shown: list[Outline], rewound: bool, token: CancelToken
    ) -> list[Outline]:
        """The outlines of a session: those of the state file, and of what only its files hold."""
        read = self._read(self.files_of(id_), id_, token) if id_ else []
        if not any(index.messages for _, index in read):
            added: list[Outline] = []
        else:
            shown, added = self._merged(key, shown, read, rewound, token)
        ids = [one.id for one in added]
        self._provenance.put((key, rewound), _provenance(len(shown) - len(ids), ids, key, read))
        return shown

    def about(self, id_: str, token: CancelToken) -> Mapping[str, str]:
        """What snapshots say about their session."""
        found: dict[str, str] = {}
        for _, index in self._read(self.files_of(id_), id_, token):
            found |= index.about
        return found

    def _read(
        self, files: Sequence[TranscriptFile], id_: str, token: CancelToken
    ) -> list[tuple[TranscriptFile, FileIndex]]:
        read = []
        for file in files:
            try:
                index = index_of(file.path, self._indices.get(file.path), token)
            except OSError:
                # Gone since, or not ours to read: what the state file holds is shown.
                continue
            self._indices.put(file.path, index)
            if _is_of(index.about.get("session_id", id_), id_, file):
                read.append((file, index))
        return read

    def _merged(
        self,
        key: int,
        shown: list[Outline],
        read: Sequence[tuple[TranscriptFile, FileIndex]],
        rewound: bool,
        token: CancelToken,
    ) -> tuple[list[Outline], list[Outline]]:
        """(all outlines, those of files among them)."""
        numbers = Numbers(key)
        sequence: tuple[Told, ...] = tuple(self._held(key, token))
        by_id = {}
        for file, index in read:
            told = []
            for one in index.messages:
                id_ = numbers.of(file.number, one.offset)
                by_id[id_] = one
                told.append(Told(id_, one.mark, one.role, one.timestamp))
            copies = self._copies(key, read, token) if file.redacted else None
            sequence = combined(sequence, told, copies)
        added = [
            Outline(
                id=one.id,
                session_key=key,
                role=found.role,
                timestamp=found.timestamp,
                size=found.size,
                calls=found.calls,
                tool_call_id=found.tool_call_id,
            )
            for one in sequence
            if (found := by_id.get(one.id))
        ]
        return _placed(shown, [one.id for one in sequence], {one.id: one for one in added}), added

    def _copies(
        self, key: int, read: Sequence[tuple[TranscriptFile, FileIndex]], token: CancelToken
    ) -> Compare:
        """Reads what cannot be told by marks, to see whether it is a copy without its secrets."""

        def compare(told: Sequence[Told], held: Sequence[Told]) -> Alike:
            ids = [one.id for one in (*told, *held)]
            known = self._bodies(key, "", read, ids, token)
            rows = [id_ for id_ in ids if id_ not in known]
            stored = self._file.read(lambda reader: messages.messages(reader, rows), token)
            known |= {message.id: message for message in stored}

            def alike(one: Told, other: Told) -> bool:
                copy, of = known.get(one.id), known.get(other.id)
                return copy is not None and of is not None and is_copy(copy, of)

            return alike

        return compare

    def _held(self, key: int, token: CancelToken) -> list[Told]:
        """Every row of a session, the rewound and repeated ones too. Bodies are read of those that
        were not there before."""
        before = self._marks.get(key) or {}

        def work(reader: Reader) -> dict[Outline, int]:
            rows = messages.outlines(reader, key, rewound=True)
            marks = {row: before[row] for row in rows if row in before}
            new = [row.id for row in rows if row not in marks]
            found = {}
            for start in range(0, len(new), AT_ONCE):
                batch = messages.messages(reader, new[start : start + AT_ONCE])
                found.update({one.id: mark_of(one) for one in batch})
            return {row: marks[row] if row in marks else found.get(row.id, 0) for row in rows}

        marks = self._file.read(work, token)
        self._marks.put(key, marks)
        return [Told(row.id, mark, row.role, row.timestamp) for row, mark in marks.items()]

    def messages(
        self, key: int, id_: str, ids: Sequence[int], token: CancelToken
    ) -> dict[int, Message]:
        """Those of these messages that are in files, by their ids."""
        if not any(Numbers(key).place(one) for one in ids):
            return {}
        return self._bodies(key, id_, self._read(self.files_of(id_), id_, token), ids, token)

    def _bodies(
        self,
        key: int,
        id_: str,
        read: Sequence[tuple[TranscriptFile, FileIndex]],
        ids: Sequence[int],
        token: CancelToken,
    ) -> dict[int, Message]:
        places = {one: place for one in ids if (place := Numbers(key).place(one))}
        found: dict[int, Message] = {}
        for file, index in read:
            wanted = [
                (one, entry)
                for one, (number, offset) in places.items()
                if number == file.number and (entry := index.at(offset))
            ]
            try:
                told = bodies(file.path, wanted, id_, token) if wanted else []
            except OSError:
                # Gone since.
                continue
            found |= {one.id: one._replace(redacted=file.redacted) for one in told}
        return found


def _is_of(told: str, id_: str, file: TranscriptFile) -> bool:
    """Whether a file is that of a session, by the id that it tells. A session that is known by its
    file alone is called by the name of that, where its id is no plain name."""
    return told == id_ or snapshot_name(told) == file.path.name == f"session_{id_}.json"


def _placed(
    shown: Sequence[Outline], order: Sequence[int], added: Mapping[int, Outline]
) -> list[Outline]:
    """What is shown, and what was added behind the rows that it follows. A row need not be shown
    where it is stored: then the last row counts, as they are shown."""
    places = {one.id: at for at, one in enumerate(shown)}
    behind: dict[int, list[Outline]] = {}
    last = -1
    for id_ in order:
        last = max(last, places.get(id_, -1))
        if id_ in added:
            behind.setdefault(last, []).append(added[id_])
    found = behind.get(-1, [])
    for at, one in enumerate(shown):
        found += [one, *behind.get(at, ())]
    return found


def _provenance(
    held: int, added: Sequence[int], key: int, read: Sequence[tuple[TranscriptFile, FileIndex]]
) -> Provenance:
    numbers = Numbers(key)
    counts = Counter(place[0] for id_ in added if (place := numbers.place(id_)))
    files = sorted((file for file, _ in read), key=lambda file: -counts[file.number])
    return Provenance(
        database_messages=held,
        messages=len(added),
        files=tuple(file.path.name for file in files),
        bad_lines=sum(index.bad for _, index in read),
        redacted=any(file.redacted and counts[file.number] for file in files),
        cut=any(index.cut for _, index in read),
    )
