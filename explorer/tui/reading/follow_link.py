"""Where a block leads: to the session of a subagent, or to an address."""

from collections.abc import Callable, Sequence

from textual.screen import Screen

from explorer.cancel import CancelToken
from explorer.model import Kind, Session
from explorer.render.clean import clean_line
from explorer.render.figures import clock
from explorer.stores.base import Store
from explorer.stores.catalog import Catalog
from explorer.stores.columns import STARTED
from explorer.tui.dialogs.questions import Choice, Question

LEEWAY = 5.0
"""Seconds by which the clocks of an agent and its subagent may differ."""
MOST = 40


def subagents(
    store: Store,
    catalog: Catalog,
    key: int,
    called: tuple[float | None, float | None],
    now: float,
    token: CancelToken,
) -> list[Session]:
    """The sessions that subagents of a session left between a call and its result; all of them
    where the times do not tell."""
    began, ended = called
    children = catalog.children(Kind.SUBAGENT).get(key, [])
    starts = store.columns({STARTED}, children, token)[STARTED]
    timed = [
        child
        for child in children
        if (start := starts.get(child)) is not None
        and (began is None or start >= began - LEEWAY)
        and (ended is None or start <= ended + LEEWAY)
    ]
    chosen = sorted(timed or children, key=lambda child: starts.get(child, 0.0))
    units = {catalog.folded(child).key: catalog.folded(child) for child in chosen[:MOST]}
    return store.sessions(list(units.values()), now, token)


def choose_subagent(
    screen: Screen[None], found: Sequence[Session], then: Callable[[Session], None]
) -> None:
    """Go to the one there is, or ask which."""
    if not found:
        screen.notify("No session of that subagent is in this file.", markup=False)
    elif len(found) == 1:
        then(found[0])
    else:
        by_name = {str(session.key): session for session in found}
        options = [(name, _words(session)) for name, session in by_name.items()]
        choice = Choice("Which subagent", options, options[0][0])
        screen.app.push_screen(choice, lambda name: then(by_name[name]) if name else None)


def _words(session: Session) -> str:
    name = clean_line(session.name, 70)
    return f"{clock(session.started_at)}  {name}"


def choose_address(screen: Screen[None], found: Sequence[str]) -> None:
    """Open an address in the browser, after it was seen in full."""

    def ask(address: str | None) -> None:
        if address:
            question = Question("Open in the browser?", clean_line(address), "Open")
            screen.app.push_screen(question, lambda yes: _open(screen, address) if yes else None)

    if len(found) == 1:
        ask(found[0])
    else:
        options = [(str(number), clean_line(address, 110)) for number, address in enumerate(found)]
        choice = Choice("Links", options, "0")
        screen.app.push_screen(choice, lambda name: ask(found[int(name)]) if name else None)


def _open(screen: Screen[None], address: str) -> None:
    if address.startswith(("http://", "https://")):
        screen.app.open_url(address)
