"""The home of a Hermes file: which profile it belongs to, and how Hermes is told so."""

import os
import re
from pathlib import Path

from explorer.stores.base import Handover

STATE_FILE = "state.db"
CONFIG_FILE = "config.yaml"
PROFILES = "profiles"
PROFILE_NAME = r"[a-z0-9][a-z0-9_-]{0,63}"


SIGNS = ("sessions", "logs", "memories", "SOUL.md", "auth.json", ".env")
"""What Hermes makes in its home: a state file beside none of these is a copy."""


def config_of(path: Path) -> Path | str:
    """Where the settings are that Hermes goes by with this file; where it does not open the file
    at all, why not."""
    places = (path.absolute(), path.resolve())
    file = next((place for place in places if place.name == STATE_FILE), None)
    if file is None:
        return f"Hermes opens only files named {STATE_FILE}"
    config = file.parent / CONFIG_FILE
    if not any(os.path.lexists(file.parent / name) for name in (CONFIG_FILE, *SIGNS)):
        return f"no {CONFIG_FILE} beside it"
    return config


def handover(path: Path) -> Handover | str:
    """Hermes opens `state.db` in its home and nothing else. The profile is always named: a home
    with a sticky profile would otherwise open another one."""
    file = path.absolute()
    if file.name != STATE_FILE:
        return (
            f"Hermes opens only files named {STATE_FILE} in its own home, and this one is named"
            f" {file.name}."
        )
    folder = file.parent
    profile = "default"
    root = folder
    if folder.parent.name == PROFILES:
        profile, root = folder.name, folder.parent.parent
    if not re.fullmatch(PROFILE_NAME, profile):
        return f"The folder {folder.name} does not have the name of a profile."
    return Handover(
        program="hermes",
        arguments=("-p", "{profile}", "--resume={id}"),
        environment={"HERMES_HOME": str(root)},
        profile=profile,
        has_profiles=os.path.isdir(root / PROFILES) or os.path.exists(root / "active_profile"),
    )
