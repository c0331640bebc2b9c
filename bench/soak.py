"""Kills edits in the middle for as long as it takes, and writes `bench/soak.md`: `make soak`.

`SOAK` is the number of kills that must have landed inside an edit, `SOAK_SEED` another course of
chance, `SOAK_OUT` puts the figures elsewhere. `make bench` takes them into its page.
"""

import os
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from bench.progress import say
from bench.report import Table, none
from tests.edits.kills import Figures, kill_many

SECTION = Path(__file__).with_name("soak.md")
KILLS = 1_000
MESSAGES = 400
TELL_EVERY = 50

TEXT = """
An explorer edits a file beside a real agent (0.19.0 and 0.13.0, with a log and without one) that
appends all the time, and is killed in the middle: half of the kills come from outside at a random
moment, half between two instructions of SQLite, and every third takes the agent along. Only kills
between the begin and the end of the edit count. Then, twice from the same remains: a new start,
what is half done is finished, or put back, and what was done is undone. Wrong would be: a page, a
link or a search table that SQLite finds at fault, an append that the agent was told is stored and
that is not, a session that is neither whole in the file nor whole in the trash, a file beside the
store that outlives its session, a cell that is not what it was before the edit. {appends:,} appends
were acknowledged meanwhile. `make soak` does all that again.
"""


def main() -> None:
    begun = time.perf_counter()
    kills = int(os.environ.get("SOAK") or KILLS)
    seed = int(os.environ.get("SOAK_SEED") or 1)
    out = Path(os.environ.get("SOAK_OUT") or SECTION)
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        figures = kill_many(Path(folder), kills, seed, MESSAGES, _tell)
    out.write_text(section(figures), encoding="utf-8")
    wrong = [line for one in figures.values() for line in one.wrong]
    for line in wrong:
        say(line)
    say(f"wrote {out.name} after {time.perf_counter() - begun:.0f} s, {len(wrong)} things wrong")
    sys.exit(bool(wrong))


def section(figures: Mapping[str, Figures]) -> str:
    """The figures as a part of the page."""
    every = list(figures.values())
    text = TEXT.format(appends=sum(one.appends for one in every))
    table = Table("Edits that were killed", text, ("edit", "kills inside", "left half done"))
    for edit, one in figures.items():
        table.add(edit, f"{one.kills:,}", f"{one.half_done:,}", aim=none(len(one.wrong)))
    table.add(
        "all",
        f"{sum(one.kills for one in every):,}",
        f"{sum(one.half_done for one in every):,}",
        aim=none(sum(len(one.wrong) for one in every)),
    )
    return f"{table.markdown()}\n"


def _tell(figures: Mapping[str, Figures]) -> None:
    kills = sum(one.kills for one in figures.values())
    if kills and kills % TELL_EVERY == 0:
        say(f"{kills} kills, {sum(len(one.wrong) for one in figures.values())} things wrong")


if __name__ == "__main__":
    main()
