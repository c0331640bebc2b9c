"""State files that the real agents wrote, with invented text; compressed in `data/`.

v2 and v6 follow the early schemas, v11, v16 and v22 come from Hermes 0.13.0, 0.17.0 and 0.19.0.
The releases of power-loop ran the same talk: with an LLM that follows a script, tools, two
summaries, subagents, and a send that was interrupted.
"""

import lzma
from functools import cache
from pathlib import Path

DATA = Path(__file__).parent / "data"

HERMES_FILES = ("hermes-v2", "hermes-v6", "hermes-v11", "hermes-v16", "hermes-v22")
POWER_LOOP_FILES = ("power-loop-0.2.0", "power-loop-8.0.0")
POWER_LOOP_RELEASES = ("power-loop-1.0.0", "power-loop-3.17.0", "power-loop-8.0.0-sends")
REAL_FILES = (*HERMES_FILES, *POWER_LOOP_FILES)


@cache
def _content(name: str) -> bytes:
    return lzma.decompress((DATA / f"{name}.db.xz").read_bytes())


def unpack(name: str, folder: Path) -> Path:
    """A fresh copy of one of the files, which a test may change."""
    path = folder / f"{name}.db"
    path.write_bytes(_content(name))
    return path
