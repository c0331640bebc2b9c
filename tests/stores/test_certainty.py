"""What is certain is so whether it is looked at here or by SQLite."""

import sqlite3
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.stores.sqlite import certainty
from explorer.stores.sqlite.certainty import Certainty
from explorer.stores.sqlite.spelling import surely_holds

_PIECES = ["a", "B", "é", "É", "中", " ", "[", ">", "<think>", "</think>", "reasoning>", "\0", "ab"]
_CONTENTS = st.one_of(
    st.lists(st.sampled_from(_PIECES), max_size=8).map("".join),
    st.lists(st.sampled_from(_PIECES), max_size=8).map("".join).map(str.encode),
    st.none(),
    st.integers(-(2**63), 2**63 - 1),
)
_GROUPS = st.lists(
    st.lists(st.sampled_from(["a", "AB", "b", "é", "中", "a b", ""]), min_size=1, max_size=2),
    max_size=3,
)


def _told(content: object, groups: list[list[str]]) -> tuple[bool, bool]:
    """(what is certain, what SQLite alone is certain of) of a message."""
    ours = Certainty(groups)
    alone, values = surely_holds(groups)
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("CREATE TABLE messages (content TEXT)")
        db.execute("INSERT INTO messages VALUES (?)", (content,))
        sql = f"SELECT {ours.sql}, {alone} FROM messages m"
        told, certain = db.execute(sql, (*ours.values, *values)).fetchone()
    return ours.of(told), bool(certain)


@given(_CONTENTS, _GROUPS)
def test_what_is_looked_at_here_is_as_certain_as_by_sqlite(
    content: object, groups: list[list[str]]
) -> None:
    ours, alone = _told(content, groups)
    if isinstance(content, str) and "\0" in content:
        assert ours <= alone
    else:
        assert ours is alone


@given(_CONTENTS, _GROUPS)
def test_long_content_is_left_to_sqlite(content: object, groups: list[list[str]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(certainty, "SHORT", -1)
        ours, alone = _told(content, groups)
    assert ours is alone
