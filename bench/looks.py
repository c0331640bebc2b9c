"""An agent that appends while its big file is opened, read, sorted and searched."""

import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.measure import Terminal
from bench.report import Aim, Table, ms
from bench.sizes import History
from bench.surroundings import APP
from bench.using import counted
from bench.waits import MODES, REST, during, figure
from explorer.search.filters import FILTERED
from explorer.stores.columns import BYTES
from explorer.stores.kinds import open_store
from tests.edits.appender import Appender, appender

AGENT = "0.19.0"
BEYOND = 50
"""Milliseconds by which a look may keep an append waiting beyond the agent's own pace."""
ALONE = 5.0

TEXT = """
An agent (Hermes 0.19.0, which gives up after a second without a lock) appends about a hundred
messages a second to the biggest file while the app opens it: the longest of its appends, by its own
clock. Without a write-ahead log a reader keeps a writer from committing, so long reads are made in
slices there.
"""


def looks(history: History, rounds: int) -> Table:
    """One round is enough: each look meets tens of appends."""
    table = Table(
        "An agent beside a first look", TEXT, ("journal", "while", "appends", "p99", "longest")
    )
    for mode in MODES:
        with tempfile.TemporaryDirectory(prefix="looks-", dir=history.path.parents[1]) as folder:
            path = Path(folder) / "state.db"
            shutil.copyfile(history.path, path)
            with appender(AGENT, Path(folder) / "home") as agent:
                _measure(table, agent, path, mode)
    return table


def _measure(table: Table, agent: Appender, path: Path, mode: str) -> None:
    log = path.with_name("log")
    with agent.appending(path, mode, log, REST):
        quiet = during(log, lambda: time.sleep(ALONE))
        beside = {name: during(log, act) for name, act in _acts(path).items()}
    agent.check()
    floor = figure("longest", quiet)
    table.add(mode, "nothing else", f"{len(quiet):,}", ms(figure("p99", quiet)), ms(floor))
    for what, timed in beside.items():
        took = figure("longest", timed)
        aim = Aim(f"< {BEYOND} ms beyond", took - floor < BEYOND)
        table.add(mode, what, f"{len(timed):,}", ms(figure("p99", timed)), ms(took), aim=aim)


def _acts(path: Path) -> dict[str, Callable[[], object]]:
    store = open_store(path)

    def run(*arguments: str) -> Callable[[], object]:
        command = [APP, *arguments, "--db", str(path)]
        return lambda: subprocess.run(command, check=True, capture_output=True)

    def app() -> None:
        with Terminal([APP, "--db", str(path)]) as terminal:
            terminal.until(counted(), 60)

    return {
        "the app, until its list is complete": app,
        "`list --json`": run("list", "--json"),
        "`info --json`": run("info", "--json"),
        "a prune, up to its plan": run("prune", "--older-than", "10y", "--dry-run", "--json"),
        "a search through everything": run("search", "--limit", "50", "--json", "quokka"),
        "what filters and searches ask of all sessions": lambda: store.columns({*FILTERED, BYTES}),
    }
