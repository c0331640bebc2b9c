"""What is known of the sessions of a store that numbers them itself, and may have a million.

A dict takes a hundred bytes for each session, and its value besides. Where keys are numbers from 1
on with few gaps, an array that has the value at the place of the key takes a tenth of that.
"""

import math
from abc import abstractmethod
from array import array
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")
D = TypeVar("D")

_NARROW, _WIDE = 1 << 31, 1 << 63


class NumberedColumn(Mapping[int, T], Generic[T]):
    """Values by such keys. Made once and then only read, since several threads may."""

    @abstractmethod
    def put(self, key: int, value: T) -> None:
        """While it is made."""

    @abstractmethod
    def drop(self, key: int) -> None:
        """The same, of a key that need not be there."""

    @abstractmethod
    def copy(self) -> "NumberedColumn[T]": ...

    @abstractmethod
    def _found(self, key: int) -> T | None: ...

    @overload
    def get(self, key: int, /) -> T | None: ...

    @overload
    def get(self, key: int, /, default: T | D) -> T | D: ...

    def get(self, key: int, /, default: object = None) -> object:
        found = self._found(key)
        return default if found is None else found

    def __getitem__(self, key: int, /) -> T:
        found = self._found(key)
        if found is None:
            raise KeyError(key)
        return found

    def __contains__(self, key: object, /) -> bool:
        return isinstance(key, int) and self._found(key) is not None

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def renewed(self, newer: Mapping[int, T], keys: Collection[int]) -> "NumberedColumn[T]":
        """This column, but of some sessions what is known now."""
        made = self.copy()
        for key in keys:
            made.drop(key)
        for key, value in newer.items():
            made.put(key, value)
        return made


class NumberColumn(NumberedColumn[T]):
    """Whole numbers, or any with `floats`."""

    def __init__(self, floats: bool = False) -> None:
        self._cells: array[Any] = array("d" if floats else "i")
        self._nothing: Any = math.nan if floats else -_NARROW

    def put(self, key: int, value: T) -> None:
        missing = key + 1 - len(self._cells)
        if missing > 0:
            self._cells.extend([self._nothing] * missing)
        number: Any = value
        if self._cells.typecode == "i" and not -_NARROW < number < _NARROW:
            self._widen()
        self._cells[key] = number

    def _widen(self) -> None:
        """For a number that is greater than those of most columns."""
        nothing = -_WIDE
        cells = (nothing if one == self._nothing else one for one in self._cells)
        self._cells, self._nothing = array("q", cells), nothing

    def drop(self, key: int) -> None:
        if key in self:
            self._cells[key] = self._nothing

    def copy(self) -> "NumberColumn[T]":
        made = NumberColumn[T]()
        made._cells, made._nothing = self._cells[:], self._nothing
        return made

    def _found(self, key: int) -> T | None:
        value = self._cells[key] if 0 < key < len(self._cells) else self._nothing
        # What is no number is not equal to itself.
        return None if value == self._nothing or value != value else value

    def __iter__(self) -> Iterator[int]:
        nothing = self._nothing
        return (at for at, one in enumerate(self._cells) if at and one == one and one != nothing)


class NameColumn(NumberedColumn[str]):
    """Texts of which most sessions have one of a few."""

    def __init__(self) -> None:
        self._cells = array("I")
        self._names: list[str] = []
        self._numbers: dict[str, int] = {}

    def put(self, key: int, value: str) -> None:
        missing = key + 1 - len(self._cells)
        if missing > 0:
            self._cells.extend([0] * missing)
        number = self._numbers.get(value)
        if number is None:
            self._names.append(value)
            number = self._numbers[value] = len(self._names)
        self._cells[key] = number

    def drop(self, key: int) -> None:
        if key in self:
            self._cells[key] = 0

    def copy(self) -> "NameColumn":
        made = NameColumn()
        made._cells, made._names = self._cells[:], self._names[:]
        made._numbers = dict(self._numbers)
        return made

    def _found(self, key: int) -> str | None:
        number = self._cells[key] if 0 < key < len(self._cells) else 0
        return self._names[number - 1] if number else None

    def __iter__(self) -> Iterator[int]:
        return (at for at, number in enumerate(self._cells) if at and number)


class TextColumn(NumberedColumn[str]):
    """Texts of all kinds, as one piece of bytes."""

    def __init__(self) -> None:
        self._text = bytearray()
        self._ends = array("Q", [0])
        """Where each text ends; the first entry belongs to none."""
        self._keys = array("i", [0])
        """Whose each is; none where there is a newer one."""
        self._at = array("i")
        """By key, which of them is its text."""

    @classmethod
    def of(cls, texts: Iterable[tuple[int, str]]) -> "TextColumn":
        made = cls()
        for key, text in texts:
            made.put(key, text)
        return made

    def put(self, key: int, value: str) -> None:
        self.drop(key)
        missing = key + 1 - len(self._at)
        if missing > 0:
            self._at.extend([0] * missing)
        self._text += value.encode("utf-8", "surrogatepass")
        self._at[key] = len(self._ends)
        self._ends.append(len(self._text))
        self._keys.append(key)

    def drop(self, key: int) -> None:
        if 0 < key < len(self._at):
            self._keys[self._at[key]] = 0
            self._at[key] = 0

    def copy(self) -> "TextColumn":
        made = TextColumn()
        made._text, made._ends = self._text[:], self._ends[:]
        made._keys, made._at = self._keys[:], self._at[:]
        return made

    def _found(self, key: int) -> str | None:
        at = self._at[key] if 0 < key < len(self._at) else 0
        return self._stored(at) if at else None

    def _stored(self, at: int) -> str:
        return self._text[self._ends[at - 1] : self._ends[at]].decode("utf-8", "surrogatepass")

    def __contains__(self, key: object, /) -> bool:
        return isinstance(key, int) and 0 < key < len(self._at) and self._at[key] > 0

    def __iter__(self) -> Iterator[int]:
        return filter(None, self._keys)

    def holding(self, word: str) -> dict[int, str]:
        """The texts that hold a word; one look through all bytes, since letters in UTF-8 are found
        as bytes are."""
        sought = word.encode("utf-8", "surrogatepass")
        found: dict[int, str] = {}
        start = self._text.find(sought) if sought else -1
        while start >= 0:
            at = bisect_right(self._ends, start)
            within = at < len(self._ends) and start + len(sought) <= self._ends[at]
            if within and self._keys[at]:
                found[self._keys[at]] = self._stored(at)
            start = self._text.find(sought, self._ends[at] if within else start + 1)
        return found if sought else dict(self.items())
