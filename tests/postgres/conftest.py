"""The servers that tests of this folder share."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from explorer.stores.postgres import secrets
from explorer.stores.postgres.address import parse
from explorer.stores.postgres.connection import ServerDatabase
from tests.postgres.edit_ground import Ground, copy, make_template
from tests.postgres.filling import LOOPS, fill
from tests.postgres.server import Server, locked, running, shared, stop

Open = Callable[..., ServerDatabase]


@pytest.fixture(autouse=True)
def _no_known_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "_known", {})


def _common(factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """(a folder that all workers know, the process that ends when the tests do)."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        return factory.getbasetemp().parent, os.getppid()
    return factory.getbasetemp(), os.getpid()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server for all tests, with a database full of sessions."""
    folder, owner = _common(tmp_path_factory)
    found = shared(folder, owner)
    with locked(folder / "postgres-filled.lock"):
        if not (folder / "postgres-filled").exists():
            fill(found, tmp_path_factory.mktemp("power-loop"))
            (folder / "postgres-filled").touch()
    yield found
    if owner == os.getpid():
        stop(found)


@pytest.fixture(scope="module")
def own_server() -> Iterator[Server]:
    """A server that a test may stop."""
    found = running(os.getpid())
    yield found
    stop(found)


@pytest.fixture
def opened(server: Server) -> Iterator[Open]:
    """Opens a database of the server; its connections are closed after the test."""
    with ExitStack() as stack:

        def opened(user: str = "postgres", database: str = LOOPS, more: str = "") -> ServerDatabase:
            address = parse(server.address(database, user, more))
            return stack.enter_context(closing(ServerDatabase(address)))

        yield opened


@pytest.fixture(scope="session")
def edit_template(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Server:
    """The server, with a database of which copies are made for edits."""
    folder, _ = _common(tmp_path_factory)
    with locked(folder / "postgres-edits.lock"):
        if not (folder / "postgres-edits").exists():
            make_template(server, tmp_path_factory.mktemp("power-loop-edits"))
            (folder / "postgres-edits").touch()
    return server


@pytest.fixture
def ground(edit_template: Server, tmp_path: Path) -> Iterator[Ground]:
    """A database of its own to change."""
    made = copy(edit_template, tmp_path)
    yield made
    edit_template.run(f"DROP DATABASE {made.database} WITH (FORCE)")
