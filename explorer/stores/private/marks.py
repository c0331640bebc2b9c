"""From a person or a chat to a short mark, always the same one.

`user_` or `chat_` and the first 12 digits of an HMAC-SHA-256 with our own key. However a phone
number is written, it has one mark. A chat id keeps the platform in front of it.
"""

import hmac
import re
import unicodedata
from enum import StrEnum
from functools import lru_cache

DIGITS = 12


class Who(StrEnum):
    """What a mark stands for."""

    USER = "user"
    CHAT = "chat"


class Marks:
    """The marks that one key makes."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self.of = lru_cache(maxsize=50_000)(self._of)
        """The mark of a person or chat, by its `plain` form."""

    def _of(self, who: Who, plain: str) -> str:
        made = hmac.new(self._key, plain.encode("utf-8", "surrogatepass"), "sha256").hexdigest()
        return f"{who}_{made[:DIGITS]}"


_ADDRESS = r"(\+?\d{5,20})(?::\d+)?@(?:s\.whatsapp\.net|c\.us|lid|g\.us|broadcast)"


def plain(value: str) -> str:
    """What the different ways to write a value have in common: of a number its digits, of anything
    else its letters, small and composed."""
    value = value.strip()
    address = re.fullmatch(_ADDRESS, value)
    value = address[1] if address else value
    if re.fullmatch(r"[+\d() ./-]+", value):
        digits = re.sub(r"\D", "", value)
        if len(digits) > 4:
            return digits
    return unicodedata.normalize("NFC", value).lower()
