"""A selection of which a part is not in the list: asked about before anything is planned.

A selection outlasts filters and searches, so an edit could be about sessions that nobody sees. What
is about to be changed is what the user sees, or what the user says.
"""

from collections.abc import Callable, Sequence

from explorer.browse.arrangement import session_of
from explorer.cancel import CancelToken
from explorer.render.clean import clean_line
from explorer.render.figures import count, plural
from explorer.tui.dialogs.choice import Choice
from explorer.tui.edits.edit_worker import EditLane
from explorer.tui.list.session_list import SessionList

NAMED = 3
"""Sessions that are named; of more there is only the number."""


def ask_unlisted(
    lane: EditLane,
    sessions: SessionList,
    verb: str,
    act: Callable[[Sequence[int], dict[int, str]], None],
) -> None:
    """Do something to the rows that are chosen: (rows, the ids that were shown). Where some of them
    are not listed, first ask which are meant; `verb` is what is about to be done."""
    rows, shown = sessions.chosen(), sessions.chosen_ids()
    listed = set(sessions.order)
    away = [row for row in rows if row not in listed]
    here, at = sessions.current, sessions.cursor_row
    lister = lane.lister
    store, catalog = lister.store, lister.catalog
    if not away or store is None or catalog is None:
        act(rows, shown)
        return

    def work(token: CancelToken) -> list[str]:
        keys = map(session_of, away[:NAMED])
        units = [catalog.folded(key) for key in keys if catalog.has(key)]
        found = store.sessions(units, lister.now(), token)
        return [clean_line(one.name, 40) for one in found]

    def ask(names: Sequence[str]) -> None:
        more = f" and {count(len(away) - len(names))} more" if len(away) > len(names) else ""
        also = ", ".join(f"“{name}”" for name in names) + more
        total = plural(len(rows), "selected session")
        options = [((rows, shown), f"{total}, with {count(len(away))} not in this list: {also}")]
        seen = [row for row in rows if row in listed]
        if seen:
            words = f"Only the {count(len(seen))} selected that are listed"
            options.insert(0, ((seen, shown), words))
        if here is not None and at is not None:
            name = clean_line(here.name, 40)
            only = [at], {here.key: here.id}
            options.insert(0, (only, f"Only the one under the cursor: “{name}”"))
        choice = Choice(f"{verb} which?", options, options[0][0])
        lane.screen.app.push_screen(choice, lambda which: act(*which) if which else None)

    lane.find_out(work, ask)
