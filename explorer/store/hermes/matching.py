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


def matches(
    reader: Reader, terms: Sequence[str], prefix: bool, limit: int | None, rewound: bool
) -> Matches:
    """Messages that hold all terms, newest first."""
    if all(map(_has_a_word, terms)) and _table_is_whole(reader):
        try:
            return _by_table(reader, terms, prefix, limit, rewound)
        except sqlite3.DatabaseError as error:
            # A table that is broken, or made by a tokenizer that is not here; nothing else.
            if not error_name(error).startswith(("SQLITE_ERROR", "SQLITE_CORRUPT")):
                raise
    return _by_scan(reader, terms, limit, rewound)


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


def _by_table(
    reader: Reader, terms: Sequence[str], prefix: bool, limit: int | None, rewound: bool
) -> Matches:
    quoted = ['"' + term.replace('"', '""') + '"' for term in terms]
    query = " ".join(quoted) + ("*" if prefix else "")
    flags = reader.schema.pick("messages", "m", ("active", "compacted"))
    rows = reader.rows(
        f"SELECT m.id, s.rowid, m.session_id, {flags} FROM messages_fts f"
        " CROSS JOIN messages m ON m.id = f.rowid LEFT JOIN sessions s ON s.id = m.session_id"
        f" WHERE messages_fts MATCH ?{_live(reader.schema, rewound)}"
        " ORDER BY f.rowid DESC LIMIT ?",
        (query, -1 if limit is None else limit + 1),
    )
    return _result("fts", rows, limit)


def _by_scan(reader: Reader, terms: Sequence[str], limit: int | None, rewound: bool) -> Matches:
    columns = [c for c in SCANNED if reader.schema.has("messages", c)]
    # On bytes: SQL's text functions end at the NUL before multimodal content.
    text = " || ' ' || ".join(f"coalesce(CAST(m.\"{c}\" AS BLOB), '')" for c in columns)
    holds = " AND ".join(f"instr(lower({text}), lower(?))" for _ in terms)
    flags = reader.schema.pick("messages", "m", ("active", "compacted"))
    rows = reader.rows(
        f"SELECT m.id, s.rowid, m.session_id, {flags} FROM messages m"
        " LEFT JOIN sessions s ON s.id = m.session_id"
        f" WHERE {holds}{_live(reader.schema, rewound)} ORDER BY m.id DESC LIMIT ?",
        (*terms, -1 if limit is None else limit + 1),
    )
    return _result("scan", rows, limit)


def _live(schema: Schema, rewound: bool) -> str:
    if rewound or not schema.has("messages", "active"):
        return ""
    compacted = ' OR m."compacted" = 1' if schema.has("messages", "compacted") else ""
    return f' AND (coalesce(m."active", 1) != 0{compacted})'


def _result(mode: str, rows: Sequence[Sequence[object]], limit: int | None) -> Matches:
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
