"""What a session without a title is called where something is about to happen to it: by its first
words, as in the list."""

from collections.abc import Sequence
from typing import Any

from explorer.store.content import content_text
from explorer.store.edits.images import Rows
from explorer.store.edits.shape import Shape
from explorer.store.hermes.glimpses import first_words
from explorer.store.preview import said
from explorer.store.schema import Schema, quoted

LOOKED_AT = 3
"""Messages of power-loop that are looked at for words."""


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
    spoken = (said(content_text(cell, bare_json=True)) for (cell,) in texts)
    return next(filter(None, spoken), "")
