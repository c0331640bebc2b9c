"""The documents: generated parts are as the code has them, links lead somewhere, and everything
that a user can type is mentioned."""

import re
import tomllib
from pathlib import Path

import pytest

from explorer import __version__
from explorer.arguments.commands import COMMANDS
from explorer.commands.config import VARIABLES, trouble_of
from explorer.errors import ExitCode
from explorer.keys.actions import ACTIONS
from explorer.search.language.query import parse
from explorer.search.language.vocabulary import FIELDS
from explorer.settings import SETTINGS
from explorer.tui.words import MARKS
from tools.docs import COMMAND_GROUPS, DOCS, README, ROOT, pages

PAGES = (README, *sorted(DOCS.glob("*.md")))
MOST_LINES = 150
LONGEST_LINE = 110
LINK = re.compile(r"\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)")


def _text(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def _anchors(page: Path) -> set[str]:
    """The headings of a page, as a link names them."""
    heads = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}


def test_generated_parts_match_the_code() -> None:
    stale = [
        path.name
        for path, text in pages().items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    assert stale == [], "run: make docs"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_and_picture_exists(page: Path) -> None:
    for target, anchor in LINK.findall(page.read_text(encoding="utf-8")):
        found = page.parent / target if target else page
        assert found.exists(), target
        if anchor:
            assert anchor in _anchors(found), f"{target}#{anchor}"


def test_every_page_is_linked_from_the_readme() -> None:
    linked = {target for target, _ in LINK.findall(README.read_text(encoding="utf-8"))}
    assert [page.name for page in PAGES[1:] if f"docs/{page.name}" not in linked] == []


def test_the_readme_is_short() -> None:
    lines = README.read_text(encoding="utf-8").splitlines()
    assert len(lines) < MOST_LINES
    assert [line for line in lines if len(line) >= LONGEST_LINE] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_prose_is_wrapped(page: Path) -> None:
    """Tables cannot be."""
    lines = page.read_text(encoding="utf-8").splitlines()
    wide = [line for line in lines if len(line) >= LONGEST_LINE and not line.startswith("|")]
    assert wide == []


def test_every_command_and_exit_code_is_in_the_page_on_scripts() -> None:
    text = _text("scripts.md")
    assert sorted(name for names in COMMAND_GROUPS.values() for name in names) == sorted(COMMANDS)
    assert [int(code) for code in ExitCode if f"| {int(code)} |" not in text] == []


def test_every_setting_and_variable_is_in_the_page_on_settings() -> None:
    text = _text("settings.md")
    names = [*(f"`{setting.name}`" for setting in SETTINGS), *(f"`{name}`" for name in VARIABLES)]
    assert [name for name in names if name not in text] == []


def test_examples_of_settings_are_valid(tmp_path: Path) -> None:
    examples = re.findall(r"```toml\n(.*?)```", _text("settings.md"), re.DOTALL)
    assert examples
    for number, example in enumerate(examples):
        assert tomllib.loads(example)
        path = tmp_path / f"{number}.toml"
        path.write_text(example, encoding="utf-8")
        assert trouble_of(path)[1] == []


def test_every_field_is_in_the_page_on_the_search_language() -> None:
    text = _text("search-language.md")
    assert [name for name in FIELDS if f"`{name}:`" not in text] == []


def test_examples_of_searches_are_understood() -> None:
    for name, kind in FIELDS.items():
        query = parse(kind.example, 1.79e9)
        assert query.notes == ()
        assert [field.name for field in query.fields] == [name]
    for line in re.findall(r"^\| `([^`]+)` \|", _text("search-language.md"), re.MULTILINE):
        if line.removesuffix(":") in FIELDS:
            continue
        assert parse(line, 1.79e9).notes == ()


def test_every_mark_is_in_the_page_on_finding() -> None:
    text = _text("find.md")
    assert [mark for mark, _ in MARKS if f"`{mark}`" not in text] == []


def test_every_key_and_id_is_in_the_page_of_keys() -> None:
    text = _text("keys.md")
    assert [action.id for action in ACTIONS if f"`{action.id}`" not in text] == []


def test_the_changelog_has_this_version() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    versions = re.findall(r"^## (\S+)", text, re.MULTILINE)
    assert versions[:2] == ["Unreleased", __version__]
