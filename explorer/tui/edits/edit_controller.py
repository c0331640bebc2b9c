"""Edits from the app: which rows they are about, and what is asked before they are planned.

A selection outlasts filters and searches, so an edit could be about sessions that nobody sees. What
is about to be changed is what the user sees, or what the user says.
"""

from collections.abc import Callable, Mapping, Sequence

from explorer.browse.unfolding import is_inside, session_of
from explorer.cancel import CancelToken
from explorer.model import Action, Session
from explorer.render.clean import clean_line
from explorer.render.figures import count, plural
from explorer.stores.edits.plans import KINDS, EditPlan, Owner
from explorer.stores.edits.words import question, receipt_words
from explorer.tui.dialogs.questions import Choice, Instead
from explorer.tui.edits.confirm import EditLane, EditSubject, apply, confirm
from explorer.tui.edits.pins import pin
from explorer.tui.edits.rename_dialog import Rename
from explorer.tui.list.session_list import SessionList

NAMED = 3
"""Sessions that are named; of more there is only the number."""
Shown = Mapping[int, str]
"""The ids of rows by key, as far as they were seen."""


def act(lane: EditLane, action: Action, sessions: SessionList) -> None:
    """Do something to the rows that are chosen."""
    if action is Action.PRUNE:
        # Late: no other edit needs it.
        from explorer.tui.edits.prune_screen import prune

        prune(lane, frozenset(row for row in sessions.selection.keys if not is_inside(row)))
    elif action is Action.RENAME:
        if sessions.current is not None:
            _rename(lane, sessions.current)
    else:
        verb = KINDS[action].which or KINDS[action].verb
        _ask_unlisted(lane, sessions, verb, lambda rows, shown: _act_on(lane, action, rows, shown))


def _act_on(lane: EditLane, action: Action, rows: Sequence[int], shown: Shown) -> None:
    keys = [session_of(row) for row in rows]
    if action is Action.DELETE:
        _choose_parts(lane, rows, shown)
    elif action is Action.ARCHIVE:
        _archive(lane, rows, shown)
    elif action is Action.PIN:
        pin(lane, keys, shown)
    else:
        confirm(lane, EditSubject(action, keys, shown))


def _ask_unlisted(
    lane: EditLane,
    sessions: SessionList,
    verb: str,
    do: Callable[[Sequence[int], Shown], None],
) -> None:
    """Do something to the rows that are chosen: (rows, the ids that were shown). Where some of them
    are not listed, first ask which are meant; `verb` is what is about to be done."""
    rows, shown = sessions.chosen(), sessions.chosen_ids()
    listed = set(sessions.order)
    away = [row for row in rows if row not in listed]
    here, at = sessions.current, sessions.cursor_row
    store, catalog = lane.lister.store, lane.lister.catalog
    if not away or store is None or catalog is None:
        do(rows, shown)
        return

    def work(token: CancelToken) -> list[str]:
        keys = map(session_of, away[:NAMED])
        units = [catalog.folded(key) for key in keys if catalog.has(key)]
        found = store.sessions(units, lane.clock(), token)
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
        lane.screen.app.push_screen(choice, lambda which: do(*which) if which else None)

    lane.find_out(work, ask)


def _choose_parts(lane: EditLane, rows: Sequence[int], shown: Shown) -> None:
    """Delete these rows of the list; of a conversation of several parts, ask which."""
    catalog = lane.lister.catalog
    if catalog is None or not rows:
        return

    def delete(all_parts: bool | None) -> None:
        if all_parts is not None:
            keys = _parts(lane, rows) if all_parts else [session_of(row) for row in rows]
            # What could be archived as well is offered for that.
            instead = Instead("Archive instead", lambda: _archive(lane, rows, shown))
            offered = None if _are_archived(lane, rows) else instead
            confirm(lane, EditSubject(Action.DELETE, keys, shown, instead=offered))

    several = [row for row in rows if not is_inside(row) and len(catalog.chain(row)) > 1]
    if not several:
        delete(all_parts=False)
        return
    parts = sum(len(catalog.chain(row)) for row in several)
    whole, part = f"The whole conversation, {parts} parts", "Only the newest part of it"
    if len(rows) > 1:
        whole = f"Whole conversations, {plural(parts, 'part')} in {len(several)} of them"
        part = "Only the newest part of each"
    lane.screen.app.push_screen(Choice("Delete", [(True, whole), (False, part)], True), delete)


def _archive(lane: EditLane, rows: Sequence[int], shown: Shown) -> None:
    """Archive these rows, or if all of them are archived take them out."""
    if lane.lister.catalog is not None and rows:
        action = Action.UNARCHIVE if _are_archived(lane, rows) else Action.ARCHIVE
        confirm(lane, EditSubject(action, _parts(lane, rows), shown))


def _are_archived(lane: EditLane, rows: Sequence[int]) -> bool:
    catalog = lane.lister.catalog
    return catalog is not None and all(
        catalog.tip(session_of(row)) in catalog.archived for row in rows
    )


def _parts(lane: EditLane, rows: Sequence[int]) -> list[int]:
    """The sessions of these rows, with all parts of whole conversations."""
    catalog = lane.lister.catalog
    chains = (
        catalog.chain(row) if catalog is not None and not is_inside(row) else (session_of(row),)
        for row in rows
    )
    return [part for chain in chains for part in chain]


def _rename(lane: EditLane, session: Session) -> None:
    def renamed(found: EditPlan | Owner | None) -> None:
        if isinstance(found, EditPlan):
            apply(lane, found, question(found), receipt_words(found))
        elif isinstance(found, Owner):
            lane.lister.reveal(found.key)

    lane.screen.app.push_screen(Rename(lane, session), renamed)
