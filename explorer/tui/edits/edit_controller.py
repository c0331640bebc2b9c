"""Edits from the app: which rows they are about, and what is asked before they are planned.

A selection outlasts filters and searches, so an edit could be about sessions that nobody sees. What
is about to be changed is what the user sees, or what the user says. A new title is checked against
all others while it is typed.
"""

from collections.abc import Callable, Mapping, Sequence

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from explorer.browse.arrangement import is_inside, session_of
from explorer.cancel import CancelToken
from explorer.errors import ExplorerError, sentence
from explorer.keys.keymap import Keymap
from explorer.model import Action, Session
from explorer.render.clean import clean_line
from explorer.render.figures import count, plural
from explorer.stores.edits.plans import ANOTHER, KINDS, EditPlan, Owner, Title
from explorer.stores.edits.words import question, receipt_words
from explorer.tui.dialogs.base import Dialog
from explorer.tui.dialogs.questions import Choice, Instead, ask_for
from explorer.tui.edits.confirm import EditLane, EditSubject, apply, confirm
from explorer.tui.edits.pins import pin
from explorer.tui.key_bindings import bindings, keymap_of
from explorer.tui.list.session_list import SessionList
from explorer.tui.widgets.fields import TextField

NAMED = 3
"""Sessions that are named; of more there is only the number."""
Shown = Mapping[int, str]
"""The ids of rows by key, as far as they were seen."""


class Rename(Dialog[EditPlan | Owner]):
    """The plan that was agreed to, or who holds the title and is to be gone to, or nothing.

    Agreed to it is with enter: what will be stored stands below what was typed."""

    BINDINGS = bindings("rename")

    def __init__(self, lane: EditLane, session: Session) -> None:
        super().__init__()
        self._lane = lane
        self._session = session
        # Made here: what is found out after the dialog was left does no harm.
        title = clean_line(session.title or "")
        self._field = TextField(title, id="prompt-text", compact=True, placeholder="no title")
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
        """See in a thread whether a title will do."""
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
        """What came of looking; whatever was typed since is being looked at."""
        if not self.is_attached or text != self._field.value or plan.title is None:
            return
        self._known = text, plan, plan.title
        words, wrong = _words(plan, plan.title, keymap_of(self.app))
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
    return all(one.reason == "it has this title already" for one in plan.sessions)


def _words(plan: EditPlan, title: Title, keymap: Keymap) -> tuple[str, bool]:
    """(a word about the title, whether it will not do)."""
    if title.trouble:
        return sentence(title.trouble), True
    owner = title.owner
    if owner is not None and not plan.changes:
        hidden = ", archived" if owner.archived else ""
        source = clean_line(owner.source)
        return (
            f"Taken by {clean_line(owner.id)} ({source}{hidden}).\n"
            f"{keymap.key('rename-next')}: use “{clean_line(title.next)}”"
            f" · {keymap.key('rename-go')}: go to that session",
            True,
        )
    if owner is not None:
        return "An earlier part of this conversation has the title: it moves on to this one.", False
    if _unchanged(plan):
        return "That is its title.", False
    if title.text is None:
        return "It will have no title.", False
    return f"{len(title.text)} of {title.limit} characters", False


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
    ask_for(lane.screen, Choice("Delete", [(True, whole), (False, part)], True), delete)


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
    def renamed(found: EditPlan | Owner) -> None:
        if isinstance(found, Owner):
            lane.lister.reveal(found.key)
        else:
            apply(lane, found, question(found), receipt_words(found))

    ask_for(lane.screen, Rename(lane, session), renamed)
