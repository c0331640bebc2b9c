"""What NOT leaves out of conversations as a whole: of a prune, and of lists without words."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from explorer.cancel import CancelToken
from explorer.errors import UsageError
from explorer.search.hits import CompleteSearch
from explorer.search.prune_rules import DAY, Rules, choose, ground, holding
from explorer.stores.base import Store
from explorer.stores.catalog import Catalog
from explorer.stores.columns import TITLE
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.kinds import open_store
from tests.factories import NOW, altered, go_on, keys, talk
from tests.search.plain_scan import small, texts_of

CALL = {"id": "1", "function": {"name": "terminal", "arguments": '{"command": "docker ps"}'}}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Sessions that hold docker in one place each, and two that do not."""
    path = tmp_path / "state.db"
    old = NOW - 200 * DAY
    with StateFile.create(path) as state:
        talk(state, "said", "hello", "start DOCKER", "thanks", at=old, end="done")
        talk(state, "titled", "hello", at=old, title="On docker", end="done")
        talk(state, "part1", "docker here", at=old)
        talk(state, "owner", "hello", at=old, end="done")
        config = {"_delegate_from": "owner"}
        talk(state, "helper", "docker", at=old, parent="owner", config=config, end="done")
        (undone,) = talk(state, "undone", "docker", at=old, end="done")
        state.create_session("called", "cli", started_at=old)
        state.append_message("called", "assistant", "", tool_calls=[CALL], timestamp=old)
        state.end_session("called", old + 1, "done")
        talk(state, "clean", "hello", "podman", at=old, end="done")
        talk(state, "chat", "hello", at=old, source="telegram", end="done")
        talk(state, "void", at=old, end="done")
    with altered(path) as db:
        db.execute("UPDATE messages SET active = 0 WHERE id = ?", (undone,))
        go_on(db, "part1", "part2", NOW - 150 * DAY)
        db.execute("UPDATE sessions SET ended_at = 1 WHERE id = 'part2'")
    return path


def _pruned(path: Path, query: str) -> set[str]:
    store = open_store(path)
    names = {key: id_ for id_, key in keys(store).items()}
    known = ground(store, store.catalog(), frozenset())
    fits = holding(known, query, NOW, CancelToken())
    return {names[row] for row in choose(known, Rules(query=query), fits, NOW).rows}


@pytest.mark.parametrize(
    ("query", "going"),
    [
        ("NOT docker", "clean chat void"),
        ("source:cli NOT docker", "clean void"),
        ("before:90d NOT docker source:telegram", "chat"),
        ("hello NOT docker", "clean chat"),
        ("NOT docker OR podman", "chat void"),
        ("NOT docker NOT podman", "chat void"),
        ("NOT /dock[a-f]r/ NOT pod*", "chat void"),
        ("role:user NOT docker", "clean chat"),
        ("NOT docker in:title source:cli", "said part2 owner helper undone called clean void"),
        ("NOT nobodywrotethis source:telegram", "chat"),
        ("-tool:terminal podman", "clean"),
        ("-has:tools source:telegram", "chat"),
        ("-role:assistant", "titled part2 owner helper chat"),
    ],
)
def test_a_prune_keeps_conversations_with_what_is_excluded(
    path: Path, query: str, going: str
) -> None:
    assert _pruned(path, query) == set(going.split())


@pytest.mark.parametrize("query", ["", "  ", '""', "in:title", "in:content,tools -in:title"])
def test_a_query_that_asks_nothing_is_nothing_to_go_by(query: str) -> None:
    assert Rules(query=query).say_nothing


@pytest.mark.parametrize("query", ["NOT docker", "-has:image", "is:empty", "in:title x"])
def test_what_is_denied_is_something_to_go_by(query: str) -> None:
    assert not Rules(query=query).say_nothing


@pytest.mark.parametrize(
    ("query", "listed"),
    [
        ("NOT docker", "undone owner clean chat void"),
        ("NOT docker -is:empty source:cli", "undone owner clean"),
        ("NOT docker in:title is:empty", "void"),
        ("docker NOT start", "titled part1 called"),
    ],
)
def test_a_search_without_words_lists_who_is_without_them(
    path: Path, query: str, listed: str
) -> None:
    store = open_store(path)
    whole = CompleteSearch(store, store.catalog(), query, NOW)
    assert {hit.session_id for hit in whole.hits()} == set(listed.split())
    assert whole.query.notes == ()


def _conversations(store: Store, catalog: Catalog) -> Iterator[tuple[int, str]]:
    """(tip, all that is said in it, in small letters) with messages that were taken back."""
    for tip, _ in catalog.rows():
        said: list[str] = []
        for part in catalog.chain(tip):
            ids = [one.id for one in store.outlines(part, rewound=True)]
            for message in store.messages(part, ids):
                said += map(small, texts_of(message))
        said += map(small, store.columns({TITLE}, catalog.chain(tip))[TITLE].values())
        yield tip, "\n".join(said)


def _words(texts: dict[int, str]) -> list[str]:
    """Some that are in few conversations, in about half of them, and in most."""
    spread = Counter(word for text in texts.values() for word in set(text.split()))
    plain = sorted((n, word) for word, n in spread.items() if word.isalnum() and len(word) > 3)
    return [plain[at * (len(plain) - 1) // 7][1] for at in range(8)]


def test_what_stays_against_a_plain_scan(real_file: Path) -> None:
    """Whatever the file: who goes does not hold the word, and who does not hold it fits, but for
    owners of subagents, which hold what their subagents do."""
    store = open_store(real_file)
    catalog = store.catalog()
    known = ground(store, catalog, frozenset())
    texts = dict(_conversations(store, catalog))
    for word in _words(texts):
        holds = {tip for tip, text in texts.items() if word in text}
        fits = holding(known, f'NOT "{word}"', NOW, CancelToken())
        assert fits is not None
        fitting = set(filter(fits, texts))
        assert not fitting & holds, word
        below = {tip for tip in texts if catalog.folded(tip).subagents}
        assert texts.keys() - fitting - holds <= below, word
        beside = holding(known, f'messages:>2 NOT "{word}"', NOW, CancelToken())
        assert beside is not None
        large = {tip for tip in texts if known.messages(tip) > 2}
        assert set(filter(beside, texts)) == fitting & large, word


@pytest.mark.parametrize("query", ["NOT is:pined", "NOT is:pin*", "NOT -is:pined", "NOT sorce:x"])
def test_a_prune_refuses_an_excluded_field_that_it_cannot_read(path: Path, query: str) -> None:
    with pytest.raises(UsageError, match=r"Not understood: NOT .*Nothing was changed"):
        _pruned(path, query)


@pytest.mark.parametrize("query", ["source:", "owl -is:", "NOT source:"])
def test_a_prune_refuses_a_field_that_has_no_value_yet(path: Path, query: str) -> None:
    with pytest.raises(UsageError, match=r"No value after .*Nothing was changed"):
        _pruned(path, query)
