"""What Hermes notes about the file itself, in a table of names and values.

Apart from the search: a list asks for notes about clean-up, and need not load it (2 ms).
"""

from explorer.stores.sqlite import cells
from explorer.stores.sqlite.read_only import Reader
from explorer.stores.sqlite.schema import placeholders


def notes(reader: Reader, *keys: str) -> dict[str, object]:
    """What the agent has noted under these names."""
    if not reader.schema.has("state_meta", "key", "value"):
        return {}
    places = placeholders(keys)
    return dict(reader.rows(f"SELECT key, value FROM state_meta WHERE key IN ({places})", keys))


def is_on(note: object) -> bool:
    return cells.words(note) not in ("", "0")
