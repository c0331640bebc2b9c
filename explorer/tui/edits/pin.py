"""Pins from the app, where the agent itself has them: done at once, undone like every edit."""

from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

from explorer.errors import Refused
from explorer.model import Action
from explorer.render.clean import clean, clean_line
from explorer.render.figures import plural
from explorer.stores.base import Store
from explorer.stores.catalog import Catalog
from explorer.stores.columns import ID
from explorer.stores.edits.plans import ANOTHER, KINDS, Done, EditPlan, Progress
from explorer.stores.ours.trash_records import SHORT
from explorer.stores.resolve import pinned_rows
from explorer.tui.edits.edit_worker import EditLane


class Pinning:
    """Pins conversations as a whole, or unpins them where all are pinned."""

    def __init__(self, lane: EditLane) -> None:
        self._lane = lane
        self._screen, self._lister, self._edits = lane.screen, lane.lister, lane.edits

    def pin(self, keys: Collection[int], shown: Mapping[int, str], on: bool | None = None) -> None:
        """Pin the conversations of these sessions, or unpin them; without a word (`on`), unpin
        where all are pinned. Nothing is done to another session than was `shown` by its id."""
        if self._lister.store is None or self._lister.catalog is None or not keys:
            return
        took: list[_Pinned] = []

        def act(tell: Callable[[Progress], None]) -> Done:
            store, catalog = self._lister.store, self._lister.catalog
            if store is None or catalog is None:
                raise ANOTHER
            made = self._plan(store, catalog, keys, shown, on)
            done = self._edits.apply(made.plan)
            took.append(made._replace(noted=self._edits.noted_pins()))
            return done

        def then(done: Done) -> None:
            if done.receipt is not None:
                _, pinned, parts, noted, words = took[0]
                self._lister.pinned(parts, pinned, noted)
                self._screen.notify(f"{clean(words)} · u undoes it", markup=False)

        self._lane.do("Pinning", None, act, then)

    def _plan(
        self,
        store: Store,
        catalog: Catalog,
        keys: Collection[int],
        shown: Mapping[int, str],
        on: bool | None,
    ) -> "_Pinned":
        tips = sorted({catalog.tip(key) for key in keys if catalog.has(key)})
        parts = [part for tip in tips for part in catalog.chain(tip)]
        ids = store.columns({ID}, parts)[ID]
        if any(key in ids and ids[key] != id_ for key, id_ in shown.items()):
            raise ANOTHER
        if on is None:
            on = not pinned_rows(store, catalog, self._edits.noted_pins()).issuperset(tips)
        plan = self._edits.plan(Action.PIN if on else Action.UNPIN, list(ids))
        if plan.elsewhere:
            raise Refused("Not pinned", "These sessions lie in different tables of the file.")
        found = store.sessions(list(map(catalog.folded, tips[:1])), self._lister.now())
        name = next((one.title or one.preview or one.id for one in found), "")
        words = _words(plan, len(tips), name)
        return _Pinned(plan, on, tuple(ids) if plan.in_file else (), frozenset(), words)


class _Pinned(NamedTuple):
    """What was pinned, or unpinned."""

    plan: EditPlan
    on: bool
    parts: tuple[int, ...]
    """Sessions of which the agent's own file says so."""
    noted: frozenset[str]
    """The pins in our notes afterwards."""
    words: str


def _words(plan: EditPlan, conversations: int, name: str) -> str:
    done = KINDS[plan.action].done
    if conversations != 1:
        return f"{done} {plural(conversations, 'conversation')}"
    return f"{done} “{clean_line(name, SHORT)}”"
