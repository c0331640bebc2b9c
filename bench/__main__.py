"""Measures speed and writes `bench/README.md`: `make bench`, or `python -m bench`.

`BENCH` is quick, default or full; `BENCH_OUT` and `BENCH_FILES` put the page and the state files
elsewhere.
"""

import os
import time
from pathlib import Path

from bench.commands import commands
from bench.generate import FILES
from bench.lists import lists
from bench.progress import say
from bench.report import Table, page
from bench.sizes import chosen, histories
from bench.startup import startup
from bench.surroundings import surroundings

README = Path(__file__).with_name("README.md")
STEPS = {
    "first rows on the screen": startup,
    "commands": commands,
    "reading lists": lists,
}


def main() -> None:
    begun = time.perf_counter()
    plan = chosen(os.environ)
    out = Path(os.environ.get("BENCH_OUT") or README)
    ready = histories(plan, Path(os.environ.get("BENCH_FILES") or FILES))
    tables: list[Table] = []
    with surroundings():
        for name, step in STEPS.items():
            say(f"{name}, {plan.rounds} rounds")
            tables.append(step(ready, plan.rounds))
    out.write_text(page(plan, ready, tables), encoding="utf-8")
    for table in tables:
        for missed in table.missed:
            say(f"aim missed: {table.title}: {missed}")
    say(f"wrote {out} after {time.perf_counter() - begun:.0f} s")


if __name__ == "__main__":
    main()
