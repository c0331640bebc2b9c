"""A state file of two conversations: a short one, and one that starts with the same messages, has
thousands more, and has a result of megabytes among the first.

Almost every sentence has a mark of its own, like (s4.2) or (l4.2), so that it is recognised when it
is painted. The first of each message has none, because lists show it too.
"""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from bench.generate import NOW, insert, kept
from bench.rows import MESSAGE_COLUMNS, Row
from bench.words import Phrases, phrases

EDITION = 1
"""Part of each file's name: raise it when the same lengths would give other rows."""
TURNS = "uctctauctauauctaucta"
"""As in `bench.rows`; the long conversation goes on with the same."""
SHORT = len(TURNS)
BIG = 2
"""The message that holds megabytes."""
NEAR, FAR = "quillwork", "quillwort"
"""A word of the first message, and one that is first said out of sight."""
FAR_AT = 10
SESSION_COLUMNS = (
    "id, source, model, system_prompt, started_at, message_count, tool_call_count, title, archived"
)
MODEL = "anthropic/claude-sonnet-4.5"
PACE = 7.0


@dataclass(frozen=True, slots=True)
class Lengths:
    """How long the long conversation is."""

    messages: int
    """A multiple of the short one's."""
    big: int
    """Bytes of its greatest message."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """One of the two, in the file of both."""

    path: Path
    letter: str
    messages: int
    big: int = 0
    """Bytes of its greatest message, if that is special."""

    @property
    def name(self) -> str:
        return f"{self.messages:,}"

    @property
    def matches(self) -> int:
        """How often it contains `FAR`."""
        return self.messages // SHORT

    @property
    def ends_with(self) -> str:
        """The mark of its last sentence."""
        return f"({self.letter}{self.messages - 1}.{SENTENCES['a'] - 1})"


SENTENCES = {"u": 3, "c": 2, "t": 6, "a": 9}
"""In a message of each kind."""


def conversations(lengths: Lengths, folder: Path) -> tuple[Conversation, Conversation]:
    """(short, long). In the list the short one is above the long one, and a third between them."""

    def load(db: sqlite3.Connection) -> None:
        for session, messages in _rows(lengths):
            db.execute(insert("sessions", SESSION_COLUMNS), session)
            db.executemany(insert("messages", MESSAGE_COLUMNS), messages)

    name = f"conversations-{SHORT}-{lengths.messages}-{lengths.big}-e{EDITION}"
    path = kept(name, folder, load)
    long = Conversation(path, "l", lengths.messages, lengths.big)
    return Conversation(path, "s", SHORT), long


def _rows(lengths: Lengths) -> Iterator[tuple[Row, list[Row]]]:
    pool = phrases(1)
    for letter, name, messages, ended in (
        ("l", "The long one", lengths.messages, NOW - 7_200),
        ("n", "Neither of them", 2, NOW - 3_600),
        ("s", "The short one", SHORT, NOW - 60),
    ):
        began = ended - messages * PACE
        speaker = _Speaker(pool, letter)
        said = [speaker.message(at, began + at * PACE) for at in range(messages)]
        if letter == "l":
            said[BIG] = speaker.grown(said[BIG], lengths.big)
        calls = sum(1 for row in said if row[5])
        # nothing that the first letters of `NEAR` would be found in before the first message
        prompt = " ".join(text for text in pool.sentences[:200] if NEAR[0] not in text.lower())
        yield (letter, "cli", MODEL, prompt, began, messages, calls, name, 0), said


class _Speaker:
    """Makes the messages of one conversation, in their order. All conversations say the same."""

    def __init__(self, pool: Phrases, letter: str) -> None:
        self._pool = pool
        self._letter = letter
        self._random = Random("a conversation")
        self._call = self._tool = ""

    def message(self, at: int, time: float) -> Row:
        """A row of `MESSAGE_COLUMNS`."""
        turn = TURNS[at % SHORT]
        said = self._sentences(at, SENTENCES[turn])
        if at == 0:
            said[0] += f" The {NEAR} waits."
        if at % SHORT == FAR_AT:
            said[0] += f" Then the {FAR} waits."
        role, text, made, reason, thought = "assistant", "", None, None, None
        if turn == "t":
            # more than a screen of the one that is megabytes in the long conversation
            more = self._random.choices(self._pool.sentences, k=60 if at == BIG else 12)
            lines = "\\n".join([*said, *more])
            role, text = "tool", f'{{"output": "{lines}", "exit_code": 0}}'
        elif turn == "u":
            role, text = "user", " ".join(said)
        elif turn == "c":
            self._call = f"call_{self._letter}{at:x}"
            self._tool, before, after = self._random.choice(self._pool.calls)
            made, reason = f"[{before}{self._call}{after}]", "tool_calls"
            thought = "\n".join(said)
        else:
            parts = (said[first : first + 3] for first in range(0, len(said), 3))
            text, reason = "\n\n".join(map(" ".join, parts)), "stop"
        call, tool = (self._call, self._tool) if turn == "t" else (None, None)
        return (time, self._letter, role, text, call, made, tool, reason, thought, None)

    def grown(self, row: Row, size: int) -> Row:
        """A result with so many bytes more at its end."""
        text = str(row[3])
        filling = "\\n".join(self._pool.outputs)
        filling *= size // len(filling) + 1
        # never between the two halves of a line break
        cut = filling[:size].rstrip("\\")
        end = text.index('", "exit_code"')
        return (*row[:3], f"{text[:end]}\\n{cut}{text[end:]}", *row[4:])

    def _sentences(self, at: int, number: int) -> list[str]:
        first, *others = self._random.choices(self._pool.sentences, k=number)
        marked = (f"({self._letter}{at}.{n}) {text}" for n, text in enumerate(others, 1))
        return [first, *marked]
