"""Bytes of a terminal: which are keys, which a paste, and that none of them can end the app."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.tui.terminal_input import (
    BURST,
    GIVE_UP_AFTER,
    INTERRUPT,
    ITS_END,
    LONGEST_PASTE,
    PASTE,
    REPEATED,
    REPLY_WITHIN,
    InputPiece,
    Intake,
)

SENTENCE = "The quick brown fox jumps over the lazy dog. " * 3


def _taken(*reads: bytes) -> list[InputPiece]:
    """What comes of several reads, and a quiet moment after them."""
    intake = Intake()
    pieces = [piece for data in reads for piece in intake.take(data)]
    return [piece for piece in (*pieces, *intake.quiet()) if piece.text]


def _keys(pieces: list[InputPiece]) -> str:
    return "".join(piece.text for piece in pieces if not piece.pasted)


def test_bytes_that_are_no_text_are_shown_as_such() -> None:
    assert _taken(b"a\xe7", b"b\xff") == [InputPiece("a"), InputPiece("\ufffdb\ufffd")]


def test_a_letter_that_comes_in_two_reads_is_one() -> None:
    assert _taken(b"\xc3", b"\xa9") == [InputPiece("é")]


def test_what_somebody_types_stays_keys() -> None:
    assert _taken(b"/docker\r\x1b[A\x1b[<0;1;1M") == [InputPiece("/docker\r\x1b[A\x1b[<0;1;1M")]


def test_a_burst_is_one_paste_behind_its_first_key() -> None:
    text = "/" + SENTENCE + "\r" + SENTENCE
    assert _taken(text.encode()) == [InputPiece("/"), InputPiece(text[1:], pasted=True)]


def test_a_burst_goes_on_in_the_next_read() -> None:
    pieces = _taken(SENTENCE.encode(), b"and d y on", b" it goes\r")
    assert pieces == [
        InputPiece(SENTENCE[0]),
        InputPiece(SENTENCE[1:] + "and d y on it goes\r", pasted=True),
    ]


def test_keys_before_and_behind_a_burst_keep_their_places() -> None:
    pieces = _taken(b"\x1b[A" + SENTENCE.encode() + b"\x03")
    assert [piece.pasted for piece in pieces] == [False, False, True, False]
    assert _keys(pieces) == f"\x1b[A{SENTENCE[0]}\x03"


def test_a_key_that_is_held_down_is_no_paste() -> None:
    assert _taken(b"j" * 100) == [InputPiece("j" * 100)]
    assert _taken(b"j" * 4000) == [InputPiece("j" * REPEATED)]


@pytest.mark.parametrize("at", range(1, len(PASTE + "pasted" + ITS_END)))
def test_a_paste_that_is_marked_is_one_text_however_it_is_read(at: int) -> None:
    data = f"{PASTE}pasted{ITS_END}".encode()
    pieces = _taken(data[:at], data[at:] + b"k")
    # An escape alone is a key: Textual's parser puts such a mark together itself.
    if at > 2:
        assert pieces == [InputPiece("pasted", pasted=True), InputPiece("k")]


def test_a_long_paste_is_cut() -> None:
    data = PASTE.encode() + b"x y z w " * 131_072 + ITS_END.encode()
    reads = [data[at : at + 4096] for at in range(0, len(data), 4096)]
    (paste,) = _taken(*reads)
    assert paste.pasted
    assert len(paste.text) == LONGEST_PASTE


def test_a_paste_without_an_end_ends_when_it_is_quiet_for_long() -> None:
    intake = Intake()
    assert list(intake.take(f"{PASTE}lost".encode())) == [InputPiece("")]
    for _ in range(GIVE_UP_AFTER - 1):
        assert not list(intake.quiet())
    assert list(intake.quiet()) == [InputPiece("lost", pasted=True)]
    assert list(intake.take(b"q")) == [InputPiece("q")]


def test_control_c_ends_a_paste_whose_end_was_lost() -> None:
    intake = Intake()
    list(intake.take(f"{PASTE}lost".encode()))
    assert not list(intake.quiet())
    pieces = [InputPiece("lost", pasted=True), InputPiece(INTERRUPT)]
    assert list(intake.take(INTERRUPT.encode())) == pieces


def test_a_control_c_within_a_paste_is_part_of_it() -> None:
    (paste,) = _taken(f"{PASTE}some{INTERRUPT}".encode(), f"thing{ITS_END}".encode())
    assert paste == InputPiece(f"some{INTERRUPT}thing", pasted=True)


@given(st.lists(st.binary(max_size=200), max_size=8))
def test_no_bytes_do_any_harm(reads: list[bytes]) -> None:
    pieces = _taken(*reads)
    shortest = min((len(piece.text) for piece in pieces if piece.pasted), default=BURST)
    assert shortest > 0


REPLIES = (b"\x1b]11;rgb:ffff/ffff/dddd\x1b\\", b"\x1b]11;rgb:10/13/1a\x07")


@pytest.mark.parametrize("reply", REPLIES)
def test_a_late_reply_about_the_background_is_never_typed(reply: bytes) -> None:
    """However it is cut into pieces, with quiet moments between them and keys around it."""
    for first in range(len(reply) + 1):
        for second in range(first, len(reply) + 1):
            intake = Intake(awaiting=True)
            typed = ""
            for data in (b"j" + reply[:first], reply[first:second], reply[second:] + b"k"):
                typed += _keys(list(intake.take(data)))
                typed += _keys(list(intake.quiet())) + _keys(list(intake.quiet()))
            # An escape that comes alone is a key until more is known.
            assert typed in ("jk", "j\x1bk")
            assert _keys(list(intake.take(b"\x1b]11;rgb:"))) != "", "only one is waited for"


def test_what_only_begins_as_a_reply_is_typed_in_the_end() -> None:
    intake = Intake(awaiting=True)
    assert _keys(list(intake.take(b"\x1b]"))) == ""
    typed = "".join(_keys(list(intake.quiet())) for _ in range(REPLY_WITHIN))
    assert typed == "\x1b]"
    assert _keys(list(intake.take(b"]"))) == "]"
    assert _keys(_taken(*REPLIES)) != "", "without a question there is no reply"
