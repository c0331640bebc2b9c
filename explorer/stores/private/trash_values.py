"""The people and chats of sessions that are in our trash: their state file may not know them any
more, and the names of deleted sessions are shown."""

import os
from contextlib import suppress
from pathlib import Path

from explorer.cancel import CancelToken
from explorer.errors import ExplorerError
from explorer.stores.ours.own_file import OwnFile
from explorer.stores.private.gathering import CONTEXT, WANTED, Gathering
from explorer.stores.private.hiding import Hiding
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.images import unpack_beginning

PATIENCE = 2.0
AT_ONCE = 200
"""Packs that are in memory together."""
LARGEST = 4_000_000
"""Bytes of one that are looked at."""
_PACKS = (
    "SELECT number, name, columns, content FROM packs"
    " WHERE number > ? AND name NOT LIKE '%messages' ORDER BY number LIMIT ?"
)


class TrashValues:
    """What our trash knows, kept up to date."""

    def __init__(self, path: Path, hiding: Hiding) -> None:
        self._path = path
        self._gathering = Gathering(hiding)
        self._seen: tuple[int, int] | None = None
        self._newest = 0

    def renew(self, token: CancelToken | None = None) -> None:
        """Take in what is new. A trash that cannot be read is told of where it is used."""
        try:
            at = os.stat(self._path)
        except OSError:
            return
        seen = (at.st_size, at.st_mtime_ns)
        if seen != self._seen:
            with suppress(ExplorerError):
                self._read(token or CancelToken())
            self._seen = seen

    def _read(self, token: CancelToken) -> None:
        file = OwnFile(self._path, "Trash unavailable", PATIENCE)
        while rows := file.rows(_PACKS, (self._newest, AT_ONCE)):
            token.check()
            for number, table, columns, content in rows:
                self._newest = number
                if isinstance(content, bytes):
                    self._take(cells.words(table), cells.words(columns).split("\n"), content)

    def _take(self, table: str, columns: list[str], content: bytes) -> None:
        places = [at for at, name in enumerate(columns, 1) if name in WANTED or name in CONTEXT]
        names = [columns[at - 1] for at in places]
        rows = unpack_beginning(content, LARGEST) if not WANTED.isdisjoint(columns) else ()
        cut = ([row[at] if at < len(row) else None for at in places] for row in rows)
        self._gathering.take(cut, names, table)
