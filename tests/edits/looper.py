"""A real power-loop in a process of its own, with the jobs of `appender`: makes a file, appends."""

import asyncio
import os
import random
import signal
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import FrameType

from tests.agents import agent_path
from tests.edits.appender import LIVE, SMALL, WORDS, Appender
from tests.edits.nursery import Job, Nursery, say, serve

VERSION = "8.0.0"


@contextmanager
def looper(home: Path) -> Iterator[Appender]:
    home.mkdir(parents=True, exist_ok=True)
    with Nursery("tests.edits.looper", [agent_path("power-loop", VERSION)], home) as nursery:
        yield Appender(nursery)


async def _make(path: Path, messages: int) -> None:
    from power_loop.runtime.store import open_store  # type: ignore[import-not-found]

    rng = random.Random(7)
    store = await open_store(str(path))

    async def talk(name: str, count: int, **more: object) -> None:
        await store.create_session(session_id=name, metadata={"title": f"Title of {name}"}, **more)
        for turn in range(count):
            text = " ".join(rng.choices(WORDS, k=40))
            role = ("user", "assistant")[turn % 2]
            await store.append_message(name, role=role, content=f"{name} {turn} {text}")

    await talk("root", 4)
    await talk("helper", 3, parent_session_id="root")
    await talk("big", messages)
    for number in range(SMALL):
        await talk(f"small-{number}", 1 + number % 7)
    await store.close()
    with closing(sqlite3.connect(path)) as db, db:
        # Nothing of this is to count as running.
        db.execute("UPDATE pl_sessions SET created_at = 1000000000000, updated_at = created_at")
        db.execute("UPDATE pl_messages SET created_at = 1000000000000 + seq")


async def _append(path: Path, log: Path, rest: float) -> None:
    from power_loop.runtime.store import open_store

    asked: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        asked.append(number)

    signal.signal(signal.SIGTERM, stop)
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    store = await open_store(str(path))
    await store.create_session(session_id=LIVE)
    said = 0
    while not asked:
        begun = time.monotonic()
        try:
            number = await store.append_message(LIVE, role="user", content=f"zebra {said} grazing")
        except Exception as error:
            say(f"error {error!r}")
        else:
            os.write(out, f"{number} {begun:.6f} {time.monotonic() - begun:.6f}\n".encode())
        said += 1
        if said == 1:
            say("ready")
        await asyncio.sleep(rest)
    await store.close()


def work(job: Job) -> None:
    path = Path(str(job["path"]))
    if job["do"] == "make":
        asyncio.run(_make(path, int(job["messages"])))
    else:
        asyncio.run(_append(path, Path(str(job["log"])), float(job["rest"])))


if __name__ == "__main__":
    # its forks find it imported
    import power_loop.runtime.store  # type: ignore[import-not-found]  # noqa: F401

    serve(work)
