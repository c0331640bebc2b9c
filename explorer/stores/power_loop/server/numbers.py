"""Numbers for sessions that a server knows only by their id.

Everything above the stores knows a session by a number. A million ids as Python objects would take
200 MB, so they are kept as one piece of bytes, with a table of slots to find them again: 60 MB.
"""

import re
import threading
from array import array
from bisect import bisect_right
from collections.abc import Iterable

_FIRST_SLOTS = 1 << 10
_WIDE = "Q"
_NARROW = "I"
_NARROWEST = (1 << 32) - 1
_PIECE = 1 << 20


class SessionNumbers:
    """Gives each id the next number, from 1 on, and keeps it; any thread may ask."""

    def __init__(self) -> None:
        self._text = bytearray()
        self._ends = array(_NARROW, [0])
        """Where each id ends in the text; the first entry belongs to no id."""
        self._slots = array(_NARROW, [0]) * _FIRST_SLOTS
        """The numbers, each at the place that the hash of its id tells, or after it."""
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._ends) - 1

    def number(self, id_: str) -> int:
        with self._lock:
            return self._given(id_)

    def numbers(self, ids: Iterable[str]) -> list[int]:
        """The same of many."""
        with self._lock:
            return list(map(self._given, ids))

    def known(self, id_: str) -> int:
        """The number of an id; 0 where it has none yet."""
        with self._lock:
            return self._slots[self._slot(id_.encode("utf-8", "surrogatepass"))]

    def starting(self, text: str, most: int) -> list[int]:
        """The numbers of ids that begin with a text, at most so many; only letters of ASCII are
        alike, large or small."""
        stored = text.encode("utf-8", "surrogatepass")
        sought = re.compile(re.escape(stored), re.IGNORECASE)
        found: list[int] = []
        # Piece by piece, since no other thread can do anything while one is looked through.
        for first in range(0, len(self._text), _PIECE):
            with self._lock:
                piece = bytes(self._text[first : first + _PIECE + len(stored) - 1])
            match = sought.search(piece)
            while match and len(found) < most:
                number = bisect_right(self._ends, first + match.start())
                begins = self._ends[number - 1] == first + match.start()
                if begins and len(stored) <= self._ends[number] - self._ends[number - 1]:
                    found.append(number)
                match = sought.search(piece, match.start() + 1)
        return found

    def id(self, number: int) -> str | None:
        """The id with a number; None where no id has it."""
        if not 0 < number < len(self._ends):
            return None
        return self._stored(number).decode("utf-8", "surrogatepass")

    def _stored(self, number: int) -> bytes:
        return bytes(self._text[self._ends[number - 1] : self._ends[number]])

    def _given(self, id_: str) -> int:
        stored = id_.encode("utf-8", "surrogatepass")
        at = self._slot(stored)
        if found := self._slots[at]:
            return found
        self._text += stored
        if len(self._text) > _NARROWEST and self._ends.typecode == _NARROW:
            self._ends = array(_WIDE, self._ends)
        self._ends.append(len(self._text))
        number = self._slots[at] = len(self)
        if 2 * number > len(self._slots):
            self._grow()
        return number

    def _slot(self, stored: bytes) -> int:
        """Where the number of an id is, or belongs."""
        slots, last = self._slots, len(self._slots) - 1
        at = hash(stored) & last
        while (number := slots[at]) and self._stored(number) != stored:
            at = (at + 1) & last
        return at

    def _grow(self) -> None:
        slots = array(_NARROW, [0]) * (2 * len(self._slots))
        last = len(slots) - 1
        for number in range(1, len(self._ends)):
            at = hash(self._stored(number)) & last
            while slots[at]:
                at = (at + 1) & last
            slots[at] = number
        self._slots = slots
