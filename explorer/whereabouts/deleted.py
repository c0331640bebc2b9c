"""Looking into our trash: what was deleted from any state file, also from those that are not open,
or are gone. Words of a session count, and those of messages that were cleared."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from explorer.cancel import CancelToken
from explorer.model import Message
from explorer.render import veil
from explorer.stores.deleted_session import deleted_messages, deleted_row
from explorer.stores.hermes.sessions.rows import owner
from explorer.stores.ours.trash import RETENTION, TrashFile
from explorer.stores.ours.trash_records import Entry, EntryState, Receipt
from explorer.whereabouts.sightings import Place, Reason, Sighting
from explorer.whereabouts.transcript_files import kept_messages
from explorer.whereabouts.wanted import EARLIER_TITLE, Shown, Wanted

_MESSAGES = "messages"
"""The kind of an entry of a session that was kept, and only its messages deleted."""
FIRST = 80
"""Characters of the first words of a session without a title."""


class _Talk(NamedTuple):
    """What the messages of an entry say."""

    first: str
    where: Shown | None
    """The last of those that hold the text."""
    number: int


def deleted_sightings(
    place: Place,
    trash: TrashFile,
    wanted: Wanted,
    earlier: Mapping[str, str],
    token: CancelToken,
) -> Iterator[Sighting]:
    """The sessions in the trash of one state file, those deleted last first; what was restored is
    not there any more. `earlier` are titles with the words that sessions had before, by id."""
    deleted: dict[str, Entry] = {}
    for receipt in trash.receipts():
        for entry in trash.entries(receipt.number):
            token.check()
            if entry.state is EntryState.BACK:
                continue
            if entry.kind != _MESSAGES:
                deleted.setdefault(entry.session, entry)
            found = _sighting(
                place, trash, receipt, entry, wanted, earlier.get(entry.session), token
            )
            if found is not None and entry.kind == _MESSAGES:
                found = found._replace(after=deleted.get(entry.session))
            if found is not None:
                yield found


def _sighting(
    place: Place,
    trash: TrashFile,
    receipt: Receipt,
    entry: Entry,
    wanted: Wanted,
    earlier: str | None,
    token: CancelToken,
) -> Sighting | None:
    talk = _talk(deleted_messages(trash, entry), wanted, token)
    if talk.where is None:
        # Its transcript file may have more: it is kept with it, and restored with it.
        beside = _talk(_in_files(trash, entry), wanted, token)
        talk = talk._replace(where=beside.where, number=beside.number)
    where = talk.where
    if wanted.is_id(entry.session):
        where = Shown("id", entry.session, ())
    elif wanted.in_title(entry.title):
        where = wanted.shown("title", entry.title or "")
    reasons = [Reason.CLEARED if entry.kind == _MESSAGES else Reason.DELETED]
    if where is None and earlier is not None:
        where = wanted.shown(EARLIER_TITLE, earlier)
        reasons.append(Reason.RENAMED)
    if where is None:
        return None
    return Sighting(
        place,
        entry.session,
        entry.title,
        talk.first,
        entry.active,
        entry.source,
        tuple(reasons),
        *where,
        messages=talk.number,
        receipt=receipt.number,
        entry=entry.number,
        until=receipt.made + RETENTION,
        names_profile=_owner(trash, entry),
    )


def _owner(trash: TrashFile, entry: Entry) -> str | None:
    row = deleted_row(trash, entry)
    return owner(row.get("session_key"), row.get("profile_name"))


def _in_files(trash: TrashFile, entry: Entry) -> Iterator[Message]:
    for file in trash.files(entry.number):
        yield from kept_messages(file.name, file.content)


def _talk(messages: Iterator[Message], wanted: Wanted, token: CancelToken) -> _Talk:
    first, where, number = "", None, 0
    for message in messages:
        token.check()
        if not first and message.role == "user":
            first = veil.line(message.text, FIRST)
        shown = wanted.in_message(message)
        if shown is not None:
            where, number = shown, number + 1
    return _Talk(first, where, number)
