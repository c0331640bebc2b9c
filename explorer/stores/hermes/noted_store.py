"""A state file from before there was an archive: what is archived is kept in our own notes."""

from collections.abc import Collection, Sequence

from explorer.cancel import CancelToken
from explorer.errors import ExplorerError
from explorer.model import Session, Sort
from explorer.stores.base import Changes
from explorer.stores.catalog import Catalog, Unit
from explorer.stores.census import Census
from explorer.stores.hermes.store import HermesStore
from explorer.stores.ours.notes import Notes
from explorer.stores.sqlite.read_only import ReadOnlyFile


class NotedStore(HermesStore):
    """Reads a file without an archive; our notes say which of its sessions are archived."""

    noted = True

    def __init__(self, file: ReadOnlyFile, notes: Notes) -> None:
        super().__init__(file)
        self._notes = notes

    def _archived(self) -> frozenset[str]:
        try:
            return self._notes.archived()
        except ExplorerError:
            # Said already when the notes were opened; a list without them is better than none.
            return frozenset()

    def _with_archived(self, catalog: Catalog, token: CancelToken | None) -> Catalog:
        ids = self._archived()
        keys = self.keys_of(sorted(ids), token).values() if ids else ()
        return catalog.with_archived(key for key in keys if catalog.has(key))

    def first_page(
        self, limit: int, now: float, sort: Sort = Sort.ACTIVE, token: CancelToken | None = None
    ) -> list[Session]:
        archived = self._archived()
        page = super().first_page(limit + len(archived), now, sort, token)
        return [row for row in page if row.id not in archived][:limit]

    def catalog(self, token: CancelToken | None = None) -> Catalog:
        return self._with_archived(super().catalog(token), token)

    def census(
        self, first: int, sources: Collection[str] = (), token: CancelToken | None = None
    ) -> Census:
        return Census(self.catalog(token))

    def changes(self, since: object, token: CancelToken | None = None) -> Changes | None:
        found = super().changes(since, token)
        if found is None or found.family is None:
            return found
        return found._replace(family=self._with_archived(found.family, token))

    def sessions(
        self, units: Sequence[Unit], now: float, token: CancelToken | None = None
    ) -> list[Session]:
        archived = self._archived()
        rows = super().sessions(units, now, token)
        return [row._replace(archived=row.id in archived) for row in rows] if archived else rows
