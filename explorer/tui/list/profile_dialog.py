"""The profiles that are listed together: each with its sessions and its state file, and what to do
where one cannot be read. It follows what happens to the files while it is open."""

from collections.abc import Callable, Sequence

from textual.content import Content
from textual.widgets import OptionList

from explorer.browse.profiles import NOT_READ, Owners, ProfileState, profile_states, state_lines
from explorer.browse.words import profiles_title
from explorer.cancel import CancelToken
from explorer.render.lines import Line
from explorer.stores.discover import FoundStore
from explorer.tui.dialogs.choices import OptionsDialog
from explorer.tui.list.list_controller import Lister
from explorer.tui.workers import Lanes

WIDEST = 100
"""Cells of a line."""
COLOURS = {"strong": "bold", "dim": "$dim", "error": "$error", "ok": "$success"}


class ProfileScreen(OptionsDialog[None]):
    """All of them; one can be chosen."""

    def __init__(
        self,
        lister: Lister,
        found: Callable[[], Sequence[FoundStore]],
        states: Sequence[ProfileState],
        clock: Callable[[], float],
        width: int,
        chosen: Callable[[str], None],
    ) -> None:
        """`chosen` gets the name of a profile to list alone."""
        self._chosen = chosen
        self._lister = lister
        self._found = found
        self._states = states
        self._owners = NOT_READ
        self._clock = clock
        self._width = min(width * 95 // 100 - 6, WIDEST)
        super().__init__(self._title(), "only this profile", self._made(), 0)
        self._lanes = Lanes(self)

    def on_mount(self) -> None:
        super().on_mount()
        self.set_interval(1.0, self._look)
        self.call_after_refresh(self._look)

    def on_unmount(self) -> None:
        self._lanes.stop()

    def _title(self) -> str:
        states = self._states
        sessions, files = sum(one.sessions for one in states), sum(one.files for one in states)
        return profiles_title(len(states), sessions, files)

    def _made(self) -> list[Content]:
        used = self._lister.wish.filters.profiles
        every = state_lines(self._states, used, self._width, self._clock())
        return [Content("\n").join(map(_content, lines)) for lines in every]

    def _look(self) -> None:
        """Of each session it is asked once who owns it: of 100,000 that takes 100 ms, for which the
        dialog does not wait."""
        store, catalog, found = self._lister.store, self._lister.catalog, self._found
        if store is None or catalog is None or self._lanes.busy("profiles"):
            return
        shown, before = {one.name for one in self._states}, self._owners

        def work(token: CancelToken) -> tuple[Sequence[ProfileState], Owners]:
            owners = before.renewed(store, catalog, token)
            return profile_states(store, catalog, found(), shown, owners), owners

        self._lanes.start("profiles", work, self._take)

    def _take(self, read: tuple[Sequence[ProfileState], Owners]) -> None:
        states, self._owners = read
        if states != self._states:
            names = [one.name for one in states]
            here = self._list.highlighted
            on = self._states[here].name if here is not None else ""
            self._states = states
            self._list.border_title = Content(self._title())
            for at, lines in enumerate(self._made()):
                if at < self._list.option_count:
                    self._list.replace_option_prompt_at_index(at, lines)
                else:
                    self._list.add_option(lines)
            # One that is new may have come before it.
            if on in names:
                self._list.highlighted = names.index(on)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss()
        self._chosen(self._states[event.option_index].name)


def _content(line: Line) -> Content:
    return Content.assemble(*((text, COLOURS.get(style, "")) for text, style in line))
