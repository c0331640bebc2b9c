"""The JSON shapes of the contract: keys may be added, none is ever removed."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from explorer.model import Hit, Message, Session, StoreInfo
from explorer.render.figures import iso_utc
from explorer.stores.fates import Fates, reason_words

if TYPE_CHECKING:
    # Who only lists need not load what edits: 2 ms.
    from explorer.stores.edits.plans import Done, EditPlan


def session_shape(session: Session, fate: dict[str, object] | None = None) -> dict[str, object]:
    return {
        "id": session.id,
        "title": session.title,
        "source": session.source,
        "model": session.model,
        "started_at": iso_utc(session.started_at),
        "last_active": iso_utc(session.last_active),
        "ended_at": iso_utc(session.ended_at),
        "end_reason": session.end_reason,
        "message_count": session.message_count,
        "tool_call_count": session.tool_call_count,
        "preview": session.preview,
        "last_reply": session.last_reply,
        "kind": session.kind.value,
        "state": session.state.value,
        "parent_id": session.parent_id,
        "root_id": session.root_id,
        "tip_id": session.tip_id,
        "parts": session.parts,
        "archived": session.archived,
        "profile": session.profile,
        "workspace": session.workspace,
        "git_branch": session.git_branch,
        "input_tokens": session.input_tokens,
        "output_tokens": session.output_tokens,
        "cost_usd": session.cost_usd,
        "cost_status": session.cost_status,
        "subagents": session.subagents,
        "broken_off": session.broken_off,
        "restored": session.restored,
        "hidden": session.hidden,
        "pinned": session.pinned,
        "unread": session.unread,
        "title_source": session.title_source,
        "fate": fate,
    }


def fate_shape(fates: Fates, parts: Sequence[int], now: float) -> dict[str, object] | None:
    """What the agent is going to do to a conversation by itself; null for nothing, and where that
    is not known."""
    fate = fates.of(parts, now)
    if fate is None:
        return None
    return {
        "action": fate.deed.value,
        "at": iso_utc(fate.at),
        "certain": fate.certain,
        "reason": reason_words(fates, fate),
        "parts": fate.parts,
    }


def message_shape(message: Message) -> dict[str, object]:
    return {
        "id": message.id,
        "session_id": message.session_id,
        "role": message.role,
        "timestamp": iso_utc(message.timestamp),
        "text": message.text,
        "reasoning": message.reasoning,
        "opaque_reasoning": message.opaque_reasoning,
        "tool_calls": [
            {"id": call.id, "name": call.name, "arguments": call.arguments}
            for call in message.tool_calls
        ],
        "tool_call_id": message.tool_call_id,
        "tool_name": message.tool_name,
        "finish_reason": message.finish_reason,
        "state": message.state.value,
        "repeats": message.repeats,
        "display": message.display,
    }


def hit_shape(hit: Hit) -> dict[str, object]:
    return {
        "session_id": hit.session_id,
        "message_id": hit.message_id,
        "title": hit.title,
        "source": hit.source,
        "role": hit.role,
        "timestamp": iso_utc(hit.timestamp),
        "field": hit.field,
        "state": hit.state.value,
        "snippet": hit.snippet,
        "marks": [list(mark) for mark in hit.marks],
        "context": [{"role": role, "text": text} for role, text in hit.context],
    }


def info_shape(info: StoreInfo) -> dict[str, object]:
    shape: dict[str, object] = {
        name: getattr(info, name)
        for name in (
            "path",
            "kind",
            "schema_version",
            "journal_mode",
            "sessions",
            "messages",
            "orphans",
            "bytes",
            "wal_bytes",
            "snapshot",
            "sound",
        )
    }
    search = info.search._asdict()
    for name in ("covers", "trigram_covers", "trouble", "notes"):
        search[name] = list(search[name])
    search["leaves_out"] = {name: list(gaps) for name, gaps in info.search.leaves_out.items()}
    return shape | {"search": search, "edits": dict(info.edits)}


def plan_shape(plan: "EditPlan") -> dict[str, object]:
    """A plan as JSON."""
    return {
        "action": plan.action.value,
        "sessions": [
            {
                "id": one.id,
                "title": one.title,
                "source": one.source,
                "messages": one.messages,
                "bytes": one.bytes,
                "kind": one.kind,
                "outcome": one.outcome.value,
                "reason": one.reason,
                "files": list(one.files),
            }
            for one in plan.sessions
        ],
        "totals": plan.totals._asdict(),
        "skipped": dict(plan.skipped),
        "notes": list(plan.notes),
    }


def done_shape(done: "Done") -> dict[str, object]:
    """What was done, as JSON."""
    return {
        "receipt": done.receipt,
        "action": done.action,
        "done": list(done.ids),
        "skipped": dict(done.skipped),
        "notes": list(done.notes),
        "stopped": done.stopped,
    }
