"""The sets of tables of databases as profiles: which are found, named and chosen."""

import json
from pathlib import Path

import pytest

from explorer.completion.candidates import completions
from explorer.errors import ExitCode
from tests.conftest import Command
from tests.factories import one_session
from tests.postgres.filling import LOOPS
from tests.postgres.server import Server

TEAM = "?search_path=%22team%20b%22"


def _names(command: Command, *arguments: str | Path) -> list[str]:
    done = command(*arguments, "info", "--json")
    assert done.code == ExitCode.DONE, done.err
    told = json.loads(done.out)
    return [one["name"] for one in told["stores"]]


def test_each_address_of_a_database_is_read_with_its_own_search_path(
    server: Server, command: Command
) -> None:
    here, team = server.address(LOOPS), server.address(LOOPS, more=TEAM)
    both = server.address(LOOPS, "reader", "?search_path=public,%22team%20b%22")
    assert _names(command, "--db", here, "--db", team) == ["public.other", "public", "team b"]
    assert _names(command, "--db", team, "--db", here) == ["team b", "public.other", "public"]
    # What two addresses find is listed once.
    assert _names(command, "--db", team, "--db", both) == ["team b", "public.other", "public"]
    listed = command("--db", here, "--db", team, "list", "--all")
    assert "third_root" in listed.out
    assert "first_root" in listed.out


def test_a_set_is_read_by_the_role_that_may_read_it(server: Server, command: Command) -> None:
    stranger, reader = server.address(LOOPS, "stranger"), server.address(LOOPS, "reader")
    for addresses in ((stranger, reader), (reader, stranger)):
        first, second = addresses
        listed = command("--db", first, "--db", second, "list", "--all")
        assert (listed.code, "cannot be read" in listed.err) == (ExitCode.DONE, False)
        assert "first_root" in listed.out
        assert "12 sessions · 2 profiles" in listed.err


def test_two_addresses_that_find_nothing_are_two_errors(server: Server, command: Command) -> None:
    one, two = (server.address(LOOPS, more=f"?search_path=missing_{n}") for n in (1, 2))
    done = command("--db", one, "--db", two, "--db", server.address(LOOPS), "list")
    assert "first_root" in done.out
    assert done.err.count("No sessions in this database") == 2
    again = command("--db", one, "--db", two, "--db", one, "list")
    assert again.err.count("No sessions in this database") == 2


def test_a_set_of_tables_is_chosen_as_a_profile_is(server: Server, command: Command) -> None:
    address = server.address(LOOPS, more="?search_path=public,%22team%20b%22")
    listed = command("--db", address, "--profile", "team b", "list", "--all").out
    assert ("third_root" in listed, "first_root" in listed) == (True, False)
    chosen = ("--profile", "public", "--profile", "public.other")
    assert _names(command, "--db", address, *chosen) == ["public.other", "public"]
    unknown = command("--db", address, "--profile", "publik", "list")
    assert unknown.code == ExitCode.USAGE
    assert "no profile 'publik' in postgresql://127.0.0.1:" in unknown.err
    assert "Closest: public" in unknown.err
    assert "first_root" in command("--db", address, "search", "profile:public first").out


def test_completion_offers_the_sets_of_a_database(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = server.address(LOOPS, more="?search_path=public,%22team%20b%22")
    words = ["--db", address, "--profile", "public", "list", "--profile"]
    assert [one.value for one in completions(words, "", 0.0).found] == ["public.other", "team b"]
    monkeypatch.setenv("SESSION_EXPLORER_DB", address)
    found = completions(["list", "--profile"], "t", 0.0).found
    assert [one.value for one in found] == ["team b"]


def test_a_prune_of_several_sets_asks_which_one(
    server: Server, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = server.address(LOOPS)
    asked = command("--db", address, "prune", "messages:<99", "--dry-run")
    assert asked.code == ExitCode.USAGE
    assert "Add --profile NAME (public.other, public), or --all-profiles." in asked.err
    monkeypatch.setenv("SESSION_EXPLORER_DB", address)
    assert "--all-profiles" in command("trash", "purge", "--all", "--dry-run").err

    def looked_at(*which: str) -> int:
        # They are kept for as long as they were written just now.
        plan = command("prune", "messages:<99", "--dry-run", "--json", *which).json
        kept: dict[str, int] = plan["skipped"]
        return len(plan["sessions"]) + sum(kept.values())

    one, other = looked_at("--profile", "public"), looked_at("--profile", "public.other")
    assert one > 0
    assert other > 0
    assert looked_at("--all-profiles") == one + other
    team = command("--db", server.address(LOOPS, more=TEAM), "prune", "messages:<99", "--dry-run")
    assert team.code == ExitCode.DONE


def test_with_other_stores_a_set_keeps_the_name_of_its_schema(
    server: Server, command: Command, tmp_path: Path
) -> None:
    team = server.address(LOOPS, more=TEAM)
    names = _names(command, "--db", one_session(tmp_path / "state.db"), "--db", team)
    assert names[1:] == ["team b"]
    server.run("CREATE DATABASE copied")
    server.run(
        'CREATE SCHEMA "team b"',
        'CREATE TABLE "team b".pl_sessions (session_id text, created_at bigint, kind text)',
        'CREATE TABLE "team b".pl_messages (session_id text, seq bigint, role text, content text)',
        database="copied",
    )
    other = server.address("copied", more=TEAM)
    assert _names(command, "--db", team, "--db", other) == ["loops/team b", "copied/team b"]
