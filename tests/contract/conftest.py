"""The same promises, on files of every kind of store."""

from pathlib import Path

import pytest

from tests.contract.cases import FILES, LIBRARIES, Case, LibraryCase


@pytest.fixture(params=(*FILES, *LIBRARIES))
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Case:
    name = request.param
    return LibraryCase(name, tmp_path) if name in LIBRARIES else Case(name, tmp_path)


@pytest.fixture(autouse=True)
def _at_full_speed(monkeypatch: pytest.MonkeyPatch) -> None:
    """No room for an agent between two batches, and none for a screen between two stretches of a
    search, where there is neither."""
    monkeypatch.setattr("explorer.stores.edits.batches.PAUSE", 0.0)
    monkeypatch.setattr("explorer.stores.edits.batches.ALONE_PAUSE", 0.0)
    monkeypatch.setattr("explorer.search.engine.REST", 0.0)
