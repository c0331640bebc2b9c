"""One new message in the file: until the list shows it, and the processor time that this takes."""

from contextlib import ExitStack

from bench.living import Living, living
from bench.measure import cpu_ms, timing
from bench.report import Table, at_most, ms, times
from bench.sizes import History
from bench.using import LOOK, Using, counted
from bench.waits import MODES

MANY_AGAINST_FEW = 1.5

TEXT = """
A message is added to a session in the middle of the list, and the app checks the file: until the
terminal has received the session, now at the top, with the text of the message. Then the processor
time this took. Both files are open side by side and written to in turn.
"""


def renewal(few: History, many: History, rounds: int) -> Table:
    table = Table(
        "One new message", TEXT, ("journal", "what", "sessions", "median", "fastest", "x few")
    )
    for mode in MODES:
        spent = _spent(few, many, mode, rounds)
        for what in ("until painted", "processor time"):
            floor, timed = (timing(spent[what, history.name]) for history in (few, many))
            ratio = timed.median / floor.median
            table.add(mode, what, few.name, ms(floor.median), ms(floor.min), "")
            table.add(
                mode,
                what,
                many.name,
                ms(timed.median),
                ms(timed.min),
                times(ratio),
                aim=at_most(ratio, MANY_AGAINST_FEW),
            )
    return table


def _spent(
    few: History, many: History, mode: str, rounds: int
) -> dict[tuple[str, str], list[float]]:
    """Milliseconds by what they were spent for, and by history."""
    spent: dict[tuple[str, str], list[float]] = {}
    with ExitStack() as stack:
        apps = {}
        for history in (few, many):
            copy = stack.enter_context(living(history, mode))
            app = stack.enter_context(Using(copy.path))
            app.until(counted())
            apps[history.name] = app, copy
        for number in range(rounds + 1):
            turns = list(apps.items())
            for name, (app, copy) in turns if number % 2 else reversed(turns):
                painted, busy = _renew(app, copy)
                if number:
                    spent.setdefault(("until painted", name), []).append(painted)
                    spent.setdefault(("processor time", name), []).append(busy)
            # They look once more within a second, which is not to fall into the next round.
            for app, _ in apps.values():
                app.rest(0.6)
    return spent


def _renew(app: Using, copy: Living) -> tuple[float, float]:
    """(until painted, processor time)."""
    app.send(b"")
    text = copy.speak()
    before = cpu_ms(app.pid)
    app.tell(LOOK)
    painted = app.until(text)
    # what is still to be done after that counts as well, but not the looks of the next second
    app.rest(0.2)
    return painted, cpu_ms(app.pid) - before
