"""Measures speed and writes `bench/README.md`: `make bench`, or `python -m bench`.

`BENCH` is quick, default or full; `BENCH_OUT` and `BENCH_FILES` put the page and the state files
elsewhere.
"""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from bench.appends import appends, one_message
from bench.commands import commands
from bench.conversations import Conversation, conversations
from bench.generate import FILES
from bench.keys import keys
from bench.lists import lists
from bench.loading import loading
from bench.looks import looks
from bench.loop_search import loop_search
from bench.memory import memory
from bench.own_search import own_search
from bench.profiles import homes
from bench.progress import say
from bench.prunes import Prunes
from bench.reading import Reading
from bench.renewal import renewal
from bench.report import Table, page
from bench.searching import searching
from bench.several import Several, several
from bench.sizes import (
    History,
    Plan,
    all_ready,
    biggest,
    chosen,
    few_like,
    ready,
    searched_ready,
)
from bench.soak import SECTION
from bench.startup import startup
from bench.surroundings import surroundings
from bench.whole import whole
from bench.writers import writers

README = Path(__file__).with_name("README.md")

Step = Callable[[int], Table]
"""Measures something in so many rounds."""


def main() -> None:
    begun = time.perf_counter()
    plan = chosen(os.environ)
    out = Path(os.environ.get("BENCH_OUT") or README)
    folder = Path(os.environ.get("BENCH_FILES") or FILES)
    histories = all_ready(plan, folder)
    few = ready(few_like(biggest(histories)), folder)
    both = conversations(plan.lengths, folder)
    searched = searched_ready(plan, folder)
    shared = ready(plan.crowd.recipe, folder)
    profiles = homes(plan.profiles, folder)
    tables: list[Table] = []
    with surroundings():
        for name, step in steps(plan, histories, few, both, searched, shared, profiles).items():
            say(f"{name}, {plan.rounds} rounds")
            tables.append(step(plan.rounds))
    soaked = SECTION.read_text(encoding="utf-8") if SECTION.exists() else ""
    out.write_text(page(plan, histories, tables, soaked), encoding="utf-8")
    for table in tables:
        for missed in table.missed:
            say(f"aim missed: {table.title}: {missed}")
    say(f"wrote {out} after {time.perf_counter() - begun:.0f} s")


def steps(
    plan: Plan,
    histories: Sequence[History],
    few: History,
    both: tuple[Conversation, Conversation],
    searched: Sequence[History],
    shared: History,
    profiles: Several,
) -> Mapping[str, Step]:
    """All that is measured. `few` is a list that a long one is compared with, `both` are a short
    conversation and a long one, `searched` have all search tables, `shared` is written by several
    agents at once, and `profiles` are homes with several profiles."""
    read = Reading(*both)
    pruned = Prunes(plan.beside)
    many = biggest(histories)
    looped = 500_000 if plan.rounds > 1 else 20_000
    fewer = few if many is histories[0] else histories[0]
    return {
        "first rows on the screen": partial(startup, histories),
        "commands": partial(commands, histories),
        "reading lists": partial(lists, histories),
        "keys in the list": partial(keys, few, many),
        "keys while the rest is read": partial(loading, many),
        "the whole list": partial(whole, many),
        "one new message": partial(renewal, fewer, many),
        "memory": partial(memory, fewer, many),
        "reading": read.speed,
        "memory of reading": read.memory,
        "searching while typing": partial(searching, searched),
        "searching, against the agent": partial(own_search, searched),
        "searching power-loop": partial(loop_search, few.path.parent, looped),
        "several profiles": partial(several, profiles),
        "an agent beside a first look": partial(looks, many),
        "an agent beside an edit": partial(appends, plan.beside),
        "an agent beside one huge message": partial(one_message, plan.beside),
        "a prune": pruned.speed,
        "an agent beside a prune": pruned.waits,
        "four agents on one file": partial(writers, shared, plan.crowd),
    }


if __name__ == "__main__":
    main()
