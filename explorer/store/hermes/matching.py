"""Which messages hold some words: by the agent's own search table, else by a scan.

Newest first, never ranked: ranking a common word takes a second where this takes milliseconds.
The table is only a way to ids; text is always read from the messages, since its own copy may be
stale.
"""

import sqlite3
from collections.abc import Sequence

from explorer.model import SearchModes
from explorer.store import cells
from explorer.store.base import Match, Matches
from explorer.store.failures import error_name
from explorer.store.hermes.messages import message_state
from explorer.store.read_only import Reader
from explorer.store.schema import Schema

Rows = list[tuple[object, ...]]
NEWEST = (1 << 63) - 1
STRETCH = 4000
"""Ids scanned in one read."""
SCANNED = ("content", "tool_name", "tool_calls")
STALE = "fts_stale"
REBUILD = ("fts_rebuild_progress", "fts_rebuild_high_water")
"""What newer agents note about their search table."""


def modes(schema: Schema) -> SearchModes:
    """The search tables of a file, and the columns they cover."""
    fts = "messages_fts" in schema.virtual
    covers: tuple[str, ...] = ()
    if fts:
        covers = ("content", "tool_name", "tool_calls") if _covers_tools(schema) else ("content",)
    return SearchModes(
        fts=fts,
        trigram="messages_fts_trigram" in schema.virtual,
        cjk="messages_fts_cjk" in schema.virtual,
        covers=covers,
    )


def _covers_tools(schema: Schema) -> bool:
    """Early tables are a view on the content column; later ones hold the tools' text too."""
    made = "".join(schema.virtual["messages_fts"].split()).lower()
    return "content=messages," not in made and "content='messages'" not in made


def by_table(
    reader: Reader, terms: Sequence[str], prefix: bool, limit: int | None, rewound: bool
) -> Matches | None:
    """Messages that hold all terms, newest first; None where the search table cannot tell."""
    if not all(map(_has_a_word, terms)) or not _table_is_whole(reader):
        return None
    try:
        return result("fts", _look_up(reader, terms, prefix, limit, rewound), limit)
    except sqlite3.DatabaseError as error:
        # A table that is broken, or made by a tokenizer that is not here; nothing else.
        if not error_name(error).startswith(("SQLITE_ERROR", "SQLITE_CORRUPT")):
            raise
        return None


def scan(
    reader: Reader, terms: Sequence[str], below: int, rewound: bool
) -> tuple[Rows, int | None]:
    """(matching rows, where to go on) of the newest messages below an id: one stretch, since a
    read that took its time would lock out an agent without a write-ahead log."""
    top = reader.value("SELECT max(id) FROM messages WHERE id < ?", (below,))
    if top is None:
        return [], None
    columns = [c for c in SCANNED if reader.schema.has("messages", c)]
    # On bytes: SQL's text functions end at the NUL before multimodal content.
    text = " || ' ' || ".join(f"coalesce(CAST(m.\"{c}\" AS BLOB), '')" for c in columns)
    holds = " AND ".join(f"instr(lower({text}), lower(?))" for _ in terms)
    flags = reader.schema.pick("messages", "m", ("active", "compacted"))
    rows = reader.rows(
        f"SELECT m.id, s.rowid, m.session_id, {flags} FROM messages m"
        " LEFT JOIN sessions s ON s.id = m.session_id WHERE m.id > ? AND m.id <= ?"
        f" AND {holds}{_live(reader.schema, rewound)} ORDER BY m.id DESC",
        (top - STRETCH, top, *terms),
    )
    return rows, top - STRETCH + 1


def _table_is_whole(reader: Reader) -> bool:
    """Whether the search table knows every message: the agent may have run without its triggers,
    have given it up, or be in the middle of filling it anew."""
    schema = reader.schema
    if "messages_fts" not in schema.virtual or "messages_fts" not in schema.fed:
        return False
    if not schema.has("state_meta", "key", "value"):
        return True
    notes = dict(
        reader.rows("SELECT key, value FROM state_meta WHERE key IN (?, ?, ?)", (STALE, *REBUILD))
    )
    filled, goal = (cells.number(notes.get(key)) or 0.0 for key in REBUILD)
    return cells.words(notes.get(STALE)) in ("", "0") and filled >= goal


def _look_up(
    reader: Reader, terms: Sequence[str], prefix: bool, limit: int | None, rewound: bool
) -> Rows:
    quoted = ['"' + term.replace('"', '""') + '"' for term in terms]
    query = " ".join(quoted) + ("*" if prefix else "")
    flags = reader.schema.pick("messages", "m", ("active", "compacted"))
    return reader.rows(
        f"SELECT m.id, s.rowid, m.session_id, {flags} FROM messages_fts f"
        " CROSS JOIN messages m ON m.id = f.rowid LEFT JOIN sessions s ON s.id = m.session_id"
        f" WHERE messages_fts MATCH ?{_live(reader.schema, rewound)}"
        " ORDER BY f.rowid DESC LIMIT ?",
        (query, -1 if limit is None else limit + 1),
    )


def _live(schema: Schema, rewound: bool) -> str:
    if rewound or not schema.has("messages", "active"):
        return ""
    compacted = ' OR m."compacted" = 1' if schema.has("messages", "compacted") else ""
    return f' AND (coalesce(m."active", 1) != 0{compacted})'


def result(mode: str, rows: Rows, limit: int | None) -> Matches:
    """Rows as matches; one row beyond the limit says that there are more."""
    complete = limit is None or len(rows) <= limit
    found = [
        Match(
            message_id=cells.integer(id_) or 0,
            session_key=cells.integer(key),
            session_id=cells.words(session_id),
            state=message_state(active, compacted),
        )
        for id_, key, session_id, active, compacted in rows[:limit]
    ]
    return Matches(mode, found, complete)


def _has_a_word(term: str) -> bool:
    return any(character.isalnum() for character in term)
