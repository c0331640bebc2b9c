"""Puts chats into a state file in the order in which they would have happened.

Message ids grow with time across all sessions, as they do in a file that an agent wrote: searches
that show the newest first go by them.
"""

from collections import defaultdict
from collections.abc import Iterable
from itertools import accumulate

from explorer.demo.script import CHAT_APPS, Chat, Line
from explorer.stores.hermes.create.state_file import StateFile

PROMPT = (
    "You are Hermes, a helpful agent on Ada's machines. Be brief, be kind, check before you claim."
    "\n\n## What you know about Ada\n- Backend developer at Heron Parcel, mostly Python and Go."
    "\n- Home server `kiosk` in the hallway cupboard. Vegetarian. Learning Japanese."
)

_PROMPT_TOKENS = 2600


def publish(state: StateFile, chats: Iterable[Chat], now: float, profile: str = "default") -> None:
    told = sorted(chats, key=lambda chat: chat.started(now))
    for chat in told:
        _open(state, chat, now, profile)
    said = [(chat.started(now) + line.at, chat, line) for chat in told for line in chat.lines]
    compacted: dict[str, list[int]] = defaultdict(list)
    undone: dict[str, int] = {}
    for when, chat, line in sorted(said, key=lambda item: item[0]):
        session = chat.id(now)
        if line.fate != "rewound" and session in undone:
            state.rewind(session, undone.pop(session))
        row = _append(state, session, line, when)
        if line.fate == "rewound":
            undone.setdefault(session, row)
        if line.fate == "compacted":
            compacted[session].append(row)
    for session, row in undone.items():
        state.rewind(session, row)
    for session, messages in compacted.items():
        state.compact(session, messages)
    for chat in told:
        _finish(state, chat, now)


def _open(state: StateFile, chat: Chat, now: float, profile: str) -> None:
    parent = chat.parent.id(now) if chat.parent else None
    app = chat.source in CHAT_APPS
    config = {**chat.config, chat.marker: parent} if chat.marker else chat.config
    state.create_session(
        chat.id(now),
        chat.source,
        started_at=chat.started(now),
        model=chat.model.name,
        model_config=config,
        system_prompt=PROMPT,
        parent=parent,
        title=chat.name if chat.titled else None,
        cwd=chat.cwd,
        git_branch=chat.branch,
        git_repo_root=chat.cwd if chat.branch else None,
        profile=profile,
        user_id="ada" if app else None,
        chat_id=f"ada-{chat.source}" if app else None,
        chat_type="dm" if app else None,
        session_key=f"agent:main:{chat.source}:dm:ada-{chat.source}" if app else None,
    )


def _append(state: StateFile, session: str, line: Line, when: float) -> int:
    return state.append_message(
        session,
        line.role,
        line.content,
        timestamp=round(when, 3),
        tool_calls=line.calls or None,
        tool_call_id=line.call_id,
        tool_name=line.tool_name,
        finish_reason=line.finish,
        reasoning=line.reasoning,
        reasoning_content=line.reasoning_content,
        reasoning_details=line.reasoning_details,
        codex_reasoning_items=line.codex_reasoning_items,
    )


def _finish(state: StateFile, chat: Chat, now: float) -> None:
    session = chat.id(now)
    if chat.reason:
        state.end_session(session, chat.started(now) + chat.clock + 1.5, chat.reason)
    if chat.archived:
        state.set_archived(session, True)
    if chat.lines:
        _bill(state, session, chat)


def _bill(state: StateFile, session: str, chat: Chat) -> None:
    """Tokens as they would have been, at about four letters each; most of the past is cached."""
    sizes = [_tokens(line) for line in chat.lines]
    context = list(accumulate(sizes, initial=_PROMPT_TOKENS))
    turns = [index for index, line in enumerate(chat.lines) if line.role == "assistant"]
    output = sum(sizes[index] for index in turns)
    seen = sum(context[index] for index in turns)
    cached = seen * 4 // 5
    into, out = chat.model.prices
    price = ((seen - cached) * into + cached * into / 10 + output * out) / 1_000_000
    known = chat.cost in ("estimated", "actual")
    state.set_usage(
        session,
        seen - cached,
        output,
        round(price, 6) if known else None,
        chat.cost,
        actual_cost=round(price * 0.97, 6) if chat.cost == "actual" else None,
        cost_source="official_docs_snapshot" if known else "none",
        cache_read_tokens=cached,
        reasoning_tokens=output // 5,
        api_calls=len(turns),
        provider=chat.model.provider,
        billing_mode="subscription_included" if chat.cost == "included" else "api_key",
    )


def _tokens(line: Line) -> int:
    if isinstance(line.content, list):
        return 1100
    return (len(line.content or "") + len(str(line.calls))) // 4 + 4
