"""Titles while somebody types: what a key finds does not depend on what was typed before."""

from hypothesis import given
from hypothesis import strategies as st

from explorer.search.language.query import parse
from explorer.search.matcher import Matcher, Titles, titles_holding
from explorer.stores.numbered_columns import TextColumn

_TEXTS = st.text(st.sampled_from("abBéÉ ẞ中"), max_size=6)
_TYPED = st.lists(
    st.lists(st.sampled_from(["a", "ab", "B", "é", "É", "ß", "中", "NOT b", '"a b', "a*"]))
    .map(" ".join)
    .filter(str.strip),
    min_size=1,
    max_size=6,
)


@given(st.dictionaries(st.integers(1, 30), _TEXTS, max_size=12), _TYPED, st.booleans())
def test_titles_are_found_alike_whatever_was_typed_before(
    stored: dict[int, str], typed: list[str], packed: bool
) -> None:
    columns = TextColumn.of(stored.items()) if packed else stored
    kept = Titles.of(columns)
    for text in typed:
        for end in range(1, len(text) + 1):
            matcher = Matcher(parse(text[:end], 0.0))
            found = titles_holding(kept, matcher)
            assert sorted(found) == sorted(titles_holding(Titles.of(columns), matcher))
