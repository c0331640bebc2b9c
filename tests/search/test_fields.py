"""What fields ask of conversations, against plain Python over the rows of real files."""

from collections.abc import Callable
from datetime import UTC
from pathlib import Path
from typing import NamedTuple

import pytest

from explorer.model import Hidden, Kind, Session, State
from explorer.search.language.fields import Known, SessionTest, session_test
from explorer.search.language.query import parse
from explorer.stores.base import Store
from explorer.stores.catalog import Catalog
from explorer.stores.columns import (
    COST,
    ID,
    MESSAGES,
    MODEL,
    OWNER,
    READ_AT,
    STATE,
    TITLE,
    TOKENS,
    WORKSPACE,
    Column,
)
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.kinds import open_store
from tests.factories import NOW, T0, altered, keys, talk
from tests.real_files import unpack


class Conversation(NamedTuple):
    """A row of the list, and its parts each by itself."""

    whole: Session
    parts: list[Session]


Judge = Callable[[Conversation], bool]


def _conversations(store: Store, catalog: Catalog, now: float) -> list[Conversation]:
    tips = [key for key, _ in catalog.rows()]
    rows = store.sessions([catalog.folded(key) for key in tips], now)
    single = {s.key: s for s in store.sessions([catalog.single(k) for k in catalog.keys], now)}
    return [Conversation(s, [single[key] for key in catalog.chain(s.key)]) for s in rows]


def _test(text: str, now: float = NOW) -> SessionTest:
    return session_test(parse(text, now, UTC), now, UTC)


def _known(store: Store, test: SessionTest, pins: frozenset[int] = frozenset()) -> Known:
    """Only what the test says that it needs."""
    return Known(store.catalog(), store.columns(test.columns), pins)


def _passing(path: Path, text: str, now: float = NOW) -> set[str]:
    """The ids of the rows that a query lets through."""
    store = open_store(path)
    test = _test(text, now)
    known = _known(store, test)
    passes = test.over(known)
    assert passes is not None
    rows = _conversations(store, known.catalog, now)
    return {row.whole.id for row in rows if passes(row.whole.key)}


def _tokens(session: Session) -> int | None:
    known = [n for n in (session.input_tokens, session.output_tokens) if n is not None]
    return sum(known) if known else None


def _active(row: Conversation) -> float:
    return row.whole.last_active or 0.0


MIDDLE = 1_761_000_000.0
"""2025-10-20 22:40 UTC: in the middle of the real files."""
MIDNIGHT = 1_760_918_400.0
DAY = 86_400.0

QUESTIONS: dict[str, Judge] = {
    "source:cli": lambda row: row.whole.source == "cli",
    "source:CLI,Telegram": lambda row: row.whole.source in ("cli", "telegram"),
    "-source:cli": lambda row: row.whole.source != "cli",
    "source:power-loop": lambda row: row.whole.source == "power-loop",
    "source:cl": lambda row: False,
    "model:claude": lambda row: any("claude" in (part.model or "") for part in row.parts),
    "model:GPT,opus": lambda row: any(
        "gpt" in (part.model or "") or "opus" in (part.model or "") for part in row.parts
    ),
    "-model:claude": lambda row: not any("claude" in (p.model or "") for p in row.parts),
    "title:one": lambda row: any("one" in (p.title or "").lower() for p in row.parts),
    'title:"ARCHIVED chain"': lambda row: "archived chain" in (row.whole.title or "").lower(),
    "-title:a": lambda row: not any("a" in (part.title or "").lower() for part in row.parts),
    "id:20251020_212135": lambda row: any("20251020_212135" in p.id for p in row.parts),
    "id:1E27A1C0": lambda row: any("1e27a1c0" in part.id for part in row.parts),
    "workspace:/": lambda row: any("/" in (part.workspace or "") for part in row.parts),
    "-workspace:/": lambda row: not any("/" in (p.workspace or "") for p in row.parts),
    "kind:root": lambda row: any(part.kind is Kind.ROOT for part in row.parts),
    "kind:branch": lambda row: row.whole.kind is Kind.BRANCH,
    "kind:subagent": lambda row: row.whole.kind is Kind.SUBAGENT,
    "kind:continuation": lambda row: any(p.kind is Kind.CONTINUATION for p in row.parts),
    "kind:branch,subagent": lambda row: row.whole.kind in (Kind.BRANCH, Kind.SUBAGENT),
    "-kind:subagent": lambda row: row.whole.kind is not Kind.SUBAGENT,
    "is:archived": lambda row: row.whole.archived,
    "-is:archived": lambda row: not row.whole.archived,
    "is:empty": lambda row: row.whole.message_count == 0,
    "is:open": lambda row: row.whole.state is State.OPEN,
    "is:running": lambda row: row.whole.state is State.RUNNING,
    "is:open,running": lambda row: row.whole.state is not State.ENDED,
    "is:archived,empty": lambda row: row.whole.archived or not row.whole.message_count,
    "-is:open -is:running": lambda row: row.whole.state is State.ENDED,
    "is:pinned": lambda row: False,
    "messages:>20": lambda row: row.whole.message_count > 20,
    "messages:>=4": lambda row: row.whole.message_count >= 4,
    "messages:<4": lambda row: row.whole.message_count < 4,
    "messages:<=4": lambda row: row.whole.message_count <= 4,
    "messages:4": lambda row: row.whole.message_count == 4,
    "messages:=0": lambda row: row.whole.message_count == 0,
    "messages:10..60": lambda row: 10 <= row.whole.message_count <= 60,
    "-messages:>4": lambda row: row.whole.message_count <= 4,
    "messages:>1k": lambda row: row.whole.message_count > 1000,
    "cost:>0": lambda row: (row.whole.cost_usd or 0) > 0,
    "cost:<0.1": lambda row: row.whole.cost_usd is not None and row.whole.cost_usd < 0.1,
    "-cost:<0.1": lambda row: row.whole.cost_usd is None or row.whole.cost_usd >= 0.1,
    "tokens:>10k": lambda row: (_tokens(row.whole) or 0) > 10_000,
    "tokens:0": lambda row: _tokens(row.whole) == 0,
    "-tokens:>0": lambda row: not _tokens(row.whole),
    "before:2025-10-20": lambda row: _active(row) < MIDNIGHT,
    "after:2025-10-20": lambda row: _active(row) >= MIDNIGHT,
    "on:2025-10-20": lambda row: MIDNIGHT <= _active(row) < MIDNIGHT + DAY,
    "-on:2025-10-20": lambda row: not MIDNIGHT <= _active(row) < MIDNIGHT + DAY,
    "-after:2025-10-20": lambda row: _active(row) < MIDNIGHT,
    "before:yesterday": lambda row: _active(row) < MIDNIGHT - DAY,
    "after:3d": lambda row: _active(row) >= MIDDLE - 3 * DAY,
    "after:2025-10 before:2025-10-20": lambda row: 1_759_276_800 <= _active(row) < MIDNIGHT,
    "source:cli messages:>4 -is:archived": lambda row: (
        row.whole.source == "cli" and row.whole.message_count > 4 and not row.whole.archived
    ),
}


def test_a_field_lets_through_what_plain_python_does(real_file: Path) -> None:
    store = open_store(real_file)
    rows = _conversations(store, store.catalog(), MIDDLE)
    for text, judge in QUESTIONS.items():
        test = _test(text, MIDDLE)
        passes = test.over(_known(store, test))
        assert passes is not None
        for row in rows:
            assert passes(row.whole.key) == judge(row), (text, row.whole)
            assert {passes(part.key) for part in row.parts} == {passes(row.whole.key)}


def test_the_questions_tell_sessions_of_the_real_files_apart(tmp_path: Path) -> None:
    """Or the test above would prove nothing."""
    store = open_store(unpack("hermes-v22", tmp_path))
    rows = _conversations(store, store.catalog(), MIDDLE)
    answers = {text: {judge(row) for row in rows} for text, judge in QUESTIONS.items()}
    same = {text for text, answer in answers.items() if len(answer) == 1}
    assert same <= {"source:power-loop", "source:cl", "is:pinned", "workspace:/", "-workspace:/"}


@pytest.mark.parametrize("later", [-3 * DAY, 0, 300, 601, 40 * DAY])
def test_running_and_open_are_what_the_list_says_at_any_time(real_file: Path, later: float) -> None:
    store = open_store(real_file)
    catalog = store.catalog()
    now = max(catalog.active) + later
    rows = _conversations(store, catalog, now)
    for state in (State.RUNNING, State.OPEN):
        expected = {row.whole.id for row in rows if row.whole.state is state}
        assert _passing(real_file, f"is:{state}", now) == expected


@pytest.fixture
def chain(tmp_path: Path) -> Path:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "root", "a", "b", "c", title="Zebra, striped", end="compression")
        talk(state, "tip", "d", at=T0 + 50, parent="root")
        talk(state, "other", "e", "f", source="telegram", title="Apple")
        state.create_session("bare", "cron", started_at=T0, cwd="/srv/Straße", model="Opus-4")
        state.set_usage("root", 100, 10, 0.1, "estimated")
        state.set_usage("tip", 50, 5, 0.2, "estimated")
        state.set_usage("other", 1, 1, 0.0, "unknown")
    return path


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("messages:4", {"tip"}),
        ("messages:3", set()),
        ("cost:0.25..0.35", {"tip"}),
        ("cost:0.3", {"tip"}),
        ("cost:<=0.3", {"tip"}),
        ("cost:<0.25", set()),
        ("cost:0", set()),
        ("-cost:>0", {"other", "bare"}),
        ("tokens:165", {"tip"}),
        ("title:zebra", {"tip"}),
        ('title:"zebra, striped"', {"tip"}),
        ('title:"a, b"', set()),
        ("title:apple,zebra", {"tip", "other"}),
        ("title:apple OR title:zebra", {"tip", "other"}),
        ("title:apple title:zebra", set()),
        ("id:root", {"tip"}),
        ("id:ROOT,other", {"tip", "other"}),
        ("workspace:STRASSE", {"bare"}),
        ("model:opus", {"bare"}),
        ("-model:opus", {"tip", "other"}),
        ("NOT model:opus NOT source:telegram", {"tip"}),
        ("is:empty", {"bare"}),
        ("kind:continuation", {"tip"}),
        ("-kind:continuation", {"other", "bare"}),
        ("before:2025-10-09", set()),
        ("on:2025-10-09", {"tip", "other", "bare"}),
    ],
)
def test_a_conversation_is_judged_as_a_whole(chain: Path, text: str, ids: set[str]) -> None:
    assert _passing(chain, text) == ids


def test_a_conversation_is_pinned_by_any_of_its_parts(chain: Path) -> None:
    store = open_store(chain)
    known = keys(store)
    test = _test("is:pinned")
    for pin in ("root", "tip"):
        passes = test.over(_known(store, test, frozenset({known[pin]})))
        assert passes is not None
        assert {id_ for id_, key in known.items() if passes(key)} == {"root", "tip"}


def test_a_lease_means_running_whatever_the_time(chain: Path) -> None:
    with altered(chain) as db:
        db.execute("CREATE TABLE session_turn_leases (session_id, expires_at)")
        db.execute("INSERT INTO session_turn_leases VALUES ('root', ?)", (NOW + 1,))
    assert _passing(chain, "is:running") == {"tip"}
    assert _passing(chain, "is:running", NOW + 1) == set()
    assert _passing(chain, "is:open") == {"other", "bare"}


def test_an_archived_session_without_messages_is_both(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        state.create_session("s", "cli", started_at=T0)
        state.set_archived("s", True)
    assert _passing(path, "is:empty is:archived") == {"s"}


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("", set()),
        ("source:cli kind:root is:archived,empty,pinned before:7d", set()),
        ("model:x", {MODEL}),
        ("messages:1", {MESSAGES}),
        ("-title:x", {TITLE}),
        ("profile:x", {OWNER}),
        ("id:x workspace:y", {ID, WORKSPACE}),
        ("cost:1 tokens:1", {COST, TOKENS}),
        ("is:archived,open", STATE),
        ("-is:running", STATE),
        ("is:unread", {READ_AT}),
        ("role:user tool:x has:image in:title", set()),
    ],
)
def test_a_test_says_what_must_be_known(text: str, columns: set[Column[object]]) -> None:
    assert _test(text).columns == columns


@pytest.mark.parametrize(
    ("text", "classes", "sources"),
    [
        ("", set(), set()),
        ("is:archived", {Hidden.ARCHIVED}, set()),
        ("-is:archived", set(), set()),
        ("is:empty,open kind:subagent", {Hidden.EMPTY, Hidden.SUBAGENT}, set()),
        ("source:CRON,cli -source:tool", set(), {"cron", "cli"}),
    ],
)
def test_who_asks_for_a_hidden_class_by_name_wants_it_listed(
    text: str, classes: set[Hidden], sources: set[str]
) -> None:
    assert _test(text).classes == classes
    assert _test(text).sources == sources


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("before:7d", ["before"]),
        ("NOT word before:7d", ["before"]),
        ("word before:7d source:cli", ["source"]),
        ("role:user on:today id:x", ["id"]),
    ],
)
def test_days_are_about_sessions_where_no_messages_are_looked_for(
    text: str, asked: list[str]
) -> None:
    assert [field.name for field in _test(text).fields] == asked


def test_without_fields_there_is_nothing_to_test(chain: Path) -> None:
    store = open_store(chain)
    for text in ("", "word", "word role:user in:title before:7d"):
        assert _test(text).over(Known(store.catalog())) is None
