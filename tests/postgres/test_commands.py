"""Commands on a database: what they say of it, and that a password is in nothing they say."""

import ast
import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from explorer.browse.profiles import profile_states, state_lines
from explorer.errors import ExitCode
from explorer.stores.discover import locate
from explorer.stores.open_found import every_set, open_found
from tests.agents import run_agent
from tests.conftest import Command
from tests.postgres.filling import LOOPS, POWER_LOOP, fill_one
from tests.postgres.server import Server, free_port
from tests.real_files import unpack

pytestmark = pytest.mark.usefixtures("own_folders")

SECRET = "s3cr3t-w0rd"


@pytest.fixture(scope="module")
def address(server: Server, tmp_path_factory: pytest.TempPathFactory) -> str:
    made = fill_one(server, tmp_path_factory.mktemp("power-loop"), "told")
    return made.replace("postgres@", f"postgres:{SECRET}@")


def _json(command: Command, address: str, *arguments: str) -> Any:
    done = command("--db", address, *arguments, "--json")
    assert done.code == ExitCode.DONE
    assert SECRET not in done.out + done.err
    return json.loads(done.out)


def test_every_reading_command_reads_a_database(command: Command, address: str) -> None:
    listed = _json(command, address, "list")
    assert [one["id"] for one in listed["sessions"]] == ["told_root", "told_pending"]
    assert listed["hidden"] == {"subagent": 3, "empty": 1}
    shown = _json(command, address, "show", "Plan of told")
    assert shown["messages"][0]["text"] == "summary of it"
    found = _json(command, address, "search", "question 4")
    assert [hit["session_id"] for hit in found["hits"]] == ["told_root"]
    assert found["complete"]
    info = _json(command, address, "info")
    assert (info["kind"], info["sessions"], info["messages"]) == ("power-loop", 6, 23)
    assert info["path"].startswith("postgresql://127.0.0.1:")
    assert info["edits"]["delete"] is None
    assert "message numbers" in info["edits"]["clear"]
    where = _json(command, address, "where", "question 4")
    assert [one["id"] for one in where["sightings"]] == ["told_root"]
    assert _json(command, address, "chats")["chats"] == []


def test_people_read_the_same_without_the_password(command: Command, address: str) -> None:
    for arguments in (
        *(["list"], ["info"], ["show", "told_root"], ["where", "question"]),
        *(["--private", "list"], ["--private", "show", "told_root"]),
    ):
        done = command("--db", address, *arguments)
        assert done.code == ExitCode.DONE
        assert SECRET not in done.out + done.err


def test_a_session_is_deleted_and_comes_back(command: Command, address: str) -> None:
    before = _json(command, address, "show", "told_root")
    refused = command("--db", address, "delete", "told_root", "--yes")
    assert refused.code == ExitCode.REFUSED
    assert "running" in refused.err
    done = command("--db", address, "delete", "told_root", "--force", "--yes")
    assert done.code == ExitCode.DONE
    assert SECRET not in done.out + done.err
    listed = _json(command, address, "list")
    assert [one["id"] for one in listed["sessions"]] == ["told_pending"]
    (sighting,) = _json(command, address, "where", "question 4")["sightings"]
    assert shlex.split(sighting["command"])[2].startswith("postgresql://postgres@127.0.0.1:")
    assert not command("--db", address, "undo", "--dry-run").out.count("gone")
    assert command("--db", address, "undo", "--yes").code == ExitCode.DONE
    assert _json(command, address, "show", "told_root") == before


def test_the_call_that_resumes_names_the_database(command: Command, address: str) -> None:
    done = command("--db", address, "resume", "told_root", "--print")
    assert "dsn='postgresql://postgres@127.0.0.1:" in done.out
    assert SECRET not in done.out + done.err


def test_a_search_path_without_sessions_is_told_where_they_are(
    command: Command, server: Server
) -> None:
    done = command("--db", server.address(LOOPS, more="?search_path=missing"), "list")
    assert done.code == ExitCode.CANNOT_OPEN
    assert "No sessions in this database" in done.err
    assert "?options=" not in done.err
    has = "Other schemas of this database have sessions: ?search_path=public, "
    assert f"{has}?search_path=%22team%20b%22." in done.err


HAS = """
import asyncio, sys
from power_loop.runtime.store.factory import open_store

async def main(dsn, session):
    store = await open_store(dsn)
    print((await store.get_session(session)).session_id)
    await store.close()

asyncio.run(main(*sys.argv[1:]))
"""


def test_power_loop_finds_the_session_by_the_call_that_resumes(
    command: Command, server: Server, tmp_path: Path
) -> None:
    before = _tables(server)
    more = "?options=-c%20search_path%3D%22team%5C%20b%22,public%20-c%20jit%3Doff&connect_timeout=9"
    told = command("--db", server.address(LOOPS, more=more), "resume", "third_root", "--print")
    call = ast.parse(told.out.strip(), mode="eval").body
    (dsn,) = [
        one.value.value
        for one in ast.walk(call)
        if isinstance(one, ast.keyword) and one.arg == "dsn" and isinstance(one.value, ast.Constant)
    ]
    assert str(dsn).endswith("/loops?search_path=%22team%20b%22&options=-c%20jit%3Doff")
    assert run_agent(HAS, *POWER_LOOP, tmp_path, str(dsn), "third_root") == "third_root\n"
    assert _tables(server) == before
    listed = command("--db", str(dsn), "list")
    assert "third_root" in listed.out


def _tables(server: Server) -> list[tuple[object, ...]]:
    return server.run("SELECT oid FROM pg_class WHERE relkind = 'r' ORDER BY oid", database=LOOPS)


def test_a_pin_is_kept_in_our_notes(command: Command, address: str) -> None:
    assert command("--db", address, "pin", "told_pending", "--yes").code == ExitCode.DONE
    listed = _json(command, address, "list")
    assert [one["id"] for one in listed["sessions"] if one["pinned"]] == ["told_pending"]


def test_every_set_of_tables_is_listed_under_its_name(command: Command, server: Server) -> None:
    path = "?search_path=public,%22team%20b%22"
    told = _json(command, server.address(LOOPS, more=path), "info")
    assert [one["name"] for one in told["stores"]] == ["public.other", "public", "team b"]


def test_a_database_and_a_file_are_listed_together(
    command: Command, address: str, real_file: Path
) -> None:
    told = _json(command, address, "--db", str(real_file), "list", "--limit", "0")
    assert {"told_root"} < {one["id"] for one in told["sessions"]}
    assert len(told["stores"]) == 2


@pytest.mark.parametrize("arguments", [["list"], ["info"], ["search", "x"], ["show", "x"]])
def test_a_server_that_is_gone_says_so(command: Command, arguments: list[str]) -> None:
    done = command("--db", f"postgresql://u:{SECRET}@127.0.0.1:{free_port()}/x", *arguments)
    assert done.code == ExitCode.CANNOT_OPEN
    assert "Cannot reach the server" in done.err
    assert SECRET not in done.err


def test_an_address_in_the_variable_is_no_part_of_any_advice(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = f"postgresql://u:{SECRET}@127.0.0.1:{free_port()}/x"
    monkeypatch.setenv("SESSION_EXPLORER_DB", place)
    done = command("list")
    assert done.code == ExitCode.CANNOT_OPEN
    assert SECRET not in done.err


def test_another_kind_of_server_is_refused(command: Command) -> None:
    done = command("--db", f"mysql://u:{SECRET}@h/x", "list")
    assert done.code == ExitCode.USAGE
    assert "cannot read mysql://" in done.err
    assert SECRET not in done.err


def test_nothing_is_made_up_about_the_size_and_the_time_of_a_server(
    command: Command, address: str, tmp_path: Path
) -> None:
    path = unpack("power-loop-1.0.0", tmp_path)
    info = _json(command, address, "info")
    assert [one["bytes"] for one in info["stores"]] == [info["bytes"]]
    assert info["bytes"] > 100_000
    assert [one["bytes"] for one in _json(command, address, "list")["stores"]] == [None]
    found = every_set(locate([address, str(path)], (), {}, None))
    store = open_found(found)
    lines = state_lines(profile_states(store, store.catalog(), found), frozenset(), 90, 4e9)
    server, file = ("".join(text for text, _ in told[0]) for told in lines)
    assert "6 sessions · last active 20" in server
    assert " B" not in server
    assert "kB · written 20" in file
