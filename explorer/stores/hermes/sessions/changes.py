"""What has happened since the catalog was read: sessions that are new or were written to.

Ids only grow, so a look above the highest known ones tells, at a cost that does not depend on
how many sessions there are. What leaves no higher id (a title, an end, an archive flag, a delete,
activity between two messages) is not seen here; the rows in sight are read anew for that, and now
and then all of it.
"""

from explorer.stores.base import Changes
from explorer.stores.catalog import Mark
from explorer.stores.hermes.sessions.family import family_of, local_catalog
from explorer.stores.hermes.sessions.survey import mark_of
from explorer.stores.sqlite.read_only import Reader

MOST = 2000
"""Beyond so many changed sessions a whole survey is no slower."""


def changes(reader: Reader, since: Mark) -> Changes | None:
    """What changed; None where only a whole survey can tell."""
    now = mark_of(reader)
    if now.message < since.message or now.session < since.session:
        return None
    if now == since:
        return Changes(now, frozenset(), None)
    touched = reader.column(
        "SELECT s.rowid FROM sessions s WHERE s.id IN"
        " (SELECT m.session_id FROM messages m NOT INDEXED WHERE m.id > ?)"
        " UNION SELECT s.rowid FROM sessions s WHERE s.rowid > ? LIMIT ?",
        (since.message, since.session, MOST + 1),
    )
    if len(touched) > MOST:
        return None
    family = family_of(reader, touched)
    markers = reader.schema.has("sessions", "archived")
    return Changes(now, frozenset(touched), local_catalog(family, markers))
