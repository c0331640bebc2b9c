"""After a crash: offer what was open, the search and the session, and go there on a yes."""

from typing import NamedTuple

from textual.screen import Screen

from explorer.cancel import CancelToken
from explorer.errors import Cancelled, ExplorerError
from explorer.left_open import LeftOpen
from explorer.render.clean import clean_line
from explorer.stores.base import Store
from explorer.tui.dialogs.questions import Question
from explorer.tui.list.list_controller import Lister
from explorer.tui.list.search_bar import SearchBar
from explorer.tui.workers import Lanes

TITLE = "Session Explorer closed unexpectedly last time"


class _Known(NamedTuple):
    """The session that was open: its key, and its name as far as it has one."""

    key: int
    name: str


def offer_reopening(screen: Screen[None], lanes: Lanes, lister: Lister, left: LeftOpen) -> None:
    """Asks first: what was open may be what the app crashed on."""
    store, query = lister.store, left.query.strip()
    if store is None:
        return

    def ask(known: _Known | None) -> None:
        lines = [f"Search: {clean_line(query, 100)}"] if query else []
        if known is not None:
            lines.append(f"Session: {clean_line(known.name, 100) or 'untitled'}")

        def answered(yes: bool | None) -> None:
            if yes and query:
                screen.query_one(SearchBar).input.value = query
            elif yes and known is not None:
                lister.reveal(known.key)

        if lines:
            screen.app.push_screen(Question(TITLE, "\n".join(lines), "Reopen"), answered)

    lanes.start("left-open", lambda token: _known(store, left.session, token), ask)


def _known(store: Store, id_: str, token: CancelToken) -> _Known | None:
    """The session, if it is still there."""
    try:
        key = store.keys_of([id_], token).get(id_) if id_ else None
        if key is None:
            return None
        names = [found.title for found in store.find(id_, token) if found.id == id_]
    except Cancelled:
        raise
    except ExplorerError:
        return None
    return _Known(key, (names[0] if names else None) or "")
