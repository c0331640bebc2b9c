"""Changes to sessions on a server: what goes, what stays, and that an undo is exact."""

import time
from pathlib import Path

import psycopg
import pytest

from explorer.errors import Refused
from explorer.model import Action
from explorer.stores.edits.reasons import INTERRUPTED, RUNNING
from explorer.stores.ours.notes import Notes, OurFiles
from explorer.stores.postgres import writing
from explorer.stores.postgres.address import parse
from explorer.stores.power_loop.server_edits.tables import LOCAL_TRASH, server_reasons
from explorer.stores.server_path import ServerPath
from explorer.stores.servers import open_server
from tests.agents import run_agent
from tests.postgres.edit_ground import LATER, PUBLIC, Ground, delete, keys, undo
from tests.postgres.filling import POWER_LOOP

GOES_ON = """
import asyncio, sys
from power_loop.runtime.store.factory import open_store

async def main(address, session, closed):
    store = await open_store(address, table_prefix="pl_")
    print((await store.get_session(session)).metadata.get("title"))
    print(await store.append_message(session, role="user", content="and now?"))
    print(len(await store.load_all_messages(session)))
    print(await store.close_session(closed))
    await store.close()

asyncio.run(main(*sys.argv[1:]))
"""
FAMILY = {"first_root", "first_linked", "first_ephemeral"}


def test_a_delete_takes_the_family_and_all_tables_and_comes_back_exactly(ground: Ground) -> None:
    before, editor = ground.dump(), ground.editor()
    assert len(ground.left_of("first_root")) == 14
    plan = editor.plan(Action.DELETE, keys("first_root"))
    assert {one.id for one in plan.doomed} == FAMILY
    assert [one.id for one in plan.detached] == ["first_detached"]
    assert LOCAL_TRASH in plan.notes
    assert plan.totals.messages == 21
    assert ground.dump() == before, "a plan changes nothing"

    done = editor.apply(plan)
    assert set(done.ids) == FAMILY
    assert not done.skipped
    for id_ in FAMILY:
        assert ground.left_of(id_) == {}
    rows = ground.run("SELECT session_id, parent_session_id FROM pl_sessions")
    assert ("first_detached", None) in rows
    assert {id_ for id_, _ in rows} >= {"second_root", "first_pending"}
    (receipt,) = editor.trash.receipts()
    assert (receipt.sessions, receipt.messages) == (3, 21)

    back = undo(editor)
    assert set(back.ids) == FAMILY
    assert ground.dump() == before


def test_the_real_package_goes_on_after_a_delete_and_its_undo(
    ground: Ground, tmp_path: Path
) -> None:
    editor = ground.editor()
    delete(editor, "first_root")
    address = ground.server.address(ground.database)
    told = run_agent(GOES_ON, *POWER_LOOP, tmp_path, address, "second_root", "second_root")
    assert told.splitlines()[0] == "Plan of second"
    undo(editor)
    told = run_agent(GOES_ON, *POWER_LOOP, tmp_path, address, "first_root", "first_root")
    title, seq, _, closed = told.splitlines()
    assert (title, seq) == ("Plan of first", "20")
    assert closed == "3"
    assert ground.left_of("first_root") == {}


def test_an_archive_and_a_title_are_changed_and_come_back(ground: Ground, tmp_path: Path) -> None:
    editor = ground.editor()
    editor.apply(editor.plan(Action.ARCHIVE, keys("first_root")))
    assert ground.run("SELECT status FROM pl_sessions WHERE session_id = 'first_root'") == [
        ("archived",)
    ]
    plan = editor.plan(Action.RENAME, keys("first_root"), title=" A  better name ")
    editor.apply(plan)
    told = run_agent(
        GOES_ON,
        *(*POWER_LOOP, tmp_path, ground.server.address(ground.database)),
        *("first_root", "second_pending"),
    )
    assert told.splitlines()[0] == "A better name"
    ground.run(
        "DELETE FROM pl_messages WHERE session_id = 'first_root' AND content = 'and now?'",
        "UPDATE pl_session_state SET next_seq = next_seq - 1 WHERE session_id = 'first_root'",
    )
    undo(editor)
    assert [one.state for one in editor.trash.receipts()] == ["undone", "done"]
    written = "SELECT status, updated_at FROM pl_sessions WHERE session_id = 'first_root'"
    ((_, since),) = ground.run(written)
    undo(editor)
    assert ground.run(written) == [("active", since)], "what the package wrote since is kept"


def test_every_change_of_cells_is_undone_exactly(ground: Ground) -> None:
    before, editor = ground.dump(), ground.editor()
    editor.apply(editor.plan(Action.ARCHIVE, keys("first_root", "second_root")))
    editor.apply(editor.plan(Action.RENAME, keys("first_linked"), title="Helper"))
    assert ground.dump() != before
    undo(editor)
    undo(editor)
    assert ground.dump() == before


def test_a_session_that_was_just_archived_is_not_running(ground: Ground) -> None:
    editor = ground.editor()
    editor.apply(editor.plan(Action.ARCHIVE, keys("first_root")))
    assert editor.plan(Action.UNARCHIVE, keys("first_root")).doomed
    assert editor.plan(Action.DELETE, keys("first_root")).doomed


def test_only_a_message_of_just_now_makes_a_session_running(ground: Ground) -> None:
    now = int((time.time() + LATER) * 1000)
    ground.run(f"UPDATE pl_sessions SET updated_at = {now} WHERE session_id = 'first_root'")
    assert ground.editor().plan(Action.DELETE, keys("first_root")).doomed
    ground.run(f"UPDATE pl_messages SET created_at = {now} WHERE session_id = 'first_root'")
    plan = ground.editor().plan(Action.DELETE, keys("first_root"))
    assert dict(plan.skipped) == {RUNNING: 1}


def test_a_pin_is_kept_in_our_notes(ground: Ground) -> None:
    before, editor = ground.dump(), ground.editor()
    editor.apply(editor.plan(Action.PIN, keys("first_root")))
    assert editor.noted_pins() == {"first_root"}
    undo(editor)
    assert editor.noted_pins() == set()
    assert ground.dump() == before


def test_what_a_program_may_be_writing_is_left_alone(ground: Ground) -> None:
    ground.write_now("first_root")
    before, editor = ground.dump(), ground.editor()
    plan = editor.plan(Action.DELETE, keys("first_pending", "first_leased"))
    assert dict(plan.skipped) == {INTERRUPTED: 1, RUNNING: 1}
    just_now = ground.editor(later=0.0).plan(Action.DELETE, keys("first_root"))
    assert dict(just_now.skipped) == {RUNNING: 1}
    assert ground.dump() == before
    delete(editor, "first_pending", "first_leased", force=True)
    assert not {"first_pending", "first_leased"} & ground.ids()
    undo(editor)
    assert ground.dump() == before


@pytest.mark.parametrize(
    ("since", "why"),
    [
        (
            "UPDATE pl_session_leases SET expires_at = 9999999999999"
            " WHERE session_id = 'first_root'",
            "started writing",
        ),
        (
            "UPDATE pl_session_state SET pending_json = '{}' WHERE session_id = 'first_root'",
            "waits for the results",
        ),
        ("DELETE FROM pl_messages WHERE session_id = 'first_linked'", "written to it"),
        (
            "UPDATE pl_sessions SET parent_session_id = 'first_root'"
            " WHERE session_id = 'second_root'",
            "depends on it",
        ),
        ("DELETE FROM pl_sessions WHERE session_id = 'first_linked'", "no longer"),
    ],
)
def test_what_has_changed_since_the_plan_is_not_deleted(
    ground: Ground, since: str, why: str
) -> None:
    editor = ground.editor()
    plan = editor.plan(Action.DELETE, keys("first_root"))
    ground.run(since)
    before = ground.dump()
    done = editor.apply(plan)
    assert done.ids == ()
    assert done.receipt is None
    assert why in next(iter(done.skipped))
    assert ground.dump() == before
    assert editor.trash.receipts() == []


def test_a_program_that_holds_the_lock_is_waited_for_and_then_respected(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = writing.LIMITS._replace(lock=0.3)
    monkeypatch.setattr(writing.ServerWriter.__init__, "__defaults__", (quick,))
    before, editor = ground.dump(), ground.editor()
    plan = editor.plan(Action.DELETE, keys("first_root", "second_root"))
    with psycopg.connect(ground.server.address(ground.database)) as other:
        other.execute("SELECT * FROM pl_session_state WHERE session_id = 'first_root' FOR UPDATE")
        done = editor.apply(plan)
    assert "second_root" in done.ids
    assert "first_root" not in done.ids
    assert dict(done.skipped) == {"Another program is writing to it": 3}
    undo(editor)
    assert ground.dump() == before


def test_a_role_that_may_only_read_is_refused_and_told_so(ground: Ground) -> None:
    before, editor = ground.dump(), ground.editor("reader")
    ground.run("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader")
    for action in (Action.DELETE, Action.ARCHIVE, Action.RENAME, Action.PRUNE):
        with pytest.raises(Refused, match="no permission for"):
            editor.plan(action, keys("first_root"), title="x")
    reasons = editor._database.read(lambda reader: server_reasons(reader, [PUBLIC]))
    assert "no permission" in str(reasons["delete"])
    assert reasons["pin"] is None
    assert ground.dump() == before
    every = ground.editor()._database.read(lambda reader: server_reasons(reader, [PUBLIC]))
    assert every["delete"] is None
    assert every["clear"]


@pytest.mark.parametrize(
    ("made", "why"),
    [
        (
            "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN OLD; END';"
            "CREATE TRIGGER watch BEFORE DELETE ON pl_messages FOR EACH ROW EXECUTE FUNCTION f()",
            r"pl_messages has a trigger .*watch",
        ),
        ("CREATE RULE r AS ON DELETE TO pl_notes DO ALSO NOTHING", "pl_notes has a rule"),
        ("ALTER TABLE pl_timers ADD COLUMN extra jsonb", "extra, jsonb"),
        (
            "CREATE TABLE more (of text REFERENCES pl_sessions ON DELETE CASCADE)",
            "foreign key",
        ),
        (
            "ALTER TABLE pl_notes ADD COLUMN twice bigint GENERATED ALWAYS AS (pinned * 2) STORED",
            "twice",
        ),
    ],
)
def test_tables_that_could_not_be_restored_are_refused(ground: Ground, made: str, why: str) -> None:
    editor = ground.editor()
    plan = editor.plan(Action.DELETE, keys("first_root"))
    ground.run(made)
    before = ground.dump()
    with pytest.raises(Refused, match=why):
        editor.plan(Action.DELETE, keys("first_root"))
    done = editor.apply(plan)
    assert done.ids == ()
    assert why.split(" ")[-1].strip(".*") in str(done.skipped)
    assert ground.dump() == before


def test_a_session_that_was_started_again_keeps_its_id(ground: Ground) -> None:
    editor = ground.editor()
    delete(editor, "first_root")
    ground.run(
        "CREATE TEMP TABLE one AS SELECT * FROM pl_sessions WHERE session_id = 'second_root';"
        "UPDATE one SET session_id = 'first_root'; INSERT INTO pl_sessions SELECT * FROM one"
    )
    plan = editor.undo_plan()
    assert {one.session for one in plan.entries} == FAMILY - {"first_root"}
    assert any("started again" in note and "not restored" in note for note in plan.notes)
    editor.undo(plan)
    assert ground.ids() >= FAMILY
    (receipt,) = editor.trash.receipts()
    assert (receipt.state, receipt.back) == ("done", 2)


def test_many_families_are_deleted_and_restored(ground: Ground) -> None:
    before, editor = ground.dump(), ground.editor()
    told: list[int] = []
    plan = editor.plan(Action.DELETE, keys("first_root", "second_root", "first_detached"))
    done = editor.apply(plan, progress=lambda one: told.append(one.sessions))
    assert len(done.ids) == 7
    assert told[-1] == 7
    undo(editor)
    assert ground.dump() == before


def test_a_store_on_a_server_is_edited_like_a_file(ground: Ground) -> None:
    before = ground.dump()
    store = open_server(ServerPath.of(parse(ground.server.address(ground.database))))
    notes = Notes(ground.folder / "explorer.db", store.path)
    editor = store.edits(OurFiles(ground.folder / "trash.db", lambda: time.time() + LATER, notes))
    keys_of = store.keys_of(["first_root"])
    plan = editor.plan(Action.DELETE, list(keys_of.values()))
    assert {one.id for one in plan.doomed} == FAMILY
    editor.apply(plan)
    assert store.keys_of(["first_root"]) == {}
    editor.undo(editor.undo_plan())
    assert ground.dump() == before
    assert store.info().edits["delete"] is None
    assert b"127.0.0.1" in (ground.folder / "trash.db").read_bytes()
    assert b"postgres@" not in (ground.folder / "trash.db").read_bytes()
