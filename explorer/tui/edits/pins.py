"""Pins from the app, where the agent itself has them: done at once, undone like every edit.

Those that keep a session from the agent's own clean-up as well. Only the agent's own pins protect:
where its file has no place for them, or may not be changed, it is said what does.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from explorer.browse.outlook import Outlook
from explorer.cancel import CancelToken
from explorer.errors import ExplorerError, Refused
from explorer.model import Action
from explorer.render.clean import clean, clean_line
from explorer.render.figures import ago, count, plural
from explorer.stores.base import Store
from explorer.stores.catalog import Catalog
from explorer.stores.columns import ID
from explorer.stores.edits.dialect import SHORT
from explorer.stores.edits.plans import ANOTHER, KINDS, Done, EditPlan, Progress
from explorer.stores.fates import Fates
from explorer.stores.resolve import pinned_rows
from explorer.stores.sqlite.failures import short_path
from explorer.tui.dialogs.questions import Question
from explorer.tui.edits.confirm import EditLane


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


NAMED = 8
"""Sessions that the question names."""

Pin = Callable[[Sequence[int], Mapping[int, str]], None]
"""Pins rows, of which these are the ids by key."""


def offer_pins(lane: EditLane, outlook: Outlook, now: float, refused: str | None, pin: Pin) -> None:
    """Ask about all that is about to be deleted; `refused` says why the file may not be
    changed."""
    doomed, fates = outlook.deleted, outlook.fates
    store, catalog = lane.lister.store, lane.lister.catalog
    if not doomed:
        lane.say(ExplorerError("Nothing to keep", _nothing(fates)))
        return
    if refused or not fates.pins:
        lane.say(ExplorerError("Cannot be kept by a pin", _instead(fates, refused)))
        return
    if store is None or catalog is None:
        return
    due = sum(outlook.expiring[tip].is_due(now) for tip in doomed)

    def work(token: CancelToken) -> tuple[dict[int, str], list[str]]:
        ids = dict(store.columns({ID}, doomed, token)[ID])
        first = [catalog.folded(tip) for tip in doomed[:NAMED] if tip in ids]
        names = [
            f"{clean_line(row.called or 'empty', 40)} · {clean_line(row.source)}"
            f" · {ago(row.last_active, now)}"
            for row in store.sessions(first, now, token)
        ]
        return ids, names

    def ask(found: tuple[dict[int, str], list[str]]) -> None:
        ids, names = found
        if ids:
            title = f"Keep {plural(len(ids), 'session')} from Hermes' clean-up?"
            question = Question(title, _text(names, len(ids), due, fates), "Keep")
            lane.screen.app.push_screen(question, lambda yes: pin(list(ids), ids) if yes else None)

    lane.find_out(work, ask)


def _text(names: Sequence[str], number: int, due: int, fates: Fates) -> str:
    will = "deletes" if fates.certain else "may delete"
    what = [f"{_some(due, number)} at its next start"] if due else []
    what += [f"{_some(number - due, number)} within 7 days"] if due < number else []
    more = [f"and {count(number - len(names))} more"] if number > len(names) else []
    said = f"Hermes {will} {' and '.join(what)}. It never deletes pinned sessions."
    return "\n".join([*names, *more, "", said])


def _some(number: int, of: int) -> str:
    return ("it" if of == 1 else "them") if number == of else f"{count(number)} of them"


def _nothing(fates: Fates) -> str:
    if fates.unknown:
        return clean(f"It is not known what Hermes is going to delete: {fates.unknown}.")
    return "Hermes is not about to delete any session in the next 7 days."


def _instead(fates: Fates, refused: str | None) -> str:
    why = refused or "This state file has no place for pins: it is from before Hermes had them."
    where = clean_line(short_path(Path(fates.path)))
    return clean(
        f"{why}\nSet sessions.auto_prune: false in {where}, or export them first with"
        " hermes sessions export."
    )
