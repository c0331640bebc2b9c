"""The agent's own search tables: their names, and whether they know every message."""

from explorer.stores.sqlite import cells
from explorer.stores.sqlite.parameters import placeholders
from explorer.stores.sqlite.read_only import Reader

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
