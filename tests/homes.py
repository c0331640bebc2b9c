"""A home of Hermes with several profiles: two with the same ids, one of an old schema, one without
a file yet, one that is broken, and one for a test to lock."""

from pathlib import Path

from explorer.stores.hermes.create.state_file import StateFile
from tests.factories import T0, altered, talk
from tests.profiles import profile_file
from tests.real_files import unpack

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
