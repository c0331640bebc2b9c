"""What is where in a transcript: every message of a file by its place, without its body.

`<id>.jsonl` has a message in each line, `session_<id>.json` a list of them in an object. A file
that has grown since is read from where it ended. Bodies are read by their places when they are
shown, so that a long file costs no memory.
"""

import os
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import IO, NamedTuple

from explorer.cancel import CancelToken
from explorer.model import Message
from explorer.stores.content import loose_message
from explorer.stores.hermes.transcript_files.hostile_files import (
    MOST_BYTES,
    MOST_LINE,
    MOST_WHOLE,
    FilePiece,
    decoded,
    lines,
    members,
    opened,
)
from explorer.stores.hermes.transcript_files.sameness import mark_of

MOST_MESSAGES = 200_000
NOT_SAID = "session_meta"
"""The role of the gateway's own first line: which tools and which model there were."""
_TAIL = 64
"""Bytes by which a file that has grown is known."""


class FileMessage(NamedTuple):
    """A message in a file."""

    offset: int
    length: int
    mark: int
    """Equal for messages that say the same."""
    role: str
    timestamp: float | None
    size: int
    calls: bool
    tool_call_id: str | None


class FileIndex(NamedTuple):
    """The messages of one file, in their order."""

    stamp: tuple[int, ...]
    """How the file was."""
    messages: tuple[FileMessage, ...]
    bad: int
    """Lines that are no message."""
    cut: bool = False
    """The file is longer than is read."""
    about: Mapping[str, str] = {}
    """What a snapshot says about its session."""
    end: int = 0
    """Up to where lines are complete."""
    tail: bytes = b""
    """What is before that."""
    bad_before: int = 0
    """Bad lines among the complete ones."""

    def at(self, offset: int) -> FileMessage | None:
        """The message at a place."""
        found = bisect_left(self.messages, offset, key=lambda one: one.offset)
        one = self.messages[found] if found < len(self.messages) else None
        return one if one is not None and one.offset == offset else None


def index_of(path: Path, before: FileIndex | None, token: CancelToken) -> FileIndex:
    """The index of a file as it is now. Raises `OSError` where it cannot be read."""
    with opened(path) as stream:
        stamp = _stamp(stream)
        if before is not None and before.stamp == stamp:
            return before
        if path.suffix == ".jsonl":
            return _of_lines(stream, stamp, before, token)
        return _of_snapshot(stream, stamp, token)


def bodies(
    path: Path, wanted: Sequence[tuple[int, FileMessage]], session_id: str, token: CancelToken
) -> list[Message]:
    """The messages at these places, with these ids; one that is no longer there is missing."""
    found = []
    with opened(path) as stream:
        for number, one in wanted:
            token.check()
            stream.seek(one.offset)
            value = decoded(stream.read(one.length))
            if isinstance(value, dict) and (message := _message(value)):
                found.append(message._replace(id=number, session_id=session_id, file=path.name))
    return found


def _stamp(stream: IO[bytes]) -> tuple[int, ...]:
    found = os.fstat(stream.fileno())
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def _message(value: Mapping[str, object]) -> Message | None:
    """What an object in a file says; None where it is no message."""
    message = loose_message(value)
    known = "content" in value or "tool_calls" in value
    return message if known and message.role and message.role != NOT_SAID else None


class _Reading:
    """What was found so far."""

    def __init__(self, known: Iterable[FileMessage] = (), bad: int = 0) -> None:
        self.messages = list(known)
        self.bad = bad

    def take(self, piece: FilePiece) -> None:
        data = piece.data.strip()
        if not data:
            # A blank line is nothing; what broke off without any is a broken place.
            self.bad += not piece.whole
            return
        value = decoded(data) if len(piece.data) < MOST_LINE else None
        message = _message(value) if isinstance(value, dict) else None
        if message is not None:
            at = piece.offset + piece.data.index(data[:1])
            self.messages.append(
                FileMessage(
                    offset=at,
                    length=len(data),
                    mark=mark_of(message),
                    role=message.role,
                    timestamp=message.timestamp,
                    size=len(message.text),
                    calls=bool(message.tool_calls),
                    tool_call_id=message.tool_call_id,
                )
            )
        elif not isinstance(value, dict) or value.get("role") != NOT_SAID:
            self.bad += 1


def _of_lines(
    stream: IO[bytes], stamp: tuple[int, ...], before: FileIndex | None, token: CancelToken
) -> FileIndex:
    known = before if before is not None and _continues(stream, stamp, before) else None
    start = known.end if known else 0
    done = _Reading((one for one in known.messages if one.offset < start) if known else ())
    done.bad = known.bad_before if known else 0
    end, bad_before = start, done.bad
    for piece in _limited(lines(stream, start), done):
        token.check()
        done.take(piece)
        if piece.whole:
            end, bad_before = piece.offset + len(piece.data), done.bad
    stream.seek(max(end - _TAIL, 0))
    return FileIndex(
        stamp,
        tuple(done.messages),
        done.bad,
        cut=stamp[2] > MOST_BYTES or len(done.messages) >= MOST_MESSAGES,
        end=end,
        tail=stream.read(min(_TAIL, end)),
        bad_before=bad_before,
    )


def _limited(pieces: Iterator[FilePiece], done: _Reading) -> Iterator[FilePiece]:
    for piece in pieces:
        if len(done.messages) >= MOST_MESSAGES:
            return
        yield piece


def _continues(stream: IO[bytes], stamp: tuple[int, ...], before: FileIndex) -> bool:
    """Whether a file is the one that was read before, and more: it may also have been written anew
    under its name."""
    if stamp[:2] != before.stamp[:2] or stamp[2] < before.end:
        return False
    stream.seek(max(before.end - _TAIL, 0))
    return stream.read(min(_TAIL, before.end)) == before.tail


def _of_snapshot(stream: IO[bytes], stamp: tuple[int, ...], token: CancelToken) -> FileIndex:
    if stamp[2] > MOST_WHOLE:
        return FileIndex(stamp, (), 0, cut=True)
    about: dict[str, str] = {}

    def take(name: str, value: object) -> None:
        if isinstance(value, str) and len(about) < 20:
            about[name] = value[:500]

    done = _Reading()
    for piece in islice(members(stream.read(MOST_WHOLE), "messages", take), MOST_MESSAGES):
        token.check()
        done.take(piece)
    cut = len(done.messages) >= MOST_MESSAGES
    return FileIndex(stamp, tuple(done.messages), done.bad, cut, about)
