"""What can go wrong, in words a user can act on.

Every error that reaches a user is an `ExplorerError`: a short title, a sentence that says why and
what to do, and the exit code of the command-line contract. Anything else is a bug and may crash.
"""

from collections.abc import Iterable
from enum import IntEnum, StrEnum
from typing import Self


class ExitCode(IntEnum):
    DONE = 0
    FAILED = 1
    USAGE = 2
    NO_SUCH_SESSION = 3
    BUSY = 4
    CANNOT_OPEN = 5
    REFUSED = 6
    CRASHED = 70
    INTERRUPTED = 130


class ExplorerError(Exception):
    """Something the user should read: `title` in a few words, `message` with what to do."""

    exit_code = ExitCode.FAILED

    def __init__(self, title: str, message: str) -> None:
        super().__init__(f"{title}: {message}")
        self.title = title
        self.message = message

    def instead(self, message: str) -> Self:
        """This error with another message."""
        self.message = message
        self.args = (f"{self.title}: {message}",)
        return self

    def also(self, more: str) -> Self:
        """This error with one more sentence."""
        return self.instead(f"{self.message} {more}")


class UsageError(ExplorerError):
    """A wrong command line, or a terminal that cannot run the app."""

    exit_code = ExitCode.USAGE


class NoSuchSession(ExplorerError):
    """No session, or more than one, matches what was typed."""

    exit_code = ExitCode.NO_SUCH_SESSION


class UnknownSession(NoSuchSession):
    """No session matches what was typed."""

    def __init__(self, text: str, message: str) -> None:
        super().__init__("No such session", message)
        self.text = text
        """Without the profile before it, if there is one of that name."""


def session_gone() -> NoSuchSession:
    """For a session that was still there when it was listed."""
    return NoSuchSession("No such session", "This session was deleted a moment ago.")


class SeveralSessions(NoSuchSession):
    """What was typed may mean any of these."""

    def __init__(self, text: str, what_to_do: str, names: Iterable[str]) -> None:
        listed = "\n".join(f"  {name}" for name in names)
        message = f"{text!r} matches several sessions. {what_to_do}:\n{listed}"
        super().__init__("More than one session", message)

    def also(self, more: str) -> Self:
        """Below the list."""
        return self.instead(f"{self.message}\n{more}")


class Refused(ExplorerError):
    """A change that is not safe, or that this store does not support."""

    exit_code = ExitCode.REFUSED


def closest(name: str, known: Iterable[str], most: int = 3, least: float = 0.6) -> list[str]:
    """Names that a wrong one may stand for, the most similar first; `least` is how similar they
    must be, from 0 to 1."""
    from difflib import get_close_matches  # late: only a mistake needs it

    return get_close_matches(name, list(known), most, least)


def sentence(reason: str) -> str:
    """A reason, which is part of a sentence, as a sentence."""
    return f"{reason[:1].upper()}{reason[1:]}."


class Problem(StrEnum):
    """Why a state file, or a database on a server, cannot be read."""

    MISSING = "missing"
    NO_STATE_FILE = "no state file"
    LOST = "lost"
    BROKEN_LINK = "broken link"
    NO_PERMISSION = "no permission"
    NOT_A_FILE = "not a file"
    NOT_A_DATABASE = "not a database"
    EMPTY = "empty"
    ENCRYPTED = "encrypted"
    TRUNCATED = "truncated"
    CORRUPT = "corrupt"
    BUSY = "busy"
    NOT_A_STORE = "not a session store"
    READ_ONLY_FOLDER = "read-only folder"
    UNRECOVERED = "unrecovered"
    UNREADABLE = "unreadable"
    UNREACHABLE = "unreachable"
    LOGIN_REFUSED = "login refused"
    NO_DATABASE = "no such database"
    INSECURE = "no secure connection"
    TIMED_OUT = "timed out"
    NO_DRIVER = "no driver"


class StoreError(ExplorerError):
    """A state file that cannot be read, with the reason."""

    exit_code = ExitCode.CANNOT_OPEN

    def __init__(self, problem: Problem, title: str, message: str) -> None:
        super().__init__(title, message)
        self.problem = problem
        if problem is Problem.BUSY:
            self.exit_code = ExitCode.BUSY


class ServerError(StoreError):
    """The same of a database on a server: advice about files does not fit it."""


class NoFileYet(StoreError):
    """A profile that has no state file yet: nothing is wrong with it."""


class Cancelled(Exception):
    """The caller no longer wants the result of this work."""
