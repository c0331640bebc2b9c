"""What a file holds and a database lacks, by role and text, and where it belongs."""

import random
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from explorer.model import Message
from explorer.stores.hermes.transcript_files.sameness import Told, combined, is_copy, mark_of

MANY = 33_000


def _told(words: str, start: int, at: float | None = None) -> list[Told]:
    return [
        Told(start + number, ord(letter), "user", None if at is None else at + number)
        for number, letter in enumerate(words)
    ]


def _together(held: str, told: str) -> str:
    """Rows of the database in capitals, messages of the file as they are."""
    found = combined(_told(held, 1), _told(told, -1000))
    return "".join(chr(one.mark).upper() if one.id > 0 else chr(one.mark) for one in found)


def test_a_longer_file_gives_what_came_before() -> None:
    assert _together("efg", "abcdef") == "abcdEFG"


def test_a_shorter_file_adds_nothing() -> None:
    assert _together("abcdef", "cd") == "ABCDEF"


def test_what_is_missing_in_the_middle_goes_there() -> None:
    assert _together("abef", "abcdef") == "ABcdEF"


def test_what_is_missing_at_the_end_goes_there() -> None:
    assert _together("ab", "abc") == "ABc"


def test_of_equal_messages_the_later_ones_are_those_of_the_database() -> None:
    assert _together("coko", "aoboco") == "aoboCOKO"
    assert _together("o", "oaobo") == "oaobO"


def test_another_order_doubles_nothing() -> None:
    assert Counter(_together("cab", "abc")) == Counter("CAB")


def test_a_message_that_a_gateway_wrote_several_times_is_there_once() -> None:
    assert _together("ab", "aaabbb") == "AB"
    assert _together("aaabbb", "ab") == "AAABBB"


def test_times_decide_between_two_that_only_one_side_has() -> None:
    held = [Told(1, 1, "user", 10.0), Told(2, 2, "user", 30.0), Told(3, 3, "user", 50.0)]
    told = [Told(-1, 1, "user", 10.0), Told(-2, 9, "user", 40.0), Told(-3, 3, "user", 50.0)]
    assert [one.id for one in combined(held, told)] == [1, 2, -2, 3]


@given(st.text("abcd", max_size=40), st.text("abcd", max_size=40))
def test_no_row_is_lost_or_doubled_and_no_message_that_is_held_is_added(
    held: str, told: str
) -> None:
    rows, messages = _told(held, 1), _told(told, -1000)
    found = combined(rows, messages)
    assert [one for one in found if one.id > 0] == rows
    added = [one for one in found if one.id < 0]
    assert [one.id for one in added] == sorted(one.id for one in added)
    mine, theirs = Counter(told), Counter(held)
    marks = {chr(one.mark) for one in added}
    assert not [mark for mark in marks if mine[mark] == theirs[mark] == 1]
    assert {mark for mark in mine if mark not in theirs} <= marks


def test_a_message_of_the_same_turn_in_another_order_is_held() -> None:
    held = [*_told("ab", 1, 100.0), *_told("ba", 3, 102.0), *_told("z", 9, 900.0)]
    told = [*_told("ba", -9, 100.0), *_told("ab", -5, 102.0), *_told("z", -1, 900.0)]
    assert list(combined(held, told)) == held


def test_a_short_word_long_before_is_not_taken_for_one_of_the_database() -> None:
    held = [*_told("c", 1, 9000.0), *_told("ooo", 2, 9100.0)]
    told = [*_told("aobo", -9, 0.0), *_told("c", -1, 9000.0)]
    found = "".join(chr(one.mark) for one in combined(held, told))
    assert found == "aoboc" + "ooo"


def test_33_000_messages_that_repeat_are_compared_without_trying_every_pair() -> None:
    class Counted(int):
        compared = 0

        def __eq__(self, other: object) -> bool:
            Counted.compared += 1
            return int.__eq__(self, other)

        __hash__ = int.__hash__

    chance = random.Random(7)
    held = [Told(n + 1, Counted(chance.randrange(50)), "user") for n in range(MANY)]
    told = [Told(-n - 1, Counted(chance.randrange(50)), "user") for n in range(MANY)]
    found = combined(held, told)
    assert [one for one in found if one.id > 0] == held
    assert Counted.compared < 200 * MANY


def test_spaces_make_no_difference_and_roles_and_calls_do() -> None:
    one = Message(1, "s", "assistant", None, "Owls\nhunt. ")
    assert mark_of(one) == mark_of(one._replace(id=2, text=" Owls hunt.", session_id=""))
    assert mark_of(one) != mark_of(one._replace(role="user"))


def test_a_copy_without_its_secrets_is_told() -> None:
    one = Message(1, "s", "user", None, "use sk-proj-12345678901234567890 for it")
    copy = one._replace(text="use sk-p...7890 for it")
    assert is_copy(copy, one)
    assert is_copy(one._replace(text="use *** for it"), one)
    assert not is_copy(one._replace(text="something else *** here"), one)
    assert not is_copy(one._replace(text="nothing of that kind"), one)
