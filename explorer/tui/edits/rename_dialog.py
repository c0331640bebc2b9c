"""A new title, checked against all others while it is typed."""

from collections.abc import Callable

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from explorer.errors import sentence
from explorer.keys.keymap import Keymap
from explorer.render.clean import clean_line
from explorer.stores.edits.plans import EditPlan, Owner, Title
from explorer.tui.dialogs.base import Dialog
from explorer.tui.key_bindings import bindings, keymap_of
from explorer.tui.widgets.field import TextField


class Rename(Dialog[EditPlan | Owner]):
    """The plan that was agreed to, or who holds the title and is to be gone to, or nothing.

    Agreed to it is with enter: what will be stored stands below what was typed."""

    BINDINGS = bindings("rename")

    def __init__(self, title: str, check: Callable[["Rename", str], None]) -> None:
        """`check` looks in a thread whether a title will do, and has `checked` called."""
        super().__init__()
        # Made here: what is found out after the dialog was left does no harm.
        self._field = TextField(title, id="prompt-text", compact=True, placeholder="no title")
        self._words = Static(id="prompt-words")
        self._check = check
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
        self._check(self, text)

    @on(Input.Submitted)
    def _submit(self) -> None:
        self._entered = True
        self._take()

    def checked(self, text: str, plan: EditPlan) -> None:
        """What came of looking; whatever was typed since is being looked at."""
        if text != self._field.value or plan.title is None:
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
