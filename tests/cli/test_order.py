"""Options may come anywhere on the command line, with every command."""

from collections.abc import Iterator

import pytest

from explorer.arguments.commands import COMMANDS, parse

LINES: tuple[tuple[str, list[str], list[str]], ...] = (
    ("list", [], ["--limit 5", "--source=cli", "--json"]),
    ("show", ["ID"], ["--format markdown", "--all", "--json"]),
    ("search", ["red", "owl"], ["--limit 5", "--all", "--json"]),
    ("where", ["red", "owl"], ["--json"]),
    ("chats", ["red", "owl"], ["--platform telegram", "--active=7d", "--json"]),
    ("info", [], ["--json"]),
    ("resume", ["ID"], ["--print", "--force"]),
    ("resume", [], ["--last", "--print"]),
    ("rename", ["ID", "a title"], ["--force", "--yes", "--json"]),
    ("archive", ["A", "B"], ["--dry-run", "--json"]),
    ("pin", ["A", "B"], ["--yes", "--json"]),
    ("unpin", ["A"], ["--force", "--dry-run"]),
    ("unarchive", ["A", "B"], ["--dry-run", "--json"]),
    ("end", ["A", "B"], ["--force", "--yes"]),
    ("reopen", ["A", "B"], ["--force", "-y"]),
    ("clear", ["A", "B"], ["--force", "--yes"]),
    ("delete", ["A", "B", "C"], ["--conversation", "--yes", "--json"]),
    ("prune", ["red", "owl"], ["--older-than 90d", "--class cron", "--keep 3", "--yes"]),
    ("undo", ["35"], ["--yes", "--json"]),
    ("trash", [], ["--json"]),
    ("trash", ["list"], ["--json"]),
    ("trash", ["show", "35"], ["--json"]),
    ("trash", ["restore", "35", "A", "B"], ["--yes", "--json"]),
    ("trash", ["purge", "35"], ["--dry-run", "--json"]),
    ("trash", ["purge"], ["--all", "--yes"]),
    ("demo", [], ["--no-mouse", "--write try.db"]),
    ("config", ["show"], ["--json"]),
    ("completion", ["bash"], []),
)


def _orders(words: list[str], options: list[str]) -> Iterator[list[str]]:
    """The options at every place, together and one by one."""
    every = [part for option in options for part in option.split()]
    for at in range(len(words) + 1):
        yield [*words[:at], *every, *words[at:]]
        for option in options:
            rest = [part for one in options if one != option for part in one.split()]
            yield [*words[:at], *option.split(), *words[at:], *rest]


@pytest.mark.parametrize(
    ("name", "words", "options"),
    LINES,
    ids=[f"{name} {' '.join(words)}" for name, words, _ in LINES],
)
def test_options_may_come_anywhere(name: str, words: list[str], options: list[str]) -> None:
    common = ["--db try.db", "--profile=work"]
    wanted = parse([name, *words, *" ".join(options + common).split()])
    for line in _orders(words, options + common):
        assert parse([name, *line]) == wanted, line


def test_every_command_is_in_the_table() -> None:
    assert set(COMMANDS) == {name for name, _, _ in LINES}


def test_words_after_two_dashes_are_not_options() -> None:
    found = parse(["search", "--all", "red", "--", "--force", "--json"])
    assert (found.query, found.all, found.json) == (["red", "--force", "--json"], True, False)


def test_wrong_arguments_are_refused_with_a_reason(capsys: pytest.CaptureFixture[str]) -> None:
    for line, why in (
        (["delete", "A", "--bogus", "--yes"], "delete: Unknown option --bogus. See"),
        (["trash", "restore", "--yes", "x"], "must be a number, 0 or more"),
        (["list", "--limit", "-5", "--json"], "list: --limit must be a number, 0 or more."),
        (["--pick", "--print-id"], "Use either --print-id or --pick, not both."),
        (["show", "A", "B"], "show: Unexpected argument 'B'."),
        (["list", "--sort", "luck"], "Unknown value 'luck' for --sort. Use active, started,"),
        (["prune", "--older-than", "--yes"], "prune: --older-than needs a value."),
        (["rename", "--yes", "ID"], "rename: Missing: TITLE."),
        (["resume"], "resume: Missing: ID or --last."),
        (["resume", "ID", "--last"], "resume: Use either ID or --last, not both."),
    ):
        with pytest.raises(SystemExit):
            parse(line)
        assert why in capsys.readouterr().err


def test_a_message_about_arguments_has_no_control_characters(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        parse(["list", "--x\x1b[2J"])
    assert "\x1b" not in capsys.readouterr().err
