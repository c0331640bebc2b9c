"""The agent's own search tables: which there are, what they cover, and whether they are whole."""

from explorer.model import SearchModes
from explorer.store import cells
from explorer.store.read_only import Reader
from explorer.store.schema import Schema

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


BROKEN = "the search table is broken"


def distrust(reader: Reader, table: str) -> str:
    """Why a search table may not know every message, in words; empty where it does. The agent may
    have run without its triggers, have given it up, or be in the middle of filling it anew."""
    schema = reader.schema
    if table not in schema.virtual:
        return "this file has no search table"
    if table not in schema.fed:
        return "the search table is not kept up to date"
    if not schema.has("state_meta", "key", "value"):
        return ""
    notes = dict(
        reader.rows("SELECT key, value FROM state_meta WHERE key IN (?, ?, ?)", (STALE, *REBUILD))
    )
    filled, goal = (cells.number(notes.get(key)) or 0.0 for key in REBUILD)
    if cells.words(notes.get(STALE)) not in ("", "0"):
        return "the search table is out of date"
    return "" if filled >= goal else "the search table is being rebuilt"
