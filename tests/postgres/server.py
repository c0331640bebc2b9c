"""A real PostgreSQL server for the tests: on loopback, on a free port, in a folder of its own.

It does not run as root, so it runs as its own user. A keeper process starts it, and ends it when
the tests end, however they do. All workers of a test run share one.
"""

import fcntl
import json
import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import psycopg
import pytest

PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "shared_buffers": "16MB",
    "max_connections": "60",
    "autovacuum": "off",
    "jit": "off",
}
LOGINS = """
local all all trust
host all locked 127.0.0.1/32 scram-sha-256
hostssl all secured 127.0.0.1/32 trust
host all secured 127.0.0.1/32 reject
host all all 127.0.0.1/32 trust
"""
"""Of two users more is asked than of the others."""
SECONDS = 60


@dataclass(frozen=True)
class Server:
    """A server that is running."""

    port: int
    folder: str
    keeper: int
    """The process that ends it."""

    def address(self, database: str = "postgres", user: str = "postgres", more: str = "") -> str:
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}{more}"

    def run(self, *statements: str, database: str = "postgres") -> list[tuple[object, ...]]:
        """The rows of the last of these statements, run as the owner of everything."""
        with psycopg.connect(self.address(database), autocommit=True) as connection:
            for statement in statements:
                cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []


def running(owner: int, more: Mapping[str, str] = MappingProxyType({})) -> Server:
    """A new server with these settings besides, which ends when the process `owner` does."""
    if not PROGRAMS:
        pytest.skip("PostgreSQL is not installed (Debian: postgresql)")
    told = (str(PROGRAMS[-1].parent), str(owner), json.dumps({**more}))
    keeper = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "tests.postgres.keeper",
            *told,
        ],
        cwd=Path(__file__).parents[2],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert keeper.stdout is not None
    # Not closed by a `with`: the keeper writes one line and goes on.
    line = keeper.stdout.readline()
    keeper.stdout.close()
    assert line, "the server did not start"
    keeper.returncode = 0  # it is not ours to wait for
    server = Server(**json.loads(line))
    wait_for(server)
    return server


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """One worker at a time."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def shared(folder: Path, owner: int) -> Server:
    """The server of this test run; `folder` is known to all its workers."""
    told = folder / "postgres.json"
    with locked(folder / "postgres.lock"):
        if not told.exists():
            server = running(owner)
            told.write_text(json.dumps(server.__dict__))
        return Server(**json.loads(told.read_text()))


def stop(server: Server) -> None:
    """End it now, and its keeper."""
    with suppress(ProcessLookupError):
        os.kill(server.keeper, 15)
    until = time.monotonic() + SECONDS
    while Path(server.folder).exists() and time.monotonic() < until:
        time.sleep(0.02)


def wait_for(server: Server) -> None:
    until = time.monotonic() + SECONDS
    while True:
        try:
            psycopg.connect(server.address()).close()
            return
        except psycopg.OperationalError:
            assert time.monotonic() < until, "the server does not answer"
            time.sleep(0.05)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def make_folder() -> tuple[Path, int, int]:
    """(an empty folder, and the user and group that the server runs as)."""
    folder = Path(tempfile.mkdtemp(prefix="session-explorer-postgres-"))
    if os.geteuid() != 0:
        return folder, os.geteuid(), os.getegid()
    try:
        user = pwd.getpwnam("postgres")
    except KeyError:
        user = pwd.getpwuid(65534)
    os.chown(folder, user.pw_uid, user.pw_gid)
    return folder, user.pw_uid, user.pw_gid


def remove_folder(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
