"""Reading for the transcript, in a worker thread: outlines, then windows of laid-out messages; and
the lines between messages: another part of the conversation, another day, a long pause.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import timedelta
from typing import NamedTuple

from explorer.cancel import CancelToken
from explorer.model import Message, MessageState, Outline, Session, State, ToolCall
from explorer.render.blocks import Block, View, blocks
from explorer.render.figures import duration, full_day, local_time
from explorer.render.provenance import provenance_words
from explorer.render.seams import (
    compressed_words,
    folded_words,
    interruption,
    messages,
    part_words,
)
from explorer.stores.base import Store
from explorer.stores.catalog import Unit
from explorer.stores.resolve import same
from explorer.transcript.document import LaidMessage

GONE = (Block("gone", ((("this message is no longer in the file", "dim"),),)),)
BEGINNING = 200
"""Messages of which the outline is read before any text appears; all others follow. To outline
35,000 takes a fifth of a second."""
LOOK_BACK = 40
"""Messages before a window that are searched for the calls its results answer."""
PAUSE = 3600.0
"""Seconds of silence that are worth a line."""
COMPARED = 60
"""Messages on either side of a seam that are compared."""
SUMMARY = 2
"""Messages that may stand before the repeated ones: the summary, and what the agent said to it."""


class Seam(NamedTuple):
    """A line between two messages."""

    words: str
    style: str


def pauses(outlines: Iterable[Outline]) -> Iterator[tuple[int, Seam]]:
    """The day above the first message of each day, and how long it was silent within one."""
    day_ends = before = float("-inf")
    for outline in outlines:
        time = outline.timestamp
        if time is None or time < before:
            # A clock that steps back is no other day.
            continue
        if time >= day_ends:
            then = local_time(time)
            if then is None:
                continue
            midnight = then.replace(hour=0, minute=0, second=0, microsecond=0)
            day_ends = (midnight + timedelta(days=1)).timestamp()
            yield outline.id, Seam(full_day(time), "dim")
        elif time - before >= PAUSE and outline.role == "user":
            yield outline.id, Seam(f"{duration(time - before)} later", "dim")
        before = time


def part_seams(number: int, parts: int, before: int, left_out: int) -> list[Seam]:
    """Where a conversation was compressed and goes on in another part."""
    repeats = Seam(f"{messages(left_out)} repeated from the previous part, shown once", "seam")
    words = part_words(number, parts, before)
    return [Seam(words, "seam"), *([repeats] if left_out else [])]


def compaction_seams(outlines: Sequence[Outline]) -> Iterator[tuple[int, Seam]]:
    """Where messages were compressed in place: above the summary, where the agent says which one
    that is, else above the first message after them."""
    summaries = [one for one in outlines if one.folded is not None]
    for one in summaries:
        assert one.folded is not None
        yield one.id, Seam(folded_words(one.folded), "seam")
    compacted = 0
    for outline in () if summaries else outlines:
        if outline.state is MessageState.COMPACTED:
            compacted += 1
        elif compacted:
            yield outline.id, Seam(compressed_words(compacted), "seam")
            compacted = 0


def repeated(
    store: Store, before: Sequence[Outline], after: Sequence[Outline], token: CancelToken
) -> frozenset[int]:
    """The messages at the beginning of a part that the part before it ends with: agents copy the
    last ones over. In their order, up to the first that is new; a summary before them is none."""
    old, new = before[-COMPARED:], after[:COMPARED]
    shapes = set(map(_shape, old))
    if not any(_shape(outline) in shapes for outline in new[: SUMMARY + 1]):
        return frozenset()
    earlier = _bodies(store, old, token)
    found: list[int] = []
    place = 0
    for at, message in enumerate(_bodies(store, new, token)):
        matches = (i for i in range(place, len(earlier)) if same(earlier[i], message))
        match = next(matches, None)
        if match is not None:
            found.append(message.id)
            place = match + 1
        elif found or at >= SUMMARY:
            break
    return frozenset(found)


def _shape(outline: Outline) -> tuple[str, int, bool]:
    """What two copies of a message have in common before their text is read."""
    return outline.role, outline.size, outline.calls


def _bodies(store: Store, outlines: Sequence[Outline], token: CancelToken) -> list[Message]:
    key = outlines[0].session_key
    return store.messages(key, [outline.id for outline in outlines], token)


class ConversationOutline(NamedTuple):
    """All messages of a conversation, and the lines between them."""

    session: Session
    outlines: tuple[Outline, ...]
    seams: Mapping[int, tuple[Seam, ...]]
    """Lines above a message, by its id."""
    prompts: Mapping[int, Message] = {}
    """Messages of our own making, with ids below zero: what the agent was told, and at the end
    that it was interrupted."""
    prompt_items: tuple[int, ...] = ()
    """Where those are."""
    answered: AbstractSet[str] = frozenset()
    """Ids of the calls whose results are there."""
    complete: bool = True
    """Otherwise these are only the first messages."""

    @property
    def waiting(self) -> int | None:
        """The message whose calls are being worked on: the last one of a running session, but for
        the results that have come."""
        if not self.complete or self.session.state is not State.RUNNING:
            return None
        said = (one.id for one in reversed(self.outlines) if one.role != "tool")
        return next(said, None)

    @property
    def messages(self) -> int:
        """How many there are, without those of our own making."""
        return len(self.outlines) - len(self.prompts)

    def messages_before(self, item: int) -> int:
        return item - bisect_left(self.prompt_items, item)

    def item_of(self, message: int | None) -> int | None:
        """The place of a message, by its id."""
        if message is None:
            return None
        found = (at for at, one in enumerate(self.outlines) if one.id == message)
        return next(found, None)

    def items_reseamed(self, before: "ConversationOutline") -> list[int]:
        """The places of messages above which other lines stand than before."""
        changed = {id_ for id_, seam in before.seams.items() if self.seams.get(id_) != seam}
        places = enumerate(self.outlines) if changed else ()
        return [at for at, one in places if one.id in changed]


def outline(
    store: Store,
    session: Session,
    unit: Unit,
    everything: bool,
    token: CancelToken,
    most: int | None = None,
) -> ConversationOutline:
    """The outline of a whole conversation, part after part, or of about the first `most` messages;
    `everything` includes what was rewound, what is repeated, and what is for the model alone."""
    found: list[Outline] = []
    seams: dict[int, list[Seam]] = {}
    prompts: dict[int, Message] = {}
    prompt_items: list[int] = []
    told = ""
    before: list[Outline] = []
    complete = True
    for number, key in enumerate(unit.parts):
        if most is None:
            part, whole = store.outlines(key, everything, token), True
        else:
            part, whole = store.first_outlines(key, most, everything, token)
        left_out: frozenset[int] = frozenset()
        if number and part and before and not everything:
            left_out = repeated(store, before, part, token)
        shown = [one for one in part if one.id not in left_out]
        prompt = store.system_prompt(key, token)
        if prompt.strip() and prompt != told:
            told, id_ = prompt, -1 - number
            prompts[id_] = Message(id_, session.id, "system", None, prompt)
            shown.insert(0, Outline(id_, key, "system", None, 1))
            prompt_items.append(len(found))
        if number and shown:
            seams[shown[0].id] = part_seams(number + 1, len(unit.parts), len(before), len(left_out))
        told_by = store.transcript_provenance(key, everything, token) if whole else None
        if shown and told_by is not None and told_by.worth_saying:
            lines = (Seam(words, "seam") for words in provenance_words(told_by))
            seams.setdefault(shown[0].id, []).extend(lines)
        found += shown
        before = part or before
        if not whole or (most is not None and len(found) >= most):
            complete = whole and number == len(unit.parts) - 1
            break
    if complete and (waits := interruption([name for one in found for name in one.awaits])):
        id_ = -1 - len(unit.parts)
        prompts[id_] = Message(id_, session.id, "system", None, "", notice=waits)
        prompt_items.append(len(found))
        found.append(Outline(id_, unit.key, "system", None, 1, unsaid=True))
    for id_, seam in (*compaction_seams(found), *pauses(found)):
        seams.setdefault(id_, []).append(seam)
    return ConversationOutline(
        session,
        tuple(found),
        {id_: tuple(lines) for id_, lines in seams.items()},
        prompts=prompts,
        prompt_items=tuple(prompt_items),
        answered=frozenset(one.tool_call_id for one in found if one.tool_call_id),
        complete=complete,
    )


def beginning(
    store: Store,
    session: Session,
    unit: Unit,
    everything: bool,
    message: int | None,
    token: CancelToken,
) -> ConversationOutline:
    """The outline of the first messages, if the one to begin with is among them; else of all."""
    first = outline(store, session, unit, everything, token, BEGINNING)
    if first.complete or message is None or first.item_of(message) is not None:
        return first
    return outline(store, session, unit, everything, token)


class ReadMessage(NamedTuple):
    """A message that was read."""

    item: int
    message: Message | None
    """None when the agent has deleted it since the outline was read."""
    call: ToolCall | None
    """The call that it answers."""
    again: bool
    """It repeats the message before it, which is shown for both."""


def read_items(
    store: Store,
    outlined: ConversationOutline,
    items: range,
    token: CancelToken,
    known: Mapping[int, LaidMessage] = {},
) -> Iterator[ReadMessage]:
    """Messages of a conversation in their order, and one before them that they may repeat; nothing
    is read where all of them are `known`."""
    if all(item in known for item in items):
        for item in items:
            message, drawn, call = known[item]
            yield ReadMessage(item, message, call, not drawn)
        return
    outlines = outlined.outlines
    start = max(_calling(outlines, items.start) - 1, 0)
    by_session: dict[int, list[int]] = {}
    for one in outlines[start : items.stop]:
        if one.id not in outlined.prompts:
            by_session.setdefault(one.session_key, []).append(one.id)
    messages = {
        (key, message.id): message
        for key, ids in by_session.items()
        for message in store.messages(key, ids, token)
    }
    token.check()
    calls: dict[str, ToolCall] = {}
    before: Message | None = None
    for item in range(start, items.stop):
        one = outlines[item]
        message = outlined.prompts.get(one.id) or messages.get((one.session_key, one.id))
        if message is None:
            yield ReadMessage(item, None, None, False)
            continue
        # The call nearest before: some agents use an id again and again.
        alone = message.timestamp if len(message.tool_calls) == 1 else None
        calls |= {one.id: one._replace(asked_at=alone) for one in message.tool_calls if one.id}
        again = before is not None and same(before, message)
        before = message = message._replace(repeats=one.repeats)
        yield ReadMessage(item, message, calls.get(message.tool_call_id or ""), again)


def lay_out(
    store: Store,
    outlined: ConversationOutline,
    items: range,
    view: View,
    token: CancelToken,
    known: Mapping[int, LaidMessage] = {},
) -> dict[int, LaidMessage]:
    """The messages `items` of a conversation, laid out. `known` were laid out for another view;
    if that is all of them, none is read again."""
    if not items:
        return {}
    made = view._replace(
        answered=outlined.answered,
        seams=outlined.seams,
        first=outlined.outlines[0].id,
        waiting=outlined.waiting,
    )
    if all(item in known for item in items):
        return {item: _anew(known[item], made) for item in items}
    result: dict[int, LaidMessage] = {}
    shown = -1
    for item, message, call, again in read_items(store, outlined, items, token):
        if message is None:
            result[item] = LaidMessage(None, GONE)
        elif again and shown >= 0:
            # Written several times: shown once, the others take no space.
            result[shown] = _once_more(result[shown], message.repeats, made)
            result[item] = LaidMessage(message, (), call)
        else:
            result[item] = LaidMessage(message, blocks(message, made, call), call)
            shown = item
    return {item: laid for item, laid in result.items() if item in items}


def _anew(laid: LaidMessage, view: View) -> LaidMessage:
    # One that takes no space repeats the one before it.
    if laid.message is None or not laid.blocks:
        return laid
    return laid._replace(blocks=blocks(laid.message, view, laid.call))


def _once_more(laid: LaidMessage, times: int, view: View) -> LaidMessage:
    if laid.message is None:
        return laid
    message = laid.message._replace(repeats=laid.message.repeats + times)
    return laid._replace(message=message, blocks=blocks(message, view, laid.call))


def _calling(outlines: Sequence[Outline], start: int) -> int:
    """Where to begin reading so that the results at `start` know the calls they answer."""
    at = start
    while at > 0 and outlines[at].role == "tool" and start - at < LOOK_BACK:
        at -= 1
    return at
