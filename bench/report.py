"""The page that a run writes: tables in Markdown, with the aim of each row and whether it was met.

Nothing in it but the figures depends on when or where it was written, so that a difference between
two runs is a difference in speed.
"""

import os
import platform
import re
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version

from bench.sizes import History, Plan

PAGE = """\
# Speed

How long the app and its commands take on big histories. The state files are invented and always
the same, so everyone measures the same thing. `make bench` builds missing files, runs everything
and writes this page; `BENCH=full make bench` uses the biggest files, and `BENCH=quick make bench`
takes a minute.

Cases that are compared run in turn, {rounds} times each after a round that is not counted. Times
are wall times in milliseconds: the median and the fastest of all rounds. They depend on the machine
and its load, so a difference of a quarter between two runs means nothing. The ratios to a floor,
marked x, are steadier. Aims are judged by the median. Every file is in the system's cache, as the
file of a running agent is.

{environment}. Aims met: {met} of {aims}.

## The histories

{histories}

{tables}
"""

HISTORY_HEADINGS = ("sessions", "messages", "size", "what is special")


@dataclass(frozen=True, slots=True)
class Aim:
    """What a figure should be, and whether it is met."""

    text: str
    met: bool


def at_most(value: float, limit: float) -> Aim:
    """For ratios, judged as they are shown: what reads 1.35 keeps an aim of 1.35."""
    return Aim(f"≤ {limit:g}x", round(value, 2) <= limit)


def below(value: float, limit: float, unit: str) -> Aim:
    return Aim(f"< {limit:,.0f} {unit}", value < limit)


def none(count: int) -> Aim:
    """For what must never be."""
    return Aim("≤ 0 wrong", count == 0)


def ms(milliseconds: float) -> str:
    return f"{milliseconds:,.0f}" if milliseconds >= 100 else f"{milliseconds:.1f}"


def times(ratio: float) -> str:
    return f"{ratio:.2f}"


@dataclass(slots=True)
class Table:
    """Rows under a heading. A row without an aim is a floor."""

    title: str
    text: str
    headings: Sequence[str]
    aims: list[Aim] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    _rows: list[Sequence[str]] = field(default_factory=list)

    def add(self, *cells: str, aim: Aim | None = None) -> None:
        if aim is None:
            self._rows.append((*cells, "the floor", ""))
            return
        self._rows.append((*cells, aim.text, "yes" if aim.met else "no"))
        self.aims.append(aim)
        if not aim.met:
            self.missed.append(f"{', '.join(cells)} (aim {aim.text})")

    def markdown(self) -> str:
        grid = _grid((*self.headings, "aim", "met"), self._rows)
        return f"## {self.title}\n\n{self.text.strip()}\n\n{grid}"


def page(
    plan: Plan, histories: Sequence[History], tables: Sequence[Table], soaked: str = ""
) -> str:
    """`soaked` is what a soak wrote at another time; its aims are not counted here."""
    aims = [aim for table in tables for aim in table.aims]
    return PAGE.format(
        rounds=plan.rounds,
        environment=environment(),
        met=sum(aim.met for aim in aims),
        aims=len(aims),
        histories=_grid(HISTORY_HEADINGS, [_described(history) for history in histories]),
        tables="\n\n".join(filter(None, (*(table.markdown() for table in tables), soaked.strip()))),
    )


def with_sections(page: str, tables: Sequence[Table], rest: str) -> str:
    """A page with these tables in place of those it had, or before its `rest`, whose aims are not
    counted; with the aims of all of them counted again."""
    own, soaked, after = page.partition(rest)
    sections = own.strip().split("\n\n## ")
    titles = [section.partition("\n")[0] for section in sections]
    for table in tables:
        made = table.markdown().removeprefix("## ")
        if table.title in titles:
            sections[titles.index(table.title)] = made
        else:
            sections.append(made)
            titles.append(table.title)
    own = "\n\n## ".join(sections)
    met, missed = (len(re.findall(rf"\| {said} +\|$", own, re.M)) for said in ("yes", "no"))
    own = re.sub(r"Aims met: \d+ of \d+", f"Aims met: {met} of {met + missed}", own)
    return f"{own}\n\n{soaked}{after}"


def environment() -> str:
    """What the figures depend on, and nothing that identifies the computer."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    return (
        f"{os.cpu_count()} cores, {memory:.0f} GB of memory, Python {platform.python_version()},"
        f" SQLite {sqlite3.sqlite_version}, Textual {version('textual')}"
    )


def _described(history: History) -> Sequence[str]:
    recipe = history.recipe
    special = []
    if recipe.noise:
        special.append(f"the newest {recipe.noise:.0%} come from scheduled jobs, which lists hide")
    if recipe.prompt_bytes >= 1_000:
        special.append(f"system prompts of {recipe.prompt_bytes:,} bytes")
    size = f"{history.path.stat().st_size / 1e6:,.0f} MB"
    return f"{recipe.sessions:,}", f"{recipe.messages:,}", size, "; ".join(special)


def _grid(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Padded, so that it can be read in a terminal as well."""
    widths = [max(map(len, column)) for column in zip(headings, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
        return f"| {' | '.join(padded)} |"

    rule = f"|{'|'.join('-' * (width + 2) for width in widths)}|"
    return "\n".join([line(headings), rule, *map(line, rows)])
