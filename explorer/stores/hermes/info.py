"""What a Hermes file is, in figures that cost an index scan at most."""

import os
from pathlib import Path

from explorer.model import StoreInfo
from explorer.stores.edits.refusals import reasons
from explorer.stores.hermes.edits.dialect import HermesDialect
from explorer.stores.hermes.index_check import indices_agree
from explorer.stores.hermes.search.info import modes
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.failures import log_size
from explorer.stores.sqlite.read_only import Reader
from explorer.stores.sqlite.slices import Pace


def info(reader: Reader, path: Path) -> StoreInfo:
    version = None
    if reader.schema.has("schema_version", "version"):
        # A file may hold several rows; the greatest is the one its last migration wrote.
        version = reader.value("SELECT max(version) FROM schema_version")
    return StoreInfo(
        path=str(path),
        kind="hermes",
        schema_version=cells.integer(version),
        journal_mode=cells.words(reader.value("PRAGMA journal_mode")),
        sessions=reader.value("SELECT count(*) FROM sessions"),
        messages=reader.value("SELECT count(*) FROM messages"),
        orphans=_orphans(reader),
        bytes=os.stat(path).st_size,
        wal_bytes=log_size(path),
        search=modes(reader),
        snapshot=reader.snapshot,
        edits=reasons(path, HermesDialect(path), reader.schema, reader.rows, reader.snapshot),
        sound=indices_agree(reader),
    )


_LEAP = (
    "WITH RECURSIVE leap(id) AS (SELECT m.session_id FROM messages m WHERE m.id = ? UNION ALL"
    " SELECT (SELECT min(m.session_id) FROM messages m WHERE m.session_id > leap.id)"
    " FROM leap WHERE leap.id IS NOT NULL LIMIT ?)"
)
"""From id to id through the index: it visits each session once, not each message."""
_LOST = (
    "CASE WHEN EXISTS (SELECT 1 FROM sessions s WHERE s.id = leap.id) THEN 0"
    " ELSE (SELECT count(*) FROM messages m WHERE m.session_id = leap.id) END"
)


def _orphans(reader: Reader) -> int:
    """Messages whose session row is gone. An id need not be valid text, so where the next slice
    begins is told by a message."""
    pace, orphans = Pace(), 0
    at = reader.value("SELECT m.id FROM messages m ORDER BY m.session_id LIMIT 1")
    if not reader.breathes:
        return int(reader.value(f"{_LEAP} SELECT total({_LOST}) FROM leap", (at, -1)))
    a_message = "(SELECT m.id FROM messages m WHERE m.session_id = leap.id LIMIT 1)"
    while at is not None:
        pace.begin()
        leaps = reader.rows(f"{_LEAP} SELECT {a_message}, {_LOST} FROM leap", (at, pace.rows + 1))
        more = len(leaps) > pace.rows
        orphans += sum(number for _, number in (leaps[:-1] if more else leaps))
        at = leaps[-1][0] if more else None
        pace.end()
    return orphans
