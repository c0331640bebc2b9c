"""What the shells are told: what fits at the cursor, quoted for bash, and nothing if anything is
wrong."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from explorer.completion.bash_line import inserted, typed
from explorer.completion.candidates import MOST, completions
from explorer.completion.scripts import SCRIPTS
from explorer.errors import ExitCode
from explorer.stores.hermes.create.state_file import StateFile
from tests.conftest import Command
from tests.factories import NOW, T0, altered, talk
from tests.hostile import HOSTILE
from tests.locker import Locker
from tests.profile_homes import SAME, profile_file, two_profiles

BREAKS = " \t\n\"'><=;|&(:@"
"""As bash has them."""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "ours"))
    monkeypatch.setenv("SESSION_EXPLORER_DB", str(tmp_path / "home"))
    home = tmp_path / "home"
    (home / "profiles" / "work").mkdir(parents=True)
    with StateFile.create(home / "state.db") as state:
        talk(state, "20261103_01", "hi", title="Trip", at=T0, end="compression")
        talk(state, "20261103_02", "hi", title="Trip #2", parent="20261103_01", at=T0 + 9)
        talk(state, "20261103_03", "no title here", source="telegram", at=T0 + 20)
        talk(state, "20261103_04", "tick", title="Tick", source="cron", at=T0 + 30)
        talk(state, "20261103_05", "hi", title="-dash", at=T0 + 40)
    return home


def _values(line: str) -> list[str]:
    *words, current = line.split(" ")
    return [one.value for one in completions(words, current, T0 + 100).found]


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("s", ["show", "search"]),
        ("list --so", ["--source", "--sort"]),
        ("list --sort t", ["title", "tokens"]),
        ("list --source=t", ["--source=telegram"]),
        ("list --source ", ["cli", "telegram", "cron"]),
        ("prune --class c", ["cron"]),
        ("show x --format ", ["text", "markdown"]),
        ("list --profile ", ["default", "work"]),
        ("show ", ["20261103_05", "20261103_03", "Trip #2"]),
        ("show T", ["Tick", "Trip #2", "Trip"]),
        ("show trip", ["Trip #2", "Trip"]),
        ("show 20261103_0", [f"20261103_0{number}" for number in (5, 4, 3, 2, 1)]),
        ("show -- -", ["-dash"]),
        ("delete Trip T", ["Tick", "Trip #2"]),
        ("resume --last ", ["--help", "--print", "--force", "--db", "--profile", "--private"]),
        (
            "rename Trip ",
            ["--help", "--force", "--dry-run", "--yes", "--json", "--db", "--profile", "--private"],
        ),
        ("config v", ["validate"]),
        ("completion ", ["bash", "zsh", "fish"]),
        ("search T", []),
        ("nosuch T", []),
    ],
)
def test_what_fits_is_offered(line: str, values: list[str], home: Path) -> None:
    assert _values(line) == values


def test_sessions_are_explained(home: Path) -> None:
    offered = {one.value: one.about for one in completions(["show"], "", T0 + 100).found}
    assert offered["20261103_03"].startswith("no title here · telegram · ")
    assert offered["Trip #2"].startswith("cli · ")


def test_changes_and_deleted_sessions_are_offered(home: Path, command: Command) -> None:
    assert command("delete", "--yes", "--force", "Trip #2").code == ExitCode.DONE
    assert command("rename", "--yes", "--force", "Tick", "Tock").code == ExitCode.DONE
    assert _values("undo ") == ["2", "1"]
    assert _values("trash sh") == ["show"]
    assert _values("trash restore ") == ["2", "1"]
    assert _values("trash restore 1 2") == ["20261103_02"]
    assert _values("trash purge 1 2") == ["20261103_02"]


def test_a_path_is_left_to_the_shell(home: Path) -> None:
    assert completions(["--db"], "x", T0).paths
    assert completions(["demo", "--write"], "", T0).paths


def test_never_more_than_a_hundred(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with StateFile.create(tmp_path / "state.db") as state:
        for number in range(MOST + 20):
            talk(state, f"id{number:03}", title=f"Title {number}", at=T0 + number)
            talk(state, f"twin{number:03}", "hi", title=f"Name {number}", at=T0 + number)
    monkeypatch.setenv("SESSION_EXPLORER_DB", str(tmp_path))
    for line in ("show ", "show T", "delete N"):
        assert len(_values(line)) == MOST


def _complete(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        [sys.executable, "-m", "explorer", "complete", *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        timeout=60,
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ("bash",),
        ("zsh",),
        ("fish", "session-explorer"),
        ("bash", "session-explorer show T", BREAKS),
        ("zsh", "session-explorer", "--db", "", "show", "T"),
        ("bash", "session-explorer --profile '' show ", BREAKS),
        ("fish", "session-explorer", "--db", "/nowhere", "delete", ""),
    ],
)
def test_if_anything_is_wrong_it_says_nothing(arguments: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "state.db").write_text("this is no database " * 500)
    done = _complete(*arguments, SESSION_EXPLORER_DB=str(tmp_path / "state.db"))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_locked_file_is_given_up(home: Path) -> None:
    with Locker(home / "state.db"):
        done = _complete("bash", "session-explorer show T", BREAKS)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_completing_writes_nothing(home: Path) -> None:
    def files() -> dict[str, bytes]:
        # SQLite itself puts two more beside a file with a log that is being read.
        every = (
            path for path in home.parent.rglob("*") if path.suffix not in (".db-shm", ".db-wal")
        )
        every = (path for path in every if path.is_file())
        return {str(path): path.read_bytes() for path in every}

    before = files()
    done = _complete("bash", "session-explorer show T", BREAKS)
    assert done.stdout.split(b"\0")[:2] == [b"words", b"Tick"]
    assert files() == before


def test_what_zsh_shows_has_no_control_characters(tmp_path: Path) -> None:
    with StateFile.create(tmp_path / "state.db") as state:
        talk(state, "one", "hi", source="telegram")
        state.set_title("one", "kk \x1b[31mred \u202eback")
    asked = ("zsh", "session-explorer", "--db", str(tmp_path), "show", "kk")
    found = _complete(*asked).stdout.decode().split("\0")
    assert found[1] == "kk \x1b[31mred \u202eback"
    assert found[2].isprintable()
    assert "  -- telegram · " in found[2]


def test_scripts_evaluate_nothing() -> None:
    for script in SCRIPTS.values():
        code = [line for line in script.splitlines() if not line.startswith("#")]
        assert not any(word in line for line in code for word in ("eval", "compgen", "${(e)"))


def test_what_bash_inserts_means_the_title(tmp_path: Path) -> None:
    """For every quote that may be open, and however much of the title was typed."""
    titles = [text[:60] for _, text in HOSTILE] + [
        "a'b\"c`d$(e)!f\\g h:i=j@k~",
        "~x",
        "#y",
        "",
        " ",
    ]
    titles = [one.encode("utf-8", "ignore").decode() for one in titles if "\0" not in one]
    lines, wanted = ["set +H"], []
    for title in titles:
        for quote in ("", "'", '"'):
            for cut in (0, 1, len(title) // 2):
                start = title[:cut]
                plain = start.isalnum() or not start
                raw = f"x {quote}{start}" if plain else None
                found = typed(raw, BREAKS) if raw is not None else None
                text = inserted(title, found) if found is not None else None
                if raw is not None and found is not None and text is not None:
                    kept = found.kept
                    lines.append(f"printf '%s\\0' {kept}{quote}{text}{quote}")
                    wanted.append(title)
    script = tmp_path / "script"
    script.write_bytes("\n".join(lines).encode())
    environment = {"LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"]}
    done = subprocess.run(["bash", script], capture_output=True, cwd=tmp_path, env=environment)
    assert done.stderr == b""
    assert done.stdout.decode().split("\0")[:-1] == wanted
    assert len(wanted) > len(titles)
    assert list(tmp_path.iterdir()) == [script]


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("list --profile ", ["default", "work"]),
        ("list --profile work --profile ", ["default"]),
        ("list --profile=work --profile=", ["--profile=default"]),
        ("show 2025", [f"work/{SAME}", f"default/{SAME}"]),
        ("show work/", ["work/only", f"work/{SAME}"]),
        ("show work/20", [f"work/{SAME}"]),
        ("show work/P", ["work/Pipes"]),
        ("show work/G", []),
        ("show Gar", ["Garden"]),
        ("show --profile work 2025", [SAME]),
        ("show on", ["only"]),
        ("show Pi", ["Pipes"]),
        ("search profile:", ["profile:default", "profile:work"]),
        ("search water profile:w", ["profile:work"]),
        ("search profile:work,", ["profile:work,default"]),
        ("search -- -profile:d", ["-profile:default"]),
        ("prune profile:w", ["profile:work"]),
        ("search prof", []),
    ],
)
def test_profiles_are_offered(
    line: str, values: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "ours"))
    monkeypatch.setenv("HERMES_HOME", str(two_profiles(tmp_path / "hermes")))
    assert _values(line) == values


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("show work/o", ["work/only"]),
        ("show laptop/work/", ["laptop/work/only", f"laptop/work/{SAME}"]),
        ("show work/20", []),
        ("search profile:w", ["profile:work"]),
        ("search profile:lap", ["profile:laptop", "profile:laptop/work"]),
    ],
)
def test_profiles_of_two_homes_are_offered_by_both_names(
    line: str, values: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "ours"))
    laptop, backup = (two_profiles(tmp_path / name) for name in ("laptop", "backup"))
    with altered(profile_file(backup, "work")) as db:
        db.execute("DELETE FROM sessions WHERE id = 'only'")
    assert _values(f"--db {laptop} --db {backup} {line}") == values


def test_an_id_of_several_profiles_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HERMES_HOME", str(two_profiles(tmp_path / "hermes")))
    offered = {one.value: one.about for one in completions(["show"], "2025", NOW).found}
    assert offered[f"work/{SAME}"].startswith("Pipes · cli · work · ")


def test_titles_of_several_profiles_are_safe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that two sessions have means neither, so it is offered with the profile before it."""
    root = two_profiles(tmp_path / "hermes")
    monkeypatch.setenv("HERMES_HOME", str(root))
    with altered(profile_file(root, "work")) as db:
        db.execute("UPDATE sessions SET title = 'Garden' WHERE id = 'only'")
        db.execute("UPDATE sessions SET title = '$(rm -rf x); `y`' WHERE id != 'only'")
    assert _values("show Gar") == ["work/Garden", "default/Garden"]
    assert _values("show default/Gar") == ["default/Garden"]
    line = typed("session-explorer show $", BREAKS)
    assert line is not None
    (found,) = completions(["show"], "$", NOW).found
    assert inserted(found.value, line) == r"\$\(rm\ -rf\ x\)\;\ \`y\`"
