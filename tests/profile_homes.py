"""Homes of Hermes with several profiles: with the same ids and titles, of an old schema, without a
file, broken, and some for a test to lock or to edit."""

from collections.abc import Sequence
from pathlib import Path

from explorer.stores.base import Edits, Store
from explorer.stores.discover import locate
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.open_found import notes_on, open_found
from explorer.stores.ours.notes import OurFiles
from tests.edits.states import dump
from tests.factories import NOW, T0, altered, talk
from tests.real_files import unpack

ANIMALS = ("ant", "bee", "cat", "dog")


def profile_file(root: Path, name: str) -> Path:
    """Where the state file of a profile is, in a folder that exists."""
    folder = root if name == "default" else root / "profiles" / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder / "state.db"


def profile(
    root: Path, name: str, now: float, ids: Sequence[str] = ANIMALS, after: int = 0
) -> Path:
    """A profile whose sessions say which one they are of, two hours apart, the newest first."""
    path = profile_file(root, name)
    with StateFile.create(path) as state:
        for number, id_ in enumerate(ids):
            at = now - 3600 * (1 + after + 2 * number)
            text = f"I am {id_} of {name}"
            talk(state, id_, text, f"Hi from {name}.", at=at, title=id_, end="cli_close")
    return path


def five_profiles(root: Path, now: float) -> Path:
    """Two with the same ids and titles, one without sessions, one that is broken, one without a
    file, and one (`shared`) to be locked."""
    profile(root, "default", now)
    profile(root, "coder", now, after=1)
    profile(root, "quiet", now, ids=())
    profile(root, "shared", now, ids=("eel",), after=9)
    profile_file(root, "broken").write_bytes(b"no database at all" * 100)
    profile_file(root, "fresh")
    return root


DAY = 86_400.0
SAME = "20251009_090000_aaaa11"
"""An id that two profiles have."""
READABLE = ("default", "locked", "old", "play", "work")
PROFILES = ("default", "broken", "empty", "locked", "old", "play", "work")


def two_profiles(root: Path) -> Path:
    """`default` and `work`, with a chat that the gateway of `default` wrote for `work`."""
    with StateFile.create(profile_file(root, "default")) as state:
        talk(state, SAME, "water the garden", "Done.", title="Garden", at=T0)
        talk(state, "chat", "book a train", "Booked.", source="telegram", at=T0 + DAY)
    with altered(profile_file(root, "default")) as db:
        db.execute("UPDATE sessions SET session_key = 'agent:work:telegram:dm:7' WHERE id = 'chat'")
    with StateFile.create(profile_file(root, "work")) as state:
        talk(state, SAME, "water pipes burst", "Call them.", title="Pipes", at=T0 + 2 * DAY)
        talk(state, "only", "ship the release", "Shipped.", title="Release", at=T0 + 3 * DAY)
    return root


def seven_profiles(root: Path) -> Path:
    """Everything that can be found in a home."""
    two_profiles(root)
    with StateFile.create(profile_file(root, "locked")) as state:
        talk(state, "held", "water level", "High.", title="Level")
    with StateFile.create(profile_file(root, "play")) as state:
        talk(state, SAME, "water polo", "Splash.", title="Polo", at=T0 + 4 * DAY)
    profile_file(root, "empty")
    profile_file(root, "broken").write_bytes(b"these are not the bytes of a state file" * 100)
    old = profile_file(root, "old")
    unpack("hermes-v2", old.parent).rename(old)
    return root


TWINS = ("default", "work")


class TwinProfiles:
    """Two profiles (or more) with sessions of the same ids and titles, and our own files."""

    def __init__(self, folder: Path, names: tuple[str, ...] = TWINS, start: float = T0) -> None:
        self.root = folder / "hermes"
        self.trash = folder / "ours" / "trash.db"
        self.notes = folder / "ours" / "explorer.db"
        self.names = names
        for number, name in enumerate(names):
            with StateFile.create(self.file(name)) as state:
                for hours, id_ in enumerate(("ant", "bee", "cat")):
                    at = start + hours * 3600 + number * 60
                    said = f"I am {id_} of {name}"
                    talk(state, id_, said, "Hi.", at=at, title=f"The {id_}", end="cli_close")
                talk(state, f"only-{name}", "alone", at=start + 9000 + number, end="cli_close")

    def file(self, name: str) -> Path:
        return profile_file(self.root, name)

    @property
    def files(self) -> list[Path]:
        return [self.file(name) for name in self.names]

    def dumps(self) -> dict[str, object]:
        """Every cell of every file, by profile."""
        return {name: dump(self.file(name)) for name in self.names}

    def changed(self, before: dict[str, object]) -> set[str]:
        """The profiles that are not as they were."""
        now = self.dumps()
        return {name for name in self.names if now[name] != before[name]}

    def store(self) -> Store:
        found = locate([str(self.root)], [], {}, self.root)
        return open_found(found, notes=self.notes, trash=self.trash)

    def edits(self, store: Store | None = None, now: float = NOW) -> Edits:
        found = locate([str(self.root)], [], {}, self.root)
        notes = notes_on(found, self.notes)
        return (store or self.store()).edits(OurFiles(self.trash, lambda: now, notes))


def key_of(store: Store, name: str) -> int:
    """The key of `PROFILE/ID`."""
    (found,) = store.find(name)
    return found.key
