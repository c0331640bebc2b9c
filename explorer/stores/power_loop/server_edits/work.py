"""What every edit on a server has at hand, and what it finds there."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from explorer.errors import Refused, sentence
from explorer.model import Action
from explorer.stores.edits.batches import EditContext
from explorer.stores.edits.connection import Changed
from explorer.stores.edits.plans import KINDS
from explorer.stores.postgres.address import Address
from explorer.stores.postgres.writing import CANNOT, Conflict, ServerTransaction, ServerWriter
from explorer.stores.power_loop.server_edits.tables import (
    ServerDialect,
    ServerSessionTables,
    SetLayout,
    layout_of,
)
from explorer.stores.sqlite.images import Rows


class ServerWork(NamedTuple):
    """One edit, or one look at what became of one."""

    context: EditContext
    dialect: ServerDialect
    address: Address

    def writer(self) -> ServerWriter:
        return ServerWriter(self.address, self.dialect.names)

    @contextmanager
    def transaction(self, writer: ServerWriter) -> Iterator[ServerTransaction]:
        """A write that happens as a whole or not at all, and that the user can stop."""
        try:
            with writer.transaction(self.context.token) as tx:
                yield tx
        except Conflict as error:
            raise Changed(error.title, error.message) from error

    def tables(self, tx: ServerTransaction, table: str, action: str) -> "OpenTables":
        """The tables as they are under this transaction; refuses where they have changed so that
        the edit is no longer possible."""
        found = open_tables(self.dialect, tx.rows, table)
        reason = found.against(action)
        if reason:
            raise Changed(KINDS[Action(action)].cannot, sentence(reason))
        return found


class OpenTables(NamedTuple):
    """One set of tables, asked over one connection."""

    tables: ServerSessionTables
    layout: SetLayout
    reasons: dict[str, str | None]

    def against(self, action: str) -> str | None:
        """Why an edit is not possible, or cannot be undone: what would keep it from being done
        again does."""
        return self.reasons[KINDS[Action(action)].rule.action.value]


def open_tables(dialect: ServerDialect, ask: Rows, table: str) -> OpenTables:
    """The set with this table of sessions."""
    of = dialect.set_of(table)
    if of is None:
        raise Refused(CANNOT, f"The table {table} is not in the search path of its user.")
    layout = layout_of(ask, of)
    tables = dialect.over(ask, layout.schema, table)
    assert isinstance(tables, ServerSessionTables)
    return OpenTables(tables, layout, layout.reasons(of))
