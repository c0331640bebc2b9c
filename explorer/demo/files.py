"""Writing the demo: as one file, or as a home with two profiles (Ada's own things and her work) and
the file of a program that embeds power-loop."""

from itertools import chain
from pathlib import Path

from explorer.demo import (
    WORK,
    DemoHome,
    chains,
    home_server,
    life,
    marathon,
    noise,
    parcel_bot,
    work,
    work_past,
)
from explorer.demo.publish import publish
from explorer.demo.publish_loop import publish_loop
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.power_loop.create import LoopFile

_OWN = (life, home_server, chains, noise)
_WORK = (work, work_past, marathon)


def write_file(path: Path, now: float) -> None:
    with StateFile.create(path) as state:
        publish(state, chain.from_iterable(theme.chats() for theme in (*_WORK, *_OWN)), now)


def write_home(root: Path, now: float) -> DemoHome:
    home = DemoHome.at(root)
    for path in home:
        path.parent.mkdir(parents=True, exist_ok=True)
    for path, profile, themes in ((home.default, "default", _OWN), (home.work, WORK, _WORK)):
        with StateFile.create(path) as state:
            chats = chain.from_iterable(theme.chats() for theme in themes)
            publish(state, chats, now, profile)
    with LoopFile.create(home.bot) as file:
        publish_loop(file, parcel_bot.chats(), parcel_bot.PROMPT, now)
    return home
