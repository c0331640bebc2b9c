"""Titles by Hermes' own rules: how they are cleaned, that nobody has the same, and what is next.

Titles are unique over all rows, hidden and archived ones too, so a conflict must say who holds
one: people cannot see it.
"""

import re
from collections.abc import Collection, Mapping
from typing import NamedTuple

from explorer.render.when import exact
from explorer.store import cells
from explorer.store.edits.images import Rows
from explorer.store.edits.shape import Shape
from explorer.store.edits.subject import Subject, subjects
from explorer.store.schema import Schema

LONGEST = 100
GENERATIONS = 100
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_INVISIBLE = re.compile("[\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffc\ufff9-\ufffb]")
_RUNS = re.compile(r"\s+")
_NUMBERED = re.compile(r"^(.*?) #(\d+)$", re.DOTALL)


class Owner(NamedTuple):
    """Who has a title that somebody else wants."""

    row: int
    id: str
    source: str
    archived: bool
    yields: str = ""
    """Why the title moves on from it, as Hermes would have it; empty where it keeps it."""


class Title(NamedTuple):
    """What a title that was typed comes to."""

    text: str | None
    """As it would be stored; None clears the title."""
    trouble: str = ""
    owner: Owner | None = None
    next: str = ""
    """A free title like it, where it is taken."""


def cleaned(text: str) -> str | None:
    """The title that Hermes would store for what was typed."""
    text = "".join(char for char in text if not 0xD800 <= ord(char) <= 0xDFFF)
    text = _INVISIBLE.sub("", _CONTROLS.sub("", text))
    return _RUNS.sub(" ", text).strip() or None


def check_title(ask: Rows, schema: Schema, shape: Shape, subject: Subject, typed: str) -> Title:
    """Whether a session can have a title."""
    text = cleaned(typed)
    if text is None:
        return Title(None)
    if len(text) > LONGEST:
        return Title(text, f"{len(text)} characters: {LONGEST} at most")
    found = subjects(ask, schema, shape, "title", [text])
    others = [one for one in found if one.row != subject.row]
    if not others:
        return Title(text)
    return _taken(ask, text, others[0], _yields(ask, schema, shape, subject, others[0]))


def _yields(ask: Rows, schema: Schema, shape: Shape, subject: Subject, owner: Subject) -> str:
    """Why another session gives its title up. Later parts get that of earlier ones since schema 16;
    what is empty and ended, or archived and hidden, gives it to anybody since schema 31."""
    if shape.marks and owner.id in _ancestors(ask, schema, shape, subject):
        return "An earlier part of the conversation has this title: it moves on."
    if not schema.has("sessions", "auto_archived"):
        return ""
    if owner.archived and owner.hidden:
        return "An archived, hidden session has this title: it gives it up."
    if owner.ended and not owner.archived and not owner.hidden:
        said = ask("SELECT 1 FROM messages m WHERE m.session_id = ? LIMIT 1", (owner.id,))
        return "" if said else "An empty session has this title: it gives it up."
    return ""


def taken_since(
    ask: Rows, schema: Schema, shape: Shape, text: str, movers: Collection[str]
) -> Title | None:
    """The same for a title that was free, and may not be any more; the `movers` are the sessions
    that it passes between."""
    found = subjects(ask, schema, shape, "title", [text])
    others = [one for one in found if one.id not in movers]
    return _taken(ask, text, others[0], "") if others else None


def _taken(ask: Rows, text: str, by: Subject, yields: str) -> Title:
    owner = Owner(by.row, by.id, by.source, by.archived, yields)
    return Title(text, owner=owner, next=next_title(ask, text))


def taken_words(title: Title) -> str:
    """Who has a title, and which is free."""
    assert title.owner is not None
    _, id_, source, archived, _ = title.owner
    return f"The session {id_} ({source}{', archived' * archived}) has it. Free is: {title.next}"


def owner_words(owner: Subject) -> str:
    """Which session it is that has a title: its name would not tell, since that is the title."""
    active = f"last active {exact(owner.last_active)}" if owner.last_active else ""
    return ", ".join(filter(None, (owner.source, "archived" * owner.archived, active)))


def _ancestors(ask: Rows, schema: Schema, shape: Shape, subject: Subject) -> set[str]:
    """The earlier parts of the conversation that a session continues."""
    found: set[str] = set()
    at = subject
    for _ in range(GENERATIONS):
        above = subjects(ask, schema, shape, shape.id, [at.parent]) if at.parent else []
        if not above or above[0].end_reason != "compression" or above[0].id in found:
            return found
        at = above[0]
        found.add(at.id)
    return found


def next_title(ask: Rows, title: str, taken: Mapping[str, str | None] | None = None) -> str:
    """The title with the next free number behind it."""
    base = _base(title)
    like = base.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + " #%"
    rows = ask(
        "SELECT s.title FROM sessions s WHERE s.title = ? OR s.title LIKE ? ESCAPE '\\'",
        (base, like),
    )
    known = {cells.words(cell) for (cell,) in rows} | {one for one in (taken or {}).values() if one}
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
