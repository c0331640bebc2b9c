"""Which session somebody means: by id, by the beginning of an id, or by title.

Hermes' own rules: ids are compared exactly, then as a prefix without regard to ASCII case; of a
numbered lineage of titles ("x", "x #2") the newest wins.
"""

from collections.abc import Sequence

from explorer.stores.base import NamedSession
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.read_only import Reader

AT_MOST = 20
"""Candidates worth naming to a person."""


def find(reader: Reader, text: str) -> list[NamedSession]:
    """One candidate when it is clear who is meant, several when not, none when nobody is."""
    title = reader.schema.pick("sessions", "s", ("title",))
    select = f"SELECT s.rowid, s.id, {title} FROM sessions s"
    exact = _candidates(reader, f"{select} WHERE s.id = ?", text)
    if exact:
        return exact
    starting = _candidates(
        reader,
        f"{select} WHERE s.id LIKE ? ESCAPE '\\' ORDER BY s.started_at DESC LIMIT {AT_MOST}",
        _escaped(text) + "%",
    )
    if len(starting) == 1:
        return starting
    titled = _titled(reader, select, text)
    return titled or starting or _by_shown_id(reader, select, text)


def keys_of(reader: Reader, ids: Sequence[str]) -> dict[str, int]:
    """The keys of the sessions with these ids, by the index on them. An id that is not valid text
    is known by how it is shown, which only a walk through all of them finds."""
    found: dict[str, int] = {}
    for id_ in ids:
        if "\ufffd" in id_:
            rows = reader.rows("SELECT s.rowid, s.id FROM sessions s")
            found.update((id_, key) for key, other in rows if cells.words(other) == id_)
        elif (coded := id_.encode("utf-8", "replace")).decode() == id_:
            # Half a surrogate is never shown, so nobody has it; some ids are stored as bytes.
            key = reader.value("SELECT s.rowid FROM sessions s WHERE s.id IN (?, ?)", (id_, coded))
            if key is not None:
                found[id_] = key
    return found


def _titled(reader: Reader, select: str, text: str) -> list[NamedSession]:
    if not reader.schema.has("sessions", "title"):
        return []
    newest = " ORDER BY s.started_at DESC, s.rowid DESC LIMIT 1"
    numbered = f"{select} WHERE s.title LIKE ? ESCAPE '\\'{newest}"
    found = _candidates(reader, numbered, _escaped(text) + " #%")
    return found or _candidates(reader, f"{select} WHERE s.title = ?{newest}", text)


def _by_shown_id(reader: Reader, select: str, text: str) -> list[NamedSession]:
    """Ids that are not valid text are listed with replacement characters; those find them too."""
    if "\ufffd" not in text:
        return []
    shown = reader.rows("SELECT rowid, id FROM sessions")
    keys = [key for key, id_ in shown if cells.words(id_) == text]
    return [c for key in keys for c in _candidates(reader, f"{select} WHERE s.rowid = ?", key)]


def _candidates(reader: Reader, sql: str, value: object) -> list[NamedSession]:
    return [
        NamedSession(key, cells.words(id_), cells.text(title))
        for key, id_, title in reader.rows(sql, (value,))
    ]


def _escaped(text: str) -> str:
    for special in ("\\", "%", "_"):
        text = text.replace(special, "\\" + special)
    return text
