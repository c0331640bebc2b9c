"""A real agent in a process of its own: makes a file, and appends to it as fast as it can.

What it was told is stored it writes to a log of numbers, one a line: those must be in the file
whatever became of anybody else.
"""

import os
import random
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any

from tests.agents import agent_path
from tests.edits.nursery import Job, Nursery, say, serve

LIVE = "live"
"""The session that is appended to."""
HUGE = "huge"
SMALL = 24
WORDS = ("harbour", "lantern", "granite", "willow", "compass", "meadow", "ember", "tunnel")


class Appender:
    """An agent of one version, for one file after the other."""

    def __init__(self, nursery: Nursery) -> None:
        self.nursery = nursery

    def make(self, path: Path, messages: int, huge: int = 0) -> None:
        """A file with one session of so many messages, many small ones and a family; and two
        with a single message of so many bytes each."""
        self._have(do="make", path=str(path), messages=messages, huge=huge)

    def fill(self, path: Path, sessions: int, each: int) -> None:
        """A file with so many sessions of scheduled jobs, all of them long over."""
        self._have(do="fill", path=str(path), sessions=sessions, each=each)

    def prune(self, path: Path) -> None:
        """Its own prune of those."""
        self._have(do="prune", path=str(path))

    def delete(self, path: Path, session: str) -> None:
        """Its own delete."""
        self._have(do="delete", path=str(path), session=session)

    def _have(self, **job: str | int) -> None:
        self.nursery.begin(**job)
        words, status = self.nursery.over()
        assert status == 0, words

    @contextmanager
    def appending(
        self,
        path: Path,
        mode: str,
        log: Path,
        rest: float = 0.0,
        lockless: bool = False,
        visits: bool = False,
        session: str = LIVE,
    ) -> Iterator[None]:
        """It appends from here on; leaving waits for its last word, if it is still alive. Without
        its locks it is as after it opened and closed its own file by another way; with `visits` it
        opens the file anew for each append. Where several agents append at once, each needs a
        session of its own, and the file its journal mode already: with `mode` empty it is kept."""
        self.nursery.begin(
            do="append",
            path=str(path),
            mode=mode,
            log=str(log),
            rest=rest,
            lockless=lockless,
            visits=visits,
            session=session,
        )
        self.nursery.until("ready")
        try:
            yield
        finally:
            if self.nursery.pid:
                self.nursery.signal(signal.SIGTERM)
                self.errors = [word for word in self.nursery.over()[0] if word.startswith("error")]

    def kill(self) -> None:
        self.nursery.signal(signal.SIGKILL)
        words, _ = self.nursery.over()
        self.errors = [word for word in words if word.startswith("error")]

    errors: list[str] = []
    """What its last appends failed with."""

    def check(self) -> None:
        """Every append was stored."""
        if self.errors:
            raise RuntimeError(f"the agent met errors: {self.errors[:3]}")


@contextmanager
def appender(version: str, home: Path) -> Iterator[Appender]:
    home.mkdir(parents=True, exist_ok=True)
    path = agent_path("hermes-agent", version)
    with Nursery("tests.edits.appender", [path], home) as nursery:
        yield Appender(nursery)


def acknowledged(log: Path) -> list[tuple[int, float, float]]:
    """(number, when it was begun, seconds it took) of every append that the agent was told is
    stored. It may be writing the next line: what is there without an end is not told yet."""
    text = log.read_text(encoding="ascii") if log.exists() else ""
    lines = text[: text.rfind("\n") + 1].splitlines()
    return [
        (int(number), float(begun), float(took))
        for number, begun, took in (line.split() for line in lines)
    ]


def _make(path: Path, messages: int, huge: int) -> None:
    from hermes_state import SessionDB  # type: ignore[import-not-found]

    db = SessionDB(path)
    talk = _talker(db)
    talk("root", 4)
    talk("helper", 3, parent_session_id="root", model_config={"_delegate_from": "root"})
    talk("branch", 3, parent_session_id="root", model_config={"_branched_from": "root"})
    talk("big", messages)
    for number in range(SMALL):
        talk(f"small-{number}", 1 + number % 7)
    for number in range(2 if huge else 0):
        db.create_session(f"{HUGE}-{number}", "cli")
        words = " ".join(random.Random(number).choices(WORDS, k=huge // 7))
        db.append_message(f"{HUGE}-{number}", "user", words)
    for name in ("root", "big", "small-3"):
        db.set_session_title(name, f"Title of {name}")
    _close_as_old(db)


def _fill(path: Path, sessions: int, each: int) -> None:
    from hermes_state import SessionDB

    db = SessionDB(path)
    talk = _talker(db)
    for number in range(sessions):
        talk(f"cron_{number % 40:012x}_{number}", each, "cron")
    _close_as_old(db)


def _own(path: Path, session: str) -> None:
    """The agent deletes one, or prunes what the scheduled jobs left."""
    db = _opened_beside(path)
    if session:
        db.delete_session(session)
    else:
        db.prune_sessions(older_than_days=7, source="cron")
    db.close()


def _opened_beside(path: Path) -> Any:
    """A second agent gives up at once where the first one is just writing: it is started again."""
    from hermes_state import SessionDB

    for _ in range(99):
        with suppress(sqlite3.OperationalError):
            return SessionDB(path)
        time.sleep(0.1)
    return SessionDB(path)


def _talker(db: Any) -> Callable[..., None]:
    """Has sessions written by the agent itself, and ended."""
    rng = random.Random(7)
    # how long the disk takes is of no interest here
    db._conn.execute("PRAGMA synchronous = OFF")

    def talk(name: str, count: int, source: str = "cli", **more: object) -> None:
        db.create_session(name, source, **more)
        for turn in range(count):
            text = " ".join(rng.choices(WORDS, k=40))
            db.append_message(name, ("user", "assistant")[turn % 2], f"{name} {turn} {text}")
        db.end_session(name, f"{source}_close")

    return talk


def _close_as_old(db: Any) -> None:
    """Nothing of it is to count as running."""
    db._conn.execute("UPDATE sessions SET started_at = 1e9, ended_at = 1.1e9")
    db._conn.execute("UPDATE messages SET timestamp = 1e9 + id")
    db._conn.commit()
    db.close()


def _append(
    path: Path, mode: str, log: Path, rest: float, lockless: bool, visits: bool, session: str
) -> None:
    asked: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        asked.append(number)

    signal.signal(signal.SIGTERM, stop)
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    db = _opened_as(path, mode)
    db.create_session(session, "cli")
    said = 0
    while not asked:
        begun = time.monotonic()
        try:
            number = db.append_message(
                session, ("user", "assistant")[said % 2], f"zebra {said} grazing"
            )
        except Exception as error:
            say(f"error {error!r}")
        else:
            os.write(out, f"{number} {begun:.6f} {time.monotonic() - begun:.6f}\n".encode())
        said += 1
        if visits:
            db.close()
            time.sleep(random.uniform(0.0, 0.03))
            db = _opened_beside(path)
        if lockless:
            # Not those on the index of the log: whoever opens the file next would empty that under
            # it, which no reader of SQLite can avoid.
            os.close(os.open(path, os.O_RDONLY))
        if said == 1:
            say("ready")
        if rest:
            time.sleep(rest)
    db.close()


def _opened_as(path: Path, mode: str) -> Any:
    """The file in a journal mode; where that is empty, in the one that it has."""
    import hermes_state

    if not mode:
        # It would have a log, and cannot on a drive where SQLite refuses one.
        hermes_state.apply_wal_with_fallback = lambda *_, **__: ""
        return _opened_beside(path)
    db = hermes_state.SessionDB(path)
    db._conn.execute(f"PRAGMA journal_mode = {mode}")
    return db


def work(job: Job) -> None:
    path = Path(str(job["path"]))
    if job["do"] == "make":
        _make(path, int(job["messages"]), int(job["huge"]))
    elif job["do"] == "fill":
        _fill(path, int(job["sessions"]), int(job["each"]))
    elif job["do"] in ("prune", "delete"):
        _own(path, str(job.get("session", "")))
    else:
        _append(
            path,
            str(job["mode"]),
            Path(str(job["log"])),
            float(job["rest"]),
            bool(job["lockless"]),
            bool(job["visits"]),
            str(job["session"]),
        )


if __name__ == "__main__":
    # its forks find it imported
    import hermes_state  # noqa: F401

    serve(work)
