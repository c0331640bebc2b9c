"""Measures speed and writes `bench/README.md`: `make bench`, or `python -m bench`.

`BENCH` is quick, default or full; `BENCH_OUT` and `BENCH_FILES` put the page and the state files
elsewhere. `BENCH_STEPS` names the steps that are run, with commas between them; the other sections
of the page are kept. `BENCH_SERVER` is the address of a database with a long history, since to fill
one with a million sessions takes minutes.
"""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from bench.appends import appends, one_message
from bench.commands import commands
from bench.conversations import Conversation, conversations
from bench.generate import FILES
from bench.keys import keys
from bench.lists import lists
from bench.loading import loading
from bench.looks import looks
from bench.loop_search import loop_file, loop_search
from bench.memory import memory
from bench.own_search import own_search
from bench.profiles import homes
from bench.progress import say
from bench.prunes import Prunes
from bench.reading import Reading
from bench.renewal import renewal
from bench.report import Table, page, with_sections
from bench.searching import searching
from bench.server_store import Served, filled, served, server_store
from bench.server_use import server_keys, server_memory
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
from tests.postgres.server import PROGRAMS

README = Path(__file__).with_name("README.md")
SOAKED = "## Edits that were killed"
"""Where the sections begin that a soak wrote."""

Step = Callable[[int], Table]
"""Measures something in so many rounds."""


def main() -> None:
    begun = time.perf_counter()
    plan = chosen(os.environ)
    out = Path(os.environ.get("BENCH_OUT") or README)
    only = os.environ.get("BENCH_STEPS", "")
    ready = Ready(plan, Path(os.environ.get("BENCH_FILES") or FILES))
    if not only:
        ready.all()
    tables: list[Table] = []
    with surroundings():
        for name, step in steps(ready).items():
            if not only or name in only.split(","):
                say(f"{name}, {plan.rounds} rounds")
                tables.append(step(plan.rounds))
    if only:
        text = with_sections(out.read_text(encoding="utf-8"), tables, SOAKED)
    else:
        soaked = SECTION.read_text(encoding="utf-8") if SECTION.exists() else ""
        text = page(plan, ready.histories, tables, soaked)
    out.write_text(text, encoding="utf-8")
    for table in tables:
        for missed in table.missed:
            say(f"aim missed: {table.title}: {missed}")
    say(f"wrote {out} after {time.perf_counter() - begun:.0f} s")


class Ready:
    """What is measured, built where it is not there, when it is needed first."""

    def __init__(self, plan: Plan, folder: Path) -> None:
        self.plan = plan
        self.folder = folder

    def all(self) -> None:
        """Build everything, so that nothing is built between two steps."""
        for name in ("histories", "few", "both", "searched", "shared", "profiles", "looped"):
            getattr(self, name)
        if self.has_server:
            assert self.served
        else:
            say("PostgreSQL is not installed: what is measured on a server is left out")

    @property
    def has_server(self) -> bool:
        return bool(PROGRAMS or os.environ.get("BENCH_SERVER"))

    @cached_property
    def histories(self) -> Sequence[History]:
        return all_ready(self.plan, self.folder)

    @property
    def many(self) -> History:
        return biggest(self.histories)

    @cached_property
    def few(self) -> History:
        """A list that a long one is compared with."""
        return ready(few_like(self.many), self.folder)

    @property
    def fewer(self) -> History:
        return self.few if self.many is self.histories[0] else self.histories[0]

    @cached_property
    def both(self) -> tuple[Conversation, Conversation]:
        """A short conversation and a long one."""
        return conversations(self.plan.lengths, self.folder)

    @cached_property
    def searched(self) -> Sequence[History]:
        """Files that have all search tables."""
        return searched_ready(self.plan, self.folder)

    @cached_property
    def shared(self) -> History:
        """A file that is written by several agents at once."""
        return ready(self.plan.crowd.recipe, self.folder)

    @cached_property
    def profiles(self) -> Several:
        """Homes with several profiles."""
        return homes(self.plan.profiles, self.folder)

    @cached_property
    def looped(self) -> Path:
        """A file of power-loop."""
        return loop_file(self.folder, self.plan.looped)

    @cached_property
    def served(self) -> Served:
        """A server."""
        known = os.environ.get("BENCH_SERVER")
        return filled(known) if known else served(self.plan.server, os.getpid())

    @cached_property
    def read(self) -> Reading:
        return Reading(*self.both)

    @cached_property
    def pruned(self) -> Prunes:
        return Prunes(self.plan.beside)


def steps(own: Ready) -> Mapping[str, Step]:
    """All that is measured."""
    plan = own.plan
    found: dict[str, Step] = {
        "first rows on the screen": lambda rounds: startup(own.histories, rounds),
        "commands": lambda rounds: commands(own.histories, rounds),
        "reading lists": lambda rounds: lists(own.histories, rounds),
        "keys in the list": lambda rounds: keys(own.few, own.many, rounds),
        "keys while the rest is read": lambda rounds: loading(own.many, rounds),
        "the whole list": lambda rounds: whole(own.many, rounds),
        "one new message": lambda rounds: renewal(own.fewer, own.many, rounds),
        "memory": lambda rounds: memory(own.fewer, own.many, rounds),
        "reading": lambda rounds: own.read.speed(rounds),
        "memory of reading": lambda rounds: own.read.memory(rounds),
        "searching while typing": lambda rounds: searching(own.searched, rounds),
        "searching, against the agent": lambda rounds: own_search(own.searched, rounds),
        "searching power-loop": lambda rounds: loop_search(own.looped, plan.looped, rounds),
        "several profiles": lambda rounds: several(own.profiles, rounds),
        "an agent beside a first look": lambda rounds: looks(own.many, rounds),
        "an agent beside an edit": lambda rounds: appends(plan.beside, rounds),
        "an agent beside one huge message": lambda rounds: one_message(plan.beside, rounds),
        "a prune": lambda rounds: own.pruned.speed(rounds),
        "an agent beside a prune": lambda rounds: own.pruned.waits(rounds),
        "four agents on one file": lambda rounds: writers(own.shared, plan.crowd, rounds),
    }
    if own.has_server:
        found |= {
            "a server": lambda rounds: server_store(own.served, rounds),
            "keys of a server": lambda rounds: server_keys(
                own.served, own.many, own.looped, rounds
            ),
            "memory with a server": lambda rounds: server_memory(own.served, rounds),
        }
    return found


if __name__ == "__main__":
    main()
