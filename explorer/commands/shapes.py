"""The JSON shapes of the contract: keys may be added, none is ever removed."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from explorer.model import Hit, Kind, Message, Provenance, Session, StoreInfo
from explorer.render.figures import iso_utc
from explorer.stores.base import OneStore, Store
from explorer.stores.census import Census
from explorer.stores.fates import Fates, reason_words
from explorer.stores.hermes.store import profile_of
from explorer.stores.server_path import on_server
from explorer.stores.sqlite.failures import size_of

if TYPE_CHECKING:
    # A list need not load the edits: 2 ms.
    from explorer.stores.base import Store
    from explorer.stores.edits.plans import Done, EditPlan, Planned

_SESSION = (
    *("id", "title", "source", "model", "started_at", "last_active", "ended_at", "end_reason"),
    *("message_count", "tool_call_count", "preview", "last_reply", "kind", "state"),
    *("parent_id", "root_id", "tip_id", "parts", "archived", "profile", "workspace"),
    *("git_branch", "input_tokens", "output_tokens", "cost_usd", "cost_status", "subagents"),
    *("broken_off", "restored", "hidden", "pinned", "unread", "title_source", "owner"),
    "origin",
)
_MESSAGE = (
    *("id", "session_id", "role", "timestamp", "text", "reasoning", "opaque_reasoning"),
    *("tool_calls", "tool_call_id", "tool_name", "finish_reason", "state", "repeats", "display"),
)
_HIT = (
    *("session_id", "message_id", "title", "source", "role", "timestamp", "field", "state"),
    *("snippet", "marks", "context", "store", "profile", "owner", "origin"),
)
_INFO = (
    *("path", "kind", "schema_version", "journal_mode", "sessions", "messages", "orphans"),
    *("bytes", "wal_bytes", "snapshot", "sound"),
)
_SUMS = ("sessions", "messages", "orphans", "bytes", "wal_bytes")
_PLANNED = ("id", "title", "source", "messages", "bytes", "kind", "outcome", "reason", "files")
_KINDS = (*Kind, "")
_TIMES = ("started_at", "last_active", "ended_at", "timestamp")

Shape = dict[str, object]


def _shape(value: object, names: Iterable[str]) -> Shape:
    """The named fields of a value, times as text."""
    fields = {name: getattr(value, name) for name in names}
    return fields | {name: iso_utc(fields[name]) for name in _TIMES if name in fields}


def session_shape(session: Session, store: Store, fate: Shape | None) -> Shape:
    home, _ = store.home(session.key)
    return _shape(session, _SESSION) | {"fate": fate, "store": str(home.path)}


def fate_shape(fates: Fates, parts: Sequence[int], now: float) -> Shape | None:
    """What the agent is about to do to a conversation by itself; null if nothing or unknown."""
    fate = fates.of(parts, now)
    if fate is None:
        return None
    return {
        "action": fate.deed,
        "at": iso_utc(fate.at),
        "certain": fate.certain,
        "reason": reason_words(fates, fate),
        "parts": fate.parts,
    }


def message_shape(message: Message) -> Shape:
    calls = [_shape(call, ("id", "name", "arguments")) for call in message.tool_calls]
    said: Shape = {"tool_calls": calls, "reasoning": message.all_reasoning}
    said["file"] = message.file or None
    said["summarises"] = message.folded and {
        "messages": message.folded.messages,
        "tokens_before": message.folded.before,
        "tokens_after": message.folded.after,
    }
    said["waits_for"] = list(message.awaits)
    return _shape(message, _MESSAGE) | said


def provenance_shape(provenance: Provenance) -> Shape:
    """Where the messages of a transcript come from: the state file, or files beside it."""
    return {
        "kind": provenance.kind,
        "file": provenance.files[0] if provenance.files else None,
        "files": list(provenance.files),
        "messages": provenance.messages,
        "database_messages": provenance.database_messages,
        "bad_lines": provenance.bad_lines,
        "redacted": provenance.redacted,
        "cut": provenance.cut,
    }


def hit_shape(hit: Hit) -> Shape:
    around = [{"role": role, "text": text} for role, text in hit.context]
    return _shape(hit, _HIT) | {"context": around, "file": hit.file or None}


def info_shape(info: StoreInfo) -> Shape:
    more: Shape = {"search": info.search._asdict(), "edits": dict(info.edits)}
    return _shape(info, _INFO) | more | {"not_read": list(info.gaps)}


def several_shape(found: Sequence[StoreInfo]) -> Shape:
    """Several files together: what can be said of one only is null."""
    nothing: Shape = dict.fromkeys((*_INFO, "search", "edits", "not_read"))
    sums = {name: sum(getattr(info, name) for info in found) for name in _SUMS}
    return nothing | sums | {"sound": all(info.sound for info in found)}


def store_shape(one: OneStore, sessions: int | None, messages: int | None = None) -> Shape:
    """One of the files that a command is about."""
    error = one.error
    return {
        "store": str(one.path),
        "path": str(one.path),
        "name": one.name,
        "kind": one.store.kind if one.store else None,
        "profile": one.store.profile if one.store else profile_of(one.path),
        "sessions": None if error else sessions,
        "messages": None if error else messages,
        "bytes": None if on_server(one.path) else size_of(str(one.path)),
        "sound": None if error else one.sound,
        "error": f"{error.title}. {error.message}" if error else None,
    }


def listed_shapes(store: Store, census: Census) -> list[Shape]:
    """The files that a command is about, which has counted their sessions."""
    if store.places:
        return [store_shape(one, one.sessions) for one in store.stores()]
    (one,) = store.stores()
    return [store_shape(one._replace(sound=census.known.sound), census.total)]


def plan_shape(plan: "EditPlan", store: "Store") -> Shape:
    """A plan as JSON."""

    def place(key: int) -> Shape:
        home, _ = store.home(key)
        return {"store": str(home.path), "profile": home.profile}

    # An edit goes by what the agent noted, a list also by what follows from it.
    inferred = any(one.kind not in _KINDS for one in plan.sessions)
    catalog = store.catalog() if inferred else None

    def kind(one: "Planned") -> Shape:
        listed = catalog is not None and one.kind not in _KINDS
        return {"kind": catalog.kind(one.key) if catalog and listed else one.kind}

    return {
        "action": plan.action,
        "sessions": [_shape(one, _PLANNED) | kind(one) | place(one.key) for one in plan.sessions],
        "totals": plan.totals._asdict(),
        "skipped": dict(plan.skipped),
        "notes": plan.notes,
    }


def done_shape(done: "Done") -> Shape:
    """What was done, as JSON."""
    return {
        "receipt": done.receipt,
        "action": done.action,
        "done": done.ids,
        "done_in": [{"store": path, "id": id_} for path, id_ in done.done_in],
        "skipped": dict(done.skipped),
        "refused": done.refused,
        "notes": done.notes,
        "stopped": done.stopped,
    }
