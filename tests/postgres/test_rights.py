"""Roles that may not read every table: what they see, and that nothing is hidden without a word."""

import json

import pytest

from explorer.errors import ExitCode
from explorer.stores.postgres.address import parse
from explorer.stores.server_path import ServerPath
from explorer.stores.servers import open_server
from tests.conftest import Command
from tests.postgres.edit_ground import Ground
from tests.postgres.filling import LOOPS
from tests.postgres.server import Server

ROLES = {
    "without_messages": ("public", "REVOKE SELECT ON public.pl_messages FROM without_messages"),
    "without_sessions": ("team b", 'REVOKE SELECT ON "team b".pl_sessions FROM without_sessions'),
    "with_columns": (
        "team b",
        'REVOKE SELECT ON "team b".pl_messages FROM with_columns;'
        ' GRANT SELECT (session_id, seq) ON "team b".pl_messages TO with_columns',
    ),
    "without_schema": ("team b", 'REVOKE USAGE ON SCHEMA "team b" FROM without_schema'),
    "without_marks": (
        "team b",
        'REVOKE SELECT ON "team b".pl_session_state, "team b".pl_session_leases,'
        ' "team b".pl_notes, "team b".pl_timers FROM without_marks;'
        ' GRANT SELECT (session_id) ON "team b".pl_timers TO without_marks',
    ),
}


@pytest.fixture(scope="module")
def roles(server: Server) -> Server:
    for role, (schema, less) in ROLES.items():
        # Another worker may have made it.
        server.run(
            f"DO $$ BEGIN CREATE ROLE {role} LOGIN;"
            f' GRANT USAGE ON SCHEMA "{schema}" TO {role};'
            f' GRANT SELECT ON ALL TABLES IN SCHEMA "{schema}" TO {role}; {less};'
            " EXCEPTION WHEN duplicate_object THEN NULL; END $$",
            database=LOOPS,
        )
    return server


def test_sessions_whose_messages_may_not_be_read_are_counted_and_explained(
    roles: Server, command: Command
) -> None:
    address = roles.address(LOOPS, "without_messages")
    reason = (
        "public: 6 sessions in public cannot be read. The role without_messages may not read the"
        ' table pl_messages. Ask for: GRANT SELECT ON ALL TABLES IN SCHEMA "public" TO'
        ' "without_messages".'
    )
    listed = command("--db", address, "list")
    assert "second_root" in listed.out
    assert reason in listed.err
    told = json.loads(command("--db", address, "list", "--json").out)
    (unread,) = [one for one in told["stores"] if one["error"]]
    assert reason == f"{unread['name']}: {unread['error']}"
    assert "profiles   2, 1 cannot be read" in command("--db", address, "info").out
    asked = command("--db", address, "show", "first_root")
    assert "It may be in public, which cannot be read now." in asked.err


@pytest.mark.parametrize(
    ("role", "what", "why"),
    [
        ("without_sessions", "The sessions in team b", "may not read the table pl_sessions"),
        ("with_columns", "{} sessions in team b", "may read only some columns of the table"),
        ("without_schema", "The sessions in team b", "may not use the schema team b"),
    ],
)
def test_a_lone_set_that_may_not_be_read_is_an_error_that_says_so(
    role: str, what: str, why: str, roles: Server, command: Command
) -> None:
    address = roles.address(LOOPS, role, "?search_path=%22team%20b%22")
    # Another test deletes some of them.
    ((number,),) = roles.run('SELECT count(*) FROM "team b".pl_sessions', database=LOOPS)
    what = what.format(number)
    for arguments in (["list"], ["show", "third_root"], ["info", "--json"]):
        done = command("--db", address, *arguments)
        assert done.code == ExitCode.CANNOT_OPEN
        assert f"{what} cannot be read. The role {role} {why}" in done.err
        assert 'GRANT SELECT ON ALL TABLES IN SCHEMA "team b"' in done.err
        assert ("GRANT USAGE" in done.err) == (role == "without_schema")


def test_what_is_missing_beside_the_messages_is_told(roles: Server, command: Command) -> None:
    address = roles.address(LOOPS, "without_marks", "?search_path=%22team%20b%22")
    listed = command("--db", address, "list")
    assert "third_root" in listed.out
    assert listed.err.count("\n") == 1
    told = " ".join(command("--db", address, "info").out.split())
    assert "not read pl_session_leases cannot be read: a session that a program holds" in told
    assert "pl_session_state cannot be read: interrupted sessions are not marked." in told
    assert "pl_notes, pl_timers (some columns can) cannot be read: the details" in told
    gaps = json.loads(command("--db", address, "info", "--json").out)["not_read"]
    assert gaps[-1].startswith("Ask for: GRANT SELECT")
    store = open_server(ServerPath.of(parse(address)))
    catalog = store.catalog()
    details = store.details(catalog.folded(next(iter(catalog.keys))))
    assert details.sections[-1].title == "Not read"
    assert tuple(line for _, line in details.sections[-1].rows) == tuple(gaps)


def test_rows_that_the_server_may_hide_are_told(ground: Ground, command: Command) -> None:
    ground.run(
        "GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader",
        "ALTER TABLE pl_sessions ENABLE ROW LEVEL SECURITY",
        "CREATE POLICY own ON pl_sessions USING (session_id = 'first_root')",
    )
    told = " ".join(
        command("--db", ground.server.address(ground.database, "reader"), "info").out.split()
    )
    assert "sessions 1 " in told
    assert "not read Row security may hide rows of pl_sessions from the role reader." in told


def test_info_gives_the_reason_for_each_change_that_is_not_possible(
    roles: Server, command: Command
) -> None:
    address = roles.address(LOOPS, "reader", "?search_path=%22team%20b%22")
    told = " ".join(command("--db", address, "info").out.split())
    assert "changes pin no rename, archive: this user has no permission for UPDATE on the" in told
    assert "no delete, prune: this user has no permission for INSERT, UPDATE, DELETE on" in told
    assert "no clear: power-loop needs unbroken message numbers" in told
    assert "no end, reopen: power-loop does not record when a session ends" in told


def test_a_role_that_may_read_everything_is_told_of_no_gap(
    server: Server, command: Command
) -> None:
    told = command("--db", server.address(LOOPS, "reader"), "info")
    assert "not read" not in told.out
    assert told.err == ""
