"""The lines of the filter dialog: every choice with what it would list, and what choosing does."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from explorer.browse.arrangement import CLASSES, Wish
from explorer.browse.list_words import model_words, source_words
from explorer.model import Hidden
from explorer.render.clean import cell_width, clean_line, fit
from explorer.render.figures import count
from explorer.render.lines import Line
from explorer.search.filters import Filters, Moment, Tally
from explorer.search.language.dates import span

PERIODS = (
    ("Any time", "", ""),
    ("Today", "today", ""),
    ("Last 7 days", "7d", ""),
    ("Last 30 days", "30d", ""),
    ("Last 90 days", "90d", ""),
    ("Not in the last 30 days", "", "30d"),
    ("Not in the last 90 days", "", "90d"),
    ("Not in the last year", "", "1y"),
)
"""(words, since, before)."""
SIZES = (0, 2, 10, 50, 200)
_CLASSES = {
    Hidden.ARCHIVED: "Archived",
    Hidden.CRON: "Scheduled (cron)",
    Hidden.SUBAGENT: "Subagents",
    Hidden.TOOL: "Made by tools",
    Hidden.KANBAN: "Kanban tasks",
    Hidden.ONESHOT: "One-shot runs",
    Hidden.HIDDEN: "Hidden by the agent",
    Hidden.EMPTY: "Empty",
}
SELDOM = (Hidden.KANBAN, Hidden.ONESHOT, Hidden.HIDDEN)
"""Most files have none of these: they are offered where there are some."""


class FilterRow(NamedTuple):
    """A heading, or something to choose."""

    kind: str
    name: str
    words: str
    on: bool = False
    number: int | None = None
    """Rows that would be listed; None while it is not known."""

    @property
    def can_be_chosen(self) -> bool:
        return self.kind != "heading"


def filter_rows(
    wish: Wish,
    tally: Tally | None,
    sources: Iterable[str],
    now: float,
    classes: Collection[Hidden] = CLASSES,
    fated: bool = False,
) -> list[FilterRow]:
    """All choices, those of the file with the greatest number first; `classes` are those that it
    has sessions of, `fated` says that its agent does something by itself."""
    filters = wish.filters
    rows = [_heading("Also list")]
    for name in CLASSES:
        if name in SELDOM and name not in classes and name not in wish.shown:
            continue
        number = tally.classes.get(name, 0) if tally else None
        rows.append(FilterRow("class", name, _CLASSES[name], name in wish.shown, number))
    rows.append(_heading("Source"))
    rows += _named("source", {*sources, *filters.sources}, filters.sources, tally)
    rows += [_heading("Last active"), *_periods(filters, tally, now)]
    rows.append(_heading("Messages"))
    for least in SIZES:
        words = f"{count(least)} or more" if least else "Any number"
        number = tally.sizes(least) if tally else None
        rows.append(FilterRow("least", str(least), words, filters.least == least, number))
    rows.append(_heading("Tools"))
    tools = tally.tools if tally else None
    rows.append(FilterRow("tools", "", "Only where tools were called", filters.tools, tools))
    if filters.unread or (tally and tally.unread is not None):
        unread = tally.unread if tally else None
        rows += [
            _heading("Read in the agent"),
            FilterRow("unread", "", "Only unread", filters.unread, unread),
        ]
    if fated or filters.expiring:
        number = tally.expiring if tally else None
        words = "Only what Hermes is about to delete or archive"
        rows.append(_heading("Clean-up"))
        rows.append(FilterRow("expiring", "", words, filters.expiring, number))
    rows.append(_heading("Model"))
    models = {*(tally.models if tally else ()), *filters.models}
    rows += _named("model", models, filters.models, tally)
    return rows


def _heading(words: str) -> FilterRow:
    return FilterRow("heading", "", words)


def _named(
    kind: str, names: Iterable[str], on: frozenset[str], tally: Tally | None
) -> list[FilterRow]:
    numbers = (tally.sources if kind == "source" else tally.models) if tally else {}
    order = sorted(names, key=lambda name: (-numbers.get(name, 0), name))
    return [
        FilterRow(
            kind,
            name,
            model_words(name) if kind == "model" else source_words(name),
            name in on,
            numbers.get(name, 0) if tally else None,
        )
        for name in order
    ]


def _periods(filters: Filters, tally: Tally | None, now: float) -> list[FilterRow]:
    since, before = (moment.words if moment else "" for moment in (filters.since, filters.before))
    rows = []
    for words, start, end in PERIODS:
        number = None
        if tally:
            number = tally.times(moment(start, now), moment(end, now))
        on = (start, end) == (since, before)
        rows.append(FilterRow("period", f"{start}|{end}", words, on, number))
    usual = any(row.on for row in rows)
    for kind, said in (("since", since), ("before", before)):
        own = said and not usual
        words = f"{kind.capitalize()} {clean_line(said, 30)}" if own else f"{kind.capitalize()} …"
        rows.append(FilterRow(kind, said if own else "", words, bool(own)))
    return rows


def moment(words: str, now: float) -> Moment | None:
    """The moment that a day or a span begins with; None for no words, or none that are clear."""
    found = span(words, now) if words.strip() else None
    return Moment(words.strip(), found.start) if found else None


def chosen(wish: Wish, row: FilterRow, now: float) -> Wish:
    """The wish after somebody has chosen a row, or taken it back."""
    filters = wish.filters
    if row.kind == "class":
        return wish._replace(shown=wish.shown ^ {Hidden(row.name)})
    if row.kind == "source":
        filters = filters._replace(sources=filters.sources ^ {row.name})
    elif row.kind == "model":
        filters = filters._replace(models=filters.models ^ {row.name})
    elif row.kind == "least":
        filters = filters._replace(least=int(row.name))
    elif row.kind == "tools":
        filters = filters._replace(tools=not filters.tools)
    elif row.kind == "unread":
        filters = filters._replace(unread=not filters.unread)
    elif row.kind == "expiring":
        filters = filters._replace(expiring=not filters.expiring)
    elif row.kind == "period":
        start, _, end = row.name.partition("|")
        filters = filters._replace(since=moment(start, now), before=moment(end, now))
    return wish._replace(filters=filters)


def painted(row: FilterRow, width: int) -> Line:
    """A row as it is drawn: the mark, the words, the number at the right."""
    if not row.can_be_chosen:
        return ((f" {row.words}", "heading"),)
    one_of = row.kind in ("period", "least", "since", "before")
    sign = ("(•)" if row.on else "( )") if one_of else ("[x]" if row.on else "[ ]")
    number = "…" if row.number is None else count(row.number)
    if row.kind in ("since", "before"):
        number = ""
    words = fit(row.words, max(width - len(number) - 8, 4))
    gap = " " * max(width - cell_width(words) - len(number) - 7, 1)
    style = "strong" if row.on else "text" if row.number != 0 else "dim"
    return (
        (f"  {sign} ", "ok" if row.on else "dim"),
        (words, style),
        (f"{gap}{number}", "dim"),
    )
