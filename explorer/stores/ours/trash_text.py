"""What a session in the trash says, as plain text: enough to know whether it is the right one."""

from collections.abc import Iterator

from explorer.render.figures import exact
from explorer.stores.content import content_text, tool_calls
from explorer.stores.ours.trash import TrashFile
from explorer.stores.ours.trash_records import Entry
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.images import named


def told(trash: TrashFile, entry: Entry) -> Iterator[str]:
    """The messages of an entry, one after the other; whoever shows them cleans them."""
    for pack in trash.packs(entry.number):
        if not pack.table.endswith("messages") or "role" not in pack.columns:
            continue
        for row in pack.rows:
            cell = named(pack.columns, row)
            time = cell.get("timestamp", cell.get("created_at"))
            yield f"── {cells.words(cell['role'])} · {exact(cells.seconds(time))}"
            text = content_text(cell.get("content"), bare_json="active" not in cell)
            calls = tool_calls(cell.get("tool_calls", cell.get("tool_calls_json")))
            names = ", ".join(call.name for call in calls)
            yield from filter(None, (text, f"[calls {names}]" if names else ""))
            yield ""
