"""The columns right of the title: which of them there is room for, and how wide each is.

A column is as wide as what it holds in the visible rows, so that the title gets all the rest. It
only grows while the same list is scrolled: columns that come and go would make the titles dance.
"""

from collections.abc import Iterable
from typing import NamedTuple

from explorer.browse.words import model_words, profile_in, profile_of
from explorer.model import ListColumn, Session, Sort
from explorer.render.clean import cell_width, clean_line, fit
from explorer.render.figures import (
    UNKNOWN,
    ago,
    ago_in_short,
    cents,
    count,
    date_and_time,
    plural,
    rounded,
    tokens,
)
from explorer.stores.base import Store

ROOMY = 70
"""From this width on numbers have their noun, and times are said in full."""
WIDE = 80
"""From this width on there are more columns than time and source."""
WIDE_TITLE, NARROW_TITLE = 42, 24
"""Cells that a title keeps before a further column is shown, and before the source is."""
CHOSEN_TITLE = 16
"""The same for columns that the user has chosen."""
PROFILE_TITLE, LEAST_PROFILE = 20, 6
"""Cells that a title keeps beside the profile, and that a profile has at least."""
_LONGEST = {
    ListColumn.SOURCE: 12,
    ListColumn.MODEL: 18,
    ListColumn.WORKSPACE: 16,
    ListColumn.PROFILE: 28,
    ListColumn.CHAT: 24,
}
_NARROW = {
    ListColumn.SOURCE: 8,
    ListColumn.MODEL: 12,
    ListColumn.WORKSPACE: 12,
    ListColumn.PROFILE: 28,
    ListColumn.CHAT: 16,
}
_FURTHER = (ListColumn.CHAT, ListColumn.MESSAGES, ListColumn.WORKSPACE, ListColumn.MODEL)
_FIGURES = {
    Sort.MESSAGES: ListColumn.MESSAGES,
    Sort.TOKENS: ListColumn.TOKENS,
    Sort.COST: ListColumn.COST,
}
"""What a list is sorted by is shown in its rows."""
_AT_THE_LEFT = tuple(_LONGEST)


class ColumnChoice(NamedTuple):
    """What decides about the columns, beside the room that there is."""

    sort: Sort = Sort.ACTIVE
    chosen: tuple[ListColumn, ...] | None = None
    """The columns that the user has set, in their order; None for the usual ones."""
    absolute: bool = False
    """Times are a day and an hour, not how long ago."""
    sources: bool = True
    """Sessions come from several places."""
    profiles: bool = False
    """Sessions of several profiles are listed."""
    endless: frozenset[str] = frozenset()
    """The names of stores, of several, where it is not known whether sessions have ended."""


def endless(store: Store) -> frozenset[str]:
    """The names of its stores that do not record when sessions end."""
    opened = ((one.name, one.store) for one in store.stores())
    return frozenset(name for name, own in opened if own is not None and not own.keeps_ends)


class RowShape(NamedTuple):
    """How wide rows are, and their columns from left to right."""

    width: int
    choice: ColumnChoice = ColumnChoice()
    cells: tuple[tuple[ListColumn, int], ...] = ()
    needed: tuple[tuple[ListColumn, int], ...] = ()
    """What they would take, also those without room."""


def shaped(rows: Iterable[Session], shape: RowShape, now: float) -> RowShape:
    """The shape so far, made wide enough for these rows too."""
    wanted = _wanted(shape)
    needed = dict(shape.needed) or {column: 0 for column, _ in wanted}
    longest = _LONGEST if shape.width >= ROOMY else _NARROW
    for session in rows:
        for column in needed:
            cells = cell_width(cell_text(column, session, shape, now))
            needed[column] = max(needed[column], min(cells, longest.get(column, cells)))
    kept, room = dict[ListColumn, int](), shape.width
    for column, title in wanted:
        cells = needed[column]
        if column is ListColumn.PROFILE:
            # Cut rather than left out: rows that look alike may be in different profiles.
            cells = min(cells, max(room - title - 1, LEAST_PROFILE))
        if cells and room - cells - 1 >= title:
            kept[column] = cells
            room -= cells + 1
    chosen = shape.choice.chosen
    order = ListColumn if chosen is None else (*_sorted_by(shape.choice), *chosen)
    shown = tuple((one, kept[one]) for one in dict.fromkeys(order) if one in kept)
    return shape._replace(needed=tuple(needed.items()), cells=shown)


def _wanted(shape: RowShape) -> list[tuple[ListColumn, int]]:
    """The columns to show, what matters most first, each with the cells that a title keeps."""
    wanted = [(one, 0) for one in _sorted_by(shape.choice)]
    if shape.choice.chosen is not None:
        wanted += [(one, CHOSEN_TITLE) for one in shape.choice.chosen]
    else:
        where = ListColumn.SOURCE if shape.choice.sources else ListColumn.MODEL
        wanted.append((ListColumn.TIME, 0))
        if shape.choice.profiles:
            wanted.append((ListColumn.PROFILE, PROFILE_TITLE))
        wanted.append((where, NARROW_TITLE))
        wanted += [(one, WIDE_TITLE) for one in _FURTHER if shape.width >= WIDE]
    return [(one, title) for at, (one, title) in enumerate(wanted) if one not in dict(wanted[:at])]


def _sorted_by(choice: ColumnChoice) -> tuple[ListColumn, ...]:
    figure = _FIGURES.get(choice.sort)
    return () if figure is None else (figure,)


def columns_of(session: Session, shape: RowShape, now: float) -> str:
    """What is right of the title in a row, every column in its place."""
    said = ""
    for column, cells in shape.cells:
        whole = cell_text(column, session, shape, now)
        text = profile_in(session, cells) if column is ListColumn.PROFILE else fit(whole, cells)
        gap = " " * (cells - cell_width(text))
        said += f" {text}{gap}" if column in _AT_THE_LEFT else f" {gap}{text}"
    return said


def cell_text(column: ListColumn, session: Session, shape: RowShape, now: float) -> str:
    """What a column says of a session where it has the room, as short as the width of the row asks
    for."""
    roomy, choice = shape.width >= ROOMY, shape.choice
    match column:
        case ListColumn.TIME:
            started = choice.sort is Sort.STARTED
            time = session.started_at if started else session.last_active
            if choice.absolute:
                return date_and_time(time, now)
            return (ago if roomy else ago_in_short)(time, now)
        case ListColumn.MESSAGES:
            number = session.message_count
            return plural(number, "msg") if roomy else count(number)
        case ListColumn.TOKENS:
            return _tokens(session, roomy)
        case ListColumn.COST:
            return UNKNOWN if session.cost_usd is None else cents(session.cost_usd)
        case ListColumn.MODEL:
            return model_words(session.model) if session.model else ""
        case ListColumn.WORKSPACE:
            return clean_line((session.workspace or "").rstrip("/").rpartition("/")[2], 60)
        case ListColumn.SOURCE:
            return clean_line(session.source, 40)
        case ListColumn.PROFILE:
            return profile_of(session)
        case ListColumn.CHAT:
            return clean_line(session.origin, 60)


def _tokens(session: Session, roomy: bool) -> str:
    total = tokens(session.input_tokens, session.output_tokens)
    if total is None:
        return UNKNOWN
    number = rounded(total)
    return f"{number} tokens" if roomy else number
