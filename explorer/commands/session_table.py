"""The lines of `list`: for a person columns under a heading, as wide as the terminal; for a script
lines that stay as they are."""

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from explorer.commands.output import BOLD, DIM, painted, terminal_size
from explorer.commands.words import file_words
from explorer.model import Session, Sort
from explorer.render.clean import cell_width, clean_line, fit, pad
from explorer.render.figures import ago, count, exact_cost, tokens

GAP = "  "
LEAST = 28
"""Cells that a title gets in any case."""
PLACE = 11
"""Cells that a profile gets in any case; never cut, so that a script reads it whole."""
LONGEST = 120
"""Characters of a title."""


class TableColumn(NamedTuple):
    """A column on the terminal."""

    head: str
    text: Callable[[Session, float], str]
    right: bool = False


_ID = TableColumn("Id", lambda session, now: clean_line(session.id))
_ACTIVE = TableColumn("Active", lambda session, now: ago(session.last_active, now))
_SOURCE = TableColumn("Source", lambda session, now: clean_line(session.source, 20))
_PROFILE = TableColumn("Profile", lambda session, now: clean_line(file_words(session), 30))
_MESSAGES = TableColumn("Messages", lambda session, now: count(session.message_count), right=True)
_SORTED = {
    Sort.MESSAGES: _MESSAGES,
    Sort.SOURCE: _SOURCE,
    Sort.STARTED: TableColumn("Started", lambda session, now: ago(session.started_at, now)),
    Sort.COST: TableColumn("Cost", lambda session, now: _cost(session), right=True),
    Sort.TOKENS: TableColumn("Tokens", lambda session, now: _tokens(session), right=True),
}
"""What a list is sorted by, where it is not one of the first columns."""


def session_lines(sessions: Sequence[Session], sort: Sort, now: float) -> Iterator[str]:
    if not sys.stdout.isatty():
        places = [cell_width(clean_line(file_words(one))) for one in sessions if one.place]
        width = max(PLACE, *places) if places else 0
        yield from (_plain(session, now, width) for session in sessions)
    elif sessions:
        several = [_PROFILE] if any(session.place for session in sessions) else []
        asked = [_ID, *several, _ACTIVE, *([_SORTED[sort]] if sort in _SORTED else [])]
        more = [one for one in (_SOURCE, _MESSAGES) if one not in asked]
        yield from _table(sessions, asked, more, now)


def _plain(session: Session, now: float, place: int) -> str:
    return GAP.join(
        (
            pad(clean_line(session.id), max(26, len(session.id))),
            pad(ago(session.last_active, now), 10),
            pad(clean_line(session.source), 11),
            *([pad(clean_line(file_words(session)), place)] if place else []),
            f"{count(session.message_count):>6}",
            _name(session) + _parts(session),
        )
    )


def _table(
    sessions: Sequence[Session],
    asked: Sequence[TableColumn],
    more: Sequence[TableColumn],
    now: float,
) -> Iterator[str]:
    """The heading and the rows, with as many of the other columns as leave room for the title."""
    made = {column.head: _cells(sessions, column, now) for column in (*asked, *more)}
    columns = [made[column.head] for column in asked]
    room = terminal_size().columns - sum(map(_width, columns))
    for column in (made[one.head] for one in more):
        if room - _width(column) >= LEAST:
            columns.append(column)
            room -= _width(column)
    yield painted(GAP.join((*(cells[0] for cells in columns), "Title")), DIM)
    for at, session in enumerate(sessions, 1):
        id_, *facts = (cells[at] for cells in columns)
        parts = _parts(session)
        name = fit(_name(session), max(room, LEAST) - len(parts))
        named = painted(name, BOLD if session.title else "") + parts
        yield GAP.join((painted(id_, DIM), *facts, named))


def _width(cells: Sequence[str]) -> int:
    return cell_width(cells[0]) + len(GAP)


def _cells(sessions: Sequence[Session], column: TableColumn, now: float) -> list[str]:
    """The heading and the texts of a column, all equally wide."""
    texts = [column.head, *(column.text(session, now) for session in sessions)]
    width = max(map(cell_width, texts))
    if column.right:
        return [" " * (width - cell_width(text)) + text for text in texts]
    return [pad(text, width) for text in texts]


def _name(session: Session) -> str:
    return clean_line(session.called or "(empty)", LONGEST)


def _parts(session: Session) -> str:
    return f" ↪{session.parts}" if session.parts > 1 else ""


def _cost(session: Session) -> str:
    return "" if session.cost_usd is None else exact_cost(session.cost_usd)


def _tokens(session: Session) -> str:
    total = tokens(session.input_tokens, session.output_tokens)
    return "" if total is None else count(total)
