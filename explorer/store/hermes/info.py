"""What a Hermes file is, in figures that cost an index scan at most."""

import os
from pathlib import Path

from explorer.model import StoreInfo
from explorer.store import cells
from explorer.store.edits.refusals import reasons
from explorer.store.failures import log_size
from explorer.store.hermes.search_tables import modes
from explorer.store.hermes.survey import batches
from explorer.store.read_only import Reader
from explorer.store.slices import Pace


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
        search=modes(reader.schema),
        snapshot=reader.snapshot,
        edits=reasons(path, reader.schema, reader.rows, reader.snapshot),
    )


def _orphans(reader: Reader) -> int:
    """Messages whose session row is gone: a leap from id to id through the index, which visits
    each session once, not each message."""
    pace, orphans = Pace(), 0
    first = reader.value("SELECT min(session_id) FROM messages")
    while first is not None:
        pace.begin()
        leaps = reader.rows(
            "WITH RECURSIVE leap(id) AS (SELECT ? UNION ALL"
            " SELECT (SELECT min(m.session_id) FROM messages m WHERE m.session_id > leap.id)"
            " FROM leap WHERE leap.id IS NOT NULL LIMIT ?)"
            " SELECT leap.id, leap.id IS NULL OR EXISTS"
            " (SELECT 1 FROM sessions s WHERE s.id = leap.id) FROM leap",
            (first, pace.rows + 1 if reader.breathes else -1),
        )
        whole = len(leaps) <= pace.rows or not reader.breathes
        lost = [id_ for id_, known in (leaps if whole else leaps[:-1]) if not known]
        for batch in batches(lost):
            orphans += reader.value(
                "SELECT count(*) FROM messages m WHERE m.session_id IN"
                f" ({','.join('?' * len(batch))})",
                batch,
            )
        first = None if whole else leaps[-1][0]
        pace.end()
    return orphans
