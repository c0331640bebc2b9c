"""Sessions that exist only as a file beside the state file: the row that they came with is gone, or
was never written. `folder` finds them; a file is opened when its session is shown. They are read
and never changed.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from explorer.cancel import CancelToken
from explorer.errors import session_gone
from explorer.model import Kind, Message, Outline, Provenance, Session, State
from explorer.render.figures import count, exact, size
from explorer.render.provenance import provenance_words
from explorer.stores.base import Details, Section
from explorer.stores.catalog import FILE_SOURCE
from explorer.stores.columns import ENDED, ID, SOURCE, Columns, Unique
from explorer.stores.content import said
from explorer.stores.hermes.transcript_files.beside import FilesBeside, Kept, TranscriptFile
from explorer.stores.hermes.transcript_files.folder import TranscriptFolder
from explorer.stores.hermes.transcript_files.hostile_files import regular
from explorer.stores.hermes.transcript_files.sameness import Told, combined, mark_of
from explorer.stores.sqlite import cells

LOOKED_AT = 12
"""Messages of a person, or of the agent, that are read for the first or the last words."""
ONLY_READ = "Only in files: it can be read and searched, not changed or resumed"


ROWS_KEPT = 500
"""Rows of a list that are not read again while their files are as they were."""


class _Words(NamedTuple):
    """What a row says of the messages."""

    first: str = ""
    last: str = ""


def lone_session(
    beside: FilesBeside, id_: str, held: Sequence[Message], token: CancelToken
) -> tuple[Session, list[Message], Provenance] | None:
    """A session as its files tell it, with its messages; None where they tell none. The state file
    may have `held` some of them without the session itself."""
    outlines = beside.outlined(0, id_, [], False, token)
    provenance = beside.provenance(0, False)
    if not outlines or provenance is None:
        return None
    known = beside.messages(0, id_, [one.id for one in outlines], token)
    messages = _with(held, [known[one.id] for one in outlines if one.id in known])
    added = sum(bool(one.file) for one in messages)
    asked = (said(one.text) for one in messages if one.role == "user")
    answered = (said(one.text) for one in reversed(messages) if one.role == "assistant")
    words = _Words(next(filter(None, asked), ""), next(filter(None, answered), ""))
    session = _session(beside, 0, id_, messages, words, provenance, token)
    session = session._replace(tool_call_count=sum(len(one.tool_calls) for one in messages))
    return session, messages, provenance._replace(database_messages=len(held), messages=added)


class LoneSessions:
    """The sessions of a folder that the state file does not have, by key."""

    def __init__(self, beside: FilesBeside, folder: TranscriptFolder) -> None:
        self._beside = beside
        self._folder = folder
        self._rows: Kept[tuple[object, Session]] = Kept(ROWS_KEPT)

    def rows(self, keys: Iterable[int], token: CancelToken) -> list[Session]:
        """As a list shows them; one whose files are gone is missing."""
        found = []
        for key in keys:
            token.check()
            id_ = self._folder.id_of(key)
            state = self._beside.state_of(id_)
            if not state:
                continue
            before = self._rows.get(id_)
            if before is None or before[0] != state:
                written = self._folder.written(key)
                before = state, _row(self._beside, key, id_, written, token)
                self._rows.put(id_, before)
            found.append(before[1])
        return found

    def details(self, key: int, token: CancelToken) -> Details:
        """What is known of one: its files, and what they tell."""
        row = next(iter(self.rows([key], token)), None)
        if row is None:
            raise session_gone()
        return _details(self._beside, row, token)

    def columns(self, keys: Sequence[int] | None, unique: Unique) -> Columns:
        """What can be told without opening a file: of these, or of all that were found so far. Such
        a session has ended; when, only its file could tell."""
        every = self._folder.ids
        own = list(every) if keys is None else [key for key in keys if key in every]
        ids = dict(zip(unique(own), map(every.__getitem__, own), strict=True))
        sources, ends = dict.fromkeys(ids, FILE_SOURCE), dict.fromkeys(ids, 0.0)
        return Columns({ID: ids, SOURCE: sources, ENDED: ends})

    def starting(self, text: str) -> list[int]:
        """Those whose id starts with a text, in small or capital letters."""
        begun = text.lower()
        ids = list(self._folder.ids.items())
        return [key for key, id_ in ids if id_.lower().startswith(begun)]


def _row(beside: FilesBeside, key: int, id_: str, written: float, token: CancelToken) -> Session:
    """A session as a list shows it. Of its messages a few are read, whatever there are."""
    outlines = beside.outlined(key, id_, [], False, token)
    words = _Words(
        _words(beside, key, id_, (one for one in outlines if one.role == "user"), token),
        _words(beside, key, id_, (one for one in outlines[::-1] if one.role == "assistant"), token),
    )
    provenance = beside.provenance(key, False) or Provenance(0)
    row = _session(beside, key, id_, outlines, words, provenance, token)
    # By which it is listed among others: to know their last messages, all files had to be read.
    return row._replace(last_active=written, tool_call_count=sum(one.calls for one in outlines))


def _words(
    beside: FilesBeside, key: int, id_: str, outlines: Iterable[Outline], token: CancelToken
) -> str:
    """What the first of these say that say something."""
    few = [one.id for _, one in zip(range(LOOKED_AT), outlines, strict=False)]
    known = beside.messages(key, id_, few, token)
    texts = (said(known[one].text) for one in few if one in known)
    return next(filter(None, texts), "")


def _session(
    beside: FilesBeside,
    key: int,
    id_: str,
    messages: Sequence[Message | Outline],
    words: _Words,
    provenance: Provenance,
    token: CancelToken,
) -> Session:
    about = beside.about(id_, token)
    times = [one.timestamp for one in messages if one.timestamp is not None]
    return Session(
        key=key,
        id=id_,
        title=None,
        source=FILE_SOURCE,
        model=about.get("model"),
        started_at=cells.seconds(about.get("session_start")) or min(times, default=None),
        last_active=max(times, default=cells.seconds(about.get("last_updated"))),
        ended_at=None,
        end_reason=None,
        message_count=len(messages),
        tool_call_count=0,
        preview=words.first,
        last_reply=words.last,
        kind=Kind.ROOT,
        state=State.ENDED,
        parent_id=None,
        root_id=id_,
        tip_id=id_,
        parts=1,
        archived=False,
        file=next(iter(provenance.files), ""),
    )


def _details(beside: FilesBeside, row: Session, token: CancelToken) -> Details:
    id_ = row.id
    beside.outlined(row.key, id_, [], False, token)
    provenance = beside.provenance(row.key, False) or Provenance(0)
    about = beside.about(id_, token)
    facts = [("Id", id_), ("Stored", ONLY_READ), ("Messages", count(row.message_count))]
    facts += [("Transcript", line) for line in provenance_words(provenance)]
    times = [
        (label, exact(time))
        for label, time in (("Started", row.started_at), ("Written", row.last_active))
        if time is not None
    ]
    told = [
        (label, about[name])
        for name, label in (("model", "Model"), ("platform", "Platform"), ("base_url", "Base URL"))
        if about.get(name)
    ]
    files = [_file(one) for one in beside.files_of(id_)]
    sections = (("Session", facts), ("Model", told), ("Times", times), ("Files", files))
    return Details(id_, None, tuple(Section(name, tuple(rows)) for name, rows in sections if rows))


def _file(file: TranscriptFile) -> tuple[str, str]:
    found = regular(file.path)
    label = "Snapshot (redacted)" if file.redacted else "Transcript"
    return label, f"{file.path}{f' · {size(found.st_size)}' if found else ''}"


def _with(held: Sequence[Message], told: Sequence[Message]) -> list[Message]:
    every = [*held, *told]
    marks = [Told(at, mark_of(one), one.role, one.timestamp) for at, one in enumerate(every)]
    return [every[one.id] for one in combined(marks[: len(held)], marks[len(held) :])]
