"""`rename`, `archive`, `pin`, `end`, `reopen`, `clear`, `delete`: edits, planned first."""

import argparse
import sys
import time
from collections.abc import Sequence

from explorer.agent_commands import delete_commands
from explorer.commands.output import note, write, write_json
from explorer.commands.progress import shown_progress, until_interrupted
from explorer.commands.shapes import done_shape, plan_shape
from explorer.commands.stores import chosen_store
from explorer.config import side_path, trash_path
from explorer.errors import ExitCode, ExplorerError, Refused, UsageError, sentence
from explorer.render.clean import clean, clean_line
from explorer.store.base import Store
from explorer.store.edits.editor import Editor
from explorer.store.edits.plans import Action, Done, EditPlan, OnlyAgent
from explorer.store.edits.titles import Title, taken_words
from explorer.store.edits.words import (
    crash_words,
    done_words,
    harmless,
    plan_lines,
    question,
    receipt_words,
    skipped_words,
)
from explorer.store.resolve import resolve_for_edit
from explorer.store.side import SideFile

_WHOLE = ("archive", "unarchive", "pin", "unpin")
"""Done to all parts of a conversation."""


def editor_for(store: Store) -> Editor:
    return Editor(store.path, trash_path(), time.time, SideFile(side_path(), store.path))


def edit_sessions(options: argparse.Namespace, now: float) -> int:
    store = chosen_store(options)
    editor = editor_for(store)
    warn_half_done(editor)
    ids = options.ids if hasattr(options, "ids") else [options.id]
    keys = list(dict.fromkeys(resolve_for_edit(store, id_).key for id_ in ids))
    plan = _plan(editor, store, options, keys)
    if options.dry_run:
        _show(plan, options.json)
        return int(ExitCode.DONE)
    if not plan.doomed:
        return _nothing(plan, options.json)
    if not options.yes:
        lines = [question(plan), *(f"  {line}" for line in plan_lines(plan))]
        ask(lines)
    with until_interrupted() as token, shown_progress("messages") as tell:
        done = editor.apply(plan, token=token, progress=tell, force=options.force)
    finish(done, receipt_words(plan), options.json)
    if done.stopped:
        return int(ExitCode.INTERRUPTED)
    return int(ExitCode.DONE if done.ids else ExitCode.REFUSED)


def _plan(
    editor: Editor, store: Store, options: argparse.Namespace, keys: Sequence[int]
) -> EditPlan:
    if options.command == "rename":
        row = store.place(keys[0])[1]
        plan, title = editor.rename_plan(row, options.title, measured=True)
        _check_title(title)
        return plan
    whole = options.command in _WHOLE or getattr(options, "conversation", False)
    if whole:
        catalog = store.catalog()
        keys = [part for key in keys for part in catalog.chain(key)]
    places = [store.place(key) for key in keys]
    tables = {table for table, _ in places}
    if len(tables) > 1:
        raise UsageError("Two stores in one", "These sessions lie in different tables of the file.")
    (table,) = tables
    rows = [row for _, row in places]
    match Action(options.command):
        case Action.ARCHIVE | Action.UNARCHIVE as action:
            return editor.archive_plan(rows, action is Action.ARCHIVE, table)
        case Action.PIN | Action.UNPIN as action:
            labels = store.labels(keys)
            ids = {row: labels[key].id for key, row in zip(keys, rows, strict=True)}
            found = store.sessions([store.catalog().single(keys[0])], time.time())
            name = next((one.title or one.preview or one.id for one in found), "")
            return editor.pin_plan(ids, action is Action.PIN, table, measured=True, name=name)
        case Action.END | Action.REOPEN as action:
            return editor.end_plan(rows, action is Action.REOPEN, options.force)
        case Action.CLEAR:
            return editor.clear_plan(rows, options.force)
        case _:
            try:
                return editor.delete_plan(rows, table, options.force)
            except OnlyAgent as error:
                raise _with_command(error, store, options.yes) from error


def _with_command(error: OnlyAgent, store: Store, sure: bool) -> ExplorerError:
    """The refusal, with the agent's own command for a person to copy."""
    lines = [command.line() for command in delete_commands(store, error.ids, sure)]
    if not lines:
        return error
    own = "Its own command can do it, without a trash and without an undo:"
    return error.also("\n  ".join((own, *lines)))


def _check_title(title: Title) -> None:
    """A title that cannot be had is refused, with who holds it and what can be done."""
    if title.trouble:
        raise Refused("This title will not do", sentence(title.trouble))
    owner = title.owner
    if owner is not None and not owner.yields:
        raise Refused("This title is taken", taken_words(title))


def _show(plan: EditPlan, as_json: bool) -> None:
    if as_json:
        write_json(plan_shape(plan))
        return
    if plan.doomed:
        write(clean(question(plan)))
    for line in plan_lines(plan):
        write(f"  {clean(line)}")
    note("Nothing was changed: this was only the plan.")


def _nothing(plan: EditPlan, as_json: bool) -> int:
    if as_json:
        write_json(done_shape(Done(None, plan.action.value, (), plan.skipped)))
    if harmless(plan.skipped):
        note(f"Nothing to do: {skipped_words(plan.skipped) or 'no session is left'}.")
        return int(ExitCode.DONE)
    raise Refused("Nothing was done", f"Left out: {skipped_words(plan.skipped)}. See --force.")


def ask(lines: Sequence[str]) -> None:
    """Show what would happen, and go on only after a yes."""
    if not sys.stdin.isatty():
        raise Refused("Not confirmed", "Without a terminal to ask on, --yes must be given.")
    for line in lines:
        note(line)
    sys.stderr.write("Go on? [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise Refused("Not confirmed", "Nothing was changed.")


def finish(done: Done, words: str, as_json: bool) -> None:
    """Say what was done, and how it is taken back."""
    if as_json:
        write_json(done_shape(done))
        return
    note(clean_line(done_words(done, words)) + ".")
    if done.receipt is not None:
        note(f"Receipt {done.receipt}: `session-explorer undo {done.receipt}` takes it back.")


def warn_half_done(editor: Editor) -> None:
    """Say what a crash left in the middle, before anything else is done."""
    found = editor.after_crash()
    for line in crash_words(found):
        note(clean_line(line))
    for receipt in found.half_done:
        note(
            f"An edit was cut short: {receipt.words}. `session-explorer undo {receipt.number}`"
            " puts back what it had taken out."
        )
