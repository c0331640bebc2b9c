"""Looking into one state file: every session of every class, every message, rewound ones too.

What is hidden, archived or folded is found as well as what is listed, and said to be so. The same
reads a snapshot of a state file.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from explorer.cancel import CancelToken
from explorer.model import Hidden, MessageState, Session
from explorer.search.engine import Request, hides_nothing, prepared, scan
from explorer.search.hits import message_hits
from explorer.stores.base import Candidate, Store
from explorer.stores.catalog import Catalog
from explorer.stores.columns import ID
from explorer.whereabouts.sightings import Place, Reason, Sighting
from explorer.whereabouts.wanted import EARLIER_TITLE, Shown, Wanted

MOST = 20
"""Sessions that are told of one place, the newest first; of more there is the number."""
LOST = 5
"""Sessions that are told of which only messages are left."""


class Finds(NamedTuple):
    """The conversations of a file that hold what is looked for."""

    by_id: dict[int, int]
    """The session whose id was typed, by conversation."""
    by_title: dict[int, int]
    by_words: dict[int, Candidate]
    """The newest message, by conversation."""
    by_earlier: dict[int, int]
    """The session that had a title with the words, by conversation."""
    counts: dict[int, int]
    lost: dict[str, Candidate]
    """Messages without a session, by the id they name."""

    def of(self, catalog: Catalog) -> Sequence[int]:
        """All conversations, the newest first."""
        return catalog.by_last_active(
            {**self.by_id, **self.by_title, **self.by_words, **self.by_earlier}
        )


class _Message(NamedTuple):
    """A message with the text."""

    where: Shown
    at: float | None
    rewound: bool


class FileSearch:
    """One search in one state file."""

    def __init__(
        self,
        store: Store,
        wanted: Wanted,
        now: float,
        token: CancelToken,
        earlier: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """`earlier` are titles with the words that sessions had before, by id."""
        self._store = store
        self._earlier = earlier
        self._wanted = wanted
        self._now = now
        self._token = token
        self.catalog = store.catalog(token)
        self._request: Request = prepared(
            store,
            self.catalog,
            wanted.matcher,
            now,
            token,
            hides=hides_nothing,
            rewound=True,
        )
        # Files are looked into by themselves, with more of them than sessions have.
        self._request = self._request._replace(files=False)
        self.finds = self._looked()

    def _looked(self) -> Finds:
        catalog = self.catalog
        by_id: dict[int, int] = {}
        typed = self._wanted.ids_typed
        starting = {
            key for id_ in typed for key in self._store.keys_starting(id_, self._token).keys
        }
        ids = self._ids([key for key in starting if catalog.has(key)])
        for key, id_ in ids.items():
            if self._wanted.is_id(id_):
                by_id[catalog.tip(key)] = key
        by_title = {catalog.tip(key): key for key in self._request.titled()}
        former = self._store.keys_of(list(self._earlier), self._token) if self._earlier else {}
        by_earlier = {catalog.tip(key): key for key in former.values() if catalog.has(key)}
        finds = Finds(by_id, by_title, {}, by_earlier, {}, {})
        for stretch in scan(self._request, self._token):
            for hit in stretch.found:
                self._add(finds, hit)
        return finds

    def _add(self, finds: Finds, hit: Candidate) -> None:
        key = hit.session_key
        if key is None or not self.catalog.has(key):
            if len(finds.lost) < LOST or hit.session_id in finds.lost:
                finds.lost.setdefault(hit.session_id, hit)
            return
        tip = self.catalog.tip(key)
        finds.counts[tip] = finds.counts.get(tip, 0) + 1
        before = finds.by_words.get(tip)
        if before is None or hit.at > before.at:
            finds.by_words[tip] = hit

    def _ids(self, keys: Sequence[int]) -> dict[int, str]:
        return dict(self._store.columns({ID}, keys, self._token)[ID]) if keys else {}

    def tips(self, known: Collection[str] = ()) -> list[int]:
        """The conversations that were found, the newest first, without those of which the session
        that is meant is `known`."""
        finds, every = self.finds, self.finds.of(self.catalog)
        meant = {tip: _part(finds, tip, finds.by_words.get(tip)) for tip in every}
        ids = self._ids(list(meant.values())) if known else {}
        return [tip for tip in every if ids.get(meant[tip]) not in known]

    def ids(self) -> frozenset[str]:
        """The ids of all parts of all conversations that were found."""
        parts = [part for tip in self.finds.of(self.catalog) for part in self.catalog.chain(tip)]
        return frozenset(self._ids(parts).values()) | frozenset(self.finds.lost)

    def sightings(
        self, place: Place, extra: Sequence[str], tips: Sequence[int]
    ) -> Iterator[Sighting]:
        """These conversations, with `extra` reasons before their own."""
        finds, catalog = self.finds, self.catalog
        hits = {tip: finds.by_words[tip] for tip in tips if tip in finds.by_words}
        shown = self._shown(hits)
        if live := self._live([tip for tip, one in shown.items() if one.rewound]):
            hits |= live
            shown |= self._shown(live)
        keys = {tip: _part(finds, tip, hits.get(tip)) for tip in tips}
        units = [catalog.single(key) for key in {*keys.values(), *tips}]
        rows = {row.key: row for row in self._store.sessions(units, self._now, self._token)}
        for tip in tips:
            row = rows.get(keys[tip])
            if row is not None:
                yield self._sighting(place, extra, tip, row, rows.get(tip), shown.get(tip))
        for id_, hit in finds.lost.items():
            found = self._shown({0: hit}).get(0)
            if found is not None:
                reasons = (*extra, Reason.NO_SESSION)
                yield Sighting(
                    place, id_, None, "", found.at, "", reasons, *found.where, messages=1
                )

    def _live(self, tips: Sequence[int]) -> dict[int, Candidate]:
        """The newest message that was not rewound, of those of these conversations that have one
        with the words."""
        several = {tip for tip in tips if self.finds.counts.get(tip, 0) > 1}
        found: dict[int, Candidate] = {}
        if not several:
            return found

        def is_asked(hit: Candidate) -> bool:
            key = hit.session_key
            return key is not None and self.catalog.has(key) and self.catalog.tip(key) in several

        for stretch in scan(self._request._replace(rewound=False), self._token, is_asked):
            for hit in stretch.found:
                tip = self.catalog.tip(hit.session_key) if hit.session_key is not None else 0
                if tip not in found or hit.at > found[tip].at:
                    found[tip] = hit
        return found

    def _sighting(
        self,
        place: Place,
        extra: Sequence[str],
        tip: int,
        row: Session,
        whole: Session | None,
        shown: "_Message | None",
    ) -> Sighting:
        finds, chain = self.finds, self.catalog.chain(tip)
        where = None if shown is None else shown.where
        if tip in finds.by_id:
            where = Shown("id", row.id, ())
        elif tip in finds.by_title and row.title:
            where = self._wanted.shown("title", row.title)
        reasons = [*extra, *self._reasons(tip, row)]
        if where is None and row.id in self._earlier:
            where = self._wanted.shown(EARLIER_TITLE, self._earlier[row.id])
            reasons.append(Reason.RENAMED)
        in_talk = tip not in finds.by_id and tip not in finds.by_title
        if in_talk and shown is not None and shown.rewound:
            reasons.append(Reason.REWOUND)
        named = whole or row
        return Sighting(
            place,
            row.id,
            row.title or named.title,
            row.preview or named.preview,
            row.last_active,
            row.source,
            tuple(reasons),
            *(where or Shown("content", "", ())),
            messages=finds.counts.get(tip, 0),
            key=row.key,
            part=(chain.index(row.key) + 1, len(chain)),
            names_profile=None if row.owner == row.profile else row.owner,
        )

    def _reasons(self, tip: int, row: Session) -> Iterator[str]:
        hidden = self.catalog.hidden_as(tip)
        if hidden is not None and hidden is not Hidden.CONTINUATION:
            yield hidden.value
        if row.archived and hidden is not Hidden.ARCHIVED:
            yield Hidden.ARCHIVED.value
        if row.key != tip:
            yield Reason.FOLDED

    def _shown(self, hits: dict[int, Candidate]) -> "dict[int, _Message]":
        """What is shown of these messages."""
        names = {(hit.session_id, hit.message_id): tip for tip, hit in hits.items()}
        return {
            names[hit.session_id, hit.message_id]: _Message(
                Shown(hit.field, hit.snippet, hit.marks),
                hit.timestamp,
                hit.state is MessageState.REWOUND,
            )
            for hit in message_hits(self._request, list(hits.values()), self._token)
            if hit.message_id is not None and (hit.session_id, hit.message_id) in names
        }


def _part(finds: Finds, tip: int, hit: Candidate | None) -> int:
    """The session of a conversation that is meant: by its id, its title, the message, or a title
    that it had before."""
    named = finds.by_id.get(tip, finds.by_title.get(tip))
    if named is not None:
        return named
    if hit is not None and hit.session_key is not None:
        return hit.session_key
    return finds.by_earlier.get(tip, tip)
