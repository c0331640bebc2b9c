"""Stands between an editor and the server, and cuts the connection when it commits."""

import socket
import threading
from contextlib import suppress
from enum import Enum

COMMIT = b"COMMIT\0"


class Cut(Enum):
    BEFORE = "the server never hears of it"
    AFTER = "the server commits, and its answer is lost"


class Proxy:
    """Passes everything on, but for the `nth` commit; everything again after that, or with
    `for_good` nothing before it is opened again."""

    def __init__(self, port: int, cut: Cut, nth: int = 1, for_good: bool = False) -> None:
        self._server = port
        self._cut = cut
        self._left = nth
        self._for_good = for_good
        self._joined: set[socket.socket] = set()
        self.port = 0
        self.open()

    def open(self) -> None:
        """Listen, at the port where it did before."""
        self._listening = socket.create_server(("127.0.0.1", self.port))
        self.port = self._listening.getsockname()[1]
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    def close(self) -> None:
        """As a server that is gone: nobody listens, and all connections are lost."""
        self._stop_listening()
        for one in list(self._joined):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def _stop_listening(self) -> None:
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._accepting.join()
        self._listening.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                threading.Thread(target=self._join, args=(client,), daemon=True).start()

    def _join(self, client: socket.socket) -> None:
        with client, socket.create_connection(("127.0.0.1", self._server)) as server:
            self._joined |= {client, server}
            lost = threading.Event()
            back = threading.Thread(target=self._pass, args=(server, client, False, lost))
            back.start()
            self._pass(client, server, True, lost)
            back.join()
            self._joined -= {client, server}
            if lost.is_set() and self._for_good:
                self.close()

    def _pass(
        self, source: socket.socket, target: socket.socket, asks: bool, lost: threading.Event
    ) -> None:
        with suppress(OSError):
            while data := source.recv(1 << 16):
                if asks and COMMIT in data:
                    self._left -= 1
                    if self._left == 0:
                        if self._for_good:
                            # Before the editor notices, and asks again.
                            self._stop_listening()
                        lost.set()
                        if self._cut is Cut.BEFORE:
                            break
                if lost.is_set() and not asks:
                    # The answer to the commit.
                    break
                target.sendall(data)
        for one in (source, target):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
