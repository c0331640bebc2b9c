"""Whether a file's table of sessions and the indices of that table tell of the same sessions.

In a damaged file they may not, and SQLite says nothing of it: one query walks the table, the next
an index, and a list and a count differ. To count along an index is quick; to count along the table
takes seconds on a big file, since long prompts lie in it, so that is done only on suspicion.
"""

from explorer.stores.sqlite.read_only import Reader

ID_INDEX = "sqlite_autoindex_sessions_1"
SOURCE_INDEX = "idx_sessions_source"
_INDICES = (ID_INDEX, SOURCE_INDEX, "idx_sessions_started")


def indices_agree(reader: Reader) -> bool:
    """Whether the indices on all sessions have the same number of them."""
    return _one_count(reader, [])


def table_agrees(reader: Reader) -> bool:
    """The same, with the table itself."""
    return _one_count(reader, ["NOT INDEXED"])


def _one_count(reader: Reader, ways: list[str]) -> bool:
    """Whether all ways to count come to one number: in one statement, since between two an agent
    may add a session."""
    ways = [*ways, *filter(None, map(reader.schema.indexed_by, _INDICES))]
    if not ways:
        return True
    # Not count(*): for that SQLite takes the smallest index, whatever it is told.
    counts = ", ".join(f"(SELECT total(1) FROM sessions s {way})" for way in ways)
    return len(set(reader.row(f"SELECT {counts}"))) == 1
