"""What a session is called where something happens to it: by its title, else by its first words, as
in the list. In its file, in a plan, in the trash.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Any

from explorer.store import cells
from explorer.store.content import content_text
from explorer.store.edits.images import Cell, Rows, named
from explorer.store.edits.shape import Shape
from explorer.store.edits.subject import Subject, subjects
from explorer.store.hermes.glimpses import first_words, first_words_in
from explorer.store.kept import Entry, Pack
from explorer.store.preview import said
from explorer.store.schema import Schema, quoted
from explorer.store.trash import TrashFile

SHORT = 60
"""Characters of the first words that stand for a title."""
LOOKED_AT = 3
"""Messages of power-loop that are looked at for words."""


def called(title: str | None, words: str, id_: str) -> str:
    """What the list calls a session; its id where it has neither title nor words."""
    return title or (f"{words[:SHORT]}…" if len(words) > SHORT else words) or id_


def entry_name(entry: Entry) -> str:
    """What the list called a session that is in the trash; see `worded`."""
    return called(entry.title, entry.words, entry.session)


def worded(trash: TrashFile, entries: Iterable[Entry]) -> list[Entry]:
    """Entries with the first words of those that have no title."""
    every = list(entries)
    untitled = [one.number for one in every if not one.title]
    words = {number: _words_in(pack) for number, pack in trash.beginnings(untitled)}
    return [one._replace(words=words.get(one.number, "")) for one in every]


def _words_in(pack: Pack) -> str:
    """The first words in the first messages of a session."""
    hermes = "seq" not in pack.columns

    def place(message: dict[str, Cell]) -> float:
        found = cells.number(message.get("timestamp" if hermes else "seq"))
        # One that is cut off before it says is the last.
        return math.inf if found is None else found

    messages = sorted((named(pack.columns, row) for row in pack.rows), key=place)
    if hermes:
        return first_words_in(messages)
    users = [one for one in messages if cells.words(one.get("role")) == "user"]
    return _first_said(one.get("content") for one in users[:LOOKED_AT])


class Glancing:
    """Reads as a reader does, through what an edit asks with."""

    def __init__(self, ask: Rows, schema: Schema) -> None:
        self._ask = ask
        self.schema = schema

    def rows(self, sql: str, values: Any = ()) -> list[Any]:
        return list(self._ask(sql, values))

    def value(self, sql: str, values: Any = ()) -> Any:
        found = self.rows(sql, values)
        return found[0][0] if found else None


def words_of(ask: Rows, schema: Schema, shape: Shape, row: int, id_: str) -> str:
    """The first words of a session; empty where nobody said any."""
    if shape.hermes:
        return first_words(Glancing(ask, schema), [row])
    texts: Sequence[Sequence[object]] = ask(
        f"SELECT substr(CAST(m.content AS BLOB), 1, 6000) FROM {quoted(shape.messages)} m"
        f" WHERE m.session_id = ? AND m.role = 'user' ORDER BY m.seq LIMIT {LOOKED_AT}",
        (id_,),
    )
    return _first_said(cell for (cell,) in texts)


def _first_said(contents: Iterable[object]) -> str:
    spoken = (said(content_text(cell, bare_json=True)) for cell in contents)
    return next(filter(None, spoken), "")


def name_in_file(ask: Rows, schema: Schema, shape: Shape, id_: str) -> str:
    """What the list calls the session with an id; the id where it is gone."""
    found = subjects(ask, schema, shape, shape.id, [id_])
    return name_of_subject(ask, schema, shape, found[0]) if found else id_


def name_of_subject(ask: Rows, schema: Schema, shape: Shape, one: Subject) -> str:
    words = "" if one.title else words_of(ask, schema, shape, one.row, one.id)
    return called(one.title, words, one.id)
