"""Reading a short conversation and a long one: from a key to what it paints of the transcript."""

import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import NamedTuple

from bench.conversations import FAR, Conversation
from bench.measure import peak_mb, timing
from bench.report import Aim, Table, at_most, below, ms, times
from bench.using import BACKSPACE, ESCAPE, PAGE_DOWN, Using, counted

LONG_AGAINST_SHORT = 2.0
FIND_ALL = 5_000.0
MOST = 200.0
PAGES, JUMPS = 2, 2
"""Times in a round."""
FOUND = 2
"""Rounds in which all matches are waited for, which takes seconds."""
NORMAL, WIDE = (120, 40), (200, 40)
THERE, AWAY = b"there", b"away"
"""To the session, and back to the one between the two."""
ENTER, LEAVE, FIND = b"\r", b"h", b"\x06"
PAUSE, LONGER = 0.03, 0.1
"""Seconds after a step, and after one that paints no sentence; then it is the other's turn. What is
near is read in this time."""
QUIET = 0.2
"""Seconds without output after which nothing more will come."""
TRIES = 50
"""So often on a busy machine, where something must come."""

OPEN, FIRST, ALL, WIDER = "the cursor comes to it", "first match", "all matches", "wider terminal"
CASES = (OPEN, "`PgDn`", "`G`", "`g`", "`T`", "`o`", FIRST, ALL, WIDER)

TEXT = """
From a key press until the terminal has received the changed transcript, down to the last sentence
that was not visible before. The floor is a short conversation. The long one starts with the same
messages, except that the third has {size} MB. `T` expands all reasoning and collapses it again; `o`
shows more of all tool calls, then less. The first match is outside the visible text; its time runs
from the last letter of the word. Both conversations are open side by side and get each key in turn.
Half as many rounds, and all matches in only {found} of them.
"""
MEMORY = """
The peak memory of the process after everything in the table above. Measured once.
"""


class Step(NamedTuple):
    """Something that is done to an app."""

    case: str
    """What it is measured for; nothing where it only leads on."""
    does: bytes | tuple[int, int]
    """Keys, or another size of the terminal."""


class Reading:
    """Both conversations, and what reading them took."""

    def __init__(self, short: Conversation, long: Conversation) -> None:
        self._both = short, long
        self._size = long.big
        self._most: dict[str, float] = {}

    def speed(self, rounds: int) -> Table:
        taken = self._read(max(rounds // 2, 1))
        text = TEXT.format(size=f"{self._size / 1e6:g}", found=FOUND)
        headings = ("what", "messages", "median", "fastest", "p95", "x short", "x (fastest)")
        table = Table("Reading", text, headings)
        short, long = self._both
        for case in CASES:
            floor, timed = (timing(taken[case, one.name]) for one in self._both)
            ratio = timed.median / floor.median
            table.add(case, short.name, ms(floor.median), ms(floor.min), ms(floor.p95), "", "")
            table.add(
                case,
                long.name,
                ms(timed.median),
                ms(timed.min),
                ms(timed.p95),
                times(ratio),
                times(timed.min / floor.min),
                aim=_aim(case, ratio, timed.median),
            )
        return table

    def memory(self, rounds: int) -> Table:
        """After `speed`."""
        table = Table("Memory of reading", MEMORY, ("what", "messages", "MB"))
        for one, most in self._most.items():
            table.add("the app", one, f"{most:.0f}", aim=below(most, MOST, "MB"))
        return table

    def _read(self, rounds: int) -> dict[tuple[str, str], list[float]]:
        taken: dict[tuple[str, str], list[float]] = {}
        with ExitStack() as stack:
            readers = [_Reader(one, stack.enter_context(_App(one.path))) for one in self._both]
            marks = readers[0].learn()
            for number in range(rounds + 1):
                for step, mark in zip(_steps(), marks, strict=True):
                    for reader in readers:
                        if step.case == ALL and not 1 <= number <= FOUND:
                            continue
                        spent = reader.take(step, mark)
                        if number:
                            taken.setdefault((step.case, reader.name), []).append(spent)
            self._most = {reader.name: peak_mb(reader.pid) for reader in readers}
        return taken


def _aim(case: str, ratio: float, median: float) -> Aim:
    return below(median, FIND_ALL, "ms") if case == ALL else at_most(ratio, LONG_AGAINST_SHORT)


def _steps() -> Iterator[Step]:
    """A round, which begins and ends in the list, beside the session."""
    yield Step(OPEN, THERE)
    yield Step("", ENTER)
    for _ in range(PAGES):
        yield Step("`PgDn`", PAGE_DOWN)
    yield Step("", b"g")
    for _ in range(JUMPS):
        yield Step("`G`", b"G")
        yield Step("`g`", b"g")
    for key in (b"T", b"T", b"o", b"o", b"o"):
        yield Step(f"`{key.decode()}`", key)
    yield Step("", FIND)
    yield Step("", FAR[:-1].encode())
    yield Step(FIRST, FAR[-1].encode())
    yield Step("", BACKSPACE)
    yield Step(ALL, FAR[-1].encode())
    yield Step("", ESCAPE)
    yield Step("", b"g")
    yield Step(WIDER, WIDE)
    yield Step("", NORMAL)
    yield Step("", LEAVE)
    yield Step("", AWAY)


class _App(Using):
    """Records what is painted, for callers that need to know in advance."""

    def painted(self) -> bytes:
        """All that is painted until nothing more comes."""
        seen = b""
        while self._ready(QUIET):
            read = self._read(0)
            if read is None:
                raise RuntimeError("ended while it was used")
            seen += read
        return seen


class _Reader:
    """An app with the cursor on the session between the two."""

    def __init__(self, conversation: Conversation, app: _App) -> None:
        self._app = app
        self._read = conversation
        short = conversation.letter == "s"
        self._keys = {THERE: b"k", AWAY: b"j"} if short else {THERE: b"j", AWAY: b"k"}
        app.until(counted())
        app.send(b"j")
        app.painted()

    @property
    def name(self) -> str:
        return self._read.name

    @property
    def pid(self) -> int:
        return self._app.pid

    def learn(self) -> Sequence[str]:
        """Go through a round at leisure: the mark that each step paints last of those that were
        not visible before, or nothing."""
        marks: list[str] = []
        before: list[bytes] = []
        for step in _steps():
            self._do(step)
            seen, new = self._painted(before)
            for _ in range(TRIES if step.case not in ("", ALL) else 0):
                if new:
                    break
                more, new = self._painted(before)
                seen += more
            before = seen or before
            marks.append(new[-1].decode() if new else "")
        return marks

    def _painted(self, before: Sequence[bytes]) -> tuple[list[bytes], list[bytes]]:
        """(the marks that are painted until nothing more comes, those that were not there)."""
        seen = re.findall(rb"\([lns]\d+\.\d+\)", self._app.painted())
        return seen, [mark for mark in seen if mark not in before]

    def take(self, step: Step, mark: str) -> float:
        """Milliseconds from a step until its mark is painted."""
        self._do(step)
        if step.case == ALL:
            total = f"1 of {self._read.matches:,}".encode()
            whole = re.compile(re.escape(total) + rb"[^\d,+]")
            return self._app.until_seen(whole.search, "the number of all matches")
        if not mark:
            self._app.rest(LONGER)
            return 0
        own = mark.replace("(s", f"({self._read.letter}")
        taken = self._app.until(self._read.ends_with if step.does == b"G" else own)
        self._app.rest(PAUSE)
        return taken

    def _do(self, step: Step) -> None:
        if isinstance(step.does, tuple):
            self._app.resize(*step.does)
        else:
            self._app.send(self._keys.get(step.does, step.does))
