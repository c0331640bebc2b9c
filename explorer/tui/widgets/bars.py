"""The one-line bars: the file at the top, the keys at the bottom."""

from collections.abc import Mapping
from dataclasses import dataclass

from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from explorer.keys.actions import BY_ID, KeyAction
from explorer.keys.keymap import FooterKey
from explorer.render.clean import cell_width, fit, fit_end
from explorer.tui.key_bindings import keymap_of

NAME = " Session Explorer  "
"""Left out where the file and its state need the space."""
STEPS = ("next-match", "previous-match")
FILE_CELLS = 12
"""So much of the file name is shown before anything else."""


class TopBar(Widget):
    """The name of the app, the file, and its state."""

    purpose = reactive("", layout=False)
    """What enter is for, where that is not to read; shown in place of the name."""
    file = reactive("", layout=False)
    """Clean text: where the state file is."""
    profiles = reactive("", layout=False)
    """Clean text: how many profiles there are, and how many cannot be read, which matters more than
    the name of the app."""
    facts = reactive("", layout=False)
    """Clean text: counts and size."""
    state = reactive("", layout=False)
    """Clean text: the state of the file."""
    warning: reactive[tuple[str, ...]] = reactive((), layout=False)
    """Clean text: what is about to happen to sessions, the longest form first."""

    def render(self) -> Content:
        width = self.size.width
        state = f"  {self.state} " if self.state else ""
        profiles = f" {self.profiles} ·" if self.profiles else ""
        rest = width - cell_width(state) - min(cell_width(self.file), FILE_CELLS)
        rest -= cell_width(profiles) + 2 if profiles else 0
        name = f" {self.purpose}  " if self.purpose else NAME
        name = name if cell_width(name) <= rest else " "
        room = width - cell_width(name) - cell_width(state) - cell_width(profiles)
        left = f" {self.facts}" if self.facts else ""
        warning, left = self._beside(room, left)
        room -= cell_width(warning)
        while cell_width(left) > room - FILE_CELLS - 2 and left:
            # No number is cut off.
            left = left.rpartition(" · ")[0]
        cut = fit_end if "/" in self.file else fit
        shown = cut(self.file, max(room - cell_width(left) - 2, min(room, FILE_CELLS)))
        room += cell_width(profiles)
        # A lone ellipsis names no file.
        beside = f"{profiles}{left}".rstrip(" ·")
        said = f"{shown}  {beside}" if cell_width(shown) > 1 else beside.lstrip()
        middle = fit(said.rstrip(), max(room, 0))
        gap = " " * max(room - cell_width(middle), 0)
        return Content.assemble(
            (name, "bold $accent"), middle, gap, (warning, "bold $error"), (state, "$warning")
        )

    def on_click(self) -> None:
        """The profiles, where there are several."""
        if self.profiles:
            self.post_message(KeyBar.Pressed(BY_ID["profiles"]))

    def _beside(self, room: int, facts: str) -> tuple[str, str]:
        """(the warning, the facts), as much of them as there is room for beside the file: the
        longest form of the warning beside the facts, a shorter one in their place."""
        if not self.warning:
            return "", facts
        room -= FILE_CELLS + 2
        longest, *shorter = (f"  {form} " for form in self.warning)
        if cell_width(longest) + cell_width(facts) <= room:
            return longest, facts
        for form in shorter:
            if cell_width(form) <= room:
                fits = cell_width(form) + cell_width(facts) <= room
                return form, facts if fits else ""
        return "", facts


class KeyBar(Widget):
    """The keys of what has the focus, as many as fit."""

    scope = reactive("list", layout=False)
    offers: reactive[tuple[str, ...]] = reactive((), layout=False)
    """Clean text: what could be typed next; the first one is what the key puts in."""
    matches = reactive(False, layout=False)
    """Whether the keys that step through matches have any."""
    refused: reactive[frozenset[str]] = reactive(frozenset(), layout=False)
    """Actions that the file does not allow: their keys only say why."""

    labels: reactive[Mapping[str, str]] = reactive({}, layout=False)
    """Other words for some actions, by their ids; an empty one leaves the action out."""

    @dataclass
    class Pressed(Message):
        """A key was clicked: do what it does."""

        action: KeyAction

    def render(self) -> Content:
        parts: list[tuple[str, str]] = []
        if self._completes:
            first, *others = self.offers
            key = keymap_of(self.app).key("search-complete")
            rest = "   ".join(["", *others])
            return Content.assemble((f" {key} ", "bold $accent"), (first, "bold"), (rest, "$dim"))
        for key, label, _ in self._keys():
            parts += [(f" {key} ", "bold $accent"), (f"{label} ", "$dim")]
        return Content.assemble(*parts)

    def on_click(self, event: Click) -> None:
        if self._completes:
            self.post_message(self.Pressed(BY_ID["search-complete"]))
            return
        end = 0
        for key, label, action in self._keys():
            end += len(key) + len(label) + 3
            if event.x < end:
                self.post_message(self.Pressed(action))
                return

    @property
    def _completes(self) -> bool:
        return bool(self.offers) and self.scope == "search"

    def _keys(self) -> list[FooterKey]:
        idle = dict.fromkeys(self.refused.union(() if self.matches else STEPS), "")
        return keymap_of(self.app).footer(self.scope, self.size.width, {**self.labels, **idle})
