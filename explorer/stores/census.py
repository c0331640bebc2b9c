"""All sessions of a store counted, of which only some are known one by one.

A list says how many sessions there are and why some are hidden, and shows the newest few. For that
it is enough to know the conversations that were active lately; all others are only counted, by
source and by why they are hidden. Of 100,000 sessions that takes half of the time of a whole
catalog, and the list is sorted sooner.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from math import inf
from typing import NamedTuple

from explorer.model import Hidden
from explorer.stores.catalog import Catalog
from explorer.stores.columns import Unique


class CountedRows(NamedTuple):
    """What a list is made of."""

    keys: Sequence[int]
    """The rows that are known one by one."""
    others: int
    """How many rows are only counted."""
    hidden: dict[Hidden, int]

    @property
    def matching(self) -> int:
        return len(self.keys) + self.others


class Census(NamedTuple):
    """The sessions of a store; one of a whole catalog knows all of them."""

    known: Catalog
    """Exact about its sessions, except for when they were active before `since`, and how many
    subagents those have."""
    others: Mapping[tuple[str, Hidden | None], int] = {}
    """How many others there are, by source and by what they are hidden as. None is pinned, and the
    conversation of each was last active before `since` or has no messages."""
    since: float = -inf

    @property
    def total(self) -> int:
        return len(self.known) + sum(self.others.values())

    @property
    def source_names(self) -> list[str]:
        others = (source for source, _ in self.others)
        return list(dict.fromkeys((*self.known.source_names, *others)))

    def select(
        self,
        shown: Collection[Hidden] = (),
        wanted: Callable[[int], bool] | None = None,
        wanted_source: Callable[[str], bool] | None = None,
    ) -> CountedRows:
        """As `Catalog.select`; `wanted_source` says whether those of a source that are only counted
        are wanted."""
        keys, hidden = self.known.select(shown, wanted)
        listed = 0
        for (source, reason), number in self.others.items():
            # A folded part goes with its conversation.
            folded = reason is Hidden.CONTINUATION and reason not in shown
            if wanted_source is not None and not folded and not wanted_source(source):
                reason = Hidden.FILTERED
            if reason is None or reason in shown:
                listed += number
            else:
                hidden[reason] = hidden.get(reason, 0) + number
        # Named in one order, however many of them are known one by one.
        hidden = {reason: hidden[reason] for reason in Hidden if reason in hidden}
        return CountedRows(keys, listed, hidden)

    def tells_first(self, rows: CountedRows, most: int) -> bool:
        """Whether the first so many rows by last activity, or all, are known for certain."""
        if self.since == -inf:
            return True
        return sum(self.known.last_active(key) >= self.since for key in rows.keys) >= most > 0

    @classmethod
    def joined(cls, parts: Sequence[tuple["Census", Unique]], mark: object = ()) -> "Census":
        """Those of several stores as one, each with what makes its keys unique."""
        others: Counter[tuple[str, Hidden | None]] = Counter()
        for census, _ in parts:
            others.update(census.others)
        known = Catalog.joined([(census.known, unique) for census, unique in parts], mark)
        return cls(known, others, max((census.since for census, _ in parts), default=-inf))
