"""A whole session or conversation, message by message, as a person should read it."""

from collections.abc import Iterable, Iterator, Sequence

from explorer.cancel import CancelToken
from explorer.model import Message, Outline
from explorer.stores.base import Store

AT_ONCE = 500


def read_session(
    store: Store, key: int, everything: bool, token: CancelToken | None = None
) -> Iterator[Message]:
    """The messages of one session; `everything` includes the rewound, each repeat, and what is for
    the model alone."""
    found = _in_batches(store, key, store.outlines(key, everything, token), token)
    return found if everything else without_repeats(found)


def read_conversation(
    store: Store, keys: Sequence[int], everything: bool, token: CancelToken | None = None
) -> Iterator[Message]:
    """The messages of all parts, one after the other."""
    for key in keys:
        yield from read_session(store, key, everything, token)


def without_repeats(messages: Iterable[Message]) -> Iterator[Message]:
    """Runs of equal messages as one, with their number: early gateways wrote each up to four
    times, from separate code paths."""
    held: Message | None = None
    for message in messages:
        if held is not None and same(held, message):
            held = held._replace(repeats=held.repeats + message.repeats)
            continue
        if held is not None:
            yield held
        held = message
    if held is not None:
        yield held


def _in_batches(
    store: Store, key: int, outlines: Sequence[Outline], token: CancelToken | None
) -> Iterator[Message]:
    for start in range(0, len(outlines), AT_ONCE):
        batch = {one.id: one for one in outlines[start : start + AT_ONCE]}
        for message in store.messages(key, list(batch), token):
            yield message._replace(repeats=batch[message.id].repeats)


def same(one: Message, other: Message) -> bool:
    """Equal in all that a person sees; rows without text or calls say nothing to repeat."""
    return (
        one.role == other.role
        and one.text == other.text
        and one.tool_calls == other.tool_calls
        and one.tool_call_id == other.tool_call_id
        and one.reasoning == other.reasoning
        and one.state is other.state
        and bool(one.text or one.tool_calls)
    )
