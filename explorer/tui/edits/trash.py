"""The trash: what was deleted and changed. Look into it, bring it back, or delete it for good."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from textual.app import ComposeResult
from textual.content import Content
from textual.screen import Screen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from explorer.cancel import CancelToken
from explorer.errors import ExplorerError
from explorer.render.clean import clean, clean_line, pad
from explorer.render.figures import ago, count, plural, size
from explorer.stores.base import Edits
from explorer.stores.edits.names import entry_name
from explorer.stores.edits.words import back_words
from explorer.stores.ours.trash import RETENTION_DAYS
from explorer.stores.ours.trash_records import Entry, EntryState, Receipt, ReceiptState
from explorer.stores.ours.trash_text import told
from explorer.tui.attention import may_ask, place
from explorer.tui.dialogs.base import Dialog
from explorer.tui.dialogs.question import Question
from explorer.tui.key_bindings import bindings, keymap_of
from explorer.tui.reading.block_screen import BlockScreen
from explorer.tui.toast import say
from explorer.tui.widgets.options import Options
from explorer.tui.workers import Lanes

LISTED = 2_000
"""Sessions that are listed one by one: a list of all that a big prune took would take seconds."""
NOTHING = "Nothing was changed yet, or all of it is too long ago."
MOST = 400_000
"""Characters of a deleted session that are shown; all of it comes back."""
_STATES = {
    ReceiptState.UNDONE: "undone",
    ReceiptState.BEGUN: "cut short",
    ReceiptState.UNDOING: "undo cut short",
    ReceiptState.UNKNOWN: "changed by a newer version",
}


class InTrash(NamedTuple):
    """All that the trash holds of a file."""

    receipts: Sequence[tuple[Receipt, Sequence[Entry]]]
    bytes: int


class TrashScreen(Dialog[None]):
    """Edits, the newest first, each with the sessions that are in the trash because of it."""

    BINDINGS = bindings("trash")

    def __init__(self, held: InTrash, now: float, trash: "Trashing") -> None:
        super().__init__()
        self._held = held
        self._now = now
        self._trash = trash
        self._places: dict[str, tuple[Receipt, Entry | None]] = {}

    def compose(self) -> ComposeResult:
        options = []
        room = LISTED
        for receipt, entries in self._held.receipts:
            name = f"r{receipt.number}"
            self._places[name] = receipt, None
            options.append(Option(self._receipt_line(receipt), id=name))
            for entry in entries[:room]:
                name = f"e{entry.number}"
                self._places[name] = receipt, entry
                options.append(Option(_entry_line(entry), id=name))
            if len(entries) > room:
                line = _more_line(receipt, len(entries) - room)
                options.append(Option(line, disabled=True))
            room = max(room - len(entries), 0)
        if not options:
            options.append(Option(Content(NOTHING), disabled=True))
        yield Options(*options, id="trash")

    def on_mount(self) -> None:
        shown = self.query_one(OptionList)
        held = f"{size(self._held.bytes)} · kept for {RETENTION_DAYS} days"
        shown.border_title = Content(f"Trash · {held}")
        self._say_keys(None)
        self.set_focus(shown)

    def _say_keys(self, entry: Entry | None) -> None:
        """What the keys do here: only a session can be looked into."""
        nothing = {} if self._places else {"trash-restore": "", "trash-purge": ""}
        labels = {"option-take": "" if entry is None else "read", **nothing}
        hint = keymap_of(self.app).hint("trash", labels)
        self.query_one(OptionList).border_subtitle = Content(hint)

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        self._say_keys(self._place(event.option)[1])

    def _receipt_line(self, receipt: Receipt) -> Content:
        state = back_words(receipt) or _STATES.get(receipt.state, "")
        return Content.assemble(
            (f"{pad(ago(receipt.made, self._now), 11)}", "$dim"),
            (clean_line(receipt.words, 90), "bold"),
            (f"  {state}" if state else "", "$warning"),
        )

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        _, entry = self._place(event.option)
        if entry is not None:
            self._trash.look(entry)

    def _place(self, option: Option) -> tuple[Receipt, Entry | None] | tuple[None, None]:
        """What a row stands for."""
        return self._places.get(option.id or "", (None, None))

    def _chosen(self) -> tuple[Receipt, Entry | None] | None:
        shown = self.query_one(OptionList)
        if shown.highlighted is None or not self.is_active:
            return None
        return self._places.get(shown.get_option_at_index(shown.highlighted).id or "")

    def action_restore(self) -> None:
        chosen = self._chosen()
        if chosen is not None:
            self.dismiss()
            self._trash.restore(*chosen)

    def action_purge(self) -> None:
        chosen = self._chosen()
        if chosen is not None:
            self.dismiss()
            self._trash.purge(chosen[0])


class Trashing:
    """Shows the trash of one file."""

    def __init__(
        self,
        screen: Screen[None],
        lanes: Lanes,
        edits: Edits,
        clock: Callable[[], float],
        undo: Callable[[int, list[int] | None], None],
    ) -> None:
        """`undo` takes an edit back, or only some of its entries."""
        self._screen = screen
        self._lanes = lanes
        self._edits = edits
        self._clock = clock
        self._undo = undo

    def show(self) -> None:
        trash, asked_at = self._edits.trash, place(self._screen.app)

        def work(token: CancelToken) -> InTrash:
            return InTrash(list(_named(self._edits)), trash.size())

        def take(held: InTrash) -> None:
            if may_ask(self._screen, asked_at):
                self._screen.app.push_screen(TrashScreen(held, self._clock(), self))

        self._lanes.start("trash", work, take, self._say)

    def look(self, entry: Entry) -> None:
        def work(token: CancelToken) -> str:
            lines: list[str] = []
            length = 0
            for line in told(self._edits.trash, entry):
                lines.append(line)
                length += len(line)
                if length > MOST:
                    lines.append("… and more, which is kept as well.")
                    break
            return "\n".join(lines) or "It had no messages."

        def take(text: str) -> None:
            name = clean_line(entry_name(entry), 60)
            self._screen.app.push_screen(BlockScreen(text, f"In the trash · {name}"))

        self._lanes.start("trash", work, take, self._say)

    def restore(self, receipt: Receipt, entry: Entry | None) -> None:
        self._undo(receipt.number, [entry.number] if entry else None)

    def purge(self, receipt: Receipt) -> None:
        if receipt.half_done:
            self._say(ExplorerError("It was cut short", "Restore it or finish it first."))
            return
        held = f"{plural(receipt.sessions, 'session')}, {size(receipt.bytes)}"
        question = Question(
            "Delete it for good?",
            f"{clean(receipt.words)}\n{held}. It cannot be restored afterwards.",
            "Delete for good",
        )
        self._screen.app.push_screen(
            question, lambda yes: self._delete_for_good(receipt) if yes else None
        )

    def _delete_for_good(self, receipt: Receipt) -> None:
        def work(token: CancelToken) -> None:
            with self._edits.trash.alone():
                self._edits.trash.purge([receipt.number])

        def take(_: None) -> None:
            self._screen.notify("Deleted for good.", markup=False)

        self._lanes.queue("edit", work, take, self._say)

    def _say(self, error: ExplorerError) -> None:
        say(self._screen, error)


def _named(edits: Edits) -> Iterator[tuple[Receipt, Sequence[Entry]]]:
    """Every edit with its sessions, of which those that are listed are named as in the list."""
    room = LISTED
    for receipt in edits.trash.receipts():
        entries = edits.trash.entries(receipt.number)
        yield receipt, [*edits.worded_entries(entries[:room]), *entries[room:]]
        room = max(room - len(entries), 0)


def _more_line(receipt: Receipt, number: int) -> Content:
    line = f"and {count(number)} more: session-explorer trash show {receipt.number}"
    return Content.assemble((f"             {line}", "$dim"))


def _entry_line(entry: Entry) -> Content:
    back = "  back in the file" if entry.state is EntryState.BACK else ""
    name = clean_line(entry_name(entry), 60)
    return Content.assemble(
        f"             {name}",
        (f"  {plural(entry.messages, 'message')} · {clean_line(entry.source)}", "$dim"),
        (back, "$success"),
    )
