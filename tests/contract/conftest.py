"""The same promises, on files of every kind of store."""

from pathlib import Path

import pytest

from tests.contract.cases import FILES, Case


@pytest.fixture(params=FILES)
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Case:
    return Case(request.param, tmp_path)


@pytest.fixture(autouse=True)
def _at_full_speed(monkeypatch: pytest.MonkeyPatch) -> None:
    """No room for an agent between two batches, and none for a screen between two stretches of a
    search, where there is neither."""
    monkeypatch.setattr("explorer.stores.edits.batches.PAUSE", 0.0)
    monkeypatch.setattr("explorer.stores.edits.batches.ALONE_PAUSE", 0.0)
    monkeypatch.setattr("explorer.search.engine.REST", 0.0)
