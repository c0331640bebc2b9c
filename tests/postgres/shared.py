"""The server that all tests share which need one, whichever folder they are in."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.postgres.filling import fill
from tests.postgres.server import Server, locked, shared, stop


def _common(factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """(a folder that all workers know, the process that ends when the tests do)."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        return factory.getbasetemp().parent, os.getppid()
    return factory.getbasetemp(), os.getpid()


@contextmanager
def once(factory: pytest.TempPathFactory, name: str) -> Iterator[bool]:
    """Whether this is the worker that makes something for all; the others wait for it."""
    folder, _ = _common(factory)
    made = folder / name
    with locked(folder / f"{name}.lock"):
        yield not made.exists()
        made.touch()


@pytest.fixture(name="server", scope="session")
def shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server for all tests, with a database full of sessions."""
    folder, owner = _common(tmp_path_factory)
    found = shared(folder, owner)
    with once(tmp_path_factory, "postgres-filled") as first:
        if first:
            fill(found, tmp_path_factory.mktemp("power-loop"))
    yield found
    if owner == os.getpid():
        stop(found)
