"""Textual's driver for terminals, made to survive what terminals and shells really do.

Three things differ. Bytes that are no UTF-8 are shown as such, where Textual decodes strictly and
ends. Pastes come as one text (`tui/terminal_input`). And a signal to go on does no more than it has
to: Textual starts a second reader of keys beside the first whenever one comes, which nobody ends,
and does so in a signal handler, where the writer's lock may be held by what was interrupted.
"""

import os
import selectors
import signal

from textual import events
from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver

from explorer.tui.terminal_input import Intake

LOOK = 0.1
"""Seconds to wait for input before looking whether the app is being left."""
AT_ONCE = 4096


class TerminalDriver(LinuxDriver):
    """Reads keys and paints, on Linux and macOS."""

    _drawing = False
    """The terminal is ours."""
    _stopped = False
    """It was given back because we were told to stop."""
    _going_on = False
    """Taking it back is about to be done."""

    def start_application_mode(self) -> None:
        super().start_application_mode()  # type: ignore[no-untyped-call]
        self._drawing = True
        self._stopped = False

    def stop_application_mode(self) -> None:
        self._drawing = False
        super().stop_application_mode()

    def _sigtstp_application(self, *_: object) -> None:
        """Stop, with the terminal as it was; where another program has it, at once."""
        if self._auto_restart and self._drawing:
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
        if self._auto_restart and not self._going_on:
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
        intake, parser = Intake(), XTermParser(self._debug)
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
                for text, pasted in pieces:
                    self._pass_on(parser, text, pasted)
                for message in parser.tick():
                    self.process_message(message)

    def _read(self) -> bytes:
        try:
            return os.read(self.fileno, AT_ONCE)
        except OSError:
            return b""

    def _pass_on(self, parser: XTermParser, text: str, pasted: bool) -> None:
        if pasted:
            self.process_message(events.Paste(text))
        elif text:
            # An empty text would end the parser.
            for message in parser.feed(text):
                self.process_message(message)
