"""A search for scripts, which runs to its end: every hit, newest first, with the words around it.

It reads the file from the message written last to the first; the search tables would give the
first hits sooner, but not in this order, and not all of them. Hits are given as soon as none that
is newer can follow: at once where rows were written in the order of their times. Of hits that are
only counted, nothing more is read.
"""

import math
import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import tzinfo
from functools import partial
from typing import TypeVar

from explorer.cancel import CancelToken
from explorer.errors import NoFileYet
from explorer.model import Hidden, Hit, Message, MessageState
from explorer.render import veil
from explorer.search.engine import (
    Gathered,
    Request,
    denied,
    hides_nothing,
    left_out,
    newest_first,
    prepared,
    scan,
)
from explorer.search.language.fields import session_test
from explorer.search.language.query import parse
from explorer.search.matcher import Matcher
from explorer.stores.base import Candidate, OneStore, Store
from explorer.stores.catalog import Catalog
from explorer.stores.columns import CHAT, ID, OWNER, SOURCE, TITLE, Columns

T = TypeVar("T")

AT_ONCE = 200
"""Messages read together: enough to be quick, few enough to stream."""
CONTEXT_CHARS = 200
WIDTH = 160
"""Characters of an excerpt."""
LEAD = 40
"""Characters kept before the first match."""


def excerpt(text: str, at: int) -> str:
    """One line of text, in which this place is. Made in Python from the message itself: SQLite's
    own `snippet()` is quadratic in the number of matches and cannot be interrupted."""
    part, more = veil.around(text, at, LEAD, WIDTH * 2)
    line = ("…" if more else "") + " ".join(part.split())
    return line if len(line) <= WIDTH else line[:WIDTH] + "…"


def title_hits(request: Request, keys: Sequence[int], token: CancelToken) -> Iterator[Hit]:
    """Sessions, as hits in their titles."""
    store = request.store
    found = store.columns({ID, TITLE, SOURCE, OWNER, CHAT}, keys, token)
    for key in keys:
        if key in found[ID]:
            title = found[TITLE].get(key)
            home = store.home(key)[0]
            yield Hit(
                session_key=key,
                session_id=found[ID][key],
                message_id=None,
                title=title,
                source=found[SOURCE].get(key, ""),
                role="session",
                timestamp=None,
                field="title",
                state=MessageState.LIVE,
                snippet=title or "",
                marks=request.matcher.spans(title or ""),
                store=str(home.path),
                profile=home.profile,
                owner=found[OWNER].get(key) or home.profile,
                place=store.place(key),
                origin=_chat(found, key),
            )


def message_hits(request: Request, batch: Sequence[Candidate], token: CancelToken) -> Iterator[Hit]:
    """Messages, in the order they are given."""
    store = request.store
    by_session: dict[int, list[int]] = {}
    for match in batch:
        if match.session_key is not None:
            by_session.setdefault(match.session_key, []).append(match.message_id)
    columns = store.columns({TITLE, SOURCE, OWNER, CHAT}, list(by_session), token)
    body: dict[tuple[int | None, int | None], Message] = {}
    sides: dict[tuple[int | None, int], tuple[int | None, int | None]] = {}
    for key, ids in by_session.items():
        around = store.around(key, ids, request.rewound, token)
        wanted = {*ids, *(side for pair in around.values() for side in pair if side is not None)}
        body |= {(key, one.id): one for one in store.messages(key, sorted(wanted), token)}
        sides |= {(key, id_): pair for id_, pair in around.items()}
    # Messages whose session row is gone still can be read by the id they name.
    gone = {(one.store, one.session_id): one for one in batch if one.session_key is None}
    lost = {
        (*name, message.id): message
        for name, one in gone.items()
        if (home := store.origin(one).store) is not None
        for message in home.lost_messages(one.session_id, token)
    }
    for match in batch:
        own, id_ = match.session_key, match.message_id
        if own is None:
            message = lost.get((match.store, match.session_id, id_))
        else:
            message = body.get((own, id_))
        if message is None:
            continue
        hit = _hit(match, message, request.matcher, store.origin(match))
        if own is not None:
            beside = [body[own, one] for one in sides.get((own, id_), ()) if (own, one) in body]
            hit = hit._replace(
                title=columns[TITLE].get(own),
                source=columns[SOURCE].get(own, ""),
                owner=columns[OWNER].get(own) or hit.profile,
                origin=_chat(columns, own),
                context=tuple(
                    (one.role, " ".join(one.text[:CONTEXT_CHARS].split())) for one in beside
                ),
            )
        yield hit


def _message_hits(
    request: Request, found: Sequence[Candidate], token: CancelToken
) -> Iterator[Hit]:
    """The same of any number of messages, each file of a batch opened once."""

    def read(batch: Sequence[Candidate]) -> list[Hit]:
        return list(message_hits(request, batch, token))

    for start in range(0, len(found), AT_ONCE):
        batch = found[start : start + AT_ONCE]
        yield from request.store.together(partial(read, batch), token)


def _chat(columns: Columns, key: int) -> str:
    return columns[CHAT].get(key, "").partition("\n")[0]


def _hit(match: Candidate, message: Message, matcher: Matcher, home: OneStore) -> Hit:
    """A message by itself: as much as is known where its session row is gone."""
    where = matcher.where(message)
    text = where.text if where else message.text
    snippet = excerpt(text, where.at or 0 if where else 0)
    return Hit(
        session_key=match.session_key,
        session_id=match.session_id,
        message_id=match.message_id,
        title=None,
        source="",
        role=message.role,
        timestamp=message.timestamp,
        field=where.field if where else "content",
        state=message.state,
        snippet=snippet,
        marks=matcher.spans(snippet),
        store=str(home.path),
        profile=home.store.profile if home.store else None,
        place=home.name,
        file=message.file,
    )


class CompleteSearch:
    """One search; its figures are right when all hits have been taken."""

    def __init__(
        self,
        store: Store,
        catalog: Catalog,
        text: str,
        now: float,
        everything: bool = False,
        tz: tzinfo | None = None,
        pins: Callable[[], frozenset[int]] = frozenset,
    ) -> None:
        """`everything` gives hits of all classes, and of rewound messages; `pins` gives the pinned
        rows, if the text asks for them."""
        self._store = store
        self._catalog = catalog
        self._now = now
        self._everything = everything
        self._tz = tz
        self._pins = pins
        self.query = parse(text, now, tz)
        self.total = 0
        self.hidden: Counter[Hidden] = Counter()
        self.complete = False
        """Whether all that it asks for was searched."""

    def hits(self, token: CancelToken | None = None, most: int | None = None) -> Iterator[Hit]:
        """Sessions whose title matches, then messages; after the first `most`, the others are
        counted."""
        token = token or CancelToken()
        request = self._prepared(token)
        keys, self.hidden = request.listed(self._sessions(request, token))
        room = sys.maxsize if most is None else most
        for hit in self._given(keys, room, partial(title_hits, request, token=token)):
            room -= 1
            yield hit
        if self.query.asks_messages:
            gathered = Gathered(request)
            read = partial(_message_hits, request, token=token)
            for found in _by_time(gathered, token):
                for hit in self._given(found, room, read):
                    room -= 1
                    yield hit
            self.hidden.update(gathered.hidden)
        self.complete = not self._missed()

    def _missed(self) -> bool:
        """Whether a profile that the query asks for could not be searched."""
        return any(
            not isinstance(one.error, NoFileYet) and self.query.asks_for_profile(one.names)
            for one in self._store.troubles
        )

    def _given(
        self, found: Sequence[T], room: int, read: Callable[[Sequence[T]], Iterator[Hit]]
    ) -> Iterator[Hit]:
        """The hits of what was found, as many as there is room for; all are counted."""
        while found and room > 0:
            part, found = found[:room], found[room:]
            for hit in read(part):
                self.total += 1
                room -= 1
                yield hit
        self.total += len(found)

    def _prepared(self, token: CancelToken) -> Request:
        test = session_test(self.query, self._now, self._tz)
        return prepared(
            self._store,
            self._catalog,
            Matcher(self.query, self._now, self._tz),
            self._now,
            token,
            tz=self._tz,
            pins=self._pins() if test.needs_pins else frozenset(),
            hides=hides_nothing if self._everything else left_out(self._catalog),
            rewound=self._everything,
        )

    def _sessions(self, request: Request, token: CancelToken) -> list[int]:
        """Sessions by their titles; without words to find, all that hold no word that must not be
        there."""
        query = self.query
        if query.needs_text:
            return request.titled()
        if query.asks_messages or not (query.fields or query.clauses):
            return []
        out = denied(request, token)
        return [tip for tip, _ in self._catalog.rows() if tip not in out]


def _by_time(gathered: Gathered, token: CancelToken) -> Iterator[Sequence[Candidate]]:
    """All hits, the newest first, as soon as nothing newer can follow."""
    request = gathered.request
    newest_below = request.store.newest_below(token)
    held: list[Candidate] = []
    for stretch in scan(request, token):
        held += gathered.add(stretch.found)
        held.sort(key=newest_first)
        # None newer than this follows, and of equal times the later rows have come.
        bound = -math.inf if stretch.below is None else newest_below(stretch.below)
        due = bisect_right(held, -bound, key=lambda hit: -hit.at)
        yield held[:due]
        del held[:due]
