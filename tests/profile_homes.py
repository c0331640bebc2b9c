"""A home of Hermes with profiles that hold the same ids and the same titles."""

from pathlib import Path

from explorer.stores.base import Edits, Store
from explorer.stores.discover import locate
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.open_found import notes_on, open_found
from explorer.stores.ours.notes import OurFiles
from tests.edits.states import dump
from tests.factories import NOW, T0, talk
from tests.profiles import profile_file

NAMES = ("default", "work")


class TwinProfiles:
    """Two profiles (or more) with sessions of the same ids and titles, and our own files."""

    def __init__(self, folder: Path, names: tuple[str, ...] = NAMES, start: float = T0) -> None:
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
