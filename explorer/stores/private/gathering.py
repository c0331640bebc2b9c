"""From stored rows and objects to the people and chats in them."""

from collections.abc import Iterable, Mapping, Sequence

from explorer.stores.private.fields import (
    CHAT_TYPE,
    DIRECT,
    IDS,
    KEYS,
    NAMES,
    OBJECTS,
    PLATFORM,
    RAW_IDS,
)
from explorer.stores.private.hiding import Hiding
from explorer.stores.private.marks import Who
from explorer.stores.sqlite import cells

DEEPEST = 6
"""Objects inside of objects."""
WANTED = frozenset((*IDS, *NAMES, *KEYS, *OBJECTS))
"""Columns that hold people and chats."""
CONTEXT = (*PLATFORM, CHAT_TYPE)
"""Columns that tell what they are."""


class Gathering:
    """Has what it finds hidden from then on."""

    def __init__(self, hiding: Hiding) -> None:
        self._hiding = hiding

    def take(self, rows: Iterable[Sequence[object]], names: Sequence[str], table: str) -> None:
        """Rows of a table with these columns."""
        usual = table.partition("_")[0] if "_dm_" in table else ""
        for row in rows:
            told = {name: cells.words(cell) for name, cell in zip(names, row, strict=True) if cell}
            if told:
                self._row(told, usual)

    def _row(self, told: Mapping[str, str], usual: str) -> None:
        platform = next((told[name] for name in PLATFORM if told.get(name)), usual)
        direct = told.get(CHAT_TYPE) == DIRECT
        for name in OBJECTS:
            if name in told:
                # First, because it tells people from chats.
                self.look_into(cells.decoded(told[name]), platform, direct)
        self._member(told, platform, direct)

    def look_into(self, value: object, platform: str, direct: bool, depth: int = 0) -> None:
        """A value that was JSON, from a chat on this platform; `direct` with one person."""
        if depth > DEEPEST:
            return
        if isinstance(value, list):
            for inner in value:
                self.look_into(inner, platform, direct, depth + 1)
        if not isinstance(value, dict):
            return
        texts = {
            name: str(inner)
            for name, inner in value.items()
            if isinstance(name, str) and isinstance(inner, str | int) and inner is not True
        }
        platform = texts.get("platform") or platform
        direct = texts.get(CHAT_TYPE, DIRECT if direct else "") == DIRECT
        for inner in value.values():
            if isinstance(inner, dict | list):
                self.look_into(inner, platform, direct, depth + 1)
        self._member(texts, platform, direct)

    def _member(self, told: Mapping[str, str], platform: str, direct: bool) -> None:
        raw = platform.lower() in RAW_IDS
        add = self._hiding.add
        for name, text in told.items():
            if name in NAMES:
                who = Who.USER if direct and name in ("display_name", "chat_name") else NAMES[name]
                add(who, text, name=True)
            elif name in IDS and (not raw or text.startswith("+")):
                add(IDS[name], text)
                if ":" in text:
                    add(IDS[name], text.rpartition(":")[2])
            elif name in KEYS:
                self.key(text)

    def key(self, key: str) -> None:
        """`agent:PROFILE:PLATFORM:TYPE:ID…`: the ids, which may be in no other place."""
        parts = key.split(":")
        if len(parts) > 4 and parts[0] == "agent" and parts[2].lower() not in RAW_IDS:
            for part in parts[4:]:
                self._hiding.add(Who.CHAT, part)
