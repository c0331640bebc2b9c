"""Resuming: the agent gets exactly what it needs, in the right place, and a sane terminal."""

import io
import os
import sys
import time
from pathlib import Path

import pytest

from explorer.cli import main
from explorer.errors import ExitCode, Refused, UsageError
from explorer.resume import Command, command_for, fitted
from explorer.settings import Config, load_config
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.kinds import open_store
from tests.factories import everybody
from tests.real_files import unpack
from tests.standin import StandIn
from tests.terminal import Terminal

PARTS = ("20260101_120000_aaaaaa", "20260102_120000_bbbbbb")


@pytest.fixture
def standin(tmp_path: Path) -> StandIn:
    folder = tmp_path / "agent"
    folder.mkdir()
    return StandIn(folder)


def make_home(folder: Path, workspace: Path | None = None, running: bool = False) -> Path:
    """A home with one conversation of two parts, and a session with an odd id."""
    folder.mkdir(parents=True, exist_ok=True)
    now = time.time()
    with StateFile.create(folder / "state.db") as state:
        cwd = str(workspace) if workspace else None
        state.create_session(PARTS[0], "cli", started_at=now - 9000, title="Long", cwd=cwd)
        state.append_message(PARTS[0], "user", "hello", timestamp=now - 8990)
        state.end_session(PARTS[0], now - 8000, "compression")
        state.create_session(
            PARTS[1], "cli", started_at=now - 8000, parent=PARTS[0], title="Long #2", cwd=cwd
        )
        state.append_message(PARTS[1], "user", "go on", timestamp=now - (5 if running else 7000))
        state.create_session("-odd;id", "cli", started_at=now - 9900, title="Odd")
        state.append_message("-odd;id", "user", "hm", timestamp=now - 9900)
    return folder


def _command(home: Path, title: str, config: Config | None = None) -> Command:
    store = open_store(home / "state.db")
    key = store.find(title)[0].key
    session = store.sessions([store.catalog().folded(key)], time.time())[0]
    return command_for(store, session, config or Config())


def test_a_conversation_is_resumed_at_its_newest_part(tmp_path: Path) -> None:
    command = _command(make_home(tmp_path / "home"), PARTS[0])
    assert command.arguments == ("hermes", "-p", "default", f"--resume={PARTS[1]}")
    assert command.environment == {"HERMES_HOME": str(tmp_path / "home")}


def test_a_profile_is_named_and_the_home_is_the_root(tmp_path: Path) -> None:
    home = make_home(tmp_path / "root" / "profiles" / "work")
    command = _command(home, PARTS[0])
    assert command.arguments[1:3] == ("-p", "work")
    assert command.environment == {"HERMES_HOME": str(tmp_path / "root")}


def test_it_starts_in_the_workspace_only_if_that_still_exists(tmp_path: Path) -> None:
    here = tmp_path / "project"
    here.mkdir()
    assert _command(make_home(tmp_path / "a", here), "Long").folder == str(here)
    assert _command(make_home(tmp_path / "b", tmp_path / "gone"), "Long").folder is None


def test_an_unsafe_id_is_refused(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home")
    with pytest.raises(Refused, match="is not safe on a command line"):
        _command(home, "Odd")


def test_a_file_of_another_name_says_why_hermes_cannot_resume_it(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home")
    (home / "state.db").rename(home / "backup.db")
    store = open_store(home / "backup.db")
    assert "opens only files named state.db" in str(store.handover())


def test_power_loop_says_that_it_has_no_command(tmp_path: Path) -> None:
    store = open_store(unpack("power-loop-8.0.0", tmp_path))
    assert "no command" in str(store.handover())


def test_the_command_can_be_set_for_wrappers_and_other_agents(tmp_path: Path) -> None:
    config = Config(resume_command=("wrap", "--home", "{home}", "{profile}:{id}"))
    command = _command(make_home(tmp_path / "home"), "Long", config)
    assert command.arguments == ("wrap", "--home", str(tmp_path / "home"), f"default:{PARTS[1]}")


def test_an_agent_without_profiles_gets_no_profile_option(
    tmp_path: Path, standin: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = make_home(tmp_path / "home")
    monkeypatch.setenv("PATH", f"{standin.bin}{os.pathsep}{os.environ['PATH']}")
    command = _command(home, "Long")
    handover = open_store(home / "state.db").handover()
    monkeypatch.setenv("STANDIN_HELP", "usage: hermes [--resume ID]")
    assert fitted(command, handover, Config()).arguments == ("hermes", f"--resume={PARTS[1]}")
    monkeypatch.setenv("STANDIN_HELP", "usage: hermes [--resume ID] profile")
    assert fitted(command, handover, Config()) == command


def test_the_printed_command_is_quoted_for_a_shell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here = tmp_path / "it's here"
    here.mkdir()
    home = make_home(tmp_path / "a home", here)
    assert main(["--db", str(home), "resume", "--print", "Long"]) == 0
    line = capsys.readouterr().out.strip()
    shown = f"HERMES_HOME='{home}' hermes -p default --resume={PARTS[1]}"
    assert line == f"cd '{tmp_path}/it'\"'\"'s here' && {shown}"


def test_a_missing_agent_is_reported_with_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    home = make_home(tmp_path / "home")
    assert main(["--db", str(home), "resume", "Long"]) == 1
    said = capsys.readouterr().err
    assert "not on the PATH" in said
    assert f"--resume={PARTS[1]}" in said


def test_a_running_session_is_refused_without_a_terminal(
    tmp_path: Path,
    standin: StandIn,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", f"{standin.bin}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr("sys.stdin", io.StringIO())
    home = make_home(tmp_path / "home", running=True)
    assert main(["--db", str(home), "resume", "Long"]) == 6
    said = capsys.readouterr().err
    assert "Not resumed: “Long #2” is running." in said
    assert "split the conversation" in said
    assert "Use --force to resume anyway." in said
    assert standin.calls() == []


def _terminal(standin: StandIn, *arguments: str, **environment: str) -> Terminal:
    path = f"{standin.bin}{os.pathsep}{os.environ['PATH']}"
    return Terminal(arguments, environment={**standin.environment, "PATH": path, **environment})


def test_the_command_line_gives_way_to_the_agent(tmp_path: Path, standin: StandIn) -> None:
    here = tmp_path / "project"
    here.mkdir()
    home = make_home(tmp_path / "home", here)
    with _terminal(standin, "--db", str(home), "resume", "Long", STANDIN_CODE="7") as terminal:
        assert terminal.leave() == 7, "the agent's own exit code"
    assert standin.calls() == [
        {
            "arguments": ["-p", "default", f"--resume={PARTS[1]}"],
            "home": str(home),
            "folder": str(here),
            "canonical": True,
        }
    ]


def test_r_gives_way_to_the_agent_with_the_terminal_restored(
    tmp_path: Path, standin: StandIn
) -> None:
    home = make_home(tmp_path / "home")
    with _terminal(standin, "--db", str(home)) as terminal:
        terminal.until("message 1 of")
        terminal.press(b"r")
        assert terminal.leave() == 0
        assert terminal.raw.rindex(b"AGENT SPEAKING") > terminal.raw.rindex(b"\x1b[?1049l")
    (call,) = standin.calls()
    assert call["arguments"] == ["-p", "default", f"--resume={PARTS[1]}"]
    assert call["canonical"] is True


def test_pick_makes_enter_resume(tmp_path: Path, standin: StandIn) -> None:
    home = make_home(tmp_path / "home")
    with _terminal(standin, "--db", str(home), "--pick") as terminal:
        terminal.until("message 1 of")
        terminal.press(b"\r")
        assert terminal.leave() == 0
    assert len(standin.calls()) == 1


def test_print_id_prints_the_id_of_the_tip_and_nothing_else(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home")
    out = tmp_path / "out"
    script = f'session-explorer --db "{home}" --print-id > "{out}"'
    with Terminal(["-c", script], program="sh", environment=_with_scripts()) as terminal:
        terminal.until("message 1 of")
        terminal.press(b"\r")
        assert terminal.leave() == 0
    assert out.read_text() == f"{PARTS[1]}\n"


def test_a_running_session_asks_first_and_cancel_is_the_default(
    tmp_path: Path, standin: StandIn
) -> None:
    home = make_home(tmp_path / "home", running=True)
    with _terminal(standin, "--db", str(home)) as terminal:
        terminal.until("message 1 of")
        terminal.press(b"r")
        terminal.until("” is running")
        terminal.press(b"\r")
        terminal.until(lambda text: "” is running" not in text)
        assert standin.calls() == []
        terminal.press(b"r")
        terminal.until("” is running")
        terminal.press(b"y")
        assert terminal.leave() == 0
    assert len(standin.calls()) == 1


def test_with_return_the_app_comes_back_to_the_same_place(tmp_path: Path, standin: StandIn) -> None:
    home = make_home(tmp_path / "home")
    settings = tmp_path / "config" / "session-explorer" / "config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text('resume = "return"\n')
    config = {"XDG_CONFIG_HOME": str(tmp_path / "config"), "STANDIN_CODE": "3"}
    with _terminal(standin, "--db", str(home), **config) as terminal:
        terminal.until("message 1 of")
        terminal.press(b"r")
        terminal.until("exited with code 3", "Long #2")
        terminal.press(b"q")
        assert terminal.leave() == 0
    (call,) = standin.calls()
    assert call["canonical"] is True


def test_control_c_in_the_agent_is_meant_for_the_agent(tmp_path: Path, standin: StandIn) -> None:
    home = make_home(tmp_path / "home")
    settings = tmp_path / "config" / "session-explorer" / "config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text('resume = "return"\n')
    config = {"XDG_CONFIG_HOME": str(tmp_path / "config"), "STANDIN_WAIT": "yes"}
    with _terminal(standin, "--db", str(home), STANDIN_CODE="3", **config) as terminal:
        terminal.until("message 1 of")
        terminal.press(b"r")
        terminal.until("WAITING FOR CONTROL+C")
        terminal.press(b"\x03")
        terminal.until("exited with code 3")
        terminal.press(b"q")
        assert terminal.leave() == 0
    assert len(standin.calls()) == 1


def test_the_app_says_that_an_agent_is_not_installed(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home")
    with Terminal(["--db", str(home)], environment={"PATH": str(tmp_path)}) as terminal:
        terminal.until("message 1 of")
        terminal.press(b"r")
        terminal.until("hermes was not found", f"--resume={PARTS[1]}")
        terminal.press(b"y")
        terminal.until("Copied the command")
        assert b"\x1b]52;c;" in terminal.raw
        terminal.press(b"q")
        terminal.leave()


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ('resume = "maybe"', "line 1: resume: must be"),
        ('resume_command = "hermes"', "list of strings"),
        ('resume_command = ["hermes", "--resume"]', "must contain {id}"),
        ('resume_command = ["{id}"]', "name of a program"),
        ('resume_command = ["x", "{id}", "{oops}"]', "unknown placeholder in '{oops}'"),
        ("colour = 1", "colour: unknown setting"),
        ("= broken", "config.toml"),
    ],
)
def test_unclear_settings_are_refused_at_the_start(tmp_path: Path, settings: str, why: str) -> None:
    file = tmp_path / "session-explorer" / "config.toml"
    file.parent.mkdir()
    file.write_text(settings)
    with Terminal(["demo"], environment={"XDG_CONFIG_HOME": str(tmp_path)}) as terminal:
        assert terminal.leave() == 2
        assert why in terminal.text.replace("\n", "")


def _with_scripts() -> dict[str, str]:
    return {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


def test_only_a_path_below_the_home_folder_is_told_from_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "backup" / "home" / "me" / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text("colour = 1", encoding="utf-8")
    monkeypatch.setenv("HOME", "/home/me")
    with pytest.raises(UsageError, match="unknown setting") as found:
        load_config(path)
    assert found.value.message.startswith(f"{path}, line 1: ")
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(UsageError) as found:
        load_config(path)
    assert found.value.message.startswith("~/backup/home/me/config.toml, line 1: ")


def test_the_call_that_resumes_a_session_of_power_loop_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = unpack("power-loop-8.0.0", tmp_path)
    id_ = next(one.id for one in everybody(path) if one.title == "Marathon")
    assert main(["--db", str(path), "resume", "--print", id_]) == ExitCode.DONE
    assert capsys.readouterr().out.strip() == (
        f"await StatefulAgentLoop(llm=llm, db_path={str(path)!r}).send(\"…\", session_id='{id_}')"
    )
