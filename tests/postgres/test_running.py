"""What counts as running on a server: a lease or a new message, not a session that was archived."""

import json

import pytest

from explorer.errors import ExitCode
from tests.conftest import Command
from tests.postgres.edit_ground import Ground

pytestmark = pytest.mark.usefixtures("own_folders")


def test_only_a_lease_or_a_new_message_makes_a_session_running(
    ground: Ground, command: Command
) -> None:
    # Everything was written an hour ago, and touched just now, as archiving does.
    ground.run(
        "UPDATE pl_messages SET created_at = created_at - 3600000",
        "UPDATE pl_sessions SET created_at = created_at - 3600000,"
        " updated_at = (extract(epoch FROM now()) * 1000)::bigint",
    )
    ground.write_now("second_root")
    address = ground.server.address(ground.database)
    busy = {"second_root", "first_leased", "second_leased"}

    def ids(*arguments: str) -> set[str]:
        done = command("--db", address, *arguments, "--json")
        return {one["id"] for one in json.loads(done.out)["sessions"]}

    listed = json.loads(command("--db", address, "list", "--all", "--json").out)["sessions"]
    assert {one["id"] for one in listed if one["state"] == "running"} == busy
    found = json.loads(command("--db", address, "search", "question is:running", "--json").out)
    assert {one["session_id"] for one in found["hits"]} == {"second_root"}
    assert "first_root" in ids("prune", "messages:<99", "--dry-run")
    assert "second_root" not in ids("prune", "messages:<99", "--dry-run")
    kept = command("--db", address, "delete", "second_root", "--yes")
    assert (kept.code, "running" in kept.err) == (ExitCode.REFUSED, True)
    assert command("--db", address, "delete", "first_linked", "--yes").code == ExitCode.DONE
