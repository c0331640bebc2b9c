"""Whole screens of the transcript, as a person has looked at them and found them good.

The texts lie in `screens/`. Where one should change, delete it, run this, look at the new one in
the app as well, and say in the commit why it is better.
"""

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.tui.driving import Driver, opened
from tests.tui.specimen import write_specimen

SCREENS = Path(__file__).with_name("screens")


@pytest.fixture(scope="module")
def specimen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_specimen(tmp_path_factory.mktemp("specimen") / "state.db")


def _seen(driver: Driver) -> str:
    """All but the header, which names the file and its age."""
    lines = driver.screen().splitlines()
    return "\n".join(lines[1:] if "Session Explorer" in lines[0] else lines) + "\n"


@pytest.mark.parametrize(
    ("name", "size", "keys"),
    [
        ("folded", (120, 40), ("enter",)),
        ("unfolded", (120, 60), ("enter", "T", "o")),
        ("one-pane", (80, 24), ("enter", "pagedown")),
        ("find", (120, 40), ("enter", "ctrl+f", *"no arm64", "enter")),
        ("conversation", (120, 60), ("j", "j", "enter", "R")),
        ("block-alone", (100, 24), ("j", "enter", "right_curly_bracket", "enter", "G")),
    ],
)
async def test_a_screen_looks_as_it_did_when_it_was_looked_at(
    specimen: Path, name: str, size: tuple[int, int], keys: Sequence[str]
) -> None:
    async with opened(specimen, size=size) as driver:
        for key in keys:
            await driver.press("space" if key == " " else key)
        seen, kept = _seen(driver), SCREENS / f"{name}.txt"
        if not kept.exists():
            kept.parent.mkdir(exist_ok=True)
            kept.write_text(seen, encoding="utf-8")
            pytest.fail(f"{kept.name} was not there: look at it, and keep it if it is good")
        assert seen == kept.read_text(encoding="utf-8")
