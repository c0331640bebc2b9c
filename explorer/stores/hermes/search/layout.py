"""What the agent's search tables hold and leave out, read from the statements that made them.

Layouts changed from release to release, and a file keeps that of the release that made it: a table
holds its own copy of the text, or points at a table or a view, which may cut long results and leave
out whole sessions. What is left out in an unknown way is said to be unknown.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from explorer.render.clean import clean_line
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.read_only import Reader
from explorer.stores.sqlite.schema import placeholders
from explorer.stores.sqlite.statements import Token, outside, split, tokens, trigger_parts
from explorer.stores.sqlite.statements import without_parentheses as bare

COLUMNS = ("content", "tool_name", "tool_calls")
"""Columns of messages that search tables are known to hold."""
_GATES = ("'fts_rebuild_high_water'", "'fts_rebuild_progress'")
"""While a table is filled anew, triggers pass over what is not filled yet: that is said apart."""
_DELEGATE = "_delegate_from"
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


class Declared(NamedTuple):
    """The arguments with which a search table was made."""

    columns: tuple[str, ...]
    source: str
    """The table or view that holds the text; empty where the search table does so itself."""


class _Feeding(NamedTuple):
    """A statement of a trigger that adds a message to a search table."""

    event: str
    when: Sequence[Token]
    values: Sequence[Token]


def layout(table: str, made_of: Statements) -> Layout:
    """What a search table holds."""
    told = declared(made_of.tables[table])
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


def _feeding(table: str, triggers: Iterable[str]) -> Iterator[_Feeding]:
    for sql in triggers:
        head, body = trigger_parts(sql)
        events = [one.text for one in head if one.says("insert", "update", "delete")]
        when = next((at for at, token in enumerate(head) if token.says("when")), len(head))
        for statement in split(body, ";"):
            names = [token.text for token in statement if token.names][:3]
            # A row that is taken out again is an insert too, of a command in the table's own name.
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
        elif any(_DELEGATE in word for word in words) and words[-2:] == ["is", "null"]:
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
    """The conditions that must all hold, but for what joins tables and what gates a rebuild."""
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


WORDS, TRIGRAMS, CJK = "messages_fts", "messages_fts_trigram", "messages_fts_cjk"

STALE = "fts_stale"
REBUILD = ("fts_rebuild_progress", "fts_rebuild_high_water")
OPTIMIZE = "fts_optimize_available"
"""What newer agents note about their search tables."""
BROKEN = "the search table is broken"
REBUILT = "the search table is being rebuilt"


def distrust(reader: Reader, table: str) -> str:
    """Why a search table may not know every message, in words; empty where it does. The agent may
    have run without its triggers, have given it up, or be in the middle of filling it anew."""
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


def notes(reader: Reader, *keys: str) -> dict[str, object]:
    """What the agent has noted under these names."""
    if not reader.schema.has("state_meta", "key", "value"):
        return {}
    places = placeholders(keys)
    return dict(reader.rows(f"SELECT key, value FROM state_meta WHERE key IN ({places})", keys))


def is_on(note: object) -> bool:
    return cells.words(note) not in ("", "0")
