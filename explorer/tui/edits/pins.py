"""Pins from the app, where the agent itself has them: done at once, undone like every edit.

So are those that keep a session from the agent's own clean-up. Only the agent's own pins protect:
where its file cannot store them, or may not be changed, the user learns what does.
"""

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import NamedTuple

from explorer.browse.outlook import Outlook
from explorer.cancel import CancelToken
from explorer.errors import ExplorerError, Refused
from explorer.model import Action
from explorer.render.clean import clean, clean_line
from explorer.render.figures import ago
from explorer.stores.base import Store
from explorer.stores.catalog import Catalog
from explorer.stores.columns import ID
from explorer.stores.edits.plans import ANOTHER, KINDS, Done, EditPlan, Progress
from explorer.stores.edits.words import amount_words, in_places
from explorer.stores.ours.trash_records import SHORT
from explorer.stores.resolve import pinned_rows
from explorer.stores.sqlite.failures import short_path
from explorer.tui.dialogs.questions import Question, ask
from explorer.tui.edits.confirm import EditLane
from explorer.tui.edits.words import (
    elsewhere_words,
    keep_instead,
    keep_question,
    keep_text,
    nothing_expires,
    with_undo,
)
from explorer.tui.key_bindings import keymap_of

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
    """Pin the conversations of these sessions, or unpin them; where `on` is None, unpin if all are
    pinned. Nothing is done to another session than was `shown` by its id."""
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
            lane.fresh.add(done.receipt)
            made, noted = took[0]
            lister.pinned(made.parts, made.plan.action is Action.PIN, noted)
            words = with_undo(clean(made.words), keymap_of(lane.screen.app))
            lane.screen.notify(words, markup=False)

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
        raise Refused("Not pinned", elsewhere_words(plan.elsewhere))
    found = store.sessions(list(map(catalog.folded, tips[:1])), lane.clock())
    name = next((one.title or one.preview or one.id for one in found), "")
    many = amount_words(len(tips), len(ids))
    words = many if len(tips) != 1 else f"“{clean_line(name, SHORT)}”"
    where = in_places(list(dict.fromkeys(filter(None, map(store.place, tips)))))
    return _Pinned(plan, _in_file(plan), KINDS[plan.action].done(words) + where)


def _in_file(plan: EditPlan) -> tuple[int, ...]:
    """The sessions whose own file is changed; others are pinned in our notes alone."""
    shares = [one.plan for one in plan.by_store] or [plan]
    return tuple(one.key for share in shares if share.in_file for one in share.sessions)


def offer_pins(lane: EditLane, outlook: Outlook, refused: str | None) -> None:
    """Offer to pin all that Hermes is about to delete; `refused` says why the file may not be
    changed."""
    doomed, fates = outlook.deleted, outlook.fates
    store, catalog = lane.lister.store, lane.lister.catalog
    if not doomed:
        title = "Cannot tell what expires" if fates.unknown else "Nothing to keep"
        lane.say(ExplorerError(title, nothing_expires(fates)))
        return
    if refused or not fates.pins:
        settings = clean_line(short_path(Path(fates.path)))
        lane.say(ExplorerError("Cannot pin in Hermes", keep_instead(refused, settings)))
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
            text = keep_text(names, len(ids), due, fates)
            question = Question(keep_question(len(ids)), text, "Keep")
            ask(lane.screen, question, lambda: pin(lane, ids, ids, on=True))

    lane.find_out(work, offer)
