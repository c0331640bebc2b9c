"""The question for the background, where the terminal goes away before it has replied."""

import os
import termios
from collections.abc import Iterator
from contextlib import suppress

import pytest

from explorer.tui.terminal_background import BackgroundQuestion

TERM = {"TERM": "xterm"}


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    """The two ends of a terminal."""
    ours, its = os.openpty()
    yield ours, its
    for number in (ours, its):
        with suppress(OSError):
            os.close(number)


def test_a_closed_terminal_ends_the_wait(terminal: tuple[int, int]) -> None:
    ours, its = terminal
    asked = BackgroundQuestion.ask(its, its, TERM)
    assert asked is not None
    os.write(ours, b"typed")
    os.close(ours)
    # At its end of file, or with an error: systems differ.
    assert asked.reply().light is None
    asked.give_back()


def test_an_input_at_its_end_ends_the_wait() -> None:
    reads, writes = os.pipe()
    os.write(writes, b"typed")
    os.close(writes)
    assert BackgroundQuestion(reads, []).reply() == (None, b"typed")
    os.close(reads)


def test_a_question_that_cannot_be_asked_leaves_the_echo_on(terminal: tuple[int, int]) -> None:
    _, its = terminal
    before = termios.tcgetattr(its)
    read_only = os.open(os.devnull, os.O_RDONLY)
    assert BackgroundQuestion.ask(its, read_only, TERM) is None
    assert termios.tcgetattr(its) == before
    os.close(read_only)
