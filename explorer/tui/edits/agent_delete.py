"""A delete that only the agent can do: its own command is offered, and run in the terminal."""

from collections.abc import Sequence

from explorer.errors import ExplorerError
from explorer.render.clean import clean, clean_line
from explorer.resume import Command, delete_commands, installed, run
from explorer.stores.base import Store
from explorer.stores.edits.plans import OnlyAgent
from explorer.stores.edits.words import question
from explorer.tui.dialogs.question import Question
from explorer.tui.edits.edit_worker import EditLane
from explorer.tui.suspend import run_command

NAMED = 3
"""Commands that are shown; of more there is only the number."""


def offer_delete(lane: EditLane, store: Store, why: OnlyAgent) -> None:
    """Ask whether to run the agent's own command; where it is not installed, say why we cannot."""

    def find(_: object) -> list[Command]:
        commands = delete_commands(store, why.ids, sure=True)
        return commands if all(map(installed, commands)) else []

    def ask(commands: list[Command]) -> None:
        if not commands:
            lane.say(why)
            return
        lines = [clean(command.line()) for command in commands[:NAMED]]
        more = len(commands) - NAMED
        lines += [f"… and {more} more like these"] if more > 0 else []
        text = (
            f"{clean(why.message)} Its own command can do it, but keeps no trash: this cannot be"
            " undone."
        )
        dialog = Question(
            clean_line(question(why.plan), 200), "\n".join((text, "", *lines)), "Run it"
        )
        lane.screen.app.push_screen(dialog, lambda yes: _run(lane, commands) if yes else None)

    lane.find_out(find, ask)


def _run(lane: EditLane, commands: Sequence[Command]) -> None:
    # Stops at the first that fails.
    code = run_command(lane.screen, lambda: next(filter(None, map(run, commands)), 0))
    if code is None:
        return
    if code:
        lane.say(ExplorerError("Back from the agent", f"Its command ended with code {code}."))
    lane.changed()
