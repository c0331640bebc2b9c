"""The files that Hermes keeps of a session in the folder `sessions` beside its state file.

They are looked for by name and measured, never opened. Only ids that are plain names are looked
for: any other could lead out of the folder.
"""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from explorer.model import SAFE_ID
from explorer.render.amounts import count, size
from explorer.store.base import Section
from explorer.store.read_only import CancelToken

FOLDER = "sessions"
NAMED = 20
"""Files that are named; of more there is only the number."""

_BETWEEN_CHECKS = 1000


def files_of(path: Path, ids: Sequence[str], token: CancelToken) -> Section:
    """The state file and what lies beside it about these sessions."""
    folder = path.absolute().parent / FOLDER
    rows = [("State file", str(path.absolute()))]
    names = [id_ for id_ in ids if re.fullmatch(SAFE_ID, id_)]
    try:
        found = sorted(_found(folder, names, token))
    except FileNotFoundError:
        found = []
    except OSError as error:
        return Section("Files", (*rows, ("Beside it", f"{folder}: {error.strerror}")))
    if found:
        rows.append(("Folder", str(folder)))
    rows += [(label, f"{name} · {size(length)}") for label, name, length in found[:NAMED]]
    if len(found) > NAMED:
        rest = found[NAMED:]
        rows.append(("More", f"{count(len(rest))} · {size(sum(length for *_, length in rest))}"))
    if not found:
        rows.append(("Beside it", "no file of this session"))
    return Section("Files", tuple(rows))


def _found(folder: Path, ids: Iterable[str], token: CancelToken) -> Iterator[tuple[str, str, int]]:
    """(what it is, name, size): one walk through the folder, which may hold 100,000 files."""
    known: dict[str, str] = {}
    for id_ in ids:
        known[f"{id_}.json"] = known[f"{id_}.jsonl"] = "Transcript"
        known[f"session_{id_}.json"] = "Snapshot"
    dumps = tuple(f"request_dump_{id_}_" for id_ in ids)
    with os.scandir(folder) as entries:
        for number, entry in enumerate(entries):
            if number % _BETWEEN_CHECKS == 0:
                token.check()
            label = known.get(entry.name)
            if label is None and entry.name.startswith(dumps):
                label = "Request dump"
            if label is not None and entry.is_file(follow_symlinks=False):
                yield label, entry.name, entry.stat(follow_symlinks=False).st_size
