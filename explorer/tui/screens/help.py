"""Help for what has the focus, in pages: its keys and the marks first, then the others. In the
search bar the first page is the search language."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.containers import Container, Vertical, VerticalScroll
from textual.content import Content
from textual.events import Click, Resize
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Static

from explorer.keys.actions import ACTIONS, SCOPES, TOGETHER
from explorer.render.clean import cell_width
from explorer.render.lines import wrapped
from explorer.search.language import reference
from explorer.tui.dialogs.base import Dialog
from explorer.tui.key_bindings import bindings, keymap_of
from explorer.tui.words import MARKS, help_words

LEFT = 14
"""Cells of the left column."""
LEFT_TYPED = 21
LEFT_MARKS = 8
"""The same for what is typed, and for marks."""
STACKED = 36
"""Below this width the words are below their key."""


class KeyTable(Widget):
    """Keys and what they do, in two columns. Takes clean text."""

    DEFAULT_CSS = "KeyTable { height: auto; }"

    def __init__(self, rows: Iterable[tuple[str, str]], left: int = LEFT) -> None:
        super().__init__()
        self._rows = tuple(rows)
        self._left = left

    def render(self) -> Content:
        lines = [
            Content.assemble((key, "bold $accent"), words) for key, words in self._lines(self.size)
        ]
        return Content("\n").join(lines)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._lines(Size(width, 0)))

    def _lines(self, size: Size) -> list[tuple[str, str]]:
        """(left column, words) of each line."""
        found = []
        below = size.width < STACKED
        indent = 4 if below else self._left
        for key, words in self._rows:
            head = f"  {key}"
            # Keys that would touch the words get a line of their own.
            stacked = below or cell_width(head) >= indent
            head += " " * (indent - cell_width(head))
            first, *rest = wrapped(words, size.width - indent)
            if stacked:
                found.append((head, ""))
                rest.insert(0, first)
            else:
                found.append((head, first))
            found += [(" " * indent, line) for line in rest]
        return found


PAGES = {
    "list": "List",
    "transcript": "Transcript",
    "search": "Search language",
    "prune": "Prune",
}
"""The places with a page of their own; all other keys are on the last page."""
OTHERS = "Other keys"
WIDE = 110
"""From this width on, a page has two columns."""


class PageTabs(Widget):
    """The names of the pages in one line; a click opens one."""

    DEFAULT_CSS = "PageTabs { height: 1; }"

    at = reactive(0, layout=False)

    @dataclass
    class Chosen(Message):
        """A page is to be opened."""

        page: int

    def __init__(self, titles: Sequence[str]) -> None:
        super().__init__()
        self._titles = tuple(titles)

    def render(self) -> Content:
        return Content.assemble(
            *(
                (f" {title} ", "bold reverse" if at == self.at else "$dim")
                for at, title in self._all
            )
        )

    def on_click(self, event: Click) -> None:
        column = 0
        for at, title in self._all:
            column += cell_width(title) + 2
            if event.x < column:
                self.post_message(self.Chosen(at))
                return

    @property
    def _all(self) -> list[tuple[int, str]]:
        return list(enumerate(self._titles))


class HelpScreen(Dialog[None]):
    """Keys, marks and the search language, a page each: that of the focused pane first."""

    BINDINGS = bindings("help")
    SCOPE = "help"

    def __init__(self, scope: str) -> None:
        super().__init__()
        others = (one for one in PAGES if one not in (scope, "prune"))
        self._pages = (scope, *others, OTHERS)
        """Whose keys are on each page."""

    def compose(self) -> ComposeResult:
        with Vertical(id="help"):
            yield PageTabs([PAGES.get(page) or SCOPES.get(page, page) for page in self._pages])
            for at, page in enumerate(self._pages):
                with VerticalScroll(classes="help-page"), Container(classes="help-columns"):
                    if page == OTHERS:
                        shown = {*self._pages, "app"}
                        yield from self._columns(
                            [self._keys(scope) for scope in SCOPES if scope not in shown]
                        )
                    elif page == "search":
                        yield from self._language()
                    else:
                        yield from self._place(page, with_marks=at == 0 or page == "list")

    def _place(self, scope: str, with_marks: bool) -> ComposeResult:
        """The keys of a place, and what its marks mean."""
        keymap = keymap_of(self.app)
        with Vertical(classes="help-column"):
            yield from self._keys(scope)
        with Vertical(classes="help-column"):
            if with_marks:
                yield from _table("Marks", MARKS, LEFT_MARKS)
            for other in TOGETHER.get(scope, ("dialogs",)):
                yield from self._keys(other)
            words = help_words(keymap.key("undo"), keymap.key("show-hidden"))
            yield Static(Content(words), classes="help-words")

    def _language(self) -> ComposeResult:
        """What can be typed into the search bar, and its keys."""
        complete = keymap_of(self.app).key("search-complete")
        with Vertical(classes="help-column"):
            yield from _table("Words", reference.WORDS, LEFT_TYPED)
            yield from _table("Dates", reference.DATES, LEFT_TYPED)
            yield from _table("Numbers", reference.NUMBERS, LEFT_TYPED)
            yield from self._keys("search")
        with Vertical(classes="help-column"):
            yield from _table("Fields", reference.fields(complete))

    def _columns(self, sections: Sequence[ComposeResult]) -> ComposeResult:
        half = (len(sections) + 1) // 2
        for some in (sections[:half], sections[half:]):
            with Vertical(classes="help-column"):
                for section in some:
                    yield from section

    def _keys(self, scope: str) -> ComposeResult:
        """What is at home in this place comes first, what the palette alone has comes last."""
        keymap = keymap_of(self.app)
        here = (action for action in ACTIONS if scope in action.scopes)
        ordered = sorted(here, key=lambda one: (not keymap.keys(one), one.scopes[0] != scope))
        rows = ((keymap.shown(action) or keymap.key("palette"), action.help) for action in ordered)
        return _table(SCOPES[scope], rows)

    def on_mount(self) -> None:
        pane = self.query_one("#help")
        pane.border_title = Content("Help")
        pane.border_subtitle = Content(keymap_of(self.app).hint("help"))
        self._open(0)

    def on_resize(self, event: Resize) -> None:
        self.set_class(event.size.width >= WIDE, "-wide")

    @on(PageTabs.Chosen)
    def _chosen(self, event: PageTabs.Chosen) -> None:
        self._open(event.page)

    def action_page(self, step: int) -> None:
        self._open((self.query_one(PageTabs).at + step) % len(self._pages))

    def action_half_page(self, step: int) -> None:
        pane = self._shown
        pane.scroll_relative(y=step * max(pane.size.height // 2, 1), animate=False)

    def action_end(self, last: bool) -> None:
        pane = self._shown
        pane.scroll_end(animate=False) if last else pane.scroll_home(animate=False)

    def action_scroll(self, lines: int) -> None:
        self._shown.scroll_relative(y=lines, animate=False)

    @property
    def _shown(self) -> Widget:
        return self.query(".help-page")[self.query_one(PageTabs).at]

    def _open(self, page: int) -> None:
        self.query_one(PageTabs).at = page
        for at, one in enumerate(self.query(".help-page")):
            one.display = at == page
        self._shown.focus()


def _table(title: str, rows: Iterable[tuple[str, str]], left: int = LEFT) -> ComposeResult:
    yield Static(Content(title), classes="help-title")
    yield KeyTable(rows, left)
