"""Pins as edits: in the agent's own column where it has one, else in our notes."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from explorer.model import Action
from explorer.stores.columns import ID
from explorer.stores.edits.plans import EditPlan
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.kinds import open_store
from explorer.stores.ours.notes import Notes
from explorer.stores.resolve import pinned_rows
from tests.conftest import Command
from tests.editors import edits_on
from tests.edits.states import dump
from tests.factories import NOW, altered, keys, rows, talk
from tests.newer_files import newer_file

CHAIN = "20260917_012006_878499"
"""A part in the middle of a conversation of four, in the real file of schema 26."""


class Pins:
    """A file with its editor and our notes about it."""

    def __init__(self, path: Path, folder: Path) -> None:
        self.path = path
        self.notes = Notes(folder / "explorer.db", path)
        self.editor = edits_on(path, folder / "trash.db", lambda: NOW, self.notes)

    def plan(self, ids: Sequence[str], on: bool) -> EditPlan:
        found = keys(open_store(self.path))
        return self.editor.plan(Action.PIN if on else Action.UNPIN, [found[id_] for id_ in ids])

    def pin(self, ids: Sequence[str], on: bool = True) -> None:
        self.editor.apply(self.plan(ids, on))

    def undo(self) -> None:
        self.editor.undo(self.editor.undo_plan())

    def pinned(self) -> set[str]:
        """The ids of the rows that are pinned, by whoever."""
        store = open_store(self.path)
        found = pinned_rows(store, store.catalog(), self.notes.pins())
        return set(store.columns({ID}, sorted(found))[ID].values())

    def column(self) -> set[object]:
        return {id_ for (id_,) in rows(self.path, "SELECT id FROM sessions WHERE pinned = 1")}


Make = Callable[[str], Pins]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def made(name: str) -> Pins:
        pins = Pins(newer_file(name, tmp_path, "delete"), tmp_path / "ours")
        with altered(pins.path) as db:
            db.execute("UPDATE sessions SET pinned = 0, hidden = 0")
        return pins

    return made


@pytest.fixture
def old(tmp_path: Path) -> Pins:
    """A file of a release that knows no pins."""
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "one", "hello", end="cli_close")
        talk(state, "two", "hello", end="cli_close")
    return Pins(path, tmp_path / "ours")


@pytest.mark.parametrize("name", ["hermes-v26", "hermes-v31"])
def test_a_pin_goes_into_the_agents_own_column_and_undo_takes_it_out(name: str, make: Make) -> None:
    pins = make(name)
    before = dump(pins.path)
    ((id_,),) = rows(pins.path, "SELECT id FROM sessions ORDER BY rowid LIMIT 1")
    pins.pin([str(id_)])
    assert (pins.column(), pins.notes.pins()) == ({id_}, frozenset())
    assert pins.pinned() == {id_}
    pins.undo()
    assert dump(pins.path) == before


def test_a_running_session_can_be_pinned(make: Make) -> None:
    pins = make("hermes-v26")
    with altered(pins.path) as db:
        running = "UPDATE sessions SET ended_at = NULL, last_activity_at = ? WHERE rowid = 1"
        db.execute(running, (NOW,))
    ((id_,),) = rows(pins.path, "SELECT id FROM sessions WHERE rowid = 1")
    pins.pin([str(id_)])
    assert pins.column() == {id_}


def test_unpinning_clears_the_column_and_our_notes_and_undo_restores_both(make: Make) -> None:
    pins = make("hermes-v26")
    ids = [str(id_) for (id_,) in rows(pins.path, "SELECT id FROM sessions LIMIT 3")]
    pins.notes.pin(ids[1:], on=True)
    with altered(pins.path) as db:
        db.execute("UPDATE sessions SET pinned = 1 WHERE id IN (?, ?)", ids[:2])
    before = dump(pins.path)
    pins.pin(ids, on=False)
    assert (pins.column(), pins.notes.pins()) == (set(), frozenset())
    pins.undo()
    assert dump(pins.path) == before
    assert pins.notes.pins() == set(ids[1:])


@pytest.mark.parametrize(
    ("name", "title", "hidden"),
    [("hermes-v26", None, 1), ("hermes-v31", None, 0), ("hermes-v31", "Bot Chat", 1)],
)
def test_a_pin_brings_a_hidden_session_back_where_hermes_has_it_so(
    name: str, title: str | None, hidden: int, make: Make
) -> None:
    pins = make(name)
    with altered(pins.path) as db:
        db.execute("UPDATE sessions SET title = NULL WHERE title = 'Bot Chat'")
        db.execute("UPDATE sessions SET hidden = 1, title = ? WHERE rowid = 1", (title,))
    before = dump(pins.path)
    ((id_,),) = rows(pins.path, "SELECT id FROM sessions WHERE rowid = 1")
    pins.pin([str(id_)])
    assert rows(pins.path, "SELECT pinned, hidden FROM sessions WHERE rowid = 1") == [(1, hidden)]
    pins.undo()
    assert dump(pins.path) == before


def test_a_file_without_pins_has_them_in_our_notes_and_undo_works_there_too(old: Pins) -> None:
    before = dump(old.path)
    old.pin(["one"])
    assert old.notes.pins() == old.pinned() == {"one"}
    assert dump(old.path) == before
    old.undo()
    assert old.notes.pins() == frozenset()
    old.pin(["one", "two"])
    old.pin(["one"], on=False)
    assert old.notes.pins() == {"two"}


def test_where_the_file_may_not_be_edited_our_notes_keep_the_pin(make: Make) -> None:
    pins = make("hermes-v26")
    with altered(pins.path) as db:
        db.execute("CREATE TRIGGER odd AFTER UPDATE ON sessions BEGIN SELECT 1; END")
    ((id_,),) = rows(pins.path, "SELECT id FROM sessions WHERE rowid = 1")
    pins.pin([str(id_)])
    assert (pins.column(), set(pins.notes.pins())) == (set(), {id_})
    pins.undo()
    assert pins.notes.pins() == frozenset()


def test_what_is_pinned_already_is_nothing_to_do(make: Make) -> None:
    pins = make("hermes-v26")
    ((id_,),) = rows(pins.path, "SELECT id FROM sessions WHERE rowid = 1")
    pins.pin([str(id_)])
    assert pins.plan([str(id_)], on=True).skipped == {"pinned already": 1}


def test_the_command_pins_every_part_of_a_conversation(make: Make, command: Command) -> None:
    pins = make("hermes-v26")
    done = command("pin", CHAIN, "--yes", "--json", "--db", pins.path).json
    assert (len(done["done"]), pins.column()) == (4, set(done["done"]))
    assert command("unpin", CHAIN, "--yes", "--db", pins.path).code == 0
    assert pins.column() == set()
    assert command("undo", "--yes", "--db", pins.path).code == 0
    assert len(pins.column()) == 4


def test_prune_leaves_what_is_pinned_in_hermes(make: Make, command: Command) -> None:
    pins = make("hermes-v31")
    rules = ("--older-than", "1d", "--include-open")
    plan = ("prune", *rules, "--dry-run", "--json", "--db", pins.path)
    ids = {one["id"] for one in command(*plan).json["sessions"] if one["outcome"] == "delete"}
    ((id_,),) = rows(pins.path, "SELECT id FROM sessions WHERE rowid = 1")
    assert id_ in ids
    pins.pin([str(id_)])
    said = command(*plan).json
    assert id_ not in {one["id"] for one in said["sessions"]}
    assert said["skipped"]["pinned"] == 1


def test_json_says_who_is_pinned_by_whoever(old: Pins, make: Make, command: Command) -> None:
    command("pin", "one", "--yes", "--db", old.path)
    listed = command("list", "--json", "--db", old.path).json["sessions"]
    assert {one["id"]: one["pinned"] for one in listed} == {"one": True, "two": False}
    assert command("show", "one", "--json", "--db", old.path).json["session"]["pinned"]
    pins = make("hermes-v26")
    command("pin", CHAIN, "--yes", "--db", pins.path)
    parts = command("list", "--all", "--limit", "0", "--json", "--db", pins.path).json["sessions"]
    assert {one["id"] for one in parts if one["pinned"]} == pins.column()
