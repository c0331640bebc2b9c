"""How the columns of sessions are read from a Hermes file, and which session the user means: by id,
by the beginning of an id, or by title.

Hermes' own rules: ids are compared exactly, then as a prefix without regard to ASCII case; of a
numbered lineage of titles ("x", "x #2") the newest wins.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from sys import intern
from typing import Any

from explorer.stores import columns
from explorer.stores.base import NamedSession, Starting
from explorer.stores.chat_origin import Origin
from explorer.stores.columns import Column, Columns, Recipe, Recipes, Unique
from explorer.stores.hermes.origins import COLUMNS as ORIGIN
from explorer.stores.hermes.origins import chat_text, of_row
from explorer.stores.hermes.sessions.rows import COSTS, known_cost, owner, read_time
from explorer.stores.hermes.sessions.survey import hermes_leases
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.read_only import Reader
from explorer.stores.sqlite.slices import Pace, walk_along

_TITLES = "idx_sessions_title_unique"
_BYTES = "(SELECT total(length(CAST(m.content AS BLOB))) FROM messages m WHERE m.session_id = s.id)"


def _text(cell: object) -> str | None:
    return cells.text(cell) or None


def _name(cell: object) -> str | None:
    """One text for all sessions of a model: of 100,000 sessions 8 MB less."""
    return intern(text) if (text := cells.text(cell)) else None


def _owner(session_key: object, profile_name: object) -> str | None:
    return intern(name) if (name := owner(session_key, profile_name)) else None


@lru_cache(maxsize=4096)
def _chat(*row: object) -> str | None:
    """Kept as its origin is."""
    origin = of_row(*row)
    return chat_text(origin, cells.words(row[0])) if origin else None


def _sum(*row: object) -> float | None:
    known = [number for number in map(cells.number, row) if number is not None]
    return sum(known) if known else None


def _time(cell: object) -> float:
    return cells.seconds(cell) or 0.0


RECIPES: Recipes = {
    columns.ID: Recipe(("id",), cells.words),
    columns.TITLE: Recipe(("title",), _text),
    columns.SOURCE: Recipe(("source",), _name, repeats=True),
    columns.MODEL: Recipe(("model",), _name, repeats=True),
    columns.MESSAGES: Recipe(("message_count",), cells.amount),
    columns.TOOLS: Recipe(("tool_call_count",), lambda cell: cells.amount(cell) or None),
    columns.WORKSPACE: Recipe(("cwd",), _text),
    columns.OWNER: Recipe(("session_key", "profile_name"), _owner, repeats=True),
    columns.CHAT: Recipe(ORIGIN, _chat),
    columns.COST: Recipe(COSTS, known_cost),
    columns.TOKENS: Recipe(("input_tokens", "output_tokens"), _sum),
    columns.STARTED: Recipe(("started_at",), _time),
    columns.ENDED: Recipe(("ended_at",), lambda cell: None if cell is None else _time(cell)),
    columns.READ_AT: Recipe(("last_read_at",), read_time),
    columns.BYTES: Recipe((_BYTES,), lambda size: int(size) or None),
}


_OWN_KEY = (
    "(CASE WHEN s.session_key >= 'agent:main:' AND s.session_key < 'agent:main;' THEN NULL"
    " ELSE s.session_key END)"
)
"""A chat's key where it may name a profile: most name none, and each is another text."""


def _recipes(reader: Reader, asked: Collection[Column[object]]) -> Recipes:
    found = dict(columns.asked_of(RECIPES, asked))
    if columns.OWNER in found and reader.schema.has("sessions", "session_key"):
        owner = found[columns.OWNER]
        found[columns.OWNER] = owner._replace(cells=(_OWN_KEY, *owner.cells[1:]))
    return found


def read_columns(
    reader: Reader,
    asked: Collection[Column[object]],
    keys: Sequence[int] | None = None,
    noted: Mapping[str, Origin] = {},
    unique: Unique = list,
) -> Columns:
    """What is asked of these sessions, or of all, by the keys that `unique` gives them; `noted` are
    the origins of some, by id."""
    recipes = _recipes(reader, asked)
    rows = _by_index(reader, list(recipes)) if keys is None else None
    found = (
        columns.read(reader, "sessions", recipes, keys, unique)
        if rows is None
        else columns.made(recipes, rows, unique)
    )
    if columns.LEASE in asked:
        until = hermes_leases(reader.rows, reader.schema)
        found[columns.LEASE] = {
            unique([key])[0]: until[id_] for id_, key in _wanted_of(reader, list(until), keys)
        }
    if columns.CHAT in asked and noted:
        texts = {
            unique([key])[0]: chat_text(noted[id_], "")
            for id_, key in _wanted_of(reader, noted, keys)
        }
        found[columns.CHAT] = texts | found[columns.CHAT]
    return Columns(found)


def _wanted_of(
    reader: Reader, ids: Collection[str], keys: Sequence[int] | None
) -> Iterator[tuple[str, int]]:
    """(id, key) of these sessions, as far as they are among the keys that are asked for."""
    wanted = None if keys is None else set(keys)
    for id_, key in keys_of(reader, list(ids)).items():
        if wanted is None or key in wanted:
            yield id_, key


def _by_index(reader: Reader, asked: Sequence[Column[object]]) -> list[Any] | None:
    """(key, cell) of all sessions, where an index holds the one column that is asked for."""
    if asked == [columns.ID]:
        return reader.rows("SELECT s.rowid, s.id FROM sessions s")
    if asked == [columns.STARTED]:
        hint = reader.schema.indexed_by("idx_sessions_started")
        select = f"SELECT s.rowid, s.started_at FROM sessions s {hint}"
        return _walk_by_start(reader, select) if reader.breathes else reader.rows(select)
    hint = reader.schema.indexed_by(_TITLES)
    if asked == [columns.TITLE] and hint:
        # The index on titles holds only those that are set.
        return walk_along(reader, "s.title", "sessions", "title", hint)
    return None


def _walk_by_start(reader: Reader, select: str) -> list[Any]:
    """The same in slices, from the newest; each begins with those that are as old as the last."""
    pace = Pace()
    found = reader.rows(f"{select} WHERE s.started_at IS NULL")
    few = reader.rows(f"{select} ORDER BY s.started_at DESC LIMIT ?", (pace.rows,))
    while True:
        found += few
        if len(few) < pace.rows:
            reader.rest()
            return found
        last = few[-1][1]
        # Where a whole slice is of one time, only a longer one gets further.
        rows = pace.rows * 4 if few[0][1] == last else 0
        pace.end()
        pace.rows = max(pace.rows, rows)
        few = reader.rows(
            f"{select} WHERE s.started_at <= ? ORDER BY s.started_at DESC LIMIT ?",
            (last, pace.rows),
        )


AT_MOST = 20
"""Candidates worth naming to a person."""


STARTING = 1000
"""Sessions that are looked at for the beginning of an id: with more, it says too little."""


def find(reader: Reader, text: str) -> list[NamedSession]:
    """One candidate when the match is clear, several when it is not, or none."""
    title = reader.schema.pick("sessions", "s", ("title",))
    select = f"SELECT s.rowid, s.id, {title} FROM sessions s"
    exact = _candidates(reader, f"{select} WHERE s.id = ?", text)
    if exact:
        return exact
    starting = _candidates(
        reader,
        f"{select} WHERE s.id LIKE ? ESCAPE '\\' ORDER BY s.started_at DESC LIMIT {AT_MOST}",
        _escaped(text) + "%",
    )
    if len(starting) == 1:
        return starting
    titled = _titled(reader, select, text)
    return titled or starting or _by_shown_id(reader, select, text)


def keys_of(reader: Reader, ids: Sequence[str]) -> dict[str, int]:
    """The keys of the sessions with these ids, by the index on them. An id that is not valid text
    is known by how it is shown, which only a walk through all of them finds."""
    found: dict[str, int] = {}
    for id_ in ids:
        if "\ufffd" in id_:
            rows = reader.rows("SELECT s.rowid, s.id FROM sessions s")
            found.update((id_, key) for key, other in rows if cells.words(other) == id_)
        elif (coded := id_.encode("utf-8", "replace")).decode() == id_:
            # Half a surrogate is never shown, so no id has it; some ids are stored as bytes.
            key = reader.value("SELECT s.rowid FROM sessions s WHERE s.id IN (?, ?)", (id_, coded))
            if key is not None:
                found[id_] = key
    return found


def keys_starting(reader: Reader, text: str) -> Starting:
    """The sessions whose id starts with a text, as typed, in small letters or in capitals, by the
    index on ids; the greatest ids where there are many."""
    found: dict[int, None] = {}
    more = False
    for begun in dict.fromkeys((text, text.lower(), text.upper())):
        rows = reader.rows(
            "SELECT s.rowid FROM sessions s WHERE s.id >= ? AND s.id < ?"
            f" ORDER BY s.id DESC LIMIT {STARTING + 1}",
            (begun, f"{begun}\U0010ffff"),
        )
        found |= dict.fromkeys(key for (key,) in rows[:STARTING])
        more = more or len(rows) > STARTING
    return Starting(list(found), more)


def _titled(reader: Reader, select: str, text: str) -> list[NamedSession]:
    if not reader.schema.has("sessions", "title"):
        return []
    newest = " ORDER BY s.started_at DESC, s.rowid DESC LIMIT 1"
    numbered = f"{select} WHERE s.title LIKE ? ESCAPE '\\'{newest}"
    found = _candidates(reader, numbered, _escaped(text) + " #%")
    return found or _candidates(reader, f"{select} WHERE s.title = ?{newest}", text)


def _by_shown_id(reader: Reader, select: str, text: str) -> list[NamedSession]:
    """Ids that are not valid text are listed with replacement characters; those find them too."""
    if "\ufffd" not in text:
        return []
    shown = reader.rows("SELECT rowid, id FROM sessions")
    keys = [key for key, id_ in shown if cells.words(id_) == text]
    return [c for key in keys for c in _candidates(reader, f"{select} WHERE s.rowid = ?", key)]


def _candidates(reader: Reader, sql: str, value: object) -> list[NamedSession]:
    return [
        NamedSession(key, cells.words(id_), cells.text(title))
        for key, id_, title in reader.rows(sql, (value,))
    ]


def _escaped(text: str) -> str:
    for special in ("\\", "%", "_"):
        text = text.replace(special, "\\" + special)
    return text
