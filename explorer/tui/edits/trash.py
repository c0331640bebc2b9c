"""The trash from the app: read in a thread, shown, and acted upon."""

from collections.abc import Callable, Iterator, Sequence

from textual.screen import Screen

from explorer.cancel import CancelToken
from explorer.errors import ExplorerError
from explorer.render.amounts import plural, size
from explorer.render.clean import clean, clean_line
from explorer.stores.base import Edits
from explorer.stores.edits.names import entry_name
from explorer.stores.ours.trash_records import Entry, Receipt
from explorer.stores.ours.trash_text import told
from explorer.tui.attention import may_ask, place
from explorer.tui.dialogs.question import Question
from explorer.tui.edits.trash_screen import MOST as LISTED
from explorer.tui.edits.trash_screen import InTrash, TrashScreen
from explorer.tui.reading.block_screen import BlockScreen
from explorer.tui.toast import say
from explorer.tui.workers import Lanes

MOST = 400_000
"""Characters of a deleted session that are shown; all of it comes back."""


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

        def work(token: CancelToken) -> InTrash | ExplorerError:
            try:
                return InTrash(list(_named(self._edits)), trash.size())
            except ExplorerError as error:
                return error

        def take(held: InTrash | ExplorerError) -> None:
            if isinstance(held, ExplorerError):
                say(self._screen, held)
            elif may_ask(self._screen, asked_at):
                screen = TrashScreen(held, self._clock(), self._look, self._restore, self._purge)
                self._screen.app.push_screen(screen)

        self._lanes.start("trash", work, take)

    def _look(self, entry: Entry) -> None:
        def work(token: CancelToken) -> str | ExplorerError:
            lines: list[str] = []
            length = 0
            try:
                for line in told(self._edits.trash, entry):
                    lines.append(line)
                    length += len(line)
                    if length > MOST:
                        lines.append("… and more, which is kept as well.")
                        break
            except ExplorerError as error:
                return error
            return "\n".join(lines) or "It had no messages."

        def take(text: str | ExplorerError) -> None:
            if isinstance(text, ExplorerError):
                say(self._screen, text)
            else:
                name = clean_line(entry_name(entry), 60)
                self._screen.app.push_screen(BlockScreen(text, f"In the trash · {name}"))

        self._lanes.start("trash", work, take)

    def _restore(self, receipt: Receipt, entry: Entry | None) -> None:
        self._undo(receipt.number, [entry.number] if entry else None)

    def _purge(self, receipt: Receipt) -> None:
        if receipt.half_done:
            say(self._screen, ExplorerError("It was cut short", "Restore it or finish it first."))
            return
        held = f"{plural(receipt.sessions, 'session')}, {size(receipt.bytes)}"
        question = Question(
            "Delete it for good?",
            f"{clean(receipt.words)}\n{held}. It cannot be restored afterwards.",
            "Delete for good",
        )
        self._screen.app.push_screen(question, lambda yes: self._gone(receipt) if yes else None)

    def _gone(self, receipt: Receipt) -> None:
        def work(token: CancelToken) -> ExplorerError | None:
            try:
                with self._edits.trash.alone():
                    self._edits.trash.purge([receipt.number])
            except ExplorerError as error:
                return error
            return None

        def take(error: ExplorerError | None) -> None:
            if error:
                say(self._screen, error)
            else:
                self._screen.notify("Deleted for good.", markup=False)

        self._lanes.queue("edit", work, take)


def _named(edits: Edits) -> Iterator[tuple[Receipt, Sequence[Entry]]]:
    """Every edit with its sessions, of which those that are listed are named as in the list."""
    room = LISTED
    for receipt in edits.trash.receipts():
        entries = edits.trash.entries(receipt.number)
        yield receipt, [*edits.worded_entries(entries[:room]), *entries[room:]]
        room = max(room - len(entries), 0)
