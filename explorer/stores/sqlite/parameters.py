"""Values that are bound to a statement: their place-holders, and lists short enough to bind."""

from collections.abc import Iterable, Sized
from itertools import islice
from typing import TypeVar

T = TypeVar("T")

MOST = 500
"""Values in one statement: some builds of SQLite take no more than 999."""


def placeholders(values: Sized) -> str:
    """A list for `IN (…)`."""
    return ",".join("?" * len(values))


def batches(values: Iterable[T], size: int = MOST) -> Iterable[list[T]]:
    """Values in lists that can be bound."""
    left = iter(values)
    while batch := list(islice(left, size)):
        yield batch
