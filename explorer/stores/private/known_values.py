"""The people and chats that a state file knows: from its columns, its routes, and the
`sessions.json` of its gateway. Read when the file has changed, before anything of it is shown.
"""

import time

from explorer.cancel import CancelToken
from explorer.stores.hermes.routes_file import RoutesFile, read_routes_file
from explorer.stores.private.gathering import CONTEXT, WANTED, Gathering
from explorer.stores.private.hiding import Hiding
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.read_only import FileState, Reader, ReadOnlyFile
from explorer.stores.sqlite.schema import quoted

READ = 64_000
"""Bytes of a cell."""
PATIENCE = 20.0
"""All rows are read again after this many times the seconds that reading them took; until then only
the new ones, so that a big file that is being written to is not read without end."""
_SESSIONS = "sessions"


class KnownValues:
    """What one file knows, kept up to date."""

    def __init__(self, file: ReadOnlyFile, hiding: Hiding) -> None:
        self._file = file
        self._gathering = Gathering(hiding)
        self._routes: RoutesFile | None = None
        self._seen: FileState | None = None
        self._newest = 0
        self._whole_at, self._took = -1.0, 0.0

    def renew(self, state: FileState | None, token: CancelToken | None = None) -> None:
        """Take in what is new, if the file is no longer in the state that was seen."""
        self._read_routes()
        if state is not None and state == self._seen:
            return
        begun = time.monotonic()
        whole = self._whole_at < 0 or begun - self._whole_at > PATIENCE * self._took
        self._file.read(lambda reader: self._read(reader, whole), token)
        self._seen = state
        if whole:
            self._whole_at = time.monotonic()
            self._took = self._whole_at - begun

    def _read(self, reader: Reader, whole: bool) -> None:
        for table, columns in sorted(reader.schema.tables.items()):
            names = sorted(WANTED.intersection(columns))
            if not names or table.endswith("messages"):
                continue
            context = [name for name in CONTEXT if name in columns]
            cut = [f"substr(CAST(t.{quoted(name)} AS BLOB), 1, {READ})" for name in names]
            cut += [f"substr(t.{quoted(name)}, 1, 40)" for name in context]
            sql = f"SELECT DISTINCT {', '.join(cut)} FROM {quoted(table)} t"
            if table == _SESSIONS:
                sql += " WHERE t.rowid > ?"
                rows = reader.rows(sql, (0 if whole else self._newest,))
                self._newest = cells.amount(reader.value("SELECT max(t.rowid) FROM sessions t"))
            else:
                rows = reader.rows(sql)
            self._gathering.take(rows, [*names, *context], table)
            reader.token.check()

    def _read_routes(self) -> None:
        """The gateway's file beside the state file; each state of it is one object."""
        routes = read_routes_file(self._file.path)
        if routes is not self._routes:
            self._routes = routes
            self._gathering.look_into(dict(routes.entries), "", direct=False)
            for key in routes.entries:
                self._gathering.key(key)
