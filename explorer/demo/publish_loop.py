"""Puts chats into a file of power-loop."""

import hashlib
from collections.abc import Iterable

from explorer.demo.parcel_bot import INTERRUPTED, LIFECYCLES, SUMMARISED
from explorer.demo.script import DemoSession
from explorer.stores.power_loop.create import LoopFile


def publish_loop(file: LoopFile, chats: Iterable[DemoSession], prompt: str, now: float) -> None:
    for chat in sorted(chats, key=lambda chat: chat.started(now)):
        _write(file, chat, prompt, now)


def _write(file: LoopFile, chat: DemoSession, prompt: str, now: float) -> None:
    started, session = chat.started(now), _id(chat)
    file.add_session(
        session,
        started,
        started + chat.clock,
        chat.model.name,
        system_prompt=prompt,
        title=None if chat.parent else chat.name,
        parent=_id(chat.parent) if chat.parent else None,
        call=_starting_call(chat.parent, chat.name) if chat.parent else None,
        depth=_depth(chat),
        lifecycle=LIFECYCLES.get(chat.name, "ephemeral"),
    )
    turn, letters = -1, len(prompt)
    lines = chat.lines[: INTERRUPTED.get(chat.name)]
    for seq, line in enumerate(lines, 1):
        turn += line.role == "user"
        text = line.content if isinstance(line.content, str) else None
        at = started + line.at
        file.add_message(
            session,
            seq,
            turn,
            line.role,
            text,
            at,
            calls=line.calls,
            call=line.call_id,
            tool=line.tool_name,
            meta={"finish_reason": line.finish} if line.finish else None,
        )
        if line.finish == "stop":
            tokens = letters // 4, len(text or "") // 4 + 1, letters // 8
            file.set_usage(session, turn, tokens, chat.model.name, at)
        letters += len(text or "")
    last = lines[-1]
    file.set_state(session, len(lines), turn + 1, last.calls)
    if chat.name in SUMMARISED:
        folded, note = SUMMARISED[chat.name]
        file.fold(session, folded, note, (letters // 4, len(note) // 4), started + last.at)


def _id(chat: DemoSession) -> str:
    return "sess_" + hashlib.sha256(chat.name.encode()).hexdigest()[:24]


def _depth(chat: DemoSession) -> int:
    return 1 + _depth(chat.parent) if chat.parent else 0


def _starting_call(parent: DemoSession, task: str) -> str | None:
    """The tool call that started a subagent."""
    made = (call for line in parent.lines for call in line.calls if task in str(call))
    return next((str(call["id"]) for call in made), None)
