"""What a search asks of every session and no catalog holds: ids, titles, figures, states.

Only what is asked for is read: ids and titles come from indices in an instant, the rest lies
behind long system prompts.
"""

from collections.abc import Collection, Mapping
from enum import StrEnum
from typing import NamedTuple, TypeVar

T = TypeVar("T")


class Trait(StrEnum):
    """What can be asked for."""

    ID = "id"
    TITLE = "title"
    WORKSPACE = "workspace"
    COST = "cost"
    TOKENS = "tokens"
    STATE = "state"
    READ = "read"


class Traits(NamedTuple):
    """What was asked for, of sessions by key; missing where it is unknown."""

    ids: Mapping[int, str] = {}
    titles: Mapping[int, str] = {}
    workspaces: Mapping[int, str] = {}
    costs: Mapping[int, float] = {}
    """Dollars, where the agent knew them: a stored zero need not mean free."""
    tokens: Mapping[int, float] = {}
    """In and out together."""
    ended: frozenset[int] = frozenset()
    held: Mapping[int, float] = {}
    """Until when a process holds the session, by its own word."""
    read_at: Mapping[int, float] = {}
    """When a session was read last, where its agent keeps track of that."""

    def renewed(self, newer: "Traits", keys: Collection[int]) -> "Traits":
        """These traits, but of some sessions the newer ones."""
        return Traits(
            ids=_renewed(self.ids, newer.ids, keys),
            titles=_renewed(self.titles, newer.titles, keys),
            workspaces=_renewed(self.workspaces, newer.workspaces, keys),
            costs=_renewed(self.costs, newer.costs, keys),
            tokens=_renewed(self.tokens, newer.tokens, keys),
            ended=self.ended.difference(keys) | newer.ended,
            held=_renewed(self.held, newer.held, keys),
            read_at=_renewed(self.read_at, newer.read_at, keys),
        )


def _renewed(old: Mapping[int, T], new: Mapping[int, T], keys: Collection[int]) -> dict[int, T]:
    kept = dict(old)
    for key in keys:
        kept.pop(key, None)
    return {**kept, **new}
