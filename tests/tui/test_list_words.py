"""What the list says of itself in its borders."""

import pytest

from explorer.browse.arrangement import Arranged, Found
from explorer.browse.list_words import border
from explorer.model import Hidden
from explorer.search.engine import SearchResult
from explorer.search.language.query import parse


@pytest.mark.parametrize(
    ("sessions", "room", "said"),
    [
        (False, 60, "14 of 63 · 7 more hits in subagent, empty: . shows"),
        (True, 60, "14 of 63 · 7 more sessions in subagent, empty: . shows"),
        (True, 46, "14 of 63 · 7 more sessions: . shows"),
    ],
)
def test_what_a_search_left_out_is_counted_in_the_room_there_is(
    sessions: bool, room: int, said: str
) -> None:
    found = Found(SearchResult(parse("x", 0.0)), 0, 0.1, sessions=sessions)
    hidden = {Hidden.EMPTY: 1, Hidden.SUBAGENT: 6}
    arranged = Arranged((), (), hidden, 14, found=found)
    assert border(arranged, 63, room) == said
