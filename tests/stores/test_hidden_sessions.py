"""Sessions that Hermes itself leaves out, and chats that were reset: by plain SQL, on files of
every schema that knows them."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from explorer.model import Hidden, Kind
from explorer.stores.base import Store
from explorer.stores.catalog import Catalog
from explorer.stores.kinds import open_store
from tests.conftest import Command
from tests.factories import NOW, altered, go_on, insert, keys, rows, say
from tests.newer_files import NEWER_FILES, newer_file

HIDING = [name for name in NEWER_FILES if name not in ("hermes-v23", "hermes-v25")]
HIDING.remove("hermes-v22-to-v25")


def _files(names: Sequence[str]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("name", names)


def _known(path: Path) -> tuple[Store, Catalog, dict[str, int]]:
    store = open_store(path)
    return store, store.catalog(), keys(store)


@_files(NEWER_FILES)
def test_every_row_is_listed_or_counted(name: str, tmp_path: Path, command: Command) -> None:
    path = newer_file(name, tmp_path, "delete")
    said = command("list", "--limit", "0", "--json", "--db", path).json
    stored = [str(id_) for (id_,) in rows(path, "SELECT id FROM sessions")]
    assert said["matching"] + sum(said["hidden"].values()) == said["total"] == len(stored)
    everything = command("list", "--all", "--limit", "0", "--json", "--db", path).json
    assert sorted(row["id"] for row in everything["sessions"]) == sorted(stored)
    assert everything["hidden"] == {}


@_files(HIDING)
def test_a_session_that_is_marked_is_of_a_class_of_its_own(name: str, tmp_path: Path) -> None:
    path = newer_file(name, tmp_path, "delete")
    plain = (
        "SELECT id FROM sessions WHERE parent_session_id IS NULL AND source = 'cli'"
        " AND archived = 0 AND pinned = 0 AND hidden = 0 AND end_reason IS NOT 'compression'"
        " AND EXISTS (SELECT 1 FROM messages WHERE session_id = sessions.id) LIMIT 2"
    )
    (seen,), (archived,) = rows(path, plain)
    with altered(path) as db:
        db.execute("UPDATE sessions SET hidden = 1 WHERE id IN (?, ?)", (seen, archived))
        db.execute("UPDATE sessions SET archived = 1 WHERE id = ?", (archived,))
    _, catalog, known = _known(path)
    stored = {key for (key,) in rows(path, "SELECT rowid FROM sessions WHERE hidden = 1")}
    assert catalog.hidden == stored
    assert catalog.hidden_as(known[str(seen)]) is Hidden.HIDDEN
    assert catalog.hidden_as(known[str(archived)]) is Hidden.ARCHIVED


@_files(HIDING)
def test_a_conversation_is_hidden_when_its_tip_is(name: str, tmp_path: Path) -> None:
    path = newer_file(name, tmp_path, "delete")
    with altered(path) as db:
        for root, hidden in (("tip_hidden", 0), ("root_hidden", 1)):
            insert(db, "sessions", id=root, source="cli", started_at=1e9, hidden=hidden)
            say(db, root)
            go_on(db, root, f"{root}_2", 2e9)
        db.execute("UPDATE sessions SET hidden = 1 WHERE id = 'tip_hidden_2'")
    _, catalog, known = _known(path)
    assert catalog.hidden_as(known["tip_hidden_2"]) is Hidden.HIDDEN
    assert catalog.hidden_as(known["root_hidden_2"]) is None
    assert catalog.hidden_as(known["root_hidden"]) is Hidden.CONTINUATION


@pytest.mark.parametrize("cell", ["yes", b"\xff", None, "", "0"])
def test_a_mark_that_is_no_number_hides_nothing(tmp_path: Path, cell: object) -> None:
    path = newer_file("hermes-v26-to-v31", tmp_path, "delete")
    with altered(path) as db:
        db.execute("ALTER TABLE sessions DROP COLUMN hidden")
        db.execute("ALTER TABLE sessions ADD COLUMN hidden")
        db.execute("UPDATE sessions SET hidden = ?", (cell,))
    assert open_store(path).catalog().hidden == set()


@_files(NEWER_FILES)
@pytest.mark.parametrize("source", ["kanban", "oneshot"])
def test_kanban_and_oneshot_are_hidden_until_asked_for(
    name: str, source: str, tmp_path: Path, command: Command
) -> None:
    path = newer_file(name, tmp_path, "delete")
    with altered(path) as db:
        insert(db, "sessions", id="made", source=source, started_at=1e9)
        say(db, "made", content="zebrafinch")
    stored = rows(path, "SELECT count(*) FROM sessions WHERE source = ?", (source,))[0][0]
    said = command("list", "--json", "--db", path).json
    assert said["hidden"][source] == stored
    named = command("list", "--source", source, "--limit", "0", "--json", "--db", path).json
    assert {row["source"] for row in named["sessions"]} == {source}
    assert named["matching"] == stored
    hits = command("search", "zebrafinch", "--json", "--db", path).json
    assert (hits["hits"], hits["hidden"]) == ([], {source: 1})
    assert command("search", "zebrafinch", "--all", "--json", "--db", path).json["total"] == 1
    first = open_store(path).first_page(500, NOW)
    assert source not in {row.source for row in first}


def test_classes_can_be_asked_for_by_name(tmp_path: Path, command: Command) -> None:
    path = newer_file("hermes-v26", tmp_path, "delete")
    stored = {id_ for (id_,) in rows(path, "SELECT id FROM sessions WHERE hidden = 1")}
    found = command("search", "is:hidden", "--limit", "0", "--json", "--db", path).json
    assert {hit["session_id"] for hit in found["hits"]} == stored
    plan = command(
        "prune", "--class", "hidden", "--include-open", "--dry-run", "--json", "--db", path
    )
    assert {row["id"] for row in plan.json["sessions"]} <= stored != set()


@_files(NEWER_FILES)
@pytest.mark.parametrize("marked", [True, False])
def test_a_reset_chat_is_a_conversation_of_its_own(name: str, marked: bool, tmp_path: Path) -> None:
    path = newer_file(name, tmp_path, "delete")
    store = open_store(path)
    before = store.catalog()
    config = '{"_reset_from": "before"}' if marked else None
    chat = None if marked else "agent:main:telegram:dm:5"
    with altered(path) as db:
        insert(
            db, "sessions", id="before", source="telegram", started_at=1e9, ended_at=1.1e9,
            end_reason="session_reset", session_key=chat,
        )  # fmt: skip
        say(db, "before")
        insert(
            db, "sessions", id="after", source="telegram", started_at=1.2e9, session_key=chat,
            parent_session_id="before", model_config=config,
        )  # fmt: skip
        say(db, "after")
    store, whole, known = _known(path)
    changes = store.changes(before.mark)
    assert changes is not None
    assert changes.family is not None
    for catalog in (whole, before.renewed(changes.family, changes.mark)):
        assert catalog.kind(known["after"]) is Kind.ROOT
        assert catalog.chain(known["after"]) == (known["after"],)
        assert catalog.hidden_as(known["after"]) is None
    lineage = {
        label: value
        for section in store.details(whole.single(known["before"])).sections
        for label, value in section.rows
        if section.title == "Lineage"
    }
    assert lineage["Followed by"] == "1"
    assert "Subagents" not in lineage
