"""Kills an explorer in the middle of its edits, beside a real agent, and looks at what is left."""

import random
import shutil
import signal
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

from explorer.stores.ours.trash import TrashFile
from tests.edits.appender import Appender, acknowledged, appender
from tests.edits.looper import VERSION as LOOPER
from tests.edits.looper import looper
from tests.edits.nursery import Nursery
from tests.edits.victim import BEFORE, EDITS, editor_on, trash_of
from tests.edits.whereabouts import Whereabouts, aftermath
from tests.newer_files import empty_file

POWER_LOOP = f"power-loop {LOOPER}"
SHAPES = {"schema 26": "hermes-v26", "schema 31": "hermes-v31"}
"""Files of releases that cannot be had: the newest one that can writes to their tables."""
IMPOSSIBLE = {
    "0.13.0": ("archive", "undo an archive"),
    POWER_LOOP: ("clear", "reopen", "undo a clear"),
}
"""What the files of a version have no place for."""
TRIES = 5
"""For a kill that lands inside: one by the clock may come when all is over."""


@dataclass(slots=True)
class Figures:
    """What the kills of one edit came to."""

    kills: int = 0
    """That landed inside; where there is no room, edits that failed."""
    half_done: int = 0
    """After which somebody had to decide: finish, or put back."""
    appends: int = 0
    """That the agent was told are stored."""
    wrong: list[str] = field(default_factory=list)


class Range:
    """Files as one version of the agent made them, on which edits are tried and killed."""

    def __init__(
        self, folder: Path, version: str, agent: Appender, victim: Nursery, messages: int
    ) -> None:
        self.version = version
        self._folder = folder / version
        self._folder.mkdir()
        self._agent = agent
        self._victim = victim
        self._plain = self._folder / "plain"
        self._plain.mkdir()
        if version in SHAPES:
            empty_file(SHAPES[version], self._plain / "state.db")
        agent.make(self._plain / "state.db", messages)
        if version in SHAPES:
            furnish(self._plain / "state.db")
        beside = self._plain / "sessions"
        beside.mkdir()
        for name in ("big", "root", "small-1", "small-2") if version != POWER_LOOP else ():
            (beside / f"session_{name}.json").write_text(f"all of {name}")
        self._was = Whereabouts(self._plain / "state.db")
        self._length: dict[tuple[str, str], tuple[float, int]] = {}

    @property
    def edits(self) -> list[str]:
        return [edit for edit in EDITS if edit not in IMPOSSIBLE.get(self.version, ())]

    def name(self, edit: str) -> str:
        """What its figures are told under."""
        return f"{edit}, power-loop" if self.version == POWER_LOOP else edit

    def _ground(self, edit: str) -> Path:
        """A folder in which the edit is possible; made once."""
        first = BEFORE.get(edit)
        if first is None:
            return self._plain
        ground = self._folder / first.replace(" ", "-")
        if not ground.exists():
            with self._copy(self._plain) as path:
                EDITS[first](editor_on(path))()
                shutil.copytree(path.parent, ground)
        return ground

    @contextmanager
    def _copy(self, ground: Path) -> Iterator[Path]:
        """Always in the same place: the trash knows files by where they are."""
        place = self._folder / "here"
        shutil.copytree(ground, place)
        try:
            yield place / "state.db"
        finally:
            shutil.rmtree(place)

    def length(self, edit: str, mode: str) -> tuple[float, int]:
        """(seconds, ticks) that an edit takes when nobody kills it; measured once."""
        if (edit, mode) not in self._length:
            with self._copy(self._ground(edit)) as path:
                _in_mode(path, mode)
                self._victim.begin(edit=edit, path=str(path), pause=PAUSE, ticks=0, most=0)
                self._victim.until("begin")
                begun = time.monotonic()
                self._victim.until("end")
                took = time.monotonic() - begun
                words, status = self._victim.over()
                assert status == 0, words
            self._length[edit, mode] = took, int(words[-1].removeprefix("ticks "))
        return self._length[edit, mode]

    def kill(
        self, edit: str, mode: str, rng: random.Random, figures: Figures, enough: int = 0
    ) -> None:
        """One kill; what came of it is counted. With `enough`, logs of so many bytes are written
        back, and the agent comes and goes, as far as it is there at all."""
        seconds, ticks = self.length(edit, mode)
        last = rng.randrange(1, ticks + 1) if rng.random() < 0.5 else 0
        remains = self._folder / "remains"
        with self._copy(self._ground(edit)) as path:
            log = path.parent / "log"
            beside = self._agent.appending(path, mode, log, 0.001, visits=bool(enough))
            with nullcontext() if enough and rng.random() < 0.5 else beside:
                self._victim.begin(
                    edit=edit, path=str(path), pause=PAUSE, ticks=last, most=0, enough=enough
                )
                self._victim.until("begin")
                if not last:
                    # Beside a writing agent it takes longer than alone.
                    time.sleep(rng.uniform(0, seconds * 1.3))
                    self._victim.signal(signal.SIGKILL)
                words, status = self._victim.over()
                with_agent = rng.random() < 0.3 and bool(self._agent.nursery.pid)
                if with_agent:
                    self._agent.kill()
            told = {number for number, _, _ in acknowledged(log)}
            shutil.copytree(path.parent, remains)
        where = f"{edit}, {mode}, {self.version}, {f'tick {last}' if last else 'by the clock'}"
        figures.wrong += [f"{where}: agent: {error}" for error in self._agent.errors]
        if status == -signal.SIGKILL and "end" not in words:
            figures.kills += 1
            figures.appends += len(told)
            half = 0
            for way in ("finish", "restore"):
                with self._copy(remains) as path:
                    if with_agent:
                        _recover_as_agent(path)
                    half, wrong = aftermath(editor_on(path), self._was, way, told)
                    figures.wrong += [f"{where}, {way}: {line}" for line in wrong]
            figures.half_done += half
        elif status not in (0, -signal.SIGKILL):
            figures.wrong.append(f"{where}: it failed by itself")
        shutil.rmtree(remains)

    def starve(self, edit: str, mode: str, most: int, figures: Figures) -> str:
        """The edit where no file can grow beyond `most` bytes: what it said of that, if anything.
        What is left must be as sound as after a kill."""
        remains = self._folder / "remains"
        with self._copy(self._ground(edit)) as path:
            _in_mode(path, mode)
            self._victim.begin(edit=edit, path=str(path), pause=PAUSE, ticks=0, most=most)
            words, status = self._victim.over()
            shutil.copytree(path.parent, remains)
        where = f"{edit}, {mode}, {self.version}, {most} bytes"
        if status:
            figures.wrong.append(f"{where}: it failed by itself")
        for way in ("finish", "restore"):
            with self._copy(remains) as path:
                half, wrong = aftermath(editor_on(path), self._was, way, set())
                figures.wrong += [f"{where}, {way}: {line}" for line in wrong]
        figures.half_done += half
        shutil.rmtree(remains)
        return next((word for word in words if word.startswith("failed")), "")


PAUSE = 0.01
"""Seconds between two transactions of a victim."""


def _recover_as_agent(path: Path) -> None:
    """An agent that died in the middle of a write of its own, without a log, rolls that back when
    it starts again, and only then can the file be opened. What we left half done is ours to roll
    back, so it is left alone here."""
    ours = any(one.half_done for one in TrashFile(trash_of(path), path).receipts())
    if not ours and path.with_name(f"{path.name}-journal").exists():
        with closing(sqlite3.connect(path)) as db:
            db.execute("SELECT count(*) FROM sqlite_master").fetchall()


def kill_many(
    folder: Path,
    kills: int,
    seed: int,
    messages: int,
    told: Callable[[Mapping[str, Figures]], None] = lambda figures: None,
) -> Mapping[str, Figures]:
    """So many kills that landed inside, over all edits, journal modes and versions; by edit."""
    rng = random.Random(seed)
    with (
        Nursery("tests.edits.victim") as victim,
        appender("0.19.0", folder / "home-new") as new,
        appender("0.13.0", folder / "home-old") as old,
        looper(folder / "home-loop") as loop,
    ):
        ranges = [
            Range(folder, version, agent, victim, messages)
            for version, agent in (
                *(("0.19.0", new), ("0.13.0", old), (POWER_LOOP, loop)),
                *((version, new) for version in SHAPES),
            )
        ]
        figures = {one.name(edit): Figures() for one in ranges for edit in one.edits}
        turns = _turns(ranges)
        while sum(one.kills for one in figures.values()) < kills:
            one, edit, mode = next(turns)
            own = figures[one.name(edit)]
            before = own.kills
            for _ in range(TRIES):
                one.kill(edit, mode, rng, own)
                if own.kills > before:
                    break
            told(figures)
    return figures


def kill_alone(folder: Path, kills: int, seed: int, messages: int) -> Mapping[str, Figures]:
    """Kills of edits that write their log back, in a namespace in which the processes of this test
    are all that there are; with nobody beside, or an agent that comes and goes."""
    rng = random.Random(seed)
    edits = ("delete one big", "delete many", "undo a big delete", "undo a delete of many")
    figures = {edit: Figures() for edit in edits}
    with (
        Nursery("tests.edits.victim") as victim,
        appender("0.19.0", folder / "home") as agent,
    ):
        here = Range(folder, "0.19.0", agent, victim, messages)
        for number in range(kills):
            edit = edits[number % len(edits)]
            here.kill(edit, "WAL", rng, figures[edit], enough=100_000)
    return figures


def furnish(path: Path) -> None:
    """What a newer release keeps of its sessions: prompts of which some are shared, and where it
    orders messages for display, twins and messages that it has not ordered yet."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA foreign_keys = ON")
        for (id_,) in db.execute("SELECT id FROM sessions").fetchall():
            hash_ = "shared" if id_ in ("root", "helper", "big") else f"of {id_}"
            prompt = f"You are the prompt {hash_}."
            db.execute("INSERT OR IGNORE INTO system_prompts VALUES (?, ?)", (hash_, prompt))
            db.execute("UPDATE sessions SET system_prompt_hash = ? WHERE id = ?", (hash_, id_))
        columns = [row[1] for row in db.execute("PRAGMA table_info(messages)")]
        if "display_order" in columns:
            db.execute("UPDATE messages SET display_identity = x'07' WHERE id % 3 = 0")
            db.execute(
                "UPDATE messages SET display_order = (SELECT min(m.id) FROM messages m WHERE"
                " m.session_id = messages.session_id AND m.id % 3 = 0) WHERE id % 3 = 0"
            )
            db.execute("UPDATE messages SET display_order = NULL WHERE id % 5 = 0")
        if "message_uid" in columns:
            db.execute("UPDATE messages SET message_uid = NULL WHERE id % 7 = 0")


def starve_many(
    folder: Path, edits: Iterable[str], sizes: Sequence[int], messages: int
) -> tuple[Mapping[str, Figures], set[str]]:
    """Edits where no file can grow beyond each of these sizes, in both journal modes; by edit, and
    all that was said of it."""
    figures = {edit: Figures() for edit in edits}
    said: set[str] = set()
    with (
        Nursery("tests.edits.victim") as victim,
        appender("0.19.0", folder / "home") as agent,
    ):
        here = Range(folder, "0.19.0", agent, victim, messages)
        for edit, mode, most in product(figures, ("WAL", "DELETE"), sizes):
            failed = here.starve(edit, mode, most, figures[edit])
            figures[edit].kills += bool(failed)
            said.add(failed)
    return figures, said


def _turns(ranges: list[Range]) -> Iterator[tuple[Range, str, str]]:
    """All edits over and over, with another version and journal mode each time; power-loop goes
    back to its log whatever it finds."""
    new, old, loop, newer, newest = ranges
    first = (newest, "DELETE"), (loop, "WAL"), (new, "WAL"), (newer, "WAL"), (old, "DELETE")
    second = (newest, "WAL"), (loop, "WAL"), (new, "DELETE"), (newer, "DELETE"), (old, "WAL")
    while True:
        for one, mode in (*first, *second):
            for edit in one.edits:
                yield one, edit, mode


def _in_mode(path: Path, mode: str) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA journal_mode = {mode}")
