"""What every kind of state file offers.

The layers above ask a `Store` what it holds and what is possible; they never ask which kind it
is. Every call opens the file, reads and closes it, and stops when its token is cancelled.
"""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from explorer.model import Message, MessageState, Outline, Session, Sort, StoreInfo
from explorer.store.catalog import Catalog, Mark, Unit
from explorer.store.read_only import CancelToken


class Candidate(NamedTuple):
    """A session that answers to what was typed."""

    key: int
    id: str
    title: str | None


class Match(NamedTuple):
    """A message that a search found, before its text is read."""

    message_id: int
    session_key: int | None
    """None for a message whose session row is gone."""
    session_id: str
    state: MessageState


class Matches(NamedTuple):
    """What a search found, newest first."""

    mode: str
    found: Sequence[Match]
    complete: bool


class Label(NamedTuple):
    """What names a session in a list of hits."""

    id: str
    title: str | None
    source: str


class Facts(NamedTuple):
    """What a list is filtered by and no index holds, of every session by key."""

    models: Mapping[int, str]
    """Missing where the agent did not note one."""
    messages: Mapping[int, int]
    tools: frozenset[int]
    """Sessions in which tools were called."""

    def renewed(self, newer: "Facts", keys: Collection[int]) -> "Facts":
        """These facts, but of some sessions the newer ones."""
        return Facts(
            {**self.models, **newer.models},
            {**self.messages, **newer.messages},
            self.tools.difference(keys) | newer.tools,
        )


class Changes(NamedTuple):
    """What happened to a store since a mark."""

    mark: Mark
    keys: frozenset[int]
    """Sessions that are new or were written to."""
    family: Catalog | None
    """They and everybody they are tied to."""


class Handover(NamedTuple):
    """How the agent of a store takes a session back."""

    program: str
    arguments: tuple[str, ...]
    """A template; the placeholders are those of the settings."""
    environment: Mapping[str, str]
    profile: str
    has_profiles: bool = False
    """The agent's home shows that it knows profiles."""


class Store(Protocol):
    """A state file, read-only."""

    path: Path
    kind: str

    def handover(self) -> Handover | str:
        """How a session is resumed; where it cannot be, why not."""
        ...

    def info(self, token: CancelToken | None = None) -> StoreInfo: ...

    def first_page(
        self, limit: int, now: float, sort: Sort = Sort.ACTIVE, token: CancelToken | None = None
    ) -> list[Session]:
        """The newest rows at once, without the certainty of the catalog."""
        ...

    def catalog(self, token: CancelToken | None = None) -> Catalog: ...

    def changes(self, since: Mark, token: CancelToken | None = None) -> Changes | None:
        """What is new since a catalog was read; None where only another one can tell."""
        ...

    def sort_values(self, sort: Sort, token: CancelToken | None = None) -> Mapping[int, object]:
        """What to order by, of every session by key; missing where unknown."""
        ...

    def facts(self, keys: Sequence[int] | None = None, token: CancelToken | None = None) -> Facts:
        """Of these sessions, or of all."""
        ...

    def keys_of(self, ids: Sequence[str], token: CancelToken | None = None) -> Mapping[str, int]:
        """The keys of the sessions with these very ids; those that are gone are missing."""
        ...

    def sessions(
        self, units: Sequence[Unit], now: float, token: CancelToken | None = None
    ) -> list[Session]: ...

    def outlines(
        self, key: int, rewound: bool = False, token: CancelToken | None = None
    ) -> list[Outline]: ...

    def first_outlines(
        self, key: int, most: int, rewound: bool = False, token: CancelToken | None = None
    ) -> tuple[list[Outline], bool]:
        """(the outlines of at least the first `most` messages, the rewound counted among them,
        whether those are all); where they are not, sizes may be unknown."""
        ...

    def system_prompt(self, key: int, token: CancelToken | None = None) -> str:
        """What the agent was told before anything was said; empty where it is not kept."""
        ...

    def messages(
        self, key: int, ids: Sequence[int], token: CancelToken | None = None
    ) -> list[Message]: ...

    def labels(
        self, keys: Sequence[int], token: CancelToken | None = None
    ) -> Mapping[int, Label]: ...

    def around(
        self, key: int, ids: Sequence[int], rewound: bool = False, token: CancelToken | None = None
    ) -> Mapping[int, tuple[int | None, int | None]]:
        """The messages before and after each of these, in the same session."""
        ...

    def find(self, text: str, token: CancelToken | None = None) -> list[Candidate]:
        """The sessions that an id, the beginning of one, or a title may mean: one when it is
        clear."""
        ...

    def lost_messages(self, id_: str, token: CancelToken | None = None) -> list[Message]:
        """Messages that name a session of which no row is left."""
        ...

    def matches(
        self,
        terms: Sequence[str],
        prefix: bool,
        limit: int | None,
        rewound: bool,
        token: CancelToken | None = None,
    ) -> Matches:
        """Messages that hold all terms; with `prefix`, the last term may go on."""
        ...
