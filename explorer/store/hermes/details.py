"""Everything a Hermes file says of a session or a conversation, but for its messages.

Columns that are known have labels and a place; whatever else a file of any schema holds comes
under "Also stored", so that nothing is kept from who asks. Of a conversation the numbers are sums
and the rest is what its newest part says.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from explorer.errors import NoSuchSession
from explorer.render.amounts import count, plural
from explorer.render.when import duration, exact
from explorer.store import cells
from explorer.store.base import Details
from explorer.store.catalog import Unit
from explorer.store.detailed import (
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
from explorer.store.hermes.beside import files_of
from explorer.store.hermes.codes import END_REASONS, in_words
from explorer.store.hermes.facts import keys_of
from explorer.store.hermes.relations import lineage, routes, usage
from explorer.store.hermes.spending import SPENDING, TOKENS, cost_rows, token_rows
from explorer.store.hermes.survey import batches, newest_time
from explorer.store.read_only import CancelToken, Reader, ReadOnlyFile

IDS = ("id", "parent_session_id")
"""Never cut."""
COUNTS = {
    "message_count": "Messages",
    "tool_call_count": "Tool calls",
    "api_call_count": "Model calls",
    "rewind_count": "Rewound",
}
WHERE = {
    "source": "Source",
    "display_name": "Chat",
    "chat_type": "Kind of chat",
    "chat_id": "Chat id",
    "thread_id": "Thread",
    "user_id": "User",
    "session_key": "Session key",
    "profile_name": "Profile",
    "cwd": "Workspace",
    "git_repo_root": "Repository",
    "git_branch": "Branch",
    "origin_json": "Origin",
    "handoff_state": "Hand-over",
    "handoff_platform": "Handed over to",
    "handoff_error": "Hand-over failed",
}
MODEL = {
    "billing_provider": "Provider",
    "billing_base_url": "Address",
    "billing_mode": "Paid by",
}
TIMES = ("started_at", "ended_at", "end_reason")
KNOWN = (
    *IDS,
    *("title", "archived", "model", "model_config"),
    *(*COUNTS, *WHERE, *MODEL, *TOKENS, *SPENDING, *TIMES),
)


class _Read(NamedTuple):
    """What the tables say."""

    parts: tuple[Record, ...]
    title: str | None
    sections: Sequence[tuple[str, Sequence[Row]]]
    rest: Sequence[Row]


def details(file: ReadOnlyFile, unit: Unit, token: CancelToken) -> Details:
    """All about a unit. Files are looked for when the database is closed again."""
    read = file.read(lambda reader: _read(reader, unit), token)
    ids = [part.text("id") for part in read.parts]
    made = sections(read.sections)

    def known(others: Collection[str]) -> Collection[str]:
        return file.read(lambda reader: keys_of(reader, sorted(others)), token)

    files = files_of(file.path, ids, known, token)
    rest = sections([("Also stored", read.rest)])
    return Details(ids[-1], read.title, (*made, files, *rest))


def _read(reader: Reader, unit: Unit) -> _Read:
    found, last = _records(reader, (*unit.parts, *unit.whole))
    parts = tuple(found[key] for key in unit.parts if key in found)
    if unit.key not in found or not parts:
        raise NoSuchSession("No such session", "It was deleted a moment ago.")
    one = newest(parts)
    chain = unit.whole or unit.parts
    told = [
        ("Session", _session(parts, one)),
        ("Where", labelled(one, WHERE)),
        ("Model", _model(parts, one)),
        ("Tokens", token_rows(parts)),
        ("Cost", cost_rows(parts, one)),
        ("By model", usage(reader, unit.parts)),
        ("Times", _times(parts, [last[key] for key in unit.parts if key in last])),
        ("Lineage", lineage(reader, unit)),
        ("Parts", _parts([found[key] for key in chain if key in found], parts)),
        ("Routes", routes(reader, [part.text("id") for part in parts])),
    ]
    return _Read(parts, one.text("title") or None, told, others(one, KNOWN))


def _records(
    reader: Reader, keys: Sequence[int]
) -> tuple[dict[int, Record], dict[int, float | None]]:
    """(the rows, the time of the newest message) by key."""
    columns = columns_of(reader.schema, "sessions", "s", KNOWN, IDS)
    found: dict[int, Record] = {}
    last: dict[int, float | None] = {}
    for batch in batches(dict.fromkeys(keys)):
        places = ",".join("?" * len(batch))
        for key, greatest, *row in reader.rows(
            "SELECT s.rowid, (SELECT max(m.timestamp) FROM messages m WHERE m.session_id = s.id),"
            f" {columns.select} FROM sessions s WHERE s.rowid IN ({places})",
            batch,
        ):
            found[key] = columns.record(row)
            last[key] = newest_time(reader, key, greatest)
    return found, last


def _session(parts: Sequence[Record], one: Record) -> list[Row]:
    rows = [*labelled(one, {"title": "Title"}), ("Id", parts[-1].text("id"))]
    if len(parts) > 1:
        rows.append(("Parts", f"{count(len(parts))}, read as one conversation"))
    for column, label in COUNTS.items():
        number = total(parts, column)
        if number or (number == 0 and column == "message_count"):
            rows.append((label, count(number)))
    if parts[-1].has("archived"):
        yes = cells.flag(parts[-1].cell["archived"], default=False)
        rows.append(("Archived", "yes" if yes else parts[-1].told("archived")))
    return rows


def _model(parts: Sequence[Record], one: Record) -> list[Row]:
    models = dict.fromkeys(part.text("model") for part in parts if part.has("model"))
    rows = [("Model", "\n".join(models))] if models else []
    return [*rows, *labelled(one, MODEL), *settings(one, "model_config", "Settings")]


def _times(parts: Sequence[Record], last: Sequence[float | None]) -> list[Row]:
    started = cells.seconds(parts[0].cell.get("started_at"))
    ended = cells.seconds(parts[-1].cell.get("ended_at"))
    active = max((time for time in last if time is not None), default=None)
    rows = [("Started", parts[0].told("started_at"))]
    if active is not None:
        rows.append(("Last message", exact(active)))
    rows.append(("Ended", parts[-1].told("ended_at") or "not noted"))
    if parts[-1].has("end_reason"):
        rows.append(("How it ended", in_words(parts[-1].told("end_reason"), END_REASONS)))
    end = ended or active
    if started is not None and end is not None:
        rows.append(("Lasted", duration(end - started)))
    return rows


def _parts(chain: Sequence[Record], here: Sequence[Record]) -> list[Row]:
    if len(chain) < 2:
        return []
    rows = []
    for number, part in enumerate(chain, 1):
        messages = cells.amount(part.cell.get("message_count"))
        facts = [exact(cells.seconds(part.cell.get("started_at"))), plural(messages, "message")]
        if len(here) < len(chain) and part in here:
            facts.append("this one")
        rows.append((f"Part {number}", f"{part.text('id')}\n{' · '.join(facts)}"))
    return rows
