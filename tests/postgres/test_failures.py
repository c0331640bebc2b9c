"""A server that cannot be read says why, what to do, and never the password."""

import builtins
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from explorer.browse.words import TRIED_AGAIN, profile_remedy
from explorer.errors import ExitCode, Problem, StoreError
from explorer.stores.postgres.address import parse
from explorer.stores.postgres.connection import ServerDatabase
from explorer.stores.postgres.driver import server_database
from explorer.stores.postgres.failures import ADVICE, server_error
from explorer.stores.sqlite.failures import to_put_back
from tests.postgres.conftest import Open
from tests.postgres.filling import LOOPS
from tests.postgres.server import Server, free_port

PASSWORD = "geheim/wört@1"
SPELT = "geheim%2Fw%C3%B6rt%401"


def refused(text: str) -> StoreError:
    database = ServerDatabase(parse(text))
    with pytest.raises(StoreError) as raised:
        database.read(lambda reader: reader.rows("SELECT 1"))
    database.close()
    return raised.value


def test_every_problem_of_a_server_has_words() -> None:
    for problem in ADVICE:
        error = server_error(problem, "postgresql://h/d", "the detail.")
        assert "postgresql://h/d" in error.message
        assert "{" not in error.message
        assert ".." not in error.message


@pytest.mark.parametrize(
    ("at", "why"),
    [
        ("no-such-host.invalid/db", "the host name cannot be found"),
        ("127.0.0.1:CLOSED/db", "nothing listens at this host and port"),
        ("%2Fnowhere/db", "no server listens at this socket"),
        ("127.0.0.1:CLOSED/db?sslmode=bogus", 'invalid sslmode value: "bogus"'),
        ("127.0.0.1:CLOSED/db?channel_binding=no", 'invalid channel_binding value: "no"'),
    ],
)
def test_the_reason_is_said_once_and_without_what_the_driver_says_around_it(
    at: str, why: str
) -> None:
    error = refused(f"postgresql://{at.replace('CLOSED', str(free_port()))}")
    assert f": {why}." in error.message
    assert "connection" not in error.message.lower().replace("no connection", "").replace(
        "tls connection", ""
    )
    assert "by itself" not in error.message, "a command does not try again"


def test_what_the_server_refuses_is_said_in_a_sentence(server: Server) -> None:
    locked = refused(server.address(LOOPS, "locked"))
    assert "it asks for a password, and none was given" in locked.message
    assert (
        "the server does not offer TLS" in refused(server.address(more="?sslmode=require")).message
    )


def test_one_of_several_servers_has_the_advice_for_servers(server: Server) -> None:
    server.run("CREATE DATABASE bare")
    bare = ServerDatabase(parse(server.address("bare")))
    for error in (
        refused(server.address("missing")),
        bare.no_store(bare.found()),
    ):
        message = error.message
        assert to_put_back(error).message == message
        assert "SQLite" not in profile_remedy(error)
    assert profile_remedy(refused(server.address("missing"))).endswith(TRIED_AGAIN)


def test_nothing_listens_there() -> None:
    error = refused(f"postgresql://ada:{SPELT}@127.0.0.1:{free_port()}/db")
    assert error.problem is Problem.UNREACHABLE
    assert error.exit_code is ExitCode.CANNOT_OPEN
    assert "geheim" not in str(error)


def test_there_is_no_such_host() -> None:
    assert refused("postgresql://no-such-host.invalid/db").problem is Problem.UNREACHABLE


def test_somebody_listens_who_never_answers() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        error = refused(f"postgresql://127.0.0.1:{port}/db?connect_timeout=2")
    assert error.problem is Problem.UNREACHABLE


def test_the_database_or_the_user_does_not_exist(server: Server) -> None:
    missing = refused(server.address("no such"))
    assert missing.problem is Problem.NO_DATABASE
    assert "no such" in missing.message
    assert refused(server.address(user="nobody")).problem is Problem.LOGIN_REFUSED


def test_a_password_comes_from_the_address_the_variable_or_the_file(
    server: Server, opened: Open, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / "none"))
    assert refused(server.address(LOOPS, "locked")).problem is Problem.LOGIN_REFUSED
    wrong = refused(server.address(LOOPS, "locked:wrong-one"))
    assert wrong.problem is Problem.LOGIN_REFUSED
    assert "wrong-one" not in str(wrong)

    who = "SELECT session_user"
    given = opened(f"locked:{SPELT}")
    assert given.read(lambda reader: reader.value(who)) == "locked"
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    assert opened("locked").read(lambda reader: reader.value(who)) == "locked"
    monkeypatch.delenv("PGPASSWORD")
    file = tmp_path / "pgpass"
    file.write_text(f"127.0.0.1:*:*:locked:{PASSWORD}\n", encoding="utf-8")
    file.chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(file))
    stored = opened("locked")
    assert stored.read(lambda reader: reader.value(who)) == "locked"
    with pytest.raises(StoreError) as raised:
        stored.read(lambda reader: reader.rows("SELECT ?::int", (PASSWORD,)))
    assert "invalid input syntax" in str(raised.value)
    assert "geheim" not in str(raised.value)


def test_an_error_holds_neither_the_connection_nor_its_cause(server: Server) -> None:
    error = refused(server.address(LOOPS, "locked:wrong-one"))
    assert error.__cause__ is None
    assert error.__suppress_context__


def test_a_role_without_rights_is_refused_and_finds_no_sessions(
    server: Server, opened: Open
) -> None:
    stranger = opened("stranger")
    assert stranger.sets() == ()
    assert stranger.no_store(stranger.found()).problem is Problem.NOT_A_STORE
    with pytest.raises(StoreError) as raised:
        stranger.read(lambda reader: reader.rows("SELECT 1 FROM public.pl_sessions"))
    assert raised.value.problem is Problem.NO_PERMISSION


def test_a_connection_that_is_not_secure_is_refused(server: Server) -> None:
    assert refused(server.address(more="?sslmode=require")).problem is Problem.INSECURE
    assert refused(server.address(user="secured")).problem is Problem.LOGIN_REFUSED
    assert refused(server.address(more="?sslmode=bogus")).problem in ADVICE


def test_a_full_server_is_busy(server: Server) -> None:
    server.run("CREATE ROLE few LOGIN CONNECTION LIMIT 0")
    database = ServerDatabase(parse(server.address(user="few")), patience=0.1)
    with pytest.raises(StoreError) as raised:
        database.read(lambda reader: reader.rows("SELECT 1"))
    assert raised.value.problem is Problem.BUSY


def test_without_the_driver_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def absent(name: str, *rest: object, **named: object) -> object:
        if name == "psycopg":
            raise ImportError(name)
        return real(name, *rest, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(StoreError, match=r"session-explorer\[postgres\]") as raised:
        server_database(parse("postgresql://ada:s3cret@host/db"))
    assert raised.value.problem is Problem.NO_DRIVER
    assert "s3cret" not in str(raised.value)


def test_an_address_is_understood_without_the_driver() -> None:
    code = (
        "import sys; from explorer.stores.postgres.address import parse;"
        "from explorer.stores.postgres import driver, secrets;"
        "parse('postgresql://h/d'); sys.exit('psycopg' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0
