"""Until when a process holds a session, by what the agents write down; which processes are alive.

A lease of a dead process holds nothing. A process number says little by itself: an agent in a
container counts its own processes, and on another machine the number means another program. So a
process counts as dead only where all processes of a Linux machine can be seen, those in containers
included.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from explorer.stores.sqlite import cells
from explorer.stores.sqlite.schema import quoted
from explorer.stores.table_reader import KnownTables

Ask = Callable[[str, Sequence[object]], Iterable[Sequence[object]]]

MOST = 200
"""Leases that are looked at, those that last longest first: ended ones may be left behind, one for
each conversation."""


def leases(
    ask: Ask, schema: KnownTables, table: str, column: str, sql: str = ""
) -> dict[str, float]:
    """Until when each session is held, by its id in a column of a table of leases; `sql` is what
    SQL calls the table, where that is more than its name."""
    if not schema.has(table, column, "expires_at"):
        return {}
    rows = list(
        ask(
            f"SELECT t.{quoted(column)}, t.expires_at, {schema.pick(table, 't', ('holder',))}"
            f" FROM {sql or quoted(table)} t ORDER BY t.expires_at DESC LIMIT {MOST}",
            (),
        )
    )
    dead = surely_dead({cells.words(holder) for _, _, holder in rows})
    held: dict[str, float] = {}
    for cell, until, holder in rows:
        time = cells.seconds(until)
        if time is not None and cells.words(holder) not in dead:
            held = later(held, {cells.words(cell): time})
    return held


def later(held: Mapping[str, float], more: Mapping[str, float]) -> dict[str, float]:
    """Both together, of each session the time that is later."""
    return {**held, **{id_: max(time, held.get(id_, 0.0)) for id_, time in more.items()}}


_FIRST = "pid:[4026531836]"
"""The namespace in which a Linux machine starts: from here all processes can be seen."""
_HOLDER = re.compile(r"(?:\A|[^\w])pid=(\d{1,9})(?!\d)")


def surely_dead(holders: Iterable[str]) -> set[str]:
    """Those of these holders (`pid=123:…`) that name a process which is not there any more."""
    gone: dict[str, int] = {}
    for holder in holders:
        found = _HOLDER.search(holder)
        number = int(found[1]) if found else 0
        if number and not _alive(number):
            gone[holder] = number
    if not gone or not sees_all():
        return set()
    elsewhere = _numbers_in_containers()
    return {holder for holder, number in gone.items() if number not in elsewhere}


def sees_all() -> bool:
    """Whether every process of this machine can be seen from here."""
    try:
        own = os.readlink("/proc/self/ns/pid")
    except OSError:
        return False
    # Where the processes of others are kept from us, the first one is.
    return own == _FIRST and os.path.exists("/proc/1/status")


def _alive(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _numbers_in_containers() -> set[int]:
    """What the processes in containers are called in there."""
    found: set[int] = set()
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/status", encoding="utf-8", errors="replace") as status:
                    lines = [line for line in status if line.startswith("NSpid:")]
            except OSError:
                continue
            found.update(int(number) for line in lines for number in line.split()[2:])
    return found


def holders(names: Sequence[str]) -> set[int] | None:
    """The other processes that have one of these files open; None where that cannot be known, since
    not all processes, or not all of what one has open, can be seen from here."""
    if not sees_all():
        return None
    wanted = {(found.st_dev, found.st_ino) for found in map(os.stat, names)}
    found: set[int] = set()
    try:
        for name in os.listdir("/proc"):
            if name.isdigit() and int(name) != os.getpid() and wanted & set(_open_files(name)):
                found.add(int(name))
    except PermissionError:
        return None
    return found


def _open_files(process: str) -> Iterator[tuple[int, int]]:
    """What a process has open, by device and number; it may end at any time."""
    folder = f"/proc/{process}/fd"
    try:
        numbers = os.listdir(folder)
    except (FileNotFoundError, ProcessLookupError):
        return
    for number in numbers:
        try:
            found = os.stat(f"{folder}/{number}")
        except (FileNotFoundError, ProcessLookupError):
            continue
        except PermissionError:
            raise
        except OSError:
            # A socket, a pipe, or a file on a disk that is gone: none of ours.
            continue
        yield found.st_dev, found.st_ino
