"""Find lost session: the places that are searched, one after the other, and what they hold.

A hit appears as soon as its place was searched. Enter goes there: to the list, to the trash, or to
a transcript or text where nothing else can be done with it.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import NamedTuple

from textual import getters
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from explorer.cancel import CancelToken
from explorer.render.clean import clean_line
from explorer.render.figures import ago
from explorer.render.lines import MATCH, restyled
from explorer.tui.dialogs.base import Closing
from explorer.tui.hints import hint
from explorer.tui.key_bindings import bindings, keymap_of
from explorer.tui.themes import style
from explorer.tui.widgets.fields import Options
from explorer.tui.widgets.indented import Indented
from explorer.tui.words import NOTHING_TO_CHOOSE
from explorer.tui.workers import Lanes
from explorer.whereabouts.lost_session import LostSession
from explorer.whereabouts.sightings import Begun, Ended, Sighting, Told, Unseen
from explorer.whereabouts.words import (
    ADD_WORDS,
    NOT_SEARCHED,
    WITHOUT_FIELDS,
    besides,
    command_for,
    ended_words,
    lost_title,
    not_found,
    owner_words,
    place_words,
    reason_words,
    unseen_words,
    without_sessions,
)

Look = Callable[[CancelToken], Iterator[Told]]


class Actions(NamedTuple):
    """What can be done with a hit."""

    verb: Callable[[Sighting], str]
    """What opening it does, for the hint."""
    open: Callable[["LostScreen", Sighting], None]
    copy: Callable[["LostScreen", str], None]


class LostScreen(Closing[None]):
    """The places, and the hits in them."""

    CSS_PATH = style("dialogs")
    BINDINGS = bindings("lost")
    SCOPE = "lost"

    shown = getters.query_one(OptionList)

    def __init__(
        self, begin: Callable[[], tuple[LostSession, Look]], actions: Actions, now: float
    ) -> None:
        """`begin` gives the search, and a new one when something was restored."""
        super().__init__()
        self.search, self._look = begin()
        self.lanes = Lanes(self)
        self._begin = begin
        self._actions = actions
        self._now = now
        self._rows: list[Sighting | None] = []
        """What each row stands for; None for words that cannot be chosen."""
        self._place = ""
        self._ended: list[Ended] = []
        self._unseen: list[Unseen] = []
        self._was_on = ""
        """The id that the cursor was on before the search was begun again."""

    def compose(self) -> ComposeResult:
        yield Options(id="lost")

    def on_mount(self) -> None:
        self.set_focus(self.shown)
        self._start()

    def search_again(self) -> None:
        """What was found has changed: it may be somewhere else now."""
        on = self._chosen()
        self._was_on = on.id if on is not None else ""
        self.search, self._look = self._begin()
        self._place = ""
        self._rows, self._ended, self._unseen = [], [], []
        self.shown.clear_options()
        self._start()

    def _start(self) -> None:
        self._say_title(searching=True)
        self._say_keys()

        def work(token: CancelToken) -> None:
            for told in self._look(token):
                self.lanes.tell(token, partial(self._take, told))

        self.lanes.start("lost", work, lambda _: self._end())

    def on_unmount(self) -> None:
        self.lanes.stop()

    @property
    def _found(self) -> int:
        return sum(row is not None for row in self._rows)

    @property
    def _failed(self) -> list[Ended]:
        return [one for one in self._ended if not one.searched]

    def _take(self, told: Told) -> None:
        match told:
            case Begun():
                self._place = place_words(told.place)
                self._say_title(searching=True)
            case Sighting():
                self._add_sighting(told)
            case Ended():
                self._ended.append(told)
                if told.found and (more := " · ".join(besides(told, ADD_WORDS))):
                    self._add(None, Content.assemble((f"  {more}", "$dim")))
            case Unseen():
                self._unseen.append(told)

    def _add_sighting(self, found: Sighting) -> None:
        before = next((row for row in reversed(self._rows) if row is not None), None)
        if before is None or before.place != found.place:
            self._add(None, Content.assemble((place_words(found.place), "bold $accent")))
        self._add(found, _lines(found, self._now))
        if self.shown.highlighted is None or found.id == self._was_on:
            self.shown.highlighted = len(self._rows) - 1
            self._was_on = "" if found.id == self._was_on else self._was_on
        self._say_keys()

    def _add(self, found: Sighting | None, line: Content, heading: bool = True) -> None:
        """A hit, a heading that the cursor passes over, or other words, which it goes to: they
        could not be scrolled to with a key otherwise."""
        self._rows.append(found)
        self.shown.add_option(Option(Indented(line), disabled=found is None and heading))

    def _end(self) -> None:
        """All places were searched: what was not found, and what was not searched."""
        missed = [f"{place_words(one.place)}: {ended_words(one)}" for one in self._failed]
        missed += map(unseen_words, self._unseen)
        if not self._found:
            self._add(None, Content(not_found(len(missed))))
        for heading, lines in without_sessions(self._ended):
            self._add_words(heading, lines)
        if missed:
            self._add_words(NOT_SEARCHED, missed)
        if self.search.wanted.dropped:
            self._add(None, Content.assemble((WITHOUT_FIELDS, "$dim")))
        self._say_title(searching=False)

    def _add_words(self, heading: str, lines: Iterable[str]) -> None:
        self._add(None, Content.assemble((heading, "bold $accent")))
        for line in lines:
            self._add(None, Content(f"  {line}"), heading=False)

    def _say_title(self, searching: bool) -> None:
        text, places = self.search.wanted.text, len(self._ended) - len(self._failed)
        found = sum(one.found + one.more for one in self._ended)
        missed = len(self._failed) + len(self._unseen)
        said = lost_title(text, self._place if searching else "", found, places, missed)
        self.shown.border_title = Content(said)

    def _say_keys(self) -> None:
        found, labels = self._chosen(), {"option-take": "", "lost-copy": ""}
        if found is not None:
            labels = {"option-take": self._actions.verb(found)}
        self.shown.border_subtitle = Content(keymap_of(self.app).hint("lost", labels))

    def on_option_list_option_highlighted(self) -> None:
        self._say_keys()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        found = self._chosen()
        if found is not None:
            self._actions.open(self, found)
        else:
            hint(self, NOTHING_TO_CHOOSE)

    def _chosen(self) -> Sighting | None:
        at = self.shown.highlighted
        return None if at is None or at >= len(self._rows) else self._rows[at]

    def action_copy(self) -> None:
        found = self._chosen()
        if found is None:
            hint(self, NOTHING_TO_CHOOSE)
            return
        file = self.search.state_file(found.place.path)
        self._actions.copy(self, command_for(found, file, self.search.wanted.text))


def _lines(found: Sighting, now: float) -> Content:
    """A hit in three lines: what it is called, the words, and why the list does not show it."""
    active = ago(found.last_active, now) if found.last_active else ""
    facts = [owner_words(found), clean_line(found.source, 30), active]
    about = "  ".join(filter(None, facts))
    marked = restyled(((found.snippet, "text"),), [(*mark, MATCH) for mark in found.marks])
    snippet = [
        (clean_line(f"|{text}|")[1:-1], "$accent" if kind == MATCH else "$dim")
        for text, kind in marked
    ]
    return Content.assemble(
        f"  {clean_line(found.called, 120)}",
        (f"  {about}", "$dim"),
        "\n    ",
        *(snippet if found.field != "id" else [(clean_line(found.id, 100), "$dim")]),
        "\n    ",
        (reason_words(found), "$warning" if found.reasons else "$success"),
    )
