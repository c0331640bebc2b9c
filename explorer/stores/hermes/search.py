"""Candidates for a search in a Hermes file: from its search tables at once, then by a scan.

The tables are the fast way, not the meaning: the word table knows beginnings of words, the
trigram table three characters and more, neither knows reasoning, and newer agents cut long rows
or leave them out. So they give the first hits, by row, and the scan gives all. Only the
newest hits are ranked, on request: ranking all that hold a common word takes a second.
"""

import math
import sqlite3
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any, NamedTuple, TypeVar
from unicodedata import normalize

from explorer.stores.base import Candidate, Group, Indexed, Needles, Stretch
from explorer.stores.hermes.messages import SEARCHED, each_once, only_seen
from explorer.stores.hermes.state_meta import is_on, notes
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.certainty import certainty_of
from explorer.stores.sqlite.failures import error_name
from explorer.stores.sqlite.read_only import Reader
from explorer.stores.sqlite.schema import Schema, quoted
from explorer.stores.sqlite.slices import HIGHEST, LOWEST, Pace
from explorer.stores.sqlite.spelling import may_hold
from explorer.stores.sqlite.statements import split, tokens

T = TypeVar("T")

WORDS, TRIGRAMS, CJK = "messages_fts", "messages_fts_trigram", "messages_fts_cjk"

STALE = "fts_stale"
REBUILD = ("fts_rebuild_progress", "fts_rebuild_high_water")
OPTIMIZE = "fts_optimize_available"
"""What newer agents note about their search tables."""
BROKEN = "the search table is broken"
REBUILT = "the search table is being rebuilt"

STRETCH = 4000
"""Ids scanned in one read: a read that took its time would lock out an agent without a
write-ahead log."""
BLOCK = 12
"""Of how many ids the newest time is known together: two to the power of this."""
_TRIGRAM = 3


def indexed(reader: Reader, needles: Needles, limit: int, below: object = None) -> Indexed:
    """The candidates written last that a table knows, or those below a message; nothing where no
    table can tell. By row: a search table has no times, and reading those of all hits of a common
    word would take a second."""
    highest = below if isinstance(below, int) else HIGHEST
    certainty = certainty_of(needles.sure)

    def look(table: str, query: str) -> list[Candidate]:
        rows = reader.rows(
            f"SELECT m.id, s.rowid, m.session_id, {certainty.sql}, m.timestamp FROM {table} f"
            " CROSS JOIN messages m ON m.id = f.rowid LEFT JOIN sessions s ON s.id = m.session_id"
            f" WHERE {table} MATCH ? AND f.rowid < ?{live(reader.schema, needles.rewound)}"
            " ORDER BY f.rowid DESC LIMIT ?",
            (*certainty.values, query, highest, limit),
        )
        return _candidates(rows, certainty.of)

    table, found, trouble = _asked(reader, needles, look)
    # A table that holds no copy of the text may leave out messages: every result of a tool, say.
    if (
        table == TRIGRAMS
        and len(found or ()) < limit
        and declared(reader.schema.virtual[table]).source
    ):
        more = _asked(reader, needles, look, (WORDS,))[1] or ()
        every = {one.message_id: one for one in (*(found or ()), *more)}
        found = sorted(every.values(), key=lambda one: -one.message_id)[:limit]
    given: Sequence[Candidate] = found or ()
    last = given[-1].message_id if len(given) == limit else None
    return Indexed(table, given, trouble, last)


def ranked(reader: Reader, needles: Needles, most: int) -> dict[int, float]:
    """How well the newest messages match that a table knows. Of 2,000 that takes 12 ms; of all
    that hold a common word, a second."""

    def look(table: str, query: str) -> dict[int, float]:
        return dict(
            reader.rows(
                f"SELECT rowid, bm25({table}) FROM {table} WHERE {table} MATCH ?"
                " ORDER BY rowid DESC LIMIT ?",
                (query, most),
            )
        )

    return _asked(reader, needles, look)[1] or {}


def _asked(
    reader: Reader,
    needles: Needles,
    look: Callable[[str, str], T],
    tables: Sequence[str] = (TRIGRAMS, WORDS),
) -> tuple[str, T | None, str]:
    """(the first table that can answer, what `look` finds in it, why no table did that could)."""
    trouble = ""
    for table in tables:
        query = _query(table, needles.groups)
        # Early files have no trigrams: nothing is wrong with them.
        if not query or (table == TRIGRAMS and table not in reader.schema.virtual):
            continue
        trouble = distrust(reader, table)
        if trouble:
            continue
        try:
            return table, look(table, query), ""
        except sqlite3.DatabaseError as error:
            # A table that is broken, or made by a tokenizer that is not here; nothing else.
            if not error_name(error).startswith(("SQLITE_ERROR", "SQLITE_CORRUPT")):
                raise
            trouble = BROKEN
    return "", None, trouble


@lru_cache(maxsize=16)
def _query(table: str, groups: tuple[Group, ...]) -> str:
    """What a table is asked for these; empty where it knows none of them. The same for each of
    several files."""
    usable = _has_three if table == TRIGRAMS else _has_a_word
    both = [_either_way(group) for group in groups]
    grow = "" if table == TRIGRAMS else "*"
    return " AND ".join(
        "(" + " OR ".join(quoted(text) + grow for text in group) + ")"
        for group in both
        if all(map(usable, group))
    )


def scanned(reader: Reader, needles: Needles, below: object) -> Stretch:
    """The candidates among the newest messages below an id."""
    newest = reader.value("SELECT max(id) FROM messages")
    top = newest
    if below is not None:
        top = reader.value("SELECT max(id) FROM messages WHERE id < ?", (below,))
    if top is None:
        return Stretch((), None, 1.0)
    lowest = max(top - STRETCH + 1, LOWEST)
    columns = [f'm."{name}"' for name in SEARCHED if reader.schema.has("messages", name)]
    present, values = may_hold(columns, needles.groups)
    certainty = certainty_of(needles.sure)
    sql = (
        f"SELECT m.id, s.rowid, m.session_id, {certainty.sql}, m.timestamp FROM messages m"
        " LEFT JOIN sessions s ON s.id = m.session_id"
        f" WHERE m.id >= ? AND m.id <= ? AND {present}{live(reader.schema, needles.rewound)}"
        " ORDER BY m.id DESC"
    )
    rows: list[Any] = []
    for low, high in _slices(reader, lowest, top):
        rows += reader.rows(sql, (*certainty.values, low, high, *values))
    done = 1.0 - max(lowest - 1, 0) / newest if newest and newest > 0 else 1.0
    return Stretch(_candidates(rows, certainty.of), lowest, done)


def newest_below(reader: Reader) -> Callable[[object], float]:
    """Says that no message below an id is newer than a time; one walk through the index on
    sessions and times, a third of a second for a million messages. Where rows were written in the
    order of their times, that is about the time of the message itself."""
    if reader.breathes:
        # Such a walk would lock out an agent without a log.
        return lambda below: math.inf
    rows = reader.rows(
        f"SELECT m.id >> {BLOCK}, max(m.timestamp) FROM messages m GROUP BY 1 ORDER BY 1"
    )
    # A text is greater than any number: where one is among them, nothing is known of the others.
    times = (0.0 if time is None else time for _, time in rows)
    known = (time if isinstance(time, int | float) else math.inf for time in times)
    blocks, newest = [block for block, _ in rows], list(accumulate(known, max))

    def below(mark: object) -> float:
        if not isinstance(mark, int):
            return math.inf
        at = bisect_right(blocks, (mark - 1) >> BLOCK)
        return newest[at - 1] if at else -math.inf

    return below


def _slices(reader: Reader, lowest: int, top: int) -> Iterator[tuple[int, int]]:
    """A stretch, from its end: in one go, or in as many as let an agent without a log commit."""
    pace = Pace()
    while top >= lowest:
        low = max(top - pace.rows + 1, lowest) if reader.breathes else lowest
        yield low, top
        pace.end()
        top = low - 1


def live(schema: Schema, rewound: bool) -> str:
    """The condition that leaves out what was rewound, what is for the model alone, and all but
    one of several copies."""
    if rewound:
        return ""
    shown = f"{only_seen(schema)}{each_once(schema)}"
    if not schema.has("messages", "active"):
        return shown
    compacted = ' OR m."compacted" = 1' if schema.has("messages", "compacted") else ""
    return f' AND (coalesce(m."active", 1) != 0{compacted}){shown}'


def _candidates(rows: Iterable[Any], certain: Callable[[object], bool]) -> list[Candidate]:
    return [
        Candidate(
            id_, cells.integer(key), cells.words(name), certain(told), cells.seconds(time) or 0.0
        )
        for id_, key, name, told, time in rows
    ]


def _either_way(group: Group) -> Group:
    """These texts with letters as one sign and as several: trigrams are of the signs as they are
    stored, and the tokens of words lose the accents of some letters and not of others."""
    ways = ((text, normalize("NFC", text), normalize("NFD", text)) for text in group)
    return tuple(dict.fromkeys(way for three in ways for way in three))


def _has_three(text: str) -> bool:
    return len(text) >= _TRIGRAM and "\0" not in text


def _has_a_word(text: str) -> bool:
    return any(char.isalnum() for char in text)


class Declared(NamedTuple):
    """The arguments with which a search table was made."""

    columns: tuple[str, ...]
    source: str
    """The table or view that holds the text; empty where the search table does so itself."""


def declared(sql: str) -> Declared:
    """What was said when a search table was made."""
    found = list(tokens(sql))
    using = next((at for at, token in enumerate(found) if token.says("using")), len(found))
    columns: list[str] = []
    source = ""
    for argument in split(found[using + 3 : -1], ","):
        if len(argument) > 1 and argument[1].says("="):
            if argument[0].text == "content" and len(argument) > 2:
                source = argument[2].text.strip("'").lower()
        elif argument and not any(token.says("unindexed") for token in argument[1:]):
            columns.append(argument[0].text)
    return Declared(tuple(columns), source)


def distrust(reader: Reader, table: str) -> str:
    """Why a search table may not know every message, in words; empty where it does. The agent may
    have run without its triggers, have given it up, or be in the middle of rebuilding it."""
    schema = reader.schema
    if table not in schema.virtual:
        return "this file has no search table"
    if table not in schema.fed:
        return "the search table is not kept up to date"
    noted = notes(reader, STALE, *REBUILD)
    if is_on(noted.get(STALE)):
        return "the search table is out of date"
    filled, goal = (cells.number(noted.get(key)) or 0.0 for key in REBUILD)
    return "" if filled >= goal else REBUILT
