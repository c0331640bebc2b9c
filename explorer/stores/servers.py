"""From the address of a database to its stores: one for each set of power-loop's tables."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from explorer.cancel import CancelToken
from explorer.errors import Problem, StoreError, UsageError, closest
from explorer.stores.base import Store
from explorer.stores.ours.notes import Notes
from explorer.stores.postgres.driver import server_database
from explorer.stores.server_path import ServerPath

if TYPE_CHECKING:
    from explorer.stores.postgres.connection import ServerDatabase
    from explorer.stores.postgres.schema import FoundSets

USUAL_PREFIX = "pl_"
"""What power-loop calls its tables unless a program says otherwise."""


NO_SESSION = 1000
"""More tables than a set has."""


class FoundTables(NamedTuple):
    """A set of tables, and what it is called among the others of its database."""

    path: ServerPath
    name: str
    closed: int = 0
    """Tables that this user may not read; more than there are, where it can read no session."""


def sets_at(
    path: ServerPath,
    token: CancelToken | None = None,
    waiting: Callable[[], None] | None = None,
) -> Sequence[FoundTables]:
    """The sets of tables at an address; a `StoreError` where it cannot be read or has none. They
    share connections. `waiting` is called each time a busy server is tried again."""
    database = path.database or server_database(path.address, waiting)
    found = database.found(token)
    if not found.sets:
        raise database.no_store(found)
    return _named(path, database, found)


class EverySet(NamedTuple):
    """What a database has for a user."""

    sets: Sequence[FoundTables]
    elsewhere: tuple[str, ...]
    """Other schemas with sets of tables."""


def other_sets(path: ServerPath, token: CancelToken | None = None) -> EverySet:
    """What the database of a set has now."""
    database = path.database or server_database(path.address)
    found = database.found(token)
    return EverySet(_named(path, database, found), found.elsewhere)


def _named(path: ServerPath, database: "ServerDatabase", found: "FoundSets") -> list[FoundTables]:
    return [
        FoundTables(
            ServerPath.of(path.address, one.schema, one.prefix, database),
            set_name(one.schema, one.prefix),
            NO_SESSION if one.refused else len(one.closed),
        )
        for one in found.sets
    ]


def check_names(wanted: Collection[str], known: Mapping[ServerPath, Sequence[FoundTables]]) -> None:
    """Refuse the name of a set that none of these databases has."""
    names = list(dict.fromkeys(one.name for sets in known.values() for one in sets))
    for name in wanted:
        if name not in names:
            where = " or ".join(map(str, known))
            close = ", ".join(closest(name.lower(), names, least=0.0))
            raise UsageError(
                "No such profile", f"There is no profile {name!r} in {where}. Closest: {close}."
            )


def set_name(schema: str, prefix: str) -> str:
    """What a set of tables is called: as its schema, with a prefix that is not the usual one."""
    short = prefix.removesuffix("_")
    return schema if prefix == USUAL_PREFIX else f"{schema}.{short}" if short else f"{schema}."


def open_server(
    path: ServerPath,
    token: CancelToken | None = None,
    waiting: Callable[[], None] | None = None,
    notes: Notes | None = None,
) -> Store:
    """The store of a set of tables; of a database whose sets are not known yet, the only one."""
    # Late: only a server needs the driver.
    database = path.database or server_database(path.address, waiting)
    from explorer.stores.power_loop.server.store import PostgresStore

    found = database.found(token)
    schema, prefix = path.schema, path.prefix
    if not schema and len(found.sets) > 1:
        raise StoreError(
            Problem.UNREADABLE,
            "Start again to list it",
            f"{path} can be reached by now, and has {len(found.sets)} sets of tables. Quit and"
            " start Session Explorer again to list them all.",
        )
    if not schema and found.sets:
        schema, prefix = found.sets[0].schema, found.sets[0].prefix
    one = database.chosen(found, schema, prefix, token)
    known = ServerPath.of(path.address, one.schema, one.prefix, database)
    return PostgresStore(database.of(one), known, notes and notes.about(known), found.role)
