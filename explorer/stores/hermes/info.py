"""What `info` says of a Hermes file, in figures that cost an index scan at most: what it holds, and
what its search tables cover, leave out, and how they are.
"""

from collections.abc import Iterator, Sequence

from explorer.model import SearchModes
from explorer.stores.base import Figures
from explorer.stores.hermes.search.layout import (
    CJK,
    OPTIMIZE,
    REBUILD,
    REBUILT,
    TRIGRAMS,
    WORDS,
    Layout,
    Statements,
    distrust,
    is_on,
    layout,
    notes,
)
from explorer.stores.hermes.sessions.survey import indices_agree
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.read_only import Reader
from explorer.stores.sqlite.schema import Schema
from explorer.stores.sqlite.slices import Pace


def figures(reader: Reader) -> Figures:
    version = None
    if reader.schema.has("schema_version", "version"):
        # A file may hold several rows; the greatest is the one its last migration wrote.
        version = reader.value("SELECT max(version) FROM schema_version")
    return Figures(
        sessions=reader.value("SELECT count(*) FROM sessions"),
        messages=reader.value("SELECT count(*) FROM messages"),
        orphans=_orphans(reader),
        schema_version=cells.integer(version),
        search=modes(reader),
        sound=indices_agree(reader),
    )


_LEAP = (
    "WITH RECURSIVE leap(id) AS (SELECT m.session_id FROM messages m WHERE m.id = ? UNION ALL"
    " SELECT (SELECT min(m.session_id) FROM messages m WHERE m.session_id > leap.id)"
    " FROM leap WHERE leap.id IS NOT NULL LIMIT ?)"
)
"""From id to id through the index: it visits each session once, not each message."""
_LOST = (
    "CASE WHEN EXISTS (SELECT 1 FROM sessions s WHERE s.id = leap.id) THEN 0"
    " ELSE (SELECT count(*) FROM messages m WHERE m.session_id = leap.id) END"
)


def _orphans(reader: Reader) -> int:
    """Messages whose session row is gone. An id need not be valid text, so where the next slice
    begins is told by a message."""
    pace, orphans = Pace(), 0
    at = reader.value("SELECT m.id FROM messages m ORDER BY m.session_id LIMIT 1")
    if not reader.breathes:
        return int(reader.value(f"{_LEAP} SELECT total({_LOST}) FROM leap", (at, -1)))
    a_message = "(SELECT m.id FROM messages m WHERE m.session_id = leap.id LIMIT 1)"
    while at is not None:
        pace.begin()
        leaps = reader.rows(f"{_LEAP} SELECT {a_message}, {_LOST} FROM leap", (at, pace.rows + 1))
        more = len(leaps) > pace.rows
        orphans += sum(number for _, number in (leaps[:-1] if more else leaps))
        at = leaps[-1][0] if more else None
        pace.end()
    return orphans


_NAMES = {WORDS: "fts", TRIGRAMS: "trigram"}
_COLUMNS = {
    "tool_name": "tool names",
    "tool_calls": "tool calls",
    "reasoning": "reasoning",
    "reasoning_content": "reasoning",
    "reasoning_details": "reasoning",
    "codex_reasoning_items": "reasoning",
    "codex_message_items": "Codex items",
}
"""Columns that a search looks at and a table may not hold, in words."""
_SHRINK = "`hermes sessions optimize-storage` would make the search tables smaller"


def modes(reader: Reader) -> SearchModes:
    """The search tables of a file."""
    schema = reader.schema
    made_of = _statements(reader)
    found = {table: layout(table, made_of) for table in _NAMES if table in schema.virtual}
    return SearchModes(
        fts=WORDS in schema.virtual,
        trigram=TRIGRAMS in schema.virtual,
        cjk=CJK in schema.virtual,
        covers=found[WORDS].covers if WORDS in found else (),
        trigram_covers=found[TRIGRAMS].covers if TRIGRAMS in found else (),
        leaves_out={
            _NAMES[table]: tuple(dict.fromkeys((*one.leaves_out, *_columns_left_out(schema, one))))
            for table, one in found.items()
        },
        trouble=_trouble(reader, list(found)),
        notes=(_SHRINK,) if is_on(notes(reader, OPTIMIZE).get(OPTIMIZE)) else (),
    )


def _statements(reader: Reader) -> Statements:
    sql = "SELECT type, name, sql FROM sqlite_master WHERE type IN ('view', 'trigger')"
    rows = [
        (kind, cells.words(name).lower(), cells.words(made))
        for kind, name, made in reader.rows(sql)
    ]
    return Statements(
        reader.schema.virtual,
        {name: made for kind, name, made in rows if kind == "view"},
        [made for kind, _, made in rows if kind == "trigger"],
    )


def _columns_left_out(schema: Schema, one: Layout) -> Iterator[str]:
    for column, words in _COLUMNS.items():
        if column not in one.covers and schema.has("messages", column):
            yield words


def _trouble(reader: Reader, tables: Sequence[str]) -> tuple[str, ...]:
    """Why a table that is there is not asked, and how much one lacks that is being filled."""
    told = dict.fromkeys(why for table in tables if (why := distrust(reader, table)))
    if REBUILT not in told:
        return tuple(told)
    noted = notes(reader, *REBUILD)
    filled, goal = (cells.integer(noted.get(key)) or 0 for key in REBUILD)
    missing = "SELECT count(*) FROM messages m WHERE m.id > ? AND m.id <= ?"
    number = reader.value(missing, (filled, goal))
    return tuple(f"{why}, {number:,} messages to go" if why == REBUILT else why for why in told)
