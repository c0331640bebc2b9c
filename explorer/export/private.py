"""A document that only its owner can read, in a folder of its own, for as long as it is needed."""

import os
import re
import tempfile
from collections.abc import Iterable
from pathlib import Path

from explorer.cancel import CancelToken
from explorer.errors import ExplorerError
from explorer.model import SAFE_ID


class CannotWrite(ExplorerError):
    """No room, or no right to."""


class PrivateCopy:
    """A file named after its session; removed with all that a program has left beside it."""

    def __init__(self, id_: str, suffix: str) -> None:
        # Made for us alone, and so is what an editor leaves beside the file.
        self._folder = tempfile.TemporaryDirectory(
            prefix="session-explorer-", ignore_cleanup_errors=True
        )
        name = id_ if re.fullmatch(SAFE_ID, id_) else "session"
        self.path = Path(self._folder.name, f"{name}{suffix}")

    def write(self, pieces: Iterable[str], token: CancelToken) -> None:
        """Piece by piece, as they come; removed again if that fails or is cancelled."""
        try:
            file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with open(file, "w", encoding="utf-8", errors="replace", newline="\n") as document:
                for piece in pieces:
                    token.check()
                    document.write(piece + "\n")
        except OSError as error:
            self.remove()
            raise CannotWrite("Cannot be written", f"{self.path}: {error.strerror}") from error
        except BaseException:
            self.remove()
            raise

    def remove(self) -> None:
        self._folder.cleanup()
