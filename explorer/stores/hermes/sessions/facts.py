"""What a list is filtered by and no index holds: models, numbers of messages, use of tools, what
was read.

One walk through the table, long system prompts and all: only for who asks to filter.
"""

from collections.abc import Sequence
from sys import intern

from explorer.stores.base import Facts
from explorer.stores.hermes.sessions.rows import read_time
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.parameters import batches, placeholders
from explorer.stores.sqlite.read_only import Reader
from explorer.stores.sqlite.slices import walk


def facts(reader: Reader, keys: Sequence[int] | None = None) -> Facts:
    """The facts of these sessions, or of all."""
    columns = reader.schema.pick(
        "sessions", "s", ("model", "message_count", "tool_call_count", "last_read_at")
    )
    select = f"SELECT s.rowid, {columns} FROM sessions s"
    if keys is None:
        rows = walk(reader, columns, "sessions")
    else:
        rows = []
        for batch in batches(keys):
            rows += reader.rows(f"{select} WHERE s.rowid IN ({placeholders(batch)})", batch)
    models: dict[int, str] = {}
    messages: dict[int, int] = {}
    tools: set[int] = set()
    read_at: dict[int, float] = {}
    for key, model, number, calls, read in rows:
        messages[key] = cells.amount(number)
        if name := cells.text(model):
            # One text for all sessions of a model: of 100,000 sessions 8 MB less.
            models[key] = intern(name)
        if cells.amount(calls):
            tools.add(key)
        if read is not None and (time := read_time(read)) is not None:
            read_at[key] = time
    return Facts(models, messages, frozenset(tools), read_at)


def keys_of(reader: Reader, ids: Sequence[str]) -> dict[str, int]:
    """The keys of the sessions with these ids, by the index on them. An id that is not valid text
    is known by how it is shown, which only a walk through all of them finds."""
    found: dict[str, int] = {}
    for id_ in ids:
        if "\ufffd" in id_:
            rows = reader.rows("SELECT s.rowid, s.id FROM sessions s")
            found.update((id_, key) for key, other in rows if cells.words(other) == id_)
        elif (coded := id_.encode("utf-8", "replace")).decode() == id_:
            # Half a surrogate is never shown, so nobody has it; some ids are stored as bytes.
            key = reader.value("SELECT s.rowid FROM sessions s WHERE s.id IN (?, ?)", (id_, coded))
            if key is not None:
                found[id_] = key
    return found
