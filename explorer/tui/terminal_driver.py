"""Textual's driver for terminals, made to survive what terminals and shells really do.

Five things differ. Bytes that are no UTF-8 are shown as such, where Textual decodes strictly and
ends. A sequence whose numbers make no sense is dropped, where Textual ends too, or lays out a
screen of a hundred thousand lines. Pastes come as one text (`tui/terminal_input`). What was typed
before the app is typed into it, and the terminal is given back as it was before that. And a signal
to go on does no more than it has to: Textual starts a second reader of keys beside the first
whenever one comes, which nobody ends, and does so in a signal handler, where the writer's lock may
be held by what was interrupted.
"""

import os
import selectors
import signal
from collections.abc import Callable, Iterable
from functools import partial

from textual import events
from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver
from textual.message import Message

from explorer.tui import GIVE_BACK
from explorer.tui.terminal_background import BeforeApp
from explorer.tui.terminal_input import InputPiece, Intake

LEAVE_SCREEN = b"\x1b[?1049l"
"""What was on the terminal before the app."""
LOOK = 0.1
"""Seconds to wait for input before looking whether the app is being left."""
AT_ONCE = 4096
LARGEST = 2_000
"""Columns or lines that a terminal can say it has."""


class TerminalDriver(LinuxDriver):
    """Reads keys and paints, on Linux and macOS."""

    _drawing = False
    """The terminal is ours."""
    _given_back = True
    """It is as it was before."""
    _stopped = False
    """It was given back because we were told to stop."""
    _going_on = False
    """Taking it back is about to be done."""
    _started = False
    _typed_before = BeforeApp()

    def start_application_mode(self) -> None:
        self._given_back = False
        # Only at the first start: after a suspension nothing is left of it.
        before = BeforeApp() if self._started else getattr(self._app, "before", BeforeApp())
        self._started, self._typed_before = True, before
        super().start_application_mode()  # type: ignore[no-untyped-call]
        if before.attributes is not None:
            # Textual has taken the terminal for what it was after the question.
            self.attrs_before = before.attributes
        self._drawing = True
        self._stopped = False

    def stop_application_mode(self) -> None:
        self._drawing = False
        super().stop_application_mode()
        self._given_back = True

    def give_back(self) -> None:
        """The least of that, from another thread, where the app does not come to it in time."""
        if not self._given_back and self._file is not None:
            os.write(self._file.fileno(), GIVE_BACK + LEAVE_SCREEN)
            if self.attrs_before is not None:
                import termios  # late: not every system has it

                termios.tcsetattr(self.fileno, termios.TCSANOW, self.attrs_before)

    def _sigtstp_application(self, *_: object) -> None:
        """Stop, with the terminal as it was; where another program has it, at once."""
        if self._auto_restart and self._drawing and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._stop)
        else:
            os.kill(os.getpid(), signal.SIGSTOP)

    def _stop(self) -> None:
        if self._drawing:
            self.suspend_application_mode()
            self._stopped = self._must_signal_resume = True
        os.kill(os.getpid(), signal.SIGSTOP)

    def _sigcont_application(self, *_: object) -> None:
        """Go on. Nobody may have given the terminal back before (SIGSTOP), or nobody may have
        stopped us at all: then it is set up anew, since a shell may have used it meanwhile."""
        if self._auto_restart and not self._going_on and not self._loop.is_closed():
            self._going_on = True
            self._loop.call_soon_threadsafe(self._go_on)

    def _go_on(self) -> None:
        self._going_on = False
        if self._drawing:
            # What was before the app is known to the driver only until it starts again.
            self.suspend_application_mode()
        elif not self._stopped:
            return
        self.resume_application_mode()
        self._app.refresh(layout=True)

    def _run_input_thread(self) -> None:
        try:
            self.run_input_thread()
        except Exception as error:
            self._app.call_later(self._app._handle_exception, error)

    def run_input_thread(self) -> None:
        """Read until the app is left, or until there is nobody to read from."""
        intake, keys = Intake(self._typed_before.awaiting), _Keys(self._debug)
        self._pass_on(intake.take(self._typed_before.typed), keys)
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                if not selector.select(LOOK):
                    pieces = intake.quiet()
                elif data := self._read():
                    pieces = intake.take(data)
                else:
                    # As when a terminal is closed, which is not always told by a signal.
                    os.kill(os.getpid(), signal.SIGHUP)
                    return
                self._pass_on(pieces, keys)
                for message in keys.waiting():
                    self.process_message(message)

    def _pass_on(self, pieces: Iterable[InputPiece], keys: "_Keys") -> None:
        for text, pasted in pieces:
            for message in [events.Paste(text)] if pasted else keys.of(text):
                self.process_message(message)

    def _read(self) -> bytes:
        try:
            return os.read(self.fileno, AT_ONCE)
        except OSError:
            return b""


class _Keys:
    """Textual's parser, begun anew where it trips over a sequence."""

    def __init__(self, debug: bool) -> None:
        self._debug = debug
        self._parser = XTermParser(debug)

    def of(self, text: str) -> list[Message]:
        """The keys, clicks and reports that a text stands for."""
        # Letter by letter, so that no more is lost than the sequence.
        return [
            message for one in text for message in self._read(partial(XTermParser.feed, data=one))
        ]

    def waiting(self) -> list[Message]:
        """What has waited long enough for the rest of a sequence."""
        return self._read(XTermParser.tick)

    def _read(self, step: Callable[[XTermParser], Iterable[Message]]) -> list[Message]:
        found: list[Message] = []
        try:
            found.extend(step(self._parser))
        except Exception:
            # A number that is no character, a size that is no number: nothing that a key sends.
            self._parser = XTermParser(self._debug)
        return [message for message in found if _makes_sense(message)]


def _makes_sense(message: Message) -> bool:
    if not isinstance(message, events.Resize):
        return True
    return all(0 < side <= LARGEST for side in message.size)
