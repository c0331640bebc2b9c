"""The wheel contains everything that the app needs, and works outside the checkout."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    return next(folder.glob("*.whl"))


def test_the_style_sheets_are_packed_into_the_package(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        names = set(packed.namelist())
    for sheet in (ROOT / "styles").glob("*.tcss"):
        assert f"explorer/styles/{sheet.name}" in names
    assert "explorer/py.typed" in names
    assert not any(name.startswith(("tests/", "bench/", "tools/")) for name in names)


def test_the_app_starts_from_the_wheel_alone(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(tmp_path / "installed")
    code = """
import asyncio, sys
from pathlib import Path
import explorer
from explorer.demo import write_demo
from explorer.tui.app import ExplorerApp
from explorer.browse.first_read import Opening, Start
assert "installed" in explorer.__file__, explorer.__file__
write_demo(Path("state.db"), 1.79e9)
app = ExplorerApp(Start(Opening(Path("state.db"), 1.79e9), lambda: 1.79e9))
async def look():
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        await pilot.press("question_mark")
        print(app.screen.query_one("#help").styles.width)
asyncio.run(look())
"""
    ran = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path / "installed"), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.strip() == "84"
