"""What `info` says about a Hermes file, in figures that cost an index scan at most: what it holds,
what its search tables cover and leave out, and whether they are up to date.

Layouts of the search tables changed from release to release, and a file keeps that of the release
that made it: a table holds its own copy of the text, or points at a table or a view, which may cut
long results and leave out whole sessions. That is read from the statements that made them; an
unknown rule is reported as unknown.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from explorer.model import SearchModes
from explorer.render.clean import clean_line
from explorer.stores.base import Figures
from explorer.stores.hermes import search
from explorer.stores.hermes.sessions.survey import DELEGATE, counts_agree
from explorer.stores.hermes.state_meta import is_on, notes
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.failures import profile_option
from explorer.stores.sqlite.read_only import Reader
from explorer.stores.sqlite.schema import Schema
from explorer.stores.sqlite.slices import Pace
from explorer.stores.sqlite.statements import Token, outside, split, tokens, trigger_parts
from explorer.stores.sqlite.statements import without_parentheses as bare

COLUMNS = ("content", "tool_name", "tool_calls")
"""Columns of messages that search tables are known to hold."""
_GATES = ("'fts_rebuild_high_water'", "'fts_rebuild_progress'")
"""While a table is rebuilt, triggers skip what is not filled yet: that is reported separately."""
_CHANGED = "that were changed later"
_JOINERS = ("union", "except", "intersect", "group", "limit")


class Statements(NamedTuple):
    """What the search tables of a file are made of."""

    tables: Mapping[str, str]
    """Virtual tables by name."""
    views: Mapping[str, str]
    triggers: Sequence[str]


class Layout(NamedTuple):
    """What a search table holds of every message."""

    covers: tuple[str, ...]
    leaves_out: tuple[str, ...]
    """In words."""


class _Feeding(NamedTuple):
    """A statement of a trigger that adds a message to a search table."""

    event: str
    when: Sequence[Token]
    values: Sequence[Token]


def layout(table: str, made_of: Statements) -> Layout:
    """What a search table holds."""
    told = search.declared(made_of.tables[table])
    feeding = list(_feeding(table, made_of.triggers))
    adding = [one for one in feeding if one.event == "insert"]
    changing = [one for one in feeding if one.event == "update"]
    view = list(tokens(made_of.views.get(told.source, "")))
    gaps: list[str] = []
    for source in (view, *(one.values for one in adding)):
        gaps += _cuts(source)
    if not told.source:
        gaps += [f"{cut} {_CHANGED}" for one in changing for cut in _cuts(one.values)]
    gaps += _rows_left_out([_view_condition(view), *(one.when for one in adding)])
    covers = told.columns if told.source else _read(one.values for one in feeding) or COLUMNS
    known = tuple(column for column in COLUMNS if column in covers)
    return Layout(known, tuple(dict.fromkeys(gaps)))


def _feeding(table: str, triggers: Iterable[str]) -> Iterator[_Feeding]:
    for sql in triggers:
        head, body = trigger_parts(sql)
        events = [one.text for one in head if one.says("insert", "update", "delete")]
        when = next((at for at, token in enumerate(head) if token.says("when")), len(head))
        for statement in split(body, ";"):
            names = [token.text for token in statement if token.names][:3]
            # Removing a row is an insert too, of a command in the table's own name.
            if names[:2] == ["insert", "into"] and names[2:] == [table]:
                inside = [token.text for token in _columns(statement)]
                if table not in inside:
                    yield _Feeding(events[0] if events else "", head[when + 1 :], statement)


def _columns(statement: Sequence[Token]) -> Sequence[Token]:
    """The names in the first parentheses of a statement."""
    start = next((at for at, token in enumerate(statement) if token.says("(")), len(statement))
    end = next((at for at, token in enumerate(statement) if token.says(")")), len(statement))
    return statement[start + 1 : end]


def _read(statements: Iterable[Sequence[Token]]) -> tuple[str, ...]:
    """The columns of a message that statements read of its row."""
    return tuple(
        column.text
        for statement in statements
        for row, dot, column in zip(statement, statement[1:], statement[2:], strict=False)
        if row.says("new") and dot.says(".") and column.text in COLUMNS
    )


def _cuts(statement: Sequence[Token]) -> Iterator[str]:
    """Texts of which only the beginning is kept."""
    for at, token in enumerate(statement):
        if not token.says("substr", "substring"):
            continue
        inside = statement[at + 2 :]
        end = next((place for place, one in outside(inside, -1) if one.says(")")), 0)
        first, *numbers = split(inside[:end], ",")
        named = [one.text for one in first if one.text in COLUMNS]
        if named and len(numbers) == 2 and numbers[1] and numbers[1][0].text.isdigit():
            before = [one.text for one in statement[max(at - 4, 0) : at]]
            tools = before == ["role", "=", "'tool'", "then"] and named[0] == "content"
            what = "tool results" if tools else named[0]
            yield f"{what} beyond {int(numbers[1][0].text):,} characters"


def _view_condition(view: Sequence[Token]) -> Sequence[Token]:
    """What a view asks of the rows that it shows; an empty one where it shows all."""
    select = next((at for at, token in enumerate(view) if token.says("select")), len(view))
    own = [(at + select, token) for at, token in outside(view[select:])]
    if any(token.says(*_JOINERS) for _, token in own):
        return view[select:]
    where = next((at for at, token in own if token.says("where")), len(view))
    return view[where + 1 :]


def _rows_left_out(conditions: Iterable[Sequence[Token]]) -> Iterator[str]:
    """What conditions on messages and their sessions keep out, in words."""
    sessions: dict[str, None] = {}
    for test in (test for condition in conditions for test in _tests(condition)):
        words = _unqualified(test)
        if words in (["role", "<", ">", "'tool'"], ["role", "!", "=", "'tool'"]):
            yield "tool messages"
        elif words[:3] == ["source", "not", "in"]:
            sessions.update(dict.fromkeys(word.strip("'") for word in words[3:]))
        elif any(DELEGATE in word for word in words) and words[-2:] == ["is", "null"]:
            sessions["subagent"] = None
        else:
            yield "messages that a rule unknown to this version leaves out"
    if sessions:
        yield f"{' and '.join(clean_line(name, 40) for name in sessions)} sessions"


def _unqualified(test: Sequence[Token]) -> list[str]:
    """The words of a test, without parentheses and without the tables that its columns are of."""
    pairs = zip(test, (*test[1:], None), strict=True)
    kept = [token for token, after in pairs if after is None or not after.says(".")]
    return [token.text for token in kept if not token.says(".", ",", "(", ")")]


def _tests(condition: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """The conditions that must all hold, except those that join tables or gate a rebuild."""
    for part in split(bare(condition), "and"):
        test = bare(part)
        if not test or any(token.text in _GATES for token in test):
            continue
        if len(split(test, "and")) > 1:
            yield from _tests(test)
        elif test[0].says("exists"):
            yield from _tests(_view_condition(bare(test[1:])))
        elif not _joins(test):
            yield test


def _joins(test: Sequence[Token]) -> bool:
    """Whether a test only says which session a message is of."""
    sides = [[token.text for token in side if token.names][-1:] for side in split(test, "=")]
    return sorted(sides) == [["id"], ["session_id"]]


def figures(reader: Reader, profile: str | None) -> Figures:
    version = None
    if reader.schema.has("schema_version", "version"):
        # A file may hold several rows; the greatest is the one its last migration wrote.
        version = reader.value("SELECT max(version) FROM schema_version")
    return Figures(
        sessions=reader.value("SELECT count(*) FROM sessions"),
        messages=reader.value("SELECT count(*) FROM messages"),
        orphans=_orphans(reader),
        schema_version=cells.integer(version),
        search=modes(reader, profile),
        sound=counts_agree(reader),
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
    """Messages whose session row is gone. An id need not be valid text, so a message marks
    where the next slice begins."""
    pace, orphans = Pace(), 0
    at = reader.value("SELECT m.id FROM messages m ORDER BY m.session_id LIMIT 1")
    if not reader.breathes:
        return int(reader.value(f"{_LEAP} SELECT total({_LOST}) FROM leap", (at, -1)))
    a_message = "(SELECT m.id FROM messages m WHERE m.session_id = leap.id LIMIT 1)"
    while at is not None:
        leaps = reader.rows(f"{_LEAP} SELECT {a_message}, {_LOST} FROM leap", (at, pace.rows + 1))
        more = len(leaps) > pace.rows
        orphans += sum(number for _, number in (leaps[:-1] if more else leaps))
        at = leaps[-1][0] if more else None
        pace.end()
    return orphans


_NAMES = {search.WORDS: "fts", search.TRIGRAMS: "trigram"}
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
_SHRINK = "`hermes{profile} sessions optimize-storage` would make the search tables smaller"


def modes(reader: Reader, profile: str | None) -> SearchModes:
    """The search tables of a file."""
    schema = reader.schema
    made_of = _statements(reader)
    found = {table: layout(table, made_of) for table in _NAMES if table in schema.virtual}
    shrink = _SHRINK.format(profile=profile_option(profile))
    return SearchModes(
        fts=search.WORDS in schema.virtual,
        trigram=search.TRIGRAMS in schema.virtual,
        cjk=search.CJK in schema.virtual,
        covers=found[search.WORDS].covers if search.WORDS in found else (),
        trigram_covers=found[search.TRIGRAMS].covers if search.TRIGRAMS in found else (),
        leaves_out={
            _NAMES[table]: tuple(dict.fromkeys((*one.leaves_out, *_columns_left_out(schema, one))))
            for table, one in found.items()
        },
        trouble=_trouble(reader, list(found)),
        notes=(shrink,) if is_on(notes(reader, search.OPTIMIZE).get(search.OPTIMIZE)) else (),
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
    told = dict.fromkeys(why for table in tables if (why := search.distrust(reader, table)))
    if search.REBUILT not in told:
        return tuple(told)
    noted = notes(reader, *search.REBUILD)
    filled, goal = (cells.integer(noted.get(key)) or 0 for key in search.REBUILD)
    missing = "SELECT count(*) FROM messages m WHERE m.id > ? AND m.id <= ?"
    number = reader.value(missing, (filled, goal))
    return tuple(
        f"{why}, {number:,} messages to go" if why == search.REBUILT else why for why in told
    )
