"""What was deleted and changed: look into it, bring it back, or delete it for good."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from explorer.render.amounts import count, plural, size
from explorer.render.clean import clean_line, pad
from explorer.render.when import ago
from explorer.stores.edits.names import entry_name
from explorer.stores.edits.words import back_words
from explorer.stores.ours.trash import RETENTION_DAYS
from explorer.stores.ours.trash_records import Entry, EntryState, Receipt, ReceiptState
from explorer.tui.dialogs.base import Dialog
from explorer.tui.styles import style
from explorer.tui.widgets.options import Options

MOST = 2_000
"""Sessions that are listed one by one: a list of all that a big prune took would take seconds."""
NOTHING = "Nothing was changed yet, or all of it is too long ago."
_STATES = {
    ReceiptState.UNDONE: "undone",
    ReceiptState.BEGUN: "cut short",
    ReceiptState.UNDOING: "undo cut short",
    ReceiptState.UNKNOWN: "changed by a newer version",
}


class InTrash(NamedTuple):
    """All that the trash holds of a file."""

    receipts: Sequence[tuple[Receipt, Sequence[Entry]]]
    """With the first words of the sessions that are listed and have no title."""
    bytes: int


class TrashScreen(Dialog[None]):
    """Edits, the newest first, each with the sessions that are in the trash because of it."""

    CSS_PATH = style("dialogs")
    BINDINGS = [
        Binding("escape,q", "dismiss", show=False),
        Binding("r,u", "restore", show=False),
        Binding("x,delete", "purge", show=False),
    ]

    def __init__(
        self,
        held: InTrash,
        now: float,
        look: Callable[[Entry], None],
        restore: Callable[[Receipt, Entry | None], None],
        purge: Callable[[Receipt], None],
    ) -> None:
        super().__init__()
        self._held = held
        self._now = now
        self._look = look
        self._restore = restore
        self._purge = purge
        self._places: dict[str, tuple[Receipt, Entry | None]] = {}

    def compose(self) -> ComposeResult:
        options = []
        room = MOST
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
        enter = "" if entry is None else "enter looks into it · "
        edit = "r restores · x deletes for good · " if self._places else ""
        self.query_one(OptionList).border_subtitle = Content(f"{enter}{edit}esc closes")

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
            self._look(entry)

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
            self._restore(*chosen)

    def action_purge(self) -> None:
        chosen = self._chosen()
        if chosen is not None:
            self.dismiss()
            self._purge(chosen[0])


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
