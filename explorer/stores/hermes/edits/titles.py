"""Titles by Hermes' own rules: how they are cleaned, that no two are the same, and what is next.

Titles are unique over all rows, hidden and archived ones too, so a conflict must say which session
has one: it may not be visible.
"""

import re
from collections.abc import Collection

from explorer.stores.edits.dialect import SessionTables, Subject, Values
from explorer.stores.edits.plans import Owner, Title
from explorer.stores.hermes.edits.refusals import marks_children
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.images import Cell, raw

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


class TitledTables(SessionTables):
    """The sessions of one file, as far as their titles go."""

    def title(self, subject: Subject, typed: str) -> Title:
        text = cleaned(typed)
        if subject.title == BOT_CHAT and subject.hidden:
            return Title(text, f"Hermes finds this session by its title “{BOT_CHAT}”")
        if text is None:
            return Title(None, limit=LONGEST)
        if len(text) > LONGEST:
            return Title(text, f"too long: {len(text)} of {LONGEST} characters")
        others = [one for one in self.subjects("title", [text]) if one.row != subject.row]
        if not others:
            return Title(text, limit=LONGEST)
        return self._taken(text, others[0], self._yields(subject, others[0]))

    def titled(self, subject: Subject, title: str | None) -> Values:
        values: dict[str, Cell] = {"title": None if title is None else raw(title)}
        if self.schema.has("sessions", "title_source"):
            values["title_source"] = None if title is None else raw("user")
        return values

    def title_taken(self, title: str, but_by: Collection[str]) -> Title | None:
        others = [one for one in self.subjects("title", [title]) if one.id not in but_by]
        return self._taken(title, others[0], "") if others else None

    def _taken(self, text: str, by: Subject, yields: str) -> Title:
        owner = Owner(self.key(by.row), by.id, by.source, by.archived, by.last_active, yields)
        return Title(text, owner=owner, next=self.free_title(text))

    def _yields(self, subject: Subject, owner: Subject) -> str:
        """Why another session gives its title up. Later parts get that of earlier ones since schema
        16; an empty ended session, or an archived hidden one, gives it to any since schema 31."""
        if marks_children(self.schema) and owner.id in self._ancestors(subject):
            return "The title moves here from an earlier part of this conversation."
        if not self.schema.has("sessions", "auto_archived"):
            return ""
        if owner.archived and owner.hidden:
            return "The title moves here from an archived, hidden session."
        if owner.ended and not owner.archived and not owner.hidden:
            said = self.ask("SELECT 1 FROM messages m WHERE m.session_id = ? LIMIT 1", (owner.id,))
            return "" if said else "The title moves here from an empty session."
        return ""

    def _ancestors(self, subject: Subject) -> set[str]:
        """The earlier parts of the conversation that a session continues."""
        found: set[str] = set()
        at = subject
        for _ in range(GENERATIONS):
            above = self.subjects(self.shape.id, [at.parent]) if at.parent else []
            if not above or above[0].end_reason != "compression" or above[0].id in found:
                return found
            at = above[0]
            found.add(at.id)
        return found

    def free_title(self, title: str, taken: Collection[str | None] = ()) -> str:
        """The title with the next free number behind it."""
        numbered = _NUMBERED.match(title)
        base = numbered[1] if numbered else title
        like = base.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + " #%"
        rows = self.ask(
            "SELECT s.title FROM sessions s WHERE s.title = ? OR s.title LIKE ? ESCAPE '\\'",
            (base, like),
        )
        known = {cells.words(cell) for (cell,) in rows} | {one for one in taken if one}
        numbers = [_number(one, base) for one in known]
        free = base not in known and not any(numbers)
        suffix = "" if free else f" #{max(numbers, default=0) + 1}"
        made = base + suffix
        return made if len(made) <= LONGEST else base[: LONGEST - len(suffix)].rstrip() + suffix


def _number(title: str, base: str) -> int:
    if title == base:
        return 1
    found = _NUMBERED.match(title)
    return int(found[2]) if found and found[1] == base and len(found[2]) < 9 else 0
