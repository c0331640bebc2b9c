"""The whole search: its result is what reading every message would give, on every schema."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from random import Random
from tempfile import mkdtemp
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.model import Message
from explorer.render.folding import fold
from explorer.search.engine import Gathered, Hit, Result, search
from explorer.search.language import parse
from explorer.search.matcher import fields_of
from explorer.store.base import Store
from explorer.store.create import StateFile
from explorer.store.opening import open_store
from explorer.store.read_only import CancelToken
from tests.factories import T0, altered, say
from tests.real_files import REAL_FILES, unpack

TYPED = (
    *("docker", "DOCKER", "ocke", "o", "e", "the", "nginx container", "xyzzy", "quokka platypus"),
    *("it's", "tests/test_io.py", ".py", "50%", "rm -rf", "--force", "C++", "foo(", '"', "AND"),
    *("*", "'", "\\", "{", "print('hi')", "exit_code", "\\n", "://", "a.b", "_", "%", "-", "```"),
    *("大别山", "大别", "大", "山项", "日本語", "検索", "テスト", "안녕", "สวัสดี", "שלום", "דוח"),
    *("🎉", "é", "É", "ß", "Ж", "ж", "İ", "ſ", "\u212a", "k", "i", "zero", "width"),
    *("terminal", "command", "error", "timeout", "think", "<think>", "json", "null", "true", "0"),
)


def everything(store: Store) -> dict[tuple[int, int], Message]:
    """Every message that was not taken back, by session and id."""
    catalog = store.catalog()
    return {
        (key, message.id): message
        for key in catalog.keys
        for message in store.messages(key, [one.id for one in store.outlines(key)])
    }


class Real(NamedTuple):
    """A real file, and every message of it read."""

    store: Store
    messages: list[Message]
    texts: list[tuple[int, list[str]]]
    """(message, its fields folded)."""

    def holding(self, *words: str) -> set[int]:
        """The messages that hold all words, each in some field of theirs."""
        wanted = [fold(word) for word in words]
        return {
            id_
            for id_, texts in self.texts
            if all(any(word in text for text in texts) for word in wanted)
        }


def found(store: Store, text: str, told: list[Result] | None = None) -> tuple[Result, set[int]]:
    gathered = _Noted(store.catalog(), lambda _: None)
    tell = told.append if told is not None else lambda _: None
    result = search(store, parse(text, 0.0), gathered, tell, CancelToken())
    return result, gathered.found


class _Noted(Gathered):
    """Notes every hit."""

    found: set[int]

    def add(self, found: Iterable[Hit], again: bool = False) -> list[Hit]:
        given = super().add(found, again)
        self.found = getattr(self, "found", set()) | {hit.message_id for hit in given}
        return given


@pytest.fixture(scope="module", params=REAL_FILES)
def real(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Real:
    store = open_store(unpack(request.param, tmp_path_factory.mktemp("real")))
    messages = list(everything(store).values())
    texts = [(one.id, [fold(text) for text in fields_of(one).values()]) for one in messages]
    return Real(store, messages, texts)


@pytest.mark.parametrize("typed", TYPED)
def test_a_search_finds_what_reading_everything_finds(real: Real, typed: str) -> None:
    words = [term.text for clause in parse(typed, 0.0).clauses for term in clause.any_of]
    result, ids = found(real.store, typed)
    assert ids == real.holding(*words)
    assert result.complete
    assert result.total >= len(ids)
    assert sum(result.counts.values()) == result.total


def test_any_piece_of_any_message_is_found(real: Real) -> None:
    rng = Random(7)
    for message in rng.choices([one for one in real.messages if fields_of(one)], k=40):
        text = rng.choice(list(fields_of(message).values()))
        start = rng.randrange(len(text))
        piece = " ".join(text[start : start + rng.randint(1, 12)].split())
        if piece and '"' not in piece and piece.isprintable():
            _, ids = found(real.store, f'"{piece}"')
            assert ids == real.holding(piece)
            assert message.id in ids or piece not in text


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=40))
def test_any_text_gives_an_answer(text: str) -> None:
    result, ids = found(_small(), text)
    assert result.complete
    assert result.total == len(ids)


@cache
def _small() -> Store:
    path = Path(mkdtemp(prefix="explorer-test-")) / "state.db"
    with StateFile.create(path) as state:
        state.create_session("s", "cli", started_at=T0)
        for text in ("hello", "a b", "\x1b[0m", "大别山", "{}", '"quoted"'):
            state.append_message("s", "user", text, timestamp=T0)
    return open_store(path)


def test_the_first_hits_come_before_the_scan(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        state.create_session("s", "cli", started_at=T0)
        for number in range(50):
            state.append_message("s", "user", f"word {number}", timestamp=T0 + number)
    told: list[Result] = []
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
