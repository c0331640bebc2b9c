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
    """Passes everything on, but for the `nth` commit; everything again after that."""

    def __init__(self, port: int, cut: Cut, nth: int = 1) -> None:
        self._server = port
        self._cut = cut
        self._left = nth
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    def close(self) -> None:
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
            lost = threading.Event()
            back = threading.Thread(target=self._pass, args=(server, client, False, lost))
            back.start()
            self._pass(client, server, True, lost)
            back.join()

    def _pass(
        self, source: socket.socket, target: socket.socket, asks: bool, lost: threading.Event
    ) -> None:
        with suppress(OSError):
            while data := source.recv(1 << 16):
                if asks and COMMIT in data:
                    self._left -= 1
                    if self._left == 0:
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
