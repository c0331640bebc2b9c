"""A Hermes root with several profiles, some of which cannot be read."""

from collections.abc import Sequence
from pathlib import Path

from explorer.stores.hermes.create.state_file import StateFile
from tests.factories import talk

NAMES = ("ant", "bee", "cat", "dog")


def profile_file(root: Path, name: str) -> Path:
    """Where the state file of a profile is, in a folder that exists."""
    folder = root if name == "default" else root / "profiles" / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder / "state.db"


def profile(root: Path, name: str, now: float, ids: Sequence[str] = NAMES, after: int = 0) -> Path:
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
