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
from explorer.stores.edits.plans import ANOTHER, KINDS, Done, EditPlan, Progress
from explorer.stores.fates import Fates
from explorer.stores.ours.trash_records import SHORT
from explorer.stores.resolve import pinned_rows
from explorer.stores.sqlite.failures import short_path
from explorer.tui.dialogs.questions import Question, ask
from explorer.tui.edits.confirm import EditLane

NAMED = 8
"""Sessions that the question names."""


class _Pinned(NamedTuple):
    """What is to be pinned, or unpinned."""

    plan: EditPlan
    parts: tuple[int, ...]
    """Sessions of which the agent's own file says so."""
    words: str


def pin(
    lane: EditLane, keys: Collection[int], shown: Mapping[int, str], on: bool | None = None
) -> None:
    """Pin the conversations of these sessions, or unpin them; without a word (`on`), unpin where
    all are pinned. Nothing is done to another session than was `shown` by its id."""
    lister, edits = lane.lister, lane.edits
    if lister.store is None or lister.catalog is None or not keys:
        return
    took: list[tuple[_Pinned, frozenset[str]]] = []

    def act(tell: Callable[[Progress], None]) -> Done:
        store, catalog = lister.store, lister.catalog
        if store is None or catalog is None:
            raise ANOTHER
        made = _plan(lane, store, catalog, keys, shown, on)
        done = edits.apply(made.plan)
        took.append((made, edits.noted_pins()))
        return done

    def then(done: Done) -> None:
        if done.receipt is not None:
            made, noted = took[0]
            lister.pinned(made.parts, made.plan.action is Action.PIN, noted)
            lane.screen.notify(f"{clean(made.words)} · u undoes it", markup=False)

    lane.do("Pinning", None, act, then)


def _plan(
    lane: EditLane,
    store: Store,
    catalog: Catalog,
    keys: Collection[int],
    shown: Mapping[int, str],
    on: bool | None,
) -> _Pinned:
    tips = sorted({catalog.tip(key) for key in keys if catalog.has(key)})
    parts = [part for tip in tips for part in catalog.chain(tip)]
    ids = store.columns({ID}, parts)[ID]
    if any(key in ids and ids[key] != id_ for key, id_ in shown.items()):
        raise ANOTHER
    if on is None:
        on = not pinned_rows(store, catalog, lane.edits.noted_pins()).issuperset(tips)
    plan = lane.edits.plan(Action.PIN if on else Action.UNPIN, list(ids))
    if plan.elsewhere:
        raise Refused("Not pinned", "These sessions lie in different tables of the file.")
    found = store.sessions(list(map(catalog.folded, tips[:1])), lane.clock())
    name = next((one.title or one.preview or one.id for one in found), "")
    words = plural(len(tips), "conversation") if len(tips) != 1 else f"“{clean_line(name, SHORT)}”"
    in_file = tuple(ids) if plan.in_file else ()
    return _Pinned(plan, in_file, f"{KINDS[plan.action].done} {words}")


def offer_pins(lane: EditLane, outlook: Outlook, refused: str | None) -> None:
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
    now = lane.clock()
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

    def offer(found: tuple[dict[int, str], list[str]]) -> None:
        ids, names = found
        if ids:
            title = f"Keep {plural(len(ids), 'session')} from Hermes' clean-up?"
            question = Question(title, _text(names, len(ids), due, fates), "Keep")
            ask(lane.screen, question, lambda: pin(lane, ids, ids, on=True))

    lane.find_out(work, offer)


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
