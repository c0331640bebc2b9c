"""From what the user typed to the session it means; from pinned ids to rows; and the messages of a
whole session or conversation, as a person should read them.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence

from explorer.cancel import CancelToken
from explorer.errors import NoSuchSession, closest
from explorer.model import Message, Outline
from explorer.render.clean import clean_line
from explorer.stores.base import NamedSession, Store
from explorer.stores.catalog import Catalog
from explorer.stores.columns import ID, TITLE

NAMED = 8
CLOSEST = 3
COMPARED = 20_000
"""Ids and titles that are compared with a wrong one, the newest first: a fraction of a second."""


def resolve(store: Store, text: str) -> NamedSession:
    """The one session that `text` means."""
    # Every id starts with an empty text, which means no session at all.
    found = store.find(text) if text.strip() else []
    if len(found) == 1:
        return found[0]
    if not found:
        raise _unknown(store, text)
    raise _ambiguous(store, text, found)


def resolve_for_edit(store: Store, text: str) -> NamedSession:
    """The one session that `text` means beyond doubt: by id, the beginning of one, or a title that
    no other session has. Which one of several numbered titles is meant is not guessed."""
    found = store.find(text) if text.strip() else []
    meant: list[NamedSession] = []
    for place, name in _readings(store, text):
        by_id = [one for one in found if one.id.lower().startswith(name.lower())]
        if len(by_id) == 1:
            return by_id[0]
        titled = _titled(store, name, place)
        if len(titled) == 1 and not by_id:
            return titled[0]
        meant = meant or [*by_id, *titled]
    if meant or found:
        raise _ambiguous(store, text, meant or found)
    return resolve(store, text)


def _titled(store: Store, title: str, place: str | None) -> list[NamedSession]:
    """The sessions that have this very title; in one profile, if one is named."""
    titles = store.columns({TITLE})[TITLE].items()
    keys = [key for key, one in titles if one == title and place in (None, store.place(key))]
    ids = store.columns({ID}, keys)[ID]
    return [NamedSession(key, id_, title) for key, id_ in ids.items()]


def _readings(store: Store, text: str) -> list[tuple[str | None, str]]:
    """What a text may say: an id or a title, or one in a profile, as (profile, id or title)."""
    place, _, name = text.partition("/")
    return [(None, text), *([(place, name)] if name and place in store.places else [])]


def _unknown(store: Store, text: str) -> NoSuchSession:
    if not text.strip():
        return NoSuchSession("No such session", "Give an id, the beginning of one, or a title.")
    said = f"No session with the id or title {text!r}, nor an id that starts with it."
    close = ", ".join(_closest(store, text[:100].lower()))
    next_ = f"Closest: {close}" if close else "`list` shows ids and titles."
    return NoSuchSession("No such session", f"{said} {next_}")


def _closest(store: Store, text: str) -> list[str]:
    """The newest ids and titles that contain a wrong one, or else differ least from it; titles in
    quotes."""
    known = store.columns({ID, TITLE})
    ids = list(known[ID].values())[-COMPARED:]
    titles = [title for title in known[TITLE].values() if title][-COMPARED:]
    names = {name[:100].lower(): name for name in (*ids, *titles)}
    around = [name for name in reversed(names) if text in name][:CLOSEST]
    found = [names[name] for name in around or closest(text, names, CLOSEST)]
    return [clean_line(one, 60) if one in ids else f"“{clean_line(one, 60)}”" for one in found]


def _ambiguous(store: Store, text: str, found: Sequence[NamedSession]) -> NoSuchSession:
    places = [f"{store.place(one.key)}/" if store.places else "" for one in found[:NAMED]]
    names = [
        f"  {place}{one.id}  {one.title or ''}".rstrip()
        for place, one in zip(places, found, strict=False)
    ]
    more = ["  …"] if len(found) > NAMED else []
    give = "Use one of these" if store.places else "Give more of the id"
    return NoSuchSession(
        "More than one session",
        f"{text!r} matches several sessions. {give}:\n" + "\n".join(names + more),
    )


def pinned_rows(
    store: Store, catalog: Catalog, noted: Collection[str], token: CancelToken | None = None
) -> frozenset[int]:
    """The rows of a list that are pinned; `noted` are the ids in our notes. A conversation is
    pinned if one of its parts is."""
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
    """Equal in everything that is shown; rows without text or calls never repeat anything."""
    return (
        one.role == other.role
        and one.text == other.text
        and one.tool_calls == other.tool_calls
        and one.tool_call_id == other.tool_call_id
        and one.reasoning == other.reasoning
        and one.thoughts == other.thoughts
        and one.state is other.state
        and bool(one.text or one.tool_calls)
    )
