"""Kills edits in the middle for as long as it takes, tries thousands of damaged files, and writes
`bench/soak.md`: `make soak`.

`SOAK` is the number of kills that must have landed inside an edit of a file, `SOAK_SERVER` the same
on a server, if PostgreSQL is installed, `SOAK_FILES` that of damaged files, `SOAK_BLOWS` how often
keys, mouse and window are struck at random in a real terminal, `SOAK_SEED` another course of
chance, `SOAK_OUT` puts the figures elsewhere. `make bench` takes them into its page.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bench.progress import say
from bench.report import Table, none
from tests.edits.kills import Figures, kill_many, starve_many
from tests.edits.victim import EDITS
from tests.postgres.edit_ground import make_template
from tests.postgres.kills import kill_on_server
from tests.postgres.server import PROGRAMS, running, stop
from tests.tui.monkey import FILES, let_loose

SECTION = Path(__file__).with_name("soak.md")
KILLS = 1_000
SERVER_KILLS = 300
DAMAGED = 10_000
AT_ONCE = 250
"""Damaged files that one process looks at."""
BLOWS = 20_000
MESSAGES = 400
TELL_EVERY = 50
SIZES = range(33_000, 660_000, 20_480)
"""The least that SQLite needs for its index of a log, then five pages more each time."""

TEXT = """
Session Explorer edits a file beside a real agent (Hermes 0.19.0 and 0.13.0, with and without a
write-ahead log, and power-loop 8.0.0) that appends all the time, and is killed half-way: half of
the kills come from outside at a random moment, half between two instructions of SQLite, and every
third also kills the agent. Only kills between the start and the end of the edit count. Then, twice
from the same remains: a new start finishes what is half done, or puts it back, and what was done is
undone. Wrong means any of these: a page, link or search table that SQLite finds damaged; an append
that was acknowledged to the agent and is missing; a session that is neither whole in the file nor
whole in the trash; a file that outlives its session; a cell that differs from before the edit.
{appends:,} appends were acknowledged during the kills. `make soak` repeats all of this.
"""


NO_ROOM = """
Each edit is tried {tried} times, with and without a write-ahead log, while no file can grow beyond
a given size: SQLite's writes fail at a different place each time, in the state file, in its log or
in our trash. The remains are then checked in the same way.
"""


ON_SERVER = """
On a PostgreSQL server, several conversations are deleted or restored and Session Explorer is killed
at a random moment, while power-loop 8.0.0 writes other sessions there. The server is then asked
what it has done: each session must be whole on the server or whole in the trash, the next start
must agree without a question, and an undo must restore every cell. Nothing may be missing of the
{appends:,} messages that power-loop was told are stored.
"""


DAMAGE = """
{files:,} state files are damaged at random (bytes flipped, pages zeroed, swapped and cut off, the
schema altered, odd cells, odd files beside them) and listed, searched, shown, edited and undone.
Wrong means a traceback, a hang, a byte changed by reading, or an edit that is not undone: {wrong}.
"""


def _damaged(files: int, seed: int) -> list[str]:
    """What went wrong with so many damaged files."""

    def tried(first: int) -> list[str]:
        count = min(AT_ONCE, files - first)
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "tests.mutants.ordeal",
                str(seed * 1_000_000 + first),
                str(count),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        say(f"{first + count} damaged files")
        return [done.stdout + done.stderr] if done.returncode else []

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return [line for lines in pool.map(tried, range(0, files, AT_ONCE)) for line in lines]


STRUCK = """
Keys, clicks, resizes, pastes, odd bytes and signals at random, in a real terminal. Wrong means a
crash, a hang, a file that changed without an edit, or an edit whose undo does not restore every
cell.
"""


def main() -> None:
    begun = time.perf_counter()
    kills = int(os.environ.get("SOAK") or KILLS)
    seed = int(os.environ.get("SOAK_SEED") or 1)
    out = Path(os.environ.get("SOAK_OUT") or SECTION)
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        killed = kill_many(Path(folder), kills, seed, MESSAGES, _tell)
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        starved, _ = starve_many(Path(folder), EDITS, SIZES, MESSAGES)
    on_server = _killed_on_server(int(os.environ.get("SOAK_SERVER") or SERVER_KILLS), seed)
    files = int(os.environ.get("SOAK_FILES") or DAMAGED)
    harmed = _damaged(files, seed)
    said = DAMAGE.format(files=files, wrong=len(harmed) or "none").strip()
    blows = int(os.environ.get("SOAK_BLOWS") or BLOWS)
    wild = _monkeys(blows, seed)
    sections = [_killed(killed), _starved(starved), said, _struck(wild, blows)]
    if on_server:
        sections.insert(1, _on_server(on_server))
    out.write_text("\n\n".join(sections) + "\n", encoding="utf-8")
    edits = (*killed.values(), *on_server.values(), *starved.values())
    wrong = [line for one in edits for line in one.wrong]
    wrong += [*harmed, *(line for lines in wild.values() for line in lines)]
    for line in wrong:
        say(line)
    say(f"wrote {out.name} after {time.perf_counter() - begun:.0f} s, {len(wrong)} things wrong")
    sys.exit(bool(wrong))


def _monkeys(blows: int, seed: int) -> Mapping[str, list[str]]:
    """What is wrong after each file had its part of the blows."""
    wild: dict[str, list[str]] = {}
    for name in FILES:
        with tempfile.TemporaryDirectory(prefix="soak-") as folder:
            try:
                wild[name] = let_loose(name, Path(folder), seed, blows // len(FILES))
            except AssertionError as error:
                # It crashed or hung: go on with the others.
                wild[name] = [str(error)]
        say(f"{name} struck, {len(wild[name])} things wrong")
    return wild


def _struck(wild: Mapping[str, list[str]], blows: int) -> str:
    table = Table("Keys at random", STRUCK, ("file", "blows"))
    for name, wrong in wild.items():
        table.add(name, f"{blows // len(wild):,}", aim=none(len(wrong)))
    return table.markdown()


def _killed(figures: Mapping[str, Figures]) -> str:
    text = TEXT.format(appends=sum(one.appends for one in figures.values()))
    return _section("Edits that were killed", text, "kills inside", figures)


def _killed_on_server(kills: int, seed: int) -> Mapping[str, Figures]:
    """Nothing without PostgreSQL."""
    if not PROGRAMS:
        say("PostgreSQL is not installed: no kills on a server")
        return {}
    server = running(os.getpid())
    try:
        with tempfile.TemporaryDirectory(prefix="soak-") as folder:
            make_template(server, Path(folder) / "home")
            return kill_on_server(server, Path(folder), kills, seed, _tell)
    finally:
        stop(server)


def _on_server(figures: Mapping[str, Figures]) -> str:
    text = ON_SERVER.format(appends=sum(one.appends for one in figures.values()))
    return _section("Changes on a server that were killed", text, "kills inside", figures)


def _starved(figures: Mapping[str, Figures]) -> str:
    tried = 2 * len(SIZES)
    return _section("Edits without room", NO_ROOM.format(tried=tried), "failed", figures)


def _section(title: str, text: str, heading: str, figures: Mapping[str, Figures]) -> str:
    table = Table(title, text, ("edit", heading, "left half done"))
    every = Figures(
        sum(one.kills for one in figures.values()),
        sum(one.half_done for one in figures.values()),
        wrong=[line for one in figures.values() for line in one.wrong],
    )
    for edit, one in (*figures.items(), ("all", every)):
        table.add(edit, f"{one.kills:,}", f"{one.half_done:,}", aim=none(len(one.wrong)))
    return table.markdown()


def _tell(figures: Mapping[str, Figures]) -> None:
    kills = sum(one.kills for one in figures.values())
    if kills and kills % TELL_EVERY == 0:
        say(f"{kills} kills, {sum(len(one.wrong) for one in figures.values())} things wrong")


if __name__ == "__main__":
    main()
