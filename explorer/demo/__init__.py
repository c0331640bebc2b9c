"""An invented year of Ada, a backend developer, and her agent: the state file of the demo."""

from itertools import chain
from pathlib import Path

from explorer.demo import chains, home_server, life, marathon, noise, work, work_past
from explorer.demo.publish import publish
from explorer.stores.hermes.create.state_file import StateFile

_THEMES = (work, work_past, life, home_server, chains, noise, marathon)


def write_demo(path: Path, now: float) -> None:
    """A new state file whose times count back from `now`; the same `now` gives the same rows."""
    with StateFile.create(path) as state:
        publish(state, chain.from_iterable(theme.chats() for theme in _THEMES), now)


__all__ = ["write_demo"]
