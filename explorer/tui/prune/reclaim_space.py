"""After a prune: the agent's own command gives the room in its file back, if nobody is using it.

We never do that ourselves: it needs the file for itself, and only the agent knows when it may.
"""

from collections.abc import Callable

from textual.screen import Screen

from explorer.cancel import CancelToken
from explorer.model import State
from explorer.render.clean import clean
from explorer.resume import OPTIMIZE, Command, installed, own_command, run
from explorer.stores.base import Store
from explorer.stores.catalog import Catalog
from explorer.stores.columns import ENDED, LEASE
from explorer.tui.attention import FocusPlace, still_at
from explorer.tui.dialogs.question import Question
from explorer.tui.suspend import run_command
from explorer.tui.workers import Lanes


def reclaim_command(store: Store, now: float, catalog: Catalog) -> Command | None:
    """The command that gives room back; None where there is none, or something is running."""
    command = own_command(store, *OPTIMIZE)
    if command is None or not installed(command) or _running(store, catalog, now):
        return None
    return command


def _running(store: Store, catalog: Catalog, now: float) -> bool:
    known = store.columns({ENDED, LEASE})
    held = any(until > now for until in known[LEASE].values())
    return held or any(catalog.state((key,), known, now) is State.RUNNING for key in catalog.keys)


def offer(
    screen: Screen[None],
    lanes: Lanes,
    store: Store,
    catalog: Catalog,
    clock: Callable[[], float],
    pruned_at: FocusPlace,
) -> None:
    """Ask whether to run it, where it can be run, whoever is still where the prune was."""

    def work(token: CancelToken) -> Command | None:
        return reclaim_command(store, clock(), catalog)

    def ask(command: Command | None) -> None:
        if command is not None and still_at(screen.app, pruned_at):
            question = Question(
                "Give the room back to the disk?",
                "The state file is as big as before. The agent's own command rewrites it without"
                f" the gaps, and needs it for itself meanwhile:\n\n{clean(command.line())}",
                "Run it",
                "Not now",
            )
            screen.app.push_screen(question, lambda yes: _run(screen, command) if yes else None)

    lanes.start("reclaim", work, ask)


def _run(screen: Screen[None], command: Command) -> None:
    code = run_command(screen, lambda: run(command))
    if code is not None:
        words = f"The command ended with code {code}." if code else "The room was given back."
        screen.notify(words, markup=False)
