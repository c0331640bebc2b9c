"""An explorer that is killed inside an edit, beside a real agent that writes on: nothing is lost.

Every edit, in both journal modes, on files of old and new schemas of Hermes and of power-loop; half
of the kills come from outside at any moment, half fall between two instructions of SQLite.
"""

from pathlib import Path

import pytest

from tests.edits.kills import kill_many

pytestmark = pytest.mark.long

KILLS = 60
MESSAGES = 150
"""In the session that is big here; the soak has more of both."""


def test_kills_inside_edits_lose_nothing(tmp_path: Path) -> None:
    figures = kill_many(tmp_path, KILLS, seed=20, messages=MESSAGES)
    assert [line for one in figures.values() for line in one.wrong] == []
    assert sum(one.kills for one in figures.values()) == KILLS
    assert all(one.kills for one in figures.values()), "every edit was hit"
    assert any(one.half_done for one in figures.values()), "some left a session half out"
    assert sum(one.appends for one in figures.values()) > KILLS
