"""Looking for a lost session on a server: what is not looked into is named, and every command that
is printed works."""

import json
import shlex

import pytest

from explorer.errors import ExitCode
from tests.conftest import Command
from tests.postgres.edit_ground import Ground
from tests.postgres.filling import LOOPS
from tests.postgres.server import Server, free_port

pytestmark = pytest.mark.usefixtures("own_folders")


def test_schemas_outside_the_search_path_are_named_with_a_command(
    server: Server, command: Command
) -> None:
    address = server.address(LOOPS)
    missed = command("--db", address, "where", "third_root")
    assert missed.code == ExitCode.NO_SUCH_SESSION
    (line,) = [one for one in missed.err.splitlines() if "schema team b" in one]
    found = command(*shlex.split(line.partition("search it with ")[2]), "where", "third_root")
    assert (found.code, "third_root" in found.out) == (ExitCode.DONE, True)
    told = json.loads(command("--db", address, "where", "third_root", "--json").out)
    assert "schema team b" in [one["what"] for one in told["not_searched"]]


def test_a_set_that_was_not_chosen_is_searched_too(server: Server, command: Command) -> None:
    chosen = ("--db", server.address(LOOPS), "--profile", "public")
    told = json.loads(command(*chosen, "where", "second_root", "--json").out)
    (one,) = [one for one in told["sightings"] if one["id"] == "second_root"]
    assert (one["profile"], one["why"]) == ("public.other", "In another profile: public.other.")
    assert "second_root" in command(*shlex.split(one["command"])[1:]).out


def test_a_deleted_session_is_restored_by_the_command_from_any_other_address(
    ground: Ground, command: Command
) -> None:
    ground.server.run('CREATE SCHEMA "else"', database=ground.database)
    address = ground.server.address(ground.database)
    deleted = command("--db", address, "delete", "first_root", "--yes", "--force")
    assert deleted.code == ExitCode.DONE, deleted.err
    other = ground.server.address(LOOPS, "reader")
    for asked in (("--db", address), ("--db", other), ("--db", f"{address}?search_path=else")):
        found = command(*asked, "where", "first_root")
        assert "Trash of public" in found.out
        assert "/postgresql:/" not in found.out + found.err
    (one,) = json.loads(command("--db", address, "where", "first_root", "--json").out)["sightings"]
    restored = command(*shlex.split(one["command"])[1:], "--yes")
    assert restored.code == ExitCode.DONE, restored.err
    assert "first_root" in command("--db", address, "list", "--all", "--json").out


def test_a_server_that_is_gone_is_told_among_what_was_not_searched(command: Command) -> None:
    gone = command("--db", f"postgresql://u@127.0.0.1:{free_port()}/x", "where", "word")
    _, told = gone.err.split("Not searched:\n")
    assert "Cannot reach the server" in told
