"""What a set of tables on a server is called where a file has its path.

Everything that keeps notes, shows where sessions are or tells two stores apart has a `Path`. That
of a set of tables is made of `Address.identity`: host, port, database, schema and prefix, without
user and password. The host is the one that the address led to, so that one place has one name,
however it is typed. Shown, it reads like the address; to the file system it is a path that no file
has, whatever the current folder is.
"""

import os
from collections.abc import Collection
from pathlib import Path, PosixPath
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from explorer.stores.postgres.address import Address
    from explorer.stores.postgres.connection import ServerDatabase

_ROOT = "/postgresql:/"


def on_server(path: Path) -> bool:
    """Whether a path is that of tables on a server, also where it was read from a file of ours."""
    return os.fspath(path).startswith(_ROOT)


def database_of(path: Path) -> str:
    """The address of the database that such a path is in, as it is typed."""
    return "/".join(("postgresql:/", *os.fspath(path).removeprefix(_ROOT).split("/")[:2]))


class ServerPath(PosixPath):
    """The place of a set of tables, or of a database whose sets are not known yet. It also knows
    how to get there; a path that is made of it does not."""

    address: "Address"
    schema: str
    """Empty where the sets are not known yet."""
    prefix: str
    database: "ServerDatabase | None"
    """The connections that all sets of a database share."""
    as_typed: Path
    """What it would be called if nothing were known but the address: its name in our files before
    the server was asked what that stands for."""

    @classmethod
    def of(
        cls,
        address: "Address",
        schema: str = "",
        prefix: str = "",
        database: "ServerDatabase | None" = None,
    ) -> "ServerPath":
        from getpass import getuser  # late: only a server needs it

        try:
            login = getuser()
        except (KeyError, OSError):
            login = ""
        peer = database.peer if database is not None else None
        known = schema, prefix, os.environ, login
        made = cls(*_parts(address.identity(*known, peer)))
        made.as_typed = Path(*_parts(address.identity(*known)))
        made.address, made.schema, made.prefix = address, schema, prefix
        made.database = database
        return made

    def told_apart(self, others: Collection[Path]) -> "ServerPath":
        """The same database as these, which another address is for: by user and search path."""
        options = self.address.parameters.get("options", "").replace("\\ ", " ")
        said = " ".join(filter(None, (self.address.user, options))) or "default"
        name, at = f"{self.name}?{quote(said, safe=' =,-@')}", 2
        while any(other.name == name for other in others):
            name, at = f"{self.name}?{at}", at + 1
        made = type(self)(os.fspath(self.parent / name))
        vars(made).update(vars(self))
        return made

    def __fspath__(self) -> str:
        return super().__str__()

    def __str__(self) -> str:
        return f"postgresql://{super().__str__().removeprefix(_ROOT)}"


def _parts(identity: str) -> tuple[str, ...]:
    """The parts of a path for it, none of which leads elsewhere."""
    parts = identity.removeprefix("postgresql://").split("/")
    return _ROOT, *(one if one.strip(".") else one.replace(".", "%2E") for one in parts)
