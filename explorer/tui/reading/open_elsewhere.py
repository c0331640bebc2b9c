"""Another look at the session under the cursor: what is known of it, or all of it in the user's
own editor or pager."""

import os
from typing import NamedTuple

from textual.screen import Screen

from explorer.cancel import CancelToken
from explorer.errors import ExplorerError
from explorer.export import MARKDOWN, PrivateCopy, session_lines
from explorer.external_programs import Program, command_of, run
from explorer.model import Session
from explorer.render.figures import plural
from explorer.stores.base import Details, Section, Store
from explorer.stores.catalog import Catalog, Unit
from explorer.stores.fates import clean_up_rows
from explorer.stores.resolve import read_conversation
from explorer.tui.suspend import in_the_terminal
from explorer.tui.toast import say
from explorer.tui.workers import Lanes

MANY = 3000
"""Messages that take a moment to write: 35,000 took three seconds."""


class ChosenSession(NamedTuple):
    """A session, for a thread to find out what hangs together with it."""

    store: Store
    catalog: Catalog | None
    session: Session
    alone: bool
    """Only this part of its conversation."""
    now: float = 0.0

    def unit(self, token: CancelToken) -> Unit:
        return self._placed(token)[1]

    def details(self, token: CancelToken) -> Details:
        """Everything the file says of it, and what its agent is going to do to it."""
        catalog, unit = self._placed(token)
        found = self.store.details(unit, token)
        if not catalog.has(unit.key):
            return found
        fates = self.store.fates(catalog, unit.parts, token=token)
        told = clean_up_rows(fates, unit.parts, not catalog.pinned.isdisjoint(unit.parts), self.now)
        more = (Section("Clean-up", told),) if told else ()
        return found._replace(sections=(*found.sections[:1], *more, *found.sections[1:]))

    def _placed(self, token: CancelToken) -> tuple[Catalog, Unit]:
        """The first page is listed before it is known which sessions hang together: who is so
        quick waits for that."""
        catalog = self.store.catalog(token) if self.catalog is None else self.catalog
        key = self.session.key
        if not catalog.has(key):
            return catalog, Unit(key, (key,), self.session.kind)
        return catalog, catalog.single(key) if self.alone else catalog.folded(key)


class SessionViews:
    """Reads in a thread, and shows what comes."""

    def __init__(self, screen: Screen[None], lanes: Lanes, at: ChosenSession | None) -> None:
        self._screen = screen
        self._lanes = lanes
        self._at = at

    def details(self) -> None:
        """Everything the file says of it, but for its messages."""
        at = self._at
        if at is not None:
            name = at.session.name
            self._lanes.start("details", at.details, lambda found: self._show(found, name))

    def read_in(self, program: Program) -> None:
        """Its text as Markdown, in another program; the copy is gone when that ends."""
        at = self._at
        if at is None:
            return
        try:
            command = command_of(program, os.environ)
        except ExplorerError as error:
            say(self._screen, error)
            return

        def work(token: CancelToken) -> PrivateCopy:
            parts = at.unit(token).parts
            messages = read_conversation(at.store, parts, everything=False, token=token)
            copy = PrivateCopy(at.session.id)
            copy.write(session_lines(at.session, messages, MARKDOWN), token)
            return copy

        if at.session.message_count > MANY:
            words = f"Writing {plural(at.session.message_count, 'message')} …"
            self._screen.notify(words, markup=False)
        self._lanes.start("copy", work, lambda copy: self._read_copy(copy, command, program))

    def _read_copy(self, copy: PrivateCopy, command: tuple[str, ...], program: Program) -> None:
        def read() -> int:
            # Gone before the terminal is taken back, which may be gone itself by then.
            try:
                return run(command, copy.path)
            finally:
                copy.remove()

        try:
            code = in_the_terminal(self._screen.app, read)
        except ExplorerError as error:
            copy.remove()
            say(self._screen, error)
            return
        if code:
            words = f"{command[0]} ended with code {code}."
            say(self._screen, ExplorerError(f"Back from the {program}", words))

    def _show(self, found: Details, name: str) -> None:
        # Late, as all dialogs: together they take 10 ms from the first frame.
        from explorer.tui.reading.details_screen import DetailsScreen

        self._screen.app.push_screen(DetailsScreen(found, name))
