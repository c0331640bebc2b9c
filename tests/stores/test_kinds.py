"""What a parent link means, before and after the agent began to mark its children."""

from pathlib import Path

import pytest

from explorer.model import Hidden, Kind
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.hermes.sessions.survey import RESET_REASONS, Ties, chains, links
from explorer.stores.kinds import open_store
from tests.factories import NOW, T0, altered, everybody, insert, keys, talk


def _ties(
    key: int,
    parent: int | None = None,
    config: str | None = None,
    start: float = 0.0,
    end: float | None = None,
    reason: str | None = None,
    source: str = "cli",
    newest: float = 0.0,
) -> Ties:
    above = None if parent is None else f"s{parent}"
    return Ties(key, f"s{key}", above, source, config, start, end, reason, newest)


def _child_kind(parent: Ties, child: Ties, markers: bool) -> Kind:
    link = links([parent, child], markers)[child.key]
    assert link.parent == parent.key
    return link.kind


COMPRESSED = _ties(1, start=0, end=10, reason="compression")
BRANCHED = _ties(1, start=0, end=10, reason="branched")
OPEN = _ties(1)

BOTH_ERAS = pytest.mark.parametrize("markers", [False, True])


@BOTH_ERAS
def test_a_child_after_a_compression_continues_it(markers: bool) -> None:
    assert _child_kind(COMPRESSED, _ties(2, 1, start=10), markers) is Kind.CONTINUATION


def test_before_markers_a_child_that_started_early_was_a_subagent() -> None:
    assert _child_kind(COMPRESSED, _ties(2, 1, start=9), markers=False) is Kind.SUBAGENT


def test_with_markers_the_clock_does_not_decide() -> None:
    assert _child_kind(COMPRESSED, _ties(2, 1, start=9), markers=True) is Kind.CONTINUATION


@BOTH_ERAS
def test_a_tool_never_continues_a_conversation(markers: bool) -> None:
    assert _child_kind(COMPRESSED, _ties(2, 1, start=11, source="tool"), markers) is Kind.SUBAGENT


@BOTH_ERAS
def test_a_child_after_a_branching_is_a_branch(markers: bool) -> None:
    assert _child_kind(BRANCHED, _ties(2, 1, start=10), markers) is Kind.BRANCH


@BOTH_ERAS
def test_any_other_child_is_a_subagent(markers: bool) -> None:
    assert _child_kind(OPEN, _ties(2, 1, start=5), markers) is Kind.SUBAGENT
    assert _child_kind(BRANCHED, _ties(2, 1, start=5), markers) is Kind.SUBAGENT


@pytest.mark.parametrize("parent", [COMPRESSED, BRANCHED, OPEN])
def test_a_marker_that_names_the_parent_decides(parent: Ties) -> None:
    branch = _ties(2, 1, '{"_branched_from": "s1"}', start=20)
    delegate = _ties(2, 1, '{"_delegate_from": "s1"}', start=20)
    reset = _ties(2, 1, '{"_reset_from": "s1"}', start=20)
    assert _child_kind(parent, branch, markers=True) is Kind.BRANCH
    assert _child_kind(parent, delegate, markers=True) is Kind.SUBAGENT
    assert _child_kind(parent, reset, markers=True) is Kind.ROOT


@pytest.mark.parametrize("mark", ["_branched_from", "_delegate_from"])
def test_a_continuation_may_inherit_the_marker_of_its_root(mark: str) -> None:
    root = _ties(1, 9, f'{{"{mark}": "s9"}}', end=10, reason="compression")
    part = _ties(2, 1, f'{{"{mark}": "s9"}}', start=10)
    assert links([_ties(9), root, part], markers=True)[2].kind is Kind.CONTINUATION


def _reset_child(reason: str | None, chat: str | None, above: str | None = "chat") -> Kind:
    parent = _ties(1, end=10, reason=reason)._replace(session_key=above)
    return _child_kind(parent, _ties(2, 1, start=11)._replace(session_key=chat), markers=True)


@pytest.mark.parametrize("reason", RESET_REASONS)
def test_a_chat_that_was_reset_began_anew_also_without_a_mark(reason: str) -> None:
    assert _reset_child(reason, "chat") is Kind.ROOT


@pytest.mark.parametrize("reason", [None, "cli_close", "new_session", "agent_close"])
def test_after_any_other_end_a_child_of_the_same_chat_is_a_subagent(reason: str | None) -> None:
    assert _reset_child(reason, "chat") is Kind.SUBAGENT


def test_a_reset_is_about_the_very_same_chat() -> None:
    assert _reset_child("idle", "another chat") is Kind.SUBAGENT
    assert _reset_child("idle", None, None) is Kind.SUBAGENT


def test_a_compressed_chat_is_continued_not_reset() -> None:
    assert _reset_child("compression", "chat") is Kind.CONTINUATION


def test_a_reset_mark_that_was_inherited_makes_no_subagent() -> None:
    assert _child_kind(OPEN, _ties(2, 1, '{"_reset_from": "s9"}'), markers=True) is Kind.ROOT


@pytest.mark.parametrize(
    "config", ["{", "[]", '"_delegate_from"', '{"_delegate_from": 5}', "nothing_from", "\0_from"]
)
def test_a_config_that_says_nothing_changes_nothing(config: str) -> None:
    assert links([_ties(1, config=config)], markers=True) == {}
    assert _child_kind(COMPRESSED, _ties(2, 1, config, start=10), True) is Kind.CONTINUATION


def test_a_delegate_whose_parent_is_gone_stays_a_subagent() -> None:
    found = links([_ties(2, 1, '{"_delegate_from": "s1"}')], markers=True)
    assert found[2] == (Kind.SUBAGENT, None, False)


def test_an_orphan_by_guess_is_a_root_with_a_mark() -> None:
    found = links([_ties(2, config='{"_delegate_from": "__orphaned__"}')], markers=True)
    assert found[2] == (Kind.ROOT, None, True)


def _tip(*children: Ties) -> int:
    rows = [COMPRESSED, *children]
    found = links(rows, markers=True)
    (chain,) = chains(found, {row.key: row for row in rows})
    assert chain[0] == 1
    assert set(chain) == {row.key for row in rows}
    return chain[-1]


def test_the_tip_is_first_of_all_the_part_that_went_on() -> None:
    went_on = _ties(2, 1, start=11, end=12, reason="compression", newest=1)
    still_open = _ties(3, 1, start=13, newest=99)
    assert _tip(went_on, still_open) == 2


def test_the_tip_is_rather_open_than_closed() -> None:
    still_open = _ties(2, 1, start=11, newest=12)
    closed = _ties(3, 1, start=12, end=50, reason="ws_orphan_reap", newest=50)
    assert _tip(closed, still_open) == 2


def test_of_equal_parts_the_one_with_the_latest_message_is_the_tip() -> None:
    assert _tip(_ties(2, 1, start=20, newest=30), _ties(3, 1, start=11, newest=31)) == 3


def test_then_the_later_start_and_then_the_id_decide() -> None:
    assert _tip(_ties(2, 1, start=12), _ties(3, 1, start=11)) == 2
    assert _tip(_ties(2, 1, start=11), _ties(3, 1, start=11)) == 3


def test_the_parts_of_a_chain_are_in_the_order_they_started() -> None:
    rows = [
        COMPRESSED,
        _ties(2, 1, start=30, end=40, reason="compression"),
        _ties(3, 1, start=20, end=25, reason="cli_close"),
        _ties(4, 2, start=41),
    ]
    found = links(rows, markers=True)
    assert chains(found, {row.key: row for row in rows}) == [(1, 3, 2, 4)]


@pytest.fixture
def family(tmp_path: Path) -> Path:
    """A root with a branch, a subagent and a continuation of two parts, one archived chain."""
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "root", "one", "two", end="compression")
        talk(state, "part", "three", "four", at=T0 + 10, parent="root", end="compression")
        talk(state, "tip", "five", at=T0 + 20, parent="part", title="Whole")
        talk(state, "branch", "b", parent="tip", config={"_branched_from": "tip"})
        talk(state, "helper", "h", parent="tip", config={"_delegate_from": "tip"})
        talk(state, "old", "x", end="compression")
        talk(state, "older", "y", at=T0 + 10, parent="old")
        state.set_archived("older", True)
        talk(state, "guess", "tool", config={"_delegate_from": "__orphaned__"})
    return path


def test_each_row_says_its_kind_and_its_place_in_the_conversation(family: Path) -> None:
    said = {s.id: (s.kind, s.parent_id, s.root_id, s.tip_id) for s in everybody(family)}
    assert said == {
        "root": (Kind.ROOT, None, "root", "tip"),
        "part": (Kind.CONTINUATION, "root", "root", "tip"),
        "tip": (Kind.CONTINUATION, "part", "root", "tip"),
        "branch": (Kind.BRANCH, "tip", "branch", "branch"),
        "helper": (Kind.SUBAGENT, "tip", "helper", "helper"),
        "old": (Kind.ROOT, None, "old", "older"),
        "older": (Kind.CONTINUATION, "old", "old", "older"),
        "guess": (Kind.ROOT, None, "guess", "guess"),
    }
    assert [s.id for s in everybody(family) if s.restored] == ["guess"]


def test_a_conversation_is_listed_once_under_its_tip(family: Path) -> None:
    store = open_store(family)
    catalog = store.catalog()
    listed, hidden = catalog.select()
    folded = {s.id: s for s in store.sessions([catalog.folded(key) for key in listed], NOW)}
    assert set(folded) == {"tip", "branch", "guess"}
    assert hidden == {Hidden.CONTINUATION: 3, Hidden.SUBAGENT: 1, Hidden.ARCHIVED: 1}
    whole = folded["tip"]
    assert (whole.parts, whole.root_id, whole.kind) == (3, "root", Kind.ROOT)
    assert (whole.started_at, whole.message_count) == (T0, 5)
    assert (whole.preview, whole.last_reply) == ("one", "")


def test_a_filter_by_source_holds_for_single_parts_too(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "root", "one", end="compression")
        talk(state, "tip", "two", at=T0 + 10, parent="root")
        talk(state, "other", "three", source="slack")
    catalog = open_store(path).catalog()
    slack = {key for key in catalog.keys if catalog.source(key) == "slack"}
    listed, hidden = catalog.select(set(Hidden) - {Hidden.FILTERED}, slack.__contains__)
    assert set(listed) == slack
    assert hidden == {Hidden.FILTERED: 2}


def test_circles_lose_no_session(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        for name in ("a", "b", "c", "self", "below"):
            talk(state, name, name)
    with altered(path) as db:
        for child, parent in (("a", "b"), ("b", "c"), ("c", "a"), ("self", "self"), ("below", "a")):
            db.execute("UPDATE sessions SET parent_session_id = ? WHERE id = ?", (parent, child))
        db.execute("UPDATE sessions SET end_reason = 'compression', ended_at = 1")
    assert sorted(s.id for s in everybody(path)) == ["a", "b", "below", "c", "self"]
    catalog = open_store(path).catalog()
    listed, hidden = catalog.select()
    assert len(listed) + sum(hidden.values()) == 5
    names = {key: id_ for id_, key in keys(open_store(path)).items()}
    shown = {names[part] for key in listed for part in catalog.chain(key)}
    assert shown == {"a", "b", "below", "c", "self"}


def test_a_chain_of_three_thousand_parts_is_one_row(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    StateFile.create(path).close()
    with altered(path) as db:
        db.execute("BEGIN")
        for number in range(3000):
            insert(
                db,
                "sessions",
                id=f"s{number:04}",
                source="cli",
                started_at=T0 + number,
                ended_at=T0 + number,
                end_reason="compression",
                parent_session_id=f"s{number - 1:04}" if number else None,
            )
        insert(db, "messages", session_id="s0000", role="user", content="go", timestamp=T0)
        db.execute("COMMIT")
    store = open_store(path)
    catalog = store.catalog()
    (key,), hidden = catalog.select()
    assert len(catalog.chain(key)) == 3000
    assert hidden == {Hidden.CONTINUATION: 2999}
    (row,) = store.sessions([catalog.folded(key)], NOW)
    assert (row.root_id, row.id, row.parts) == ("s0000", "s2999", 3000)
