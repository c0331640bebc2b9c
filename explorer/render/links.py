"""The addresses in a text that a browser may be sent to: http and https, and nothing else."""

import re

MOST = 50
_ADDRESS = r"https?://[^\s<>\"'`\\^{}|\x00-\x20\x7f-\xa0]{3,2000}"
_PAIRS = {")": "(", "]": "["}


def addresses(text: str, limit: int = 200_000) -> list[str]:
    """Each address once, in the order of the text, without what a sentence puts behind it."""
    found = (_trimmed(match[0]) for match in re.finditer(_ADDRESS, text[:limit]))
    safe = (address for address in found if address.isprintable())
    return list(dict.fromkeys(safe))[:MOST]


def _trimmed(address: str) -> str:
    while address and (
        address[-1] in ".,;:!?*_~"
        or (
            address[-1] in _PAIRS
            and address.count(_PAIRS[address[-1]]) < address.count(address[-1])
        )
    ):
        address = address[:-1]
    return address


def code_of(text: str) -> str:
    """What stands in the fences of a text, one piece below the other."""
    pieces = re.findall(r"(?ms)^[ >]*(`{3,}|~{3,})[^\n]*\n(.*?)(?:^[ >]*\1|\Z)", text)
    return "\n".join(piece.rstrip("\n") for _, piece in pieces)
