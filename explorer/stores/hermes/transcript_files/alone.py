"""Sessions that exist only as a file beside the state file: the row that they came with is gone, or
was never written.

To find them, the folder is listed, which may hold 100,000 files: only who asks for them waits. A
file is opened when its session is shown. They are read and never changed.
"""

import os
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from explorer.cancel import CancelToken
from explorer.model import Kind, Message, Provenance, Session, State
from explorer.stores.content import said
from explorer.stores.hermes.routes_file import folder_of
from explorer.stores.hermes.transcript_files.beside import FilesBeside, names_of
from explorer.stores.hermes.transcript_files.sameness import Told, combined, mark_of
from explorer.stores.sqlite import cells

SOURCE = "file"
"""What such sessions come from, as lists show it."""
_ENDS = (".jsonl", ".json")
_SNAPSHOT = "session_"
_BETWEEN_CHECKS = 1000


class LoneFile(NamedTuple):
    """A file of a session that the state file does not have."""

    written: float
    name: str

    @property
    def id(self) -> str:
        """By its name. Where an id was no plain name, the snapshot itself knows it."""
        return self.name.rpartition(".")[0].removeprefix(_SNAPSHOT)


def lone_files(database: Path, ids: Collection[str], token: CancelToken) -> list[LoneFile]:
    """The files of sessions that are not among these, the one written last first; one for each
    session, rather the log than its redacted copy."""
    held = {name for id_ in ids for name in names_of(id_)}
    found: dict[str, LoneFile] = {}
    for one in _transcripts(folder_of(database), token):
        if one.name not in held:
            known = found.get(one.id)
            if known is None or known.name.startswith(_SNAPSHOT):
                found[one.id] = one
    return sorted(found.values(), reverse=True)


def _transcripts(folder: Path, token: CancelToken) -> Iterator[LoneFile]:
    try:
        with os.scandir(folder) as entries:
            for number, entry in enumerate(entries):
                if number % _BETWEEN_CHECKS == 0:
                    token.check()
                is_log = entry.name.endswith(_ENDS[0])
                is_copy = entry.name.startswith(_SNAPSHOT) and entry.name.endswith(_ENDS[1])
                if (is_log or is_copy) and entry.is_file(follow_symlinks=False):
                    yield LoneFile(entry.stat(follow_symlinks=False).st_mtime, entry.name)
    except OSError:
        # There is no such folder, or it is not ours to read: nothing is known of its sessions.
        return


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
    about = beside.about(id_, token)
    asked = (said(one.text) for one in messages if one.role == "user")
    answered = (said(one.text) for one in reversed(messages) if one.role == "assistant")
    times = [one.timestamp for one in messages if one.timestamp is not None]
    session = Session(
        key=0,
        id=id_,
        title=None,
        source=SOURCE,
        model=about.get("model"),
        started_at=cells.seconds(about.get("session_start")) or min(times, default=None),
        last_active=max(times, default=cells.seconds(about.get("last_updated"))),
        ended_at=None,
        end_reason=None,
        message_count=len(messages),
        tool_call_count=sum(len(one.tool_calls) for one in messages),
        preview=next(filter(None, asked), ""),
        last_reply=next(filter(None, answered), ""),
        kind=Kind.ROOT,
        state=State.ENDED,
        parent_id=None,
        root_id=id_,
        tip_id=id_,
        parts=1,
        archived=False,
    )
    return session, messages, provenance._replace(database_messages=len(held), messages=added)


def _with(held: Sequence[Message], told: Sequence[Message]) -> list[Message]:
    every = [*held, *told]
    marks = [Told(at, mark_of(one), one.role, one.timestamp) for at, one in enumerate(every)]
    return [every[one.id] for one in combined(marks[: len(held)], marks[len(held) :])]
