"""The whole search: its result is what reading every message would give, on every schema."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from explorer.cancel import CancelToken
from explorer.search.engine import Gathered, Request, SearchResult, search
from explorer.search.language.query import parse
from explorer.search.matcher import Matcher
from explorer.stores.base import Candidate, Store
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.kinds import open_store
from tests.factories import T0, altered, say
from tests.real_files import unpack


def found(
    store: Store, text: str, told: list[SearchResult] | None = None
) -> tuple[SearchResult, set[int]]:
    gathered = _Noted(Request(store, store.catalog(), Matcher(parse(text, 0.0))))
    tell = told.append if told is not None else lambda _: None
    result = search(gathered, lambda found: found, tell, CancelToken())
    return result, gathered.found


class _Noted(Gathered):
    """Notes every hit."""

    found: set[int]

    def add(self, found: Iterable[Candidate], again: bool = False) -> list[Candidate]:
        given = super().add(found, again)
        self.found = getattr(self, "found", set()) | {hit.message_id for hit in given}
        return given


def test_the_first_hits_come_before_the_scan(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        state.create_session("s", "cli", started_at=T0)
        for number in range(50):
            state.append_message("s", "user", f"word {number}", timestamp=T0 + number)
    told: list[SearchResult] = []
    result, _ = found(open_store(path), "word", told)
    assert told[0].table
    assert told[0].total == 50
    assert not told[0].complete
    assert result.done == 1.0


@pytest.mark.parametrize(
    ("content", "typed"),
    [
        ('\x00json:[{"type": "text", "text": "a p\\u00e4rt of it"}]', "pärt"),
        ('\x00json:[{"type": "text", "text": "\\u5927\\u522b"}]', "大别"),
        ("glued\x1b[31mred", "red"),
        ("one\0two", "two"),
        ("ПРИВЕТ мир", "привет"),
        ("ŠKODA", "škoda"),
        ("x" * 20_000 + "deep", "xdeep"),
    ],
)
def test_what_the_tables_do_not_know_is_found(tmp_path: Path, content: str, typed: str) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        state.create_session("s", "cli", started_at=T0)
    with altered(path) as db:
        wanted = say(db, "s", role="user", content=content, timestamp=T0)
        say(db, "s", role="user", content="something else", timestamp=T0)
    assert found(open_store(path), typed)[1] == {wanted}


def test_words_in_calls_are_found_and_the_signs_of_json_are_not(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    call = {
        "id": "c1",
        "type": "function",
        "function": {"name": "terminal", "arguments": '{"command": "echo \\"h\\u00e9\\"\\nnext"}'},
    }
    with StateFile.create(path) as state:
        state.create_session("s", "cli", started_at=T0)
        state.append_message("s", "assistant", "", tool_calls=[call], timestamp=T0)
    store = open_store(path)
    for typed in ("terminal", "hé", "HÉ", "next", '"echo'):
        assert found(store, typed)[1], typed
    for typed in ("function", "nnext", "u00e9", "arguments"):
        assert not found(store, typed)[1], typed


def test_a_broken_or_missing_table_changes_nothing(tmp_path: Path) -> None:
    path = unpack("hermes-v22", tmp_path)
    before = found(open_store(path), "docker")
    assert before[0].table
    with altered(path) as db:
        for trigger in [
            row[0]
            for row in db.execute(
                "SELECT name FROM sqlite_master"
                " WHERE type = 'trigger' AND name LIKE 'messages_fts%'"
            )
        ]:
            db.execute(f"DROP TRIGGER {trigger}")
    after = found(open_store(path), "docker")
    assert after[1] == before[1]
    assert not after[0].table
