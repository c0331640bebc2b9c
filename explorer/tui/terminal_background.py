"""Whether the terminal's background is light: asked before Textual is imported, and read after it.

The import takes longer than a terminal needs to reply, so the first frame does not wait. Between
the two the terminal must not echo: the reply would be on the screen. What was typed meanwhile is
kept for the app. A reply that comes even later is dropped by `tui/terminal_input`. No import of
Textual here.
"""

import os
import re
import select
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple, Self

QUESTION = b"\x1b]11;?\x1b\\"
PATIENCE = 0.05
"""Seconds after the question until which a reply is waited for."""
MOST = 65_536
"""Bytes that are looked at; a paste of more than that is left to the app."""
_PART = "([0-9a-fA-F]{1,4})"
REPLY = rf"\x1b\]11;rgba?:{_PART}/{_PART}/{_PART}[^\x07\x1b]*(?:\x07|\x1b\\)"
_NO_REPLY = ("linux", "vt", "cons", "dumb")
"""Terminals that know no such question, and might print it."""


class TerminalReply(NamedTuple):
    """What came from the terminal before the app."""

    light: bool | None
    """None where it did not reply."""
    typed: bytes
    """Everything else that was read."""


class BeforeApp(NamedTuple):
    """The terminal and its input before the app."""

    attributes: list[Any] | None = None
    """How the terminal was; None where the app finds it so."""
    typed: bytes = b""
    awaiting: bool = False
    """A reply may still come."""


def light_by(environment: Mapping[str, str]) -> bool | None:
    """What the environment says of the background; None where it says nothing."""
    background = environment.get("COLORFGBG", "").rpartition(";")[2]
    return background in ("7", "15") if background.isdigit() else None


class BackgroundQuestion:
    """A question that was asked, and the terminal as it was before."""

    def __init__(self, reads: int, attributes: list[Any]) -> None:
        self.attributes = attributes
        self._reads = reads
        self._asked = time.monotonic()

    @classmethod
    def ask(cls, reads: int, writes: int, environment: Mapping[str, str]) -> Self | None:
        """Ask; None where there is nothing to be asked."""
        if environment.get("TERM", "").startswith(_NO_REPLY):
            return None
        try:
            import termios  # late: not every system has it
        except ImportError:
            return None
        try:
            before = termios.tcgetattr(reads)
            quiet = termios.tcgetattr(reads)
            quiet[3] &= ~(termios.ECHO | termios.ICANON)
            termios.tcsetattr(reads, termios.TCSANOW, quiet)
        except (OSError, termios.error):
            return None
        asked = cls(reads, before)
        try:
            os.write(writes, QUESTION)
        except OSError:
            asked.give_back()
            return None
        return asked

    def reply(self) -> TerminalReply:
        """What came: at once where enough time has passed."""
        data = b""
        while len(data) < MOST:
            left = max(self._asked + PATIENCE - time.monotonic(), 0.0)
            if not select.select([self._reads], [], [], left)[0]:
                break
            more = self._read()
            if not more:
                break
            data += more
            if found := re.search(REPLY.encode(), data):
                typed = data[: found.start()] + data[found.end() :]
                return TerminalReply(_is_light(*found.groups()), typed)
        return TerminalReply(None, data)

    def _read(self) -> bytes:
        """What was typed; nothing where the terminal has gone."""
        try:
            return os.read(self._reads, 4096)
        except OSError:
            return b""

    def give_back(self) -> None:
        """The terminal as it was, if it is still there."""
        import termios  # late, as above

        with suppress(termios.error):
            termios.tcsetattr(self._reads, termios.TCSANOW, self.attributes)


def _is_light(*parts: bytes) -> bool:
    red, green, blue = (int(part, 16) / (int(b"f" * len(part), 16)) for part in parts)
    return 0.299 * red + 0.587 * green + 0.114 * blue > 0.5
