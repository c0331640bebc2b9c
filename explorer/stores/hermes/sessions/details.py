"""Everything a Hermes file says about a session or a conversation, except its messages.

Known columns have labels and a place; everything else in a file of any schema comes under "Also
stored", so that nothing is left out. For a conversation the numbers are sums, and the rest is of
its newest part. Other tables hold parents and children, the gateway's routes and usage by model;
newer schemas keep prompts and tools once for all sessions, by their hash.
"""

from collections.abc import Collection, Sequence
from itertools import islice

from explorer.cancel import CancelToken
from explorer.errors import session_gone
from explorer.model import Kind
from explorer.render.figures import count, duration, exact, plural
from explorer.render.session_context import TITLE, session_context
from explorer.stores.base import Details
from explorer.stores.catalog import Unit
from explorer.stores.fact_rows import (
    READ,
    Record,
    Row,
    columns_of,
    labelled,
    newest,
    others,
    sections,
    settings,
    total,
)
from explorer.stores.hermes import words
from explorer.stores.hermes.gateway import files_of, routes_to
from explorer.stores.hermes.messages import system_prompt
from explorer.stores.hermes.origins import COLUMNS as ORIGIN
from explorer.stores.hermes.origins import of_row
from explorer.stores.hermes.sessions.columns import keys_of
from explorer.stores.hermes.sessions.rows import (
    SPENDING,
    coded,
    cost_rows,
    price,
    read_time,
    statuses,
    token_rows,
)
from explorer.stores.hermes.sessions.survey import (
    NEWEST,
    TIES,
    Ties,
    latest,
    links,
    make_ties,
    newest_time,
)
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.read_only import Reader, ReadOnlyFile
from explorer.stores.sqlite.schema import batches, placeholders
from explorer.stores.sqlite.slices import numbered_rows

IDS = ("id", "parent_session_id")
"""Never cut."""
TIMES = (
    *("started_at", "ended_at", "end_reason", "last_read_at"),
    *("last_activity_at", "last_activity_description", "last_activity_provenance"),
)
PROMPT, TOOLS = "system_prompt_hash", "tool_names"
"""Hashes of texts that many sessions share."""
KNOWN = (
    *IDS,
    *("title", "title_source", "pinned", "hidden", "archived", "auto_archived"),
    *("model", "model_config", PROMPT, TOOLS),
    *(*words.COUNTS, *words.WHERE, *words.MODEL, "billing_mode"),
    *(*words.TOKENS, *SPENDING, *TIMES),
)


def details(file: ReadOnlyFile, unit: Unit, token: CancelToken) -> Details:
    """Everything about a unit. Files are looked for after the database is closed."""
    ids, title, told, rest = file.read(lambda reader: _read(reader, unit), token)

    def known(others: Collection[str]) -> Collection[str]:
        return file.read(lambda reader: keys_of(reader, sorted(others)), token)

    files = files_of(file.path, ids, known, token)
    return Details(ids[-1], title, (*sections(told), files, *sections([rest])))


_Facts = tuple[str, Sequence[Row]]


def _read(reader: Reader, unit: Unit) -> tuple[list[str], str | None, list[_Facts], _Facts]:
    """What the tables hold: (ids of the parts, title, sections, all other columns)."""
    found, last = _records(reader, (*unit.parts, *unit.whole))
    parts = tuple(found[key] for key in unit.parts if key in found)
    if unit.key not in found or not parts:
        raise session_gone()
    one = newest(parts)
    ids = [part.text("id") for part in parts]
    chain = unit.whole or unit.parts
    told: list[_Facts] = [
        ("Session", _session(parts, one)),
        ("Where", [*_chat(one), *labelled(one, words.WHERE), *resets(reader, one)]),
        (TITLE, _told_where(reader, unit.parts[-1])),
        ("Model", [*_model(parts, one), *_tools(reader, one)]),
        ("Tokens", token_rows(parts)),
        ("Cost", cost_rows(parts, one)),
        ("By model", usage(reader, unit.parts)),
        ("Times", _times(parts, [last[key] for key in unit.parts if key in last])),
        ("Lineage", lineage(reader, unit)),
        ("Parts", _parts([found[key] for key in chain if key in found], parts)),
        ("Routes", routes(reader, ids)),
    ]
    rest = others(_with_prompt(reader, one), KNOWN)
    return ids, one.text("title") or None, told, ("Also stored", rest)


def _told_where(reader: Reader, key: int) -> list[Row]:
    """What the agent was told about the chat it is in."""
    context = session_context(system_prompt(reader, key))
    return list(context.rows) if context else []


def _records(
    reader: Reader, keys: Sequence[int]
) -> tuple[dict[int, Record], dict[int, float | None]]:
    """(the rows, the time of the newest message) by key."""
    columns = columns_of(reader.schema, "sessions", "s", KNOWN, IDS)
    found: dict[int, Record] = {}
    last: dict[int, float | None] = {}
    select = f"{NEWEST}, {columns.select}"
    for key, greatest, *row in numbered_rows(reader, select, "sessions", dict.fromkeys(keys)):
        found[key] = columns.record(row)
        last[key] = newest_time(reader, key, greatest)
    return found, last


def _session(parts: Sequence[Record], one: Record) -> list[Row]:
    rows = [*labelled(one, {"title": "Title"}), *coded(one, "title_source")]
    rows.append(("Id", parts[-1].text("id")))
    if len(parts) > 1:
        rows.append(("Parts", f"{count(len(parts))} (one conversation)"))
    for column, label in words.COUNTS.items():
        number = total(parts, column)
        if number or (number == 0 and column == "message_count"):
            rows.append((label, count(number)))
    return [*rows, *_standing(parts)]


def _standing(parts: Sequence[Record]) -> list[Row]:
    """Whether it is pinned, hidden or archived, and by whom."""
    rows, tip = [], parts[-1]
    pinned = [part for part in parts if part.has("pinned")]
    if pinned:
        rows.append(("Pinned", _yes(pinned[-1], "pinned")))
    if tip.has("hidden"):
        rows.append(("Hidden", _yes(tip, "hidden", words.HIDDEN)))
    if tip.has("archived"):
        swept = cells.flag(tip.cell.get("auto_archived"), default=False)
        rows.append(("Archived", _yes(tip, "archived", words.AUTO_ARCHIVED if swept else "yes")))
    return rows


def _yes(record: Record, column: str, yes: str = "yes") -> str:
    """A flag in words; any other cell unchanged."""
    return yes if cells.flag(record.cell[column], default=False) else record.told(column)


def _tools(reader: Reader, one: Record) -> list[Row]:
    """The names of the tools that the model could call, from their descriptions."""
    if not one.has(TOOLS):
        return []
    found = shared_text(reader, one.text(TOOLS), TOOLS_READ)
    names = map(_name, cells.items(found[0])) if found else ()
    plain = one.told(TOOLS) if one.text(TOOLS)[:1] in ("[", "{") else words.NO_TOOLS
    return [("Tools", ", ".join(filter(None, names)) or plain)]


def _with_prompt(reader: Reader, one: Record) -> Record:
    """The row with its system prompt, where that is in a table of its own."""
    found = shared_text(reader, one.text(PROMPT), READ) if one.has(PROMPT) else None
    if found is None:
        return one
    text, size = found
    return Record(
        {**one.cell, "system_prompt": text},
        {**one.size, "system_prompt": size},
    )


def _model(parts: Sequence[Record], one: Record) -> list[Row]:
    models = dict.fromkeys(part.text("model") for part in parts if part.has("model"))
    rows = [("Model", "\n".join(models))] if models else []
    rows += [*labelled(one, words.MODEL), *coded(one, "billing_mode")]
    return [*rows, *settings(one, "model_config", "Settings")]


def _times(parts: Sequence[Record], last: Sequence[float | None]) -> list[Row]:
    started = cells.seconds(parts[0].cell.get("started_at"))
    ended = cells.seconds(parts[-1].cell.get("ended_at"))
    message = max((time for time in last if time is not None), default=None)
    noted = max(
        filter(None, (cells.sane_seconds(part.cell.get("last_activity_at")) for part in parts)),
        default=None,
    )
    active = latest(message, noted)
    rows = [("Started", parts[0].told("started_at"))]
    if message is not None:
        rows.append(("Last message", exact(message)))
    if noted is not None:
        rows.append(("Last active", "\n".join((exact(noted), *_doing(parts[-1])))))
    if (read_at := read_time(parts[-1].cell.get("last_read_at"))) is not None:
        rows.append(("Last read", exact(read_at) if read_at else words.UNREAD))
    rows.append(("Ended", parts[-1].told("ended_at") or words.NOT_RECORDED))
    rows += coded(parts[-1], "end_reason")
    end = ended or active
    if started is not None and end is not None:
        rows.append(("Duration", duration(end - started)))
    return rows


def _doing(part: Record) -> list[str]:
    """What the agent was doing, and how that is known."""
    provenance = part.told("last_activity_provenance")
    source = f"source: {provenance}" if provenance else ""
    return [line for line in (part.told("last_activity_description"), source) if line]


def _parts(chain: Sequence[Record], here: Sequence[Record]) -> list[Row]:
    if len(chain) < 2:
        return []
    rows = []
    for number, part in enumerate(chain, 1):
        messages = cells.amount(part.cell.get("message_count"))
        facts = [exact(cells.seconds(part.cell.get("started_at"))), plural(messages, "message")]
        if len(here) < len(chain) and part in here:
            facts.append(words.THIS_PART)
        rows.append((f"Part {number}", f"{part.text('id')}\n{' · '.join(facts)}"))
    return rows


MOST_ROUTES = 20
MOST_MODELS = 20


def lineage(reader: Reader, unit: Unit) -> list[Row]:
    """Its kind and parent, and how many children it has."""
    what, parent_is, _ = words.KINDS[unit.kind]
    rows = [("Kind", what)]
    if unit.restored:
        rows.append(("Hidden", words.RESTORED))
    parent = _parent(reader, unit)
    if parent:
        rows.append((parent_is, parent))
    found = _children(reader, unit)
    labels = {kind: label for kind, (_, _, label) in words.KINDS.items()}
    return rows + [(labels[kind], count(found[kind])) for kind in labels if kind in found]


def _parent(reader: Reader, unit: Unit) -> str:
    """Title and id of the parent of the first part; empty where it has none."""
    title = reader.schema.pick("sessions", "p", ("title",))
    found = reader.row(
        f"SELECT s.parent_session_id, p.rowid, {title} FROM sessions s"
        " LEFT JOIN sessions p ON p.id = s.parent_session_id WHERE s.rowid = ?",
        (unit.parts[0],),
    )
    if found is None or not found[0]:
        return ""
    id_, title = cells.words(found[0]), cells.words(found[2])
    if found[1] is None:
        return f"{id_}\n{words.GONE}"
    return f"{title}\n{id_}" if title else id_


def _children(reader: Reader, unit: Unit) -> dict[Kind, int]:
    """How many sessions of each kind have one of the parts as parent; by the index on it."""
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


def _chat(one: Record) -> list[Row]:
    """Who talked to the agent, and where."""
    origin = of_row(*(one.cell.get(name) for name in ORIGIN))
    return [("Chat", origin.words)] if origin and origin.words else []


def resets(reader: Reader, one: Record) -> list[Row]:
    """How often the chat of a session was reset, which newer agents count."""
    table = "conversation_generations"
    if not reader.schema.has(table, "source", "session_key", "generation"):
        return []
    number = reader.value(
        f"SELECT g.generation FROM {table} g WHERE g.source = ? AND g.session_key = ?",
        (one.text("source"), one.text("session_key")),
    )
    times = cells.amount(number)
    return [("Chat resets", count(times))] if times else []


def routes(reader: Reader, ids: Sequence[str]) -> list[Row]:
    """The chats that the gateway would answer with one of these sessions."""
    found = routes_to(reader.rows, reader.schema, set(filter(None, ids)))
    return [("Route", f"{key}\nset {exact(time)}") for key, time in islice(found, MOST_ROUTES)]


def usage(reader: Reader, keys: Sequence[int]) -> list[Row]:
    """The usage by model, over all parts; by the index on the session."""
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
    used = [plural(calls, "call")] if calls else []
    for column, label in words.TOKENS.items():
        number = total(records, column)
        if number:
            used.append(f"{label.lower()} {count(number)}")
    paid = filter(None, (price(records), *statuses(records)))
    return [line for line in (" · ".join(used), " · ".join(paid)) if line]


TOOLS_READ = 1_000_000
"""Bytes of tool descriptions: a hundred tools have some hundred thousand."""


def shared_text(reader: Reader, hash_: str, most: int) -> tuple[bytes, int] | None:
    """(the beginning of a text, its size in bytes); None where the file does not hold it."""
    if not hash_ or not reader.schema.has("system_prompts", "hash", "prompt"):
        return None
    found = reader.row(
        "SELECT substr(CAST(p.prompt AS BLOB), 1, ?), length(CAST(p.prompt AS BLOB))"
        " FROM system_prompts p WHERE p.hash = ?",
        (most, hash_),
    )
    return (found[0] or b"", cells.amount(found[1])) if found else None


def _name(tool: dict[str, object]) -> str:
    function = tool.get("function")
    name = function.get("name") if isinstance(function, dict) else tool.get("name")
    return name if isinstance(name, str) else ""
