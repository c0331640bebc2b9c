"""Columns that take less memory say the same as dicts."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from explorer.stores.columns import renewed
from explorer.stores.numbered_columns import NameColumn, NumberColumn, NumberedColumn, TextColumn

TEXTS = ("", "a", "Straße", "日本語", "\udcff odd", "a longer title", "title")
MADE: dict[str, tuple[Callable[[], NumberedColumn[Any]], tuple[object, ...]]] = {
    "whole": (NumberColumn, (0, 1, -5, 2**40)),
    "floats": (lambda: NumberColumn(floats=True), (0.0, 1.5, -2.0)),
    "names": (NameColumn, TEXTS),
    "texts": (TextColumn, TEXTS),
}


@pytest.mark.parametrize("kind", MADE)
def test_it_says_the_same_as_a_dict_and_so_does_what_is_renewed(kind: str) -> None:
    make, values = MADE[kind]
    random = Random(2)
    column, plain = make(), dict[int, object]()
    for _ in range(200):
        key, value = random.randrange(1, 90), random.choice(values)
        column.put(key, value)
        plain[key] = value
    changed = {3: values[0], 120: values[1]}
    newer = renewed(column, changed, [3, 5, 120, 400])
    for one, told in ((column, plain), (newer, renewed(plain, changed, [3, 5, 120, 400]))):
        assert dict(one.items()) == told
        assert len(one) == len(told)
        assert [one.get(key) for key in range(-3, 500)] == [told.get(key) for key in range(-3, 500)]
        assert [key in one for key in range(-3, 500)] == [key in told for key in range(-3, 500)]
        assert one.get(400, "nothing") == "nothing"
        with pytest.raises(KeyError):
            one[400]


def test_texts_are_found_that_hold_a_word() -> None:
    texts = {1: "docker", 2: "do", 3: "cker docker docker", 5: "ß", 6: "", 7: "old docker"}
    column = TextColumn.of(texts.items())
    column.put(7, "new")
    kept = {**texts, 7: "new"}
    for word in ("docker", "do", "ocke", "ß", "r d", "kerdo", "", "none"):
        assert column.holding(word) == {key: text for key, text in kept.items() if word in text}
