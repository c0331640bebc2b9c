"""The numbers that sessions on a server have above the stores."""

from explorer.stores.power_loop.server.numbers import SessionNumbers


def test_an_id_keeps_its_number_however_many_there_are() -> None:
    ids = [f"{at:x}" * 3 for at in range(5000)] + ["", "ü" * 40, "\udcff", "a\0b"]
    numbers = SessionNumbers()
    given = numbers.numbers(ids)
    assert given == list(range(1, len(ids) + 1))
    assert [numbers.number(id_) for id_ in reversed(ids)] == given[::-1]
    assert [numbers.id(number) for number in given] == ids
    assert len(numbers) == len(ids)


def test_a_number_that_was_not_given_is_nobodys() -> None:
    numbers = SessionNumbers()
    numbers.number("one")
    assert [numbers.id(number) for number in (0, 2, -1, 1 << 60)] == [None] * 4
