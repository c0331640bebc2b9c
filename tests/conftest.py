"""What every test may rely on: no files of the user, one time zone, real files."""

import gc
import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import settings

from explorer.cli import main
from tests.newer_files import BORN, MODES, NEWER_FILES, newer_file
from tests.real_files import HERMES_FILES, REAL_FILES, unpack

# New examples during development; the same ones again in a build.
settings.register_profile("again", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("again")

OURS = (
    *("SESSION_EXPLORER_DB", "HERMES_HOME", "NO_COLOR"),
    *("PYTHONIOENCODING", "PYTHONUNBUFFERED"),
)
"""Variables that change what a command does."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What takes long comes first, some of it for each worker: of those that came last, one would
    keep all others waiting."""
    workers = getattr(config, "workerinput", {}).get("workercount", 1)
    long = [item for item in items if item.get_closest_marker("long")]
    short = [item for item in items if not item.get_closest_marker("long")]
    ordered: list[pytest.Item] = []
    for worker in range(workers):
        # Each worker begins with an equal part of the list, and takes from others when it is done.
        end = len(items) * (worker + 1) // workers
        ordered += long[worker::workers]
        rest = max(end - len(ordered), 0)
        ordered += short[:rest]
        del short[:rest]
    items[:] = ordered + short


@pytest.fixture(scope="session", autouse=True)
def _utc() -> Iterator[None]:
    before = os.environ.get("TZ")
    os.environ["TZ"] = "UTC"
    time.tzset()
    yield
    if before is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = before
    time.tzset()


@pytest.fixture(scope="session")
def empty_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(autouse=True)
def _nobodys_home(monkeypatch: pytest.MonkeyPatch, empty_home: Path) -> None:
    monkeypatch.setenv("HOME", str(empty_home))
    for name in OURS:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(params=REAL_FILES)
def real_file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return unpack(request.param, tmp_path)


@pytest.fixture(params=HERMES_FILES)
def hermes_file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return unpack(request.param, tmp_path)


@pytest.fixture(params=[(name, mode) for name in NEWER_FILES for mode in MODES], ids="-".join)
def newer_hermes(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A file of today's Hermes: every shape, with a write-ahead log and without."""
    name, mode = request.param
    return newer_file(name, tmp_path, mode)


@pytest.fixture(params=BORN)
def born_hermes(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A file that a release of schema 23 to 31 made, without a write-ahead log as they do."""
    return newer_file(request.param, tmp_path, "delete")


class Output(NamedTuple):
    """The result of a command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert self.code == 0, self.err
        return json.loads(self.out)


Command = Callable[..., Output]


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs a command line in this process: `command("list", "--json", "--db", path)`."""

    def run(*arguments: str | Path) -> Output:
        capsys.readouterr()
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as left:
            code = left.code if isinstance(left.code, int) else 1
        finally:
            # Commands turn it off: they end before they need it.
            gc.enable()
        said = capsys.readouterr()
        return Output(code, said.out, said.err)

    return run
