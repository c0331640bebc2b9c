"""A Hermes home for the tests: a state file, its settings, and a sign that it is in use."""

from pathlib import Path

from tests.newer_files import NEWER_FILES, newer_file
from tests.real_files import unpack

ON = "sessions: {auto_prune: true}\n"
"""Settings with which Hermes deletes what was not used for 90 days."""


def hermes_home(folder: Path, name: str = "hermes-v31", config: str | None = ON) -> Path:
    """The state file of a new home, which is a copy of one of the real ones."""
    folder.mkdir(parents=True, exist_ok=True)
    file = newer_file(name, folder, "delete") if name in NEWER_FILES else unpack(name, folder)
    (folder / "sessions").mkdir(exist_ok=True)
    if config is not None:
        (folder / "config.yaml").write_text(config)
    return file.rename(folder / "state.db")
