"""A prune of thousands of sessions beside an agent that writes: how fast it is, and what that costs
the agent. The rules choose and the editor does it, as in the app."""

import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TypeVar

from bench.progress import say
from bench.report import Aim, Table
from bench.sizes import Beside
from bench.waits import HEADINGS, MODES, REST, during, tabulate
from explorer.search.prune_rules import PRESETS
from tests.editors import edits_on
from tests.edits.appender import Appender, appender
from tests.edits.victim import prune_plan

T = TypeVar("T")

EACH = 5
"""Messages of a session: as in the biggest prune that users reported."""
PRESET = PRESETS["Cron sessions older than 7 days"]
SPEED = 100
"""Sessions a second that a prune is to reach."""

SPEED_TEXT = """
{sessions:,} cron sessions of {each} messages each are pruned from a file to which an agent appends
about a hundred messages a second, and restored. The plan is everything that is read before the
question. Every session is first copied to the trash and synced to disk. For comparison, the agent's
own prune of the same file, which copies nothing and holds the lock from the first session to the
last.
"""

WAITS_TEXT = """
The same prunes, seen from the agent: how long its appends take, by its own clock.
"""


class Prunes:
    """Measured once, shown in two tables."""

    def __init__(self, beside: Beside) -> None:
        self._beside = beside
        text = SPEED_TEXT.format(sessions=beside.sessions, each=EACH)
        self._speed = Table("A prune", text, ("Hermes", "journal", "what", "takes", "a second"))
        self._waits = Table("An agent beside a prune", WAITS_TEXT, ("Hermes", "journal", *HEADINGS))

    def speed(self, rounds: int) -> Table:
        """One round is enough: a prune is the same thing thousands of times."""
        for version in self._beside.versions:
            for mode in MODES:
                say(f"  Hermes {version}, {mode}")
                with tempfile.TemporaryDirectory(prefix="prunes-") as folder, ExitStack() as both:
                    agent, other = (
                        both.enter_context(appender(version, Path(folder) / name))
                        for name in ("a", "b")
                    )
                    self._measure(agent, other, Path(folder), (version, mode))
        return self._speed

    def waits(self, rounds: int) -> Table:
        return self._waits

    def _measure(
        self, agent: Appender, other: Appender, folder: Path, where: tuple[str, str]
    ) -> None:
        path, log = folder / "state.db", folder / "log"
        agent.fill(path, self._beside.sessions, EACH)
        editor = edits_on(path, folder / "trash.db", time.time)
        with agent.appending(path, where[1], log, REST):
            quiet = during(log, lambda: time.sleep(self._beside.alone))
            plan = self._timed(
                where, "making the plan", lambda: prune_plan(editor, PRESET, time.time())
            )
            assert len(plan.doomed) == self._beside.sessions
            gone = during(
                log, lambda: self._timed(where, "the prune", lambda: editor.apply(plan), SPEED)
            )
            back = editor.undo_plan()
            restored = during(
                log, lambda: self._timed(where, "the undo", lambda: editor.undo(back), SPEED / 2)
            )
            own = during(
                log, lambda: self._timed(where, "the agent's own prune", lambda: other.prune(path))
            )
        agent.check()
        floors = [("its own prune", own)]
        ours = [("the prune", gone), ("the undo", restored)]
        tabulate(self._waits, where, quiet, floors, ours)

    def _timed(
        self, where: tuple[str, str], what: str, act: Callable[[], T], least: float | None = None
    ) -> T:
        begun = time.perf_counter()
        found = act()
        took = time.perf_counter() - begun
        pace = self._beside.sessions / took
        aim = None if least is None else Aim(f"> {least:.0f} a second", pace > least)
        self._speed.add(*where, what, f"{took:,.1f} s", f"{pace:,.0f}", aim=aim)
        return found
