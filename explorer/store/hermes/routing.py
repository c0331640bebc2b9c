"""The gateway's routes: which chat goes on in which session."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from explorer.store import cells
from explorer.store.schema import Schema

_COLUMNS = ("session_key", "entry_json", "updated_at")


def routes_to(
    ask: Callable[[str, Sequence[object]], Iterable[Sequence[object]]],
    schema: Schema,
    ids: Collection[str],
) -> Iterator[tuple[str, float | None]]:
    """(chat, when it was set) of all that lead to one of these sessions, the newest first."""
    if not schema.has("gateway_routing", *_COLUMNS[:2]):
        return
    # No index: there is one row for each chat, and few chats.
    picked = schema.pick("gateway_routing", "r", _COLUMNS)
    for key, entry, time in ask(f"SELECT {picked} FROM gateway_routing r ORDER BY 3 DESC", ()):
        owner = cells.mapping(entry).get("session_id")
        if isinstance(owner, str) and owner in ids:
            yield cells.words(key), cells.seconds(time)
