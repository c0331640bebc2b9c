"""Edits over several profiles: one plan, one change, one undo, each session in its own file."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path

import pytest

from explorer.cancel import CancelToken
from explorer.errors import Refused, StoreError
from explorer.model import Action
from explorer.stores.edits.editor import Editor
from explorer.stores.edits.plans import EditPlan, Progress
from explorer.stores.edits.undo_words import (
    crash_words,
    interrupted,
    state_words,
    undo_question,
    undone_words,
    what_undo_does,
)
from explorer.stores.edits.words import done_words, plan_lines, question
from explorer.stores.library.edits import LibraryEdits
from explorer.stores.ours.notes import Notes
from explorer.stores.ours.own_file import OwnFile
from explorer.stores.ours.trash import RETENTION, TrashFile
from explorer.stores.ours.trash_records import ReceiptState
from explorer.stores.resolve import pinned_rows
from tests.editors import edits_on
from tests.edits.crash import Died, die_after, dying_in
from tests.factories import NOW, altered, rows
from tests.locker import Locker
from tests.newer_files import newer_file
from tests.profile_homes import TwinProfiles, key_of

COUNT = "SELECT count(*) FROM messages WHERE session_id = 'bee'"
BOTH = ("default/bee", "work/bee")


@pytest.fixture
def home(tmp_path: Path) -> TwinProfiles:
    return TwinProfiles(tmp_path)


def _plan(home: TwinProfiles, action: Action, *names: str, title: str = "") -> EditPlan:
    store = home.store()
    keys = [key_of(store, name) for name in names]
    return home.edits(store).plan(action, keys, title=title)


def _titles(path: Path) -> set[object]:
    return {title for (title,) in rows(path, "SELECT title FROM sessions")}


EVERY = [
    *(Action.ARCHIVE, Action.PIN, Action.REOPEN, Action.CLEAR, Action.DELETE, Action.PRUNE),
    Action.RENAME,
]


@pytest.mark.parametrize("action", EVERY)
@pytest.mark.parametrize("place", ["default", "work"])
def test_an_edit_changes_the_profile_of_its_row_alone_and_so_does_its_undo(
    home: TwinProfiles, action: Action, place: str
) -> None:
    before = home.dumps()
    plan = _plan(home, action, f"{place}/bee", title="Another")
    assert {one.place for one in plan.by_store} == {place}
    done = home.edits().apply(plan)
    assert done.done_in == ((str(home.file(place)), "bee"),)
    noted = Notes(home.notes, home.file(place)).pins()
    assert home.changed(before) == {place} or noted == {"bee"}
    (other,) = set(home.names) - {place}
    assert home.changed(before) <= {place}
    assert Notes(home.notes, home.file(other)).pins() == frozenset()
    home.edits().undo(home.edits().undo_plan())
    assert home.changed(before) == set()
    assert Notes(home.notes, home.file(place)).pins() == frozenset()


@pytest.mark.parametrize("action", EVERY[:-1])
def test_an_edit_in_two_profiles_is_one_change_and_one_undo(
    home: TwinProfiles, action: Action
) -> None:
    before = home.dumps()
    plan = _plan(home, action, *BOTH, "work/ant")
    done = home.edits().apply(plan)
    assert sorted(done.done_in) == sorted(
        (str(home.file(place)), id_)
        for place, id_ in (("default", "bee"), ("work", "bee"), ("work", "ant"))
    )
    (receipt,) = home.edits().trash.receipts()
    assert (receipt.number, receipt.place) == (done.receipt, "default, work")
    assert home.changed(before) == set(home.names) or action is Action.PIN
    undo = home.edits().undo_plan()
    assert undo.sessions == undo.of == 3
    home.edits().undo(undo)
    assert home.changed(before) == set()
    assert [one.state for one in home.edits().trash.receipts()] == [ReceiptState.UNDONE]
    with pytest.raises(Refused):
        home.edits().undo_plan()


def test_a_plan_for_two_profiles_is_asked_once_and_told_by_profile(home: TwinProfiles) -> None:
    plan = _plan(home, Action.DELETE, *BOTH, "work/ant")
    assert question(plan) == "Delete 3 sessions in default and work?"
    lines = list(plan_lines(plan))
    assert lines[0].startswith("default: “The bee” · cli · last active ")
    assert any(line.startswith("work: 2 sessions: “The ") for line in lines)
    assert sum("Kept in the trash" in line for line in lines) == 1
    assert question(_plan(home, Action.DELETE, "work/bee")) == "Delete “The bee” in work?"


def test_what_is_said_of_sessions_is_said_of_those_of_each_profile(home: TwinProfiles) -> None:
    for path in home.files:
        with altered(path) as db:
            db.execute("UPDATE sessions SET ended_at = NULL, end_reason = NULL")
    plan = _plan(home, Action.DELETE, *BOTH)
    assert "default: It never ended." in plan.notes
    assert "work: It never ended." in plan.notes
    assert "It never ended." not in plan.notes
    more = _plan(home, Action.DELETE, *BOTH, "default/ant", "work/ant")
    assert "work: Includes 2 sessions that never ended." in more.notes
    for notes in (plan.notes, more.notes):
        assert [note for note in notes if "reuses the space" in note] == [
            "default: Hermes reuses the space; `hermes sessions optimize` frees it.",
            "work: Hermes reuses the space; `hermes -p work sessions optimize` frees it.",
        ], "each has a command of its own"


def test_a_title_is_taken_only_in_its_own_profile(home: TwinProfiles) -> None:
    with altered(home.file("default")) as db:
        db.execute("UPDATE sessions SET title = 'Free here' WHERE id = 'cat'")
    plan = _plan(home, Action.RENAME, "work/bee", title="Free here")
    home.edits().apply(plan)
    assert "Free here" in _titles(home.file("work"))
    taken = _plan(home, Action.RENAME, "work/ant", title="The cat").title
    assert taken is not None
    assert taken.owner is not None
    assert taken.owner.key == key_of(home.store(), "work/cat")


def test_pins_of_the_same_id_are_apart(home: TwinProfiles) -> None:
    def pinned() -> set[str]:
        store = home.store()
        found = pinned_rows(store, store.catalog(), home.edits(store).noted_pins())
        return {store.place(key) for key in found}

    home.edits().apply(_plan(home, Action.PIN, "work/bee"))
    assert pinned() == {"work"}
    home.edits().apply(_plan(home, Action.PIN, "default/bee"))
    assert pinned() == {"default", "work"}
    home.edits().apply(_plan(home, Action.UNPIN, "work/bee"))
    assert pinned() == {"default"}


def test_a_pin_goes_into_the_column_of_the_agent_that_has_one(home: TwinProfiles) -> None:
    folder = home.root / "profiles" / "new"
    folder.mkdir()
    newer_file("hermes-v31", folder, "delete").rename(folder / "state.db")
    store = home.store()
    (id_,) = rows(folder / "state.db", "SELECT id FROM sessions WHERE pinned = 0 LIMIT 1")[0]
    keys = [key_of(store, "work/bee"), key_of(store, f"new/{id_}")]
    done = home.edits(store).apply(home.edits(store).plan(Action.PIN, keys))
    assert len(done.ids) == 2
    sql = "SELECT pinned FROM sessions WHERE id = ?"
    assert rows(folder / "state.db", sql, (id_,)) == [(1,)]
    assert Notes(home.notes, folder / "state.db").pins() == frozenset()


# What one profile refuses


def _forbid(path: Path) -> None:
    """A second name for the file: no edit of it is safe then."""
    os.link(path, path.with_name("second-name.db"))


def test_what_one_profile_refuses_does_not_stop_the_other(home: TwinProfiles) -> None:
    _forbid(home.file("work"))
    before = home.dumps()
    plan = _plan(home, Action.DELETE, *BOTH)
    assert question(plan) == "Delete “The bee” in default?"
    assert any(line.startswith("work: Not deleted: 1 session") for line in plan_lines(plan))
    done = home.edits().apply(plan)
    assert done.ids == ("bee",)
    assert sum(done.skipped.values()) == 1
    assert home.changed(before) == {"default"}
    home.edits().undo(home.edits().undo_plan())
    assert home.changed(before) == set()


def test_what_every_profile_refuses_is_refused(home: TwinProfiles) -> None:
    for path in home.files:
        _forbid(path)
    with pytest.raises(Refused) as refused:
        _plan(home, Action.DELETE, *BOTH)
    assert "default: " in refused.value.message
    assert "work: " in refused.value.message


def test_a_profile_that_cannot_be_changed_now_is_undone_later(home: TwinProfiles) -> None:
    before = home.dumps()
    home.edits().apply(_plan(home, Action.DELETE, *BOTH))
    second = home.file("work").with_name("second-name.db")
    _forbid(home.file("work"))
    plan = home.edits().undo_plan()
    assert plan.notes[-1].startswith("Not restored: 1 session in work (")
    assert undo_question(plan) == "Restore “The bee” in default?"
    done = home.edits().undo(plan)
    assert (done.words, done.refused) == ("", ("work",))
    assert done.notes[-1].startswith("Not restored: 1 session in work (")
    assert home.changed(before) == {"work"}
    (receipt,) = home.edits().trash.receipts()
    assert state_words(receipt) == "1 of 2 restored"
    second.unlink()
    home.edits().undo(home.edits().undo_plan())
    assert home.changed(before) == set()


def test_a_profile_that_fails_in_the_middle_leaves_the_other_done(home: TwinProfiles) -> None:
    before = home.dumps()
    plan = _plan(home, Action.DELETE, *BOTH)
    _forbid(home.file("default"))
    done = home.edits().apply(plan)
    assert done.done_in == ((str(home.file("work")), "bee"),)
    assert any(reason.startswith("default: ") for reason in done.skipped)
    assert home.changed(before) == {"work"}
    (receipt,) = home.edits().trash.receipts()
    assert receipt.words == "Deleted 1 of 2 sessions"
    home.edits().undo(home.edits().undo_plan(done.receipt))
    assert home.changed(before) == set()


def test_a_profile_that_another_program_keeps_locked_does_not_stop_the_other(
    home: TwinProfiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("explorer.stores.edits.connection.PATIENCE", 0.1)
    before, store = home.dumps(), home.store()
    keys = [key_of(store, name) for name in BOTH]
    with Locker(home.file("work")):
        plan = home.edits(store).plan(Action.ARCHIVE, keys)
        assert "1 session in work stays: the file is locked" in plan_lines(plan)
        done = home.edits(store).apply(plan)
    assert done.done_in == ((str(home.file("default")), "bee"),)
    assert home.changed(before) == {"default"}
    home.edits(store).undo(home.edits(store).undo_plan())
    assert home.changed(before) == set()


def test_a_profile_that_is_locked_after_the_yes_keeps_its_part_and_says_so(
    home: TwinProfiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("explorer.stores.edits.connection.PATIENCE", 0.1)
    before = home.dumps()
    plan = _plan(home, Action.ARCHIVE, *BOTH)
    edits = home.edits()
    with Locker(home.file("work")):
        done = edits.apply(plan)
    assert done.skipped == {"work: the file is locked": 1}
    assert done.left == (("work: the file is locked", "“The bee”"),)
    said = done_words(done, "")
    assert said.endswith("Not archived: “The bee” (work: the file is locked)")
    assert "Nothing was changed" not in said
    assert home.changed(before) == {"default"}


def test_nothing_is_kept_of_a_change_that_no_profile_made(home: TwinProfiles) -> None:
    plan = _plan(home, Action.ARCHIVE, *BOTH)
    for path in home.files:
        _forbid(path)
    with pytest.raises(Refused):
        home.edits().apply(plan)
    assert home.edits().trash.receipts() == []


def test_a_stop_between_two_profiles_leaves_the_rest_undone(home: TwinProfiles) -> None:
    before = home.dumps()
    token = CancelToken()
    plan = _plan(home, Action.DELETE, *BOTH)
    done = home.edits().apply(plan, token, lambda told: token.cancel())
    assert done.stopped
    assert home.changed(before) == {"default"}
    home.edits().undo(home.edits().undo_plan())
    assert home.changed(before) == set()


# Kills


def test_a_change_that_was_killed_after_the_last_profile_is_said_to_be_whole(
    home: TwinProfiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = _plan(home, Action.ARCHIVE, *BOTH)

    def die(self: LibraryEdits, *rest: object) -> None:
        raise Died

    with monkeypatch.context() as patch:
        patch.setattr(LibraryEdits, "_close", die)
        with pytest.raises(Died):
            home.edits().apply(plan)
    (line,) = crash_words(home.edits().after_crash())
    assert line == (
        "A change was interrupted in default and work: Archived 2 sessions. It can be undone."
    )


@pytest.mark.parametrize("names", [BOTH, ("default/bee", "work/bee", "play/bee")])
def test_an_undo_that_was_killed_inside_a_profile_is_said_to_be_an_undo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, names: Sequence[str]
) -> None:
    home = TwinProfiles(tmp_path, names=("default", "play", "work"))
    before = home.dumps()
    home.edits().apply(_plan(home, Action.DELETE, *names))
    with monkeypatch.context() as patch:
        die_after(patch, 2 * len(names) - 1, 'INSERT INTO "messages"')
        patch.setattr("explorer.stores.edits.restore.slices", lambda rows: [[row] for row in rows])
        with pytest.raises(Died):
            home.edits().undo(home.edits().undo_plan())
    (receipt,) = home.edits().after_crash().half_done
    assert interrupted(receipt) == (
        f"An undo was interrupted in work: Deleted {len(names)} sessions"
    )
    assert what_undo_does(receipt) == "restores the rest"
    home.edits().undo(home.edits().undo_plan())
    assert home.changed(before) == set()


def test_a_kill_between_two_profiles_leaves_each_of_them_right(home: TwinProfiles) -> None:
    before = home.dumps()
    plan = _plan(home, Action.DELETE, *BOTH, "work/ant")
    with dying_in(home.file("work"), "apply"):
        home.edits().apply(plan)
    assert home.changed(before) == {"default"}
    found = home.edits().after_crash()
    assert list(crash_words(found)) == [
        "A change was interrupted in default: Deleted 1 of 3 sessions. It can be undone."
    ]
    assert home.edits().after_crash() == type(found)()
    home.edits().undo(home.edits().undo_plan())
    assert home.changed(before) == set()


def test_a_kill_before_the_first_profile_changes_nothing(
    home: TwinProfiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = home.dumps()
    plan = _plan(home, Action.ARCHIVE, *BOTH)

    def die(self: Editor, *rest: object, **more: object) -> object:
        raise Died

    with monkeypatch.context() as patch:
        patch.setattr(Editor, "apply", die)
        with pytest.raises(Died):
            home.edits().apply(plan)
    assert home.changed(before) == set()
    assert home.edits().after_crash().nothing == 1
    assert home.edits().trash.receipts() == []


@pytest.mark.parametrize("way", ["finish", "restore"])
def test_a_kill_inside_the_second_profile_is_finished_or_taken_back(
    home: TwinProfiles, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    before = home.dumps()
    plan = _plan(home, Action.DELETE, *BOTH, "work/cat")
    with monkeypatch.context() as patch:
        # In each profile a rehearsal and two messages, one by one.
        die_after(patch, 5, 'DELETE FROM "messages"')
        patch.setattr("explorer.stores.edits.delete.slices", lambda rows: [[row] for row in rows])
        with pytest.raises(Died):
            home.edits().apply(plan)
    assert rows(home.file("work"), COUNT) == [(1,)]
    (receipt,) = home.edits().after_crash().half_done
    assert interrupted(receipt) == (
        "A change was interrupted in default and work: Deleted 2 of 3 sessions"
    )
    getattr(home.edits(), way)(receipt)
    assert list(home.edits().after_crash().half_done) == []
    (receipt,) = home.edits().trash.receipts()
    assert receipt.words == "Deleted 2 of 3 sessions"
    if way == "finish":
        home.edits().undo(home.edits().undo_plan())
    assert home.changed(before) == set()


def test_a_kill_in_the_middle_of_an_undo_is_said_and_the_rest_can_be_undone(
    home: TwinProfiles,
) -> None:
    before = home.dumps()
    home.edits().apply(_plan(home, Action.ARCHIVE, *BOTH))
    with dying_in(home.file("work"), "undo"):
        home.edits().undo(home.edits().undo_plan())
    assert home.changed(before) == {"work"}
    (line,) = crash_words(home.edits().after_crash())
    assert line.endswith("The rest can be undone.")
    assert [state_words(one) for one in home.edits().trash.receipts()] == [
        "undone in default, not in work"
    ]
    home.edits().undo(home.edits().undo_plan())
    assert home.changed(before) == set()


def _die_at_write(patch: pytest.MonkeyPatch, number: int, after: bool) -> None:
    """Die when the trash is written for the nth time: before that, or right after it."""
    plain, left = OwnFile.writing, [number]

    @contextmanager
    def writing(self: OwnFile, *rest: object) -> Iterator[sqlite3.Connection]:
        left[0] -= 1
        if left[0] == 0 and not after:
            raise Died
        with plain(self, *rest) as connection:  # type: ignore[arg-type]
            yield connection
        if left[0] == 0:
            raise Died

    patch.setattr(OwnFile, "writing", writing)


def _put_right(home: TwinProfiles, way: str) -> None:
    """What the next start does, and then the user."""
    for receipt in home.edits().after_crash().half_done:
        getattr(home.edits(), way)(receipt)
    assert list(home.edits().after_crash().half_done) == []
    while any(one.state is not ReceiptState.UNDONE for one in home.edits().trash.receipts()):
        home.edits().undo(home.edits().undo_plan())


@pytest.mark.parametrize("kills", ["before a write", "after a write", "in a file"])
@pytest.mark.parametrize("action", [Action.DELETE, Action.ARCHIVE])
@pytest.mark.parametrize("undoes", [False, True], ids=["edit", "undo"])
def test_wherever_it_is_killed_every_profile_can_be_put_right(
    home: TwinProfiles,
    monkeypatch: pytest.MonkeyPatch,
    kills: str,
    action: Action,
    undoes: bool,
) -> None:
    before = home.dumps()
    for number in count(1):
        plan = _plan(home, action, *BOTH)
        if undoes:
            home.edits().apply(plan)
            undo = home.edits().undo_plan()
        with monkeypatch.context() as patch:
            if kills == "in a file":
                die_after(patch, number - 1, "")
            else:
                _die_at_write(patch, number, after=kills == "after a write")
            try:
                home.edits().undo(undo) if undoes else home.edits().apply(plan)
            except Died:
                died = True
            else:
                died = False
        _put_right(home, ("finish", "restore")[number % 2])
        assert home.changed(before) == set(), number
        if not died:
            break
    assert number > 2, "it was killed in each profile"


# A profile that is opened by itself


def test_one_profile_by_itself_undoes_its_own_part(home: TwinProfiles) -> None:
    before = home.dumps()
    done = home.edits().apply(_plan(home, Action.DELETE, *BOTH))
    alone = edits_on(home.file("work"), home.trash)
    alone.undo(alone.undo_plan())
    assert home.changed(before) == {"default"}
    undo = home.edits().undo_plan(done.receipt)
    assert undo.sessions == 1
    home.edits().undo(undo)
    assert home.changed(before) == set()
    assert [one.state for one in home.edits().trash.receipts()] == [ReceiptState.UNDONE]


def test_a_purge_of_a_change_deletes_it_of_every_profile(home: TwinProfiles) -> None:
    done = home.edits().apply(_plan(home, Action.DELETE, *BOTH))
    assert done.receipt is not None
    home.edits().trash.purge([done.receipt])
    assert home.edits().trash.receipts() == []
    assert home.edits().trash.size() == 0
    for table in ("receipts", "entries", "packs", "parts"):
        assert rows(home.trash, f"SELECT count(*) FROM {table}") == [(0,)]


def test_purged_by_each_profile_nothing_is_left_of_a_change(home: TwinProfiles) -> None:
    home.edits().apply(_plan(home, Action.DELETE, *BOTH))
    for path in home.files:
        trash = TrashFile(home.trash, path)
        trash.purge([one.number for one in trash.receipts()])
    assert rows(home.trash, "SELECT count(*) FROM receipts") == [(0,)]


# A trash of an older version

OLD = """
CREATE TABLE receipts (
    number INTEGER PRIMARY KEY AUTOINCREMENT, store BLOB NOT NULL, action TEXT NOT NULL,
    made REAL NOT NULL, state TEXT NOT NULL, words TEXT NOT NULL
);
CREATE TABLE entries (
    number INTEGER PRIMARY KEY AUTOINCREMENT, receipt INTEGER NOT NULL, shape TEXT NOT NULL,
    session BLOB NOT NULL, title BLOB, source BLOB, kind TEXT NOT NULL, messages INTEGER NOT NULL,
    bytes INTEGER NOT NULL, active REAL, state TEXT NOT NULL
);
CREATE INDEX entries_of_receipt ON entries (receipt);
CREATE TABLE packs (
    number INTEGER PRIMARY KEY, entry INTEGER NOT NULL, name TEXT NOT NULL,
    columns TEXT NOT NULL, content BLOB NOT NULL
);
CREATE INDEX packs_of_entry ON packs (entry);
CREATE TABLE changes (
    number INTEGER PRIMARY KEY, receipt INTEGER NOT NULL, entry INTEGER NOT NULL,
    name TEXT NOT NULL, id TEXT NOT NULL, cells TEXT NOT NULL, content BLOB NOT NULL
);
CREATE INDEX changes_of_receipt ON changes (receipt);
CREATE TABLE files (
    number INTEGER PRIMARY KEY, entry INTEGER NOT NULL, name TEXT NOT NULL,
    mode INTEGER NOT NULL, time REAL NOT NULL, content BLOB NOT NULL
);
CREATE INDEX files_of_entry ON files (entry);
"""
"""The tables before changes could be of several state files."""


@pytest.fixture
def old(home: TwinProfiles) -> TwinProfiles:
    """A home whose trash an older version made, with a deleted session of each profile in it."""
    made = home.trash.with_name("made.db")
    for path in home.files:
        edits = edits_on(path, made)
        edits.apply(edits.plan(Action.DELETE, [1]))
    with closing(sqlite3.connect(home.trash)) as db:
        db.executescript(OLD)
        db.execute("ATTACH ? AS made", (str(made),))
        for table in ("receipts", "entries", "packs", "changes", "files"):
            db.execute(f"INSERT INTO {table} SELECT * FROM made.{table}")
        db.commit()
    made.unlink()
    assert _version(home.trash) == 0
    return home


def _version(path: Path) -> object:
    return rows(path, "PRAGMA user_version")[0][0]


def _tables(path: Path) -> Sequence[object]:
    return [name for (name,) in rows(path, "SELECT name FROM sqlite_master WHERE type = 'table'")]


def test_a_trash_of_an_older_version_is_listed_and_undone(old: TwinProfiles) -> None:
    assert [one.place for one in old.edits().trash.receipts()] == ["work", "default"]
    assert _version(old.trash) == 0, "reading changes nothing"
    for _ in old.names:
        old.edits().undo(old.edits().undo_plan())
    for path in old.files:
        assert rows(path, "SELECT count(*) FROM sessions") == [(4,)]
    assert (_version(old.trash), "parts" in _tables(old.trash)) == (1, True)


def test_a_trash_of_an_older_version_takes_changes_in_several_profiles(old: TwinProfiles) -> None:
    before = old.dumps()
    done = old.edits().apply(_plan(old, Action.DELETE, *BOTH))
    assert [one.number for one in old.edits().trash.receipts()] == [done.receipt, 2, 1]
    old.edits().undo(old.edits().undo_plan())
    assert old.changed(before) == set()


_KILLED = """
import os, signal, sys
from pathlib import Path
from explorer.stores.ours import trash
trash._PRAGMAS = (*trash._PRAGMAS, "cache_spill = 1", "cache_size = 1")
with trash.TrashFile(Path(sys.argv[1]), Path(sys.argv[2])).writing() as writer:
    for number in range(2000):
        writer.begin("delete", "x" * 500, 1.0)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_an_upgrade_of_the_trash_that_is_killed_half_way_did_not_happen(old: TwinProfiles) -> None:
    before = [one[:6] for one in old.edits().trash.receipts()]
    killed = subprocess.run(
        [sys.executable, "-c", _KILLED, old.trash, old.file("default")], check=False
    )
    assert killed.returncode == -signal.SIGKILL
    assert old.trash.with_name("trash.db-journal").exists()
    assert [one[:6] for one in old.edits().trash.receipts()] == before
    assert (_version(old.trash), "parts" in _tables(old.trash)) == (0, False)
    test_a_trash_of_an_older_version_takes_changes_in_several_profiles(old)


def test_a_trash_of_a_newer_version_is_not_written(home: TwinProfiles) -> None:
    plan = _plan(home, Action.DELETE, *BOTH)
    home.edits().apply(plan)
    with altered(home.trash) as db:
        db.execute("PRAGMA user_version = 2")
    before, held = home.dumps(), home.trash.read_bytes()
    with pytest.raises(Refused, match="newer version"):
        home.edits().undo_plan()
    with pytest.raises(Refused, match="newer version"):
        home.edits().apply(_plan(home, Action.ARCHIVE, "work/ant"))
    assert home.changed(before) == set()
    assert home.trash.read_bytes() == held


@pytest.mark.parametrize("opened", ["before", "after"])
def test_an_undo_says_once_which_part_of_the_change_has_lost_its_file(
    home: TwinProfiles, opened: str
) -> None:
    before = home.dumps()
    home.edits().apply(_plan(home, Action.DELETE, *BOTH))
    edits = home.edits()
    edits.undo_plan()
    away = home.file("work").parent.rename(home.root / "away")
    if opened == "after":
        edits = home.edits()
    plan = edits.undo_plan()
    (said,) = plan.notes
    assert said.startswith("Not restored: 1 session")
    assert "work" in said
    assert "gone" in said
    assert edits.undo(plan).notes == (said,)
    away.rename(home.file("work").parent)
    assert home.changed(before) == {"work"}
    home.edits().undo(home.edits().undo_plan())
    assert home.changed(before) == set()


def test_an_undo_does_not_take_a_lost_file_for_a_new_profile(home: TwinProfiles) -> None:
    home.edits().apply(_plan(home, Action.DELETE, "work/bee"))
    home.edits().apply(_plan(home, Action.DELETE, "work/cat"))
    home.file("work").unlink()
    with pytest.raises(StoreError) as lost:
        home.edits().undo_plan(1)
    assert "makes one" not in lost.value.message
    assert "is gone" in lost.value.message


def test_an_undo_in_two_steps_counts_the_sessions_of_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("explorer.stores.edits.connection.PATIENCE", 0.1)
    home = TwinProfiles(tmp_path, names=("default", "play", "work"))
    names = [f"{place}/{id_}" for place in home.names for id_ in ("ant", "bee")]
    home.edits().apply(_plan(home, Action.ARCHIVE, *names))
    plan = home.edits().undo_plan()
    told: list[Progress] = []
    with Locker(home.file("play")):
        done = home.edits().undo(plan, progress=told.append)
    assert all(one.waiting for one in told), "no share of nothing"
    assert undone_words(plan, done) == "Undone: archived 4 of 6 sessions in default and work"
    (receipt,) = home.edits().trash.receipts()
    assert state_words(receipt) == "undone in default and work, not in play"
    rest = home.edits().undo_plan()
    assert undo_question(rest) == "Undo archiving 2 of 6 sessions in play?"
    done = home.edits().undo(rest)
    assert undone_words(rest, done) == "Undone: archived 2 of 6 sessions in play"


def test_the_trash_of_a_removed_profile_expires_like_any_other(home: TwinProfiles) -> None:
    work = home.file("work")
    home.edits().apply(_plan(home, Action.DELETE, *BOTH))
    shutil.rmtree(work.parent)
    for id_, seconds in (("ant", -1), ("cat", 1)):
        edits = home.edits(now=NOW + RETENTION + seconds)
        edits.apply(edits.plan(Action.DELETE, [key_of(home.store(), id_)]))
        left = TrashFile(home.trash, work).receipts()
        assert bool(left) == (seconds < 0)
