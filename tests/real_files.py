"""State files that the real agents wrote, with invented text; compressed in `data/`.

v2 and v6 follow the early schemas, v11, v16 and v22 come from Hermes 0.13.0, 0.17.0 and 0.19.0.
"""

import lzma
from functools import cache
from pathlib import Path

DATA = Path(__file__).parent / "data"

HERMES_FILES = ("hermes-v2", "hermes-v6", "hermes-v11", "hermes-v16", "hermes-v22")
POWER_LOOP_FILES = ("power-loop-0.2.0", "power-loop-8.0.0")
REAL_FILES = (*HERMES_FILES, *POWER_LOOP_FILES)


@cache
def _content(name: str) -> bytes:
    return lzma.decompress((DATA / f"{name}.db.xz").read_bytes())


def unpack(name: str, folder: Path) -> Path:
    """A fresh copy of one of the files, which a test may change."""
    path = folder / f"{name}.db"
    path.write_bytes(_content(name))
    return path
