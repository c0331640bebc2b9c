"""No password in what is shown or written down."""

import json
import sys
from pathlib import Path
from urllib.parse import quote

import pytest

from explorer.cli import main
from explorer.crash_report import report
from explorer.stores.postgres.address import parse
from explorer.stores.postgres.secrets import MARK, remember, scrubbed
from tests.conftest import Command

SECRET = "hunter2/ü@x"
SPELT = "hunter2%2F%C3%BC%40x"
ADDRESS = f"postgresql://ada:{SPELT}@127.0.0.1:1/db"


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://ada:HIDE@host/db",
        "postgres+asyncpg://ada:HIDE@host/db",
        "There is no file at postgresql:/ada:HIDE@host/db.",
        "mysql://ada:wo@HIDE@host/db",
        "postgresql://:HIDE@host",
        "host=h password=HIDE user=u",
        "password='HIDE with space' user=u",
        "postgresql://h/d?password=HIDE&sslmode=require",
        "PGPASSWORD=HIDE psql",
        "sslpassword = HIDE",
    ],
)
def test_a_password_is_known_by_its_place(text: str) -> None:
    said = scrubbed(text.replace("HIDE", "tiger9"))
    assert "tiger9" not in said
    assert MARK in said


def test_text_without_one_is_unchanged() -> None:
    for text in ("postgresql://ada@host:5432/db", "see https://example.org/a@b", "12:30 @home"):
        assert scrubbed(text) == text


def test_a_known_password_is_hidden_in_every_spelling() -> None:
    remember("p/ä 'x\\")
    for way in ("p/ä 'x\\", "p%2F%C3%A4%20%27x%5C", "p%2f%c3%a4%20%27x%5c", "p%2F%C3%A4+%27x%5C"):
        assert scrubbed(f"before {way} after") == f"before {MARK} after"


def test_a_short_password_does_not_spoil_every_sentence() -> None:
    remember("a")
    remember("")
    remember(None)
    assert scrubbed("a database has a name") == "a database has a name"


def test_a_password_that_is_also_a_name_does_not_spoil_the_address() -> None:
    address = parse("postgresql://postgres:postgres@host/db")
    assert scrubbed(f"No connection to {address.shown}.") == f"No connection to {address.shown}."
    assert scrubbed("postgresql://postgres:postgres@host") == f"postgresql://postgres:{MARK}@host"


@pytest.mark.parametrize(
    "arguments",
    [
        ["list", ADDRESS],
        [ADDRESS],
        ["list", f"--dbx={ADDRESS}"],
        ["list", "--db", ADDRESS],
        ["list", "--sort", ADDRESS],
        ["show", "x", "--db", f"mysql://ada:{SPELT}@h/db"],
        *(
            [*words, f"postgresql://ada:{raw}@127.0.0.1:1/db"]
            for raw in (
                "hunter2@x",
                "hunter2/x",
                "h@hunter2/x",
                "1?hunter2=x",
                "hunter2 x",
                "%hunter2",
            )
            for words in (["list"], ["list", "--db"], ["info", "--db"], ["resume"])
        ),
    ],
)
def test_no_mistake_on_the_command_line_shows_it(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code = main(arguments)
    except SystemExit as left:
        code = int(left.code or 0)
    said = capsys.readouterr()
    assert code != 0
    assert "hunter2" not in said.out + said.err
    assert SPELT not in said.out + said.err


def test_a_variable_with_an_address_does_not_show_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SESSION_EXPLORER_DB", ADDRESS)
    assert main(["list"]) != 0
    assert "hunter2" not in capsys.readouterr().err


ODD = 'p@ss/w:o%rd?&#é "x'


@pytest.mark.parametrize(
    "address",
    [
        f"postgresql://locked:{quote(ODD, safe='')}@127.0.0.1:1/loops?search_path=%22team%20b%22",
        f"postgresql://locked:{ODD}@127.0.0.1:1/loops",
        f"postgresql://127.0.0.1/loops?user=locked&password={quote(ODD, safe='')}",
        f"postgresql:/locked:{quote(ODD, safe='')}@127.0.0.1:1/loops",
        "host=127.0.0.1 user=locked password='p@ss/w'",
    ],
)
@pytest.mark.parametrize(
    "arguments",
    [
        *(["config", "show"], ["config", "show", "--json"], ["config", "validate"]),
        *(["list"], ["list", "--json"], ["info"], ["where", "x"], ["where", "x", "--json"]),
        *(["resume", "x", "--print"], ["prune", "x"], ["undo"], ["trash", "list"]),
    ],
    ids=" ".join,
)
def test_no_command_prints_the_password_of_the_variable(
    address: str, arguments: list[str], command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SESSION_EXPLORER_DB", address)
    done = command(*arguments)
    for part in ("p@ss", "p%40ss", "p%40", "w:o", "w%3Ao", 'x"@', "22x@"):
        assert part not in done.out + done.err


def test_the_variable_is_shown_without_its_password(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SESSION_EXPLORER_DB", f"{ADDRESS}?search_path=team")
    shown = f"postgresql://ada:{MARK}@127.0.0.1:1/db?search_path=team"
    assert f"SESSION_EXPLORER_DB = {shown}" in command("config", "show").out
    told = json.loads(command("config", "show", "--json").out)
    assert told["environment"]["SESSION_EXPLORER_DB"] == shown


def test_a_crash_report_has_neither_address_nor_password(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "argv", ["session-explorer", "--db", ADDRESS])
    address = parse(ADDRESS)
    try:
        raise ValueError(f"could not connect with {address.keywords()}")
    except ValueError as error:
        written = report(error, "the app", 0.0)
    assert "ValueError" in written
    assert "hunter2" not in written
    assert "127.0.0.1" not in written
