"""What is looked for: words in one message or in a title, or an id or its beginning.

It is the language of the search bar without its fields: they may be what keeps the session out of
the list.
"""

from typing import NamedTuple

from explorer.errors import UsageError
from explorer.model import Message
from explorer.render.letters import fold
from explorer.search.hits import excerpt
from explorer.search.language.query import Query, parse
from explorer.search.matcher import Matcher

SHORTEST_ID = 6
"""Letters of the beginning of an id; fewer are a word. A whole id may have any number."""
NOTHING_TYPED = "Type words of the session, its title, or its id."


class Shown(NamedTuple):
    """Where a text was found, for a person."""

    field: str
    snippet: str
    marks: tuple[tuple[int, int], ...]


EARLIER_TITLE = "earlier title"
"""The field of a text that is in a title which a session had before."""


class Wanted(NamedTuple):
    """What is looked for, ready to be tried on messages, titles and ids."""

    text: str
    matcher: Matcher
    dropped: bool
    """Fields were typed, and are left out."""

    @classmethod
    def of(cls, text: str, now: float) -> "Wanted":
        query: Query = parse(text, now)
        if not query.needs_text:
            raise UsageError("Nothing to look for", NOTHING_TYPED)
        dropped = bool(query.fields or query.unfinished)
        return cls(text.strip(), Matcher(query._replace(fields=()), now), dropped)

    def is_id(self, id_: str) -> bool:
        """Whether this id, or its beginning, was typed."""
        own = id_.lower()
        typed = [one.lower() for one in self.ids_typed]
        return own in typed or any(own.startswith(one) for one in typed if len(one) >= SHORTEST_ID)

    @property
    def ids_typed(self) -> tuple[str, ...]:
        """What was typed, as ids: the profile before one says where it was listed, but an id may
        have a slash too."""
        last = self.text.rpartition("/")[2]
        return tuple(dict.fromkeys(filter(None, (self.text, last))))

    def in_title(self, title: str | None) -> bool:
        return bool(title) and self.matcher.in_title(title or "", fold(title or ""))

    def in_message(self, message: Message) -> Shown | None:
        """Where a message holds it, or None."""
        where = self.matcher.where(message)
        return None if where is None else self.shown(where.field, where.text, where.at or 0)

    def shown(self, field: str, text: str, at: int = 0) -> Shown:
        snippet = excerpt(text, at)
        return Shown(field, snippet, self.matcher.spans(snippet))
