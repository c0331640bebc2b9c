"""The user's own keys in the app: they act, default ones do not, and what names keys follows."""

from pathlib import Path

import pytest

from explorer.keys.actions import ACTIONS
from explorer.model import KeySetting
from explorer.settings import Config
from explorer.tui.dialogs.palette import Palette
from explorer.tui.edits.edit_controller import Rename
from explorer.tui.list.filter_dialog import FilterScreen
from tests.terminal import Terminal
from tests.tui.driving import opened


def keys(**own: object) -> Config:
    settings = (KeySetting(name.replace("_", "-"), value) for name, value in own.items())
    return Config(keys=tuple(settings))


async def test_an_own_key_acts_and_the_default_one_does_not(demo: Path, tmp_path: Path) -> None:
    config = keys(rename="x")
    async with opened(demo, trash=tmp_path / "trash.db", config=config) as driver:
        await driver.press("t")
        assert not isinstance(driver.app.screen, Rename)
        await driver.press("f2")
        assert not isinstance(driver.app.screen, Rename), "nor any other of its default keys"
        await driver.press("x")
        assert isinstance(driver.app.screen, Rename)


async def test_footer_palette_and_help_name_the_own_key(demo: Path) -> None:
    async with opened(demo, size=(160, 60), config=keys(filter="ctrl+o", prune=[])) as driver:
        footer = driver.screen().splitlines()[-1]
        assert "ctrl+o Filter" in footer
        assert "Prune" not in footer
        await driver.press("ctrl+p")
        assert isinstance(driver.app.screen, Palette)
        await driver.type("filter")
        await driver.until_seen(lambda: "ctrl+o · by source" in driver.screen())
        await driver.press("escape", "question_mark")
        assert any("ctrl+o" in line and "Filter …" in line for line in driver.screen().splitlines())


async def test_swapped_keys_do_each_others_work(demo: Path) -> None:
    async with opened(demo, config=keys(filter="v", row_height="f")) as driver:
        before = driver.screen()
        await driver.press("f")
        assert not isinstance(driver.app.screen, FilterScreen)
        assert driver.screen() != before
        await driver.press("v")
        assert isinstance(driver.app.screen, FilterScreen)


async def test_the_keys_and_hints_of_dialogs_are_the_users_too(demo: Path) -> None:
    own = keys(filters_close="f6", filters_clear=["ctrl+r"])
    async with opened(demo, config=own) as driver:
        await driver.press("f")
        assert "ctrl+r clear · F6 close" in driver.screen()
        await driver.press("escape")
        assert isinstance(driver.app.screen, FilterScreen)
        await driver.press("f6")
        assert not isinstance(driver.app.screen, FilterScreen)


async def test_what_has_no_key_is_still_in_the_palette(demo: Path) -> None:
    async with opened(demo, config=keys(filter=[])) as driver:
        await driver.press("f")
        assert not isinstance(driver.app.screen, FilterScreen)
        await driver.press("ctrl+p")
        await driver.type("filter")
        await driver.until_seen(lambda: "by source, age" in driver.screen())
        await driver.press("enter")
        await driver.until_seen(lambda: isinstance(driver.app.screen, FilterScreen))


@pytest.mark.parametrize(
    ("wish", "title"),
    [
        *[("rename", "Rename session"), ("title", "Rename session"), ("resume", "Resume session")],
        *[("continue", "Resume session"), ("details", "Details"), ("tokens", "Details")],
        *[("quit", "Quit"), ("exit", "Quit"), ("tree", "Lineage"), ("branch", "Lineage")],
        *[("restore", "History and trash …"), ("light", "Switch theme"), ("star", "Pin / unpin")],
        *[("clean up", "Prune by rules …"), ("telegram", "Filter …"), ("order", "Sort …")],
        *[("why hidden", "Show hidden sessions"), ("save", "Open in editor")],
        *[("thinking", "Expand / collapse all reasoning"), ("copy", "Copy resume command")],
        *[("older", "Prune by rules …"), ("settings", "Help"), ("find", "Find in session")],
    ],
)
async def test_the_palette_knows_the_words_people_try(demo: Path, wish: str, title: str) -> None:
    async with opened(demo) as driver:
        await driver.press("ctrl+p")
        await driver.type(wish)
        await driver.until_seen(lambda: title in driver.screen())
        titles = {action.title for action in ACTIONS}
        found = [line.strip() for line in driver.screen().splitlines() if line.strip() in titles]
        assert title in found[:2]


def test_wrong_keys_are_named_before_the_app_opens(tmp_path: Path) -> None:
    file = tmp_path / "session-explorer" / "config.toml"
    file.parent.mkdir()
    file.write_text('[keys]\nrename = "d"\nundo = "ctlr+z"\n')
    with Terminal(["demo"], environment={"XDG_CONFIG_HOME": str(tmp_path)}) as terminal:
        assert terminal.leave() == 2
        said = terminal.text.replace("\n", "")
        assert "line 2: “d” is the key of both rename" in said
        assert "line 3: undo: “ctlr+z” is not a key; closest: ctrl+z" in said


async def test_from_the_list_the_palette_acts_on_the_transcript_and_back(demo: Path) -> None:
    async with opened(demo) as driver:
        await driver.press("ctrl+p")
        await driver.type("thinking")
        await driver.until_seen(lambda: "Expand / collapse all reasoning" in driver.screen())
        await driver.press("enter")
        await driver.until_seen(lambda: "▾ reasoning" in driver.screen())
        await driver.press("ctrl+p")
        await driver.type("rename")
        await driver.until_seen(lambda: "Rename session" in driver.screen())
        await driver.press("escape")
