"""The tables of a Hermes file as an edit sees them, and what in them forbids an edit.

Hermes declares what depends on a session as foreign keys, so tables of versions to come are found
too. Unknown triggers and tables forbid an edit; a newer version number alone does not.

What the triggers on a table do is read from their statements. A delete is offered only beside
triggers whose work is known: those that keep a search table, and those that fill in columns of
messages of the same session. A statement counts as known only in one of these forms; whatever else
a trigger holds, it is not.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from explorer.stores.edits.dialect import Belonging, Shared, TableShape, any_trigger
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.images import Rows
from explorer.stores.sqlite.schema import Schema, quoted
from explorer.stores.sqlite.statements import (
    Token,
    outside,
    split,
    trigger_parts,
    without_parentheses,
)

_EVENTS = ("delete", "insert", "update")
_SELECTS = ("select", "values", "with")
_UNSPLIT = ("between", "case")
"""Words that hold an AND which joins no two conditions."""


class Write(NamedTuple):
    """One statement of a trigger."""

    table: str
    """That it writes to; empty where the statement is of no known form."""
    columns: frozenset[str] = frozenset()
    """That an update sets; empty for a statement that adds or deletes rows."""
    own_row: bool = False
    """An update of nothing but the row that set the trigger off."""
    own_session: bool = False
    """An update of nothing but messages of the same session."""


UNKNOWN = Write("")


class Trigger(NamedTuple):
    """A trigger and what it does."""

    name: str
    table: str
    after: bool
    event: str
    """delete, insert or update; empty where it cannot be told."""
    columns: frozenset[str]
    """Those whose update sets it off; empty where any does."""
    writes: tuple[Write, ...]


def triggers(ask: Rows) -> list[Trigger]:
    """Every trigger of a file."""
    rows = ask("SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'trigger'", ())
    return [
        parsed(cells.words(name), cells.words(table), cells.words(sql)) for name, table, sql in rows
    ]


def filled_columns(known: Iterable[Trigger]) -> frozenset[str]:
    """The columns of messages that these triggers set by themselves."""
    return frozenset(
        column
        for trigger in known
        if trigger.table == "messages"
        for write in trigger.writes
        if write.table == "messages"
        for column in write.columns
    )


def parsed(name: str, table: str, sql: str) -> Trigger:
    """What a trigger does; `UNKNOWN` stands for every statement that is of no known form."""
    head, body = trigger_parts(sql)
    event, columns = _event(head)
    if not body or not body[-1].says("end"):
        return Trigger(name, table.lower(), False, event, columns, (UNKNOWN,))
    statements = split(body[:-1], ";")
    writes = tuple(_write(statement) for statement in statements if statement)
    after = any(token.says("after") for token in head)
    return Trigger(name, table.lower(), after, event, columns, writes)


def _event(head: Sequence[Token]) -> tuple[str, frozenset[str]]:
    """(what sets a trigger off, the columns that an update must be of)."""
    for at, token in enumerate(head):
        if token.says(*_EVENTS):
            rest = head[at + 1 :]
            end = next((at for at, one in enumerate(rest) if one.says("on")), len(rest))
            return token.text, frozenset(one.text for one in rest[1:end] if one.names)
    return "", frozenset()


def _write(statement: Sequence[Token]) -> Write:
    if len(statement) < 3:
        return UNKNOWN
    first, second = statement[:2]
    adds = first.says("insert") and second.says("into")
    if adds or (first.says("delete") and second.says("from")):
        return Write(statement[2].text) if statement[2].names else UNKNOWN
    if first.says("update") and second.names and statement[2].says("set"):
        return _update(second.text, statement[3:])
    return UNKNOWN


def _update(table: str, rest: Sequence[Token]) -> Write:
    where = next(
        (at for at, token in outside(rest) if token.says("where", "from", "returning")), None
    )
    if where is None or not rest[where].says("where"):
        return UNKNOWN
    columns = []
    for assignment in split(rest[:where], ","):
        if len(assignment) < 3 or not assignment[0].names or not assignment[1].says("="):
            return UNKNOWN
        columns.append(assignment[0].text)
    test = rest[where + 1 :]
    return Write(
        table,
        frozenset(columns),
        own_row=_confined(test, table, ("id",)),
        own_session=_confined(test, table, ("id", "session_id")),
    )


def _confined(test: Sequence[Token], table: str, by: Sequence[str]) -> bool:
    """Whether a condition holds only for rows that share one of these columns with the row that
    set the trigger off."""
    inner = without_parentheses(test)
    words = [token for _, token in outside(inner)]
    if not inner or inner[0].says(*_SELECTS) or any(token.says(*_UNSPLIT) for token in words):
        return False
    either = split(inner, "or")
    if len(either) > 1:
        return all(_confined(part, table, by) for part in either)
    both = split(inner, "and")
    if len(both) > 1:
        return any(_confined(part, table, by) for part in both)
    return _same(inner, table, by)


def _same(test: Sequence[Token], table: str, by: Sequence[str]) -> bool:
    """Whether a condition is `column = new.column`, in either order, of one of these columns."""
    sides = split(test, "=")
    if len(sides) != 2:
        return False
    names = [[token.text for token in side if token.names] for side in sides]
    plain = all(
        len(side) == 2 * len(name) - 1 and all(one.says(".") for one in side[1::2])
        for side, name in zip(sides, names, strict=True)
    )
    for (*owner, column), other in (names, names[::-1]) if plain and all(names) else ():
        if other in ([end, column] for end in ("new", "old")) and owner in ([], [table]):
            return column in by
    return False


TOKENIZERS = ("unicode61", "ascii", "porter", "trigram")
"""Those that every SQLite with full-text search has."""
_TOKENIZE = re.compile(r"tokenize\s*=\s*(?:'([^']*)'|\"([^\"]*)\"|(\w+))", re.IGNORECASE)
_SAID = frozenset(
    (
        *("id", "session_id", "role", "content", "timestamp", "active", "compacted"),
        *("tool_call_id", "tool_calls", "tool_name", "finish_reason", "reasoning"),
        *("reasoning_content", "reasoning_details", "codex_reasoning_items"),
        *("codex_message_items", "api_content"),
    )
)
"""Columns of a message that no trigger may write: what was said, and where it belongs."""
_NO_TITLES = "this file has no titles yet; Hermes adds them when it next opens the file"


def hermes_reasons(schema: Schema, ask: Rows) -> dict[str, str]:
    """Of each edit why it is not possible; empty where it is."""
    known = triggers(ask)
    # No version of the agent has any on sessions.
    rows = any_trigger(one.name for one in known if one.table.endswith("sessions"))
    gone = rows or _delete_trouble(known, schema, ask)
    titles = "" if schema.has("sessions", "title") else _NO_TITLES
    return {
        **dict.fromkeys(("archive", "pin", "end", "reopen"), rows),
        **dict.fromkeys(("delete", "clear", "prune"), gone),
        "rename": rows or titles,
    }


def _delete_trouble(known: Sequence[Trigger], schema: Schema, ask: Rows) -> str:
    """What a delete would set off that is not known, or could not be undone exactly."""
    trouble = _messages_trouble(known, schema) or tokenizer_trouble(schema)
    if trouble:
        return trouble
    shape = hermes_shape(schema, ask)
    if isinstance(shape, str):
        return shape
    others = {PROMPTS, *(one.table.lower() for one in shape.belongings)}
    return any_trigger(one.name for one in known if one.table in others)


def _messages_trouble(known: Sequence[Trigger], schema: Schema) -> str:
    """Triggers that a message sets off when it goes or comes back."""
    mine = [one for one in known if one.table == "messages"]
    filled = filled_columns(mine) - _SAID
    for trigger in mine:
        for write in trigger.writes:
            if write.table.startswith("messages_fts") and not write.columns:
                if write.table not in schema.virtual:
                    return f"the search table {write.table} is gone, but a trigger writes to it"
            elif not _fills_in(trigger, write, filled):
                return any_trigger([trigger.name])
    return ""


def _fills_in(trigger: Trigger, write: Write, filled: Collection[str]) -> bool:
    """Whether a trigger only fills in columns that can be set again when a message comes back: of
    its own row when it comes, of messages that go with it when it goes, and never because such a
    column was set."""
    if write.table != "messages" or not trigger.after or not _SAID.isdisjoint(write.columns):
        return False
    if trigger.event == "update":
        return bool(trigger.columns) and trigger.columns.isdisjoint(filled)
    return write.own_row if trigger.event == "insert" else write.own_session


def tokenizer_trouble(schema: Schema) -> str:
    """A search table that takes no part in a delete of ours; the agent's own can be run."""
    for table, sql in schema.virtual.items():
        found = _TOKENIZE.search(sql) if table.startswith("messages_fts") else None
        words = next(filter(None, found.groups()), "").split() if found else []
        if words and words[0].lower() not in TOKENIZERS:
            only = f"needs the tokenizer {words[0]}, which only the agent has"
            return f"its search table {table} {only}"
    return ""


PROMPTS = "system_prompts"


class _Reference(NamedTuple):
    """A foreign key."""

    table: str
    column: str
    target: str
    to: str
    on_delete: str


_KNOWN = (
    ("messages", "session_id", "sessions"),
    ("sessions", "parent_session_id", "sessions"),
    ("sessions", "system_prompt_hash", PROMPTS),
)
"""References that are followed by name."""


def hermes_shape(schema: Schema, ask: Rows) -> TableShape | str:
    """The shape of a Hermes file; where it cannot be told, why not."""
    references = [one for table in sorted(schema.tables) for one in _references(ask, table)]
    found: list[Belonging] = []
    for one in references:
        if one.target != "sessions" or (one.table, one.column, one.target) in _KNOWN:
            continue
        detached = one.on_delete == "SET NULL"
        known = one.on_delete in ("CASCADE", "SET NULL") and one.to in ("id", "")
        if not known or (one.table in ("sessions", "messages") and not detached):
            return f"the table {one.table} refers to sessions in an unknown way"
        found.append(Belonging(one.table, one.column, detached))
    emptied = {"messages", PROMPTS, *(one.table for one in found if not one.detached)}
    for one in references:
        if one.target in emptied and (one.table, one.column, one.target) not in _KNOWN:
            what = "single messages" if one.target == "messages" else f"rows of {one.target}"
            return f"the table {one.table} refers to {what} in an unknown way"
    return TableShape(
        sessions="sessions",
        id="id",
        messages="messages",
        belongings=tuple(found),
        title="title",
        counters=("message_count", "tool_call_count"),
        shared=_prompts(schema),
        filled=filled_columns(triggers(ask)),
        ranks=_ranks(references),
    )


def marks_children(schema: Schema) -> bool:
    """Whether children say in `model_config` whose subagents they are."""
    return schema.has("sessions", "archived", "model_config")


def _prompts(schema: Schema) -> Shared | None:
    """Newer files keep each prompt once, for all sessions that have it."""
    if not schema.has(PROMPTS, "hash", "prompt"):
        return None
    columns = ("system_prompt_hash", "tool_names")
    return Shared(PROMPTS, "hash", tuple(one for one in columns if schema.has("sessions", one)))


def _references(ask: Rows, table: str) -> list[_Reference]:
    rows = ask(f"PRAGMA foreign_key_list({quoted(table)})", ())
    return [
        _Reference(table, column, target.lower(), to, on_delete)
        for target, column, to, _, on_delete in (map(cells.words, row[2:7]) for row in rows)
    ]


def _ranks(references: Iterable[_Reference]) -> dict[str, int]:
    """How many tables lie below each of those that refer to others or are referred to."""
    below: dict[str, set[str]] = {}
    for one in references:
        below.setdefault(one.target, set())
        below.setdefault(one.table, set()).update({one.target} - {one.table})
    ranks = dict.fromkeys(below, 0)
    # As many rounds as there are tables settle every order; a circle has none, and ends here too.
    for _ in below:
        for table, targets in below.items():
            ranks[table] = max((ranks[target] + 1 for target in targets), default=0)
    return ranks
