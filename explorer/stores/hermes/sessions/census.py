"""A census of a Hermes file: its sessions counted in SQL, without an object for each.

It comes to the same as `survey`, which makes a row of every session and takes twice as long.
Four walks: along the index of sources and along that of ids, which count; along the index of ids
with a look at the newest message of each session, from which only those without one and the newest
come back; and through the table, from which children and flagged sessions come back. The last two
take nearly all of the time, so they run at once, on two connections that see one state of the file.
How new is new is guessed from a few candidates; the caller checks that the census reaches far
enough.

Known one by one are the newest and the pinned, with the other parts of their conversations and with
their subagents. All others are only counted, by the class that a catalog would give them.

Nothing is assumed about what was counted before. A proof that a kept count still holds would have
to see every flag and every newest message again, which is what these walks do.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from functools import lru_cache
from math import inf, nextafter
from typing import Any, NamedTuple

from explorer.model import Hidden, Kind
from explorer.stores.catalog import NOISE, Catalog, Link, children, folded_class
from explorer.stores.census import Census
from explorer.stores.hermes.sessions.first_page import MARGIN, candidate_times
from explorer.stores.hermes.sessions.survey import (
    BRANCH,
    DELEGATE,
    FLAGS,
    ID_INDEX,
    NEWEST,
    ORPHANED,
    SOURCE_INDEX,
    TIES,
    Ties,
    chains,
    links,
    make_ties,
    mark_of,
    marks_in,
    newest_time,
)
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.read_only import Reader
from explorer.stores.sqlite.schema import batches, placeholders
from explorer.stores.sqlite.slices import numbered_rows

_ABOVE_ZERO = 5e-324
_NOTED = "last_activity_at"
_OF_PARENT = ("source", "ended_at", "end_reason", "session_key")
_TEXT = (str, type(None))
_END = 1 + len(TIES)
"""Where, in a row, the flags follow what links depend on; then comes the noted activity."""
_MARK = _END + len(FLAGS) + 1
"""Where the mark of a delegate is; then the parent follows."""


class Spoken(NamedTuple):
    """What a look at the newest message of each session found."""

    rows: dict[int, tuple[object, object, object]]
    """(newest, start, noted) of the sessions whose newest message is new or has no time."""
    sources: dict[int, str]
    silent: dict[int, str]
    """The sources of those without a message."""


class Helper(NamedTuple):
    """A subagent's session that no other session came of."""

    source: str
    parent_id: str


class Tied(NamedTuple):
    """What a walk through the table found."""

    sources: dict[int, str]
    flagged: dict[str, set[int]]
    noted: dict[int, float]
    """When the agent noted activity, where that is new."""
    helpers: dict[int, Helper]
    ties: dict[int, Ties]
    """Of the other children and delegates, and of their parents."""
    links: dict[int, Link]
    chains: list[tuple[int, ...]]


def census(reader: Reader, first: int, sources: Collection[str]) -> Census | None:
    """A census that is likely to tell the first so many rows of these sources, or of all; None
    where only a survey can tell."""
    since = _since(reader, first, sources)
    if reader.breathes or since is None:
        # Without a log, an agent would have to wait for each of the walks.
        return None
    (numbers, spoken), tied = reader.at_once(
        lambda: (_numbers(reader), _spoken(reader, since)), lambda other: _tied(other, since)
    )
    if numbers is None or tied is None:
        return None
    known = _known(reader, since, spoken, tied)
    others = _others(numbers, known, spoken, tied)
    if others is None:
        return None
    found = {key: tied.links[key] for key in known if key in tied.links}
    catalog = Catalog(
        keys=list(known),
        active=[_active(reader, key, spoken, tied) for key in known],
        sources=list(known.values()),
        links=found | _links_of_helpers(reader, known, tied),
        chains=[chain for chain in tied.chains if chain[-1] in known],
        empty=frozenset(known.keys() & spoken.silent.keys()),
        mark=mark_of(reader),
        archived=tied.flagged["archived"] & known.keys(),
        pinned=tied.flagged["pinned"],
        hidden=tied.flagged["hidden"] & known.keys(),
    )
    return Census(catalog, others, since)


def _since(reader: Reader, first: int, sources: Collection[str]) -> float | None:
    """A time after which more than so many rows were active; a guess, since some may be hidden."""
    times = candidate_times(reader, first + MARGIN, sources)
    newest = sorted(times.values(), reverse=True)[: 2 * first + MARGIN]
    return newest[-1] if newest and newest[-1] > 0.0 else None


def _numbers(reader: Reader) -> dict[str, int] | None:
    """How many sessions each source has; None where the indices do not come to one number."""
    hint, along = map(reader.schema.indexed_by, (SOURCE_INDEX, ID_INDEX))
    rows = reader.rows(f"SELECT s.source, count(*) FROM sessions s {hint} GROUP BY s.source")
    counted = sum(number for _, number in rows)
    # Not count(*): for that SQLite always uses the smallest index.
    if reader.value(f"SELECT total(1) FROM sessions s {along}") != counted:
        return None
    numbers: dict[str, int] = {}
    for source, number in rows:
        numbers[cells.words(source)] = numbers.get(cells.words(source), 0) + number
    return numbers


def _spoken(reader: Reader, since: float) -> Spoken:
    columns = f"{NEWEST}, s.started_at, {reader.schema.pick('sessions', 's', (_NOTED,))}"
    rows = reader.rows(
        f"SELECT s.rowid, s.source, {columns} FROM sessions s"
        f" {reader.schema.indexed_by(ID_INDEX)} WHERE coalesce({NEWEST} NOT BETWEEN ? AND ?, 1)",
        (_ABOVE_ZERO, nextafter(since, 0.0)),
    )
    told = {key: (newest, start, noted) for key, _, newest, start, noted in rows}
    sources = {row[0]: cells.words(row[1]) for row in rows}
    silent = {row[0]: sources.pop(row[0]) for row in rows if row[2] is None}
    return Spoken(told, sources, silent)


def _active(reader: Reader, key: int, spoken: Spoken, tied: Tied) -> float:
    """When a session was last active; of one that was not lately, nothing is known."""
    row = spoken.rows.get(key)
    told = _activity(reader, key, *row) if row else -inf
    return max(told, tied.noted.get(key, -inf))


def _activity(reader: Reader, key: int, newest: object, start: object, noted: object) -> float:
    """When a session was last active: at its newest message, when its agent noted that, or, where
    neither has a time, when it was started."""
    said = newest_time(reader, key, newest) or 0.0
    worked = cells.sane_seconds(noted) or 0.0
    return max(said, worked) or cells.seconds(start) or 0.0


def _tied(reader: Reader, since: float) -> Tied | None:
    """The one walk through the table; None where ids or links are not text."""
    schema = reader.schema
    flags = [f's."{name}"' for name in FLAGS if schema.has("sessions", name)]
    delegate = f"instr(s.model_config, '{DELEGATE}')"
    told = ["s.parent_session_id IS NOT NULL", delegate, *flags]
    if schema.has("sessions", _NOTED):
        told.append(f"s.{_NOTED} >= ?")
    rows = reader.rows(
        f"SELECT s.rowid, {schema.pick('sessions', 's', (*TIES, *FLAGS, _NOTED))}, {delegate},"
        f" p.rowid, {schema.pick('sessions', 'p', _OF_PARENT)} FROM sessions s NOT INDEXED"
        f" LEFT JOIN sessions p ON p.id = s.parent_session_id WHERE {' OR '.join(told)}",
        (since,) if len(told) > 2 + len(flags) else (),
    )
    if len(sources := {row[0]: cells.words(row[3]) for row in rows}) != len(rows):
        return None
    flagged = {
        column: {row[0] for row in rows if row[at] and cells.flag(row[at], default=False)}
        for at, column in enumerate(FLAGS, _END)
    }
    noted = {row[0]: cells.sane_seconds(row[_MARK - 1]) or 0.0 for row in rows if row[_MARK - 1]}
    new = {key: time for key, time in noted.items() if time >= since}
    family = [row for row in rows if row[2] is not None or row[_MARK]]
    if not all(type(row[1]) is str and type(row[2]) in _TEXT for row in family):
        return None
    parents = {row[2] for row in family}
    helpers = {
        row[0]: Helper(sources[row[0]], row[2])
        for row in family
        if row[_MARK] and row[1] not in parents and _only_helps(row[2], row[4])
    }
    ties = _ties([row for row in family if row[0] not in helpers])
    found = links(ties.values(), markers=schema.has("sessions", "archived"))
    conversations = chains(found, _with_forks(reader, ties, found))
    return Tied(sources, flagged, new, helpers, ties, found, conversations)


def _ties(rows: Sequence[tuple[Any, ...]]) -> dict[int, Ties]:
    """What the links of these rows depend on; of their parents too. Children come first, by their
    numbers: of links in a circle, the first is the one to break."""
    ties = {row[0]: make_ties(row[:_END], {}) for row in rows}
    for row in rows:
        if row[_MARK + 1] is not None and row[_MARK + 1] not in ties:
            ties[row[_MARK + 1]] = _parent(row[2], *row[_MARK + 1 :])
    return ties


def _parent(id_: str, key: int, source: object, end: object, reason: object, route: object) -> Ties:
    """A parent, with what the links of its children depend on."""
    ended, chat = cells.seconds(end), cells.text(route) or None
    return Ties(
        key, id_, None, cells.words(source), None, None, ended, cells.text(reason), 0.0, chat
    )


_SAMPLE = "SAMPLE"
"""Stands for an id: in no place of a JSON text does it mean more than these letters."""
_LONGEST_MARK = max(map(len, (BRANCH, DELEGATE)))


def _only_helps(parent_id: str | None, config: object) -> bool:
    """Whether the marks of a session alone say that it is a subagent's, whatever its parent is."""
    if not parent_id or parent_id == ORPHANED:
        return False
    plain = parent_id.replace("_", "").replace("-", "").isalnum() and len(parent_id) > _LONGEST_MARK
    if plain and type(config) is str and _SAMPLE not in config:
        # But for the id, most of them are alike: decoding each would take ten times as long.
        return _marks_help(_SAMPLE, config.replace(parent_id, _SAMPLE))
    return _marks_help(parent_id, config)


@lru_cache(maxsize=256)
def _marks_help(parent_id: str, config: object) -> bool:
    marks = marks_in(config)
    return marks.get(DELEGATE) == parent_id != marks.get(BRANCH)


def _with_forks(reader: Reader, ties: dict[int, Ties], linked: dict[int, Link]) -> dict[int, Ties]:
    """The same ties, with the last activity of sessions that continue the same one: that decides
    which of them is followed."""
    continued = children(linked, Kind.CONTINUATION).values()
    forked: Iterable[int] = (key for several in continued if len(several) > 1 for key in several)
    columns = f"{NEWEST}, s.started_at, {reader.schema.pick('sessions', 's', (_NOTED,))}"
    rows: list[Any] = numbered_rows(reader, columns, "sessions", forked)
    told = {key: ties[key]._replace(last_active=_activity(reader, key, *row)) for key, *row in rows}
    return {**ties, **told} if told else ties


def _known(reader: Reader, since: float, spoken: Spoken, tied: Tied) -> dict[int, str]:
    """The sources of the sessions that are known one by one. Those that a list may show come with
    the rest of their conversations and with their subagents, which their rows count."""
    new = spoken.sources | {key: tied.sources[key] for key in tied.noted}
    chain_of = {key: chain for chain in tied.chains for key in chain}
    # Without a message it is listed all the same where its source, a machine's, is asked for, or
    # where another part of its conversation has one.
    new |= {
        key: source
        for key, source in spoken.silent.items()
        if (source in NOISE or key in chain_of) and _active(reader, key, spoken, tied) >= since
    }
    listed = {part for key in new for part in chain_of.get(key, (key,))}
    ids = {row[1] for row in numbered_rows(reader, "s.id", "sessions", listed)}
    helped = {key: one.source for key, one in tied.helpers.items() if one.parent_id in ids}
    helped |= {
        key: tied.sources[key]
        for key, link in tied.links.items()
        if link.kind is Kind.SUBAGENT and link.parent in listed
    }
    pinned = {key: tied.sources[key] for key in tied.flagged["pinned"]}
    known = new | helped | pinned
    whole = {chain_of[key] for key in known if key in chain_of}
    return known | {key: tied.ties[key].source for chain in whole for key in chain}


def _links_of_helpers(reader: Reader, known: Iterable[int], tied: Tied) -> dict[int, Link]:
    helpers = {key: tied.helpers[key].parent_id for key in known if key in tied.helpers}
    parents = {
        id_: key
        for batch in batches(set(helpers.values()))
        for key, id_ in reader.rows(
            f"SELECT s.rowid, s.id FROM sessions s WHERE s.id IN ({placeholders(batch)})", batch
        )
    }
    return {key: Link(Kind.SUBAGENT, parents.get(id_)) for key, id_ in helpers.items()}


def _others(
    numbers: Mapping[str, int], known: Collection[int], spoken: Spoken, tied: Tied
) -> dict[tuple[str, Hidden | None], int] | None:
    """How many more sessions there are, by source and class; None where they do not add up."""
    subagents = {key for key, link in tied.links.items() if link.kind is Kind.SUBAGENT}
    sources = tied.sources | spoken.sources | spoken.silent
    sources |= {key: ties.source for key, ties in tied.ties.items()}
    left = Counter(numbers)
    left.subtract(Counter(map(sources.__getitem__, known)))
    # As a catalog does: what was done with a session counts before what it is.
    classes: Sequence[tuple[Hidden, Set[int]]] = (
        (Hidden.SUBAGENT, subagents | tied.helpers.keys()),
        (Hidden.ARCHIVED, tied.flagged["archived"]),
        (Hidden.HIDDEN, tied.flagged["hidden"]),
        (Hidden.EMPTY, spoken.silent.keys()),
    )

    def class_of(key: int) -> Hidden | None:
        reason = next((reason for reason, keys in classes if key in keys), None)
        return _class(reason, sources[key])

    found: Counter[tuple[str, Hidden | None]] = Counter()
    counted = set(known)
    for *parts, tip in (chain for chain in tied.chains if chain[-1] not in known):
        reason = folded_class(
            class_of(parts[0]),
            archived=tip in tied.flagged["archived"],
            hidden=tip in tied.flagged["hidden"],
            empty=spoken.silent.keys() >= {*parts, tip},
        )
        found[sources[tip], reason] += 1
        found.update((sources[part], Hidden.CONTINUATION) for part in parts)
        left.subtract(map(sources.__getitem__, (*parts, tip)))
        counted.update(parts, (tip,))
    for reason, keys in classes:
        fresh = keys - counted
        counted |= fresh
        for source, number in Counter(map(sources.__getitem__, fresh)).items():
            left[source] -= number
            found[source, _class(reason, source)] += number
    if any(number < 0 for number in left.values()):
        return None
    for source, number in left.items():
        found[source, NOISE.get(source)] += number
    return +found


def _class(reason: Hidden | None, source: str) -> Hidden | None:
    """What a session is hidden as: a subagent for what it is; others for their source first."""
    return reason if reason is Hidden.SUBAGENT else NOISE.get(source, reason)
