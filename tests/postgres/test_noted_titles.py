"""Titles of sessions on a server whose program keeps none: they are in our notes, as for a file."""

import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest

from explorer.errors import ExplorerError, Problem, Refused
from explorer.model import Action, Session
from explorer.search.hits import CompleteSearch
from explorer.stores.base import Edits, Store
from explorer.stores.columns import ID, TITLE
from explorer.stores.discover import locate
from explorer.stores.edits.words import TITLE_NOTED
from explorer.stores.open_found import every_set, notes_on, open_found
from explorer.stores.ours.notes import OurFiles
from tests.conftest import Command
from tests.contract.cases import everybody
from tests.postgres.cutting import Cut, Proxy
from tests.postgres.edit_ground import LATER, Ground
from tests.real_files import unpack

UNTITLED = "UPDATE pl_sessions SET metadata_json = '{}'"
OLD, NEW = "second_root", "first_root"


class Start(NamedTuple):
    """One start of Session Explorer on a database."""

    store: Store
    edits: Edits

    def key(self, id_: str) -> int:
        return self.store.keys_of([id_])[id_]

    def rename(self, id_: str, title: str) -> None:
        self.edits.apply(self.edits.plan(Action.RENAME, [self.key(id_)], title=title))

    def undo(self) -> None:
        self.edits.undo(self.edits.undo_plan())

    def session(self, id_: str) -> Session:
        catalog = self.store.catalog()
        (row,) = self.store.sessions([catalog.single(self.key(id_))], time.time())
        return row

    def titles(self) -> dict[str, str]:
        return {one.id: one.title for one in everybody(self.store) if one.title}


def started(ground: Ground, more: str = "", user: str = "postgres") -> Start:
    return opened_on(ground.folder, ground.server.address(ground.database, user, more))


def opened_on(folder: Path, *places: str) -> Start:
    """A start on these files and databases, with our own files in a folder."""
    found = every_set(locate(places, (), {}, None))
    store = open_found(found, notes=folder / "explorer.db", trash=folder / "trash.db")
    notes = notes_on(found, folder / "explorer.db")
    ours = OurFiles(folder / "trash.db", lambda: time.time() + LATER, notes)
    return Start(store, store.edits(ours))


@pytest.fixture
def untitled(ground: Ground) -> Ground:
    """A database of a program that keeps no titles."""
    ground.run(UNTITLED)
    return ground


def test_a_title_is_listed_found_and_searched_and_there_after_a_restart(untitled: Ground) -> None:
    before, first = untitled.dump(), started(untitled)
    plan = first.edits.plan(Action.RENAME, [first.key(NEW)], title=" A \x1b long  run ")
    assert plan.notes == (TITLE_NOTED,)
    first.edits.apply(plan)
    first.rename(OLD, "Not so long")
    first.rename(OLD, "A long run")
    assert untitled.dump() == before, "nothing of it goes into the database"
    untitled.run("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader")
    for one in (first, started(untitled), started(untitled, user="reader")):
        store, catalog = one.store, one.store.catalog()
        keys = {one.key(NEW), one.key(OLD)}
        assert one.session(NEW).name == "A long run"
        assert store.details(catalog.single(one.key(NEW))).title == "A long run"
        assert {found.key for found in store.find("A long run")} == keys
        assert {found.title for found in store.find("A long run")} == {"A long run"}
        assert store.find(NEW)[0].title == "A long run"
        assert store.columns({TITLE})[TITLE] == dict.fromkeys(keys, "A long run")
        assert store.columns({ID, TITLE}, [one.key(NEW)])[TITLE] == {one.key(NEW): "A long run"}
        assert store.columns({TITLE}, [one.key("first_linked")])[TITLE] == {}
        for words in ("title:long", "long run"):
            search = CompleteSearch(store, catalog, words, time.time(), everything=True)
            assert {hit.session_key for hit in search.hits() if hit.field != "text"} == keys


def test_a_title_is_changed_removed_and_undone(untitled: Ground) -> None:
    one = started(untitled)
    for title in ("One", "Two", ""):
        one.rename(NEW, title)
    assert one.titles() == {}
    first = one.edits.trash.receipts()[-1].number
    one.rename(NEW, "Four")
    with pytest.raises(Refused, match="changed since"):
        one.edits.undo(one.edits.undo_plan(first))
    for left in ({}, {NEW: "Two"}, {NEW: "One"}, {}):
        one.undo()
        assert one.titles() == left


def test_a_deleted_session_keeps_its_title_in_the_trash_and_comes_back_with_it(
    untitled: Ground,
) -> None:
    before, one = untitled.dump(), started(untitled)
    one.rename(NEW, "A long run")
    done = one.edits.apply(one.edits.plan(Action.DELETE, [one.key(NEW)]))
    titles = {kept.session: kept.title for kept in one.edits.trash.entries(done.receipt or 0)}
    assert titles[NEW] == "A long run"
    assert one.store.find("A long run") == []
    assert one.store.columns({TITLE})[TITLE] == {}
    again = started(untitled)
    again.undo()
    assert untitled.dump() == before
    assert again.titles() == {NEW: "A long run"}


def test_a_session_that_is_written_may_get_a_title_in_our_notes(untitled: Ground) -> None:
    one = started(untitled)
    one.rename("first_pending", "Waits")
    one.rename("first_leased", "Held")
    assert one.titles() == {"first_pending": "Waits", "first_leased": "Held"}


def test_a_program_that_begins_to_keep_titles_gets_the_next_one(untitled: Ground) -> None:
    one = started(untitled)
    one.rename(NEW, "Ours")
    untitled.run(
        f"""UPDATE pl_sessions SET metadata_json = '{{"title": "x"}}' WHERE session_id = '{OLD}'"""
    )
    before = untitled.dump()
    one.rename(NEW, "Theirs")
    ((about,),) = untitled.run(f"SELECT metadata_json FROM pl_sessions WHERE session_id = '{NEW}'")
    assert about == '{"title":"Theirs"}'
    assert one.titles() == {NEW: "Theirs", OLD: "x"}
    one.undo()
    assert (untitled.dump(), one.titles()) == (before, {NEW: "Ours", OLD: "x"})


def test_two_schemas_with_one_id_have_each_their_own_title(untitled: Ground) -> None:
    untitled.run(
        "CREATE SCHEMA team",
        *(
            f"CREATE TABLE team.{name} (LIKE public.{name} INCLUDING ALL);"
            f"INSERT INTO team.{name} SELECT * FROM public.{name}"
            for name in ("pl_sessions", "pl_messages", "pl_session_state")
        ),
    )
    team = started(untitled, "?search_path=team")
    team.rename(NEW, "Of the team")
    assert started(untitled, "?search_path=public").titles() == {}
    assert started(untitled, "?search_path=team").titles() == {NEW: "Of the team"}
    both = started(untitled, "?search_path=public,team")
    titles = [(row.place, row.title) for row in everybody(both.store) if row.id == NEW]
    assert titles == [("public", None), ("team", "Of the team")]
    keys = {row.place: row.key for row in everybody(both.store) if row.id == NEW}
    both.edits.apply(both.edits.plan(Action.RENAME, [keys["public"]], title="Of all"))
    assert started(untitled, "?search_path=public").titles() == {NEW: "Of all"}
    assert started(untitled, "?search_path=team").titles() == {NEW: "Of the team"}


@pytest.mark.parametrize("undone", [False, True])
def test_notes_that_cannot_be_written_change_no_title_and_say_so(
    untitled: Ground, undone: bool
) -> None:
    one = started(untitled)
    one.rename(NEW, "Old")
    plan, back = one.edits.plan(Action.RENAME, [one.key(NEW)], title="New"), one.edits.undo_plan()
    with closing(sqlite3.connect(untitled.folder / "explorer.db")) as db:
        db.execute("ALTER TABLE titles ADD COLUMN of_a_newer_version")
    with pytest.raises(ExplorerError, match=r"newer version .* Nothing was changed"):
        one.edits.undo(back) if undone else one.edits.apply(plan)
    assert one.titles() == {NEW: "Old"}
    again = started(untitled)
    assert not again.edits.after_crash().half_done
    assert [one.state for one in again.edits.trash.receipts()] == ["done"]
    with closing(sqlite3.connect(untitled.folder / "explorer.db")) as db:
        db.execute("ALTER TABLE titles DROP COLUMN of_a_newer_version")
    again.undo()
    assert again.titles() == {}


def test_where_tells_sessions_by_the_titles_of_our_notes(
    untitled: Ground, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    address = untitled.server.address(untitled.database)

    def told(words: str) -> list[str]:
        sightings = command("where", words, "--db", address, "--json").json["sightings"]
        return [one["id"] for one in sightings]

    for title in ("Blue whale", "Grey whale"):
        renamed = command("rename", NEW, title, "--db", address, "--yes", "--force")
        assert renamed.code == 0, renamed.err
    assert "Grey whale" in command("list", "--db", address).out
    assert told("Grey whale") == [NEW]
    assert told("Blue whale") == [NEW], "its title before it was renamed"
    assert command("delete", "Grey whale", "--db", address, "--yes", "--force").code == 0
    assert told("Grey whale") == [NEW], "it is in the trash"
    assert command("undo", "--db", address, "--yes").code == 0
    shown = command("show", "Grey whale", "--db", address, "--json").json
    assert (shown["session"]["id"], shown["session"]["title"]) == (NEW, "Grey whale")


def test_a_server_that_is_reached_later_has_the_titles_and_the_trash_of_every_other_start(
    untitled: Ground, tmp_path: Path
) -> None:
    proxy = Proxy(untitled.server.port, Cut.BEFORE, nth=0)
    address = untitled.server.address(untitled.database)
    address = address.replace(f":{untitled.server.port}/", f":{proxy.port}/")
    before, path = untitled.dump(), unpack("power-loop-8.0.0", tmp_path)
    try:
        proxy.close()
        late = opened_on(untitled.folder, str(path), address)
        assert [one.error.problem for one in late.store.troubles] == [Problem.UNREACHABLE]
        proxy.open()
        assert late.store.recovered()
        (row,) = (one for one in everybody(late.store) if one.id == NEW)
        late.edits.apply(late.edits.plan(Action.RENAME, [row.key], title="Blue whale"))
        assert [one.id for one in everybody(late.store) if one.title == "Blue whale"] == [NEW]
        late.edits.apply(late.edits.plan(Action.PIN, [row.key]))
        late.edits.apply(late.edits.plan(Action.DELETE, [row.key]))
        late.undo()
        assert untitled.dump() == before
        alone = opened_on(untitled.folder, address)
        assert alone.titles() == {NEW: "Blue whale"}
        assert alone.edits.noted_pins() == {NEW}
        assert [one.action for one in alone.edits.trash.receipts()] == ["delete", "pin", "rename"]
        for _ in range(2):
            late.undo()
        assert alone.titles() == {}
    finally:
        proxy.close()
