"""A crash in the middle of an edit, at a statement of one's choice."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import pytest

from explorer.stores.edits import batches
from explorer.stores.edits.connection import Transaction
from explorer.stores.edits.editor import Editor

DELETES, RESTORES = "DELETE FROM", "INSERT INTO"
"""What a statement begins with that takes messages out, or puts them back."""


class Died(BaseException):
    """Stands for a kill: nothing of the edit's own runs after it."""


@contextmanager
def dying_in(path: Path, deed: Literal["apply", "undo"]) -> Iterator[None]:
    """Die in here when an edit reaches this file, before anything is done to it."""
    plain = getattr(Editor, deed)

    def die(self: Editor, *rest: object, **more: object) -> object:
        if self.path == path:
            raise Died
        return plain(self, *rest, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Editor, deed, die)
        with pytest.raises(Died):
            yield


def die_after(monkeypatch: pytest.MonkeyPatch, statements: int, like: str) -> None:
    """Die after so many statements that begin so, each in a transaction of its own."""
    plain, left = Transaction.run, [statements]

    def run(self: Transaction, sql: str, values: object = (), expect: int | None = None) -> int:
        if sql.startswith(like):
            left[0] -= 1
            if left[0] < 0:
                raise Died
        return plain(self, sql, values, expect)  # type: ignore[arg-type]

    monkeypatch.setattr(Transaction, "run", run)
    monkeypatch.setattr(batches.run_batches, "__defaults__", (0.0, 0.0))
