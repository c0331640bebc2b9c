"""An agent that appends while a long session is deleted and restored: how long it has to wait."""

import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from bench.report import Aim, Table, ms
from bench.sizes import Beside
from bench.waits import HEADINGS, MODES, REST, during, figure, tabulate
from explorer.model import Action
from tests.editors import edits_on
from tests.edits.appender import HUGE, Appender, appender
from tests.edits.victim import numbers

AGENT = "0.19.0"

TEXT = """
An agent (Hermes 0.19.0) appends about a hundred messages a second to a file in which a session of
{messages:,} messages is deleted and restored: how long its appends take, by its own clock. An edit
holds the lock for some hundredths of a second, then releases it for longer.
"""

ONE_TEXT = """
The same for a session with a single message of {size}. A message cannot be deleted in parts: its
words leave the search tables in one statement, and every append waits for that. So the floor is how
long another process of the agent waits for the agent's own delete of such a session, and the aim is
twice that.
"""


def appends(beside: Beside, rounds: int) -> Table:
    """One round is enough: an edit of this length meets hundreds of appends."""
    table = Table(
        "An agent beside an edit",
        TEXT.format(messages=beside.messages),
        ("journal", *HEADINGS),
    )
    for mode in MODES:
        with tempfile.TemporaryDirectory(prefix="appends-") as folder:
            path = Path(folder) / "state.db"
            with appender(AGENT, Path(folder) / "home") as agent:
                agent.make(path, beside.messages)
                _measure(table, agent, path, mode, beside.alone)
    return table


def _measure(table: Table, agent: Appender, path: Path, mode: str, alone: float) -> None:
    log = path.with_name("log")
    editor = edits_on(path, path.with_name("trash.db"), time.time)
    with agent.appending(path, mode, log, REST):
        plan = editor.plan(Action.DELETE, numbers(path, "big"))
        quiet = during(log, lambda: time.sleep(alone))
        gone = during(log, lambda: editor.apply(plan))
        back = editor.undo_plan()
        restored = during(log, lambda: editor.undo(back))
    agent.check()
    tabulate(table, [mode], quiet, [], [("the delete", gone), ("the undo", restored)])


def one_message(beside: Beside, rounds: int) -> Table:
    size = f"{beside.huge / 1e6:g} MB"
    table = Table(
        "An agent beside the delete of one huge message",
        ONE_TEXT.format(size=size),
        ("journal", "while", "appends", "longest"),
    )
    for mode in MODES:
        with tempfile.TemporaryDirectory(prefix="appends-") as folder, ExitStack() as agents:
            path = Path(folder) / "state.db"
            agent, other = (
                agents.enter_context(appender(AGENT, Path(folder) / name)) for name in ("a", "b")
            )
            agent.make(path, 1, beside.huge)
            _measure_one(table, agent, other, path, mode)
    return table


def _measure_one(table: Table, agent: Appender, other: Appender, path: Path, mode: str) -> None:
    log = path.with_name("log")
    editor = edits_on(path, path.with_name("trash.db"), time.time)
    own_, ours_ = (f"{HUGE}-{number}" for number in range(2))
    with agent.appending(path, mode, log, REST):
        own = during(log, lambda: other.delete(path, own_))
        plan = editor.plan(Action.DELETE, numbers(path, ours_))
        ours = during(log, lambda: editor.apply(plan))
        back = editor.undo_plan()
        restored = during(log, lambda: editor.undo(back))
    agent.check()
    floor = figure("longest", own)
    table.add(mode, "the agent's own delete", f"{len(own):,}", ms(floor))
    for what, timed in (("our delete", ours), ("our undo", restored)):
        took = figure("longest", timed)
        table.add(
            mode, what, f"{len(timed):,}", ms(took), aim=Aim("≤ 2x", round(took / floor, 2) <= 2)
        )
