"""What is not known is an error in one line, which names the closest things that are; below it
may be the command that looks for it elsewhere."""

import argparse
import gettext
import shlex
from pathlib import Path

import pytest

from explorer.errors import ExitCode
from explorer.stores.hermes.create.state_file import StateFile
from tests.conftest import Command
from tests.factories import talk

USAGE, NO_SESSION, DONE = ExitCode.USAGE, ExitCode.NO_SUCH_SESSION, ExitCode.DONE


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of Hermes with a few sessions and two profiles."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    with StateFile.create(tmp_path / "state.db") as state:
        talk(state, "20261103_140211_a1b2c3", "hello", title="Trip to Kyoto", source="telegram")
        talk(state, "20261104_090000_ffffff", "hi", title="Weekly report", source="slack")
    for name in ("work", "private"):
        (tmp_path / "profiles" / name).mkdir(parents=True)
    return tmp_path


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("lst", "Unknown command 'lst'. Closest: list."),
        ("serach kyoto", "Unknown command 'serach'. Closest: search."),
        ("rm 'x'", "Unknown command 'rm'. Closest: delete."),
        ("grep x", "Unknown command 'grep'. Closest: search."),
        ("restore", "Unknown command 'restore'. Closest: undo, trash."),
        ("xyzzy", "Unknown command 'xyzzy'. See"),
        ("list --lim 3", "Unknown option --lim. Closest: --limit."),
        ("prune --oder-than=90d", "Unknown option --oder-than=90d. Closest: --older-than."),
        ("prune --old 90d", "Unknown option --old. Closest: --older-than."),
        ("show x --conv", "Unknown option --conv. Closest: --conversation."),
        ("delete x --dry", "Unknown option --dry. Closest: --dry-run."),
        ("--profil=x", "Unknown option --profil=x. Closest: --profile."),
        ("--profle work list", "Unknown option --profle. Closest: --profile."),
        ("where -dash1", "Unknown option -dash1. Text that starts with a dash goes after --."),
        ("where kyoto -dash1", "Unknown option -dash1. Text that starts with a dash goes after"),
        ("show -dash1", "Unknown option -dash1. Text that starts with a dash goes after --."),
        ("rename -dash1", "Unknown option -dash1. Text that starts with a dash goes after --."),
        ("resume -dash1", "Unknown option -dash1. Text that starts with a dash goes after --."),
        ("where --jsno", "Unknown option --jsno. Closest: --json."),
        ("list -dash1", "Unknown option -dash1. See"),
        ("list --sort mesages", "Unknown value 'mesages' for --sort. Closest: messages."),
        ("list --sort Cost", "Unknown value 'Cost' for --sort. Closest: cost."),
        ("list --sort luck", "Unknown value 'luck' for --sort. Use active, started, "),
        ("show x --format md", "Unknown value 'md' for --format. Use text, markdown."),
        ("show x --format markdwn", "Unknown value 'markdwn' for --format. Closest: markdown."),
        ("prune --class subagents", "Unknown value 'subagents' for --class. Closest: subagent."),
        ("prune --class crn", "Unknown value 'crn' for --class. Closest: cron."),
        ("trash lst", "Unknown value 'lst'. Closest: list."),
        ("trash restor 3", "Unknown value 'restor'. Closest: restore."),
        ("config shw", "Unknown value 'shw'. Closest: show."),
        ("list --profile wrk", "There is no profile 'wrk' in"),
        ("list --profile wrk", "Closest: work"),
        ("list --profile Work", "Closest: work"),
        ("list --profile ../work", "Closest: work"),
        ("list --profile ''", "--profile needs the name of a profile."),
    ],
)
def test_wrong_usage_names_the_closest(line: str, words: str, home: Path, command: Command) -> None:
    arguments = [word.strip("'") for word in line.split()]
    said = command("--db", home, *arguments)
    assert said.code == USAGE
    assert words in said.err
    assert said.err.count("\n") == 1
    assert said.out == ""


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (["show", "Trip to Kioto"], "Closest: “Trip to Kyoto”"),
        (["show", "20261103_140211_a1b2c4"], "Closest: 20261103_140211_a1b2c3"),
        (["rename", "weekly", "x", "--yes"], "Closest: “Weekly report”"),
        (["resume", "--print", "kyoto"], "Closest: “Trip to Kyoto”"),
        (["delete", "--yes", "Weekly raport"], "Closest: “Weekly report”"),
        (["trash", "restore", "1", "Trip to Kioto"], "Closest: Trip to Kyoto."),
        (["trash", "show", "7"], "No such change"),
    ],
)
def test_an_unknown_session_names_the_closest(
    line: list[str], words: str, home: Path, command: Command
) -> None:
    if line[0] == "trash":
        assert command("--db", home, "delete", "--yes", "Trip to Kyoto").code == DONE
    said = command("--db", home, *line)
    assert said.code == NO_SESSION
    error, *advice = said.err.splitlines()
    assert words in error
    assert len(advice) == (line[0] != "trash")


WHERE = "To search other profiles, the trash and snapshots too: "


@pytest.mark.parametrize(
    ("line", "typed"),
    [
        (["search", "zebra stripes"], "zebra stripes"),
        (["search", "zebra", "source:slack"], "zebra source:slack"),
        (["search", "it's $HOME"], "it's $HOME"),
        (["search", "--", "--platform"], "--platform"),
        (["show", "20260101_000000_zzzzzz"], "20260101_000000_zzzzzz"),
        (["show", "work/zebra"], "zebra"),
        (["show", "Trains/Kyoto"], "Trains/Kyoto"),
        (["resume", "--print", "zebra"], "zebra"),
        (["delete", "--yes", "zebra"], "zebra"),
        (["--profile", "default", "archive", "zebra"], "zebra"),
    ],
)
def test_what_is_not_found_can_be_looked_for_elsewhere(
    line: list[str], typed: str, home: Path, command: Command
) -> None:
    """With a command that can be copied, and looks for the same beside the same files."""
    said = command("--db", home, *line)
    advice = said.err.splitlines()[-1]
    assert advice.startswith(f"{WHERE}session-explorer where --db {home}")
    program, *words = shlex.split(advice.removeprefix(WHERE))
    assert command(*words, "--json" if "--" not in words else "--").code == NO_SESSION
    assert words[-1] == typed
    assert ("--profile" in words) == ("--profile" in line)
    assert program == "session-explorer"


def test_it_finds_what_was_deleted(home: Path, command: Command) -> None:
    assert command("--db", home, "delete", "--yes", "Trip to Kyoto").code == DONE
    for line in (["search", "kyoto"], ["show", "Trip to Kyoto"]):
        advice = command("--db", home, *line).err.splitlines()[-1]
        found = command(*shlex.split(advice.removeprefix(WHERE))[1:])
        assert found.code == DONE
        assert "session-explorer" in found.out
        assert "trash restore" in found.out


@pytest.mark.parametrize(
    "line",
    [
        ["search", "hello"],
        ["search", "zebra", "--json"],
        ["search", "source:cli"],
        ["search", "é"],
        ["search", "tab\there"],
        ["show", "x"],
        ["show", "zebra", "--json"],
        ["list", "--source", "zebra"],
        ["undo"],
    ],
)
def test_it_is_not_offered_where_it_could_find_nothing_or_a_script_reads(
    line: list[str], home: Path, command: Command
) -> None:
    assert " where " not in command("--db", home, *line).err


@pytest.mark.parametrize("line", [["list"], ["list", "--json"], ["prune", "--dry-run"]])
def test_an_unknown_source_names_the_closest_beside_the_result(
    line: list[str], home: Path, command: Command
) -> None:
    """It is no error: a file may have no session of a source, and a script should not fail then."""
    said = command("--db", home, *line, "--source", "telegramm")
    assert said.code == DONE
    assert "No source 'telegramm' in this file. Closest: telegram.\n" in said.err


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("source:telegramm", "No source 'telegramm' in this file. Closest: telegram.\n"),
        ("sorce:telegram", "did you mean source:?"),
        ("is:archivd", "archived"),
    ],
)
def test_a_search_names_the_closest_field_and_value(
    query: str, words: str, home: Path, command: Command
) -> None:
    said = command("--db", home, "search", query)
    assert said.code == DONE
    assert words in said.err


def test_the_parsers_leave_the_library_of_all_programs_alone() -> None:
    assert vars(argparse)["_"] is gettext.gettext
