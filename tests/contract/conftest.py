"""The same promises, on stores of every kind."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.cases import FILES, LIBRARIES, SERVER, Case, LibraryCase
from tests.contract.on_server import ServerCase
from tests.postgres.filling import fill_one
from tests.postgres.server import Server
from tests.postgres.shared import once, shared_server  # noqa: F401  # a fixture

TEMPLATE = "promised"


@pytest.fixture(scope="session")
def filled(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Server:
    """The server, with a database of which each test gets a copy."""
    with once(tmp_path_factory, "postgres-promised") as first:
        if first:
            fill_one(server, tmp_path_factory.mktemp("power-loop"), TEMPLATE, TEMPLATE)
    return server


@pytest.fixture(params=(*FILES, *LIBRARIES, SERVER))
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Case]:
    """Without PostgreSQL, those with a server are skipped, and say so."""

    def made(name: str, folder: Path) -> Case:
        if name == SERVER:
            return ServerCase(request.getfixturevalue("filled"), TEMPLATE, folder)
        return Case(name, folder)

    name = request.param
    found = LibraryCase(name, tmp_path, made) if name in LIBRARIES else made(name, tmp_path)
    yield found
    found.close()


@pytest.fixture(autouse=True)
def _at_full_speed(monkeypatch: pytest.MonkeyPatch) -> None:
    """No room for an agent between two batches, and none for a screen between two stretches of a
    search, where there is neither."""
    monkeypatch.setattr("explorer.stores.edits.batches.PAUSE", 0.0)
    monkeypatch.setattr("explorer.stores.edits.batches.ALONE_PAUSE", 0.0)
    monkeypatch.setattr("explorer.search.engine.REST", 0.0)
