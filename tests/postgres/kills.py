"""Kills an explorer at random moments of its changes on a server, while power-loop writes other
sessions there, and looks at what is left."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from explorer.stores.ours.trash_records import EntryState, ReceiptState
from explorer.stores.power_loop.server_edits.editor import ServerEditor
from tests.agents import agent_path
from tests.edits.kills import Figures
from tests.postgres.edit_ground import Ground, copy, delete, undo
from tests.postgres.filling import POWER_LOOP
from tests.postgres.server import Server

BESIDE = "beside"
"""Begins the ids of the sessions that are written meanwhile."""
WRITES = """
import asyncio, sys
from power_loop.runtime.store.factory import open_store

async def main(address, name):
    store = await open_store(address, table_prefix="pl_")
    for number in range(3):
        await store.create_session(session_id=f"{name}_{number}")
    number = 0
    while True:
        session = f"{name}_{number % 3}"
        seq = await store.append_message(session, role="user", content=f"{name} {number}")
        print(session, seq, flush=True)
        number += 1
        await asyncio.sleep(0.002)

asyncio.run(main(*sys.argv[1:]))
"""
ROOTS = ("first_root", "second_root", "first_detached", "second_detached")
DELETE, UNDO = "delete, PostgreSQL", "undo a delete, PostgreSQL"
TRIES = 5
"""For a kill that lands inside: one by the clock may come when all is over."""


def kill_on_server(
    server: Server,
    folder: Path,
    kills: int,
    seed: int,
    told: Callable[[Mapping[str, Figures]], None] = lambda figures: None,
) -> Mapping[str, Figures]:
    """So many kills that landed inside a delete of several conversations, or its undo; by edit.
    The server has the template of `edit_ground`."""
    rng, figures = random.Random(seed), {DELETE: Figures(), UNDO: Figures()}
    ground = copy(server, folder)
    try:
        trial = _Trial(ground, figures)
        with _writing(ground, folder / "written"):
            for number in range(kills * TRIES):
                if sum(one.kills for one in figures.values()) == kills:
                    break
                trial.kill(number, (DELETE, UNDO)[number % 2], rng)
                told(figures)
        trial.look_for_appends(folder / "written")
    finally:
        ground.drop()
    return figures


@contextmanager
def _writing(ground: Ground, log: Path) -> Iterator[None]:
    """The real package writes, and says of each message that it is stored."""
    home = log.with_name("writer")
    home.mkdir()
    path = str(agent_path(*POWER_LOOP))
    command = [sys.executable, "-c", WRITES, ground.server.address(ground.database), BESIDE]
    with (
        log.open("wb") as out,
        subprocess.Popen(
            command,
            env={**os.environ, "PYTHONPATH": path, "HOME": str(home)},
            cwd=home,
            stdout=out,
        ) as writer,
    ):
        while not log.stat().st_size:
            assert writer.poll() is None, "power-loop did not start"
            time.sleep(0.02)
        try:
            yield
            assert writer.poll() is None, "power-loop stopped"
        finally:
            writer.kill()


def _all(editor: ServerEditor) -> object:
    return delete(editor, *ROOTS)


class _Trial:
    """One database, and a trash for each kill."""

    def __init__(self, ground: Ground, figures: Mapping[str, Figures]) -> None:
        self._ground, self._figures = ground, figures
        self._was = self._dump()
        self._ids = self._found()
        self._seconds: dict[str, float] = {}

    def kill(self, number: int, edit: str, rng: random.Random) -> None:
        ground = self._ground._replace(folder=self._ground.folder / str(number))
        act = _all if edit == DELETE else undo
        if edit not in self._seconds:
            self._seconds[edit] = self._length(ground, edit)
            ground = ground._replace(folder=ground.folder / "again")
        if edit == UNDO:
            _all(ground.editor())
        after = rng.uniform(0, self._seconds[edit])
        said = _killed(lambda: act(ground.editor()), after)
        figures = self._figures[edit]
        if said.startswith("failed"):
            figures.wrong.append(f"{edit}: {said}")
        figures.kills += said == ""
        figures.wrong += [f"{edit}, after {after:.4f} s: {one}" for one in self._look(ground)]

    def _length(self, ground: Ground, edit: str) -> float:
        """Seconds that an edit takes when nobody kills it."""
        _all(ground.editor()) if edit == UNDO else None
        begun = time.monotonic()
        undo(ground.editor()) if edit == UNDO else _all(ground.editor())
        took = time.monotonic() - begun
        _undo_all(ground.editor())
        return took

    def _look(self, ground: Ground) -> Iterator[str]:
        """What is wrong at the next start, and after everything is undone."""
        editor = ground.editor()
        if editor.after_crash().half_done:
            yield "something is half done"
        receipts = editor.trash.receipts()
        if any(one.half_done for one in receipts):
            yield "the trash does not know what was done"
        kept = {
            entry.session
            for one in receipts
            for entry in editor.trash.entries(one.number)
            if entry.state is not EntryState.BACK
        }
        there = self._found()
        if kept & there or kept | there != self._ids:
            yield f"in the trash: {sorted(kept)}, on the server: {sorted(there)}"
        _undo_all(editor)
        if self._dump() != self._was:
            yield "the rows are not those from before"

    def look_for_appends(self, log: Path) -> None:
        """Every message that power-loop was told is stored is there."""
        lines = log.read_text().splitlines()
        # The last one may not be whole.
        told = {tuple(line.split()) for line in lines[:-1]}
        sql = f"SELECT session_id, seq::text FROM pl_messages WHERE session_id LIKE '{BESIDE}%'"
        missing = told - set(self._ground.run(sql))
        for one in self._figures.values():
            one.appends = len(told) // len(self._figures)
        self._figures[DELETE].wrong.extend(f"lost: {one}" for one in sorted(missing))

    def _dump(self) -> dict[str, list[object]]:
        return {
            table: [row for row in rows if BESIDE not in str(row)]
            for table, rows in self._ground.dump().items()
        }

    def _found(self) -> set[str]:
        return {str(id_) for id_ in self._ground.ids() if not str(id_).startswith(BESIDE)}


def _undo_all(editor: ServerEditor) -> None:
    while any(one.state is not ReceiptState.UNDONE for one in editor.trash.receipts()):
        undo(editor)


def _killed(work: Callable[[], object], after: float) -> str:
    """What is said at the end by some work in a copy of this process, which is killed so many
    seconds after its beginning: nothing, where that was inside."""
    reading, telling = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.write(telling, b"begun\n")
            work()
            os.write(telling, b"ended")
        except BaseException as error:
            os.write(telling, f"failed: {error!r}".encode())
        finally:
            os.kill(os.getpid(), signal.SIGKILL)
    os.close(telling)
    with os.fdopen(reading) as told:
        told.readline()
        time.sleep(after)
        os.kill(child, signal.SIGKILL)
        said = told.read()
    os.waitpid(child, 0)
    return said
