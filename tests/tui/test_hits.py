"""The matches of a find: counted, not listed, against a plain list of them."""

from hypothesis import given
from hypothesis import strategies as st

from explorer.transcript.find import Hits, Match

counts = st.dictionaries(
    st.integers(0, 40),
    st.lists(st.integers(1, 4), min_size=1, max_size=3),
    min_size=1,
    max_size=12,
)


@given(counts, st.integers(0, 45))
def test_steps_go_through_all_matches_in_their_order_and_round(
    found: dict[int, list[int]], start: int
) -> None:
    hits = Hits()
    for item, numbers in found.items():
        hits.add({item: tuple((f"call-{at}", number) for at, number in enumerate(numbers))}, 1)
    plain = [
        Match(item, f"call-{at}", inside)
        for item, numbers in sorted(found.items())
        for at, number in enumerate(numbers)
        for inside in range(number)
    ]
    assert hits.total == len(plain)
    for number, place in enumerate(plain):
        assert hits.number_of(place) == number + 1
        assert hits.beside(place, 1) == plain[(number + 1) % len(plain)]
        assert hits.beside(place, -1) == plain[number - 1]
    first = next((place for place in plain if place.item >= start), plain[0])
    assert hits.at_or_after(start) == first


def test_a_message_that_matches_everywhere_takes_no_longer_than_any_other() -> None:
    # Listed one by one, these would never end.
    many = 10**15
    hits = Hits()
    hits.add({3: (("text", many),), 5: (("text", 1),)}, 2)
    last = hits.beside(Match(5, "text", 0), -1)
    assert last == Match(3, "text", many - 1)
    assert hits.number_of(last) == many
    assert hits.beside(last, 1) == Match(5, "text", 0)


@given(counts, st.integers(0, 45))
def test_what_is_forgotten_leaves_what_was_before_it(
    found: dict[int, list[int]], item: int
) -> None:
    hits, fewer = Hits(), Hits()
    for at, numbers in found.items():
        one = {at: tuple((f"call-{block}", number) for block, number in enumerate(numbers))}
        hits.add(one, 1)
        if at < item:
            fewer.add(one, 1)
    hits.forget_from(item)
    assert hits.total == fewer.total
    assert hits.at_or_after(0) == fewer.at_or_after(0)
    for at in found:
        assert hits.has(Match(at, "call-0", 0)) == (at < item)
