"""A search for scripts, which runs to its end: every hit, newest first, with the words around it.

It reads the file from its newest message to its oldest; the search tables would give the first
hits sooner, but not in this order, and not all of them.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import tzinfo
from typing import NamedTuple

from explorer.cancel import CancelToken
from explorer.model import Hidden, Hit, Message, MessageState
from explorer.search.engine import Gathered, scan
from explorer.search.exclusions import denied
from explorer.search.language.query import parse
from explorer.search.matcher import Matcher
from explorer.search.request import Request, hides_nothing, left_out, prepared
from explorer.stores.base import Candidate, Store
from explorer.stores.catalog import Catalog
from explorer.stores.columns import ID, SOURCE, TITLE

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
    start = max(at - LEAD, 0)
    line = ("…" if start else "") + " ".join(text[start : start + WIDTH * 2].split())
    return line if len(line) <= WIDTH else line[:WIDTH] + "…"


def title_hits(request: Request, keys: Sequence[int], token: CancelToken) -> Iterator[Hit]:
    """Sessions, as hits in their titles."""
    found = request.store.columns({ID, TITLE, SOURCE}, keys, token)
    for key in keys:
        if key in found[ID]:
            title = found[TITLE].get(key)
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
            )


class _Texts(NamedTuple):
    """The messages that one batch of hits needs, with their neighbours."""

    body: dict[tuple[int, int], Message]
    sides: dict[tuple[int, int], tuple[int | None, int | None]]


def message_hits(
    request: Request, matches: Sequence[Candidate], token: CancelToken
) -> Iterator[Hit]:
    """Messages, in the order they are given."""
    for start in range(0, len(matches), AT_ONCE):
        yield from _batch(request, matches[start : start + AT_ONCE], token)


def _batch(request: Request, batch: Sequence[Candidate], token: CancelToken) -> Iterator[Hit]:
    store = request.store
    by_session: dict[int, list[int]] = {}
    for match in batch:
        if match.session_key is not None:
            by_session.setdefault(match.session_key, []).append(match.message_id)
    columns = store.columns({TITLE, SOURCE}, list(by_session), token)
    titles, sources = columns[TITLE], columns[SOURCE]
    texts = _read(store, by_session, request.rewound, token)
    lost = _lost(store, {match.session_id for match in batch if match.session_key is None}, token)
    for match in batch:
        key, title, source = match.session_key, None, ""
        if key is None:
            message = lost.get((match.session_id, match.message_id))
        else:
            message = texts.body.get((key, match.message_id))
            title, source = titles.get(key), sources.get(key, "")
        if message is not None:
            yield _hit(match, message, texts, request.matcher, title=title, source=source)


def _lost(store: Store, ids: Iterable[str], token: CancelToken) -> dict[tuple[str, int], Message]:
    """Messages whose session row is gone still can be read by the id they name."""
    return {(id_, found.id): found for id_ in ids for found in store.lost_messages(id_, token)}


def _read(
    store: Store, by_session: dict[int, list[int]], rewound: bool, token: CancelToken
) -> _Texts:
    texts = _Texts({}, {})
    for key, ids in by_session.items():
        sides = store.around(key, ids, rewound, token)
        wanted = {*ids, *(side for pair in sides.values() for side in pair if side is not None)}
        for message in store.messages(key, sorted(wanted), token):
            texts.body[key, message.id] = message
        texts.sides.update({(key, id_): pair for id_, pair in sides.items()})
    return texts


def _hit(
    match: Candidate,
    message: Message,
    texts: _Texts,
    matcher: Matcher,
    title: str | None,
    source: str,
) -> Hit:
    where = matcher.where(message)
    text = where.text if where else message.text
    snippet = excerpt(text, where.at or 0 if where else 0)
    context = []
    if match.session_key is not None:
        for side in texts.sides.get((match.session_key, match.message_id), ()):
            beside = texts.body.get((match.session_key, side)) if side is not None else None
            if beside is not None:
                context.append((beside.role, " ".join(beside.text[:CONTEXT_CHARS].split())))
    return Hit(
        session_key=match.session_key,
        session_id=match.session_id,
        message_id=match.message_id,
        title=title,
        source=source,
        role=message.role,
        timestamp=message.timestamp,
        field=where.field if where else "content",
        state=message.state,
        snippet=snippet,
        marks=matcher.spans(snippet),
        context=tuple(context),
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
    ) -> None:
        """`everything` gives hits of all classes, and of messages that were taken back."""
        self._store = store
        self._catalog = catalog
        self._now = now
        self._everything = everything
        self._tz = tz
        self.query = parse(text, now, tz)
        self.total = 0
        self.hidden: dict[Hidden, int] = {}
        self.complete = False

    def hits(self, token: CancelToken | None = None) -> Iterator[Hit]:
        """Sessions whose title matches, then messages."""
        for hit in self._found(token or CancelToken()):
            self.total += 1
            yield hit
        self.complete = True

    def _found(self, token: CancelToken) -> Iterator[Hit]:
        request = prepared(
            self._store,
            self._catalog,
            Matcher(self.query, self._now, self._tz),
            self._now,
            token,
            tz=self._tz,
            hides=hides_nothing if self._everything else left_out(self._catalog),
            rewound=self._everything,
        )
        keys, self.hidden = request.listed(self._sessions(request, token))
        yield from title_hits(request, keys, token)
        if self.query.asks_messages:
            gathered = Gathered(request)
            for stretch in scan(request, token):
                yield from message_hits(request, gathered.add(stretch.found), token)
            for reason, number in gathered.hidden.items():
                self.hidden[reason] = self.hidden.get(reason, 0) + number

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
