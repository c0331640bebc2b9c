"""A session outside the transcript: its details, or its text in the user's own editor or pager."""

import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from textual.app import ComposeResult
from textual.content import Content
from textual.events import Resize
from textual.geometry import Size
from textual.screen import Screen
from textual.strip import Strip

from explorer.cancel import CancelToken
from explorer.errors import ExplorerError
from explorer.export import MARKDOWN, PrivateCopy, session_lines
from explorer.external_programs import Program, command_of, run
from explorer.model import Session
from explorer.render.clean import clean_line
from explorer.render.figures import plural
from explorer.render.lines import Line
from explorer.stores.base import Details, Section, Store
from explorer.stores.catalog import Catalog, Unit
from explorer.stores.fates import clean_up_rows
from explorer.stores.resolve import conversation_provenance, read_conversation
from explorer.transcript.detail_lines import detail_lines
from explorer.tui.dialogs.base import Dialog
from explorer.tui.key_bindings import bindings, keymap_of
from explorer.tui.reading.block_screen import copy
from explorer.tui.suspend import run_command
from explorer.tui.widgets.painted import ReadingView
from explorer.tui.words import exited
from explorer.tui.workers import Lanes, say

MARGIN = 1
"""Free cells on both sides."""
MANY = 3000
"""Messages that take a moment to write: 35,000 took three seconds."""


class DetailsView(ReadingView):
    """The sections, as tall as they are."""

    BINDINGS = bindings("scroll")

    def __init__(self, details: Details) -> None:
        super().__init__(id="details")
        self._details = details
        self._lines: Sequence[Line] = ()
        self._laid_out_for = 0

    def on_resize(self, event: Resize) -> None:
        if self.line_width == self._laid_out_for:
            return
        self._laid_out_for = self.line_width
        self._lines = detail_lines(self._details, max(self.line_width - 2 * MARGIN, 1))
        self.virtual_size = Size(self.line_width, len(self._lines))
        self.styles.height = len(self._lines) + self.gutter.height

    def render_line(self, y: int) -> Strip:
        number = y + self.scroll_offset.y
        line = self._lines[number] if number < len(self._lines) else ()
        return self.strip(((" " * MARGIN, "text"), *line), self.line_width)


class DetailsScreen(Dialog[None]):
    """Read, scrolled, closed again; `y` copies the id."""

    BINDINGS = bindings("details")
    SCOPE = "details"

    def __init__(self, details: Details, name: str) -> None:
        """`name` is what the list calls the session."""
        super().__init__()
        self._details = details
        self._name_in_list = name

    def compose(self) -> ComposeResult:
        view = DetailsView(self._details)
        name = clean_line(self._details.title or self._name_in_list, 60)
        view.border_title = Content(f"Details · {name}")
        view.border_subtitle = Content(keymap_of(self.app).hint("details"))
        yield view

    def action_copy(self) -> None:
        copy(self, self._details.id, "session id")


class ChosenSession(NamedTuple):
    """A session, for a thread to find out what is related to it."""

    store: Store
    catalog: Catalog | None
    session: Session
    alone: bool
    """Only this part of its conversation."""
    now: float

    def show_details(self, screen: Screen[None], lanes: Lanes) -> None:
        """Everything the file says about it, except its messages."""

        def show(found: Details) -> None:
            screen.app.push_screen(DetailsScreen(found, self.session.name))

        lanes.start("details", self._details, show)

    def _details(self, token: CancelToken) -> Details:
        """Everything the file says about it, and what its agent will do to it."""
        catalog, unit = self._placed(token)
        found = self.store.details(unit, token)
        if self.session.place:
            profile = tuple(self._profile())
            first, *rest = found.sections
            # What is said here is not said again below.
            below = (
                one._replace(rows=tuple(row for row in one.rows if row not in profile))
                for one in rest
            )
            first = first._replace(rows=(*first.rows, *profile))
            found = found._replace(sections=(first, *(one for one in below if one.rows)))
        if not catalog.has(unit.key):
            return found
        fates = self.store.fates(catalog, unit.parts, token=token)
        told = clean_up_rows(fates, unit.parts, not catalog.pinned.isdisjoint(unit.parts), self.now)
        more = (Section("Clean-up", told),) if told else ()
        return found._replace(sections=(*found.sections[:1], *more, *found.sections[1:]))

    def _profile(self) -> Iterator[tuple[str, str]]:
        """Of which of several profiles it is. The file is among the files."""
        session = self.session
        yield "Profile", session.place
        if session.owner and session.owner not in (session.profile, session.place):
            yield "Owner", session.owner

    def _placed(self, token: CancelToken) -> tuple[Catalog, Unit]:
        """Its parts. The first page is listed before they are known: then this waits for them."""
        catalog = self.store.catalog(token) if self.catalog is None else self.catalog
        key = self.session.key
        if not catalog.has(key):
            return catalog, Unit(key, (key,), self.session.kind)
        return catalog, catalog.single(key) if self.alone else catalog.folded(key)

    def read_in(self, program: Program, screen: Screen[None], lanes: Lanes) -> None:
        """Its text as Markdown, in another program; the copy is gone when that ends."""
        session = self.session
        try:
            command = command_of(program, os.environ)
        except ExplorerError as error:
            say(screen, error)
            return

        def work(token: CancelToken) -> PrivateCopy:
            _, unit = self._placed(token)
            messages = read_conversation(self.store, unit.parts, everything=False, token=token)
            provenance = conversation_provenance(
                self.store, unit.parts, everything=False, token=token
            )
            copy = PrivateCopy(session.id)
            prompt = self.store.system_prompt(unit.key, token)
            copy.write(session_lines(session, messages, MARKDOWN, provenance, prompt), token)
            return copy

        if session.message_count > MANY:
            words = f"Writing {plural(session.message_count, 'message')} …"
            screen.notify(words, markup=False)
        lanes.start("copy", work, lambda copy: _read_copy(screen, copy, command, program))


def _read_copy(
    screen: Screen[None], copy: PrivateCopy, command: tuple[str, ...], program: Program
) -> None:
    def read() -> int:
        # Removed before the app has its terminal back, which may be gone by then.
        try:
            return run(command, copy.path)
        finally:
            copy.remove()

    code = run_command(screen, read)
    if code is None:
        copy.remove()
    elif code:
        say(screen, ExplorerError(f"The {program} failed", exited(command[0], code)))
