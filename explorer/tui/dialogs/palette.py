"""The command palette, which closes once and runs what was chosen once.

Textual's own closes with every enter and click that reaches it, also with those that were on their
way when it had closed: the second one would close the screen below, or raise.
"""

from inspect import unwrap

from textual import on, work
from textual.app import ComposeResult
from textual.command import (
    CommandInput,
    CommandList,
    CommandPalette,
    DiscoveryHit,
    Hit,
    Hits,
    Provider,
    SearchIcon,
)
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.css.query import NoMatches
from textual.events import Click
from textual.message import Message
from textual.widgets import Button, Input, LoadingIndicator, OptionList

from explorer.keys.actions import ACTIONS
from explorer.tui.dialogs.base import Closing
from explorer.tui.widgets.fields import SteadyList

IN_TITLE, IN_SYNONYMS = 2000.0, 1000.0
"""Scores for beginnings of words, against letters that are found anywhere in a title."""
SYNONYMS = {action.title: action.synonyms for action in ACTIONS if action.synonyms}


class ActionFinder(Provider):
    """The app's commands, found by their titles and by the words that people try for them."""

    async def discover(self) -> Hits:
        for title, about, call, _ in self.app.get_system_commands(self.screen):
            yield DiscoveryHit(title, call, help=about)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for title, about, call, _ in self.app.get_system_commands(self.screen):
            alike = matcher.match(title)
            score = alike + IN_TITLE * _begun(query, title)
            score += IN_SYNONYMS * _begun(query, " ".join((title, SYNONYMS.get(title, ""))))
            if score > 0:
                shown = matcher.highlight(title) if alike else Content(title)
                yield Hit(score, shown, call, help=about)


def _begun(query: str, words: str) -> bool:
    """Whether all that was typed begins some of the words."""
    known = words.lower().split()
    return all(any(word.startswith(part) for word in known) for part in query.lower().split())


_gather = unwrap(CommandPalette._gather_commands)
"""Textual's search for commands, without what makes a worker of it."""


class Commands(CommandList, SteadyList, can_focus=False):
    """The list of commands."""


class Palette(CommandPalette, Closing[None]):
    """All commands."""

    def compose(self) -> ComposeResult:
        """As Textual's, with a list that survives clicks."""
        with Vertical(id="--container"):
            with Horizontal(id="--input"):
                yield SearchIcon()
                yield CommandInput(placeholder="Search commands …", select_on_focus=False)
            with Vertical(id="--results"):
                yield Commands()
                yield LoadingIndicator()

    @work(exclusive=True, group=CommandPalette._GATHER_COMMANDS_GROUP)
    async def _gather_commands(self, search_value: str) -> None:
        """As Textual's, which raises where the palette, or the app, was closed before it began."""
        try:
            await _gather(self, search_value)
        except NoMatches:
            if self.query(CommandList):
                raise

    @on(Input.Submitted)
    @on(Input.Changed)
    @on(Button.Pressed)
    @on(OptionList.OptionSelected)
    def _only_while_open(self, event: Message) -> None:
        """Drop what comes after it has closed. Ours is asked before Textual's."""
        if not self.is_active:
            event.stop()
            event.prevent_default()

    def _on_click(self, event: Click) -> None:  # type: ignore[override]
        """A click beside the list closes it."""
        # Textual's would look for a widget there, and raise where there is none any more.
        event.prevent_default()
        if self.is_active and event.widget is self:
            self._action_escape()

    def _action_escape(self) -> None:
        if self.is_active:
            super()._action_escape()
