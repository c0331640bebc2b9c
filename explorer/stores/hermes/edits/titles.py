"""Titles by Hermes' own rules: how they are cleaned, that nobody has the same, and what is next.

Titles are unique over all rows, hidden and archived ones too, so a conflict must say who holds
one: people cannot see it.
"""

import re
from collections.abc import Collection

from explorer.stores.edits.dialect import SessionTables, Subject
from explorer.stores.edits.plans import Owner, Title
from explorer.stores.hermes.edits.refusals import marks_children
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.images import Rows

LONGEST = 100
GENERATIONS = 100
BOT_CHAT = "Bot Chat"
"""Newer agents find a hidden session by this title."""
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_INVISIBLE = re.compile("[\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffc\ufff9-\ufffb]")
_RUNS = re.compile(r"\s+")
_NUMBERED = re.compile(r"^(.*?) #(\d+)$", re.DOTALL)


def cleaned(text: str) -> str | None:
    """The title that Hermes would store for what was typed."""
    text = "".join(char for char in text if not 0xD800 <= ord(char) <= 0xDFFF)
    text = _INVISIBLE.sub("", _CONTROLS.sub("", text))
    return _RUNS.sub(" ", text).strip() or None


def check_title(tables: SessionTables, subject: Subject, typed: str) -> Title:
    """Whether a session can have a title."""
    text = cleaned(typed)
    if subject.title == BOT_CHAT and subject.hidden:
        return Title(text, f'the agent finds it by the title "{BOT_CHAT}"')
    if text is None:
        return Title(None, limit=LONGEST)
    if len(text) > LONGEST:
        return Title(text, f"{len(text)} characters: {LONGEST} at most")
    others = [one for one in tables.subjects("title", [text]) if one.row != subject.row]
    if not others:
        return Title(text, limit=LONGEST)
    return _taken(tables, text, others[0], _yields(tables, subject, others[0]))


def _yields(tables: SessionTables, subject: Subject, owner: Subject) -> str:
    """Why another session gives its title up. Later parts get that of earlier ones since schema 16;
    what is empty and ended, or archived and hidden, gives it to anybody since schema 31."""
    if marks_children(tables.schema) and owner.id in _ancestors(tables, subject):
        return "An earlier part of the conversation has this title: it moves on."
    if not tables.schema.has("sessions", "auto_archived"):
        return ""
    if owner.archived and owner.hidden:
        return "An archived, hidden session has this title: it gives it up."
    if owner.ended and not owner.archived and not owner.hidden:
        said = tables.ask("SELECT 1 FROM messages m WHERE m.session_id = ? LIMIT 1", (owner.id,))
        return "" if said else "An empty session has this title: it gives it up."
    return ""


def taken_since(tables: SessionTables, text: str, movers: Collection[str]) -> Title | None:
    """The same for a title that was free, and may not be any more; the `movers` are the sessions
    that it passes between."""
    others = [one for one in tables.subjects("title", [text]) if one.id not in movers]
    return _taken(tables, text, others[0], "") if others else None


def _taken(tables: SessionTables, text: str, by: Subject, yields: str) -> Title:
    owner = Owner(tables.key(by.row), by.id, by.source, by.archived, by.last_active, yields)
    return Title(text, owner=owner, next=next_title(tables.ask, text))


def _ancestors(tables: SessionTables, subject: Subject) -> set[str]:
    """The earlier parts of the conversation that a session continues."""
    found: set[str] = set()
    at = subject
    for _ in range(GENERATIONS):
        above = tables.subjects(tables.shape.id, [at.parent]) if at.parent else []
        if not above or above[0].end_reason != "compression" or above[0].id in found:
            return found
        at = above[0]
        found.add(at.id)
    return found


def next_title(ask: Rows, title: str, taken: Collection[str | None] = ()) -> str:
    """The title with the next free number behind it."""
    base = _base(title)
    like = base.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + " #%"
    rows = ask(
        "SELECT s.title FROM sessions s WHERE s.title = ? OR s.title LIKE ? ESCAPE '\\'",
        (base, like),
    )
    known = {cells.words(cell) for (cell,) in rows} | {one for one in taken if one}
    numbers = [_number(one, base) for one in known]
    made = (
        base if base not in known and not any(numbers) else f"{base} #{max(numbers, default=0) + 1}"
    )
    if len(made) > LONGEST:
        made = _shortened(base, made)
    return made


def _shortened(base: str, made: str) -> str:
    suffix = made[len(base) :]
    return base[: LONGEST - len(suffix)].rstrip() + suffix


def _base(title: str) -> str:
    found = _NUMBERED.match(title)
    return found[1] if found else title


def _number(title: str, base: str) -> int:
    if title == base:
        return 1
    found = _NUMBERED.match(title)
    return int(found[2]) if found and found[1] == base and len(found[2]) < 9 else 0
