"""What every kind of state file offers.

The layers above ask a `Store` what it holds and what is possible; they never ask which kind it
is. Every call opens the file, reads and closes it, and stops when its token is cancelled.

To a search a store gives candidates: every message that may hold what is wanted, newest first, and
of each whether that is certain. What is not certain (text inside JSON, pictures beside text,
reasoning in its many places) is read and decided by the caller, on the text as it is shown.
"""

import math
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias, TypeVar

from explorer.cancel import CancelToken
from explorer.errors import StoreError
from explorer.model import Message, Outline, Provenance, SearchModes, Session, Sort, StoreInfo
from explorer.stores.catalog import Catalog, Unit
from explorer.stores.census import Census
from explorer.stores.columns import ID, Column, Columns, Unique
from explorer.stores.fates import NO_FATES, Fates
from explorer.stores.ours.notes import Notes, OurFiles
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.failures import log_size
from explorer.stores.sqlite.read_only import FileState, Reader, ReadOnlyFile, stamp

Group = tuple[str, ...]
"""Texts of which one must be there."""


class Needles(NamedTuple):
    """What a message must hold: one text of every group, without regard to case."""

    groups: tuple[Group, ...] = ()
    rewound: bool = False
    """Rewound messages count too."""
    sure: tuple[Group, ...] = ()
    """What in plain content makes it certain: one text of every group."""
    files: bool = False
    """Messages count too that only files beside the store hold. They come after all others."""


class Candidate(NamedTuple):
    """A message that may hold what is wanted."""

    message_id: int
    session_key: int | None
    """None for a message whose session row is gone."""
    session_id: str
    certain: bool
    at: float
    """The time of the message, 0 where it is not known."""
    store: int = 0
    """The number of its store, where there are several."""


class Indexed(NamedTuple):
    """What a search table knows."""

    table: str = ""
    """Its name; empty where none could tell."""
    found: Sequence[Candidate] = ()
    """The candidates that were written last."""
    trouble: str = ""
    """Why none could tell although one should: it is missing, stale or broken."""
    below: object = None
    """Where to continue; None where that was all."""


class Stretch(NamedTuple):
    """What was found in some of the messages, those written last first."""

    found: Sequence[Candidate]
    below: object
    """Where to continue, in the store's own terms; None at the end."""
    done: float
    """How much of the file has been looked at, from 0 to 1."""


if TYPE_CHECKING:
    from explorer.stores.chats import Chats, ChatSession, Routes
    from explorer.stores.edits import interface
    from explorer.stores.edits.dialect import Dialect

T = TypeVar("T")


class UnreadableStore(NamedTuple):
    """One of several stores that cannot be read now."""

    name: str
    path: Path
    error: StoreError
    names: tuple[str, ...]
    """As those of `OneStore`."""


class OneStore(NamedTuple):
    """One of the stores of a store, which may be the only one."""

    name: str
    """What it is called among several; empty where it is the only one."""
    path: Path
    store: "Store | None"
    """None where it was never opened."""
    error: StoreError | None = None
    """Why it could not be read when that was last tried."""
    sessions: int | None = None
    """How many there were when they were last read."""
    sound: bool = True
    """Whether its table and its indexes agreed on them then; else the file is damaged."""
    profile: str | None = None
    """What its agent calls the profile that it is of; None where its place tells none."""
    names: tuple[str, ...] = ()
    """What a user may call it: as lists do among several, and as its agent does or as a link to it
    is called, which several may have in common."""


class ScopedText(NamedTuple):
    """A text like `PROFILE/ID`."""

    profile: str
    """As it was typed; empty where the text begins with no such name."""
    places: tuple[str, ...]
    """The names of the stores that it means."""
    rest: str
    """What follows it, or else the whole text."""


class Starting(NamedTuple):
    """Sessions whose id starts with a text."""

    keys: Sequence[int]
    more: bool = False
    """There are more than were looked at."""


class NamedSession(NamedTuple):
    """A session that matches what was typed."""

    key: int
    id: str
    title: str | None


class Changes(NamedTuple):
    """What happened to a store since a mark."""

    mark: object
    keys: frozenset[int]
    """Sessions that are new or were written to."""
    family: Catalog | None
    """These and all sessions that they are linked to."""
    places: frozenset[str] | None = None
    """Of several stores, those that have changed."""


class Section(NamedTuple):
    """Facts about a session that belong together."""

    title: str
    rows: tuple[tuple[str, str], ...]
    """(label, value), both as they were stored; a value may have several lines."""


class Details(NamedTuple):
    """Everything known about a session, or about a whole conversation."""

    id: str
    """The one that is resumed."""
    title: str | None
    sections: tuple[Section, ...]


class Figures(NamedTuple):
    """What is counted for `info`."""

    sessions: int
    messages: int
    orphans: int = 0
    schema_version: int | None = None
    search: SearchModes = SearchModes(fts=False, trigram=False, cjk=False, covers=())
    sound: bool = True


class Handover(NamedTuple):
    """How the agent of a store resumes a session."""

    program: str
    arguments: tuple[str, ...]
    """A template; the placeholders are those of the settings."""
    environment: Mapping[str, str]
    profile: str
    has_profiles: bool = False
    """The agent's home shows that it knows profiles."""


class TooLong(NamedTuple):
    """A conversation that its agent does not resume."""

    messages: int
    limit: int
    setting: str
    """The name of the limit among the agent's settings."""
    path: str
    """Where the settings are."""
    certain: bool
    """The agent refuses it; else it may, as releases before it was written had no limit."""


Edits: TypeAlias = "interface.Edits"
"""The writing half of a store: keys in, plans and receipts out.

Every plan is made from the store as it is, and every edit checks again under the lock. Whatever an
edit removes is complete in the trash before. One engine serves all kinds, and several stores.
"""


class FileSessions(NamedTuple):
    """The sessions that exist only as files."""

    ids: Sequence[str] = ()
    """The one written last first. Whether a file can be read shows when it is opened."""
    empty: int = 0
    """Of how many more the files hold nothing at all."""


class FileSession(NamedTuple):
    """A session that exists only as a file beside the state file. It is read, never changed."""

    session: Session
    messages: Sequence[Message]
    provenance: Provenance


class Store(Protocol):
    """The sessions of one file: reading them, and through `edits` changing them. What few agents
    have is implemented here for the others."""

    path: Path
    kind: str
    profile: str | None = None
    """The profile of the agent that the file is of, where its place tells."""
    keeps_ends: bool = False
    """Whether ends of sessions are recorded; else no session counts as left open."""
    keeps_sources: bool = False
    """Whether sessions come from several places; else no list needs to say which."""
    keeps_pins: bool = False
    """Whether the agent itself has pins; else they are kept in our notes."""
    noted: bool = False
    """Whether our notes tell of its sessions what its file cannot hold."""
    places: tuple[str, ...] = ()
    """The names of its stores, where it is several."""
    _file: ReadOnlyFile

    def __init__(self, file: ReadOnlyFile) -> None:
        self._file = file
        self.path = file.path

    def one_of(self, stores: int) -> None:
        """It is one of so many that are read together, and takes no more than its share."""
        self._file.one_of(stores)

    def home(self, key: int) -> "tuple[Store, int]":
        """The one store that a session is in, and its key there."""
        return self, key

    def place(self, key: int) -> str:
        """The name of the store that a session is in, where there are several."""
        return ""

    def origin(self, found: Candidate) -> OneStore:
        """The one store that a message is in, also where its session row is gone."""
        return self.stores()[0]

    def stores(self) -> Sequence[OneStore]:
        """Every store that it is made of."""
        names = (self.profile,) if self.profile else ()
        return (OneStore("", self.path, self, profile=self.profile, names=names),)

    def scoped(self, text: str) -> ScopedText:
        """Which of several stores a text like `PROFILE/ID` names, or the only one."""
        profile, _, rest = text.partition("/")
        own = rest and profile and profile == self.profile
        return ScopedText(profile, ("",), rest) if own else ScopedText("", (), text)

    def profiles_at(self, key: int, owner: str | None = None) -> tuple[str, ...]:
        """The names of the profiles that a session is of: those of its store, as in `OneStore`,
        and its `owner`, if that is another one."""
        own = (self.profile,) if self.profile else ()
        return own if not owner or owner in own else (*own, owner)

    def key_of(self, file: Path, key: int) -> int | None:
        """The key here of the session that a state file has under this key; None where the file is
        not among those of this store."""
        return key if os.path.realpath(file) == os.path.realpath(self.path) else None

    @property
    def troubles(self) -> Sequence[UnreadableStore]:
        """Which of several stores could not be read when that was last tried, and why."""
        return ()

    def recovered(self, token: CancelToken | None = None) -> bool:
        """Whether one of those can be read by now although its file looks as it did: a lock was
        released, a permission given. A quick look, and only at those."""
        return False

    def look(self) -> FileState | None:
        """How its file is now, without opening it; None where it is gone."""
        return stamp(self.path)

    def together(self, work: Callable[[], T], token: CancelToken | None = None) -> T:
        """Run `work`, whose calls in this thread read one state of the file; all of it again where
        the file was busy."""
        return self._file.together(work, token)

    def hold(self, token: CancelToken | None = None) -> bool:
        """Read with one connection in this thread, until it lets go: whether that begins now. Each
        read by itself is of one state of the file."""
        return self._file.hold(token)

    def let_go(self) -> None:
        """The end of `hold`."""
        self._file.let_go()

    def handover(self) -> Handover | str:
        """How a session is resumed; where it cannot be, why not."""
        ...

    def resume_call(self, session: Session) -> str:
        """The call with which a program resumes a session, where the agent has no command; empty
        where there is none."""
        return ""

    def info(self, token: CancelToken | None = None) -> StoreInfo:
        # Late: readers do not need the code for changes.
        from explorer.stores.edits.refusals import reasons

        def work(reader: Reader) -> StoreInfo:
            figures = self.figures(reader)
            return StoreInfo(
                path=str(self.path),
                kind=self.kind,
                schema_version=figures.schema_version,
                journal_mode=cells.words(reader.value("PRAGMA journal_mode")),
                sessions=figures.sessions,
                messages=figures.messages,
                orphans=figures.orphans,
                bytes=os.stat(self.path).st_size,
                wal_bytes=log_size(self.path),
                search=figures.search,
                snapshot=reader.snapshot,
                edits=reasons(
                    self.path, self.dialect(), reader.schema, reader.rows, reader.snapshot
                ),
                sound=figures.sound,
            )

        return self._file.read(work, token)

    def figures(self, reader: Reader) -> Figures:
        """What `info` says besides facts about the file itself."""
        ...

    def dialect(self) -> "Dialect":
        """How its agent keeps sessions, for edits."""
        ...

    def first_page(
        self, limit: int, now: float, sort: Sort = Sort.ACTIVE, token: CancelToken | None = None
    ) -> list[Session]:
        """The newest rows at once, without the certainty of the catalog."""
        ...

    def pinned(
        self, noted: Collection[str], now: float, token: CancelToken | None = None
    ) -> list[Session]:
        """The conversations that are pinned, in our notes (`noted` are ids) or, where that is
        quick, in the agent itself; for a first page, the newest first."""
        ...

    def catalog(self, token: CancelToken | None = None) -> Catalog: ...

    def catalog_by(self, read: "Callable[[Store], Catalog]") -> Catalog:
        """The catalog, for which that of each store is what `read` gives."""
        return read(self)

    def census(
        self, first: int, sources: Collection[str] = (), token: CancelToken | None = None
    ) -> Census:
        """All sessions counted. It is likely to tell the first so many rows by last activity, of
        these sources or of all; whether it does is to be asked of it."""
        return Census(self.catalog(token))

    def census_by(self, read: "Callable[[Store], Census]") -> Census:
        """A census, for which that of each store is what `read` gives."""
        return read(self)

    def changes(self, since: object, token: CancelToken | None = None) -> Changes | None:
        """What is new since a catalog was read; None where only another one can tell."""
        return None

    def read_since(self, before: object, now: object) -> frozenset[str] | None:
        """Of several stores, those that were read between two catalogs with these marks; None where
        it is one."""
        return None

    def columns(
        self,
        asked: Collection[Column[object]],
        keys: Sequence[int] | None = None,
        token: CancelToken | None = None,
    ) -> Columns:
        """What is asked of these sessions, or of all."""
        ...

    def columns_among(
        self,
        unique: Unique,
        asked: Collection[Column[object]],
        keys: Sequence[int] | None = None,
        token: CancelToken | None = None,
    ) -> Columns:
        """The same by the keys that sessions have among several stores; `keys` are its own."""
        return self.columns(asked, keys, token).renamed(unique)

    def fates(
        self,
        catalog: Catalog,
        keys: Sequence[int] | None = None,
        before: float | None = None,
        token: CancelToken | None = None,
    ) -> Fates:
        """What the agent does by itself to these sessions, with all parts of their
        conversations, or to all: of 100,000 that takes a second, and a quarter of it where only
        what comes `before` a time is asked for."""
        return NO_FATES

    def fates_stamp(self) -> object:
        """What changes when fates may have changed, without opening a file."""
        return None

    def too_long(self, unit: Unit, token: CancelToken | None = None) -> TooLong | None:
        """Whether the agent refuses to resume a unit for its length."""
        return None

    def chats(self, now: float, token: CancelToken | None = None) -> "Chats":
        """The chats of the agent's gateway."""
        # Late, as in `chat_routes`: 2 ms that no list needs.
        from explorer.stores.chats import Chats, joined

        found = self.chat_routes(now, token)
        ids = {route.session_id for route in found.routes}
        sessions = self.chat_sessions(ids, token)
        return Chats(joined(found.routes, sessions, found.unread), found.troubles)

    def chats_stamp(self) -> object:
        """What changes when chats may have changed, without opening a file."""
        return self.look()

    def chat_routes(self, now: float, token: CancelToken | None = None) -> "Routes":
        """Which session is going on in each chat, and what its gateway will do to it."""
        from explorer.stores.chats import Routes

        return Routes()

    def chat_sessions(
        self, ids: Collection[str], token: CancelToken | None = None
    ) -> "Sequence[ChatSession]":
        """The sessions that belong to a chat, and those with these ids: a route may lead to any."""
        return ()

    def keys_of(self, ids: Sequence[str], token: CancelToken | None = None) -> Mapping[str, int]:
        """The keys of the sessions with these very ids; those that are gone are missing."""
        ...

    def edits(self, ours: OurFiles) -> Edits:
        """The writing half. `info` says which edits a store allows."""
        from explorer.stores.edits.editor import Editor

        return Editor(self.path, self.dialect(), self.sessions, ours)

    def own_notes(self, path: Path) -> Notes:
        """Our notes about its sessions, in this file of ours."""
        return Notes(path, self.path)

    def noted_id(self, key: int, id_: str) -> str:
        """What our notes call a session: an id may be in several stores."""
        return id_

    def noted_as(self, place: str, id_: str) -> str:
        """The same of a session that was in a place, and may be gone."""
        return id_

    def set_of(self, key: int) -> int:
        """Which of several sets of sessions a session is of: an edit is about one of them."""
        return 0

    def sessions(
        self, units: Sequence[Unit], now: float, token: CancelToken | None = None
    ) -> list[Session]: ...

    def details(self, unit: Unit, token: CancelToken | None = None) -> Details:
        """Everything the file says about a unit, except its messages; `NoSuchSession` where it is
        gone."""
        ...

    def outlines(
        self, key: int, rewound: bool = False, token: CancelToken | None = None
    ) -> list[Outline]:
        """The messages of a session as a person is to see them: each once. With `rewound` every
        row: what was rewound, copies, and what is for the model alone."""
        ...

    def first_outlines(
        self, key: int, most: int, rewound: bool = False, token: CancelToken | None = None
    ) -> tuple[list[Outline], bool]:
        """(the outlines of at least the first `most` messages, the rewound counted among them,
        whether those are all); where they are not, sizes may be unknown."""
        return self.outlines(key, rewound, token), True

    def transcript_provenance(
        self, key: int, rewound: bool = False, token: CancelToken | None = None
    ) -> Provenance | None:
        """Where the messages come from that `outlines` gave last, which costs nothing behind it;
        None where all are in the state file, as with agents that keep no transcripts beside it."""
        return None

    def system_prompt(self, key: int, token: CancelToken | None = None) -> str:
        """The system prompt of the agent; empty where it is not stored."""
        return ""

    def messages(
        self, key: int, ids: Sequence[int], token: CancelToken | None = None
    ) -> list[Message]:
        """In the order of their ids as given; what is gone is missing."""
        ...

    def scattered(
        self, places: Sequence[tuple[int, int]], token: CancelToken | None = None
    ) -> Sequence[tuple[int, Message]]:
        """Messages of many sessions, asked for by (session, message): (session, message) each."""
        ...

    def around(
        self, key: int, ids: Sequence[int], rewound: bool = False, token: CancelToken | None = None
    ) -> Mapping[int, tuple[int | None, int | None]]:
        """The messages before and after each of these, in the same session."""
        ...

    def keys_starting(self, text: str, token: CancelToken | None = None) -> Starting:
        """The sessions whose id starts with a text, in small or capital letters."""
        ids = self.columns({ID}, token=token)[ID]
        return Starting([key for key, id_ in ids.items() if id_.lower().startswith(text.lower())])

    def find(self, text: str, token: CancelToken | None = None) -> list[NamedSession]:
        """The sessions that an id, the beginning of one, or a title may mean: one when it is
        clear."""
        ...

    def file_sessions(self, token: CancelToken | None = None) -> FileSessions:
        """The sessions that exist only as a file. It lists a folder that may hold 100,000."""
        return FileSessions()

    def file_catalog(self, token: CancelToken | None = None) -> Catalog | None:
        """The sessions that exist only as a file, under keys that no other session has; the very
        same where nothing changed, and None for agents that leave no such files. Each folder is
        listed once for each state of it."""
        return None

    def file_session(self, id_: str, token: CancelToken | None = None) -> FileSession | None:
        """The session with this very id that exists only as a file; None where there is none."""
        return None

    def lost_messages(self, id_: str, token: CancelToken | None = None) -> list[Message]:
        """Messages that name a session of which no row is left."""
        ...

    def indexed(
        self,
        needles: Needles,
        limit: int,
        below: object = None,
        token: CancelToken | None = None,
    ) -> Indexed:
        """The newest candidates that a search table knows, or those that follow `below`; nothing
        where no table can tell."""
        return Indexed()

    def ranked(
        self, needles: Needles, most: int, token: CancelToken | None = None
    ) -> Mapping[int, float]:
        """Of the newest messages that a search table knows, how well they match, by
        `message_key`: the less the better. Empty where no table can tell."""
        return {}

    def message_key(self, found: Candidate) -> int:
        """What tells a message from all others of the store."""
        return found.message_id

    def scanned(self, needles: Needles, below: object, token: CancelToken | None = None) -> Stretch:
        """The candidates among the messages written last, or last of those below a mark: called
        again and again until the end, it has seen every message."""
        ...

    def newest_below(self, token: CancelToken | None = None) -> Callable[[object], float]:
        """Says that no message below a mark of `scanned` is newer than a time: what is newer
        still comes in the right order after that."""
        return lambda below: math.inf
