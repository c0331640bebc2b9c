"""Where enter leads in a transcript: to a long block full screen, with its own find; to the session
of a subagent; or to a link.

Of a block, only the start and end of lines and matches are kept: many megabytes are wrapped and
searched in a thread, and painting only looks them up.
"""

import json
import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from weakref import WeakSet

from textual import getters, on
from textual.app import App, ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.events import Resize
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget
from textual.worker import get_current_worker

from explorer.cancel import CancelToken
from explorer.errors import ExplorerError
from explorer.model import Kind, Message, Session
from explorer.render import veil
from explorer.render.clean import clean, clean_line, for_clipboard
from explorer.render.figures import clock, plural
from explorer.render.lines import MATCH, Line, line_breaks, restyled
from explorer.search.pattern import Pattern, pattern
from explorer.stores.base import Store
from explorer.stores.catalog import Catalog
from explorer.stores.columns import CALL, ID, STARTED
from explorer.transcript.find import HERE, goes_across
from explorer.tui.dialogs.base import Dialog, ask_for
from explorer.tui.dialogs.choices import Choice
from explorer.tui.dialogs.questions import Question, ask
from explorer.tui.hints import hint
from explorer.tui.key_bindings import bindings, keymap_of
from explorer.tui.reading.find_bar import FindBar
from explorer.tui.widgets.painted import ReadingView
from explorer.tui.words import (
    COPY_NOTE,
    NO_MATCHES,
    NO_SUBAGENT,
    READING,
    copied,
    last_match,
    match_place,
    no_find,
    nothing_to_copy,
)

MOST = 100_000
"""Characters: terminals drop or choke on more."""
LEEWAY = 5.0
"""Seconds by which the clocks of an agent and its subagent may differ."""
OFFERED = 40
_noted: WeakSet[App[object]] = WeakSet()
"""Apps that have said once that a terminal may block copying."""


def copy(at: Widget, text: str, what: str) -> None:
    """Put text on the clipboard through the terminal, made safe to paste."""
    safe = for_clipboard(text)
    if not safe.strip():
        at.notify(nothing_to_copy(what), markup=False)
        return
    if what == "command" and veil.holds_mark(safe):
        at.notify(f"Not copied. {veil.NO_COMMAND}", severity="warning", markup=False)
        return
    at.app.copy_to_clipboard(safe[:MOST])
    words = copied(what, len(safe), MOST, keymap_of(at.app).key("editor"))
    at.notify(words if at.app in _noted else f"{words}\n{COPY_NOTE}", markup=False)
    _noted.add(at.app)


def as_json(message: Message) -> str:
    """A message with every stored field."""
    calls = [call._asdict() for call in message.tool_calls]
    fields = message._asdict() | {"tool_calls": calls}
    return json.dumps(fields, ensure_ascii=False, indent=2, default=str)


Break = tuple[int, int, int]
"""(start, end, cells of hanging indent) of a line."""


class LongText(ReadingView):
    """One whole text."""

    BINDINGS = bindings("scroll")

    def __init__(self, text: str, first_match: int = 0) -> None:
        """`first_match` is the match that the reader comes from."""
        super().__init__(id="long-text")
        self._stored = text
        self._text = ""
        self._lines: Sequence[Break] = ()
        self._finder: Pattern | None = None
        self._starts, self._ends = array("L"), array("L")
        """Where each match is in the text."""
        self._at = -1
        self._first_match = first_match
        self.note = READING

    def on_resize(self, event: Resize) -> None:
        width = max(self.line_width - 2, 1)
        # In a thread: many megabytes take seconds.
        self._work("wrap", lambda: self._wrap(width))

    def _wrap(self, width: int) -> None:
        worker = get_current_worker()
        text = self._text or clean(self._stored)
        lines = []
        for line in line_breaks(text, width):
            lines.append(line)
            if worker.is_cancelled:
                return
        self.app.call_from_thread(self._show, text, lines)

    def _show(self, text: str, lines: Sequence[Break]) -> None:
        top = self._lines[self.scroll_offset.y][0] if self._lines else 0
        first = not self._lines
        self._text, self._lines = text, lines
        self.virtual_size = Size(self.line_width, len(lines))
        self._say_place("")
        # The text stays in place; by force, since the scroll bar comes with the next layout.
        self.scroll_to(y=self._line_at(top), animate=False, force=True)
        self.refresh()
        if first and self._finder is not None:
            self.look_for(self._finder)

    def _line_at(self, place: int) -> int:
        return max(bisect_right(self._lines, place, key=lambda line: line[0]) - 1, 0)

    def look_for(self, finder: Pattern | None) -> None:
        """Find all matches, and go to the first from here on."""
        self._finder, self._at = finder, -1
        self._starts, self._ends = array("L"), array("L")
        self.refresh()
        if finder is None:
            self._say_place("")
            self.post_message(FindBar.Told(""))
        elif self._lines:
            self._say_place("")
            text, start = self._text, self._lines[self.scroll_offset.y][0]
            self._work("find", lambda: self._search(finder, text, start))

    def _search(self, finder: Pattern, text: str, start: int) -> None:
        worker = get_current_worker()
        starts, ends = array("L"), array("L")
        if goes_across(finder):
            text = text.replace("\n", " ")
        try:
            for first, last in finder.spans(text):
                starts.append(first)
                ends.append(last)
                if worker.is_cancelled:
                    return
        except ExplorerError as error:
            self.post_message(FindBar.Told(str(error)))
            return
        self.app.call_from_thread(self._take, finder, starts, ends, start)

    def _take(self, finder: Pattern, starts: "array[int]", ends: "array[int]", start: int) -> None:
        if finder is self._finder:
            self._starts, self._ends = starts, ends
            first, self._first_match = self._first_match, 0
            self._go(min(first, len(starts) - 1) if first else bisect_left(starts, start))

    def step(self, step: int) -> None:
        """The next match, or the one before, round the ends."""
        self._go(self._at + step)

    def _go(self, at: int) -> None:
        if not self._starts:
            self.post_message(FindBar.Told(NO_MATCHES if self._finder else ""))
            return
        self._at = at % len(self._starts)
        line = self._line_at(self._starts[self._at])
        if not self.scroll_offset.y <= line < self.scroll_offset.y + self.size.height:
            y = max(line - self.size.height // 3, 0)
            self.scroll_to(y=y, animate=False, force=True)
        number, total = self._at + 1, len(self._starts)
        place = match_place(number, total)
        self._say_place(place)
        self.post_message(FindBar.Told(last_match(place) if number == total > 1 else place))
        self.refresh()

    def _say_place(self, match: str) -> None:
        """Which match this is, in the border too: a search has no bar here."""
        facts = match, plural(len(self._lines), "line"), keymap_of(self.app).hint("block")
        self.border_subtitle = Content(" · ".join(filter(None, facts)))

    def render_line(self, y: int) -> Strip:
        if not self._lines:
            return self.note_line(y)
        number = y + self.scroll_offset.y
        if number >= len(self._lines):
            return self.strip((), self.line_width)
        start, end, indent = self._lines[number]
        line: Line = ((" " * (indent + 1), "text"), (self._text[start:end], "text"))
        return self.strip(restyled(line, self._matches(start, end, 1 + indent)), self.line_width)

    def _matches(self, start: int, end: int, margin: int) -> list[tuple[int, int, str]]:
        """The matches in a line: from the first that ends in it to the last that begins in it."""
        return [
            (
                max(self._starts[number] - start, 0) + margin,
                min(self._ends[number], end) - start + margin,
                HERE if number == self._at else MATCH,
            )
            for number in range(bisect_right(self._ends, start), bisect_left(self._starts, end))
        ]

    def _work(self, group: str, work: Callable[[], None]) -> None:
        self.run_worker(work, thread=True, group=group, exclusive=True, exit_on_error=False)


class BlockScreen(Dialog[None]):
    """A block that is longer or wider than a transcript shows in place."""

    BINDINGS = bindings("block")
    SCOPE = "block"

    _view = getters.query_one(LongText)
    _bar = getters.query_one(FindBar)

    def __init__(
        self,
        text: str,
        title: str,
        looking_for: str = "",
        match: int = 0,
        found: Pattern | None = None,
    ) -> None:
        """`looking_for` is what the transcript is being searched for, `match` the match index in
        this block that the reader is at. `found` is what a search over all sessions found: it has
        another syntax than a find, so no bar shows it."""
        super().__init__()
        self._text = text
        self._name_of_block = title
        self._looking_for = looking_for
        self._match = match
        self._found = found

    def compose(self) -> ComposeResult:
        with Vertical():
            view = LongText(self._text, self._match)
            view.border_title = Content(self._name_of_block)
            yield view
            bar = FindBar()
            bar.display = bool(self._looking_for)
            yield bar

    def on_mount(self) -> None:
        self.set_focus(self._view)
        if self._looking_for:
            self._bar.input.value = self._looking_for
        elif self._found is not None:
            self._view.look_for(self._found)

    @on(FindBar.Typed)
    def _look_for(self, event: FindBar.Typed) -> None:
        try:
            self._view.look_for(pattern(event.text))
        except ExplorerError as error:
            self._bar.say(str(error))

    @on(FindBar.Told)
    def _say(self, event: FindBar.Told) -> None:
        self._bar.say(event.words)

    @on(FindBar.StepWanted)
    def _step(self, event: FindBar.StepWanted) -> None:
        self._view.step(event.step)

    @on(FindBar.Entered)
    def _to_text(self) -> None:
        self.set_focus(self._view)

    @on(FindBar.Closed)
    def _close_find(self) -> None:
        self._bar.display = False
        self._view.look_for(None)
        self.set_focus(self._view)

    def action_find(self) -> None:
        self._bar.display = True
        self.set_focus(self._bar.input)

    def action_step(self, step: int) -> None:
        if self._bar.display or self._found is not None:
            self._view.step(step)
        else:
            hint(self, no_find(keymap_of(self.app).key("block-find")))

    def action_copy(self) -> None:
        copy(self, self._text, "block")

    def cancel(self) -> None:
        self.action_leave()

    def action_leave(self) -> None:
        """Close the find, then the block."""
        if self._bar.display:
            self._close_find()
        else:
            self.dismiss()


def subagents(
    store: Store,
    catalog: Catalog,
    key: int,
    call: str | None,
    called: tuple[float | None, float | None],
    now: float,
    token: CancelToken,
) -> list[Session]:
    """The sessions of subagents that a call started: where the agent does not keep which, those
    that its result names, else those that started between the call and its result; all of them
    where the times do not tell."""
    began, ended = called
    children = catalog.children(Kind.SUBAGENT).get(key, [])
    known = store.columns({ID, STARTED, CALL}, children, token)
    starts = known[STARTED]
    noted = [child for child in children if call and known[CALL].get(child) == call]
    if call and not noted:
        noted = _named_in(_result(store, key, call, token), known[ID])
    timed = [
        child
        for child in children
        if (start := starts.get(child)) is not None
        and (began is None or start >= began - LEEWAY)
        and (ended is None or start <= ended + LEEWAY)
    ]
    chosen = sorted(noted or timed or children, key=lambda child: starts.get(child, 0.0))
    units = {catalog.folded(child).key: catalog.folded(child) for child in chosen[:OFFERED]}
    return store.sessions(list(units.values()), now, token)


def _result(store: Store, key: int, call: str, token: CancelToken) -> str:
    """What a call gave; empty where it gave nothing yet."""
    answers = [one.id for one in store.outlines(key, token=token) if one.tool_call_id == call]
    return "\n".join(message.text for message in store.messages(key, answers, token))


def _named_in(text: str, ids: Mapping[int, str]) -> list[int]:
    """The sessions whose ids are words of a text."""
    words = set(re.findall(r"[\w.-]+", text))
    return [key for key, id_ in ids.items() if id_ in words]


def choose_subagent(at: Widget, found: Sequence[Session], then: Callable[[Session], None]) -> None:
    """Go to the one there is, or ask which."""
    if not found:
        at.notify(NO_SUBAGENT, markup=False)
    elif len(found) == 1:
        then(found[0])
    else:
        options = [
            (session, f"{clock(session.started_at)}  {clean_line(session.name, 70)}")
            for session in found
        ]
        ask_for(at, Choice("Go to subagent", options, found[0]), then)


def choose_address(at: Widget, found: Sequence[str]) -> None:
    """Open a link in the browser, after showing it in full."""

    def offer(address: str) -> None:
        question = Question("Open this link in your browser?", clean_line(address), "Open")
        ask(at, question, lambda: _open(at, address))

    if len(found) == 1:
        offer(found[0])
    else:
        options = [(address, clean_line(address, 110)) for address in found]
        ask_for(at, Choice("Open link", options, found[0]), offer)


def _open(at: Widget, address: str) -> None:
    if address.startswith(("http://", "https://")):
        at.app.open_url(address)
