"""Keeping sessions from the agent's own clean-up: those that it is about to delete are pinned.

Only the agent's own pins protect: where its file has no place for them, or may not be changed, it
is said what does.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from explorer.browse.outlook import Outlook
from explorer.cancel import CancelToken
from explorer.errors import ExplorerError
from explorer.render.clean import clean, clean_line
from explorer.render.figures import ago, count, plural
from explorer.stores.columns import ID
from explorer.stores.fates import Fates
from explorer.stores.sqlite.failures import short_path
from explorer.tui.dialogs.question import Question
from explorer.tui.edits.edit_worker import EditLane

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
