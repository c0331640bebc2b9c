"""The user's editor and pager: which command is used, and the message when there is none."""

from pathlib import Path

import pytest

from explorer.errors import ExplorerError
from explorer.external_programs import Program, command_of, run


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A folder of programs: vi, less and my pager."""
    for name in ("vi", "less", "my pager"):
        (tmp_path / name).write_text("#!/bin/sh\nexit 4\n")
        (tmp_path / name).chmod(0o755)
    return str(tmp_path)


@pytest.mark.parametrize(
    ("program", "variables", "command"),
    [
        (Program.EDITOR, {"EDITOR": "vi"}, ("vi",)),
        (Program.EDITOR, {"EDITOR": "nano", "VISUAL": "vi"}, ("vi",)),
        (Program.EDITOR, {"EDITOR": "vi", "VISUAL": "  "}, ("vi",)),
        (Program.EDITOR, {"EDITOR": "vi -c 'set ro' --wait"}, ("vi", "-c", "set ro", "--wait")),
        (Program.EDITOR, {"EDITOR": "vi ; rm $HOME `x`"}, ("vi", ";", "rm", "$HOME", "`x`")),
        (Program.PAGER, {}, ("less",)),
        (Program.PAGER, {"PAGER": ""}, ("less",)),
        (Program.PAGER, {"PAGER": "less -R"}, ("less", "-R")),
        (Program.PAGER, {"PAGER": "'my pager' -x"}, ("my pager", "-x")),
    ],
)
def test_the_variables_name_the_command(
    path: str, program: Program, variables: dict[str, str], command: tuple[str, ...]
) -> None:
    assert command_of(program, {"PATH": path, **variables}) == command


@pytest.mark.parametrize(
    ("program", "variables", "why"),
    [
        (Program.EDITOR, {}, r"Set \$VISUAL or \$EDITOR"),
        (Program.EDITOR, {"EDITOR": " "}, r"Set \$VISUAL or \$EDITOR"),
        (Program.EDITOR, {"EDITOR": "emacs -nw"}, r"\$EDITOR is emacs, which is not on the PATH"),
        (Program.EDITOR, {"VISUAL": "vi;", "EDITOR": "vi"}, r"\$VISUAL is vi;, which is not"),
        (Program.EDITOR, {"EDITOR": "vi 'half"}, "No closing quotation"),
        (Program.EDITOR, {"EDITOR": "''"}, "not on the PATH"),
        (Program.PAGER, {"PATH": "/nowhere"}, r"\$PAGER is not set; the default is less"),
    ],
)
def test_a_wrong_variable_is_reported_with_what_to_set(
    path: str, program: Program, variables: dict[str, str], why: str
) -> None:
    with pytest.raises(ExplorerError, match=why):
        command_of(program, {"PATH": path, **variables})


def test_a_program_gets_the_file_and_its_code_comes_back(tmp_path: Path) -> None:
    script = tmp_path / "note"
    script.write_text(f'#!/bin/sh\nprintf "%s|" "$@" > "{tmp_path}/arguments"\nexit 4\n')
    script.chmod(0o755)
    assert run([str(script), "-x"], Path("/some where/a;b.md")) == 4
    assert (tmp_path / "arguments").read_text() == "-x|/some where/a;b.md|"


def test_a_program_that_cannot_start_is_reported(tmp_path: Path) -> None:
    script = tmp_path / "broken"
    script.write_bytes(b"\x00\x01")
    script.chmod(0o755)
    with pytest.raises(ExplorerError, match="Exec format error"):
        run([str(script)], tmp_path / "x.md")
