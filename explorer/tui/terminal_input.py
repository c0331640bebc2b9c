"""What comes from the terminal, before it becomes keys: text, whatever the bytes are, and pastes.

Letters that come faster than anybody types are a paste, also from a terminal that does not say so:
as keys each of them would be searched for, and a line break would leave the field, so that the
rest acts on the list. Only the first one is a key, since it may be the one that opens a field.
A late reply to the question about the background is neither, however many pieces it comes in.
"""

import re
from codecs import getincrementaldecoder
from collections.abc import Generator, Iterator
from typing import NamedTuple

from explorer.tui.terminal_background import REPLY

BURST = 64
"""Characters in a row, none of them a control, that nobody has typed."""
ALIKE = 3
"""A burst of so few different characters is a key that is held down."""
REPEATED = 256
"""Presses of such a key that count."""
LONGEST_PASTE = 2_000
"""Characters of a paste that are kept: no field takes more."""
GIVE_UP_AFTER = 50
"""Quiet looks, a tenth of a second each, after which the end of a paste is taken for lost."""
REPLY_WITHIN = 30
"""The same for a reply of the terminal."""

INTERRUPT = "\x03"
"""Control+c. By itself, after a pause, it is a key that was pressed: no paste comes so slowly."""
PASTE, ITS_END = "\x1b[200~", "\x1b[201~"
_TEXT = r"[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]"
_PLAIN = re.compile(f"{_TEXT}*")
_SEQUENCE_OR_BURST = re.compile(rf"\x1b(?:\[[0-?]*[ -/]*[@-~]?|O?.?)|({_TEXT}{{{BURST},}})")
"""An arrow or a click is no text, though all of it but the first character is."""
_REPLY = re.compile(REPLY)
_REPLY_BEGUN = re.compile(r"\x1b\](?:1(?:1(?:;[a-z]{0,4}:?[0-9a-fA-F/]{0,24}\x1b?)?)?)?\Z")


class InputPiece(NamedTuple):
    """Some of the input."""

    text: str
    pasted: bool = False
    """It is one text; else keys."""


class Intake:
    """Takes bytes as they are read, and tells keys from pastes."""

    def __init__(self, awaiting: bool = False) -> None:
        """`awaiting` a reply of the terminal."""
        # A terminal may send what is no UTF-8: it must not end the app.
        self._decoder = getincrementaldecoder("utf-8")(errors="replace")
        self._paste: str | None = None
        """What has come of a paste that is under way."""
        self._marked = False
        """The terminal says where it ends; else the next control or a quiet moment is its end."""
        self._held = ""
        """The end of what was read, which may be the beginning of a mark."""
        self._quiet = 0
        self._awaiting = awaiting
        self._reply = ""
        """What has come of the reply."""
        self._escaped = False
        """An escape was the last that came: a key, or the first piece of the reply."""
        self._waited = 0

    def take(self, data: bytes) -> Iterator[InputPiece]:
        """What was read, in pieces."""
        quiet, self._quiet = self._quiet, 0
        decoded = self._decoder.decode(data)
        if self._marked and quiet and decoded == INTERRUPT:
            # Somebody wants to leave, again and again: it would never be quiet for long.
            yield self._pasted()
        if self._awaiting and self._paste is None:
            decoded = self._without_reply(decoded)
        text, self._held = self._held + decoded, ""
        while text:
            if self._paste is None:
                text = yield from self._keys(text)
            elif self._marked:
                text = yield from self._until_mark(text)
            else:
                text = yield from self._until_control(text)

    def quiet(self) -> Iterator[InputPiece]:
        """Nothing has come for a moment."""
        self._quiet += 1
        if self._awaiting:
            self._waited += 1
            if self._waited >= REPLY_WITHIN:
                self._awaiting = False
                yield InputPiece(self._reply if len(self._reply) < len("\x1b]1") else "")
                self._reply = ""
        if self._marked and self._quiet < GIVE_UP_AFTER:
            return
        held, self._held = self._held, ""
        if self._paste is not None:
            yield self._pasted()
        elif held:
            yield InputPiece(held)

    def _without_reply(self, text: str) -> str:
        """What is left for keys and pastes; the beginning of a reply is held back."""
        if not text:
            return ""
        stray = self._escaped and "]11;".startswith(text[:4])
        text = self._reply + ("\x1b" if stray else "") + text
        self._reply, self._escaped = "", text.endswith("\x1b")
        if found := _REPLY.search(text):
            self._awaiting = False
            return text[: found.start()] + text[found.end() :]
        if begun := _REPLY_BEGUN.search(text):
            self._reply, self._escaped = begun.group(), False
            return text[: begun.start()]
        return text

    def _keys(self, text: str) -> Generator[InputPiece, None, str]:
        before, mark, after = text.partition(PASTE)
        found = _SEQUENCE_OR_BURST.finditer(before)
        burst = next((one for one in found if one.group(1)), None)
        if burst is not None:
            yield InputPiece(before[: burst.start()])
            return (yield from self._burst(burst.group(), text[burst.end() :]))
        if mark:
            yield InputPiece(before)
            self._paste, self._marked = "", True
            return after
        # An escape alone is a key, and one with a bracket may be.
        self._held = _begun(PASTE, text, at_least=3)
        yield InputPiece(text.removesuffix(self._held))
        return ""

    def _burst(self, burst: str, after: str) -> Generator[InputPiece, None, str]:
        if len(set(burst)) <= ALIKE:
            yield InputPiece(burst[:REPEATED])
            return after
        yield InputPiece(burst[0])
        self._paste, self._marked = "", False
        return burst[1:] + after

    def _until_control(self, text: str) -> Generator[InputPiece, None, str]:
        plain = _PLAIN.match(text)
        end = plain.end() if plain else 0
        self._keep(text[:end])
        if end < len(text):
            yield self._pasted()
        return text[end:]

    def _until_mark(self, text: str) -> Generator[InputPiece, None, str]:
        before, mark, after = text.partition(ITS_END)
        if mark:
            self._keep(before)
            yield self._pasted()
            return after
        self._held = _begun(ITS_END, text)
        self._keep(text.removesuffix(self._held))
        return ""

    def _keep(self, text: str) -> None:
        kept = self._paste or ""
        self._paste = kept + text[: LONGEST_PASTE - len(kept)]

    def _pasted(self) -> InputPiece:
        text, self._paste, self._marked = self._paste or "", None, False
        return InputPiece(text.replace("\0", ""), pasted=True)


def _begun(mark: str, text: str, at_least: int = 1) -> str:
    """The end of a text that may be the beginning of a mark."""
    ends = (mark[:length] for length in range(len(mark) - 1, at_least - 1, -1))
    return next((end for end in ends if text.endswith(end)), "")
