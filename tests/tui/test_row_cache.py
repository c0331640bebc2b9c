"""What is kept of the rows of a list, however long it is and however far somebody scrolls."""

from explorer.browse.arrangement import Excerpt
from explorer.browse.row_cache import KEPT, LINES_KEPT, KnownRows
from explorer.browse.row_columns import RowShape

FOUND = Excerpt(1, "content", (("found", "match"),))


def test_nothing_that_is_kept_grows_without_end() -> None:
    known = KnownRows()
    known.add({}, dict.fromkeys(range(KEPT + 100), FOUND))
    for row in range(LINES_KEPT + 100):
        known.lines(row, RowShape(60), comfortable=True, now=0.0)
    assert len(known._excerpts) == KEPT
    assert len(known._made) == LINES_KEPT
    assert 0 not in known._excerpts
    assert KEPT + 99 in known._excerpts


def test_what_was_read_again_is_forgotten_last() -> None:
    known = KnownRows()
    known.add({}, dict.fromkeys(range(KEPT), FOUND))
    known.add({}, {0: FOUND})
    known.add({}, {KEPT: FOUND})
    assert 0 in known._excerpts
    assert 1 not in known._excerpts
