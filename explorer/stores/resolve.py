"""From what the user typed to the session it means; from pinned ids to rows; and the messages of a
whole session or conversation, as a person should read them.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from explorer.cancel import CancelToken
from explorer.errors import (
    NoFileYet,
    NoSuchSession,
    Problem,
    SeveralSessions,
    StoreError,
    UnknownSession,
    closest,
)
from explorer.model import Message, Outline, Provenance
from explorer.render import veil
from explorer.render.clean import clean_line
from explorer.render.figures import listed
from explorer.stores.base import NamedSession, ScopedText, Store, UnreadableStore
from explorer.stores.catalog import Catalog
from explorer.stores.columns import ID, OWNER, TITLE

NAMED = 8
CLOSEST = 3
COMPARED = 20_000
"""Ids and titles that are compared with a wrong one, the newest first: a fraction of a second."""


SOON_READABLE = (Problem.BUSY, Problem.UNREACHABLE, Problem.TIMED_OUT)
"""What keeps a profile from being read for a moment."""


def resolve(store: Store, text: str) -> NamedSession:
    """The one session that `text` means."""
    found = _found(store, text)
    if len(found) == 1:
        return found[0]
    if not found:
        raise _unknown(store, text)
    raise _ambiguous(store, text, found)


def resolve_to_resume(store: Store, text: str) -> NamedSession:
    """The same, unless a profile that cannot be read now may have such a session too."""
    return _nowhere_else(store, text, resolve(store, text))


def _found(store: Store, text: str) -> list[NamedSession]:
    """The sessions that `text` may mean; `PROFILE/ID` also where that profile alone is open."""
    # Every id starts with an empty text, which means no session at all.
    found = store.find(text) if text.strip() else []
    if not found and not store.places and (scope := store.scoped(text)).profile:
        found = store.find(scope.rest)
    return found


def _nowhere_else(store: Store, text: str, one: NamedSession) -> NamedSession:
    """This session, if it is the one that is meant whatever the other profiles have: those that are
    locked for a moment may have the same id, or the same title."""
    locked = [each.name for each in store.troubles if each.error.problem in SOON_READABLE]
    scope = _scope_of(store, text)
    if scope.profile and text not in (one.id, one.title):
        locked = [name for name in locked if name in scope.places]
    if not locked:
        return one
    names = listed([clean_line(name, 60) for name in locked])
    full = clean_line(_full_id(store, one), 100)
    why = (
        f"{text!r} may also be in {names}, which cannot be read now. Nothing was done."
        f" Use {full}, or try again."
    )
    raise StoreError(Problem.BUSY, "Not certain which session is meant", why)


def unreadable_place(store: Store, text: str) -> UnreadableStore | None:
    """The store that a text like `PROFILE/ID` names, if it cannot be read now."""
    places = store.scoped(text).places
    return next((one for one in store.troubles if one.name in places), None)


def resolve_for_edit(store: Store, text: str) -> NamedSession:
    """The one session that `text` means beyond doubt: by id, the beginning of one, or a title that
    no other session has. Which one of several numbered titles is meant is not guessed, nor what a
    profile has that cannot be read now."""
    return _nowhere_else(store, text, _meant(store, text))


def _meant(store: Store, text: str) -> NamedSession:
    found = _found(store, text)
    by_id = [one for one in found if _starts(one.id, text)]
    if len(by_id) == 1:
        return by_id[0]
    titles = store.columns({TITLE})[TITLE]
    titled = _titled(store, titles, text)
    profile, places, rest = _scope_of(store, text)
    if profile and not by_id and not titled:
        # No whole id or title: a session in that profile is meant, or one that belongs to it.
        by_id = [one for one in found if _starts(one.id, rest)]
        if len(by_id) == 1:
            return by_id[0]
        alike = _titled(store, titles, rest)
        owners = store.columns({OWNER}, [one.key for one in alike])[OWNER] if alike else {}
        titled = [one for one in alike if store.place(one.key) in places]
        titled = titled or [
            one for one in alike if profile in store.profiles_at(one.key, owners.get(one.key))
        ]
    if len(titled) == 1 and not by_id:
        return titled[0]
    if by_id or titled or found:
        either = {one.key: one for one in (*by_id, *titled)}
        raise _ambiguous(store, text, list(either.values()) or found)
    return resolve(store, text)


def _scope_of(store: Store, text: str) -> ScopedText:
    """The same where the profile has no store of its own, but several are open: sessions may belong
    to it."""
    found = store.scoped(text)
    profile, _, rest = text.partition("/")
    owns = not found.profile and store.places and profile and rest
    return ScopedText(profile, (), rest) if owns else found


def _starts(id_: str, text: str) -> bool:
    """Whether an id starts with a text, as it is stored or as the privacy view shows it."""
    return any(one.lower().startswith(text.lower()) for one in (id_, veil.hidden(id_)))


def _titled(store: Store, titles: Mapping[int, str], text: str) -> list[NamedSession]:
    """The sessions with this very title."""
    keys = [key for key, title in titles.items() if title == text]
    return [NamedSession(key, id_, text) for key, id_ in store.columns({ID}, keys)[ID].items()]


def _unknown(store: Store, text: str) -> NoSuchSession:
    if not text.strip():
        return NoSuchSession("No such session", "Give an id, the beginning of one, or a title.")
    said = f"No session with the id or title {text!r}, nor an id that starts with it."
    profile, places, rest = _scope_of(store, text)
    if profile and profile not in (known := profiles_of(store)):
        near = closest(profile, known)
        names = ", ".join(clean_line(one, 30) for one in near or known)
        unknown = f"No profile {profile!r}. {'Closest' if near else 'Profiles'}: {names}."
        return UnknownSession(text, f"{said} {unknown}")
    unread = [
        one.name
        for one in store.troubles
        if not isinstance(one.error, NoFileYet) and (not profile or one.name in places)
    ]
    if unread:
        names = " or ".join(clean_line(name, 60) for name in unread)
        said = f"{said} It may be in {names}, which cannot be read now."
    close = ", ".join(_closest(store, rest[:100].lower()))
    next_ = f"Closest: {close}." if close else "`list` shows ids and titles."
    return UnknownSession(rest, f"{said} {next_}")


def profiles_of(store: Store) -> list[str]:
    """The profiles that can be named: those of the files, and those that sessions belong to."""
    owners = store.columns({OWNER})[OWNER].values()
    return list(dict.fromkeys(filter(None, (*names_of_files(store), *owners))))


def names_of_files(store: Store) -> list[str]:
    """What the files of a store can be called where a profile is named, each name once."""
    return list(dict.fromkeys(name for one in store.stores() for name in one.names))


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


def _ambiguous(store: Store, text: str, found: Sequence[NamedSession]) -> SeveralSessions:
    names = [f"{_full_id(store, c)}  {c.title or ''}".rstrip() for c in found[:NAMED]]
    more = ["…"] if len(found) > NAMED else []
    what_to_do = "Use one of these" if store.places else "Give more of the id"
    return SeveralSessions(text, what_to_do, names + more)


def _full_id(store: Store, one: NamedSession) -> str:
    """The id; among several profiles with the one that it is in."""
    return f"{store.place(one.key)}/{one.id}" if store.places else one.id


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


def left_out(store: Store, keys: Sequence[int], token: CancelToken | None = None) -> int:
    """How many messages of these parts are only given with `everything`."""
    return sum(
        len(store.outlines(key, True, token)) - len(store.outlines(key, False, token))
        for key in keys
    )


def conversation_provenance(
    store: Store, keys: Sequence[int], everything: bool, token: CancelToken | None = None
) -> Provenance | None:
    """Where the messages of all parts come from; None where all are in the state file."""
    told = [store.transcript_provenance(key, everything, token) for key in keys]
    found = [one for one in told if one is not None]
    if not found:
        return None
    return Provenance(
        database_messages=sum(one.database_messages for one in found),
        messages=sum(one.messages for one in found),
        files=tuple(dict.fromkeys(name for one in found for name in one.files)),
        bad_lines=sum(one.bad_lines for one in found),
        redacted=any(one.redacted for one in found),
        cut=any(one.cut for one in found),
    )


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
            known = batch[message.id]
            yield message._replace(repeats=known.repeats, folded=known.folded, awaits=known.awaits)


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
