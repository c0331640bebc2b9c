"""A connection to a server that can be cancelled while it waits for an answer.

The thread that waits looks at its token several times a second. When it is cancelled, it asks the
server to end the query, and gives up the connection if no answer comes: the network may be gone.
"""

import logging
import os
import select
import time
from typing import Any, TypeVar

import psycopg
from psycopg.abc import PQGen
from psycopg.adapt import AdaptersMap, Buffer, Loader
from psycopg.conninfo import make_conninfo
from psycopg.postgres import types
from psycopg.types import bool as bools
from psycopg.types import none, numeric, string
from psycopg.waiting import Ready, Wait

from explorer.cancel import CancelToken
from explorer.errors import Cancelled
from explorer.stores.postgres.address import Address, Peer
from explorer.stores.postgres.secrets import remember

T = TypeVar("T")

APPLICATION = "session-explorer"
CONNECTING = 10
"""Seconds for a connection, unless the address says otherwise."""
LOOKS = 0.02
"""Seconds between two looks at the token."""
CANCELLING = 2.0
"""Seconds in which a server must confirm that it has ended a query."""
SILENCE = 5.0
"""Seconds after its own time limit in which a server that is alive has answered."""

# What the driver logs would be written over the screen.
logging.getLogger("psycopg").addHandler(logging.NullHandler())
logging.getLogger("psycopg").propagate = False


class _Whole(Loader):
    """A sum of integers is `numeric`, which Python would read as a Decimal."""

    def load(self, data: Buffer) -> int | float:
        text = bytes(data).decode()
        return int(text) if text.lstrip("-").isdigit() else float(text)


class _Bit(Loader):
    """As SQLite has it."""

    def load(self, data: Buffer) -> int:
        return int(bytes(data) == b"t")


class _Lossy(Loader):
    """Text that may not be valid."""

    def load(self, data: Buffer) -> str:
        return bytes(data).decode("utf-8", "replace")


class _Cells:
    """How values and cells are exchanged: numbers, text and bytes as such, every other type as the
    text that the server makes of it, since Python has no date after the year 9999."""

    connection = None

    def __init__(self, lossy: bool) -> None:
        self.adapters = AdaptersMap(types=types)
        for module in (string, numeric, bools, none):
            module.register_default_adapters(self)
        self.adapters.register_loader("numeric", _Whole)
        self.adapters.register_loader("bool", _Bit)
        if lossy:
            for oid in (0, "text", "varchar", "bpchar", "name"):
                self.adapters.register_loader(oid, _Lossy)


class ServerSession(psycopg.Connection[tuple[Any, ...]]):
    """A connection whose waits end with a token, or when the server says nothing any more."""

    token: CancelToken | None = None
    answers_within: float = CONNECTING

    def wait(self, gen: PQGen[T], interval: float = LOOKS, timeout: float | None = None) -> T:
        try:
            wanted = next(gen)
            patience = self.answers_within if timeout is None else timeout
            until = time.monotonic() + patience
            cancelling = False
            while True:
                # Also while rows keep coming: of a long result, there is no pause between them.
                if not cancelling and self.token is not None and self.token.cancelled:
                    cancelling, until = True, time.monotonic() + CANCELLING
                    self._cancel_quietly()
                ready = _ready(self.pgconn.socket, wanted, interval)
                if ready:
                    wanted = gen.send(ready)
                elif time.monotonic() > until:
                    self.pgconn.finish()
                    if cancelling:
                        raise Cancelled
                    raise psycopg.OperationalError("the server does not answer")
        except StopIteration as ended:
            value: T = ended.value
            return value
        except KeyboardInterrupt:
            self._cancel_quietly()
            self.pgconn.finish()
            raise

    def _cancel_quietly(self) -> None:
        """Ask the server to end the query; where that fails, the wait runs out."""
        try:
            self.cancel_safe(timeout=CANCELLING)
        except psycopg.Error:
            return


def _ready(socket: int, wanted: Wait, seconds: float) -> Ready | None:
    """What the socket is ready for; None if nothing happened in this time."""
    poll = select.poll()
    events = (select.POLLIN if wanted & Wait.R else 0) | (select.POLLOUT if wanted & Wait.W else 0)
    poll.register(socket, events)
    found = poll.poll(seconds * 1000)
    if not found:
        return None
    happened = found[0][1]
    if happened & select.POLLNVAL:
        raise psycopg.OperationalError("the connection was closed")
    # An error or a hang-up is read like an answer: libpq says what it was.
    read = wanted & Wait.R and happened & ~select.POLLOUT
    write = wanted & Wait.W and happened & ~select.POLLIN
    return Ready((Ready.R if read else 0) | (Ready.W if write else 0)) or None


def peer_of(session: ServerSession) -> Peer:
    """Where a connection came out."""
    host = session.info.host
    return Peer(os.path.realpath(host) if host.startswith("/") else host, session.info.hostaddr)


def connect(address: Address, lossy: bool) -> ServerSession:
    """A new connection. It is in no transaction: each piece of work begins its own."""
    keywords = {
        "connect_timeout": str(CONNECTING),
        **address.keywords(),
        "application_name": APPLICATION,
        # Where a database holds what its encoding does not allow, take the bytes as they are.
        "client_encoding": "SQL_ASCII" if lossy else "UTF8",
    }
    made = ServerSession.connect(
        make_conninfo("", **keywords),
        autocommit=True,
        # Behind a pooler the next transaction may be on another server.
        prepare_threshold=None,
        context=_Cells(lossy),
        cursor_factory=psycopg.RawCursor,
    )
    remember(made.info.password, address.shown)
    return made
