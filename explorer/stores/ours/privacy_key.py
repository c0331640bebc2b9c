"""The random key of the privacy view's marks, made once and kept for us alone.

A bare hash of a phone number is guessed in a second; with a key that never leaves this machine it
is not, and the same person still has the same mark in every file and after every start.
"""

import os
import secrets
from contextlib import suppress
from pathlib import Path

from explorer.errors import ExplorerError

NAME = "privacy.key"
SIZE = 32
_TITLE = "The privacy view is not available"


def privacy_key(folder: Path) -> bytes:
    """The key in our data folder; made if there is none."""
    path = folder / NAME
    try:
        if not os.path.lexists(path):
            _make(path)
        with open(path, "rb") as file:
            key = file.read(SIZE)
    except OSError as error:
        why = error.strerror or str(error)
        raise ExplorerError(_TITLE, f"Its key {path} cannot be read or made: {why}.") from error
    if len(key) < SIZE:
        said = f"{path} is not a key. Delete it to get a new one; all marks change then."
        raise ExplorerError(_TITLE, said)
    return key


def _make(path: Path) -> None:
    """Whole or not at all, and the one of another explorer that was faster."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f"{NAME}.{os.getpid()}.{secrets.token_hex(4)}")
    number = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(number, "wb") as file:
            file.write(secrets.token_bytes(SIZE))
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(draft, path)
    finally:
        os.unlink(draft)
