"""A store as it may be shown to anybody: `PrivateStore` masks every text that leaves another store.

Everything above sees marks only: lists, transcripts, details, documents, and searches, which decide
on the text as it is shown. Three things stay as they are, because they are used and not read: the
ids of sessions, their files and folders, and the writing half. Wherever those are shown,
`render/clean` hides what is in them; so an edit never writes a mark, and the agent gets the true
id.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from explorer.cancel import CancelToken
from explorer.model import (
    Message,
    Outline,
    Provenance,
    Session,
    Sort,
    StoreInfo,
    Thought,
    ToolCall,
)
from explorer.render import veil
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
    Section,
    Starting,
    Store,
    Stretch,
    TooLong,
    UnreadableStore,
)
from explorer.stores.catalog import Catalog, Unit
from explorer.stores.census import Census
from explorer.stores.chats import Chats, ChatSession, Routes
from explorer.stores.columns import CHAT, ID, TITLE, WORKSPACE, Column, Columns, Unique
from explorer.stores.fates import Fates
from explorer.stores.ours.notes import Notes, OurFiles
from explorer.stores.private.chat_words import hidden_lines, hidden_origin, hidden_words
from explorer.stores.private.details import hidden_row
from explorer.stores.private.hiding import Hiding
from explorer.stores.private.known_values import KnownValues
from explorer.stores.private.needles import findable
from explorer.stores.sqlite.read_only import FileState, Reader

if TYPE_CHECKING:
    from explorer.stores.edits.dialect import Dialect

T = TypeVar("T")


class PrivateStore(Store):
    """Another store, with marks for people and chats."""

    def __init__(self, inner: Store, hiding: Hiding, token: CancelToken | None = None) -> None:
        self.path = inner.path
        self._inner = inner
        self._hiding = hiding
        # Tables on a server have no columns for people: what is hidden there is known from files.
        file = getattr(inner, "_file", None)
        self._known = KnownValues(file, hiding) if file is not None else None
        self.kind, self.profile = inner.kind, inner.profile
        self.keeps_ends, self.keeps_sources = inner.keeps_ends, inner.keeps_sources
        self.keeps_pins, self.noted, self.places = inner.keeps_pins, inner.noted, inner.places
        self._now(token)

    def _now(self, token: CancelToken | None) -> Store:
        """The other store, when everything that it knows of people and chats is known here."""
        if self._known is not None:
            self._known.renew(self._inner.look(), token)
        return self._inner

    # What is read.

    def first_page(
        self, limit: int, now: float, sort: Sort = Sort.ACTIVE, token: CancelToken | None = None
    ) -> list[Session]:
        return [self._session(one) for one in self._now(token).first_page(limit, now, sort, token)]

    def pinned(
        self, noted: Collection[str], now: float, token: CancelToken | None = None
    ) -> list[Session]:
        return [self._session(one) for one in self._now(token).pinned(noted, now, token)]

    def sessions(
        self, units: Sequence[Unit], now: float, token: CancelToken | None = None
    ) -> list[Session]:
        return [self._session(one) for one in self._now(token).sessions(units, now, token)]

    def columns(
        self,
        asked: Collection[Column[object]],
        keys: Sequence[int] | None = None,
        token: CancelToken | None = None,
    ) -> Columns:
        known = dict(self._now(token).columns(asked, keys, token).known)
        for column in (TITLE, WORKSPACE):
            if column in known:
                hide = self._hiding.hide
                known[column] = {key: hide(text) for key, text in known[column].items()}
        if CHAT in known:
            known[CHAT] = {
                key: hidden_lines(self._hiding, text) for key, text in known[CHAT].items()
            }
        return Columns(known)

    def columns_among(
        self,
        unique: Unique,
        asked: Collection[Column[object]],
        keys: Sequence[int] | None = None,
        token: CancelToken | None = None,
    ) -> Columns:
        return self.columns(asked, keys, token).renamed(unique)

    def chats(self, now: float, token: CancelToken | None = None) -> Chats:
        return super().chats(now, token)

    def chat_routes(self, now: float, token: CancelToken | None = None) -> Routes:
        found = self._now(token).chat_routes(now, token)
        routes = (
            one._replace(
                key=self._hiding.hide(one.key), origin=hidden_origin(self._hiding, one.origin)
            )
            for one in found.routes
        )
        return found._replace(routes=tuple(routes))

    def chat_sessions(
        self, ids: Collection[str], token: CancelToken | None = None
    ) -> Sequence[ChatSession]:
        return [
            one._replace(
                chat=self._hiding.hide(one.chat),
                title=self._maybe(one.title),
                origin=hidden_origin(self._hiding, one.origin),
            )
            for one in self._now(token).chat_sessions(ids, token)
        ]

    def file_session(self, id_: str, token: CancelToken | None = None) -> FileSession | None:
        found = self._now(token).file_session(id_, token)
        if found is None:
            return None
        messages = [self._message(one) for one in found.messages]
        return found._replace(session=self._session(found.session), messages=messages)

    def details(self, unit: Unit, token: CancelToken | None = None) -> Details:
        found = self._now(token).details(unit, token)
        sections = (
            Section(section.title, tuple(hidden_row(self._hiding, row) for row in section.rows))
            for section in found.sections
        )
        return Details(found.id, self._maybe(found.title), tuple(sections))

    def system_prompt(self, key: int, token: CancelToken | None = None) -> str:
        return self._hiding.hide(self._now(token).system_prompt(key, token))

    def messages(
        self, key: int, ids: Sequence[int], token: CancelToken | None = None
    ) -> list[Message]:
        return [self._message(one) for one in self._now(token).messages(key, ids, token)]

    def scattered(
        self, places: Sequence[tuple[int, int]], token: CancelToken | None = None
    ) -> Sequence[tuple[int, Message]]:
        found = self._now(token).scattered(places, token)
        return [(key, self._message(one)) for key, one in found]

    def lost_messages(self, id_: str, token: CancelToken | None = None) -> list[Message]:
        return [self._message(one) for one in self._now(token).lost_messages(id_, token)]

    def find(self, text: str, token: CancelToken | None = None) -> list[NamedSession]:
        """By what is stored, or by what is shown: an id or title with a mark in it."""
        found = self._now(token).find(text, token)
        if not found and veil.may_begin_mark(text):
            found = self._find_shown(text, token)
        return [one._replace(title=self._maybe(one.title)) for one in found]

    def _find_shown(self, text: str, token: CancelToken | None) -> list[NamedSession]:
        known = self.columns({ID, TITLE}, token=token)
        ids, titles = known[ID], known[TITLE]
        shown = {key: self._hiding.hide(id_) for key, id_ in ids.items()}
        meant = [key for key, id_ in shown.items() if id_ == text]
        meant = meant or [key for key, title in titles.items() if title == text]
        meant = meant or [key for key, id_ in shown.items() if id_.startswith(text)]
        return [NamedSession(key, ids[key], titles.get(key)) for key in meant]

    def _session(self, one: Session) -> Session:
        hide = self._hiding.hide
        return one._replace(
            title=self._maybe(one.title),
            preview=hide(one.preview),
            last_reply=hide(one.last_reply),
            git_branch=self._maybe(one.git_branch),
            origin=self._words(one.origin),
            file=hide(one.file),
        )

    def _words(self, text: str) -> str:
        return hidden_words(self._hiding, text)

    def _message(self, one: Message) -> Message:
        hide = self._hiding.hide
        text, thoughts = self._with_thoughts(one)
        return one._replace(
            text=text,
            reasoning=hide(one.reasoning),
            tool_calls=tuple(map(_hidden_call, one.tool_calls)),
            notice=hide(one.notice),
            reactions=tuple(map(hide, one.reactions)),
            thoughts=thoughts,
            file=hide(one.file),
        )

    def _with_thoughts(self, one: Message) -> tuple[str, tuple[Thought, ...]]:
        """The text, and the thoughts in it at their places, which move with what is hidden."""
        hide = self._hiding.hide
        if not one.thoughts:
            return hide(one.text), ()
        pieces, thoughts, at = "", [], 0
        for thought in one.thoughts:
            pieces += hide(one.text[at : thought.at])
            at = thought.at
            thoughts.append(Thought(len(pieces), hide(thought.text)))
        return pieces + hide(one.text[at:]), tuple(thoughts)

    def _maybe(self, text: str | None) -> str | None:
        return None if text is None else self._hiding.hide(text)

    # What is searched: the other store gives candidates, and none of them is certain, because it
    # does not know what is shown.

    def indexed(
        self,
        needles: Needles,
        limit: int,
        below: object = None,
        token: CancelToken | None = None,
    ) -> Indexed:
        wanted = findable(needles)
        if not wanted.groups or len(wanted.groups) < len(needles.groups):
            return Indexed()
        found = self._now(token).indexed(wanted, limit, below, token)
        return found._replace(found=_uncertain(found.found))

    def scanned(self, needles: Needles, below: object, token: CancelToken | None = None) -> Stretch:
        found = self._now(token).scanned(findable(needles), below, token)
        return found._replace(found=_uncertain(found.found))

    def ranked(
        self, needles: Needles, most: int, token: CancelToken | None = None
    ) -> Mapping[int, float]:
        wanted = findable(needles)
        if len(wanted.groups) < len(needles.groups):
            return {}
        return self._inner.ranked(wanted, most, token)

    # What holds no text, or text that is used and not read.

    def home(self, key: int) -> tuple[Store, int]:
        home, own = self._inner.home(key)
        return (self if home is self._inner else PrivateStore(home, self._hiding)), own

    def place(self, key: int) -> str:
        return self._inner.place(key)

    def origin(self, found: Candidate) -> OneStore:
        return self._private(self._inner.origin(found))

    def stores(self) -> Sequence[OneStore]:
        return [self._private(one) for one in self._inner.stores()]

    def _private(self, one: OneStore) -> OneStore:
        if one.store is None:
            return one
        same = one.store is self._inner
        return one._replace(store=self if same else PrivateStore(one.store, self._hiding))

    def scoped(self, text: str) -> ScopedText:
        return self._inner.scoped(text)

    def profiles_at(self, key: int, owner: str | None = None) -> tuple[str, ...]:
        return self._inner.profiles_at(key, owner)

    def key_of(self, file: Path, key: int) -> int | None:
        return self._inner.key_of(file, key)

    @property
    def troubles(self) -> Sequence[UnreadableStore]:
        return self._inner.troubles

    def recovered(self, token: CancelToken | None = None) -> bool:
        return self._inner.recovered(token)

    def look(self) -> FileState | None:
        return self._inner.look()

    def together(self, work: Callable[[], T], token: CancelToken | None = None) -> T:
        return self._inner.together(work, token)

    def one_of(self, stores: int) -> None:
        self._inner.one_of(stores)

    def hold(self, token: CancelToken | None = None) -> bool:
        return self._inner.hold(token)

    def let_go(self) -> None:
        self._inner.let_go()

    def chats_stamp(self) -> object:
        return self._inner.chats_stamp()

    def file_sessions(self, token: CancelToken | None = None) -> FileSessions:
        return self._inner.file_sessions(token)

    def file_catalog(self, token: CancelToken | None = None) -> Catalog | None:
        return self._now(token).file_catalog(token)

    def transcript_provenance(
        self, key: int, rewound: bool = False, token: CancelToken | None = None
    ) -> Provenance | None:
        return self._inner.transcript_provenance(key, rewound, token)

    def handover(self) -> Handover | str:
        return self._inner.handover()

    def resume_call(self, session: Session) -> str:
        return self._inner.resume_call(session)

    def info(self, token: CancelToken | None = None) -> StoreInfo:
        return self._inner.info(token)

    def figures(self, reader: Reader) -> Figures:
        return self._inner.figures(reader)

    def dialect(self) -> "Dialect":
        return self._inner.dialect()

    def edits(self, ours: OurFiles) -> Edits:
        return self._inner.edits(ours)

    def own_notes(self, path: Path) -> Notes:
        return self._inner.own_notes(path)

    def noted_id(self, key: int, id_: str) -> str:
        return self._inner.noted_id(key, id_)

    def noted_as(self, place: str, id_: str) -> str:
        return self._inner.noted_as(place, id_)

    def set_of(self, key: int) -> int:
        return self._inner.set_of(key)

    def catalog(self, token: CancelToken | None = None) -> Catalog:
        return self._now(token).catalog(token)

    def catalog_by(self, read: Callable[[Store], Catalog]) -> Catalog:
        return self._inner.catalog_by(read)

    def census(
        self, first: int, sources: Collection[str] = (), token: CancelToken | None = None
    ) -> Census:
        return self._now(token).census(first, sources, token)

    def census_by(self, read: Callable[[Store], Census]) -> Census:
        return self._inner.census_by(read)

    def changes(self, since: object, token: CancelToken | None = None) -> Changes | None:
        return self._now(token).changes(since, token)

    def read_since(self, before: object, now: object) -> frozenset[str] | None:
        return self._inner.read_since(before, now)

    def fates(
        self,
        catalog: Catalog,
        keys: Sequence[int] | None = None,
        before: float | None = None,
        token: CancelToken | None = None,
    ) -> Fates:
        return self._inner.fates(catalog, keys, before, token)

    def fates_stamp(self) -> object:
        return self._inner.fates_stamp()

    def too_long(self, unit: Unit, token: CancelToken | None = None) -> TooLong | None:
        return self._inner.too_long(unit, token)

    def keys_of(self, ids: Sequence[str], token: CancelToken | None = None) -> Mapping[str, int]:
        return self._inner.keys_of(ids, token)

    def outlines(
        self, key: int, rewound: bool = False, token: CancelToken | None = None
    ) -> list[Outline]:
        return self._inner.outlines(key, rewound, token)

    def first_outlines(
        self, key: int, most: int, rewound: bool = False, token: CancelToken | None = None
    ) -> tuple[list[Outline], bool]:
        return self._inner.first_outlines(key, most, rewound, token)

    def around(
        self, key: int, ids: Sequence[int], rewound: bool = False, token: CancelToken | None = None
    ) -> Mapping[int, tuple[int | None, int | None]]:
        return self._inner.around(key, ids, rewound, token)

    def keys_starting(self, text: str, token: CancelToken | None = None) -> Starting:
        return self._inner.keys_starting(text, token)

    def message_key(self, found: Candidate) -> int:
        return self._inner.message_key(found)

    def newest_below(self, token: CancelToken | None = None) -> Callable[[object], float]:
        return self._inner.newest_below(token)


def _hidden_call(call: ToolCall) -> ToolCall:
    return call._replace(name=veil.hidden(call.name), arguments=veil.hidden_in(call.arguments))


def _uncertain(found: Sequence[Candidate]) -> Sequence[Candidate]:
    return [one._replace(certain=False) for one in found]
