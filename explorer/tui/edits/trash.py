"""History and trash: what was changed and deleted. Read it, restore it, delete it permanently."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from explorer.cancel import CancelToken
from explorer.errors import ExplorerError
from explorer.render.clean import clean_line, pad
from explorer.render.figures import ago, plural
from explorer.stores.base import Edits
from explorer.stores.edits.words import state_words
from explorer.stores.ours.trash_records import Entry, EntryState, Receipt
from explorer.tui.dialogs.base import Dialog
from explorer.tui.dialogs.questions import Question, ask, may_ask, place
from explorer.tui.edits.confirm import EditLane
from explorer.tui.edits.undo import undo
from explorer.tui.edits.words import (
    CUT_OFF,
    EMPTY_TRASH,
    NO_MESSAGES,
    RESTORE_FIRST,
    more_words,
    purge_question,
    purge_text,
    purge_verb,
    purged_words,
    trash_title,
)
from explorer.tui.key_bindings import bindings, keymap_of
from explorer.tui.reading.block_screen import BlockScreen
from explorer.tui.widgets.fields import Options

LISTED = 2_000
"""Sessions that are listed one by one: a list of all that a big prune deleted takes seconds."""
MOST = 400_000
"""Characters of a deleted session that are shown; all of it can be restored."""


class _Taken(NamedTuple):
    """An edit, and the sessions that are in the trash because of it."""

    receipt: Receipt
    entries: Sequence[Entry]
    """Those that are listed."""
    more: int


class TrashScreen(Dialog[None]):
    """Edits, the newest first, each with the sessions that are in the trash because of it."""

    BINDINGS = bindings("trash")

    def __init__(self, lane: EditLane, held: Sequence[_Taken], bytes_held: int) -> None:
        super().__init__()
        self._lane = lane
        self._held = held
        self._bytes = bytes_held
        self._places: list[tuple[Receipt, Entry | None] | None] = []
        """What each row stands for; None for words that cannot be chosen."""

    def compose(self) -> ComposeResult:
        options = []
        for receipt, entries, more in self._held:
            options.append(self._option(self._receipt_line(receipt), (receipt, None)))
            options += [self._option(_entry_line(entry), (receipt, entry)) for entry in entries]
            if more:
                options.append(self._option(_more_line(receipt, more), None))
        if not options:
            options.append(self._option(Content(EMPTY_TRASH), None))
        yield Options(*options, id="trash")

    def _option(self, line: Content, place: tuple[Receipt, Entry | None] | None) -> Option:
        self._places.append(place)
        return Option(line, disabled=place is None)

    def on_mount(self) -> None:
        shown = self.query_one(OptionList)
        shown.border_title = Content(trash_title(self._bytes))
        self._say_keys(None)
        self.set_focus(shown)

    def _say_keys(self, entry: Entry | None) -> None:
        """What the keys do here: only a session can be read."""
        nothing = {} if self._held else {"trash-restore": "", "trash-purge": ""}
        labels = {"option-take": "" if entry is None else "read", **nothing}
        hint = keymap_of(self.app).hint("trash", labels)
        self.query_one(OptionList).border_subtitle = Content(hint)

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        _, entry = self._places[event.option_index] or (None, None)
        self._say_keys(entry)

    def _receipt_line(self, receipt: Receipt) -> Content:
        state = state_words(receipt)
        return Content.assemble(
            (f"{pad(ago(receipt.made, self._lane.clock()), 11)}", "$dim"),
            (clean_line(receipt.words, 90), "bold"),
            (f"  {state}" if state else "", "$warning"),
        )

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        _, entry = self._places[event.option_index] or (None, None)
        if entry is not None:
            _look_into(self._lane, entry)

    def _chosen(self) -> tuple[Receipt, Entry | None] | None:
        at = self.query_one(OptionList).highlighted
        return None if at is None or not self.is_active else self._places[at]

    def action_restore(self) -> None:
        chosen = self._chosen()
        if chosen is not None:
            self.dismiss()
            receipt, entry = chosen
            undo(self._lane, receipt.number, [entry.number] if entry else None)

    def action_purge(self) -> None:
        chosen = self._chosen()
        if chosen is not None:
            self.dismiss()
            _purge(self._lane, chosen[0])


def show_trash(lane: EditLane) -> None:
    """Show what was deleted and changed."""
    asked_at = place(lane.screen.app)

    def work(token: CancelToken) -> tuple[list[_Taken], int]:
        return list(_taken(lane.edits)), lane.edits.trash.size()

    def take(found: tuple[list[_Taken], int]) -> None:
        if may_ask(lane.screen, asked_at):
            lane.screen.app.push_screen(TrashScreen(lane, *found))

    lane.lanes.start("trash", work, take, lane.say)


def _taken(edits: Edits) -> Iterator[_Taken]:
    """Every edit with its sessions, of which those that are listed are named as in the list."""
    room = LISTED
    for receipt in edits.trash.receipts():
        entries = edits.trash.entries(receipt.number)
        named = edits.worded_entries(entries[:room])
        yield _Taken(receipt, named, max(len(entries) - room, 0))
        room = max(room - len(entries), 0)


def _look_into(lane: EditLane, entry: Entry) -> None:
    def work(token: CancelToken) -> str:
        lines: list[str] = []
        length = 0
        for line in lane.edits.trash.told(entry):
            lines.append(line)
            length += len(line)
            if length > MOST:
                lines.append(CUT_OFF)
                break
        return "\n".join(lines) or NO_MESSAGES

    def take(text: str) -> None:
        name = clean_line(entry.name, 60)
        lane.screen.app.push_screen(BlockScreen(text, f"In the trash · {name}"))

    lane.lanes.start("trash", work, take, lane.say)


def _purge(lane: EditLane, receipt: Receipt) -> None:
    """Delete it permanently, after a question."""
    if receipt.half_done:
        lane.say(ExplorerError("Not deleted", RESTORE_FIRST))
        return

    def work(token: CancelToken) -> None:
        with lane.edits.trash.alone():
            lane.edits.trash.purge([receipt.number])

    def take(_: None) -> None:
        lane.screen.notify(purged_words(receipt), markup=False)

    question = Question(purge_question(receipt), purge_text(receipt), purge_verb(receipt))
    ask(
        lane.screen,
        question,
        lambda: lane.lanes.start("edit", work, take, lane.say, queued=True),
    )


def _more_line(receipt: Receipt, number: int) -> Content:
    return Content.assemble((f"             {more_words(number, receipt.number)}", "$dim"))


def _entry_line(entry: Entry) -> Content:
    back = "  restored" if entry.state is EntryState.BACK else ""
    name = clean_line(entry.name, 60)
    return Content.assemble(
        f"             {name}",
        (f"  {plural(entry.messages, 'message')} · {clean_line(entry.source)}", "$dim"),
        (back, "$success"),
    )
