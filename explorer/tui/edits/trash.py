"""History and trash: what was changed and deleted. Read it, restore it, delete it permanently."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from textual import getters
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from explorer.cancel import CancelToken
from explorer.errors import ExplorerError
from explorer.render.clean import cell_width, clean_line, fit, pad
from explorer.render.figures import ago, plural
from explorer.stores.deleted_session import DeletedSession, open_deleted
from explorer.stores.edits.interface import Past
from explorer.stores.edits.refusal_words import CANNOT_UNDO
from explorer.stores.edits.undo_words import changed_words, state_words
from explorer.stores.history import with_gone
from explorer.stores.ours.trash_records import Entry, Receipt
from explorer.tui.dialogs.attention import may_ask, place
from explorer.tui.dialogs.base import Closing
from explorer.tui.dialogs.questions import Question, ask
from explorer.tui.edits.confirm import EditLane
from explorer.tui.edits.undo import undo
from explorer.tui.edits.words import (
    CHOOSE_ONE,
    EMPTY_TRASH,
    NOTHING_DELETED,
    RESTORE_FIRST,
    deleted_title,
    file_gone,
    more_words,
    purge_entry_words,
    purge_words,
    trash_title,
)
from explorer.tui.hints import hint
from explorer.tui.key_bindings import bindings, keymap_of
from explorer.tui.reading.reading_pane import ReadScreen
from explorer.tui.themes import style
from explorer.tui.widgets.fields import Options
from explorer.tui.words import NOTHING_TO_CHOOSE

LISTED = 2_000
"""Sessions that are listed one by one: a list of all that a big prune deleted takes seconds."""
WHEN = 11
"""Cells for the time of a change."""
INDENT = 13


class _Taken(NamedTuple):
    """An edit, and the sessions that are in the trash because of it."""

    receipt: Receipt
    entries: Sequence[Entry]
    """Those that are listed."""
    more: int


class _Contents(NamedTuple):
    held: Sequence[_Taken]
    bytes: int
    """That it takes to keep them."""


class _Place(NamedTuple):
    """What a row stands for: an edit, or one of its sessions."""

    receipt: Receipt
    entry: Entry | None
    reads: Entry | None
    """What enter reads: the session, or the only one of the edit."""

    def holds(self, entry: int) -> bool:
        return self.entry is not None and self.entry.number == entry

    @property
    def lost(self) -> bool:
        """No state file is left that it could be restored into."""
        if self.entry is None:
            return self.receipt.lost
        parts = self.receipt.parts or (self.receipt,)
        return all(one.gone for one in parts if one.place == self.entry.place)

    def is_like(self, other: "_Place | None") -> bool:
        """The same one, whatever has become of it."""
        if other is None or other.receipt.number != self.receipt.number:
            return False
        return (other.entry and other.entry.number) == (self.entry and self.entry.number)


class TrashScreen(Closing[None]):
    """Edits, the newest first, each with the sessions that are in the trash because of it. What is
    restored or deleted from here comes back to here."""

    CSS_PATH = style("dialogs")
    BINDINGS = bindings("trash")
    SCOPE = "trash"

    shown = getters.query_one(OptionList)

    def __init__(self, lane: EditLane, contents: _Contents, entry: int | None = None) -> None:
        """`entry` is the session that the cursor is to be on, by its number."""
        super().__init__()
        self._lane = lane
        self._first = entry
        self._contents = contents
        self._places: list[_Place | None] = []
        """What each row stands for; None for words that cannot be chosen."""

    def compose(self) -> ComposeResult:
        yield Options(id="trash")

    def on_mount(self) -> None:
        self.set_focus(self.shown)

    def on_resize(self) -> None:
        # Each line is made for its width: the size of a session is not cut off behind its title.
        # What is renewed before that refresh is not overwritten by what was there before it.
        self.call_after_refresh(lambda: self._show(self._contents))

    def _show(self, contents: _Contents) -> None:
        """List what is in it now; the cursor stays on its row, or where that was."""
        at = self.shown.highlighted or 0
        here = self._places[at] if at < len(self._places) else None
        width = max(self.shown.scrollable_content_region.width - 2, 20)
        rows = list(self._rows(contents, width))
        self._contents, self._places = contents, [place for place, _ in rows]
        self.shown.clear_options()
        self.shown.add_options(Option(line, disabled=place is None) for place, line in rows)
        same = (row for row, place in enumerate(self._places) if place and place.is_like(here))
        if here is None and self._first is not None:
            same = (row for row, one in enumerate(self._places) if one and one.holds(self._first))
        self.shown.highlighted = next(same, min(at, len(rows) - 1))
        self.shown.border_title = Content(trash_title(contents.bytes))
        self._say_keys()

    def _rows(self, contents: _Contents, width: int) -> Iterator[tuple[_Place | None, Content]]:
        now = self._lane.clock()
        for receipt, entries, more in contents.held:
            only = entries[0] if len(entries) == 1 and not more else None
            yield _Place(receipt, None, only), _receipt_line(receipt, now, width)
            for entry in entries:
                yield _Place(receipt, entry, entry), _entry_line(entry, width)
            if more:
                yield None, _more_line(receipt, more)
        if not contents.held:
            yield None, Content(EMPTY_TRASH)

    def _say_keys(self) -> None:
        """What the keys do here: only a session can be read."""
        place = self._chosen()
        nothing = {} if place else {"trash-restore": "", "trash-purge": ""}
        labels = {"option-take": "read" if place and place.reads else "", **nothing}
        self.shown.border_subtitle = Content(keymap_of(self.app).hint("trash", labels))

    def on_option_list_option_highlighted(self) -> None:
        self._say_keys()

    def on_option_list_option_selected(self) -> None:
        place = self._chosen()
        if place is not None and place.reads is not None:
            _read(self._lane, place.reads)
        elif place is not None:
            self.notify(CHOOSE_ONE if place.receipt.sessions else NOTHING_DELETED, markup=False)

    def _chosen(self) -> _Place | None:
        at = self.shown.highlighted
        return None if at is None or at >= len(self._places) else self._places[at]

    def _asked_for(self) -> _Place | None:
        """What a key is about; where there is nothing, the user is told."""
        chosen = self._chosen()
        if chosen is None:
            hint(self, NOTHING_TO_CHOOSE)
        return chosen if self.is_active else None

    def action_restore(self) -> None:
        if place := self._asked_for():
            if place.lost:
                self._lane.say(ExplorerError(CANNOT_UNDO, file_gone(place.receipt.shown)))
                return
            entries = [place.entry.number] if place.entry else None
            undo(self._lane, place.receipt.number, entries, after=self._renew)

    def action_purge(self) -> None:
        if place := self._asked_for():
            _purge(self._lane, place.receipt, place.entry, self._renew)

    def _renew(self) -> None:
        def take(contents: _Contents) -> None:
            if self.is_attached:
                self._show(contents)

        lane = self._lane
        lane.lanes.start("trash", lambda token: _contents(_history(lane)), take, lane.say)


class DeletedScreen(ReadScreen):
    """The transcript of a session that is in the trash."""

    def __init__(self, deleted: DeletedSession, name: str, clock: Callable[[], float]) -> None:
        """`name` is what the trash calls it."""
        named = deleted.session._replace(title=deleted_title(name))
        super().__init__(deleted.store, deleted.catalog, named, clock)
        self._deleted = deleted

    def on_unmount(self) -> None:
        super().on_unmount()
        self._deleted.close()


def show_trash(lane: EditLane, entry: int | None = None) -> None:
    """Show what was deleted and changed; with `entry`, the cursor is on that session."""
    asked_at = place(lane.screen.app)

    def take(contents: _Contents) -> None:
        if may_ask(lane.screen, asked_at):
            lane.screen.app.push_screen(TrashScreen(lane, contents, entry))

    lane.lanes.start("trash", lambda token: _contents(_history(lane)), take, lane.say)


def _history(lane: EditLane) -> Past:
    """What is kept, also of profiles that are gone."""
    return with_gone(lane.edits, lane.roots)


def _contents(history: Past) -> _Contents:
    return _Contents(list(_taken(history)), history.trash.size())


def _taken(edits: Past) -> Iterator[_Taken]:
    """Every edit with its sessions, of which those that are listed are named as in the list."""
    room = LISTED
    for receipt in edits.trash.receipts():
        entries = edits.trash.entries(receipt.number)
        named = edits.worded_entries(entries[:room])
        yield _Taken(receipt, named, max(len(entries) - room, 0))
        room = max(room - len(entries), 0)


def _read(lane: EditLane, entry: Entry) -> None:
    """Read a deleted session as any other one."""
    asked_at = place(lane.screen.app)
    clock = lane.clock

    def take(deleted: DeletedSession) -> None:
        if may_ask(lane.screen, asked_at):
            name = clean_line(_name(entry), 60)
            lane.screen.app.push_screen(DeletedScreen(deleted, name, clock))
        else:
            deleted.close()

    lane.lanes.start(
        "trash",
        lambda token: open_deleted(*_history(lane).kept_from(entry), entry, clock(), token),
        take,
        lane.say,
    )


def _purge(
    lane: EditLane, receipt: Receipt, entry: Entry | None, after: Callable[[], None]
) -> None:
    """Delete a change, or one of its sessions, permanently, after a question."""
    if receipt.half_done and not receipt.lost:
        lane.say(ExplorerError("Not deleted", RESTORE_FIRST))
        return

    def work(token: CancelToken) -> None:
        history = _history(lane)
        if entry is not None:
            history.purge(receipt, [entry.number])
            return
        with history.trash.alone():
            history.trash.purge([receipt.number])

    def take(_: None) -> None:
        lane.screen.notify(words.done, markup=False)
        after()

    words = purge_words(receipt) if entry is None else purge_entry_words(entry)
    question = Question(words.question, words.text, words.verb)
    ask(
        lane.screen,
        question,
        lambda: lane.lanes.start("edit", work, take, lane.say, queued=True),
    )


def _name(entry: Entry) -> str:
    return "empty session" if entry.is_empty else entry.name


def _receipt_line(receipt: Receipt, now: float, width: int) -> Content:
    state = f"  {state}" if (state := clean_line(state_words(receipt), 200)) else ""
    room = max(width - WHEN - cell_width(state), 10)
    return Content.assemble(
        (pad(ago(receipt.made, now), WHEN), "$dim"),
        (fit(clean_line(changed_words(receipt), 200), room), "bold"),
        (state, "$warning"),
    )


def _more_line(receipt: Receipt, number: int) -> Content:
    return Content.assemble((f"{' ' * INDENT}{more_words(number, receipt.number)}", "$dim"))


def _entry_line(entry: Entry, width: int) -> Content:
    back = "  restored" if entry.is_back else ""
    place = f" · {clean_line(entry.place, 20)}" if entry.place else ""
    about = f"  {plural(entry.messages, 'message')} · {clean_line(entry.source, 20)}{place}"
    room = max(width - INDENT - cell_width(about) - cell_width(back), 10)
    name = fit(clean_line(_name(entry), 200), room)
    return Content.assemble(f"{' ' * INDENT}{name}", (about, "$dim"), (back, "$success"))
