"""Connections that wait for the next read.

A login takes longer than most queries, so a few connections stay open for some seconds: idle, in no
transaction. They are closed soon, because a server has only so many.
"""

import threading
import time
import weakref

import psycopg

from explorer.cancel import CancelToken
from explorer.stores.postgres.address import Address, Peer
from explorer.stores.postgres.session import LOOKS, ServerSession, connect, peer_of

MOST = 3
"""Idle connections of one database."""
KEPT = 10.0
"""Seconds for which one waits."""


class _Login:
    """Connecting in a thread of its own, so that nobody must wait for a server that is silent."""

    def __init__(self, address: Address, lossy: bool) -> None:
        self._done = threading.Event()
        self._lock = threading.Lock()
        self._made: ServerSession | None = None
        self._error: Exception | None = None
        self._unwanted = False
        threading.Thread(target=self._run, args=(address, lossy), daemon=True).start()

    def _run(self, address: Address, lossy: bool) -> None:
        made = None
        try:
            made = connect(address, lossy)
        except (psycopg.Error, UnicodeError, ValueError) as error:
            # Its frames hold the password.
            self._error = error.with_traceback(None)
        with self._lock:
            if self._unwanted and made is not None:
                made.close()
            self._made = made
        self._done.set()

    def result(self, token: CancelToken) -> ServerSession:
        while not self._done.wait(LOOKS):
            if token.cancelled:
                with self._lock:
                    self._unwanted = True
                    if self._made is not None:
                        self._made.close()
                token.check()
        if isinstance(self._error, psycopg.Error):
            raise self._error
        if self._made is None:
            raise psycopg.ProgrammingError("the address cannot be used")
        return self._made


class Pool:
    """The connections to one database; any thread may ask."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self._lock = threading.Lock()
        self._idle: list[tuple[ServerSession, float]] = []
        self._timer: threading.Timer | None = None
        self.most = MOST
        self.lossy = False
        """Its text is not what it claims to be, so it is read as bytes."""
        self.peer: Peer | None = None
        """Where the first connection came out."""
        weakref.finalize(self, _close_all, self._idle)

    def take(self, token: CancelToken) -> ServerSession:
        """A connection, to be left again."""
        with self._lock:
            if self._idle:
                return self._idle.pop()[0]
        made = _Login(self.address, self.lossy).result(token)
        if self.peer is None:
            self.peer = peer_of(made)
            self.address = self.address.led_to(self.peer)
        return made

    @property
    def reached(self) -> bool:
        """There has been a connection, so the address is right."""
        return self.peer is not None

    def leave(self, session: ServerSession) -> None:
        """Work has ended: keep its connection, if it is sound, for the next."""
        if session.closed:
            return
        with self._lock:
            kept = len(self._idle) < self.most
            if kept:
                self._idle.append((session, time.monotonic() + KEPT))
                self._wake()
        if not kept:
            session.close()

    def clear(self) -> None:
        """Close all that wait: the server has gone, or is to be read in another way."""
        with self._lock:
            over = self._idle[:]
            self._idle.clear()
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
        _close_all(over)

    def _wake(self) -> None:
        if self._timer is None:
            self._timer = threading.Timer(KEPT, _look, (weakref.ref(self),))
            self._timer.daemon = True
            self._timer.start()

    def look(self) -> None:
        """Close what has waited long enough."""
        now = time.monotonic()
        with self._lock:
            self._timer = None
            over = [one for one in self._idle if one[1] <= now]
            self._idle[:] = [one for one in self._idle if one[1] > now]
            if self._idle:
                self._wake()
        _close_all(over)


def _look(pool: "weakref.ref[Pool]") -> None:
    found = pool()
    if found is not None:
        found.look()


def _close_all(idle: list[tuple[ServerSession, float]]) -> None:
    for session, _ in idle:
        session.close()
