"""Looking into text files beside a state file: transcripts that the gateway or the agent wrote,
what was saved from a chat, and exports.

All of it is hostile, and read as `hostile_files` does; never one that is also a state file. A file
is read within limits, and counted where it cannot be. Broken JSON is searched as the text that it
is.
"""

import heapq
import io
import os
import stat
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import IO, NamedTuple

from explorer.cancel import CancelToken
from explorer.errors import ExplorerError
from explorer.model import Message
from explorer.render import veil
from explorer.stores.content import loose_message
from explorer.stores.hermes.transcript_files.hostile_files import (
    Identity,
    decoded,
    lines,
    opened,
)
from explorer.stores.sqlite import cells
from explorer.whereabouts.sightings import Place, Reason, Sighting
from explorer.whereabouts.wanted import Shown, Wanted

MOST_FILES = 20_000
"""Files of a home that are read, the newest first."""
MOST_BYTES = 32 << 20
"""Bytes of a file that are read."""
DEEPEST = 3
"""Folders below each other."""
MOST_SHOWN = 1 << 20
"""Characters of a file that are shown."""
FIRST = 80
FOLDERS = ("sessions", "session-exports")
KINDS = (".json", ".jsonl", ".md", ".markdown", ".txt", ".html")
NOT_TRANSCRIPTS = ("sessions.json", "request_dump_")
"""The gateway's routes, and requests that failed: not what was said."""


class TextFile(NamedTuple):
    """A file that may hold a session."""

    written: float
    path: str
    size: int


class Unread(Counter[str]):
    """Files that were not read, by the reason."""


def text_files(
    home: Path, unread: Unread, never: Collection[Identity], token: CancelToken
) -> list[TextFile]:
    """The files of a home that may hold a session, the newest first."""
    number = 0

    def every() -> Iterator[TextFile]:
        nonlocal number
        for folder in FOLDERS:
            for file in _walked(home / folder, unread, never, token, DEEPEST):
                number += 1
                yield file

    kept = heapq.nlargest(MOST_FILES, every())
    if number > MOST_FILES:
        unread[f"only the newest {MOST_FILES:,} are read"] += number - MOST_FILES
    return kept


def _walked(
    folder: Path, unread: Unread, never: Collection[Identity], token: CancelToken, levels: int
) -> Iterator[TextFile]:
    inner: list[str] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                token.check()
                if entry.is_dir(follow_symlinks=False):
                    inner.append(entry.path)
                elif entry.name.endswith(KINDS):
                    yield from _candidate(entry, unread, never)
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        unread[_trouble(error)] += 1
    for path in inner if levels > 1 else ():
        yield from _walked(Path(path), unread, never, token, levels - 1)


def _candidate(
    entry: "os.DirEntry[str]", unread: Unread, never: Collection[Identity]
) -> Iterator[TextFile]:
    if entry.name.startswith(NOT_TRANSCRIPTS):
        if entry.name != NOT_TRANSCRIPTS[0]:
            unread["dumps of failed requests"] += 1
        return
    if entry.is_symlink():
        unread["links to other places"] += 1
        return
    try:
        found = entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        # Deleted since.
        return
    if not stat.S_ISREG(found.st_mode):
        unread["not regular files"] += 1
    elif (found.st_dev, found.st_ino) in never:
        unread["databases"] += 1
    else:
        yield TextFile(found.st_mtime, entry.path, found.st_size)


def file_sightings(
    place: Place, file: TextFile, wanted: Wanted, unread: Unread, token: CancelToken
) -> Iterator[Sighting]:
    """The sessions in a file that hold what is looked for: an export may have many."""
    path = Path(file.path)
    current = _Session(id_in_name(path.name))
    try:
        with opened(path) as stream:
            for item in _items(stream, path.suffix, file, unread):
                token.check()
                if isinstance(item, Message):
                    current.take(item, wanted)
                    continue
                yield from current.sighting(place, file, wanted)
                current = _Session(id_in_name(path.name))
                current.know(item)
    except OSError as error:
        unread[_trouble(error)] += 1
    yield from current.sighting(place, file, wanted)


def kept_messages(name: str, content: bytes) -> Iterator[Message]:
    """The messages of a file that the trash keeps."""
    if name.startswith(NOT_TRANSCRIPTS) or not name.endswith(KINDS):
        return
    file = TextFile(0.0, name, len(content))
    for item in _items(io.BytesIO(content), Path(name).suffix, file, Unread()):
        if isinstance(item, Message):
            yield item


def file_text(path: Path, token: CancelToken) -> str:
    """A file as text to be read: its messages one below the other, as many as there is room for."""
    pieces: list[str] = []
    room = MOST_SHOWN
    try:
        with opened(path) as stream:
            file = TextFile(0.0, str(path), os.fstat(stream.fileno()).st_size)
            for item in _items(stream, path.suffix, file, Unread()):
                token.check()
                piece = veil.cut(_shown(item), room)
                pieces.append(piece)
                room -= len(piece)
                if room <= 0:
                    pieces.append("… truncated here; the file has more.")
                    break
    except OSError as error:
        raise ExplorerError("Cannot read the file", f"{path}: {_trouble(error)}.") from error
    return "\n\n".join(filter(None, pieces))


def _shown(item: "_Item") -> str:
    if not isinstance(item, Message):
        return "\n".join(str(value) for value in item.values() if isinstance(value, str) and value)
    calls = ", ".join(call.name for call in item.tool_calls)
    lines = [f"── {item.role}" if item.role else "", item.text]
    return "\n".join(filter(None, [*lines, f"[tool calls: {calls}]" if calls else ""]))


def id_in_name(name: str) -> str:
    """The id that the name of a file stands for."""
    return name.rpartition(".")[0].removeprefix("session_")


class _Session:
    """What is known of the session in a file so far."""

    def __init__(self, id_: str) -> None:
        self.id = id_
        self.title: str | None = None
        self.first = ""
        self.where: Shown | None = None
        self.number = 0

    def know(self, value: Mapping[str, object]) -> None:
        """What an object says about the session itself."""
        for name in ("session_id", "id"):
            id_ = value.get(name)
            if isinstance(id_, str) and id_:
                self.id = veil.cut(id_, 200)
                break
        title = value.get("title")
        if isinstance(title, str) and title:
            self.title = veil.cut(title, 500)

    def take(self, message: Message, wanted: Wanted) -> None:
        if not self.first and message.role == "user":
            self.first = veil.line(message.text, FIRST)
        shown = wanted.in_message(message)
        if shown is not None:
            self.where, self.number = shown, self.number + 1

    def sighting(self, place: Place, file: TextFile, wanted: Wanted) -> Iterator[Sighting]:
        """It, where it holds what is looked for."""
        where = self.where
        if wanted.is_id(self.id):
            where = Shown("id", self.id, ())
        elif wanted.in_title(self.title):
            where = wanted.shown("title", self.title or "")
        if where is None:
            return
        path = Path(file.path)
        yield Sighting(
            place,
            self.id,
            self.title,
            self.first or path.name,
            file.written,
            "",
            (Reason.FILE,),
            *where,
            messages=self.number,
            path=path,
        )


_Item = Message | Mapping[str, object]
"""A message, or what a file says about the session that follows."""


def _items(stream: IO[bytes], suffix: str, file: TextFile, unread: Unread) -> Iterator[_Item]:
    if suffix == ".jsonl":
        yield from _of_lines(stream, file, unread)
        return
    if file.size > MOST_BYTES:
        unread["read in part: longer than 32 MB"] += 1
    data = stream.read(MOST_BYTES)
    if b"\x00" in data[:8192]:
        unread["not text"] += 1
        return
    if suffix == ".json":
        yield from _of_data(data)
    else:
        yield _plain(data.decode("utf-8", "replace"))


def _of_lines(stream: IO[bytes], file: TextFile, unread: Unread) -> Iterator[_Item]:
    """A line each: a message, or a whole session of an export."""
    for piece in lines(stream, most=MOST_BYTES):
        if b"\x00" in piece.data[:64]:
            unread["not text"] += 1
            return
        yield from _of_data(piece.data)
    if file.size > MOST_BYTES:
        unread["read in part: longer than 32 MB"] += 1


def _of_data(data: bytes) -> Iterator[_Item]:
    """JSON, or the text that it is instead."""
    value = decoded(data)
    if value is cells.BROKEN:
        yield _plain(data.decode("utf-8", "replace"))
    else:
        yield from _of_value(value)


def _of_value(value: object) -> Iterator[_Item]:
    """What a decoded file or line holds: a session with its messages, or messages alone."""
    if isinstance(value, dict) and isinstance(value.get("messages"), list):
        yield {name: value.get(name) for name in ("session_id", "id", "title")}
        value = value["messages"]
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, dict) and isinstance(item.get("messages"), list):
            yield from _of_value(item)
        elif isinstance(item, dict) and ("content" in item or "tool_calls" in item):
            yield loose_message(item)
        elif item is not None:
            yield _plain(_text(item))


def _text(item: object) -> str:
    return item if isinstance(item, str) else str(item)


def _plain(text: str) -> Message:
    return Message(id=0, session_id="", role="", timestamp=None, text=text)


def _trouble(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
