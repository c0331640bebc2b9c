"""The contract on a set of tables on a server: a database of its own for each test."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from explorer.stores.base import Store
from explorer.stores.discover import locate
from explorer.stores.open_found import every_set, open_found
from explorer.stores.ours.notes import Notes
from explorer.stores.postgres.writing import ServerTransaction
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.images import Image
from tests.contract.cases import SERVER, Case, Layout
from tests.edits.crash import Died
from tests.postgres.edit_ground import copy
from tests.postgres.server import Server

PL = Layout("pl_sessions", "session_id", "pl_messages", "session_id", "seq", "created_at")


class ServerCase(Case):
    """One set of tables, and what plain SQL says of it."""

    layout = PL
    halves = False

    def __init__(self, server: Server, template: str, folder: Path) -> None:
        self.name = SERVER
        self._ground = copy(server, folder, template)
        self._found = every_set(locate([server.address(self._ground.database)], (), {}, None))
        self.path = self._found[0].path
        self.trash = folder / "trash.db"
        self.notes = Notes(folder / "explorer.db", self.path)
        self._store = open_found(self._found, notes=folder / "explorer.db", trash=self.trash)

    def store(self) -> Store:
        """A server numbers no sessions, so the numbers are those of one store."""
        return self._store

    def close(self) -> None:
        self._ground.drop()

    def _rows(self, sql: str) -> list[tuple[Any, ...]]:
        return self._ground.run(sql)

    @property
    def files(self) -> list[Path]:
        return []

    def size(self) -> int:
        sql = "SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r'"
        return int(self._rows(f"{sql} AND relname LIKE 'pl\\_%'")[0][0])

    def dump(self) -> object:
        return self._ground.dump()

    def all_bytes(self) -> object:
        return self.dump()

    def stored(self) -> dict[str, list[object]]:
        found: dict[str, list[object]] = {
            id_: [] for (id_,) in self._rows("SELECT session_id FROM pl_sessions")
        }
        for id_, seq in self._rows("SELECT session_id, seq FROM pl_messages ORDER BY seq"):
            found[id_].append(seq)
        return found

    def newest(self) -> dict[str, float]:
        sql = "SELECT session_id, max(created_at) FROM pl_messages GROUP BY session_id"
        return {id_: cells.seconds(time) or 0.0 for id_, time in self._rows(sql)}

    @contextmanager
    def dying(self, deed: str) -> Iterator[None]:
        plain_taken, plain_add = ServerTransaction.taken, ServerTransaction.add

        def taken(self: ServerTransaction, sql: str, values: Sequence[object]) -> Iterator[Image]:
            yield from plain_taken(self, sql, values)
            if sql.startswith(f'{deed} "{PL.messages}"'):
                raise Died

        def add(self: ServerTransaction, sql: str, rows: Sequence[Sequence[object]]) -> int:
            count = plain_add(self, sql, rows)
            if sql.startswith(f'{deed} "{PL.messages}"'):
                raise Died
            return count

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(ServerTransaction, "taken", taken)
            patch.setattr(ServerTransaction, "add", add)
            with pytest.raises(Died):
                yield
