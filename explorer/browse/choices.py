"""Lines of which some can be chosen, each with its effect; and those of the filter dialog, with how
many sessions every choice lists."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from explorer.browse.arrangement import CLASSES, Wish
from explorer.browse.words import (
    MORE_WORKSPACES,
    NO_ROWS,
    model_words,
    profile_words,
    source_words,
    workspace_words,
)
from explorer.model import Hidden
from explorer.render.clean import cell_width, clean_line, fit, fit_end
from explorer.render.figures import count
from explorer.render.lines import Line
from explorer.search.filters import Filters, Moment, Tally
from explorer.search.language.vocabulary import span

if TYPE_CHECKING:
    # With them comes the trash, of which filters know nothing.
    from explorer.search.prune_rules import Rules

PERIODS = (
    ("Any time", "", ""),
    ("Today", "today", ""),
    ("Last 7 days", "7d", ""),
    ("Last 30 days", "30d", ""),
    ("Last 90 days", "90d", ""),
    ("Older than 30 days", "", "30d"),
    ("Older than 90 days", "", "90d"),
    ("Older than a year", "", "1y"),
)
"""(words, since, before)."""
SIZES = (0, 2, 10, 50, 200)
WORKSPACES = 8
"""Workspaces that are offered before anything is typed: some have hundreds."""
_CLASSES = {
    Hidden.ARCHIVED: "Archived",
    Hidden.CRON: "Scheduled (cron)",
    Hidden.SUBAGENT: "Subagents",
    Hidden.TOOL: "Tool sessions",
    Hidden.KANBAN: "Kanban tasks",
    Hidden.ONESHOT: "One-shot runs",
    Hidden.HIDDEN: "Hidden by the agent",
    Hidden.EMPTY: "Empty",
    Hidden.FILE: "Only in a file",
}
SELDOM = (Hidden.KANBAN, Hidden.ONESHOT, Hidden.HIDDEN, Hidden.FILE)
"""Most files have none of these: they are offered where there are some."""


_WORDS = {
    "source": source_words,
    "model": model_words,
    "workspace": workspace_words,
    "profile": profile_words,
}


class ChoiceRow(NamedTuple):
    """A heading, something to choose, or something to read."""

    kind: str
    """What it is about, and how it is drawn."""
    name: str
    """Tells it from others of its kind."""
    words: str
    on: bool = False
    number: int | None = None
    """Rows that would be listed; None while it is not known."""
    value: str = ""
    """What a rule is set to, how many a bar stands for, or why there is no number."""
    choice: "Hidden | Filters | Rules | None" = None
    """Its effect: a class to show or hide, or all filters or rules as they are then; None where a
    dialog asks for the value."""

    @property
    def can_be_chosen(self) -> bool:
        return self.kind not in ("heading", "stays", "bar", "words")


def heading(words: str) -> ChoiceRow:
    return ChoiceRow("heading", "", words)


def filter_rows(
    wish: Wish,
    tally: Tally | None,
    sources: Iterable[str],
    now: float,
    classes: Collection[Hidden] = CLASSES,
    fated: bool = False,
    possible: Sequence[Hidden] = CLASSES,
    text: str = "",
    places: Collection[str] = (),
    unreadable: Collection[str] = (),
) -> list[ChoiceRow]:
    """All choices, those of the file with the greatest number first; `classes` are those that it
    has sessions of, `possible` those that it could have, `fated` says that its agent does something
    by itself, `places` are the profiles where there are several, `unreadable` those of them that
    cannot be read now. With a `text`, those that hold it, or whose heading does."""
    filters = wish.filters
    rows = [heading("Include hidden sessions")]
    for name in possible:
        if name in SELDOM and name not in classes and name not in wish.shown:
            continue
        number = tally.classes.get(name, 0) if tally else None
        shown = name in wish.shown
        rows.append(ChoiceRow("class", name, _CLASSES[name], shown, number, choice=name))
    if places or filters.profiles:
        rows += _profiles(filters, tally, places, unreadable)
    on = filters.sources
    choices = {name: filters._replace(sources=on ^ {name}) for name in {*sources, *on}}
    if choices:
        rows.append(heading("Source"))
        rows += _named("source", choices, on, tally.sources if tally else None)
    rows += [heading("Last active"), *_periods(filters, tally, now)]
    rows.append(heading("Messages"))
    for least in SIZES:
        words = f"{count(least)} or more" if least else "Any number"
        number = tally.sizes(least) if tally else None
        choice = filters._replace(least=least)
        rows.append(ChoiceRow("least", words, words, choice == filters, number, choice=choice))
    rows += _switches(filters, tally, fated)
    rows.append(heading("Model"))
    on, models = filters.models, tally.models if tally else None
    choices = {name: filters._replace(models=on ^ {name}) for name in {*(models or ()), *on}}
    rows += _named("model", choices, on, models)
    rows += _workspaces(filters, tally, bool(text.strip()))
    return narrowed(rows, text)


def _profiles(
    filters: Filters, tally: Tally | None, places: Collection[str], unreadable: Collection[str]
) -> Iterator[ChoiceRow]:
    """All that there are, and those that sessions belong to. One that cannot be read may have
    some that are not known."""
    on, known = filters.profiles, tally.profiles if tally else {}
    names = {*places, *known, *on}
    choices = {name: filters._replace(profiles=on ^ {name}) for name in names}
    yield heading("Profile")
    for row in _named("profile", choices, on, known if tally else None):
        unknown = row.name in unreadable and not row.number
        yield row._replace(number=None, value="unreadable") if unknown else row


def _workspaces(filters: Filters, tally: Tally | None, every: bool) -> Iterator[ChoiceRow]:
    """The most used ones, or `every` one; nothing where the file has none."""
    on, known = filters.workspaces, tally.workspaces if tally else {}
    if not on and not any(known):
        return
    choices = {name: filters._replace(workspaces=on ^ {name}) for name in {*known, *on}}
    rows = list(_named("workspace", choices, on, known if tally else None))
    yield heading("Workspace")
    shown = rows if every else [row for at, row in enumerate(rows) if at < WORKSPACES or row.on]
    yield from shown
    if len(shown) < len(rows):
        more = f"{count(len(rows) - len(shown))} more: {MORE_WORKSPACES}"
        yield ChoiceRow("stays", "", more)


def narrowed(rows: Sequence[ChoiceRow], text: str) -> list[ChoiceRow]:
    """The choices that hold a text, under their headings; all of a heading that holds it."""
    wanted = text.strip().casefold()
    if not wanted:
        return list(rows)
    found: list[ChoiceRow] = []
    head, whole = heading(""), False
    for row in rows:
        if row.kind == "heading":
            head, whole = row, wanted in row.words.casefold()
        elif row.can_be_chosen and (whole or wanted in row.words.casefold()):
            found += [row] if head in found else [head, row]
    return found or [ChoiceRow("stays", "", NO_ROWS)]


def _switches(filters: Filters, tally: Tally | None, fated: bool) -> Iterator[ChoiceRow]:
    """What is on or off, each under a heading of its own."""
    tools, unread, expiring = filters.tools, filters.unread, filters.expiring
    yield heading("Tools")
    choice = filters._replace(tools=not tools)
    number = tally.tools if tally else None
    yield ChoiceRow("tools", "", "Only sessions with tool calls", tools, number, choice=choice)
    number = tally.unread if tally else None
    if unread or number is not None:
        yield heading("Unread")
        choice = filters._replace(unread=not unread)
        yield ChoiceRow(
            "unread", "", "Only sessions unread in the agent", unread, number, choice=choice
        )
    if fated or expiring:
        yield heading("Expiring")
        words = "Only sessions that Hermes deletes or archives soon"
        number = tally.expiring if tally else None
        choice = filters._replace(expiring=not expiring)
        yield ChoiceRow("expiring", "", words, expiring, number, choice=choice)


def _named(
    kind: str, choices: Mapping[str, Filters], on: frozenset[str], numbers: Mapping[str, int] | None
) -> Iterator[ChoiceRow]:
    known, words = numbers or {}, _WORDS[kind]
    for name in sorted(choices, key=lambda name: (-known.get(name, 0), name)):
        number = None if numbers is None else known.get(name, 0)
        yield ChoiceRow(kind, name, words(name), name in on, number, choice=choices[name])


def _periods(filters: Filters, tally: Tally | None, now: float) -> list[ChoiceRow]:
    since, before = (moment.words if moment else "" for moment in (filters.since, filters.before))
    rows = []
    for words, start, end in PERIODS:
        choice = filters._replace(since=moment(start, now), before=moment(end, now))
        number = tally.times(choice.since, choice.before) if tally else None
        on = (start, end) == (since, before)
        rows.append(ChoiceRow("period", words, words, on, number, choice=choice))
    usual = any(row.on for row in rows)
    for kind, said in (("since", since), ("before", before)):
        own = said and not usual
        words = f"{kind.capitalize()} {clean_line(said, 30)}" if own else f"{kind.capitalize()} …"
        rows.append(ChoiceRow(kind, said if own else "", words, bool(own)))
    return rows


def moment(words: str, now: float) -> Moment | None:
    """The moment that a day or a span begins with; None for no words, or none that are clear."""
    found = span(words, now)
    return Moment(words.strip(), found.start) if found else None


def chosen(wish: Wish, row: ChoiceRow) -> Wish:
    """The wish after a row of the filters was turned on or off."""
    if isinstance(row.choice, Hidden):
        return wish._replace(shown=wish.shown ^ {row.choice})
    return wish._replace(filters=row.choice) if isinstance(row.choice, Filters) else wish


def painted(row: ChoiceRow, width: int) -> Line:
    """A row as it is drawn: what can be chosen with a mark before it, or its value at the right."""
    if row.kind == "heading":
        return ((f" {row.words}", "heading"),)
    if row.kind == "bar":
        name = fit(row.words, 12)
        gap = " " * (14 - cell_width(name))
        return (f"  {name}{gap}", "text"), (row.name, "link"), (f" {row.value}", "dim")
    if row.kind == "rule":
        value = fit(row.value, max(width - 32, 6))
        words = fit(row.words, max(width - cell_width(value) - 5, 4))
        gap = " " * max(width - cell_width(words) - cell_width(value) - 4, 1)
        return (f"  {words}", "text"), (f"{gap}{value}", "strong")
    if row.kind in ("stays", "include", "words"):
        return ((f"  {fit(row.words, width - 3)}", "dim" if row.kind == "stays" else "text"),)
    one_of = row.kind in ("preset", "period", "least", "since", "before")
    sign = ("(•)" if row.on else "( )") if one_of else ("[x]" if row.on else "[ ]")
    mark = (f"  {sign} ", "ok" if row.on else "dim")
    style = "strong" if row.on else "text" if row.number != 0 else "dim"
    if row.kind == "preset":
        return mark, (fit(row.words, width - 7), style)
    number = row.value or "…" if row.number is None else count(row.number)
    if row.kind in ("since", "before"):
        number = ""
    # Of a path the end tells more.
    cut = fit_end if row.kind == "workspace" else fit
    words = cut(row.words, max(width - len(number) - 8, 4))
    gap = " " * max(width - cell_width(words) - len(number) - 7, 1)
    return mark, (words, style), (f"{gap}{number}", "dim")


def choice_near(rows: Sequence[ChoiceRow], near: int, step: int) -> int:
    """The row to stand on: from `near` in a direction the first that can be chosen, if any."""
    if not any(row.can_be_chosen for row in rows):
        return 0
    at = max(0, min(near, len(rows) - 1))
    while 0 <= at < len(rows) and not rows[at].can_be_chosen:
        at += step
    return at if 0 <= at < len(rows) else choice_near(rows, near, -step)
