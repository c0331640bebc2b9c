"""Typing as input methods, terminals and hurried people do it, in a real terminal."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from explorer.stores.hermes.create.state_file import StateFile
from tests.factories import talk
from tests.terminal import Terminal
from tests.tui.driving import NOW

PASTE = b"\x1b[200~%s\x1b[201~"


@pytest.fixture
def bar(tmp_path: Path) -> Iterator[Terminal]:
    """The search bar, with the focus."""
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "deploy", "我们今天部署新版本。", at=NOW - 900, title="Release")
        talk(state, "noodles", "ラーメンを食べたい。", at=NOW - 800, title="Lunch")
        talk(state, "cafe", "le café est fermé", at=NOW - 700, title="Closed")
        talk(state, "script", "run deploy.sh --force", at=NOW - 600, title="By hand")
    with Terminal(["--db", str(path)], environment={"XDG_STATE_HOME": str(tmp_path)}) as terminal:
        terminal.until("4 listed")
        terminal.press(b"/")
        terminal.until("Clear")
        yield terminal


def _until_found(terminal: Terminal, title: str, query: str) -> None:
    def listed(text: str) -> bool:
        return title in "".join(text.partition("In the text")[2].splitlines()[1:2])

    terminal.until("1 hit in 1 session", f"/ {query}", listed)


def test_a_word_that_an_input_method_commits_arrives_whole(bar: Terminal) -> None:
    bar.press("部署".encode())
    _until_found(bar, "Release", "部署")


def test_a_letter_may_arrive_in_pieces(bar: Terminal) -> None:
    sent = "ラーメン".encode()
    for at in range(0, len(sent), 2):
        bar.press(sent[at : at + 2])
    _until_found(bar, "Lunch", "ラーメン")


def test_an_accent_that_is_composed_is_found(bar: Terminal) -> None:
    bar.press("fermé".encode())
    _until_found(bar, "Closed", "fermé")


def test_an_accent_that_comes_behind_its_letter_is_found(bar: Terminal) -> None:
    bar.press("ferme\u0301".encode())
    # The terminal puts them together.
    _until_found(bar, "Closed", "fermé")


def test_a_paste_is_searched_for_as_it_is(bar: Terminal) -> None:
    bar.press(PASTE % b"deploy.sh --force")
    _until_found(bar, "By hand", "deploy.sh --force")


def test_of_a_paste_of_several_lines_the_first_is_taken_and_none_is_a_key(bar: Terminal) -> None:
    bar.press(PASTE % b"deploy.sh\nqd\n")
    _until_found(bar, "By hand", "deploy.sh")
    assert "Delete" not in bar.text


def test_the_window_of_an_input_method_stands_where_one_types(bar: Terminal) -> None:
    """It opens at the cursor of the terminal, which must be there even though it is not seen,
    also after the results were painted."""
    bar.press("部署".encode())
    _until_found(bar, "Release", "部署")
    line = next(number for number, line in enumerate(bar.text.splitlines()) if "/ 部署" in line)
    end = len(" / ") + 4
    bar.until(lambda _: bar.cursor in ((end, line), (end + 1, line)))
