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

from explorer.browse.arrangement import inside_row, is_inside, session_of
from explorer.browse.row_set import RowSet
from explorer.browse.words import profile_of
from explorer.cancel import CancelToken
from explorer.errors import ExplorerError, Problem, StoreError
from explorer.model import Action, Session
from explorer.render.clean import clean_line
from explorer.stores.edits.plans import ANOTHER, KINDS, Done, EditPlan, Owner, Title
from explorer.stores.edits.reasons import SAME_TITLE
from explorer.stores.edits.words import question, receipt_words
from explorer.tui.dialogs.base import Dialog, ask_for
from explorer.tui.dialogs.choices import Choice
from explorer.tui.dialogs.questions import Instead
from explorer.tui.edits.confirm import (
    PATIENCE,
    EditLane,
    EditSubject,
    apply,
    confirm,
    do_at_once,
)
from explorer.tui.edits.pins import pin
from explorer.tui.edits.words import (
    ARCHIVE_INSTEAD,
    NEW_TITLE,
    NO_SESSION,
    STILL_LOCKED,
    TITLE_IS_FREE,
    WAITING_FOR_FILE,
    cursor_words,
    listed_words,
    parts_words,
    selected_words,
    title_words,
    which_sessions,
)
from explorer.tui.hints import hint
from explorer.tui.key_bindings import bindings, keymap_of
from explorer.tui.list.session_list import SessionList
from explorer.tui.widgets.fields import TextField
from explorer.tui.words import ONLY_IN_FILE, READING_FILE, only_in_files

NAMED = 3
"""Sessions that are named; of more there is only the number."""
Shown = Mapping[int, str]
"""The ids of rows by key, as far as they were seen."""


class Rename(Dialog[Owner]):
    """Renames a session; or gives the session with that title to go to, or nothing.

    Enter agrees: a line below the field says what will be stored. It stays open until that is
    done, so that no text is lost to a file that another program keeps locked."""

    BINDINGS = bindings("rename")
    SCOPE = "rename"

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
        self._checking: str | None = None
        """The title that is being checked."""
        self._saving: CancelToken | None = None
        """Stops what is being saved."""

    def compose(self) -> ComposeResult:
        with Vertical(id="prompt"):
            yield self._field
            yield self._words

    def on_mount(self) -> None:
        self.query_one("#prompt").border_title = Content(
            " · ".join(filter(None, ("Rename", profile_of(self._session))))
        )
        self.query_one("#prompt").border_subtitle = Content(
            f"enter rename · {keymap_of(self.app).hint('rename')}"
        )
        self._look(self._field.value)

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        self._entered = False
        # Textual also reports the title that is there from the beginning.
        if event.value != self._checking:
            self._look(event.value)

    def _look(self, text: str) -> None:
        """Check a title in a thread."""
        lane, session = self._lane, self._session

        def work(token: CancelToken) -> EditPlan:
            plan = lane.edits.plan(Action.RENAME, [session.key], title=text, token=token)
            if plan.sessions[0].id != session.id:
                raise ANOTHER
            return plan

        self._checking = text
        self.set_timer(PATIENCE, self._say_waiting)
        lane.lanes.start("title", work, lambda plan: self._checked(text, plan), self._refused)

    @on(Input.Submitted)
    def _submit(self) -> None:
        self._entered = True
        self._take()
        if self._entered and self._checking is None:
            self._look(self._field.value)

    def _checked(self, text: str, plan: EditPlan) -> None:
        """Show what came of a check; what was typed since is being checked."""
        if not self.is_attached or text != self._field.value or plan.title is None:
            return
        self._checking = None
        self._known = text, plan, plan.title
        keymap, now = keymap_of(self.app), self._lane.clock()
        words, wrong = title_words(plan, plan.title, _unchanged(plan), keymap, now)
        self._say(words, wrong)
        if self._entered:
            self._take()

    def _take(self) -> None:
        if self._known and self._known[0] == self._field.value and self._saving is None:
            self._entered = False
            if self._known[1].changes:
                self._save(self._known[1])
            elif _unchanged(self._known[1]):
                self.dismiss()

    def _save(self, plan: EditPlan) -> None:
        self._field.disabled = True
        self.set_timer(PATIENCE, self._say_waiting)
        words = receipt_words(plan)
        lane, ended, refused = self._lane, self._ended, self._refused
        self._saving = apply(lane, plan, question(plan), words, ended=ended, refused=refused)

    def _ended(self, done: Done) -> None:
        if done.receipt is not None or done.stopped:
            self.leave()
        else:
            self._type_on()
            self._look(self._field.value)

    def _refused(self, why: ExplorerError) -> None:
        """A file that is locked may be free soon, and a title that was taken may be changed a
        little: what was typed stays."""
        busy = isinstance(why, StoreError) and why.problem is Problem.BUSY
        saving = self._saving is not None
        if not self.is_attached or not (busy or saving):
            self.leave()
            self._lane.say(why)
            return
        self._type_on()
        if busy:
            self._say(STILL_LOCKED, wrong=True)
        else:
            self._lane.say(why)
            self._look(self._field.value)

    def _type_on(self) -> None:
        self._entered = False
        self._checking = self._saving = self._known = None
        self._field.disabled = False
        # The next letter must not replace the text that was kept.
        self._field.select_on_focus = False
        self.set_focus(self._field)

    def _say_waiting(self) -> None:
        if self._checking is not None or self._saving is not None:
            self._say(WAITING_FOR_FILE, wrong=False)

    def _say(self, words: str, wrong: bool) -> None:
        self._words.set_class(wrong, "-wrong")
        self._words.update(Content(words))

    def cancel(self) -> None:
        """What is not saved yet is not saved."""
        if self._saving is not None:
            self._saving.cancel()
        self.dismiss()

    async def action_dismiss(self, result: Owner | None = None) -> None:
        self.cancel()

    def action_next(self) -> None:
        if self._known and self._known[2].next:
            self._field.value = self._known[2].next
        else:
            hint(self, TITLE_IS_FREE)

    def action_go(self) -> None:
        if self._known and self._known[2].owner:
            self.dismiss(self._known[2].owner)
        else:
            hint(self, TITLE_IS_FREE)


def _unchanged(plan: EditPlan) -> bool:
    return all(one.reason == SAME_TITLE for one in plan.sessions)


def act(lane: EditLane, action: Action, sessions: SessionList) -> None:
    """Do something to the rows of the list that are chosen."""
    if action is Action.PRUNE:
        # Late: no other edit needs it.
        from explorer.tui.edits.prune_screen import prune

        prune(lane, frozenset(row for row in sessions.selection.keys if not is_inside(row)))
    elif action is Action.RENAME:
        if sessions.current is not None:
            _rename(lane, sessions.current)
        else:
            lane.screen.notify(NO_SESSION, markup=False)
    else:
        verb = KINDS[action].verb
        _ask_unlisted(lane, sessions, verb, lambda rows, shown: _act_on(lane, action, rows, shown))


def act_on_read(lane: EditLane, action: Action, session: Session, alone: bool) -> None:
    """Do something to the session that is being read, whatever is selected in the list; `alone`
    where it is one part of its conversation."""
    if action is Action.PRUNE:
        # Late, as above.
        from explorer.tui.edits.prune_screen import prune

        prune(lane, frozenset())
    elif action is Action.RENAME:
        _rename(lane, session)
    else:
        row = inside_row(session.key) if alone else session.key
        if action is Action.ARCHIVE and _are_archived(lane, [row]):
            # It comes back to the list, and the cursor with it.
            lane.lister.cursor.go_back([row], lane.lister.cursor.moves)
        _act_on(lane, action, [row], {session.key: session.id})


def _act_on(lane: EditLane, action: Action, rows: Sequence[int], shown: Shown) -> None:
    if not rows:
        lane.screen.notify(NO_SESSION, markup=False)
        return
    rows = _stored(lane, rows)
    if not rows:
        hint(lane.screen, ONLY_IN_FILE)
        return
    keys = [session_of(row) for row in rows]
    if action is Action.DELETE:
        _choose_parts(lane, rows, shown)
    elif action is Action.ARCHIVE:
        _archive(lane, rows, shown)
    elif action is Action.PIN:
        pin(lane, keys, shown)
    elif KINDS[action].at_once:
        do_at_once(lane, EditSubject(action, keys, shown))
    else:
        confirm(lane, EditSubject(action, keys, shown))


def _stored(lane: EditLane, rows: Sequence[int]) -> Sequence[int]:
    """These rows without those of sessions that exist only in files, which is said."""
    files = lane.lister.catalog.files if lane.lister.catalog is not None else ()
    kept = [row for row in rows if session_of(row) not in files] if files else rows
    if kept and len(kept) < len(rows):
        lane.screen.notify(only_in_files(len(rows) - len(kept)), markup=False)
    return kept


def _ask_unlisted(
    lane: EditLane,
    sessions: SessionList,
    verb: str,
    do: Callable[[Sequence[int], Shown], None],
) -> None:
    """Do something to the rows that are chosen: (rows, the ids that were shown). Where some of them
    are not listed, first ask which are meant; `verb` is what is about to be done."""
    rows, shown = sessions.chosen(), sessions.chosen_ids()
    listed = RowSet(sessions.order if sessions.unseen else rows)
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
            options.insert(0, (only, cursor_words(clean_line(here.name, 40), profile_of(here))))
        choice = Choice(which_sessions(verb), options, options[0][0])
        ask_for(lane.screen, choice, lambda which: do(*which))

    lane.find_out(work, ask)


def _choose_parts(lane: EditLane, rows: Sequence[int], shown: Shown) -> None:
    """Delete these rows of the list; of a conversation of several parts, ask which."""
    catalog = lane.lister.catalog
    if catalog is None:
        lane.screen.notify(READING_FILE, markup=False)
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
    if lane.lister.catalog is None:
        lane.screen.notify(READING_FILE, markup=False)
    else:
        action = Action.UNARCHIVE if _are_archived(lane, rows) else Action.ARCHIVE
        do_at_once(lane, EditSubject(action, _parts(lane, rows), shown))


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
    if session.file:
        hint(lane.screen, ONLY_IN_FILE)
        return
    ask_for(lane.screen, Rename(lane, session), lambda owner: lane.lister.reveal(owner.key))
