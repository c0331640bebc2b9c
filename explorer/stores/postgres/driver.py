"""The driver is an extra: who reads no server need not install it, and nobody waits for it."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from explorer.errors import Problem, ServerError
from explorer.stores.postgres.address import Address

if TYPE_CHECKING:
    from explorer.stores.postgres.connection import ServerDatabase


def server_database(
    address: Address, waiting: Callable[[], None] | None = None
) -> "ServerDatabase":
    """The database at an address, not connected yet; a `StoreError` that names the extra where the
    driver is missing. `waiting` is called each time a server that cannot be read is tried again."""
    try:
        # Late: it takes 60 ms to load, and may not be installed.
        import psycopg
    except ImportError:
        raise ServerError(
            Problem.NO_DRIVER,
            "PostgreSQL driver missing",
            f"To read {address.shown}, install the driver: pip install"
            " 'session-explorer[postgres]'.",
        ) from None
    del psycopg
    from explorer.stores.postgres.connection import ServerDatabase  # late: as above

    return ServerDatabase(address, waiting=waiting)
