"""What the transcript shows: reads a session when the cursor comes to it, and more of it when
the transcript asks. A session that is opened again is where the reader left it."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from textual.content import Content

from explorer.browse.refresh import Renewed
from explorer.browse.words import profile_of, profile_remedy
from explorer.cancel import CancelToken
from explorer.errors import ExplorerError, StoreError
from explorer.model import Session
from explorer.render.blocks import Level, View
from explorer.render.clean import clean_line
from explorer.stores.base import Store
from explorer.stores.catalog import Catalog, Unit
from explorer.transcript.document import LaidMessage
from explorer.transcript.layout import ConversationOutline, beginning, lay_out, outline
from explorer.tui.key_bindings import keymap_of
from explorer.tui.reading.document_view import Position
from explorer.tui.reading.transcript_view import Transcript
from explorer.tui.words import (
    CANNOT_READ,
    NO_MESSAGES,
    READING_SESSION,
    MatchWords,
    reading_place,
    reading_title,
)
from explorer.tui.workers import Lanes

if TYPE_CHECKING:
    from explorer.search.matcher import Matcher
    from explorer.transcript.find import Match

AT_FIRST = 40
"""Messages laid out together with the outline, so that text appears at once."""
LANES = ("reader", "items", "hit", "error", "find", "link")
"""What is searched for in the session that is being read, also by others: cancelled when another
one is read."""
FRAME = 6
"""Cells of a border beside what is written in it."""
REMEMBERED = 200
"""Sessions whose place and folds are kept."""


class Reading(NamedTuple):
    """What is read, and how much of it."""

    session: Session
    alone: bool = False
    """Only this part of its conversation."""
    everything: bool = False
    """Also what was rewound, what is repeated, and what is for the model alone."""
    before: int | None = None
    """How many messages there were before everything was asked for, if that is known."""
    nothing: Callable[[], object] = lambda: None
    """What to do if there are no more than that."""

    @property
    def name(self) -> tuple[int, bool]:
        return self.session.key, self.alone


class TranscriptController:
    """Joins the store and the transcript."""

    def __init__(self, transcript: Transcript, lanes: Lanes) -> None:
        self._transcript = transcript
        self._lanes = lanes
        self.store: Store | None = None
        self.catalog: Catalog | None = None
        self.outlined: ConversationOutline | None = None
        self._reading: Reading | None = None
        self._goal: tuple[int, Matcher] | None = None
        """A message to go to when the session is there."""
        self._led: Callable[[Match], None] = transcript.go_to
        """What is done then."""
        self._place: tuple[int, Level | None] = (0, None)
        self._match = MatchWords()
        self._from: list[Reading] = []
        """Where links were followed from."""
        self._left: dict[tuple[int, bool], Position] = {}
        self._unreadable = ""
        """Why the session cannot be read now."""

    @property
    def session(self) -> Session | None:
        """What is being read, or about to be."""
        return self._reading.session if self._reading else None

    @property
    def alone(self) -> bool:
        """Only one part of its conversation is being read."""
        return self._reading is not None and self._reading.alone

    @property
    def followed(self) -> bool:
        """It was opened from a link."""
        return bool(self._from)

    @property
    def waits(self) -> bool:
        """What is to be read is not there; what is visible may be the session before."""
        return self._reading is not None and self.outlined is None

    @property
    def is_old(self) -> bool:
        """What is visible is still the session before."""
        return self.waits and not self._unreadable

    @property
    def why_not(self) -> str:
        """Why nothing can be done with the session, where it is not there."""
        return self._unreadable or READING_SESSION

    def open(self, store: Store) -> None:
        """Another file: forget what was read of the one before."""
        self._drop()
        self.store = store
        self.outlined = self._reading = None
        self._left.clear()
        self._from.clear()

    def reads(self, session: Session, alone: bool) -> bool:
        """Whether this is being read already, also if it has been continued since, or if a link in
        it was followed: a new list leaves the reader there."""
        reading, catalog = self._from[0] if self._from else self._reading, self.catalog
        if reading is None or reading.alone != alone:
            return False
        key = reading.session.key
        known = not alone and catalog is not None and catalog.has(key)
        return session.key in (catalog.chain(key) if catalog and known else (key,))

    def read(self, session: Session, catalog: Catalog | None, alone: bool = False) -> None:
        """Show a session: the whole conversation, of which the catalog knows the parts, or it
        alone."""
        self.catalog = catalog
        self._from.clear()
        self._begin(Reading(session, alone))

    def lead_to(self, message: int, matcher: "Matcher", led: "Callable[[Match], None]") -> None:
        """Find where a message that a search found matches, as soon as it can be: `led` gets that
        and goes there."""
        self._goal, self._led = (message, matcher), led
        if self.outlined is not None:
            self._seek()

    def _seek(self) -> None:
        store, outlined, goal = self.store, self.outlined, self._goal
        if store is None or outlined is None or goal is None:
            return
        if not outlined.complete and outlined.item_of(goal[0]) is None:
            # Further down than has been read: when all of it has.
            return
        # Late: only a search needs it.
        from explorer.transcript.find import first_match

        self._goal = None
        self._lanes.start(
            "hit",
            lambda token: first_match(store, outlined, *goal, token),
            lambda match: self._led(match) if match else None,
        )

    def follow(self, session: Session) -> None:
        """Show a session that a link leads to."""
        if self._reading is not None:
            self._from.append(self._reading)
        self._begin(Reading(session))

    def back(self) -> bool:
        """Return from a link; False where none was followed."""
        if not self._from:
            return False
        self._begin(self._from.pop())
        return True

    def toggle_part(self) -> bool:
        """The whole conversation, or only the part that is being read; False where it has only
        one."""
        catalog, reading, position = self.catalog, self._reading, self._transcript.position()
        if catalog is None or reading is None or not catalog.has(reading.session.key):
            return False
        chain = catalog.chain(reading.session.key)
        if len(chain) < 2:
            return False
        at = self._transcript.session_key() or reading.session.key
        self._remember()
        alone = not reading.alone
        self._left[at if alone else chain[-1], alone] = position
        store, unit = self.store, catalog.single(at) if alone else catalog.folded(at)
        if store is not None:
            self._lanes.start(
                "reader",
                lambda token: store.sessions([unit], 0.0, token),
                lambda found: self._begin(Reading(found[0], alone)) if found else None,
            )
        return True

    def toggle_everything(self, nothing: Callable[[], object]) -> None:
        """With what was rewound, repeated and hidden, or without; `nothing` is called where that
        makes no difference."""
        reading, outlined = self._reading, self.outlined
        if reading is None:
            return
        known = outlined is not None and outlined.complete and not reading.everything
        before = len(outlined.outlines) if outlined is not None and known else None
        everything = not reading.everything
        self._begin(reading._replace(everything=everything, before=before, nothing=nothing))

    def _compare(self, outlined: ConversationOutline) -> None:
        """Say it where showing everything has shown nothing more."""
        reading = self._reading
        if reading is None or reading.before is None or not outlined.complete:
            return
        is_same = len(outlined.outlines) == reading.before
        everything = reading.everything and not is_same
        self._reading = reading._replace(everything=everything, before=None)
        if is_same:
            reading.nothing()

    def _drop(self) -> None:
        """Cancel what is on its way for the session before: this one may not have its messages."""
        for lane in LANES:
            self._lanes.cancel(lane)

    def _begin(self, reading: Reading) -> None:
        self._drop()
        self._remember()
        self._reading, self.outlined, self._unreadable = reading, None, ""
        unit = self._unit(reading)
        if self.store is None or unit is None:
            return
        store, position = self.store, self._left.get(reading.name, Position())
        view = self._transcript.view()._replace(model=reading.session.model, folds=position.folds)

        def work(token: CancelToken) -> tuple[ConversationOutline, dict[int, LaidMessage], View]:
            session, at, all_of_it = reading.session, position.message, reading.everything
            outlined = beginning(store, session, unit, all_of_it, at, token)
            first = outlined.item_of(at) or 0
            items = range(first, min(first + AT_FIRST, len(outlined.outlines)))
            return outlined, lay_out(store, outlined, items, view, token), view

        self._lanes.start("reader", work, lambda read: self._show(*read, position), self._refused)

    def _refused(self, error: ExplorerError) -> None:
        """It cannot be read now, which the pane says until it can: what was there before is of
        another session."""
        if isinstance(error, StoreError) and (reading := self._reading) is not None:
            self.say_unreadable(error)
            self._reading = reading
            self.say_title(reading.session)
        self._lanes.refused(error)

    def say_unreadable(self, error: StoreError) -> None:
        """A session of which not even the row could be read."""
        self.forget()
        self._unreadable = f"{CANNOT_READ}. {clean_line(error.title)}. {profile_remedy(error)}"
        self._transcript.note = self._unreadable

    def _unit(self, reading: Reading) -> Unit | None:
        """The parts to read; None while they are not known."""
        key, catalog = reading.session.key, self.catalog
        if not reading.alone and catalog is not None and catalog.has(key):
            return catalog.folded(key)
        one = reading.alone or reading.session.parts == 1
        return Unit(key, (key,), reading.session.kind) if one else None

    def _remember(self) -> None:
        if self._reading is None or self.outlined is None:
            return
        self._left.pop(self._reading.name, None)
        self._left[self._reading.name] = self._transcript.position()
        while len(self._left) > REMEMBERED:
            self._left.pop(next(iter(self._left)))

    def renew(self, renewed: Renewed) -> None:
        """The file has changed: add what is new to the session that is being read."""
        catalog = self.catalog = renewed.catalog
        reading, outlined = self._reading, self.outlined
        if reading is None or not catalog.has(reading.session.key):
            return
        unit = self._unit(reading)
        untouched = unit and not renewed.may_touch(unit.parts, reading.session.place)
        if untouched and (outlined is None or outlined.complete):
            return
        if outlined is None:
            # It is being opened in its old state.
            self._lanes.put_off("reader", self._read_on_again)
        else:
            self._read_on(outlined)

    def _read_on(self, outlined: ConversationOutline) -> None:
        """Outline the whole session that is being read, unless it is another one by now."""
        reading, store = self._reading, self.store
        unit = self._unit(reading) if reading else None
        if reading is None or store is None or unit is None or self.outlined is not outlined:
            return
        if self._lanes.put_off("reader", self._read_on_again):
            return
        self._lanes.start(
            "reader",
            lambda token: outline(store, reading.session, unit, reading.everything, token),
            self._extend,
        )

    def _read_on_again(self) -> None:
        if self.outlined is not None:
            self._read_on(self.outlined)

    def _extend(self, outlined: ConversationOutline) -> None:
        self.outlined = outlined
        self._compare(outlined)
        self._transcript.extend(outlined)
        self._seek()

    def catalogued(self, catalog: Catalog | None) -> None:
        """The parts of conversations are known: read on what had to wait for them."""
        self.catalog = catalog
        if self._reading and self.outlined is None:
            self._begin(self._reading)

    def read_items(self, event: Transcript.ItemsWanted) -> None:
        if self.store is None or self.outlined is None:
            return
        store, outlined, items, view = self.store, self.outlined, event.items, event.view

        def add(laid: dict[int, LaidMessage]) -> None:
            if outlined is self.outlined:
                self._transcript.add(laid, view)

        self._lanes.start(
            "items", lambda token: lay_out(store, outlined, items, view, token, event.known), add
        )

    def say_where(self, item: int, level: Level | None) -> None:
        """Which message is at the top, in the lower border; what we added does not count."""
        if self.outlined is None or not self.outlined.outlines:
            self._transcript.border_subtitle = None
            return
        self._place = item, level
        at = max(self.outlined.messages_before(item + 1), 1)
        messages = self.outlined.messages if self.outlined.complete else None
        everything = self._reading is not None and self._reading.everything
        place = reading_place(at, messages, level or "", everything)
        words = self._match.beside(place, self._transcript.outer_size.width - FRAME)
        self._transcript.border_subtitle = Content(words)

    def say_match(self, words: MatchWords) -> None:
        """Which match of a search this is, in the lower border."""
        if words != self._match:
            self._match = words
            self.say_where(*self._place)

    def say_title(self, session: Session) -> None:
        """Its current title, in the upper border."""
        back = keymap_of(self._transcript.app).key("back-from-subagent") if self._from else ""
        words = reading_title(clean_line(session.name, 200), self.alone, back, profile_of(session))
        self._transcript.border_title = Content(words)

    def forget(self) -> None:
        """No session: an empty pane."""
        self._drop()
        self._remember()
        self._reading = self.outlined = None
        self._unreadable = self._transcript.note = ""
        self._transcript.remove_class("-old")
        self._transcript.border_title = self._transcript.border_subtitle = None
        self._transcript.clear()

    def _show(
        self,
        outlined: ConversationOutline,
        laid: dict[int, LaidMessage],
        view: View,
        position: Position,
    ) -> None:
        self.outlined = outlined
        self._compare(outlined)
        self._transcript.remove_class("-old")
        self._transcript.note = NO_MESSAGES
        self.say_title(outlined.session)
        self._transcript.show(outlined, laid, view, position)
        self._seek()
        if not outlined.complete:
            # Not before the text is painted: the two would share one processor.
            self._transcript.call_after_refresh(self._read_on, outlined)
