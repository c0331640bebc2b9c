"""Reading for the transcript, in a worker thread: outlines, then windows of laid-out messages."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from explorer.model import Message, Outline, Session, ToolCall
from explorer.render.blocks import Block, View, blocks
from explorer.store.base import Store
from explorer.store.catalog import Unit
from explorer.store.read_only import CancelToken
from explorer.store.reading import same
from explorer.tui.document import Laid

GONE = (Block("gone", ((("this message is no longer in the file", "dim"),),)),)
LOOK_BACK = 40
"""Messages before a window that are searched for the calls its results answer."""


class Outlined(NamedTuple):
    """All messages of a conversation, and where its parts begin."""

    session: Session
    outlines: tuple[Outline, ...]
    seams: Mapping[int, str]


def outline(store: Store, session: Session, unit: Unit, token: CancelToken) -> Outlined:
    """The outline of a whole conversation, part after part."""
    found: list[Outline] = []
    seams: dict[int, str] = {}
    for number, key in enumerate(unit.parts):
        part = store.outlines(key, token=token)
        if number and part:
            seams[part[0].id] = f"continued · part {number + 1} of {len(unit.parts)}"
        found += part
    return Outlined(session, tuple(found), seams)


def lay_out(
    store: Store, outlined: Outlined, items: range, view: View, token: CancelToken
) -> dict[int, Laid]:
    """The messages `items` of a conversation, laid out."""
    outlines = outlined.outlines
    if not items:
        return {}
    start = max(_calling(outlines, items.start) - 1, 0)
    by_session: dict[int, list[int]] = {}
    for one in outlines[start : items.stop]:
        by_session.setdefault(one.session_key, []).append(one.id)
    messages = {
        (key, message.id): message
        for key, ids in by_session.items()
        for message in store.messages(key, ids, token)
    }
    token.check()
    answered = {one.tool_call_id for one in outlines if one.tool_call_id}
    made = view._replace(answered=answered, seams=outlined.seams, first=outlines[0].id)
    result: dict[int, Laid] = {}
    calls: dict[str, ToolCall] = {}
    before: Message | None = None
    shown = -1
    for item in range(start, items.stop):
        message = messages.get((outlines[item].session_key, outlines[item].id))
        if message is None:
            result[item] = Laid(None, GONE)
            continue
        # The call nearest before: some agents use an id again and again.
        alone = message.timestamp if len(message.tool_calls) == 1 else None
        calls |= {one.id: one._replace(asked_at=alone) for one in message.tool_calls if one.id}
        call = calls.get(message.tool_call_id or "")
        if before is not None and same(before, message):
            # Written several times over: one stands for all, the others take no room.
            result[shown] = _once_more(result[shown], made)
            result[item] = Laid(message, (), call)
        else:
            result[item] = Laid(message, blocks(message, made, call), call)
            shown = item
        before = message
    return {item: laid for item, laid in result.items() if item in items}


def _once_more(laid: Laid, view: View) -> Laid:
    if laid.message is None:
        return laid
    message = laid.message._replace(repeats=laid.message.repeats + 1)
    return laid._replace(message=message, blocks=blocks(message, view, laid.call))


def _calling(outlines: Sequence[Outline], start: int) -> int:
    """Where to begin reading so that the results at `start` know the calls they answer."""
    at = start
    while at > 0 and outlines[at].role == "tool" and start - at < LOOK_BACK:
        at -= 1
    return at
