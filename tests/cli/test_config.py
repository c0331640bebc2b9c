"""`config`: every setting with its source, the file that `init` writes, and mistakes in it."""

import json
import tomllib
from pathlib import Path

import pytest

from explorer.cli import main
from explorer.commands.config import template
from explorer.keys.actions import ACTIONS
from explorer.settings import SETTINGS, Config, load_config, read_config


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return tmp_path / "session-explorer" / "config.toml"


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_path_says_where_the_file_is(settings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "path"]) == 0
    assert capsys.readouterr().out == f"{settings}\n"


def test_init_writes_a_file_of_comments_that_changes_nothing(settings: Path) -> None:
    assert main(["config", "init"]) == 0
    assert read_config(settings) == (Config(), [])
    text = settings.read_text(encoding="utf-8")
    for name in (*(setting.name for setting in SETTINGS), *(action.id for action in ACTIONS)):
        assert f"\n# {name} = " in text


def test_every_line_of_the_file_that_init_writes_can_be_used(settings: Path) -> None:
    found = tomllib.loads(_uncommented(template()))
    assert set(found) == {*(setting.name for setting in SETTINGS), "keys"}
    assert set(found["keys"]) == {action.id for action in ACTIONS}
    written(settings, _uncommented(template()))
    assert main(["config", "validate"]) == 0


def _uncommented(text: str) -> str:
    lines = (line.removeprefix("# ") if " = " in line else line for line in text.splitlines())
    return "\n".join(lines)


def test_init_never_replaces_a_file(settings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written(settings, 'resume = "return"\n')
    assert main(["config", "init"]) == 1
    assert "already exists. It was not changed." in capsys.readouterr().err
    assert settings.read_text(encoding="utf-8") == 'resume = "return"\n'


def test_show_prints_each_value_and_its_source(
    settings: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HERMES_HOME", "/elsewhere")
    written(settings, 'resume = "return"\n[keys]\nrename = "x"\n')
    assert main(["config", "show"]) == 0
    out = capsys.readouterr().out
    assert 'resume = "return"\n      from the settings file; default: "exec"' in out
    assert 'keys.rename = "x"\n      from line 3 of the settings file; default: ["t", "F2"]' in out
    assert "resume_command = []\n      default\n" in out
    assert "theme is not set\n      default\n" in out
    assert "HERMES_HOME = /elsewhere" in out
    assert main(["config", "show", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["settings"][0]["value"] == "return"
    assert document["problems"] == []


def test_validate_names_every_line_that_is_wrong(
    settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written(settings, 'resume = "maybe"\nzebra = 1\n\n[keys]\nrename = "d"\nrenam = "x"\n')
    assert main(["config", "validate"]) == 2
    said = capsys.readouterr().err
    assert "Cannot read the settings" in said
    assert "line 1: resume: must be" in said
    names = "resume, resume_command, theme, density, columns, time, keys"
    assert f"line 2: zebra: unknown setting; use {names}." in said
    assert "line 5: “d” is the key of both rename" in said
    assert "line 6: unknown action “renam”; closest: rename" in said
    assert main(["config", "show"]) == 2


def test_a_wrong_look_names_its_line_and_the_closest_value(
    settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = 'theme = "drak"\ndensity = 2\ncolumns = ["time", "modle"]\ntime = "absolut"\n'
    written(settings, text + 'thme = "dark"\n')
    assert main(["config", "validate"]) == 2
    said = capsys.readouterr().err
    assert 'line 1: theme: must be "auto", "dark", "light"' in said
    assert 'not "drak"; closest: dark.' in said
    assert 'line 2: density: must be "auto", "comfortable" or "compact", not 2.' in said
    assert 'line 3: columns: must be "messages",' in said
    assert 'not "modle"; closest: model.' in said
    assert 'line 4: time: must be "relative" or "absolute", not "absolut"; closest:' in said
    assert "line 5: thme: unknown setting; closest: theme" in said
    written(settings, 'theme = "nord"\ndensity = "compact"\ncolumns = []\ntime = "absolute"\n')
    assert main(["config", "validate"]) == 0
    config = load_config(settings)
    assert (config.theme, config.density, config.columns) == ("nord", "compact", ())


def test_validate_without_a_file_says_that_everything_is_default(
    settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["config", "validate"]) == 0
    assert "does not exist. All settings have their defaults." in capsys.readouterr().err


@pytest.mark.parametrize("text", ["keys = 3", "[keys.rename]\nx = 1", "[[keys]]\nrename='x'"])
def test_keys_of_a_wrong_shape_are_named(
    settings: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    written(settings, text)
    assert main(["config", "validate"]) == 2
    assert "line 1: " in capsys.readouterr().err


def test_stored_escape_sequences_do_not_reach_the_terminal(
    settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written(settings, '[keys]\n"a\\u001b[31m" = "\\u001b]0;x"\nrename = "\\u001b]0;x"\n')
    assert main(["config", "show"]) == 2
    output = capsys.readouterr()
    assert "\x1b" not in output.out + output.err
