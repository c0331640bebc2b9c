"""From what the user typed to one session, or to those it could mean; from pinned ids to rows; and
the messages of a whole session or conversation, as a person should read them.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence

from explorer.cancel import CancelToken
from explorer.errors import NoSuchSession
from explorer.model import Message, Outline
from explorer.stores.base import NamedSession, Store
from explorer.stores.catalog import Catalog
from explorer.stores.columns import ID, TITLE

NAMED = 8


def resolve(store: Store, text: str) -> NamedSession:
    """The one session that `text` means."""
    # Every id begins with nothing, but nobody means any session by it.
    found = store.find(text) if text.strip() else []
    if len(found) == 1:
        return found[0]
    if not found:
        raise NoSuchSession(
            "No such session",
            f"No session has the id or the title {text!r}, and no id begins so.",
        )
    raise _ambiguous(text, found)


def resolve_for_edit(store: Store, text: str) -> NamedSession:
    """The one session that `text` means beyond doubt: by id, the beginning of one, or a title that
    no other session has. Which of a numbered lineage is meant is nothing to guess here."""
    found = store.find(text) if text.strip() else []
    by_id = [one for one in found if one.id.lower().startswith(text.lower())]
    if len(by_id) == 1:
        return by_id[0]
    titles = store.columns({TITLE})[TITLE]
    keys = [key for key, title in titles.items() if title == text]
    titled = [NamedSession(key, id_, text) for key, id_ in store.columns({ID}, keys)[ID].items()]
    if len(titled) == 1 and not by_id:
        return titled[0]
    if by_id or titled or found:
        raise _ambiguous(text, [*by_id, *titled] or found)
    return resolve(store, text)


def _ambiguous(text: str, found: Sequence[NamedSession]) -> NoSuchSession:
    names = [f"  {c.id}  {c.title or ''}".rstrip() for c in found[:NAMED]]
    more = ["  …"] if len(found) > NAMED else []
    return NoSuchSession(
        "More than one session",
        f"{text!r} could be any of these; give more of the id:\n" + "\n".join(names + more),
    )


def pinned_rows(
    store: Store, catalog: Catalog, noted: Collection[str], token: CancelToken | None = None
) -> frozenset[int]:
    """The rows of a list that are pinned; `noted` are the ids that our notes hold. A conversation
    is pinned by any of its parts."""
    keys = store.keys_of(sorted(noted), token).values() if noted else ()
    return catalog.tips(catalog.pinned.union(key for key in keys if catalog.has(key)))


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
