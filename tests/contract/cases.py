"""The files that the contract is tried on, and what plain SQL says of each."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from explorer.model import Session
from explorer.stores.base import Edits, Store
from explorer.stores.kinds import KINDS, open_store
from explorer.stores.library.library import Library
from explorer.stores.library.member import MemberFile
from explorer.stores.library.notes import LibraryNotes, noted_as
from explorer.stores.ours.notes import Notes, OurFiles
from explorer.stores.sqlite import cells
from tests.contract.notebook import NOTEBOOK, TABLES
from tests.edits.crash import DELETES, Died, die_after
from tests.edits.states import dump, faults
from tests.factories import T0, rows
from tests.newer_files import newer_file
from tests.real_files import unpack

LATER = 2_000_000_000.0
"""Long after everything in these files: nothing counts as running."""
LONG = 400
"""Lines of the longest talk."""


class Layout(NamedTuple):
    """Where a kind of store keeps what."""

    sessions: str
    id: str
    messages: str
    owner: str
    number: str
    time: str


SERVER = "power-loop on PostgreSQL"
HERMES = Layout("sessions", "id", "messages", "session_id", "id", "timestamp")
FILES: dict[str, tuple[Callable[[str, Path], Path], Layout]] = {
    "hermes-v2": (unpack, HERMES),
    "hermes-v11": (unpack, HERMES),
    "hermes-v22": (unpack, HERMES),
    "hermes-v31": (newer_file, HERMES),
    "power-loop-0.2.0": (
        unpack,
        Layout("sessions", "session_id", "messages", "session_id", "seq", "created_at"),
    ),
    "power-loop-8.0.0": (
        unpack,
        Layout("pl_sessions", "session_id", "pl_messages", "session_id", "seq", "created_at"),
    ),
    "notebook": (
        lambda name, folder: _notebook(folder / "notebook.db"),
        Layout("talk", "name", "line", "talk", "number", "at"),
    ),
}


class Case:
    """One file with our own files about it."""

    layout: Layout
    halves = True
    """Whether a crash can leave a session half deleted or half restored."""

    def __init__(self, name: str, folder: Path) -> None:
        make, self.layout = FILES[name]
        self.name = name
        self.path = make(name, folder)
        self.trash = folder / "ours" / "trash.db"
        self.notes = Notes(folder / "ours" / "explorer.db", self.path)

    def store(self) -> Store:
        return open_store(self.path, notes=self.notes, trash=self.trash, kinds=(*KINDS, NOTEBOOK))

    def edits(self, now: float = LATER) -> Edits:
        return self.store().edits(OurFiles(self.trash, lambda: now, self.notes))

    @property
    def files(self) -> list[Path]:
        return [self.path]

    def close(self) -> None:
        """Leave nothing behind that is not in the folder of the test."""

    def size(self) -> int:
        """Bytes of the files."""
        return sum(path.stat().st_size for path in self.files)

    def noted(self, session: Session) -> str:
        """What our notes call a session."""
        return session.id

    def holder(self, id_: str) -> "Case":
        """The one file that has a session."""
        return self

    def dump(self) -> object:
        """Every cell of every file."""
        return [dump(path) for path in self.files]

    def all_bytes(self) -> object:
        """What no read may change."""
        return [path.read_bytes() for path in self.files]

    def messages(self) -> int:
        """How many messages are stored."""
        return sum(map(len, self.stored().values()))

    @contextmanager
    def dying(self, deed: str) -> Iterator[None]:
        """Die in here in the middle of the messages that are deleted or restored."""
        with pytest.MonkeyPatch.context() as patch:
            die_after(patch, 5 if deed == DELETES else 100, f'{deed} "{self.layout.messages}"')
            with pytest.raises(Died):
                yield

    def faults(self) -> list[str]:
        return [fault for path in self.files for fault in faults(path)]

    def stored(self) -> dict[str, list[object]]:
        """The numbers of all messages by the id of their session, as plain SQL gives them."""
        at = self.layout
        found: dict[str, list[object]] = {
            str(id_): [] for (id_,) in rows(self.path, f"SELECT {at.id} FROM {at.sessions}")
        }
        sql = f"SELECT {at.owner}, {at.number} FROM {at.messages} ORDER BY {at.number}"
        for id_, number in rows(self.path, sql):
            found[str(id_)].append(number)
        return found

    def newest(self) -> dict[str, float]:
        """When the newest message of each session was written, where it has any."""
        at = self.layout
        sql = f"SELECT {at.owner}, max({at.time}) FROM {at.messages} GROUP BY {at.owner}"
        return {str(id_): cells.seconds(time) or 0.0 for id_, time in rows(self.path, sql)}


class LibraryCase(Case):
    """Several files as one store."""

    def __init__(self, name: str, folder: Path, of: Callable[[str, Path], Case] = Case) -> None:
        self.name = name
        self.members = []
        for one in LIBRARIES[name]:
            (folder / one).mkdir()
            member = of(one, folder / one)
            member.trash = folder / "ours" / "trash.db"
            member.notes = Notes(folder / "ours" / "explorer.db", member.path)
            self.members.append(member)
        self.trash = folder / "ours" / "trash.db"
        places = [member.path for member in self.members]
        self.notes = LibraryNotes(folder / "ours" / "explorer.db", places)

    @property
    def files(self) -> list[Path]:
        return [path for member in self.members for path in member.files]

    def size(self) -> int:
        return sum(member.size() for member in self.members)

    def dump(self) -> object:
        return [member.dump() for member in self.members]

    def all_bytes(self) -> object:
        return [member.all_bytes() for member in self.members]

    def store(self) -> Store:
        def file(member: Case) -> MemberFile:
            return MemberFile(member.path, member.name, lambda _: member.store())

        library = Library([file(member) for member in self.members])
        library.open_all()
        return library

    def close(self) -> None:
        for member in self.members:
            member.close()

    def holder(self, id_: str) -> Case:
        return next(member for member in self.members if id_ in member.stored())

    def noted(self, session: Session) -> str:
        owns = [session.id in member.stored() for member in self.members]
        return noted_as(owns.index(True), session.id)

    def stored(self) -> dict[str, list[object]]:
        return {id_: found for one in self.members for id_, found in one.stored().items()}

    def newest(self) -> dict[str, float]:
        return {id_: time for one in self.members for id_, time in one.newest().items()}


LIBRARIES = {
    "library of agents": ("hermes-v22", "power-loop-8.0.0", "notebook"),
    "library of two": ("hermes-v11", "hermes-v31"),
    "library with a server": ("notebook", SERVER),
}
"""What each is made of. In two files of one agent, rows have the same numbers."""


def everybody(store: Store, now: float = LATER) -> list[Session]:
    """Every session by itself."""
    catalog = store.catalog()
    return store.sessions([catalog.single(key) for key in catalog.keys], now)


def _notebook(path: Path) -> Path:
    with closing(sqlite3.connect(path)) as db:
        db.executescript(TABLES)
        for number in range(12):
            name = f"talk-{number:02}"
            heading = f"Release {number}" if number % 3 else None
            _talk(db, name, heading, number, *(f"Line {at} of {name}" for at in range(number + 1)))
        _talk(db, "long", "Marathon", 20, *(f"step {at}: it's done" for at in range(LONG)))
        _talk(db, "scripts", "大きな検索", 21, "Die größte ÉTUDE", "naïve cafe\u0301, 大别山")
        _talk(db, "helper", None, 22, "look it up", "The release notes say so.", helps="scripts")
        _talk(db, "empty", None, 23)
        _talk(db, "old", "Old release", 24, "hello", "Hi.", shelved=1)
        db.commit()
    return path


def _talk(
    db: sqlite3.Connection,
    name: str,
    heading: str | None,
    day: int,
    *said: str,
    shelved: int = 0,
    helps: str | None = None,
) -> None:
    begun = T0 + day * 86_400
    db.execute("INSERT INTO talk VALUES (?, ?, ?, ?, ?)", (name, heading, begun, shelved, helps))
    for turn, text in enumerate(said):
        who = ("user", "assistant")[turn % 2]
        line = (name, who, text, begun + 1 + turn)
        db.execute("INSERT INTO line (talk, who, said, at) VALUES (?, ?, ?, ?)", line)
