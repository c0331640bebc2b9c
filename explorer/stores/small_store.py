"""A store that is small enough to be read whole for every answer.

Its files have no search tables and no upkeep, and no ends and no pins of sessions; a conversation
is one session. Everything that `Store` promises then follows from three methods of a kind: its
sessions (`survey`), the messages of one (`told`), and how they are edited (`dialect`). A kind
overrides what it knows better, or can answer without reading everything.
"""

from abc import abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple, TypeVar

from explorer.cancel import CancelToken
from explorer.errors import session_gone
from explorer.model import Kind, Message, MessageState, Outline, Session, Sort, state_of
from explorer.render.figures import count, exact
from explorer.stores import columns
from explorer.stores.base import (
    Candidate,
    Details,
    Figures,
    Handover,
    NamedSession,
    Needles,
    Section,
    Store,
    Stretch,
)
from explorer.stores.catalog import Catalog, Link, Mark, Unit
from explorer.stores.columns import Column, Columns
from explorer.stores.content import said
from explorer.stores.sort_order import ordered, values_of
from explorer.stores.table_reader import TableReader

T = TypeVar("T")


class SessionRow(NamedTuple):
    """A session by its own row, and the time of its newest message."""

    key: int
    id: str
    title: str | None = None
    model: str | None = None
    started_at: float | None = None
    newest: float | None = None
    """None where nothing was said."""
    parent_id: str | None = None
    link: Link | None = None
    """Of a child: whose it is."""
    archived: bool = False

    @property
    def last_active(self) -> float | None:
        return self.newest or self.started_at


class SmallStore(Store):
    """Reads one file, and all of it where it must."""

    @abstractmethod
    def survey(self, reader: TableReader) -> Sequence[SessionRow]:
        """Every session."""

    @abstractmethod
    def told(self, reader: TableReader, id_: str) -> Sequence[Message]:
        """The messages that name this session, in their order, whether its row is there or not."""

    def _read(self, work: Callable[[TableReader], T], token: CancelToken | None = None) -> T:
        """Run work that reads: everything here goes through this, so that a kind whose sessions
        are in another database than a file overrides no more."""
        return self._file.read(work, token)

    def figures(self, reader: TableReader) -> Figures:
        rows = self.survey(reader)
        return Figures(len(rows), sum(len(self.told(reader, row.id)) for row in rows))

    def handover(self) -> Handover | str:
        return (
            f"{self.kind} has no command to resume a session. Set resume_command in the settings,"
            " or copy the id."
        )

    def catalog(self, token: CancelToken | None = None) -> Catalog:
        return self._catalog(self._read(self.survey, token))

    def _catalog(self, rows: Sequence[SessionRow], mark: object = Mark()) -> Catalog:
        """These sessions as a catalog."""
        return Catalog(
            keys=[row.key for row in rows],
            active=[row.last_active or 0.0 for row in rows],
            sources=[self.kind] * len(rows),
            links={row.key: row.link for row in rows if row.link is not None},
            chains=(),
            archived={row.key for row in rows if row.archived},
            empty=frozenset(row.key for row in rows if row.newest is None),
            mark=mark,
        )

    def first_page(
        self, limit: int, now: float, sort: Sort = Sort.ACTIVE, token: CancelToken | None = None
    ) -> list[Session]:
        catalog = self.catalog(token)
        listed, _ = catalog.select()
        order = ordered(catalog, listed, sort, values_of(self, sort, token))
        return self.sessions([catalog.folded(key) for key in order[:limit]], now, token)

    def pinned(
        self, noted: Collection[str], now: float, token: CancelToken | None = None
    ) -> list[Session]:
        units = self._units(sorted(noted), token) if noted else ()
        found = self.sessions(units, now, token)
        return sorted(found, key=lambda row: row.last_active or 0.0, reverse=True)

    def _units(self, ids: Sequence[str], token: CancelToken | None) -> list[Unit]:
        """The rows of the sessions with these ids, each with the number of its subagents."""
        catalog = self.catalog(token)
        return [catalog.folded(key) for key in self.keys_of(ids, token).values()]

    def sessions(
        self, units: Sequence[Unit], now: float, token: CancelToken | None = None
    ) -> list[Session]:
        def work(reader: TableReader) -> list[Session]:
            rows = {row.key: row for row in self.survey(reader)}
            return [
                self._session(rows[unit.key], self.told(reader, rows[unit.key].id), unit, now)
                for unit in units
                if unit.key in rows
            ]

        return self._read(work, token)

    def _session(
        self, row: SessionRow, messages: Sequence[Message], unit: Unit, now: float
    ) -> Session:
        asked = (said(one.text) for one in messages if one.role == "user")
        answered = (said(one.text) for one in reversed(messages) if one.role == "assistant")
        return Session(
            key=row.key,
            id=row.id,
            title=row.title,
            source=self.kind,
            model=row.model,
            started_at=row.started_at,
            last_active=row.last_active,
            ended_at=None,
            end_reason=None,
            message_count=len(messages),
            tool_call_count=_tool_results(messages),
            preview=next(filter(None, asked), ""),
            last_reply=next(filter(None, answered), ""),
            kind=row.link.kind if row.link else Kind.ROOT,
            state=state_of(last_active=row.last_active, ended=False, held_until=0.0, now=now),
            parent_id=row.parent_id,
            root_id=row.id,
            tip_id=row.id,
            parts=1,
            archived=row.archived,
            subagents=unit.subagents,
        )

    def details(self, unit: Unit, token: CancelToken | None = None) -> Details:
        found = self.sessions([unit], 0.0, token)
        if not found:
            raise session_gone()
        (one,) = found
        about = [("Id", one.id), ("Messages", count(one.message_count)), ("Model", one.model)]
        times = [("Started", one.started_at), ("Last message", one.last_active)]
        sections = {
            "Session": tuple((label, value) for label, value in about if value),
            "Times": tuple((label, exact(time)) for label, time in times if time is not None),
            "Files": (("State file", str(self.path.absolute())),),
        }
        rows = (Section(title, rows) for title, rows in sections.items() if rows)
        return Details(one.id, one.title, tuple(rows))

    def _messages(self, key: int, token: CancelToken | None) -> Sequence[Message]:
        def work(reader: TableReader) -> Sequence[Message]:
            ids = [row.id for row in self.survey(reader) if row.key == key]
            return self.told(reader, ids[0]) if ids else ()

        return self._read(work, token)

    def outlines(
        self, key: int, rewound: bool = False, token: CancelToken | None = None
    ) -> list[Outline]:
        return [
            Outline(
                id=one.id,
                session_key=key,
                role=one.role,
                timestamp=one.timestamp,
                size=len(one.text.encode()),
                calls=bool(one.tool_calls),
                tool_call_id=one.tool_call_id,
                state=one.state,
            )
            for one in self._messages(key, token)
            if rewound or one.state is not MessageState.REWOUND
        ]

    def messages(
        self, key: int, ids: Sequence[int], token: CancelToken | None = None
    ) -> list[Message]:
        found = {one.id: one for one in self._messages(key, token)}
        return [found[id_] for id_ in ids if id_ in found]

    def scattered(
        self, places: Sequence[tuple[int, int]], token: CancelToken | None = None
    ) -> Sequence[tuple[int, Message]]:
        by_session: dict[int, list[int]] = {}
        for key, id_ in places:
            by_session.setdefault(key, []).append(id_)

        def work() -> list[tuple[int, Message]]:
            return [
                (key, message)
                for key, ids in by_session.items()
                for message in self.messages(key, ids, token)
            ]

        return self.together(work, token)

    def around(
        self, key: int, ids: Sequence[int], rewound: bool = False, token: CancelToken | None = None
    ) -> Mapping[int, tuple[int | None, int | None]]:
        order = [None, *(outline.id for outline in self.outlines(key, rewound, token)), None]
        place = {id_: at for at, id_ in enumerate(order)}
        known = [id_ for id_ in ids if id_ in place]
        return {id_: (order[place[id_] - 1], order[place[id_] + 1]) for id_ in known}

    def find(self, text: str, token: CancelToken | None = None) -> list[NamedSession]:
        known = self.columns({columns.ID, columns.TITLE}, token=token)
        found = [
            NamedSession(key, id_, known[columns.TITLE].get(key))
            for key, id_ in known[columns.ID].items()
        ]
        exact = [one for one in found if one.id == text]
        starting = [one for one in found if one.id.lower().startswith(text.lower())]
        titled = [one for one in found if one.title == text]
        return exact or (starting if len(starting) == 1 else titled or starting)

    def lost_messages(self, id_: str, token: CancelToken | None = None) -> list[Message]:
        return list(self._read(lambda reader: self.told(reader, id_), token))

    def scanned(self, needles: Needles, below: object, token: CancelToken | None = None) -> Stretch:
        def work(reader: TableReader) -> Stretch:
            """Every message may hold the words."""
            found = [
                Candidate(one.id, row.key, row.id, certain=False, at=one.timestamp or 0.0)
                for row in self.survey(reader)
                for one in self.told(reader, row.id)
                if needles.rewound or one.state is not MessageState.REWOUND
            ]
            return Stretch(sorted(found, key=lambda one: -one.at), None, 1.0)

        return self._read(work, token)

    def columns(
        self,
        asked: Collection[Column[object]],
        keys: Sequence[int] | None = None,
        token: CancelToken | None = None,
    ) -> Columns:
        def work(reader: TableReader) -> Columns:
            wanted = None if keys is None else set(keys)
            rows = [row for row in self.survey(reader) if wanted is None or row.key in wanted]
            found = {
                column: {row.key: value(row) for row in rows}
                for column, value in _OF_ROWS.items()
                if column in asked
            }
            if columns.SOURCE in asked:
                found[columns.SOURCE] = {row.key: self.kind for row in rows}
            if not _OF_MESSAGES.keys().isdisjoint(asked):
                told = {row.key: self.told(reader, row.id) for row in rows}
                found |= {
                    column: {key: value(messages) for key, messages in told.items()}
                    for column, value in _OF_MESSAGES.items()
                    if column in asked
                }
            return Columns({column: _known(found.get(column, {})) for column in asked})

        return self._read(work, token)

    def keys_of(self, ids: Sequence[str], token: CancelToken | None = None) -> Mapping[str, int]:
        known, wanted = self.columns({columns.ID}, token=token)[columns.ID], set(ids)
        return {id_: key for key, id_ in known.items() if id_ in wanted}


_OF_ROWS: Mapping[Column[object], Callable[[SessionRow], object]] = {
    columns.ID: lambda row: row.id,
    columns.TITLE: lambda row: row.title or None,
    columns.MODEL: lambda row: row.model or None,
    columns.STARTED: lambda row: row.started_at,
}
_OF_MESSAGES: Mapping[Column[object], Callable[[Sequence[Message]], object]] = {
    columns.MESSAGES: len,
    columns.TOOLS: lambda messages: _tool_results(messages) or None,
    columns.BYTES: lambda messages: sum(len(one.text.encode()) for one in messages),
}


def _tool_results(messages: Sequence[Message]) -> int:
    return sum(one.role == "tool" for one in messages)


def _known(values: Mapping[int, object]) -> dict[int, object]:
    return {key: value for key, value in values.items() if value is not None}
