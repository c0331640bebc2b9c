"""What is in the databases that the user was looking at, besides what is listed: sets of tables
that were not chosen, and schemas outside the search path, which are only named."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple, TypeGuard
from urllib.parse import unquote

from explorer.cancel import CancelToken
from explorer.errors import ExplorerError
from explorer.render.figures import plural
from explorer.stores.discover import FoundStore
from explorer.stores.server_path import ServerPath, database_of, on_server
from explorer.whereabouts.sightings import Unseen

MOST_SCHEMAS = 20
"""Schemas that are named."""


class BesideSets(NamedTuple):
    """What databases have besides."""

    sets: Sequence[FoundStore] = ()
    unseen: Sequence[Unseen] = ()


def beside_sets(listed: Sequence[FoundStore], token: CancelToken | None = None) -> BesideSets:
    """What the databases of these stores have besides them."""
    known = {one.path for one in listed}
    sets: dict[Path, FoundStore] = {}
    elsewhere: dict[tuple[str, str], ServerPath] = {}
    for path in _databases(listed):
        # Late: only a server needs it.
        from explorer.stores.servers import other_sets

        try:
            found = other_sets(path, token)
        except ExplorerError:
            # Why it cannot be read is told when it is its turn.
            continue
        for one in found.sets:
            sets.setdefault(one.path, FoundStore(one.path, asked=False, name=one.name))
        elsewhere |= {(database_of(path), schema): path for schema in found.elsewhere}
    besides = tuple(one for path, one in sets.items() if path not in known)
    seen = {(database_of(path), path.schema) for path in (*known, *sets) if _is_set(path)}
    unseen = [_unseen(path, at[1]) for at, path in elsewhere.items() if at not in seen]
    if len(unseen) > MOST_SCHEMAS:
        more = plural(len(unseen) - MOST_SCHEMAS, "more schema")
        first = next(iter(elsewhere.values()))
        unseen[MOST_SCHEMAS:] = [Unseen(_base(first), more, "outside the search path")]
    return BesideSets(besides, unseen)


def _databases(listed: Iterable[FoundStore]) -> list[ServerPath]:
    """One path for each connection."""
    found = {id(one.path.database): one.path for one in listed if _is_set(one.path)}
    return list(found.values())


def _is_set(path: Path) -> TypeGuard[ServerPath]:
    return isinstance(path, ServerPath) and bool(path.schema)


def _unseen(path: ServerPath, schema: str) -> Unseen:
    from explorer.stores.postgres.given import reaching  # late: as above

    where = reaching(path.address, schema)
    why = f"outside the search path; search it with --db '{where}'"
    return Unseen(_base(path), f"schema {schema}", why)


def _base(path: ServerPath) -> Path:
    """The database of a set."""
    return path.parent.parent


def reached(path: Path, listed: Iterable[FoundStore]) -> Path:
    """A path from a file of ours, with the way to get there if it is on a server: as the user who
    looks at another set of the same database."""
    if not on_server(path) or isinstance(path, ServerPath):
        return path
    # Late: only a server needs it.
    from explorer.stores.postgres.address import parse

    database = database_of(path)
    schema, prefix = map(unquote, [*path.parts[4:6], "", ""][:2])
    for one in listed:
        if isinstance(one.path, ServerPath) and database_of(one.path) == database:
            return ServerPath.of(one.path.address, schema, prefix, one.path.database)
    try:
        return ServerPath.of(parse(database), schema, prefix)
    except ExplorerError:
        return path


def set_options(path: ServerPath) -> tuple[str, ...]:
    """The options of a command that is about one set of tables."""
    # Late: as above.
    from explorer.stores.postgres.given import reaching
    from explorer.stores.servers import set_name

    return (
        "--db",
        reaching(path.address, path.schema),
        "--profile",
        set_name(path.schema, path.prefix),
    )


def name_of(path: Path) -> str:
    """What a set of tables that is not listed is called; empty for a file."""
    if not isinstance(path, ServerPath):
        return ""
    # Late: as above.
    from explorer.stores.servers import set_name

    return f"{set_name(path.schema, path.prefix)} in {database_of(path)}"
