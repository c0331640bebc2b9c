"""State files that were not there when the app was started: a new profile, the first file in a home
without one, power-loop's in the current folder.

Only what was found by itself grows: every profile of a root does, a file that was named does not. A
look lists one folder of each root and opens nothing.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from explorer.errors import ExplorerError
from explorer.stores.discover import (
    POWER_LOOP_FILE,
    FoundStore,
    growing_roots,
    joining,
    locate,
)
from explorer.stores.hermes.store import PROFILE_NAME, PROFILES, STATE_FILE
from explorer.stores.sqlite.failures import is_broken_link


class Newcomers:
    """Looks for them again and again."""

    def __init__(
        self,
        roots: Sequence[Path],
        beside: Path | None,
        find: Callable[[], Sequence[FoundStore]],
        made: bool = False,
    ) -> None:
        """`find` gives all state files there are now; it is asked only when something new is in
        one of the `roots`, or at the path `beside`. If `made`, only files count, and no
        profile that has none yet or has lost it."""
        self.roots = roots
        self._beside = beside
        self._find = find
        self._made = made
        self._in_vain: frozenset[tuple[Path, bool]] = frozenset()
        """What was seen when the last search brought nothing: two folders may be one."""

    @classmethod
    def of(
        cls,
        dbs: Sequence[str],
        profiles: Sequence[str],
        environment: Mapping[str, str],
        here: Path | None,
        made: bool = False,
    ) -> "Newcomers":
        """Those that may join what `locate` finds with the same arguments."""
        named = bool(dbs or profiles or environment.get("SESSION_EXPLORER_DB"))
        beside = None if named or here is None else here / POWER_LOOP_FILE
        roots = growing_roots(dbs, profiles, environment, here)
        return cls(roots, beside, partial(locate, dbs, profiles, environment, here), made)

    def look(self, known: Sequence[FoundStore]) -> list[FoundStore]:
        """Those that are there by now, besides those that are known."""
        paths = {one.path for one in known}
        seen = frozenset(one for one in self._in_sight() if one[0] not in paths)
        if not seen or seen == self._in_vain:
            return []
        try:
            found = joining(known, self._find())
            if self._made:
                found = [one for one in found if os.path.exists(one.path)]
        except ExplorerError:
            # A home whose last file is gone, for one: those that are known say so themselves.
            found = []
        self._in_vain = frozenset() if found else seen
        return found

    def _in_sight(self) -> Iterator[tuple[Path, bool]]:
        """Where a state file may be, and whether it is there; in a profile it may still be to
        come."""
        for root in self.roots:
            if os.path.lexists(root / STATE_FILE):
                yield root / STATE_FILE, True
            for name in _folders(root / PROFILES):
                path = root / PROFILES / name / STATE_FILE
                yield path, os.path.lexists(path)
        if self._beside is not None and os.path.lexists(self._beside):
            yield self._beside, True


def _folders(folder: Path) -> list[str]:
    """The profiles in a folder that may not exist."""
    try:
        with os.scandir(folder) as entries:
            return [one.name for one in entries if _is_profile(one)]
    except OSError:
        return []


def _is_profile(entry: os.DirEntry[str]) -> bool:
    if not re.fullmatch(PROFILE_NAME, entry.name):
        return False
    return entry.is_dir() or is_broken_link(entry.path)
