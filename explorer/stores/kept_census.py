"""The census of a state file, kept for the next command, together with the stamp of the file.

Counting what is hidden takes a look at every session: a fifth of a second of 100,000, and half as
long again for a whole catalog. A file whose size, times and identity are unchanged since then has
the same sessions, so what was counted is read back from our cache folder. It holds numbers, times
and the names of sources, and no text of a session. It can be deleted at any time. Whatever is wrong
with it, it is ignored and written anew.
"""

import json
import os
import stat
import time
from array import array
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from explorer.model import Hidden, Kind
from explorer.stores.catalog import Catalog, Link, Mark
from explorer.stores.census import Census
from explorer.stores.sqlite.read_only import Stamp, stamp

try:
    # What `hashlib` gives for it; loading all of that takes 2 ms.
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

FORM = 4
"""Raise it when the form of the file or the meaning of a census changes."""
WORTH = 0.01
"""Seconds that reading a census takes from which on it is worth keeping."""
SETTLED = 2.0
"""Seconds for which a file must not have been written: a clock of the file system may be coarse."""
MOST = 200_000_000
"""Bytes of such a file: a million sessions take 30 MB."""
KEPT = 90 * 86_400.0
"""Seconds after which what was kept of a file is deleted, if it was not written anew."""
_DIGEST = 16
_KINDS = tuple(Kind)


class KeptCensus(NamedTuple):
    """A census, and what it was read for."""

    census: Census
    asked: str


def census_of(
    path: Path,
    folder: Path,
    of: str,
    read: Callable[[], Census],
    tells: Callable[[Census], bool] = lambda kept: True,
    asked: str = "",
) -> Census:
    """A census of the file at `path`: the kept one if the file has not changed since and it tells
    what is wanted, else what `read` gives, which is kept if that took long. To read for the same
    that was `asked` before would tell no more.

    One is kept `of` all sessions, another of the newest: a short list needs only that, which is
    read back in no time."""
    now = stamp(path)
    if now is None:
        return read()
    digest = blake2b(os.fsencode(os.path.realpath(path)), digest_size=_DIGEST).hexdigest()
    kept = folder / f"{digest}-{of}"
    known = _unpacked(_content(kept), now)
    if known is not None and (known.asked == asked or tells(known.census)):
        return known.census
    begun = time.monotonic()
    found = read()
    worth = time.monotonic() - begun >= WORTH and isinstance(found.known.mark, Mark)
    if worth and stamp(path) == now and time.time() - now.written > SETTLED:
        # Not where there is no room or no right: the next command reads it all again.
        with suppress(OSError):
            _write(kept, _packed(KeptCensus(found, asked), now))
    return found


def _content(path: Path) -> bytes:
    """Of a file of this user; no other, and no pipe, which would never end."""
    try:
        about = os.lstat(path)
        plain = stat.S_ISREG(about.st_mode) and about.st_uid == os.getuid()
        return path.read_bytes() if plain and about.st_size <= MOST else b""
    except OSError:
        return b""


def _write(path: Path, content: bytes) -> None:
    """As a whole or not at all."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    made = f"{path}.{os.getpid()}"
    try:
        with open(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as opened:
            opened.write(content)
        os.replace(made, path)
    except OSError:
        with suppress(OSError):
            os.unlink(made)
        raise
    _sweep(path.parent)


def _sweep(folder: Path) -> None:
    """Files of stores that are gone."""
    for old in os.scandir(folder):
        if time.time() - old.stat(follow_symlinks=False).st_mtime > KEPT:
            os.unlink(old.path)


def _packed(kept: KeptCensus, now: Stamp) -> bytes:
    census, asked = kept
    catalog = census.known
    names = {name: number for number, name in enumerate(catalog.source_names)}
    tips = (key for key in catalog.keys if catalog.tip(key) == key)
    several = [chain for key in tips if len(chain := catalog.chain(key)) > 1]
    links = catalog.links.items()
    columns: Sequence[tuple[str, Iterable[float]]] = (
        ("q", catalog.keys),
        ("d", catalog.active),
        ("q", (names[catalog.source(key)] for key in catalog.keys)),
        ("q", sorted(catalog.archived)),
        ("q", sorted(catalog.empty)),
        ("q", sorted(catalog.pinned)),
        ("q", sorted(catalog.hidden)),
        ("q", (key for key, _ in links)),
        ("q", (_KINDS.index(link.kind) for _, link in links)),
        ("q", (link.restored for _, link in links)),
        ("q", (link.parent is not None for _, link in links)),
        ("q", (link.parent or 0 for _, link in links)),
        ("q", (len(chain) for chain in several)),
        ("q", (key for chain in several for key in chain)),
    )
    arrays = [array(code, values) for code, values in columns]
    head = {
        "form": FORM,
        "stamp": now,
        "asked": asked,
        "mark": catalog.mark,
        "sound": catalog.sound,
        "sources": catalog.source_names,
        "others": [
            (source, reason and reason.value, number)
            for (source, reason), number in census.others.items()
        ],
        "since": census.since,
        "columns": [[one.typecode, len(one)] for one in arrays],
    }
    content = json.dumps(head).encode() + b"\n" + b"".join(one.tobytes() for one in arrays)
    return content + blake2b(content, digest_size=_DIGEST).digest()


def _unpacked(content: bytes, now: Stamp) -> KeptCensus | None:
    """What was kept, if it is that of the file as it is now."""
    content, digest = content[:-_DIGEST], content[-_DIGEST:]
    if not content or blake2b(content, digest_size=_DIGEST).digest() != digest:
        return None
    line, _, body = content.partition(b"\n")
    try:
        head = json.loads(line)
        if head["form"] != FORM or head["stamp"] != json.loads(json.dumps(now)):
            return None
        arrays, at = [], 0
        for code, length in head["columns"]:
            column = array(code)
            column.frombytes(body[at : at + length * column.itemsize])
            at += length * column.itemsize
            arrays.append(column)
        known = _made(arrays, head["sources"], Mark(*head["mark"]), head["sound"])
        others = {
            (source, reason and Hidden(reason)): number for source, reason, number in head["others"]
        }
        return KeptCensus(Census(known, others, head["since"]), head["asked"])
    except (ValueError, TypeError, LookupError):
        return None


def _made(
    arrays: Sequence["array[float]"], sources: Sequence[str], mark: Mark, sound: bool
) -> Catalog:
    keys, active, numbers, archived, empty, pinned, hidden, *linked, lengths, members = arrays
    links = {
        int(key): Link(_KINDS[int(kind)], int(parent) if has else None, bool(restored))
        for key, kind, restored, has, parent in zip(*linked, strict=True)
    }
    chains, at = [], 0
    for length in map(int, lengths):
        chains.append(tuple(map(int, members[at : at + length])))
        at += length
    return Catalog(
        keys=list(map(int, keys)),
        active=active,
        sources=[sources[int(number)] for number in numbers],
        links=links,
        chains=chains,
        archived=_ints(archived),
        empty=_ints(empty),
        mark=mark,
        pinned=_ints(pinned),
        hidden=_ints(hidden),
        sound=sound,
    )


def _ints(column: "array[float]") -> frozenset[int]:
    return frozenset(map(int, column))
