"""Stored rows as facts to read: any column of any table, whatever its cells hold.

Cells are cut before they leave SQLite, since one may hold many megabytes, and their full size is
kept. A zero counts as empty: it is the default of counters and flags.
"""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from explorer.render.clean import BROKEN
from explorer.render.figures import count, exact
from explorer.stores.base import Section
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.schema import bytes_of, first_bytes, quoted
from explorer.stores.table_reader import KnownTables

Row = tuple[str, str]

READ = 16_000
"""Bytes read of a cell."""
SHOWN = 2_000
"""Characters shown of one."""
MOST_COLUMNS = 200
"""Besides the known ones: SQLite limits the columns of a query."""
MOST_SETTINGS = 100
SHORT = 48
"""Characters of JSON that stay on one line."""

_NOTHING = (None, "", b"", 0, b"{}", b"[]")
_TIMES = ("_at", "_until", "_deadline")


class Record(NamedTuple):
    """One stored row, by column: text as bytes, cut to what may be shown."""

    cell: Mapping[str, object]
    size: Mapping[str, int]
    """Bytes of each cell before it was cut."""

    def has(self, column: str) -> bool:
        return self.cell.get(column) not in _NOTHING

    def text(self, column: str) -> str:
        """The cell as far as it was read; empty where there is none."""
        return cells.words(self.cell.get(column))

    def told(self, column: str) -> str:
        """The cell as it is shown: JSON indented, a time as a date, long text cut with a note."""
        text = self.text(column)
        moment = cells.seconds(self.cell.get(column)) if column.endswith(_TIMES) else None
        if moment is not None:
            return exact(moment)
        if text.lstrip()[:1] in ("{", "["):
            value = cells.decoded(text)
            text = text if value is cells.BROKEN else indented(value)
        return _cut(text, self.size.get(column, 0))


class FactColumns(NamedTuple):
    """Which columns of a table are read."""

    names: tuple[str, ...]
    select: str

    def record(self, row: Sequence[object]) -> Record:
        """A row of `select` as a record."""
        half = len(self.names)
        sizes = (cells.amount(size) for size in row[half:])
        return Record(
            dict(zip(self.names, row[:half], strict=True)),
            dict(zip(self.names, sizes, strict=True)),
        )


def columns_of(
    schema: KnownTables,
    table: str,
    alias: str,
    known: Collection[str],
    whole: Collection[str],
    cut: Callable[[str, int], str] = first_bytes,
    size: Callable[[str], str] = bytes_of,
) -> FactColumns:
    """The columns that the table has, all `known` ones among them; `whole` ones are not cut."""
    there = schema.tables[table]
    names = [name for name in known if name in there]
    names += sorted(there.difference(known))[:MOST_COLUMNS]
    places = [f"{alias}.{quoted(name)}" for name in names]
    read = [
        place if name in whole else cut(place, READ)
        for name, place in zip(names, places, strict=True)
    ]
    return FactColumns(tuple(names), ", ".join((*read, *map(size, places))))


def labelled(record: Record, labels: Mapping[str, str]) -> list[Row]:
    """The columns that are not empty, in the order of the labels."""
    return [(label, record.told(column)) for column, label in labels.items() if record.has(column)]


def others(record: Record, known: Collection[str]) -> list[Row]:
    """All other columns of the row, under their names."""
    rest = [name for name in sorted(record.cell) if name not in known and record.has(name)]
    return [(name.replace("_", " ").capitalize(), record.told(name)) for name in rest]


def settings(record: Record, column: str, label: str) -> list[Row]:
    """A JSON object, one row for each of its members; anything else as one row."""
    value = cells.decoded(record.cell.get(column)) if record.has(column) else {}
    if not isinstance(value, dict):
        return [(label, record.told(column))]
    rows = list(value.items())[:MOST_SETTINGS]
    return [(key, _cut(indented(inner), len(indented(inner)))) for key, inner in rows]


def indented(value: object) -> str:
    """A value that was JSON: text as it is, anything else as JSON, over several lines if long."""
    if isinstance(value, str):
        return value
    line = json.dumps(value, ensure_ascii=False)
    return line if len(line) <= SHORT else json.dumps(value, ensure_ascii=False, indent=2)


def _cut(text: str, size: int) -> str:
    if len(text) <= SHOWN and size <= READ:
        return text
    return f"{text[:SHOWN].rstrip(BROKEN)} …\n(truncated; {count(size)} bytes in total)"


def newest(parts: Sequence[Record]) -> Record:
    """One record for all parts: of each column the newest cell that is not empty."""
    cell: dict[str, object] = {}
    size: dict[str, int] = {}
    for part in parts:
        for name, value in part.cell.items():
            if name not in cell or part.has(name):
                cell[name], size[name] = value, part.size[name]
    return Record(cell, size)


def total(parts: Iterable[Record], column: str) -> int | None:
    """The sum over all parts; None where nothing is recorded."""
    found = (cells.integer(part.cell.get(column)) for part in parts)
    known = [number for number in found if number is not None]
    return sum(known) if known else None


def sections(found: Iterable[tuple[str, Sequence[Row]]]) -> tuple[Section, ...]:
    """The sections that have rows."""
    return tuple(Section(title, tuple(rows)) for title, rows in found if rows)
