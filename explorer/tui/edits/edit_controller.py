"""Edits from the app: which rows they are about, and what is asked before they are planned.

A selection outlasts filters and searches, so an edit could be about sessions that are not visible.
What is about to be changed is what the user sees, or agrees to. A new title is checked against all
others while it is typed.
"""

from collections.abc import Callable, Mapping, Sequence

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from explorer.browse.arrangement import is_inside, session_of
from explorer.cancel import CancelToken
from explorer.errors import ExplorerError
from explorer.model import Action, Session
from explorer.render.clean import clean_line
from explorer.stores.edits.plans import ANOTHER, KINDS, EditPlan, Owner, Title
from explorer.stores.edits.reasons import SAME_TITLE
from explorer.stores.edits.words import question, receipt_words
from explorer.tui.dialogs.base import Dialog
from explorer.tui.dialogs.questions import Choice, Instead, ask_for
from explorer.tui.edits.confirm import EditLane, EditSubject, apply, confirm
from explorer.tui.edits.pins import pin
from explorer.tui.edits.words import (
    ARCHIVE_INSTEAD,
    NEW_TITLE,
    cursor_words,
    listed_words,
    parts_words,
    selected_words,
    title_words,
    which_sessions,
)
from explorer.tui.key_bindings import bindings, keymap_of
from explorer.tui.list.session_list import SessionList
from explorer.tui.widgets.fields import TextField

NAMED = 3
"""Sessions that are named; of more there is only the number."""
Shown = Mapping[int, str]
"""The ids of rows by key, as far as they were seen."""


class Rename(Dialog[EditPlan | Owner]):
    """The plan that was agreed to, or the session with that title to go to, or nothing.

    Enter agrees: a line below the field says what will be stored."""

    BINDINGS = bindings("rename")

    def __init__(self, lane: EditLane, session: Session) -> None:
        super().__init__()
        self._lane = lane
        self._session = session
        # Made here: what is found out after the dialog was closed does no harm.
        title = clean_line(session.title or "")
        self._field = TextField(title, id="prompt-text", compact=True, placeholder=NEW_TITLE)
        self._words = Static(id="prompt-words")
        self._known: tuple[str, EditPlan, Title] | None = None
        self._entered = False

    def compose(self) -> ComposeResult:
        with Vertical(id="prompt"):
            yield self._field
            yield self._words

    def on_mount(self) -> None:
        self.query_one("#prompt").border_title = Content("Rename")
        self.query_one("#prompt").border_subtitle = Content(
            f"enter rename · {keymap_of(self.app).hint('rename')}"
        )
        self._look(self._field.value)

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        self._entered = False
        self._look(event.value)

    def _look(self, text: str) -> None:
        """Check a title in a thread."""
        lane, session = self._lane, self._session

        def work(token: CancelToken) -> EditPlan:
            plan = lane.edits.plan(Action.RENAME, [session.key], title=text, token=token)
            if plan.sessions[0].id != session.id:
                raise ANOTHER
            return plan

        def refused(why: ExplorerError) -> None:
            self.leave()
            lane.say(why)

        lane.lanes.start("title", work, lambda plan: self._checked(text, plan), refused)

    @on(Input.Submitted)
    def _submit(self) -> None:
        self._entered = True
        self._take()

    def _checked(self, text: str, plan: EditPlan) -> None:
        """Show what came of a check; what was typed since is being checked."""
        if not self.is_attached or text != self._field.value or plan.title is None:
            return
        self._known = text, plan, plan.title
        keymap, now = keymap_of(self.app), self._lane.clock()
        words, wrong = title_words(plan, plan.title, _unchanged(plan), keymap, now)
        self._words.set_class(wrong, "-wrong")
        self._words.update(Content(words))
        if self._entered:
            self._take()

    def _take(self) -> None:
        if self._known and self._known[0] == self._field.value:
            self._entered = False
            if self._known[1].changes:
                self.dismiss(self._known[1])
            elif _unchanged(self._known[1]):
                self.dismiss()

    def action_next(self) -> None:
        if self._known and self._known[2].next:
            self._field.value = self._known[2].next

    def action_go(self) -> None:
        if self._known and self._known[2].owner:
            self.dismiss(self._known[2].owner)


def _unchanged(plan: EditPlan) -> bool:
    return all(one.reason == SAME_TITLE for one in plan.sessions)


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
        verb = KINDS[action].verb
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
        options = [((rows, shown), selected_words(len(rows), len(away), names))]
        seen = [row for row in rows if row in listed]
        if seen:
            options.insert(0, ((seen, shown), listed_words(len(seen))))
        if here is not None and at is not None:
            only = [at], {here.key: here.id}
            options.insert(0, (only, cursor_words(clean_line(here.name, 40))))
        choice = Choice(which_sessions(verb), options, options[0][0])
        ask_for(lane.screen, choice, lambda which: do(*which))

    lane.find_out(work, ask)


def _choose_parts(lane: EditLane, rows: Sequence[int], shown: Shown) -> None:
    """Delete these rows of the list; of a conversation of several parts, ask which."""
    catalog = lane.lister.catalog
    if catalog is None or not rows:
        return

    def delete(all_parts: bool) -> None:
        keys = _parts(lane, rows) if all_parts else [session_of(row) for row in rows]
        # What could be archived as well is offered for that.
        instead = Instead(ARCHIVE_INSTEAD, lambda: _archive(lane, rows, shown))
        offered = None if _are_archived(lane, rows) else instead
        confirm(lane, EditSubject(Action.DELETE, keys, shown, instead=offered))

    if not any(not is_inside(row) and len(catalog.chain(row)) > 1 for row in rows):
        delete(all_parts=False)
        return
    whole, part = parts_words(len(rows), len(_parts(lane, rows)))
    verb = KINDS[Action.DELETE].verb
    ask_for(lane.screen, Choice(verb, [(True, whole), (False, part)], True), delete)


def _archive(lane: EditLane, rows: Sequence[int], shown: Shown) -> None:
    """Archive these rows, or unarchive them if all of them are archived."""
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
    def renamed(found: EditPlan | Owner) -> None:
        if isinstance(found, Owner):
            lane.lister.reveal(found.key)
        else:
            apply(lane, found, question(found), receipt_words(found))

    ask_for(lane.screen, Rename(lane, session), renamed)
