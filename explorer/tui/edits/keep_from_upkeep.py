"""Keeping sessions from the agent's own clean-up: those that it is about to delete are pinned.

Only the agent's own pins protect: where its file has no place for them, or may not be changed, it
is said what does.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from textual.screen import Screen

from explorer.browse.outlook import Outlook
from explorer.cancel import CancelToken
from explorer.errors import ExplorerError
from explorer.render.amounts import count, plural
from explorer.render.clean import clean, clean_line
from explorer.render.when import ago
from explorer.stores.base import Store
from explorer.stores.catalog import Catalog
from explorer.stores.columns import ID
from explorer.stores.fates import Fates
from explorer.stores.sqlite.failures import short_path
from explorer.tui.attention import may_ask, place
from explorer.tui.toast import say
from explorer.tui.workers import Lanes

NAMED = 8
"""Sessions that the question names."""

Pin = Callable[[Sequence[int], Mapping[int, str]], None]
"""Pins rows, of which these are the ids by key."""


class Keeping:
    """Asks, and has them pinned."""

    def __init__(self, screen: Screen[None], lanes: Lanes, clock: Callable[[], float]) -> None:
        self._screen = screen
        self._lanes = lanes
        self._clock = clock

    def start(
        self, store: Store, catalog: Catalog, outlook: Outlook, refused: str | None, pin: Pin
    ) -> None:
        """Ask about all that is about to be deleted; `refused` says why the file may not be
        changed."""
        doomed, fates, now = outlook.deleted, outlook.fates, self._clock()
        if not doomed:
            say(self._screen, ExplorerError("Nothing to keep", _nothing(fates)))
            return
        if refused or not fates.pins:
            say(self._screen, ExplorerError("Cannot be kept by a pin", _instead(fates, refused)))
            return
        due = sum(outlook.expiring[tip].is_due(now) for tip in doomed)
        asked_at = place(self._screen.app)

        def work(token: CancelToken) -> tuple[dict[int, str], list[str]]:
            ids = dict(store.columns({ID}, doomed, token)[ID])
            first = [catalog.folded(tip) for tip in doomed[:NAMED] if tip in ids]
            names = [
                f"{clean_line(row.title or row.preview or 'empty', 40)} · {clean_line(row.source)}"
                f" · {ago(row.last_active, now)}"
                for row in store.sessions(first, now, token)
            ]
            return ids, names

        def ask(found: tuple[dict[int, str], list[str]]) -> None:
            # Late, as all dialogs: together they take 10 ms from the first frame.
            from explorer.tui.dialogs.question import Question

            ids, names = found
            if not ids or not may_ask(self._screen, asked_at):
                return
            title = f"Keep {plural(len(ids), 'session')} from Hermes' clean-up?"
            question = Question(title, _text(names, len(ids), due, fates), "Keep")
            self._screen.app.push_screen(question, lambda yes: pin(list(ids), ids) if yes else None)

        self._lanes.start("keep", work, ask)


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
