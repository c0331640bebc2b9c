"""Whatever is typed: an answer without an error, and for words the one a plain scan gives."""

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from explorer.search.hits import CompleteSearch
from explorer.search.language.query import parse
from explorer.stores.base import Store
from explorer.stores.kinds import open_store
from tests.real_files import REAL_FILES, unpack
from tests.search.noted import searched
from tests.search.plain_scan import scan

SIGNS = (
    *("AND", "OR", "NOT", '"', "'", "*", "-", "/", "(", ")", "a*", "NEAR", "\\", "//", "/[/"),
    *("source:", "role:user", "-is:archived", "in:", "before:1d", "has:tools", "cost:>", "大别"),
    *("messages:>2", "tool:x,y", 'title:"a b"', "^", "+", "{}", "docker", "the", "\x00", "😀"),
)
quickly = settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


class Real:
    """A real file, all of it read."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.catalog = store.catalog()
        self.scanned = scan(store)
        texts = [text[:400] for _, texts in self.scanned.texts for text in texts if text]
        self.said = "\n".join(dict.fromkeys(texts))
        """Some of what is said in it, one text after the other."""
        self.pictured = {
            place
            for place, texts in self.scanned.texts
            if any("[image" in text for text in texts if text)
        }
        """Messages with a picture, for which words of ours stand: nobody wrote those."""

    def cut(self, start: int, length: int) -> str:
        at = start * 7919 % len(self.said)
        return self.said[at : at + length]


@pytest.fixture(scope="module", params=REAL_FILES)
def real(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Real:
    return Real(open_store(unpack(request.param, tmp_path_factory.mktemp("real"))))


@quickly
@given(text=st.text(max_size=30) | st.lists(st.sampled_from(SIGNS), max_size=6).map(" ".join))
def test_any_text_gives_an_answer(real: Real, text: str) -> None:
    result, found = searched(real.store, real.catalog, text)
    assert result.complete
    assert result.total == len(found)
    assert sum(result.counts.values()) == result.total


cuts = st.tuples(st.integers(0, 1 << 20), st.integers(1, 16))
"""Where something is cut out of what was said, and how long it is."""


@quickly
@given(wanted=st.lists(cuts | st.text(max_size=3), min_size=1, max_size=3))
def test_words_find_what_a_plain_scan_finds(
    real: Real, wanted: list[tuple[int, int] | str]
) -> None:
    """Words that somebody wrote there, cut anywhere, and others; between quotes, as they are."""
    pieces = [one if isinstance(one, str) else real.cut(*one) for one in wanted]
    words = [" ".join(piece.replace('"', " ").split()) for piece in pieces]
    words = [word for word in words if word]
    assume(words)
    typed = " ".join(f'"{word}"' for word in words)
    _, found = searched(real.store, real.catalog, typed)
    expected = real.scanned.holding(words)
    assert found - real.pictured == expected - real.pictured
    assert found <= expected
    assert not parse(typed, 0.0).notes


@settings(max_examples=8, deadline=None)
@given(text=st.lists(st.sampled_from(SIGNS), max_size=4).map(" ".join))
def test_a_script_gets_what_is_found_while_typing(real: Real, text: str) -> None:
    whole = CompleteSearch(real.store, real.catalog, text, 0.0, everything=False)
    hits = [hit for hit in whole.hits() if hit.message_id is not None]
    if whole.query.asks_messages and not whole.query.fields:
        _, found = searched(real.store, real.catalog, text, hide=True)
        assert {(hit.session_key or 0, hit.message_id or 0) for hit in hits} == found
    assert whole.complete
