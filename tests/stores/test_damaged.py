"""Damage that SQLite does not notice by itself: words instead of a traceback, and always an end."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from explorer.errors import ExitCode
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.hermes.sessions.survey import counts_agree
from explorer.stores.hermes.store import HermesStore
from explorer.stores.kinds import open_store
from explorer.stores.resolve import read_session
from explorer.stores.sqlite.read_only import Reader, ReadOnlyFile
from tests.conftest import Command
from tests.factories import altered, keys, one_session, rows, say, talk
from tests.mutants.making import replace_index
from tests.real_files import unpack

ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n"
READS = (["info"], ["list", "--all"], ["show", "--all", "s"], ["search", "--all", "hello"])


def _spelt(path: Path, word: bytes, other: bytes) -> None:
    """Write over a word in the text of the schema, as damage does."""
    content = path.read_bytes()
    assert word in content
    path.write_bytes(content.replace(word, other))


def test_a_view_with_a_name_that_is_not_text_spoils_nothing(
    tmp_path: Path, command: Command
) -> None:
    path = one_session(tmp_path / "state.db")
    with altered(path) as db:
        db.execute("PRAGMA journal_mode = delete")
        db.execute("CREATE VIEW odd AS SELECT xqzzq FROM sessions")
    _spelt(path, b"xqzzq", b"xq\xff\xfeq")
    for arguments in READS:
        assert command(*arguments, "--db", path).code == 0


@pytest.mark.parametrize(
    ("word", "other"),
    [
        # Here SQLite's own message quotes what is no text, and Python cannot hold it.
        (b"id > 98765", b"id \xff 98765"),
        (b"CREATE TABLE odd (id", b"CREATE TABLE \xff\xfe (id"),
    ],
)
def test_a_statement_of_the_schema_that_is_not_text_is_reported_as_damage(
    word: bytes, other: bytes, tmp_path: Path, command: Command
) -> None:
    path = one_session(tmp_path / "state.db")
    with altered(path) as db:
        db.execute("PRAGMA journal_mode = delete")
        db.execute("CREATE TABLE odd (id CHECK (id > 98765))")
    _spelt(path, word, other)
    for arguments in (*READS, ["delete", "--yes", "s"]):
        said = command(*arguments, "--db", path)
        assert said.code == ExitCode.CANNOT_OPEN
        assert "damaged" in said.err
        assert "hermes sessions repair" in said.err


def test_views_in_place_of_tables_are_no_store(tmp_path: Path, command: Command) -> None:
    path = one_session(tmp_path / "state.db")
    with altered(path) as db:
        db.execute("PRAGMA legacy_alter_table = ON")
        for table in ("sessions", "messages"):
            db.execute(f"ALTER TABLE {table} RENAME TO was_{table}")
            db.execute(f"CREATE VIEW {table} AS SELECT * FROM was_{table}")
    for arguments in READS:
        said = command(*arguments, "--db", path)
        assert (said.code, said.err.count("Not a state file")) == (ExitCode.CANNOT_OPEN, 1)


def test_views_in_place_of_tables_of_power_loop_are_no_store(
    tmp_path: Path, command: Command
) -> None:
    path = unpack("power-loop-8.0.0", tmp_path)
    with altered(path) as db:
        db.execute("PRAGMA legacy_alter_table = ON")
        for table in ("pl_sessions", "pl_messages"):
            db.execute(f"ALTER TABLE {table} RENAME TO was_{table.removesuffix('s')}")
            db.execute(f"CREATE VIEW {table} AS SELECT * FROM was_{table.removesuffix('s')}")
    said = command("list", "--db", path)
    assert (said.code, said.err.count("Not a state file")) == (ExitCode.CANNOT_OPEN, 1)


@pytest.mark.parametrize("table", ["sessions", "system_prompts", "session_turn_leases"])
def test_a_view_without_end_is_never_read(table: str, tmp_path: Path, command: Command) -> None:
    path = one_session(tmp_path / "state.db")
    with altered(path) as db:
        db.execute(f"DROP TABLE IF EXISTS {table}")
        columns = "x AS id, x AS source, x AS started_at, x AS hash, x AS prompt, x AS session_id"
        db.execute(f"CREATE VIEW {table} AS SELECT {columns}, x AS expires_at FROM ({ENDLESS})")
    for arguments in READS:
        code = command(*arguments, "--db", path).code
        assert code == (ExitCode.CANNOT_OPEN if table == "sessions" else ExitCode.DONE)


@pytest.mark.parametrize("ending", ["-journal", "-wal", "-shm"])
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_a_log_that_is_no_file_is_not_waited_for(
    ending: str, make: Callable[[str], None], tmp_path: Path, command: Command
) -> None:
    path = one_session(tmp_path / "state.db")
    with altered(path) as db:
        db.execute("PRAGMA journal_mode = delete")
    make(f"{path}{ending}")
    for arguments in (*READS, ["delete", "--yes", "s"]):
        said = command(*arguments, "--db", path)
        assert said.code == ExitCode.CANNOT_OPEN
        assert f"{path.name}{ending} is a folder, a device or a pipe" in said.err


def test_a_log_of_another_file_is_named_where_it_does_harm(
    tmp_path: Path, command: Command
) -> None:
    path = unpack("hermes-v22", tmp_path)
    other = one_session(tmp_path / "other.db")
    with altered(other) as db:
        db.execute("PRAGMA journal_mode = wal")
        for number in range(40):
            say(db, "s", content=f"hello {number}")
        Path(f"{path}-wal").write_bytes(Path(f"{other}-wal").read_bytes())
    said = command("list", "--db", path)
    assert said.code == ExitCode.CANNOT_OPEN
    assert "may belong to another file" in said.err


def test_messages_without_a_number_are_read_and_found(tmp_path: Path, command: Command) -> None:
    path = unpack("power-loop-8.0.0", tmp_path)
    ((id_, count),) = rows(
        path,
        "SELECT session_id, count(*) FROM pl_messages GROUP BY session_id ORDER BY 2 DESC LIMIT 1",
    )
    with altered(path) as db:
        db.execute("UPDATE pl_messages SET content = 'owls' WHERE session_id = ?", (id_,))
        db.execute("UPDATE pl_messages SET seq = 'no ' || seq WHERE seq % 2")
        db.execute("UPDATE pl_messages SET seq = CAST(seq AS BLOB) WHERE seq = 4")
    store = open_store(path)
    shown = list(read_session(store, keys(store)[str(id_)], everything=True))
    assert len({message.id for message in shown}) == count
    said = command("search", "--all", "--limit", "0", "owls", "--json", "--db", path).json
    assert {hit["message_id"] for hit in said["hits"]} == {message.id for message in shown}


@pytest.mark.parametrize("number", [2**63 - 1, -(2**63), 2**48, -5])
def test_messages_and_sessions_may_have_any_number(
    number: int, tmp_path: Path, command: Command
) -> None:
    path = one_session(tmp_path / "state.db")
    with altered(path) as db:
        say(db, "s", id=number, content="owls fly")
        db.execute("UPDATE sessions SET rowid = ?", (number,))
    for arguments in READS:
        assert command(*arguments, "--db", path).code == 0
    shown = command("show", "s", "--json", "--db", path).json["messages"]
    assert sorted(message["text"] for message in shown) == ["Hi.", "hello", "owls fly"]


@pytest.mark.parametrize("number", [2**63 - 1, -(2**63), 2**48, -5])
def test_sessions_of_power_loop_may_have_any_number(
    number: int, tmp_path: Path, command: Command
) -> None:
    path = unpack("power-loop-8.0.0", tmp_path)
    with altered(path) as db:
        db.execute("UPDATE pl_sessions SET rowid = ? WHERE rowid = 1", (number,))
    listed = command("list", "--all", "--limit", "0", "--json", "--db", path).json["sessions"]
    assert len(listed) == rows(path, "SELECT count(*) FROM pl_sessions")[0][0]
    ((id_,),) = rows(path, "SELECT session_id FROM pl_sessions WHERE rowid = ?", (number,))
    assert command("show", str(id_), "--db", path).code == 0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        for number in range(6):
            talk(state, f"s{number}", "hello", "Hi.", title=f"Trip {number}")
    return path


INDICES = ("sqlite_autoindex_sessions_1", "idx_sessions_source")


@pytest.mark.parametrize("copies", [[1, 2], [1], []], ids=["doubled", "half", "none"])
@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize("mode", ["wal", "delete"])
def test_where_table_and_index_disagree_all_are_listed_with_a_warning(
    index: str, copies: list[int], mode: str, path: Path, command: Command
) -> None:
    with altered(path) as db:
        db.execute(f"PRAGMA journal_mode = {mode}")
        db.execute("UPDATE sessions SET source = 'slack' WHERE id = 's1'")
        replace_index(db, index, copies)
    catalog = open_store(path).catalog()
    assert [catalog.source(key) for key in sorted(catalog.keys)] == ["cli", "slack", *["cli"] * 4]
    said = command("list", "--db", path)
    assert sorted(line.split()[0] for line in said.out.splitlines()) == [
        f"s{number}" for number in range(6)
    ]
    assert "The file is damaged." in said.err
    assert "hermes sessions repair --check-only" in said.err
    assert command("list", "--json", "--db", path).json["sound"] is False
    assert command("info", "--json", "--db", path).json["sound"] is False
    assert "damaged" in command("info", "--db", path).out


def test_a_sound_file_gets_no_warning(path: Path, command: Command) -> None:
    assert "damaged" not in command("list", "--db", path).err
    assert command("list", "--json", "--db", path).json["sound"] is True
    assert command("info", "--json", "--db", path).json["sound"] is True
    file = ReadOnlyFile(path)
    assert file.read(counts_agree)
    assert file.read(lambda reader: counts_agree(reader, "NOT INDEXED"))


def test_a_file_that_agrees_with_itself_pays_no_walk_along_its_table(path: Path) -> None:
    asked: list[str] = []
    file = ReadOnlyFile(path)

    def traced(reader: Reader) -> None:
        reader._connection.set_trace_callback(asked.append)

    def work() -> None:
        file.read(traced)
        HermesStore(file).catalog()

    file.together(work)
    assert asked
    assert not [sql for sql in asked if "NOT INDEXED" in sql]
