"""A file that only its agent can delete from: the agent's own command is offered, and run."""

import os
from pathlib import Path

import pytest

from explorer.stores.hermes.create.state_file import StateFile
from explorer.tui.dialogs.questions import Question
from tests.edits.states import dump, need_tokenizer
from tests.factories import talk
from tests.standin import StandIn
from tests.terminal import Terminal
from tests.tui.driving import NOW, opened


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a home" / "state.db"
    path.parent.mkdir()
    with StateFile.create(path) as state:
        talk(state, "owl", "hello", at=NOW - 9000, title="Owls", end="cli_close")
        talk(state, "-rf", "hello", at=NOW - 9500, title="Odd", end="cli_close")
    need_tokenizer(path)
    return path


@pytest.fixture
def standin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StandIn:
    folder = tmp_path / "program"
    folder.mkdir()
    agent = StandIn(folder)
    monkeypatch.setenv("PATH", str(agent.bin), prepend=os.pathsep)
    return agent


async def test_the_command_is_shown_and_cancel_is_the_default(
    path: Path, tmp_path: Path, standin: StandIn
) -> None:
    before = dump(path)
    async with opened(path, trash=tmp_path / "trash.db") as driver:
        await driver.press("d")
        assert isinstance(driver.app.screen, Question)
        assert driver.focus() == "no"
        seen = " ".join(driver.screen().replace("│", " ").split())
        assert "Delete “Owls”?" in seen
        assert "the tokenizer cjk_words, which only the agent has" in seen
        assert "cannot be undone" in seen
        assert "hermes -p default sessions delete owl --yes" in seen
        await driver.press("enter")
        assert driver.focus() == "list"
    assert standin.calls() == []
    assert dump(path) == before


async def test_an_odd_id_is_not_handed_to_a_command(
    path: Path, tmp_path: Path, standin: StandIn
) -> None:
    async with opened(path, trash=tmp_path / "trash.db") as driver:
        await driver.press("j", "d")
        assert not isinstance(driver.app.screen, Question)
        assert "is not safe on a command line" in driver.told()[-1]


async def test_without_the_agent_it_says_why(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    async with opened(path, trash=tmp_path / "trash.db") as driver:
        await driver.press("d")
        assert not isinstance(driver.app.screen, Question)
        assert "Only the agent can delete it" in driver.told()[-1]


def test_the_agent_gets_the_terminal(path: Path, tmp_path: Path, standin: StandIn) -> None:
    environment = {
        **standin.environment,
        **{"XDG_DATA_HOME": str(tmp_path / "data"), "STANDIN_CODE": "3"},
        "PATH": os.environ["PATH"],
    }
    with Terminal(["--db", str(path)], environment=environment) as terminal:
        terminal.until("message 1 of")
        terminal.press(b"d")
        terminal.until("this cannot be undone")
        terminal.press(b"y")
        terminal.until("exited with code 3")
        terminal.press(b"q")
        assert terminal.leave() == 0
    (call,) = standin.calls()
    assert call["arguments"][-4:] == ["sessions", "delete", "owl", "--yes"]
    assert call["home"] == str(path.parent)
    assert call["canonical"] is True
