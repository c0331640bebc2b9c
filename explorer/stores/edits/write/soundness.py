"""Whether a file is sound enough to be edited.

From a damaged file a session may well be deleted, and then not be put back: a free page is none, an
index holds what its table does not. SQLite can tell, in five milliseconds for each megabyte. So a
small file is looked through before anything leaves it; one so big that its agent would have to wait
is not, and there the trash keeps what cannot be put back before the agent has repaired the file.
"""

from explorer.errors import Problem
from explorer.stores.edits.write.connection import Looking
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.failures import store_error
from explorer.stores.sqlite.images import shown

_NUMBERS = ("page_count", "freelist_count", "page_size")
_UNKNOWN = (
    "SELECT 1 FROM sqlite_master WHERE type NOT IN ('table', 'index', 'view', 'trigger') LIMIT 1"
)
"""What SQLite passes over when it reads the schema, such as an index that it needs for a write."""
SMALL = 16 << 20
"""Bytes of a file that is looked through in less than a tenth of a second."""
MOST = 100
_HARMLESS = ("NUMERIC value in ", "TEXT value in ")
"""How newer ones begin what they say of cells of another type than their column, which go back as
they were; what they say of full-text tables names FTS."""


def check_sound(looking: Looking) -> None:
    """Refuse to edit a file of which the pages or the indices are damaged."""
    if not _sound(looking):
        raise store_error(Problem.CORRUPT, looking.path).also("Nothing was edited.")


def _sound(looking: Looking) -> bool:
    pages, free, size = (_number(looking, name) for name in _NUMBERS)
    # The check itself believes this number, and the next page that is needed is not there.
    if free >= pages or looking.ask(_UNKNOWN):
        return False
    if pages * size > SMALL:
        return True
    found = [shown(row[0]) for row in looking.ask(f"PRAGMA integrity_check({MOST})")]
    return all(one == "ok" or one.startswith(_HARMLESS) or "FTS" in one for one in found)


def _number(looking: Looking, name: str) -> int:
    return cells.amount(looking.ask(f"PRAGMA {name}")[0][0])
