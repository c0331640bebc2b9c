"""Chats: who talks to the agent through its gateway, which session is going on there, and what
happens to it next. It follows the state files and `sessions.json` while it is open."""

from collections.abc import Callable

from textual import getters
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from explorer.browse.chats import (
    NO_CHATS,
    ChatList,
    ChatSort,
    ChatWish,
    ChosenChat,
    choose,
    chosen,
    facts,
    flags,
    next_words,
    read_chats,
    same_chat,
    session_words,
    unknown_platforms,
    wish_of,
)
from explorer.browse.words import chats_title, no_chat_matches, no_such_platform
from explorer.cancel import CancelToken
from explorer.render.clean import clean_line
from explorer.stores.base import Store
from explorer.stores.chats import Chat, RouteTarget
from explorer.tui.dialogs.base import Closing, ask_for
from explorer.tui.dialogs.prompt import Prompt
from explorer.tui.hints import hint
from explorer.tui.key_bindings import bindings, keymap_of
from explorer.tui.reading.block_screen import copy
from explorer.tui.themes import style
from explorer.tui.widgets.fields import Options
from explorer.tui.words import CHAT_FILTER, CHAT_FILTER_HINT, NO_TITLE_TO_COPY, NOTHING_TO_CHOOSE
from explorer.tui.workers import Lanes

EVERY = 2.0
"""Seconds between two looks at the files."""
MINUTE = 60.0
MOST = 1_000
"""Chats that are listed: more of them take seconds to lay out, and a filter finds them."""


class ChatsScreen(Closing[None]):
    """All chats; one can be chosen."""

    CSS_PATH = style("dialogs")
    BINDINGS = bindings("chats")
    SCOPE = "chats"

    shown = getters.query_one(OptionList)

    def __init__(
        self, store: Store, clock: Callable[[], float], search: Callable[[ChosenChat], None]
    ) -> None:
        """`search` gets the chat whose sessions are to be listed."""
        super().__init__()
        self._store = store
        self._clock = clock
        self._search = search
        self._lanes = Lanes(self)
        self._listed: ChatList | None = None
        self._rows: list[Chat] = []
        self._above = 0
        """Lines above the first chat."""
        self._filter = ""
        self._sort = ChatSort.UPDATED
        self._seen: object = None
        self._stamp: object = None
        """Of the files when the chats that are listed were read."""

    def compose(self) -> ComposeResult:
        yield Options(id="chats")

    def on_mount(self) -> None:
        self.set_focus(self.shown)
        self.shown.border_title = Content(chats_title(None, 0, "", ""))
        self._look()
        self.set_interval(EVERY, self._look)

    def on_unmount(self) -> None:
        self._lanes.stop()

    def _look(self) -> None:
        """Read the chats where a file has changed. One look ends before the next begins."""
        if self._lanes.busy("chats"):
            return
        store, seen, now = self._store, self._seen, self._clock()

        def work(token: CancelToken) -> tuple[tuple[object, float], ChatList | None]:
            # What is said of the future changes with the time as well.
            found = store.chats_stamp(), now // MINUTE
            return found, None if found == seen else read_chats(store, now, token)

        self._lanes.start("chats", work, self._take)

    def _take(self, found: tuple[tuple[object, float], ChatList | None]) -> None:
        self._seen, listed = found
        if listed is not None:
            self._stamp = found[0][0]
        if listed is not None and listed != self._listed:
            self._listed = listed
            self._show()

    def _show(self) -> None:
        """List what is wanted; the cursor stays on its chat."""
        listed, now = self._listed, self._clock()
        if listed is None:
            return
        here = self._chosen()
        wish = wish_of(self._filter)
        rows = chosen(listed, wish, self._sort, now)
        self._rows = rows[:MOST]
        several = bool(self._store.places)
        self.shown.clear_options()
        # What is missing comes first: below a long list nobody would see it.
        self._above = len(listed.troubles)
        for line in listed.troubles:
            words = Content.assemble((clean_line(line, 400), "$warning"))
            self.shown.add_option(Option(words, disabled=True))
        self.shown.add_options(Option(_lines(listed, chat, now, several)) for chat in self._rows)
        for line in self._remarks(listed, wish, len(rows)):
            self.shown.add_option(Option(Content.assemble((line, "$dim")), disabled=True))
        same = [at for at, one in enumerate(self._rows) if here and same_chat(one, here)]
        self.shown.highlighted = self._above + (same or [0])[0] if self._rows else None
        if self.shown.highlighted == self._above:
            self.shown.scroll_home(animate=False)
        said = chats_title(len(rows), len(listed.chats), self._filter, self._sort.value)
        self.shown.border_title = Content(said)
        self._say_keys()

    def _remarks(self, listed: ChatList, wish: ChatWish, found: int) -> list[str]:
        if not listed.chats:
            return [NO_CHATS]
        if not found:
            unknown, known = unknown_platforms(listed, wish)
            return [no_chat_matches(self._filter), *no_such_platform(unknown, known)]
        return [f"{found - MOST:,} more chats: / filters them"] if found > MOST else []

    def _say_keys(self) -> None:
        labels = {} if self._chosen() else {"option-take": "", "chats-copy": ""}
        labels = {"option-take": "sessions", **labels}
        self.shown.border_subtitle = Content(keymap_of(self.app).hint("chats", labels))

    def on_option_list_option_highlighted(self) -> None:
        self._say_keys()

    def _chosen(self) -> Chat | None:
        if (shown := self.shown.highlighted) is None:
            return None
        at = shown - self._above
        return self._rows[at] if 0 <= at < len(self._rows) else None

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """The sessions of the chat, as a search in the list."""
        chat, listed = self._chosen(), self._listed
        if chat is None or listed is None:
            return
        if not chat.sessions:
            hint(self, session_words(listed, chat))
            return
        self.dismiss()
        self._search(choose(chat, listed.chats, self._stamp))

    def action_sort(self) -> None:
        self._sort = self._sort.next
        self._show()

    def action_filter(self) -> None:
        def check(typed: str) -> tuple[bool, str]:
            listed = self._listed
            if listed is None:
                return True, ""
            number = len(chosen(listed, wish_of(typed), self._sort, self._clock()))
            return True, chats_title(number, len(listed.chats), "", "")

        def take(typed: str) -> None:
            self._filter = " ".join(typed.split())
            self._show()

        prompt = Prompt(CHAT_FILTER, self._filter, check, CHAT_FILTER_HINT)
        ask_for(self, prompt, take)

    def action_close(self) -> None:
        """Without the filter first."""
        if self._filter:
            self._filter = ""
            self._show()
        else:
            self.dismiss()

    def action_copy(self) -> None:
        """What is typed into the chat to go on with its current session from anywhere."""
        chat = self._chosen()
        if chat is None:
            hint(self, NOTHING_TO_CHOOSE)
        elif chat.current is None or not chat.current.title:
            hint(self, NO_TITLE_TO_COPY)
        else:
            copy(self, f"/resume {clean_line(chat.current.title, 200)}", "command")


def _lines(listed: ChatList, chat: Chat, now: float, several: bool) -> Content:
    """A chat in two lines, and a third one about what happens next."""
    gone = chat.where is RouteTarget.GONE
    said: list[tuple[str, str]] = [
        (listed.words(chat), "bold"),
        (f"  {' · '.join(facts(chat, now, several))}", "$dim"),
        (f"\n  {session_words(listed, chat)}", "$warning" if gone else ""),
    ]
    marked = " · ".join(flags(chat, now))
    if marked:
        said.append((f"  {marked}", "$accent"))
    if coming := next_words(chat, now):
        said.append((f"\n  {coming}", "$dim"))
    return Content.assemble(*said)
