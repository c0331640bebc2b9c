"""Which state files and databases there are.

First those of `--db`, or of `$SESSION_EXPLORER_DB`, each a path or an address; else every profile
in Hermes' folder, which is that of `$HERMES_HOME` or Hermes' own, and power-loop's file in the
current folder. `--profile` leaves only some of the profiles. If a file that was asked for is
missing, that is an error, never a reason to look elsewhere; a profile that was only found may have
no file yet. No server is asked here: `open_found.every_set` finds what a database has.
"""

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from explorer.errors import Problem, StoreError, UsageError, closest
from explorer.render.clean import clean_line
from explorer.stores.hermes.left_behind import LeftBehind, left_behind
from explorer.stores.hermes.store import PROFILE_NAME, PROFILES, STATE_FILE, root_above
from explorer.stores.server_path import ServerPath
from explorer.stores.sqlite.failures import is_broken_link, store_error

POWER_LOOP_FILE = "power_loop_sessions.db"
FILE_NAMES = (STATE_FILE, POWER_LOOP_FILE)
DEFAULT_PROFILE = "default"


class FoundStore(NamedTuple):
    """A state file, and whether the user asked for this one."""

    path: Path
    asked: bool
    because: str = ""
    """Why it is this one, for an error: the option or the variable that names it."""
    name: str = ""
    """What it is called among several: its profile, or else its folder or file."""
    usual: bool = True
    """Whether commands that reach far act on it unless others are named: of several profiles the
    one that `hermes` itself would use, of several sets of tables in a database none."""
    only: tuple[str, ...] = ()
    """Of a database whose sets of tables are not known yet, those that were named."""
    links: tuple[str, ...] = ()
    """The names of profiles that are links to it."""


def locate(
    dbs: Sequence[str],
    profiles: Sequence[str],
    environment: Mapping[str, str],
    here: Path | None,
) -> list[FoundStore]:
    """The state files to open, none of them twice; empty when nothing was asked for and nothing is
    there. `here` is the current folder, if there is one."""
    if any(not name.strip() for name in profiles):
        raise UsageError("No such profile", "--profile needs the name of a profile.")
    if any(not path.strip() for path in dbs):
        raise UsageError("No path", "--db needs the path of a state file or of its folder.")
    variable = environment.get("SESSION_EXPLORER_DB")
    if dbs or variable:
        asked = [(path, "Check the path after --db.") for path in dbs]
        if variable and not dbs:
            # An address may hold a password, which no advice may repeat.
            shown = "" if _is_address(variable) else _set_to("SESSION_EXPLORER_DB", variable)
            asked = [(variable, shown)]
        found = _shown_as(profiles, asked, here) if len(asked) > 1 and profiles else []
        if not found:
            found = [one for path, why in asked for one in _asked(path, profiles, why, here)]
    elif profiles and (beside := listed_beside(environment, here)) and beside.name in profiles:
        others = [name for name in profiles if name != beside.name]
        found = _at_home(others, environment, here) if others else []
        found.append(beside._replace(asked=True))
    else:
        found = _at_home(profiles, environment, here)
    return named(found)


def listed_beside(environment: Mapping[str, str], here: Path | None) -> FoundStore | None:
    """The file in the current folder, by the name that lists give it; None where there is none, or
    where a profile has that name."""
    file = here / POWER_LOOP_FILE if here else None
    if file is None or not os.path.exists(file):
        return None
    every = named(_at_home((), environment, here))
    return next((one for one in every if one.path == file), None)


def _shown_as(
    names: Sequence[str], asked: Sequence[tuple[str, str]], here: Path | None
) -> list[FoundStore]:
    """Those of several homes that lists call by these names; none where one of them is no such
    name."""
    every = named([one for path, why in asked for one in _asked(path, (), why, here)])
    chosen = [one._replace(asked=True) for one in every if one.name in names]
    return chosen if len(chosen) == len(set(names)) else []


def _asked(text: str, profiles: Sequence[str], because: str, here: Path | None) -> list[FoundStore]:
    """What a path or an address that was asked for stands for."""
    if not (_is_address(text) or _misspelt_address(text)):
        return _at(_found_from(here, _expanded(text)), profiles, because)
    # Late: only a server needs it.
    from explorer.stores.postgres.address import parse

    return [FoundStore(ServerPath.of(parse(text)), asked=True, only=tuple(profiles))]


def _is_address(text: str) -> bool:
    """Whether this names a database on a server: a file of such a name can be given as `./NAME`."""
    return re.match(r"[a-zA-Z][a-zA-Z0-9.+-]*://", text) is not None


def _misspelt_address(text: str) -> bool:
    """Whether it lacks a slash: taken for a path, it would be shown with its password."""
    return bool(re.match(r"postgres(ql)?(\+\w+)?:/?[^/]", text)) and not os.path.lexists(text)


def _at(path: Path, profiles: Sequence[str], because: str) -> list[FoundStore]:
    """What a path that was asked for stands for: a file, or the files of a folder."""
    if profiles:
        if os.path.isfile(path):
            message = f"{path} is a file. Omit --profile, or give the folder with the profiles."
            raise UsageError("No such profile", message)
        return _chosen_profiles(path, profiles, because)
    if os.path.isdir(path / PROFILES):
        found = list(_profiles_in(path))
        if any(_has_file(one) or left_behind(one.path.parent) for one in found):
            return found
    return [_asked_for(path, because)]


def _at_home(
    profiles: Sequence[str], environment: Mapping[str, str], here: Path | None
) -> list[FoundStore]:
    """What there is when no path says where to look."""
    folder, because = _home(environment, here)
    if profiles:
        return _chosen_profiles(folder, profiles, because)
    root = root_of(folder, environment)
    found = list(_profiles_in(root, own=folder if folder != root else None))
    if folder not in (root, *(one.path.parent for one in found)):
        # Hermes would use it, whatever its name is, and no other instead.
        found.append(_asked_for(folder, because)._replace(name=folder.name))
    elif not any(map(_has_file, found)):
        # Without a single state file, empty profiles are not worth a line.
        asked = bool(because)
        lost = [one._replace(asked=asked) for one in found if left_behind(one.path.parent)]
        found = [_asked_for(folder, because)] if because and not lost else lost
    beside = here / POWER_LOOP_FILE if here else None
    if beside is not None and os.path.exists(beside):
        found.append(FoundStore(beside, asked=False, usual=not found))
    return found


def _has_file(one: FoundStore) -> bool:
    """Whether there is a state file, or was one on a disk that is gone."""
    return os.path.lexists(one.path) or is_broken_link(one.path.parent)


def left_of(found: Sequence[FoundStore]) -> LeftBehind:
    """What is left of state files that are all missing, where none was asked for; else nothing."""
    if any(one.asked or _has_file(one) for one in found):
        return LeftBehind()
    return LeftBehind.of_all(left_behind(one.path.parent) for one in found)


def growing_roots(
    dbs: Sequence[str],
    profiles: Sequence[str],
    environment: Mapping[str, str],
    here: Path | None,
) -> list[Path]:
    """The roots of which every profile is opened: one that is made later belongs to the others.
    What was named, and which profiles were, stays as it is."""
    if profiles:
        return []
    variable = environment.get("SESSION_EXPLORER_DB")
    if dbs or variable:
        paths = [path for path in dbs or (variable or "",) if not _is_address(path)]
        asked = [_found_from(here, _expanded(path)) for path in paths]
        return [path for path in asked if os.path.isdir(path / PROFILES)]
    folder, _ = _home(environment, here)
    return [root_of(folder, environment)]


def joining(known: Sequence[FoundStore], found: Sequence[FoundStore]) -> list[FoundStore]:
    """Those that are not known yet, each under a name that is free."""
    there = {os.path.realpath(one.path) for one in known}
    taken = {one.name for one in known}
    new = []
    for one in found:
        # The sets of a database are known, and it has none of the folders that grow.
        if os.path.realpath(one.path) not in there and not isinstance(one.path, ServerPath):
            name = next((name for name in _names(one) if name not in taken), str(one.path))
            taken.add(name)
            new.append(one._replace(name=name))
    return new


def _home(environment: Mapping[str, str], here: Path | None) -> tuple[Path, str]:
    """(Hermes' folder, why it is this one if a variable says so)."""
    home = environment.get("HERMES_HOME", "").strip()
    folder = _found_from(here, _expanded(home) if home else default_home(environment))
    return folder, _set_to("HERMES_HOME", home) if home else ""


def root_of(folder: Path, environment: Mapping[str, str]) -> Path:
    """Hermes' root of a home: the folder that has the profiles in it."""
    usual = default_home(environment)
    if usual in folder.parents:
        return usual
    return root_above(folder)


def _profiles_in(root: Path, own: Path | None = None) -> Iterator[FoundStore]:
    """Every profile of a root, with or without a file yet. Commands that reach far act on the one
    in the folder `own`, or else on that which Hermes is set to use."""
    names = profiles(root)
    if own is None:
        used = _sticky_profile(root)
        own = _folder_of(root, used if used in names else DEFAULT_PROFILE)
    for name in names:
        folder = _folder_of(root, name)
        yield FoundStore(folder / STATE_FILE, asked=False, name=name, usual=folder == own)


def _folder_of(root: Path, profile: str) -> Path:
    return root if profile == DEFAULT_PROFILE else root / PROFILES / profile


def _chosen_profiles(folder: Path, names: Sequence[str], because: str) -> list[FoundStore]:
    root = root_above(folder)
    known = profiles(root)
    for name in names:
        # A name of another form could lead out of the folder.
        if name not in known:
            raise UsageError("No such profile", _unknown_profile(name, root))
    return [_chosen_profile(root, name, because) for name in dict.fromkeys(names)]


def _chosen_profile(root: Path, name: str, because: str) -> FoundStore:
    """The file of a profile that was named; it may have none yet."""
    path = _folder_of(root, name) / STATE_FILE
    try:
        if not is_broken_link(path.parent):
            return _asked_for(path.parent, because)._replace(name=name)
    except StoreError as error:
        if error.problem is not Problem.NO_STATE_FILE:
            raise
    makes = f"The profile has no state file yet: `hermes -p {name}` makes the file."
    return FoundStore(path, asked=True, because=makes, name=name)


def named(found: Sequence[FoundStore]) -> list[FoundStore]:
    """Each file once, and under a name of its own."""
    kept = _each_once(found)
    alike: dict[str, list[FoundStore]] = {}
    for one in kept:
        alike.setdefault(next(_names(one)), []).append(one)
    taken: set[str] = set()
    named = []
    for one in kept:
        names = _names_among(one, alike[next(_names(one))])
        name = next((name for name in names if name not in taken), str(one.path))
        taken.add(name)
        named.append(one._replace(name=name))
    return named


def _each_once(found: Sequence[FoundStore]) -> list[FoundStore]:
    """Two addresses of one database are two ways to read it, which may find other sets of tables:
    they are told apart until these are known."""
    kept: list[FoundStore] = []
    there: dict[str, list[ServerPath]] = {}
    for one in _without_twins(found):
        if isinstance(one.path, ServerPath):
            path, others = one.path, there.setdefault(os.path.realpath(one.path), [])
            if any(path.schema or path.address == other.address for other in others):
                continue
            others.append(path.told_apart(others) if others else path)
            one = one._replace(path=others[-1])
        kept.append(one)
    return kept


def _without_twins(found: Sequence[FoundStore]) -> list[FoundStore]:
    """Of a file that is found under several names, the one that was asked for, or else the one that
    is no link. If one of them is the usual one, it is."""
    twins: dict[str, list[FoundStore]] = {}
    for one in found:
        twins.setdefault(os.path.realpath(one.path), []).append(one)
    kept = []
    for one in found:
        alike = twins[os.path.realpath(one.path)]
        if isinstance(one.path, ServerPath):
            kept.append(one)
        elif alike and one == min(alike, key=lambda one: (not one.asked, _is_linked(one.path))):
            links = tuple(twin.name for twin in alike if twin.name not in ("", one.name))
            usual = any(twin.usual for twin in alike)
            kept.append(one._replace(usual=usual, links=(*one.links, *links)))
            alike.clear()
    return kept


def _is_linked(path: Path) -> bool:
    return os.path.islink(path) or os.path.islink(path.parent)


def _names_among(one: FoundStore, alike: Sequence[FoundStore]) -> Iterator[str]:
    """What a file may be called of which others have the shortest name too: all get a longer one,
    since which is which could not be told, except the only profile among them."""
    shortest, *longer = _names(one)
    profiles = [other for other in alike if not isinstance(other.path, ServerPath)]
    if len(alike) < 2 or [other for other in profiles if other.name == shortest] == [one]:
        yield shortest
    elif len(profiles) == len(alike):
        yield from _told_apart(one, alike, shortest)
    yield from longer


def _told_apart(one: FoundStore, alike: Sequence[FoundStore], name: str) -> Iterator[str]:
    """The name behind the nearest folder above that none of the others has there. Two homes have
    the same folders inside."""
    above = [list(reversed(other.path.absolute().parts[:-2])) for other in alike]
    own = above[alike.index(one)]
    for level, part in enumerate(own):
        if sum(other[level : level + 1] == [part] for other in above) == 1 and part != os.sep:
            yield f"{part}/{name}"
            return


def _names(one: FoundStore) -> Iterator[str]:
    """What a file may be called, the shortest first."""
    if one.name:
        yield one.name
    path = one.path.absolute()
    folder = path.parent
    if isinstance(path, ServerPath):
        database = path.address.database or path.name
        of = f"{database}/{one.name}" if one.name and path.schema else database
        yield of
        yield f"{path.address.host or 'localhost'}/{of}"
    elif path.name in FILE_NAMES:
        yield DEFAULT_PROFILE if folder.name == ".hermes" else folder.name
        yield f"{folder.parent.name}/{folder.name}"
    else:
        yield path.stem
        yield f"{folder.name}/{path.name}"
    yield str(path)


def usual_places(environment: Mapping[str, str], here: Path | None) -> list[Path]:
    """Where a state file is looked for when nothing says where it is."""
    return [
        default_home(environment) / STATE_FILE,
        *([here / POWER_LOOP_FILE] if here else []),
    ]


def _asked_for(path: Path, because: str) -> FoundStore:
    try:
        return FoundStore(state_file(path), asked=True, because=because)
    except StoreError as error:
        raise error.also(because) if because else error from None


def _set_to(variable: str, value: str) -> str:
    return f"${variable} is set to {clean_line(value, 200)}: correct it, or unset it."


def _found_from(here: Path | None, path: Path) -> Path:
    """The path, unless it is relative and the current folder is gone."""
    if here is None and not path.is_absolute():
        message = f"Cannot resolve {path}. Change to an existing folder, or give an absolute path."
        raise UsageError("The current folder was deleted", message)
    return path


def current_folder() -> Path | None:
    """The current folder; None where it was deleted."""
    try:
        return Path.cwd()
    except OSError:
        return None


def state_file(path: Path) -> Path:
    """The state file at a path: the path itself, or the one in that folder."""
    if not os.path.isdir(path):
        return path
    for name in FILE_NAMES:
        if os.path.lexists(path / name):
            return path / name
    if left_behind(path):
        return path / STATE_FILE
    closed = not os.access(path, os.X_OK)
    raise store_error(Problem.NO_PERMISSION if closed else Problem.NO_STATE_FILE, path)


def default_home(environment: Mapping[str, str]) -> Path:
    """Where Hermes keeps its files when nothing says otherwise."""
    if sys.platform == "win32":
        local = environment.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
        return Path(local) / "hermes"
    return Path(environment.get("HOME") or os.path.expanduser("~")) / ".hermes"


def _expanded(path: str) -> Path:
    # Not Path.expanduser(), which raises for an unknown ~user.
    return Path(os.path.expanduser(path))


def _unknown_profile(name: str, root: Path) -> str:
    close = closest(name.lower(), profiles(root), least=0.0)
    return f"There is no profile {name!r} in {root}. Closest: {', '.join(close)}."


def profile_root(db: str | None, environment: Mapping[str, str], here: Path | None) -> Path:
    """The folder whose profiles can be chosen from."""
    asked = (
        db or environment.get("SESSION_EXPLORER_DB") or environment.get("HERMES_HOME", "").strip()
    )
    if asked and _is_address(asked):
        asked = ""
    return root_above(_found_from(here, _expanded(asked) if asked else default_home(environment)))


def profiles(root: Path) -> list[str]:
    """The profiles in Hermes' folder."""
    known = (path.name for path in (root / PROFILES).glob("*") if _is_profile(path))
    return [DEFAULT_PROFILE, *sorted(known)]


def _is_profile(path: Path) -> bool:
    """Whether it is a profile's folder, or leads to one on a disk that is gone."""
    named = re.fullmatch(PROFILE_NAME, path.name) is not None
    return named and (os.path.isdir(path) or is_broken_link(path))


def _sticky_profile(root: Path) -> str:
    try:
        if not os.path.isfile(root / "active_profile"):
            # Reading a pipe would block.
            return DEFAULT_PROFILE
        name = (root / "active_profile").read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return DEFAULT_PROFILE
    return name if re.fullmatch(PROFILE_NAME, name) else DEFAULT_PROFILE
