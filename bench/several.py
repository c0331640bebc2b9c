"""Several profiles as one list, against one state file with as many sessions."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bench.keys import Used
from bench.measure import Timing, first_paint, interleaved, timing
from bench.memory import most_memory
from bench.report import Table, at_most, ms, times
from bench.searches import searched
from bench.searching import press_last, searching_app
from bench.startup import newest_row
from bench.surroundings import APP
from bench.using import Rows, Using, counted
from bench.whole import AIMS, COMPLETE, use
from explorer.stores.hermes.store import PROFILES

AGAINST_ONE = 1.25
PRESSES = 2
"""Times that each search is typed in a round."""

TEXT = """
The same figures as above, with several profiles in one list. First rows: as many sessions in each
profile as the one state file has. All others: the very same sessions, in one state file and divided
among the profiles. Both run in turn, or side by side with each key pressed in one and then in the
other. A search is timed until every visible row shows its match. Half as many rounds; memory is
measured once, in megabytes.
"""


@dataclass(frozen=True, slots=True)
class Several:
    """What is compared: state files, and homes with profiles."""

    each: Path
    alike: Path
    """A home whose profiles have as many sessions each as that file."""
    alike_profiles: int
    whole: Path
    divided: Path
    """A home with the sessions of that file in its profiles."""
    divided_profiles: int


def several(homes: Several, rounds: int) -> Table:
    rounds = max(rounds // 2, 1)
    table = Table(
        "Several profiles",
        TEXT,
        ("what", "profiles", "one", "several", "x one", "x (fastest)"),
    )
    first = _first_rows(homes, rounds)
    _compare(table, "first rows on the screen", homes.alike_profiles, *first)
    pair = homes.whole, homes.divided
    for measure in (_complete, _used, _keys, _searches):
        for what, (one, more) in measure(pair, rounds).items():
            _compare(table, what, homes.divided_profiles, one, more)
    least, most = map(most_memory, pair)
    cells = "memory", f"{homes.divided_profiles}", f"{least:.0f}", f"{most:.0f}"
    table.add(*cells, times(most / least), "", aim=at_most(most / least, AGAINST_ONE))
    return table


def _compare(table: Table, what: str, profiles: int, one: Timing, more: Timing) -> None:
    ratio = more.median / one.median
    table.add(
        what,
        f"{profiles}",
        ms(one.median),
        ms(more.median),
        times(ratio),
        times(more.min / one.min),
        aim=at_most(ratio, AGAINST_ONE),
    )


Pair = tuple[Path, Path]
Both = tuple[Timing, Timing]


def _first_rows(homes: Several, rounds: int) -> Both:
    cases: dict[int, Callable[[], float]] = {
        at: partial(first_paint, [APP, "--db", str(path)], newest_row(path))
        for at, path in enumerate((homes.each, homes.alike))
    }
    taken = interleaved(cases, rounds)
    return taken[0], taken[1]


def _complete(pair: Pair, rounds: int) -> Mapping[str, Both]:
    cases: dict[int, Callable[[], float]] = {
        at: partial(first_paint, [APP, "--db", str(path)], counted(Rows(path).listed))
        for at, path in enumerate(pair)
    }
    taken = interleaved(cases, rounds)
    return {COMPLETE: (taken[0], taken[1])}


def _used(pair: Pair, rounds: int) -> Mapping[str, Both]:
    """Keys that are about all of the list."""
    rows = [Rows(path) for path in pair]
    taken: dict[str, list[list[float]]] = {what: [[], []] for what in AIMS}
    for number in range(rounds + 1):
        for at, path in enumerate(pair):
            spent = use(path, rows[at], _profiles_in(path))
            if number:
                for what, time in spent.items():
                    taken[what][at].append(time)
    return {what: (timing(one), timing(more)) for what, (one, more) in taken.items()}


def _profiles_in(path: Path) -> int:
    """Of a home; none of a state file."""
    return 1 + len(list((path / PROFILES).iterdir())) if path.is_dir() else 0


def _keys(pair: Pair, rounds: int) -> Mapping[str, Both]:
    taken: dict[str, list[list[float]]] = {}
    with ExitStack() as stack:
        used = [Used(path, stack.enter_context(Using(path))) for path in pair]
        for number in range(rounds + 1):
            for cases in zip(*(one.cases() for one in used), strict=True):
                for at, (name, key, marker) in enumerate(cases):
                    spent = used[at].app.press(key, marker)
                    if number and name:
                        taken.setdefault(f"`{name}`", [[], []])[at].append(spent)
    return {name: (timing(one), timing(more)) for name, (one, more) in taken.items()}


def _searches(pair: Pair, rounds: int) -> Mapping[str, Both]:
    queries = searched(pair[0])
    taken: dict[str, list[list[float]]] = {f"search: {one.kind}": [[], []] for one in queries}
    with ExitStack() as stack:
        apps = [stack.enter_context(searching_app(path)) for path in pair]
        for number in range(rounds * PRESSES + 1):
            for query in queries:
                for at, app in enumerate(apps):
                    spent = press_last(app, query)
                    if number:
                        taken[f"search: {query.kind}"][at].append(spent)
    return {what: (timing(one), timing(more)) for what, (one, more) in taken.items()}
