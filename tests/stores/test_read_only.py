"""Reading beside a live agent: cancelled at once, patient with locks, and never a writer."""

import os
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from explorer.cancel import CancelToken
from explorer.errors import Cancelled, StoreError
from explorer.stores.base import Needles
from explorer.stores.kinds import open_store
from explorer.stores.sqlite.read_only import Reader, ReadOnlyFile, Values
from tests.factories import altered, everybody, one_session, say, told
from tests.locker import Locker

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
LONG = 60.0
"""Seconds after which a test that should not wait at all has failed."""
DESCRIPTORS = Path("/proc/self/fd")

needs_proc = pytest.mark.skipif(not DESCRIPTORS.exists(), reason="descriptors are not in /proc")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return one_session(tmp_path / "state.db")


@pytest.fixture
def locked(path: Path) -> Iterator[Locker]:
    """Another process that has the file to itself."""
    with altered(path) as db:
        db.execute("PRAGMA journal_mode = DELETE")
    with Locker(path) as locker:
        yield locker


def _count(reader: Reader) -> object:
    return reader.value("SELECT count(*) FROM messages")


def test_cancelling_stops_a_query_inside_sqlite(path: Path) -> None:
    token, begun, ended = CancelToken(), threading.Event(), threading.Event()

    def work(reader: Reader) -> object:
        begun.set()
        return reader.value(ENDLESS)

    def run() -> None:
        with pytest.raises(Cancelled):
            ReadOnlyFile(path).read(work, token)
        ended.set()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert begun.wait(LONG)
    token.cancel()
    assert ended.wait(LONG)
    thread.join(LONG)


def test_nothing_is_read_after_a_cancel(path: Path) -> None:
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        ReadOnlyFile(path).read(_count, token)


def test_a_busy_file_is_read_when_the_other_lets_go(path: Path, locked: Locker) -> None:
    waits: list[bool] = []

    def waiting() -> None:
        waits.append(True)
        locked.release()

    assert ReadOnlyFile(path, LONG, waiting).read(_count) == 2
    assert waits


def test_waiting_ends_at_once_when_cancelled(path: Path, locked: Locker) -> None:
    token = CancelToken()
    with pytest.raises(Cancelled):
        ReadOnlyFile(path, LONG, token.cancel).read(_count, token)
    locked.release()


def open_modes(target: Path) -> list[int]:
    """The access modes of this process' descriptors on a file; another thread may close one at any
    moment, which is then not counted."""
    found = []
    for entry in DESCRIPTORS.iterdir():
        try:
            if not entry.samefile(target):
                continue
            info = Path(f"/proc/self/fdinfo/{entry.name}").read_text()
        except OSError:
            continue
        flags = next(line for line in info.splitlines() if line.startswith("flags:"))
        found.append(int(flags.split()[1], 8) & os.O_ACCMODE)
    return found


@needs_proc
@pytest.mark.parametrize("mode", ["WAL", "DELETE"])
def test_the_database_is_never_open_for_writing(path: Path, mode: str) -> None:
    with altered(path) as db:
        db.execute(f"PRAGMA journal_mode = {mode}")

    def work(reader: Reader) -> list[int]:
        reader.rows("SELECT * FROM messages")
        return open_modes(path)

    assert ReadOnlyFile(path).read(work) == [os.O_RDONLY]


@needs_proc
def test_nothing_stays_open_between_two_reads(path: Path) -> None:
    store = open_store(path)
    store.catalog()
    store.first_page(5, 0.0)
    assert open_modes(path) == []


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM messages",
        "CREATE TABLE mine (x)",
        "PRAGMA user_version = 5",
        "PRAGMA wal_checkpoint(TRUNCATE)",
        "VACUUM INTO '{folder}/stray.db'",
    ],
)
def test_no_statement_can_write(path: Path, sql: str) -> None:
    before = path.read_bytes()
    statement = sql.format(folder=path.parent)
    with suppress(StoreError):
        ReadOnlyFile(path, patience=0).read(lambda reader: reader.rows(statement))
    assert path.read_bytes() == before
    assert not (path.parent / "stray.db").exists()


def test_one_piece_of_work_sees_one_state_of_the_file(path: Path) -> None:
    def work(reader: Reader) -> tuple[object, object]:
        before = _count(reader)
        with altered(path) as db:
            say(db, "s")
        return before, _count(reader)

    file = ReadOnlyFile(path)
    assert file.read(work) == (2, 2)
    assert file.read(_count) == 3


def test_what_is_read_at_once_sees_one_state_of_the_file(path: Path) -> None:
    written: list[int] = []

    def write(sql: str) -> None:
        """Just when the second connection has begun to read, and the first has not begun again."""
        if sql == "COMMIT" and not written:
            with altered(path) as db:
                written.append(say(db, "s", content="and on"))

    def work(reader: Reader) -> tuple[object, object]:
        assert _count(reader) == 2
        reader._connection.set_trace_callback(write)
        return reader.at_once(lambda: _count(reader), _count)

    assert ReadOnlyFile(path).read(work) == (3, 3)
    assert written


def test_a_reader_that_cannot_have_a_second_connection_reads_one_after_the_other(
    path: Path,
) -> None:
    with altered(path) as db:
        db.execute("PRAGMA journal_mode = DELETE")
    same = ReadOnlyFile(path).read(
        lambda reader: reader.at_once(lambda: reader, lambda other: other)
    )
    assert same[0] is same[1]


@pytest.mark.parametrize("fails", ["own", "other"])
def test_where_one_of_two_reads_fails_the_other_is_stopped(path: Path, fails: str) -> None:
    def work(reader: Reader) -> object:
        broken, endless = "SELECT nothing", ENDLESS
        own, other = (broken, endless) if fails == "own" else ("SELECT 1", broken)
        return reader.at_once(lambda: reader.value(own), lambda one: one.value(other))

    with pytest.raises(StoreError):
        ReadOnlyFile(path).read(work)


def test_reads_done_together_see_one_state_of_the_file_and_are_done_again_together(
    path: Path,
) -> None:
    file, tries, seen = ReadOnlyFile(path), [0], list[object]()

    def twice() -> tuple[object, object]:
        tries[0] += 1
        first = file.read(_count)
        with altered(path) as db:
            say(db, "s")
        seen.append(file.read(_count))
        if tries[0] == 1:
            file.read(lambda reader: reader.rows("SELECT 1 FROM vanished"))
        return first, seen[-1]

    first, second = file.together(twice)
    assert (tries, first, second) == ([2], 3, 3)
    assert seen == [2, 3]
    assert file.read(_count) == 4


def test_a_session_made_between_two_queries_of_the_catalog_does_no_harm(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = Reader.rows
    made = iter(range(99))

    def rows(self: Reader, sql: str, values: Values = ()) -> list[object]:
        found = plain(self, sql, values)
        with altered(path) as db:
            db.execute("UPDATE sessions SET ended_at = 1, end_reason = 'compression'")
            db.execute(
                "INSERT INTO sessions (id, source, started_at, parent_session_id)"
                " VALUES (?, 'cli', 2, 's')",
                (f"new{next(made)}",),
            )
        return found

    monkeypatch.setattr(Reader, "rows", rows)
    assert len(open_store(path).catalog()) == 1


def test_text_that_is_none_is_read_with_replacements(path: Path) -> None:
    with altered(path) as db:
        db.execute("UPDATE messages SET content = CAST(x'61ff62' AS TEXT) WHERE id = 1")
    assert [message.text for message in told(path)] == ["a\ufffdb", "Hi."]


def test_a_search_survives_text_that_is_none(path: Path) -> None:
    with altered(path) as db:
        db.execute("UPDATE messages SET session_id = CAST(x'ff' AS TEXT) WHERE id = 1")
    found = open_store(path).scanned(Needles((("hello",),)), None).found
    assert [(one.message_id, one.session_id) for one in found] == [(1, "\ufffd")]


def test_an_error_of_a_moment_is_tried_again(path: Path) -> None:
    tries: list[int] = []

    def work(reader: Reader) -> object:
        tries.append(1)
        return reader.value("SELECT no_such_column FROM messages" if len(tries) < 3 else "SELECT 5")

    assert ReadOnlyFile(path, LONG).read(work) == 5
    assert len(tries) == 3


def test_an_error_that_persists_is_raised(path: Path) -> None:
    with pytest.raises(StoreError, match="no_such_column"):
        ReadOnlyFile(path).read(lambda reader: reader.rows("SELECT no_such_column FROM messages"))


def test_columns_may_come_and_go_between_two_reads(path: Path) -> None:
    with altered(path) as db:
        db.execute("UPDATE sessions SET title = 'Kept'")
    store = open_store(path)
    unit = store.catalog().single(1)
    assert store.sessions([unit], 0.0)[0].title == "Kept"
    with altered(path) as db:
        db.execute("DROP INDEX idx_sessions_title_unique")
        db.execute("ALTER TABLE sessions DROP COLUMN title")
        db.execute("ALTER TABLE sessions ADD COLUMN pinned INTEGER")
    assert store.sessions([unit], 0.0)[0].title is None
    assert store.find("Kept") == []
    with altered(path) as db:
        db.execute("ALTER TABLE sessions ADD COLUMN title TEXT DEFAULT 'Back'")
    assert store.sessions([unit], 0.0)[0].title == "Back"


def test_a_broken_view_spoils_nothing_else(path: Path) -> None:
    with altered(path) as db:
        db.execute("CREATE VIEW broken AS SELECT * FROM messages JOIN gone")
    assert [session.id for session in everybody(path)] == ["s"]


@pytest.mark.parametrize("name", ["a?b#c.db", "100%41.db", "sp ace.db", "ünïcode.db", "new\nline"])
def test_any_name_opens_that_very_file(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "only"
    folder.mkdir()
    path = one_session(folder / name)
    assert [session.id for session in everybody(path)] == ["s"]
    stray = {each.name for each in folder.iterdir()} - {name, f"{name}-wal", f"{name}-shm"}
    assert stray == set()


def test_a_name_that_is_no_text_opens_too(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfe.db"))
    one_session(tmp_path / "plain.db").rename(path)
    assert [session.id for session in everybody(path)] == ["s"]


def test_a_link_leads_to_the_log_beside_the_file(path: Path, tmp_path: Path) -> None:
    link = tmp_path / "elsewhere" / "link.db"
    link.parent.mkdir()
    link.symlink_to(path)
    with altered(path) as db:
        say(db, "s", content="only in the log")
        assert told(link)[-1].text == "only in the log"
    assert [each.name for each in link.parent.iterdir()] == ["link.db"]
