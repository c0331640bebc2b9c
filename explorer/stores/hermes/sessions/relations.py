"""What other rows say of a session: parents and children, the gateway's routes, use by model; and
the prompts and tools that newer schemas keep once for all sessions, by their hash.
"""

from collections.abc import Sequence
from itertools import islice

from explorer.model import Kind
from explorer.render.figures import count, exact, plural
from explorer.stores.catalog import Unit
from explorer.stores.fact_rows import Record, Row, columns_of, total
from explorer.stores.hermes.gateway import routes_to
from explorer.stores.hermes.links import Ties, links
from explorer.stores.hermes.sessions.rows import TOKENS, price, statuses
from explorer.stores.hermes.sessions.survey import TIES, make_ties
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.read_only import Reader
from explorer.stores.sqlite.schema import batches, placeholders

MOST_ROUTES = 20
MOST_MODELS = 20

_KINDS = {
    Kind.ROOT: "a conversation of its own",
    Kind.BRANCH: "a branch of another session",
    Kind.SUBAGENT: "a subagent's session",
    Kind.CONTINUATION: "a part of a conversation",
}
_PARENTS = {
    Kind.ROOT: "Came after",
    Kind.BRANCH: "Branch of",
    Kind.SUBAGENT: "Subagent of",
    Kind.CONTINUATION: "Continues",
}
_CHILDREN = {
    Kind.BRANCH: "Branches",
    Kind.SUBAGENT: "Subagents",
    Kind.CONTINUATION: "Continued by",
    Kind.ROOT: "After a reset",
}


def lineage(reader: Reader, unit: Unit) -> list[Row]:
    """What it came from, and how many sessions came of it."""
    rows = [("Kind", _KINDS[unit.kind])]
    if unit.restored:
        rows.append(("Hidden", "by Hermes, since an upgrade took it for a subagent's; not lost"))
    parent = _parent(reader, unit)
    if parent:
        rows.append((_PARENTS[unit.kind], parent))
    came = _children(reader, unit)
    return rows + [(label, count(came[kind])) for kind, label in _CHILDREN.items() if kind in came]


def _parent(reader: Reader, unit: Unit) -> str:
    """Id and title of the parent of the first part; empty where it has none."""
    title = reader.schema.pick("sessions", "p", ("title",))
    found = reader.row(
        f"SELECT s.parent_session_id, p.rowid, {title} FROM sessions s"
        " LEFT JOIN sessions p ON p.id = s.parent_session_id WHERE s.rowid = ?",
        (unit.parts[0],),
    )
    if found is None or not found[0]:
        return ""
    about = cells.words(found[2]) if found[1] is not None else "its row is gone"
    return f"{cells.words(found[0])}\n{about}".rstrip("\n")


def _children(reader: Reader, unit: Unit) -> dict[Kind, int]:
    """How many sessions of each kind have one of the parts for a parent; by the index on it."""
    select = f"SELECT s.rowid, {reader.schema.pick('sessions', 's', TIES)} FROM sessions s"
    everyone: dict[int, Ties] = {}
    for batch in batches(unit.parts):
        places = placeholders(batch)
        own = f"s.rowid IN ({places})"
        below = f"s.parent_session_id IN (SELECT p.id FROM sessions p WHERE p.rowid IN ({places}))"
        for which in (own, below):
            rows = reader.rows(f"{select} WHERE {which}", batch)
            everyone |= {row[0]: make_ties(row, {}) for row in rows}
    found: dict[Kind, int] = {}
    marks = links(everyone.values(), markers=reader.schema.has("sessions", "archived"))
    for key, link in marks.items():
        if link.parent in unit.parts and key not in unit.parts:
            found[link.kind] = found.get(link.kind, 0) + 1
    return found


def resets(reader: Reader, one: Record) -> list[Row]:
    """How often the chat of a session has begun anew, which newer agents count."""
    table = "conversation_generations"
    if not reader.schema.has(table, "source", "session_key", "generation"):
        return []
    number = reader.value(
        f"SELECT g.generation FROM {table} g WHERE g.source = ? AND g.session_key = ?",
        (one.text("source"), one.text("session_key")),
    )
    times = cells.amount(number)
    return [("This chat began anew", plural(times, "time"))] if times else []


def routes(reader: Reader, ids: Sequence[str]) -> list[Row]:
    """The chats that the gateway would answer with one of these sessions."""
    found = routes_to(reader.rows, reader.schema, set(filter(None, ids)))
    return [("Route", f"{key}\nset {exact(time)}") for key, time in islice(found, MOST_ROUTES)]


def usage(reader: Reader, keys: Sequence[int]) -> list[Row]:
    """What each model did, over all parts; by the index on the session."""
    table = "session_model_usage"
    if not reader.schema.has(table, "session_id", "model"):
        return []
    columns = columns_of(reader.schema, table, "u", ("model", "task", "billing_provider"), ())
    by_model: dict[tuple[str, str, str], list[Record]] = {}
    for batch in batches(keys):
        places = placeholders(batch)
        for row in reader.rows(
            f"SELECT {columns.select} FROM {table} u WHERE u.session_id IN"
            f" (SELECT s.id FROM sessions s WHERE s.rowid IN ({places}))",
            batch,
        ):
            record = columns.record(row)
            name = (record.text("model"), record.text("task"), record.text("billing_provider"))
            by_model.setdefault(name, []).append(record)
    return [
        (" · ".join(filter(None, name)), "\n".join(_used(records)))
        for name, records in list(by_model.items())[:MOST_MODELS]
    ]


def _used(records: Sequence[Record]) -> list[str]:
    calls = total(records, "api_call_count")
    words = [plural(calls, "call")] if calls else []
    for column, label in TOKENS.items():
        number = total(records, column)
        if number:
            words.append(f"{label.lower()} {count(number)}")
    paid = filter(None, (price(records), *statuses(records)))
    return [line for line in (" · ".join(words), " · ".join(paid)) if line]


TOOLS_READ = 1_000_000
"""Bytes of a description of tools: of a hundred of them it has some hundred thousand."""


def shared_text(reader: Reader, hash_: str, most: int) -> tuple[bytes, int] | None:
    """(the beginning of a text, its bytes in all); None where the file does not hold it."""
    if not hash_ or not reader.schema.has("system_prompts", "hash", "prompt"):
        return None
    found = reader.row(
        "SELECT substr(CAST(p.prompt AS BLOB), 1, ?), length(CAST(p.prompt AS BLOB))"
        " FROM system_prompts p WHERE p.hash = ?",
        (most, hash_),
    )
    return (found[0] or b"", cells.amount(found[1])) if found else None


def tools(reader: Reader, hash_: str) -> str:
    """The names of the tools in a description of them; empty where it cannot be read."""
    found = shared_text(reader, hash_, TOOLS_READ)
    names = [_name(one) for one in cells.items(found[0])] if found else []
    return ", ".join(filter(None, names))


def _name(tool: dict[str, object]) -> str:
    function = tool.get("function")
    name = function.get("name") if isinstance(function, dict) else tool.get("name")
    return name if isinstance(name, str) else ""
