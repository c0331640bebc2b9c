"""An invented year of Ada, a backend developer, and her agents: the state files of the demo."""

from pathlib import Path
from typing import NamedTuple

from explorer.stores.discover import DEFAULT_PROFILE, FoundStore

WORK = "work"
BOT = "parcel-bot"


class DemoHome(NamedTuple):
    """The files of the demo: two profiles, and a program that embeds power-loop."""

    default: Path
    work: Path
    bot: Path

    @classmethod
    def at(cls, root: Path) -> "DemoHome":
        return cls(
            root / "state.db",
            root / "profiles" / WORK / "state.db",
            root / BOT / "power_loop_sessions.db",
        )

    @property
    def found(self) -> list[FoundStore]:
        """The files as they are opened together."""
        names = (DEFAULT_PROFILE, WORK, BOT)
        return [
            FoundStore(path, asked=False, name=name) for path, name in zip(self, names, strict=True)
        ]


def write_demo(path: Path, now: float) -> None:
    """A new state file whose times count back from `now`; the same `now` gives the same rows."""
    # Late, as below: 40 ms in which the app can start.
    from explorer.demo.files import write_file

    write_file(path, now)


def write_demo_home(root: Path, now: float) -> DemoHome:
    """The same history in a home with two profiles, and a file of power-loop beside them."""
    from explorer.demo.files import write_home

    return write_home(root, now)
