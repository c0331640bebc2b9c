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
from tests.postgres.filling import LOOPS
from tests.postgres.server import Server, running, stop
from tests.postgres.shared import once, shared_server  # noqa: F401  # a fixture

Open = Callable[..., ServerDatabase]


@pytest.fixture(autouse=True)
def _no_known_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "_known", {})


@pytest.fixture
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings, notes and trash of one test."""
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))


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
    with once(tmp_path_factory, "postgres-edits") as first:
        if first:
            make_template(server, tmp_path_factory.mktemp("power-loop-edits"))
    return server


@pytest.fixture
def ground(edit_template: Server, tmp_path: Path) -> Iterator[Ground]:
    """A database of its own to change."""
    made = copy(edit_template, tmp_path)
    yield made
    made.drop()
