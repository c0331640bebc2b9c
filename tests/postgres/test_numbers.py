"""The numbers that sessions on a server have above the stores."""

from random import Random

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


def test_ids_are_found_by_their_beginning() -> None:
    random = Random(5)
    ids = ["".join(random.choices("abA_é", k=random.randrange(1, 7))) for _ in range(500)]
    numbers = SessionNumbers()
    of = dict(zip(ids, numbers.numbers(ids), strict=True))

    def small(text: str) -> str:
        return "".join(letter.lower() if letter.isascii() else letter for letter in text)

    for text in ("a", "aa", "Ab", "é", "_é", "bbbbbbb", "z"):
        starting = sorted(of[id_] for id_ in of if small(id_).startswith(small(text)))
        assert numbers.starting(text, 1000) == starting
        assert numbers.starting(text, 2) == starting[:2]
