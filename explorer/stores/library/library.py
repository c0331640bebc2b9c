"""Several stores as one `Store`.

What is asked of all sessions is asked of every store, in turn, and joined; what is about one
session is passed on to its store. A store that cannot be read is left out and says why; it does
not stop the others. A catalog is read again only if its file has changed, so a change in one store
costs a look at that one.
"""

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from explorer.cancel import CancelToken
from explorer.errors import NoFileYet, NoSuchSession, SeveralSessions, StoreError, session_gone
from explorer.model import Message, Outline, Provenance, SearchModes, Session, Sort, StoreInfo
from explorer.stores.base import (
    Candidate,
    Changes,
    Details,
    Edits,
    Figures,
    FileSession,
    FileSessions,
    Handover,
    Indexed,
    NamedSession,
    Needles,
    OneStore,
    ScopedText,
    Starting,
    Store,
    Stretch,
    TooLong,
    UnreadableStore,
)
from explorer.stores.catalog import Catalog, Unit
from explorer.stores.census import Census
from explorer.stores.chats import ChatSession, Routes
from explorer.stores.columns import OWNER, Column, Columns
from explorer.stores.fates import NO_FATES, Fates, joined
from explorer.stores.library import search
from explorer.stores.library.member import UNCHANGED, Member, MemberFile
from explorer.stores.library.members import GLANCE, Members
from explorer.stores.library.notes import LibraryNotes, by_store, noted_as
from explorer.stores.ours.notes import OurFiles
from explorer.stores.sqlite.read_only import FileState, Reader

if TYPE_CHECKING:
    from explorer.stores.edits.dialect import Dialect

T = TypeVar("T")

MARGIN = 2
"""Rows that each store is asked for beyond its share of a first page."""
NEVER = (float("-inf"), 0)


class LibraryState(NamedTuple):
    """The files of a library, as the file system sees them."""

    stamps: tuple[FileState | None, ...]
    folders: tuple[bool, ...] = ()
    """Of those that have no file, whether the folder for it is there."""

    @property
    def identity(self) -> tuple[int, int]:
        """Always the same: a file that was replaced is opened anew by the library itself."""
        return 0, 0

    @property
    def log_size(self) -> int:
        return max((one.log_size for one in self.stamps if one), default=0)

    @property
    def written(self) -> float:
        return max((one.written for one in self.stamps if one), default=0.0)


class Library(Store):
    """Reads several stores, each by its own rules."""

    kind = "library"

    def __init__(self, files: Sequence[MemberFile]) -> None:
        self.members = Members(files)
        self.path = files[0].path
        self.places = tuple(file.name for file in files)
        self._step = self.members.ring.step
        self._file_rows: tuple[object, Catalog] | None = None

    def take_in(self, files: Sequence[MemberFile]) -> bool:
        """Have more stores, which are opened with the next look at all of them; False where there
        is no room for so many."""
        if len(self.places) + len(files) > self._step:
            return False
        self.members.take_in(files)
        self.places = tuple(one.name for one in self.members.all)
        return True

    def open_all(self, token: CancelToken | None = None, hurried: bool = False) -> None:
        """Open every store that can be; where none can, the reasons of all. If `hurried`, one that
        is locked comes later."""
        try:
            self.members.ask(lambda member: None, again=True, patience=GLANCE if hurried else None)
        except StoreError as error:
            raise self.members.every_error() or error from None

    @property
    def keeps_ends(self) -> bool:  # type: ignore[override]  # as its stores do, once they are open
        return any(one.store.keeps_ends for one in self.members.opened)

    @property
    def keeps_sources(self) -> bool:  # type: ignore[override]
        return any(one.store.keeps_sources for one in self.members.opened)

    @property
    def keeps_pins(self) -> bool:  # type: ignore[override]
        return any(one.store.keeps_pins for one in self.members.opened)

    @property
    def noted(self) -> bool:  # type: ignore[override]
        return any(one.store.noted for one in self.members.opened)

    @property
    def troubles(self) -> Sequence[UnreadableStore]:
        return self.members.troubles

    def look(self) -> LibraryState:
        members = self.members.all
        stamps = tuple(one.look() for one in members)
        without = (one for one, seen in zip(members, stamps, strict=True) if seen is None)
        return LibraryState(stamps, tuple(os.path.isdir(one.path.parent) for one in without))

    def handover(self) -> Handover | str:
        return "Several stores are open. Each session is resumed by the agent of its own store."

    def figures(self, reader: Reader) -> Figures:
        raise NotImplementedError("each store is counted by itself")

    def dialect(self) -> "Dialect":
        raise NotImplementedError("each store is edited by its own rules")

    def edits(self, ours: OurFiles) -> Edits:
        # Late: readers do not need the code for changes.
        from explorer.stores.library.edits import LibraryEdits

        return LibraryEdits(self.members, ours)

    def own_notes(self, path: Path) -> LibraryNotes:
        return LibraryNotes(path, [one.path for one in self.members.all])

    def noted_id(self, key: int, id_: str) -> str:
        return noted_as(self.members.ring.store(key), id_)

    def home(self, key: int) -> tuple[Store, int]:
        member, own = self.members.of(key)
        return member.store, own

    def place(self, key: int) -> str:
        # Asked of every row of a list: without a call, and without a look at its own key.
        try:
            return self.places[key % self._step]
        except IndexError:
            raise session_gone() from None

    def origin(self, found: Candidate) -> OneStore:
        return self.members.all[found.store].as_one()

    def stores(self) -> Sequence[OneStore]:
        return [member.as_one() for member in self.members.all]

    def profiles_at(self, key: int, owner: str | None = None) -> tuple[str, ...]:
        # As in `place`.
        try:
            member = self.members.all[key % self._step]
        except IndexError:
            raise session_gone() from None
        if not owner or owner == member.profile or owner in member.names:
            return member.names
        return (*member.names, owner)

    def scoped(self, text: str) -> ScopedText:
        # A name may hold a slash itself: the longest that fits is meant.
        names = {name for one in self.members.all for name in one.names}
        for name in sorted(names, key=len, reverse=True):
            if text.startswith(f"{name}/") and len(text) > len(name) + 1:
                places = tuple(one.name for one in self.members.all if name in one.names)
                return ScopedText(name, places, text[len(name) + 1 :])
        return ScopedText("", (), text)

    def noted_as(self, place: str, id_: str) -> str:
        return noted_as(self.places.index(place), id_) if place in self.places else id_

    def recovered(self, token: CancelToken | None = None) -> bool:
        return self.members.recovered(token)

    def key_of(self, file: Path, key: int) -> int | None:
        real = os.path.realpath(file)
        found = (one for one in self.members.all if os.path.realpath(one.path) == real)
        return next((member.outer(key) for member in found), None)

    def _told(self, key: int, work: Callable[[Store, int], T], nothing: T) -> T:
        """What the store of a session says of it, or `nothing` where it is in none."""
        try:
            member, own = self.members.of(key)
            self.members.hold(member.store)
            return member.told(lambda store: work(store, own))
        except NoSuchSession:
            return nothing

    def _ask(
        self,
        work: Callable[[Member], T],
        members: Collection[Member] | None = None,
        again: bool = False,
    ) -> list[tuple[Member, T]]:
        return self.members.ask(work, members, again)

    def together(self, work: Callable[[], T], token: CancelToken | None = None) -> T:
        return self.members.together(work, token)

    def catalog(self, token: CancelToken | None = None) -> Catalog:
        """Of a store that cannot be read now, what was last known."""
        return self._catalog(lambda member: member.catalog(token))

    def catalog_by(self, read: Callable[[Store], Catalog]) -> Catalog:
        return self._catalog(lambda member: member.catalog(None, read))

    def census(
        self, first: int, sources: Collection[str] = (), token: CancelToken | None = None
    ) -> Census:
        return self.census_by(lambda store: store.census(first, sources, token))

    def census_by(self, read: Callable[[Store], Census]) -> Census:
        """Of those stores that can be read."""
        found = self._ask(lambda member: member.census(read), again=True)
        return Census.joined([(census, member.outers) for member, census in found])

    def _catalog(self, work: Callable[[Member], Catalog]) -> Catalog:
        try:
            self._ask(work, again=True)
        except StoreError:
            if not any(member.known for member in self.members.all):
                raise
        found = [(one, one.known) for one in self.members.all if one.known is not None]
        mark = tuple((member.number, known.mark) for member, known in found)
        catalogs = [(known.catalog, member.outers) for member, known in found]
        return Catalog.joined(catalogs, mark)

    def first_page(
        self, limit: int, now: float, sort: Sort = Sort.ACTIVE, token: CancelToken | None = None
    ) -> list[Session]:
        """A few rows of each store, then more of those that may have more of the page."""
        most = min(limit, limit // len(self.members.all) + MARGIN)

        def read(one: Member) -> list[Session]:
            return one.sessions(one.store.first_page(most, now, sort, token))

        pages = dict(self.together(lambda: self._ask(read, again=True), token))
        rows = self._newest(pages, sort)
        while longer := _longer(pages, rows, most, limit, sort):
            most = min(limit, 3 * most)
            try:
                pages |= self.together(partial(self._ask, read, longer), token)
            except StoreError:
                # Those that cannot be read any more keep what they gave.
                break
            rows = self._newest(pages, sort)
        return rows[:limit]

    def _newest(self, pages: Mapping[Member, Sequence[Session]], sort: Sort) -> list[Session]:
        rows = (row for page in pages.values() for row in page)
        return sorted(rows, key=lambda row: _place(row, sort), reverse=True)

    def pinned(
        self, noted: Collection[str], now: float, token: CancelToken | None = None
    ) -> list[Session]:
        wanted = self._noted(noted)

        def read(member: Member) -> list[Session]:
            return member.store.pinned(wanted.get(member, ()), now, token)

        pages = self.together(lambda: self._ask(read), token)
        return self._newest({member: member.sessions(page) for member, page in pages}, Sort.ACTIVE)

    def _noted(self, ids: Collection[str]) -> dict[Member, list[str]]:
        """What our notes call sessions, as each store calls them."""
        own = by_store(sorted(ids), len(self.members.all))
        return {member: own[member.number] for member in self.members.all if own[member.number]}

    def sessions(
        self, units: Sequence[Unit], now: float, token: CancelToken | None = None
    ) -> list[Session]:
        wanted: dict[Member, list[Unit]] = {}
        for unit in units:
            number, _ = self.members.ring.inner(unit.key)
            if number < len(self.members.all):
                wanted.setdefault(self.members.all[number], []).append(self.members.inner(unit))
        wanted = self._readable(wanted)
        if not wanted:
            return []

        def read(member: Member) -> list[Session]:
            return member.store.sessions(wanted[member], now, token)

        found = self.together(lambda: self._ask(read, wanted), token)
        rows = {row.key: row for member, page in found for row in member.sessions(page)}
        return [rows[unit.key] for unit in units if unit.key in rows]

    def _readable(self, wanted: dict[Member, list[T]]) -> dict[Member, list[T]]:
        """Without what is asked of stores that are known to be unreadable: that is no reason for
        an error, the list keeps what it knew of them."""
        return {member: asked for member, asked in wanted.items() if member.error is None}

    def columns(
        self,
        asked: Collection[Column[object]],
        keys: Sequence[int] | None = None,
        token: CancelToken | None = None,
    ) -> Columns:
        wanted = None if keys is None else self.members.by_member(keys)

        def read(member: Member) -> Columns:
            own = None if wanted is None else wanted[member]
            return member.store.columns_among(member.outers, asked, own, token)

        found: dict[Column[object], dict[int, object]] = {column: {} for column in asked}
        if wanted is None or wanted:
            for _, columns in self._ask(read, wanted):
                for column, values in columns.known.items():
                    found[column].update(values)
        return Columns(found)

    def info(self, token: CancelToken | None = None) -> StoreInfo:
        """Of all of them together; what is about one file is left open."""
        found = [info for _, info in self._ask(lambda member: member.info(token))]
        every = [name for info in found for name in info.edits]
        return StoreInfo(
            path=os.pathsep.join(info.path for info in found),
            kind=self.kind,
            schema_version=None,
            journal_mode="",
            sessions=sum(info.sessions for info in found),
            messages=sum(info.messages for info in found),
            orphans=sum(info.orphans for info in found),
            bytes=sum(info.bytes for info in found),
            wal_bytes=sum(info.wal_bytes for info in found),
            search=SearchModes(fts=False, trigram=False, cjk=False, covers=()),
            snapshot=all(info.snapshot for info in found),
            edits={name: _refusal(name, found) for name in dict.fromkeys(every)},
            sound=all(info.sound for info in found),
        )

    def changes(self, since: object, token: CancelToken | None = None) -> Changes | None:
        """What is new in the stores whose file has changed. None where a store can only be read
        whole, or can be read for the first time."""
        marks = dict(since) if isinstance(since, tuple) else {}

        def read(member: Member) -> Changes | None:
            return member.changes(marks.get(member.number), token)

        found = self._ask(read, again=True)
        told = [(member, one) for member, one in found if one is not None]
        if len(told) < len(found) or any(member.number not in marks for member, _ in told):
            return None
        families = [(one.family, member.outers) for member, one in told if one.family is not None]
        newer = marks | {member.number: one.mark for member, one in told}
        return Changes(
            tuple(newer.items()),
            frozenset(member.outer(key) for member, one in told for key in one.keys),
            Catalog.joined(families) if families else None,
            frozenset(member.name for member, one in told if one.places != UNCHANGED),
        )

    def read_since(self, before: object, now: object) -> frozenset[str]:
        marks, newer = (dict(mark) if isinstance(mark, tuple) else {} for mark in (before, now))
        numbers = {number for number, mark in newer.items() if marks.get(number) != mark}
        return frozenset(self.places[number] for number in numbers | marks.keys() - newer.keys())

    def fates(
        self,
        catalog: Catalog,
        keys: Sequence[int] | None = None,
        before: float | None = None,
        token: CancelToken | None = None,
    ) -> Fates:
        """Each store by the rules of its own agent. What holds for all of them is said only where
        the stores agree."""
        wanted = None if keys is None else self.members.by_member(keys)

        def read(member: Member) -> Fates:
            return member.fates(None if wanted is None else wanted[member], before, token)

        if wanted is not None and not wanted:
            return NO_FATES
        return joined([fates for _, fates in self._ask(read, wanted)])

    def chats_stamp(self) -> object:
        return [
            one.store.chats_stamp() if one.is_open and one.error is None else None
            for one in self.members.all
        ]

    def chat_routes(self, now: float, token: CancelToken | None = None) -> Routes:
        found = self._ask(lambda member: member.store.chat_routes(now, token))
        return Routes(
            tuple(
                route._replace(place=member.name) for member, told in found for route in told.routes
            ),
            tuple(trouble for _, told in found for trouble in told.troubles),
            frozenset(path for _, told in found for path in told.unread),
        )

    def chat_sessions(
        self, ids: Collection[str], token: CancelToken | None = None
    ) -> Sequence[ChatSession]:
        found = self._ask(lambda member: member.store.chat_sessions(ids, token))
        return [
            one._replace(key=member.outer(one.key), place=member.name)
            for member, told in found
            for one in told
        ]

    def too_long(self, unit: Unit, token: CancelToken | None = None) -> TooLong | None:
        member, _ = self.members.of(unit.key)
        return member.told(lambda store: store.too_long(self.members.inner(unit), token))

    def set_of(self, key: int) -> int:
        member, own = self.members.of(key)
        return member.outer(member.store.set_of(own))

    def details(self, unit: Unit, token: CancelToken | None = None) -> Details:
        member, _ = self.members.of(unit.key)
        return member.told(lambda store: store.details(self.members.inner(unit), token))

    def outlines(
        self, key: int, rewound: bool = False, token: CancelToken | None = None
    ) -> list[Outline]:
        nothing: list[Outline] = []
        found = self._told(key, lambda store, own: store.outlines(own, rewound, token), nothing)
        return _of_session(key, found)

    def first_outlines(
        self, key: int, most: int, rewound: bool = False, token: CancelToken | None = None
    ) -> tuple[list[Outline], bool]:
        nothing: tuple[list[Outline], bool] = [], True
        found, complete = self._told(
            key, lambda store, own: store.first_outlines(own, most, rewound, token), nothing
        )
        return _of_session(key, found), complete

    def transcript_provenance(
        self, key: int, rewound: bool = False, token: CancelToken | None = None
    ) -> Provenance | None:
        return self._told(
            key, lambda store, own: store.transcript_provenance(own, rewound, token), None
        )

    def system_prompt(self, key: int, token: CancelToken | None = None) -> str:
        return self._told(key, lambda store, own: store.system_prompt(own, token), "")

    def messages(
        self, key: int, ids: Sequence[int], token: CancelToken | None = None
    ) -> list[Message]:
        return self._told(key, lambda store, own: store.messages(own, ids, token), [])

    def scattered(
        self, places: Sequence[tuple[int, int]], token: CancelToken | None = None
    ) -> Sequence[tuple[int, Message]]:
        wanted: dict[Member, list[tuple[int, int]]] = {}
        for key, id_ in places:
            member, own = self.members.of(key)
            wanted.setdefault(member, []).append((own, id_))
        wanted = self._readable(wanted)
        if not wanted:
            return []
        found = self._ask(lambda member: member.store.scattered(wanted[member], token), wanted)
        return [(member.outer(key), one) for member, told in found for key, one in told]

    def around(
        self, key: int, ids: Sequence[int], rewound: bool = False, token: CancelToken | None = None
    ) -> Mapping[int, tuple[int | None, int | None]]:
        return self._told(key, lambda store, own: store.around(own, ids, rewound, token), {})

    def keys_of(self, ids: Sequence[str], token: CancelToken | None = None) -> Mapping[str, int]:
        """By the ids that our notes know sessions by: see `NOTED`."""
        wanted = self._noted(ids)
        if not wanted:
            return {}
        found = self._ask(lambda member: member.store.keys_of(wanted[member], token), wanted)
        return {
            noted_as(member.number, id_): member.outer(key)
            for member, keys in found
            for id_, key in keys.items()
        }

    def find(self, text: str, token: CancelToken | None = None) -> list[NamedSession]:
        """A whole id or title means that session; `PROFILE/ID` one in that profile, or else one
        that belongs to it and is in the file of another."""
        found = self._find_in(None, text, token)
        exact = _whole(found, text)
        if exact or "/" not in text:
            return exact or found
        scope = self.scoped(text)
        named = self._find_in(self._meant(scope), scope.rest, token)
        found = [] if scope.places else found
        return _whole(named, scope.rest) or named or self._find_of(text, token) or found

    def _meant(self, scope: ScopedText) -> list[Member]:
        """The stores that a profile before a slash means; one without a file yet has nothing, while
        another file may have sessions of it."""
        return [
            member
            for member in self.members.all
            if member.name in scope.places and not isinstance(member.error, NoFileYet)
        ]

    def _find_in(
        self, members: Collection[Member] | None, text: str, token: CancelToken | None
    ) -> list[NamedSession]:
        return [
            one._replace(key=member.outer(one.key))
            for member, named in self._ask(lambda member: member.store.find(text, token), members)
            for one in named
        ]

    def _find_of(self, text: str, token: CancelToken | None) -> list[NamedSession]:
        """The sessions that belong to the profile before the slash."""
        profile, _, id_ = text.partition("/")
        found = self._find_in(None, id_, token) if id_ else []
        owners = self.columns({OWNER}, [one.key for one in found], token)[OWNER] if found else {}
        return [one for one in found if profile in self.profiles_at(one.key, owners.get(one.key))]

    def keys_starting(self, text: str, token: CancelToken | None = None) -> Starting:
        found = self._ask(lambda member: member.store.keys_starting(text, token))
        keys = [member.outer(key) for member, starting in found for key in starting.keys]
        return Starting(keys, any(starting.more for _, starting in found))

    def file_sessions(self, token: CancelToken | None = None) -> FileSessions:
        """With the names of their stores, by which they are asked for."""
        found = self._ask(lambda member: member.store.file_sessions(token))
        ids = [f"{member.name}/{id_}" for member, own in found for id_ in own.ids]
        return FileSessions(ids, sum(own.empty for _, own in found))

    def file_catalog(self, token: CancelToken | None = None) -> Catalog | None:
        found = self._ask(lambda member: member.store.file_catalog(token))
        told = {one.number: (one, own) for one, own in found if own is not None}
        state = tuple((number, own) for number, (_, own) in told.items())
        if self._file_rows is None or self._file_rows[0] != state:
            joined = Catalog.joined([(own, one.outers) for one, own in told.values()])
            self._file_rows = state, joined
        return self._file_rows[1]

    def file_session(self, id_: str, token: CancelToken | None = None) -> FileSession | None:
        scope = self.scoped(id_)
        members = self._meant(scope) if scope.places else None
        told = self._ask(lambda member: member.store.file_session(scope.rest, token), members)
        found = [(member, one) for member, one in told if one is not None]
        if len(found) > 1:
            names = [f"{member.name}/{scope.rest}" for member, _ in found]
            raise SeveralSessions(id_, "Use one of these", names)
        for member, one in found:
            key = member.outer(one.session.key)
            return one._replace(session=one.session._replace(key=key, place=member.name))
        return None

    def lost_messages(self, id_: str, token: CancelToken | None = None) -> list[Message]:
        """Those of one store: where several hold such messages, it must be named."""
        found = [
            (member, messages)
            for member, messages in self._ask(lambda one: one.store.lost_messages(id_, token))
            if messages
        ]
        scope = self.scoped(id_)
        if not found and scope.places:
            id_ = scope.rest
            told = self._ask(lambda one: one.store.lost_messages(id_, token), self._meant(scope))
            found = [(member, messages) for member, messages in told if messages]
        if len(found) > 1:
            names = [f"{member.name}/{id_}" for member, _ in found]
            raise SeveralSessions(id_, "Use one of these", names)
        return [message for _, messages in found for message in messages]

    def indexed(
        self,
        needles: Needles,
        limit: int,
        below: object = None,
        token: CancelToken | None = None,
    ) -> Indexed:
        return search.indexed(self.members, needles, limit, below, token)

    def ranked(
        self, needles: Needles, most: int, token: CancelToken | None = None
    ) -> Mapping[int, float]:
        return search.ranked(self.members, needles, most, token)

    def message_key(self, found: Candidate) -> int:
        return search.message_key(self.members, found)

    def scanned(self, needles: Needles, below: object, token: CancelToken | None = None) -> Stretch:
        return search.scanned(self.members, needles, below, token)

    def newest_below(self, token: CancelToken | None = None) -> Callable[[object], float]:
        return search.newest_below(self.members, token)


def _whole(found: Sequence[NamedSession], text: str) -> list[NamedSession]:
    """Those with this very id or title."""
    return [one for one in found if text in (one.id, one.title)]


def _of_session(key: int, outlines: Sequence[Outline]) -> list[Outline]:
    return [outline._replace(session_key=key) for outline in outlines]


def _refusal(edit: str, found: Sequence[StoreInfo]) -> str | None:
    """Why no store allows an edit; None where one does."""
    reasons = [info.edits.get(edit) for info in found]
    return None if None in reasons else next(iter(reasons), None)


def _longer(
    pages: Mapping[Member, Sequence[Session]],
    rows: Sequence[Session],
    most: int,
    limit: int,
    sort: Sort,
) -> list[Member]:
    """The stores that may have more of the first `limit` rows than the `most` they were asked
    for."""
    if most >= limit:
        return []
    edge = _place(rows[limit - 1], sort) if len(rows) >= limit else NEVER
    return [
        member
        for member, page in pages.items()
        if len(page) >= most and min(_place(row, sort) for row in page) >= edge
    ]


def _place(row: Session, sort: Sort) -> tuple[float, int]:
    time = row.started_at if sort is Sort.STARTED else row.last_active
    return time or 0.0, row.key
