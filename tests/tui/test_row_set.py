"""The rows that are selected are a set, however many they are."""

from random import Random

import pytest

from explorer.browse.row_set import MANY, RowSet

DENSE = range(1, 3 * MANY)
SPARSE = range(0, 1000 * MANY, 900)


@pytest.mark.parametrize("order", [range(10), DENSE, SPARSE], ids=["few", "dense", "sparse"])
def test_it_is_what_a_set_would_be(order: range) -> None:
    random = Random(1)
    rows, plain = RowSet(), set[int]()
    for size in (3, len(order), 5):
        some = random.sample([*order, -1, -7, 10**15], size)
        rows.update(some)
        plain.update(some)
        for row in random.sample(order, 5):
            rows.toggle(row)
            plain ^= {row}
        kept = rows.copy()
        gone = random.sample(order, len(order) // 2)
        rows.difference_update(gone)
        assert kept == plain
        plain.difference_update(gone)
        assert rows == plain
        assert (len(rows), sorted(rows)) == (len(plain), sorted(plain))
        assert rows.number_of(order) == len(plain.intersection(order))
        assert all((row in rows) == (row in plain) for row in (*order[:50], -1, -2, 10**15))
    rows.clear()
    assert not rows
    assert -1 not in rows
