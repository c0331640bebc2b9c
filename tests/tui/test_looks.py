"""How the app looks: what is set, what is remembered, and what fits the terminal."""

import termios
from pathlib import Path

import pytest
from textual.color import Color
from textual.widgets import OptionList

from explorer.model import ListColumn
from explorer.settings import Config
from explorer.tui.dialogs.theme_choice import ThemeChoice
from tests.terminal import Terminal
from tests.tui.driving import animals, opened

LIGHT_PAPER = b"48;2;251;250;246"
DARK_PAPER = b"48;2;16;19;26"
QUESTION = b"\x1b]11;?\x1b\\"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return animals(tmp_path / "state.db")


async def test_theme_and_row_height_are_remembered_and_settings_come_first(
    path: Path, tmp_path: Path
) -> None:
    notes = tmp_path / "notes.db"
    async with opened(path, notes=notes) as driver:
        assert driver.app.theme == "explorer-dark"
        assert driver.main.sessions.comfortable
        await driver.press("ctrl+t", "v")
        assert driver.app.theme == "explorer-light"
    other = animals(tmp_path / "other.db")
    async with opened(other, notes=notes) as driver:
        assert driver.app.theme == "explorer-light", "for every file"
        assert not driver.main.sessions.comfortable
    async with opened(path, notes=notes, config=Config(theme="nord", density="auto")) as driver:
        assert driver.app.theme == "nord"
        assert driver.main.sessions.comfortable
    async with opened(path, notes=notes, config=Config(theme="auto")) as driver:
        assert driver.app.theme == "explorer-dark"
        assert not driver.main.sessions.comfortable


async def test_the_palette_lists_themes_and_shows_each_under_the_cursor(
    path: Path, tmp_path: Path
) -> None:
    notes = tmp_path / "notes.db"
    async with opened(path, notes=notes) as driver:
        await driver.press("ctrl+p")
        await driver.type("gruvbox")
        await driver.press("enter")
        assert isinstance(driver.app.screen, ThemeChoice)
        options = driver.app.screen.query_one(OptionList)
        await driver.press("down", "down", "down", "down")
        assert driver.app.theme == "nord", "a preview"
        assert options.get_component_styles("option-list--option-highlighted").background == (
            Color.parse(driver.app.theme_variables["lit"])
        )
        await driver.press("escape")
        assert driver.app.theme == "explorer-dark", "cancelled"
        await driver.app.run_action("themes")
        await driver.settle()
        await driver.press("down", "enter")
        assert driver.app.theme == "explorer-light"
    async with opened(path, notes=notes) as driver:
        assert driver.app.theme == "explorer-light", "chosen"
        field = driver.main.search_bar.input.get_component_styles("input--placeholder")
        assert field.color == Color.parse(driver.app.theme_variables["dim"])


async def test_columns_and_times_are_as_they_are_set(path: Path) -> None:
    config = Config(columns=(ListColumn.TIME, ListColumn.MESSAGES), time="absolute")
    async with opened(path, config=config) as driver:
        row = next(line for line in driver.screen().splitlines() if "▌ ant" in line)
        *_, time, messages = row.split("││")[0].split()
        assert messages == "2"
        assert time[2] == ":"
        assert "cli" not in row.split("││")[0]


def _answered(path: Path, reply: bytes, environment: dict[str, str]) -> Terminal:
    terminal = Terminal(["--db", str(path)], environment=environment)
    if reply:
        terminal.until(lambda _: QUESTION in terminal.raw)
        terminal.press(reply)
    return terminal


@pytest.mark.long
@pytest.mark.parametrize(
    ("reply", "paper"),
    [
        (b"\x1b]11;rgb:ffff/fafa/f0f0\x1b\\", LIGHT_PAPER),
        (b"j\x1b]11;rgb:00/00/00\x07j", DARK_PAPER),
    ],
)
def test_the_theme_fits_the_background_of_the_terminal(
    path: Path, tmp_path: Path, reply: bytes, paper: bytes
) -> None:
    home = {"XDG_DATA_HOME": str(tmp_path), "COLORFGBG": ""}
    with _answered(path, reply, home) as terminal:
        terminal.until("message 1 of", "▌ cat" if b"j" in reply else "▌ ant")
        assert paper in terminal.raw
        assert "11;rgb" not in terminal.text
        terminal.press(b"q")
        assert terminal.leave() == 0
        echo = termios.tcgetattr(terminal._fd)[3] & termios.ECHO
        assert echo, "the terminal is given back as it was"


@pytest.mark.long
def test_a_reply_that_comes_too_late_is_not_typed(path: Path, tmp_path: Path) -> None:
    home = {"XDG_DATA_HOME": str(tmp_path), "COLORFGBG": ""}
    with _answered(path, b"", home) as terminal:
        terminal.until("message 1 of")
        assert DARK_PAPER in terminal.raw, "nothing is waited for"
        terminal.press(b"/")
        terminal.until("Search")
        terminal.press(b"ca\x1b]11;rgb:ff")
        terminal.press(b"ff/fafa/f0f0\x1b\\t")
        terminal.until("/ cat")
        terminal.press(b"\x11")
        assert terminal.leave() == 0


@pytest.mark.long
@pytest.mark.parametrize("known", ["COLORFGBG", "theme", "TERM"])
def test_a_terminal_is_not_asked_for_what_is_known(path: Path, tmp_path: Path, known: str) -> None:
    (tmp_path / "session-explorer").mkdir()
    home = {"XDG_CONFIG_HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path), "COLORFGBG": ""}
    if known == "COLORFGBG":
        home["COLORFGBG"] = "0;15"
    elif known == "theme":
        (tmp_path / "session-explorer" / "config.toml").write_text('theme = "light"')
    else:
        home["TERM"] = "linux"
    with _answered(path, b"", home) as terminal:
        terminal.until("message 1 of")
        assert QUESTION not in terminal.raw
        assert (LIGHT_PAPER in terminal.raw) == (known != "TERM")
        terminal.press(b"q")
        terminal.leave()
