"""Searching the transcripts beside a state file, after the state file itself: those of sessions
that it does not have, and of the others what it lacks.

Newest file first, some megabytes at a time. The bytes of a file are looked at as they are, in every
way JSON could spell what is wanted; only where they may hold it is the file compared with the state
file. So a word that is in few of 10,000 files costs little more than reading them.
"""

from collections.abc import Callable, Collection, Sequence
from typing import IO, NamedTuple

from explorer.cancel import CancelToken
from explorer.model import Outline
from explorer.stores.base import Candidate, Needles, Stretch
from explorer.stores.hermes.transcript_files.beside import FilesBeside, Numbers, TranscriptFile
from explorer.stores.hermes.transcript_files.folder import FolderSession
from explorer.stores.hermes.transcript_files.hostile_files import (
    MOST_BYTES,
    MOST_WHOLE,
    lines,
    opened,
)
from explorer.stores.sqlite.spelling import spelt

STRETCH = 8 << 20
"""Bytes of files that are looked at before what was found is given."""
MOST_SESSIONS = 100
"""The same of sessions."""
BEFORE = 0.9
"""How much of a search is over when only files are left."""

Ways = Sequence[Sequence[bytes]]
"""Of each group the ways to write it, in small letters."""
Outlined = Callable[[int], Sequence[Outline]]
"""The messages of a session, with those that only files hold."""


class FilePlace(NamedTuple):
    """How far the files have been searched."""

    sessions: Sequence[FolderSession]
    at: int = 0

    @property
    def done(self) -> float:
        return BEFORE + (1.0 - BEFORE) * self.at / max(len(self.sessions), 1)


def scanned_files(
    beside: FilesBeside, needles: Needles, place: FilePlace, outlined: Outlined, token: CancelToken
) -> Stretch:
    """The candidates in the next files."""
    ways = [[way.encode() for text in group for way in spelt(text)] for group in needles.groups]
    found: list[Candidate] = []
    at, read = place.at, 0
    last = min(len(place.sessions), place.at + MOST_SESSIONS)
    while at < last and read < STRETCH:
        one = place.sessions[at]
        held, size = _holding(beside, one, ways, token)
        if held is None or held:
            found += _candidates(one, held, outlined(one.key))
        read += size
        at += 1
    rest = place._replace(at=at)
    over = at >= len(place.sessions)
    return Stretch(found, None if over else rest, 1.0 if over else rest.done)


def _candidates(
    one: FolderSession, held: Collection[int] | None, outlines: Sequence[Outline]
) -> list[Candidate]:
    """Those of these messages that only a file has and that may hold what is wanted."""
    return [
        Candidate(
            message_id=message.id,
            session_key=one.key,
            session_id=one.id,
            certain=False,
            at=one.written if message.timestamp is None else message.timestamp,
        )
        for message in reversed(outlines)
        if message.id < 0 and (held is None or message.id in held)
    ]


def _holding(
    beside: FilesBeside, one: FolderSession, ways: Ways, token: CancelToken
) -> tuple[Collection[int] | None, int]:
    """(ids of the messages in the files of a session that may hold it, None for any of them; bytes
    that were looked at)."""
    found: set[int] = set()
    anywhere, size = False, 0
    for file in beside.files_of(one.id):
        token.check()
        try:
            with opened(file.path) as stream:
                held = _in_file(stream, file, one.key, ways, token)
                size += stream.tell()
        except OSError:
            # Gone since, or not ours to read: said where the session is shown.
            continue
        anywhere = anywhere or held is None
        found |= held or set()
    return None if anywhere else found, size


def _in_file(
    stream: IO[bytes], file: TranscriptFile, key: int, ways: Ways, token: CancelToken
) -> set[int] | None:
    """The messages of a log by their places; of a snapshot, which is one value, any."""
    if file.path.suffix != ".jsonl":
        return None if _may_hold(stream.read(MOST_WHOLE), ways) else set()
    numbers = Numbers(key)
    found = set()
    for piece in lines(stream, most=MOST_BYTES):
        token.check()
        if _may_hold(piece.data, ways):
            blank = len(piece.data) - len(piece.data.lstrip())
            found.add(numbers.of(file.number, piece.offset + blank))
    return found


def _may_hold(data: bytes, ways: Ways) -> bool:
    small = data.lower()
    return all(any(way in small for way in group) for group in ways)
