"""Which conversations a prune removes, and why it keeps others that match its rules.

Age is the time since the last activity, not since the start. Conversations are kept or removed as
a whole. Running, open, pinned, archived and the newest ones are kept, and counted by reason:
nothing is skipped silently.

A conversation with a message that the query excludes, with NOT or a dash, is kept.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime, tzinfo
from typing import NamedTuple

from explorer.cancel import CancelToken
from explorer.errors import UsageError
from explorer.model import Hidden, Kind, State
from explorer.search.engine import Request, denied_words, holders, prepared
from explorer.search.filters import all_of
from explorer.search.language.fields import QUERIED, session_test
from explorer.search.language.query import Query, parse, pieces
from explorer.search.language.vocabulary import MESSAGE_FIELDS, PROFILE_FIELD
from explorer.search.matcher import NO_TITLES, Matcher
from explorer.search.words import unclear_exclusion, unfinished_rule
from explorer.stores.base import Store
from explorer.stores.catalog import Catalog
from explorer.stores.columns import MESSAGES, OWNER, Columns
from explorer.stores.resolve import pinned_rows

DAY = 86_400.0
RUNNING = "running"
OPEN = "open, never ended"
PINNED = "pinned"
ARCHIVED = "archived"
NEWEST = "among the newest to keep"
KEPT = "kept by you"
ELSEWHERE = "in other tables of the file: prune again for them"
"""A file may hold the sessions of two versions of an agent; a change is about one of them."""


class Rules(NamedTuple):
    """Which conversations are removed."""

    older: float | None = None
    """Seconds since the last activity."""
    sources: frozenset[str] = frozenset()
    """Only from one of these; from any when empty."""
    classes: frozenset[Hidden] = frozenset()
    """Only of one of these classes of sessions; of any when empty."""
    empty: bool = False
    """Only those without messages."""
    most: int | None = None
    """Messages at most."""
    keep: int = 0
    """How many of the newest are kept."""
    include_open: bool = False
    query: str = ""
    """In the language of the search bar."""
    only: frozenset[int] | None = None
    """Rows that were selected."""
    profiles: frozenset[str] = frozenset()
    """Only of these, by the file or by the owner; of several profiles of all when empty."""

    @property
    def say_nothing(self) -> bool:
        """Whether they match everything."""
        narrow = (self.older, self.most, self.only)
        named = self.sources or self.classes or self.empty or self.keep
        asked = not parse(self.query, 0.0).asks_nothing
        return all(one is None for one in narrow) and not named and not asked


PRESETS: Mapping[str, Rules] = {
    "Empty sessions": Rules(empty=True),
    "Cron sessions older than 7 days": Rules(older=7 * DAY, classes=frozenset({Hidden.CRON})),
    "Subagent sessions older than 30 days": Rules(
        older=30 * DAY, classes=frozenset({Hidden.SUBAGENT})
    ),
    "All sessions older than 90 days": Rules(older=90 * DAY),
}


def by_profile(rules: Rules, names: Iterable[str], now: float) -> Rules:
    """The same, with what the query asks of profiles with these `names` in the rule for them."""
    text, query = rules.query, parse(rules.query, now)
    asking = [one for one in pieces(text) if one.text == PROFILE_FIELD and one.kind == "field"]
    if rules.profiles or len(asking) != 1:
        return rules
    (piece,) = asking
    rest = " ".join((text[: piece.start] + text[piece.end :]).split())
    left, wanted = parse(rest, now), {value.casefold() for value in piece.values}
    others = tuple(one for one in query.fields if one.name != PROFILE_FIELD or one.negated)
    alone = len(others) < len(query.fields) and left.fields == others
    found = frozenset(name for name in names if name.casefold() in wanted)
    if not alone or left.clauses != query.clauses or {one.casefold() for one in found} != wanted:
        return rules
    return rules._replace(profiles=found, query=rest)


class Ground(NamedTuple):
    """What is known of a store, read once: choosing among it is instant."""

    store: Store
    catalog: Catalog
    columns: Columns
    pins: frozenset[int]
    """Rows that are pinned."""

    def profiles(self, tip: int) -> tuple[str, ...]:
        """The names of the profile whose file a conversation is in, and the one that it belongs
        to."""
        return self.store.profiles_at(tip, self.columns[OWNER].get(tip))

    def owners(self) -> list[str]:
        """The profiles that sessions say they belong to; some have no file."""
        return sorted({*self.columns[OWNER].values()} - {""})

    def messages(self, tip: int) -> int:
        """Of all parts of a conversation."""
        return sum(self.columns[MESSAGES].get(part, 0) for part in self.catalog.chain(tip))


class Chosen(NamedTuple):
    """What is removed, and what is kept."""

    rows: tuple[int, ...]
    """Conversations, the longest inactive first."""
    sessions: int
    """All parts of them."""
    messages: int
    skipped: Mapping[str, tuple[int, ...]]
    """Conversations that match the rules and are kept, by reason."""
    sources: Mapping[str, int]
    months: Mapping[str, int]
    """How many of each month, the oldest first."""
    profiles: Mapping[str, int] = {}
    """How many in the file of each of several profiles."""
    notes: tuple[str, ...] = ()
    """What was not understood of the query, in words."""

    @property
    def conversations(self) -> int:
        """How many of the rows are removed: the user may keep some of them."""
        return len(self.rows) - len(self.skipped.get(KEPT, ()))

    @property
    def counts(self) -> dict[str, int]:
        return {reason: len(rows) for reason, rows in self.skipped.items()}


def ground(
    store: Store, catalog: Catalog, pins: frozenset[str], token: CancelToken | None = None
) -> Ground:
    """Read what the rules ask about. What exists only in files is not for them."""
    catalog = catalog.without_files()
    pinned = pinned_rows(store, catalog, pins, token)
    return Ground(store, catalog, store.columns(QUERIED, token=token), pinned)


def holding(
    known: Ground, text: str, now: float, token: CancelToken, tz: tzinfo | None = None
) -> Callable[[int], bool] | None:
    """Says of a conversation whether a query fits it; None when nothing is asked. Where words are
    looked for, all messages are looked through.

    In the search bar `word NOT other` is about single messages. Here one message without the other
    word is not enough: a conversation that holds the other word must not be deleted."""
    query = parse(text, now, tz)
    if query.unfinished:
        raise UsageError(*unfinished_rule(query.unfinished))
    if query.asks_nothing:
        return None
    if (unclear := _unclear(query)) is not None:
        raise UsageError(*unclear_exclusion(unclear))
    request = prepared(
        known.store,
        known.catalog,
        Matcher(query, now, tz),
        now,
        token,
        tz=tz,
        known=known.columns,
        pins=known.pins,
    )
    fits = request.fits
    if query.asks_messages:
        # A match in the title says nothing about the messages that are deleted.
        found = holders(request._replace(titles=NO_TITLES), token)
        fits = all_of((found.__contains__, fits))
    denied = _denied(request, token)
    return lambda tip: tip not in denied and (fits is None or fits(tip))


def _unclear(query: Query) -> str | None:
    """An excluded field that was read as text: searched for as such, it would keep nothing."""
    denied = (term for clause in query.clauses if clause.negated for term in clause.any_of)
    return next((term.text for term in denied if term.is_like_a_field), None)


def _denied(request: Request, token: CancelToken) -> frozenset[int]:
    """Conversations with something that the query excludes, in any message: also in a rewound one,
    and in one of a subagent, which is deleted with them."""
    query, words = request.query, denied_words(request.query)
    # What must not be so of a message: its role, its tool, what it has.
    fields = [
        query._replace(clauses=(), fields=(field._replace(negated=False),))
        for field in query.fields
        if field.negated and field.name in MESSAGE_FIELDS
    ]
    every = request._replace(rewound=True)
    asked = [words, *fields] if words else fields
    found = (tip for one in asked for tip in holders(every.of(one), token))
    return _with_owners(request.catalog, found)


def _with_owners(catalog: Catalog, tips: Iterable[int]) -> frozenset[int]:
    """These conversations, and those whose subagents they are: a delete takes subagents along."""
    found: set[int] = set()
    waiting = list(tips)
    while waiting:
        tip = waiting.pop()
        if tip in found:
            continue
        found.add(tip)
        for part in catalog.chain(tip):
            parent = catalog.parent(part)
            if parent is not None and catalog.kind(part) is Kind.SUBAGENT and catalog.has(parent):
                waiting.append(catalog.tip(parent))
    return frozenset(found)


def choose(
    known: Ground,
    rules: Rules,
    fits: Callable[[int], bool] | None,
    now: float,
    tz: tzinfo | None = None,
) -> Chosen:
    """Apply the rules; `fits` is what `holding` said of their query."""
    catalog = known.catalog
    matching = [tip for tip, hidden in catalog.rows() if _fits(known, rules, tip, hidden)]
    if fits is not None:
        matching = [tip for tip in matching if fits(tip)]
    newest = catalog.by_last_active(matching)
    kept = frozenset(newest[: rules.keep])
    query = parse(rules.query, now, tz)
    named = Hidden.ARCHIVED in session_test(query, now, tz).classes
    archived = frozenset() if named or rules.only is not None else catalog.archived
    homes: dict[str, int] = {}
    rows: list[int] = []
    skipped: dict[str, list[int]] = {}
    for tip in reversed(newest):
        if rules.older is not None and now - catalog.last_active(tip) < rules.older:
            continue
        reason = _reason(known, rules, tip, kept, now)
        if not reason and tip in archived:
            reason = ARCHIVED
        if not reason:
            # In each of several state files, one set.
            own = known.store.set_of(tip)
            reason = ELSEWHERE if own != homes.setdefault(known.store.place(tip), own) else ""
        if reason:
            skipped.setdefault(reason, []).append(tip)
        else:
            rows.append(tip)
    months = Counter(_month(catalog.last_active(tip), tz) for tip in rows)
    return Chosen(
        rows=tuple(rows),
        sessions=sum(len(catalog.chain(tip)) for tip in rows),
        messages=sum(known.messages(tip) for tip in rows),
        skipped={reason: tuple(tips) for reason, tips in sorted(skipped.items())},
        sources=dict(Counter(catalog.source(tip) for tip in rows).most_common()),
        months=dict(sorted(months.items())),
        profiles=_commonest(Counter(map(known.store.place, rows))) if known.store.places else {},
        notes=query.notes,
    )


def without(
    known: Ground, chosen: Chosen, kept: Collection[int], tz: tzinfo | None = None
) -> Chosen:
    """The numbers without those of its rows that the user keeps: only these are gone through, since
    the rest may be 100,000."""
    if not kept:
        return chosen
    catalog = known.catalog
    sources = Counter(chosen.sources)
    sources.subtract(catalog.source(tip) for tip in kept)
    profiles = Counter(chosen.profiles)
    if profiles:
        profiles.subtract(map(known.store.place, kept))
    months = Counter(chosen.months)
    months.subtract(_month(catalog.last_active(tip), tz) for tip in kept)
    return chosen._replace(
        sessions=chosen.sessions - sum(len(catalog.chain(tip)) for tip in kept),
        messages=chosen.messages - sum(known.messages(tip) for tip in kept),
        skipped={**chosen.skipped, KEPT: tuple(sorted(kept))},
        sources={name: number for name, number in sources.most_common() if number},
        months={name: number for name, number in sorted(months.items()) if number},
        profiles=_commonest(profiles),
    )


def _commonest(numbers: Counter[str]) -> dict[str, int]:
    """The greatest first, and of equal ones by name."""
    order = sorted(numbers.items(), key=lambda one: (-one[1], one[0]))
    return {name: number for name, number in order if number}


def _fits(known: Ground, rules: Rules, tip: int, hidden: Hidden | None) -> bool:
    catalog = known.catalog
    if rules.only is not None and tip not in rules.only:
        return False
    if rules.profiles and rules.profiles.isdisjoint(known.profiles(tip)):
        return False
    if rules.sources and catalog.source(tip) not in rules.sources:
        return False
    if rules.classes and hidden not in rules.classes:
        return False
    if rules.empty and not catalog.empty.issuperset(catalog.chain(tip)):
        return False
    return rules.most is None or known.messages(tip) <= rules.most


def _reason(known: Ground, rules: Rules, tip: int, kept: frozenset[int], now: float) -> str:
    """Why a conversation that matches the rules is kept."""
    parts = known.catalog.chain(tip)
    state = known.catalog.state(parts, known.columns, now)
    if state is State.RUNNING:
        return RUNNING
    if not known.pins.isdisjoint(parts):
        return PINNED
    if tip in kept:
        return NEWEST
    # As its own store does: others may record no ends.
    left_open = state is State.OPEN and known.store.home(tip)[0].keeps_ends
    return OPEN if left_open and not rules.include_open else ""


def _month(time: float, tz: tzinfo | None) -> str:
    try:
        return datetime.fromtimestamp(time, tz).strftime("%Y-%m")
    except (ValueError, OverflowError, OSError):
        return "?"


def parts_of(catalog: Catalog, rows: Sequence[int]) -> list[int]:
    """All parts of these conversations."""
    return [part for tip in rows for part in catalog.chain(tip)]
