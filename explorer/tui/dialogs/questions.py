"""The dialogs that ask, and when they may open. All take clean text; the harmless answer has the
focus.

A question that comes late must not open while the user types elsewhere, or has gone on with other
keys: a "y" that was meant for the search bar would answer it. The progress of an edit does not
count: it opens by itself.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar
from weakref import WeakKeyDictionary

from rich.cells import cell_len
from textual import on
from textual._time import get_time
from textual.app import App, ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.screen import ModalScreen, Screen, ScreenResultType
from textual.widget import Widget
from textual.widgets import Button, Input, OptionList, Static
from textual.widgets.option_list import Option

from explorer.cancel import CancelToken
from explorer.errors import ExitCode, StoreError
from explorer.keys.actions import BY_ID
from explorer.keys.keymap import shown
from explorer.render.clean import clean, clean_line
from explorer.render.figures import count, duration, plural
from explorer.stores.edits.plans import WAITING_WORDS, Progress
from explorer.tui.dialogs.base import Dialog
from explorer.tui.hints import hint
from explorer.tui.key_bindings import bindings, keymap_of
from explorer.tui.widgets.fields import CheckBoxes, Options, TextField
from explorer.tui.words import (
    ALL_SHOWN,
    ALREADY_CHOSEN,
    CANNOT_STOP,
    MOVED_ON,
    STARTING,
    STOPPING,
    TOO_EARLY,
    more_below,
    pace,
)

T = TypeVar("T")

LEAST_WIDTH = 44
"""Cells of a list to choose from."""
BESIDE_HINT = 6
"""Cells of a border beside the hint in it."""
BAR = 40
"""Cells of the progress bar."""


class Instead(NamedTuple):
    """Another answer than yes or no."""

    words: str
    do: Callable[[], None]


class QuestionText(VerticalScroll, can_focus=False):
    """What scrolls between a question and its answers: the keys stay with these."""

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As tall as its text where what stays visible leaves room for that. Textual would make it
        either too tall for the screen or, as what takes the rest, as tall as the screen."""
        height = super().get_content_height(container, viewport, width)
        if not container.height:
            # Only measured.
            return height
        beside = [one for one in self.siblings if not one.styles.is_docked]
        taken = sum(
            one.get_content_height(container, viewport, width) + one.styles.margin.height
            for one in beside
        )
        return min(height, max(container.height - taken, 0))


class Question(Dialog[bool]):
    """True for yes. Its answers are always visible; a text that is too long for the screen scrolls
    above them."""

    BINDINGS = [*bindings("question"), *bindings("scroll")]
    SCOPE = "question"
    HORIZONTAL_BREAKPOINTS = [(0, "-slim"), (70, "-roomy")]
    VERTICAL_BREAKPOINTS = [(0, "-short"), (14, "-tall")]

    def __init__(
        self,
        title: str,
        text: str,
        yes: str,
        no: str = "Cancel",
        instead: "Instead | None" = None,
        last: str = "",
    ) -> None:
        """`instead` is a third answer, `last` is what stays visible below the text."""
        super().__init__()
        self._instead = instead
        self._title = title
        self._last = last
        self._yes = yes
        self._no = no
        self._painted: float | None = None
        """When it was first on the screen, in the time of events."""
        self._text = QuestionText(Static(Content(text), id="question-text"))
        self._text.display = bool(text)

    def compose(self) -> ComposeResult:
        with Vertical(id="question"):
            yield Static(Content(self._title), id="question-title")
            yield self._text
            if self._last:
                yield Static(Content(self._last), id="question-last")
            with Horizontal(id="answers"):
                yield self._button("no", self._no, "answer-no", avoid="escape")
                if self._instead is not None:
                    yield Button(Content(self._instead.words), id="instead", compact=True)
                yield self._button("yes", self._yes, "answer-yes")

    def _button(self, id_: str, words: str, action: str, avoid: str = "") -> Button:
        """An answer with its key on it, rather a letter than `avoid`."""
        keys = keymap_of(self.app).keys(BY_ID[action])
        key = next((key for key in keys if key != avoid), next(iter(keys), ""))
        label = Content.assemble(words, (f"  {shown(key)}" if key else "", "dim"))
        return Button(label, id=id_, compact=True)

    def on_mount(self) -> None:
        self.set_focus(self.query_one("#no"))
        self.watch(self._text, "show_vertical_scrollbar", self._say_more)

    def _say_more(self, more: bool) -> None:
        key = keymap_of(self.app).key("scroll-page-down")
        self.query_one("#question").border_subtitle = Content(more_below(key) if more else "")

    def action_scroll(self, lines: int) -> None:
        if not self._text.max_scroll_y:
            hint(self, ALL_SHOWN)
        self._text.scroll_relative(y=lines, animate=False)

    def action_page(self, pages: int) -> None:
        self.action_scroll(pages * max(self._text.size.height - 1, 1))

    def action_top(self) -> None:
        self.action_scroll(-self._text.max_scroll_y)

    def action_bottom(self) -> None:
        self.action_scroll(self._text.max_scroll_y)

    def painted(self) -> None:
        """It is on the screen."""
        if self._painted is None:
            self._painted = get_time()

    @property
    def is_painted(self) -> bool:
        """Whether it can be read, and so answered."""
        return self._painted is not None

    def action_yes(self) -> None:
        """What was pressed before it could be read was meant for something else."""
        if self._painted is None or _pressed(self.app).at < self._painted:
            hint(self, TOO_EARLY)
        else:
            self.dismiss(True)

    @on(Button.Pressed)
    def _answered(self, event: Button.Pressed) -> None:
        self.dismiss(event.button.id == "yes")
        if event.button.id == "instead" and self._instead is not None:
            self.app.call_later(self._instead.do)


def ask(at: Widget, question: Question, do: Callable[[], None]) -> None:
    """Ask a question, and do something after a yes."""
    at.app.push_screen(question, lambda yes: do() if yes else None)


def ask_for(at: Widget, dialog: Dialog[T], then: Callable[[T], None]) -> None:
    """Open a dialog, and continue with its answer, if there is one."""
    at.app.push_screen(dialog, lambda answer: None if answer is None else then(answer))


class OptionsDialog(Dialog[ScreenResultType]):
    """A list to choose from, with the arrows or the mouse."""

    BINDINGS = bindings("choice")
    SCOPE = "choice"
    LIST = Options

    def __init__(self, title: str, enter: str, lines: Iterable[Content], highlighted: int) -> None:
        """`enter` says what enter does, `highlighted` is the line under the cursor."""
        super().__init__()
        self._list = self.LIST(*map(Option, lines), id="choice")
        self._list.border_title = Content(title)
        self._enter = enter
        self._highlighted = highlighted

    def compose(self) -> ComposeResult:
        yield self._list

    def on_mount(self) -> None:
        hint = keymap_of(self.app).hint(self.SCOPE, {"option-take": self._enter})
        self._list.border_subtitle = Content(hint)
        self._list.styles.min_width = max(LEAST_WIDTH, cell_len(hint) + BESIDE_HINT)
        self._list.highlighted = self._highlighted
        self.set_focus(self._list)


class Choice(OptionsDialog[T]):
    """One of several options: the chosen one, or nothing."""

    def __init__(
        self,
        title: str,
        options: Sequence[tuple[T, str]],
        chosen: T,
        enter: str = "choose",
    ) -> None:
        """`options` are (value, words)."""
        self._values = [value for value, _ in options]
        lines = (Content(words) for _, words in options)
        super().__init__(title, enter, lines, self._values.index(chosen))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._values[event.option_index])


class Several(OptionsDialog[frozenset[T]]):
    """Any number of options: those that are checked, else the one under the cursor. The first line
    stands for none of them."""

    BINDINGS = bindings("several")
    SCOPE = "several"
    LIST = CheckBoxes

    def __init__(
        self, title: str, any_: str, options: Sequence[tuple[T, str]], marked: Iterable[T]
    ) -> None:
        """`options` are (value, words), `any_` is the line for none of them."""
        self._options: list[tuple[T | None, str]] = [(None, any_), *options]
        self._marked = set(marked)
        places = (at for at, (value, _) in enumerate(self._options) if value in self._marked)
        lines = map(self._line, range(len(self._options)))
        super().__init__(title, "apply", lines, next(places, 0))

    def _line(self, at: int) -> Content:
        value, words = self._options[at]
        on = not self._marked if value is None else value in self._marked
        sign = "[x]" if on else "[ ]"
        return Content.assemble((sign, "$success" if on else "$dim"), f" {words}")

    @on(CheckBoxes.Clicked)
    def action_mark(self) -> None:
        if self._list.highlighted is None:
            return
        value, _ = self._options[self._list.highlighted]
        if value is None and not self._marked:
            hint(self, ALREADY_CHOSEN)
        self._marked = set() if value is None else self._marked ^ {value}
        for at in range(len(self._options)):
            self._list.replace_option_prompt_at_index(at, self._line(at))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        value, _ = self._options[event.option_index]
        self.dismiss(frozenset() if value is None else frozenset(self._marked or {value}))


class Prompt(Dialog[str]):
    """A line to type, checked while it is typed: what was typed, or nothing."""

    BINDINGS = bindings("prompt")
    SCOPE = "prompt"

    def __init__(
        self,
        title: str,
        value: str,
        check: Callable[[str], tuple[bool, str]],
        placeholder: str = "",
    ) -> None:
        """`check` says whether a text is valid, and a hint about it."""
        super().__init__()
        self._title = title
        self._value = value
        self._check = check
        self._placeholder = placeholder

    def compose(self) -> ComposeResult:
        with Vertical(id="prompt"):
            yield TextField(self._value, self._placeholder, id="prompt-text", compact=True)
            yield Static(id="prompt-words")

    def on_mount(self) -> None:
        self.query_one("#prompt").border_title = Content(self._title)
        self._say(self._value)

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        self._say(event.value)

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        if self._check(event.value)[0]:
            self.dismiss(event.value)

    def _say(self, value: str) -> None:
        good, words = self._check(value)
        said = self.query_one("#prompt-words", Static)
        said.set_class(not good, "-wrong")
        said.update(Content(words))


class ProgressDialog(Dialog[None]):
    """Closed by its caller. Takes clean text.

    It opens by itself, so no key stops the work that may be meant for the screen below."""

    AUTO_FOCUS = ""
    BINDINGS = bindings("progress")
    SCOPE = "progress"

    def __init__(self, title: str, stop: CancelToken | None) -> None:
        """`stop` is cancelled to end the work early; None where that is not possible."""
        super().__init__()
        self._title = title
        self._stop = stop
        self._begun = time.monotonic()
        # Made here: progress may come before they are on the screen, or after.
        self._bar = Static(Content(""), id="progress-bar")
        self._said = Static(Content(STARTING), id="question-text")

    def compose(self) -> ComposeResult:
        with Vertical(id="question"):
            yield Static(Content(self._title), id="question-title")
            yield self._bar
            yield self._said
            if self._stop is not None:
                with Horizontal(id="answers"):
                    key = keymap_of(self.app).key("progress-stop")
                    yield Button(Content(f"Stop ({key})"), id="stop", compact=True)

    def show(self, progress: Progress) -> None:
        if progress.waiting:
            self.say(WAITING_WORDS)
            return
        self._bar.update(Content(_bar(progress)))
        self._said.update(Content(_words(progress, time.monotonic() - self._begun)))

    def say(self, words: str) -> None:
        """Say what it waits for."""
        self._said.update(Content(words))

    def cancel(self) -> None:
        """Cancel the work, which closes the dialog when it ends."""
        self.action_stop()

    @on(Button.Pressed)
    def action_stop(self) -> None:
        if self._stop is not None:
            self._stop.cancel()
            self._said.update(Content(STOPPING))
        else:
            hint(self, CANNOT_STOP)


def _share(progress: Progress) -> float:
    if progress.of_messages:
        return progress.messages / progress.of_messages
    return progress.sessions / progress.of_sessions if progress.of_sessions else 1.0


def _bar(progress: Progress) -> str:
    full = round(min(_share(progress), 1.0) * BAR)
    return "█" * full + "░" * (BAR - full) + f" {_share(progress):.0%}"


def _words(progress: Progress, seconds: float) -> str:
    sessions = f"{count(progress.sessions)} of {plural(progress.of_sessions, 'session')}"
    messages = f" · {count(progress.messages)} of {plural(progress.of_messages, 'message')}"
    words = sessions + messages * bool(progress.of_messages)
    share = _share(progress)
    if seconds < 1 or not share:
        return words
    left = seconds / share - seconds
    return f"{words}\n{pace(progress.messages / seconds, duration(left))}"


LATE = 0.4
"""Seconds after which a key is not meant for the question that was asked for before it."""

SELECTS = ("select", "select-all", "invert-selection")
"""Keys that leave alone what a question is about, as those that move do."""


class Presses(NamedTuple):
    """What an app has been told by keys and the mouse."""

    number: int = 0
    acts: int = 0
    """How many keys did more than move."""
    at: float = 0.0
    """When the last one came, in the time of events."""


_presses: "WeakKeyDictionary[App[Any], Presses]" = WeakKeyDictionary()


def _pressed(app: App[Any]) -> Presses:
    return _presses.get(app, Presses())


def note_press(app: App[Any], at: float) -> None:
    before = _pressed(app)
    _presses[app] = before._replace(number=before.number + 1, at=at)


def note_act(app: App[Any]) -> None:
    """The key that was pressed does more than move."""
    before = _pressed(app)
    _presses[app] = before._replace(acts=before.acts + 1)


class FocusPlace(NamedTuple):
    """What takes the keys, and what has been typed into it."""

    screen: Screen[object]
    focused: Widget | None
    typed: str
    presses: Presses
    """Those that there had been."""
    at: float
    """When that was, in seconds."""

    def has_moved_on(self, now: "FocusPlace") -> bool:
        """Whether other keys have acted since, or were pressed long enough ago."""
        if now.presses.acts != self.presses.acts:
            return True
        return now.presses != self.presses and now.at - self.at > LATE


def place(app: App[object]) -> FocusPlace:
    """Where the user is now."""
    screen = next(one for one in reversed(app.screen_stack) if not isinstance(one, ProgressDialog))
    focused = screen.focused
    typed = focused.value if isinstance(focused, Input) else ""
    return FocusPlace(screen, focused, typed, _pressed(app), time.monotonic())


def still_at(app: App[object], before: FocusPlace) -> bool:
    """Whether the user is still there. A terminal in the background has no focus, and no typing."""
    now = place(app)
    if now.screen is not before.screen or before.has_moved_on(now):
        return False
    return now.focused is None or (now.focused, now.typed) == (before.focused, before.typed)


def may_ask(screen: Screen[None], before: FocusPlace) -> bool:
    """Whether a question that was asked for there may still open; if not, the user is told."""
    here = still_at(screen.app, before)
    if not here:
        screen.notify(MOVED_ON, severity="warning", markup=False)
    return here


def is_typing(app: App[object]) -> bool:
    """The user types, or has a dialog to answer: another one would take the keys."""
    here = place(app)
    return isinstance(here.focused, Input) or isinstance(here.screen, ModalScreen)


class ProblemScreen(Dialog[bool]):
    """Why a file cannot be read, and what to do; True to try again."""

    BINDINGS = bindings("problem")
    SCOPE = "problem"

    def __init__(self, error: StoreError) -> None:
        super().__init__()
        self._error = error

    def compose(self) -> ComposeResult:
        with Vertical(id="problem"):
            yield Static(Content(clean_line(self._error.title)), id="problem-title")
            yield Static(Content(clean(self._error.message)), id="problem-message")
            yield Static(Content(keymap_of(self.app).hint("problem")), id="problem-keys")

    def on_mount(self) -> None:
        # Without the focus it would get no keys.
        self.focus()

    def cancel(self) -> None:
        """There is nothing behind it."""
        self.app.exit(return_code=int(ExitCode.INTERRUPTED))

    def action_leave(self) -> None:
        self.app.exit(return_code=int(self._error.exit_code))
