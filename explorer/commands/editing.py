"""`rename`, `archive`, `pin`, `end`, `reopen`, `clear`, `delete`: edits, planned first."""

import argparse
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from explorer.cancel import CancelToken
from explorer.commands.next_commands import same_files
from explorer.commands.output import confirmed, note, write, write_json
from explorer.commands.shapes import done_shape, plan_shape
from explorer.commands.stores import chosen_store
from explorer.commands.words import only_in_file
from explorer.errors import (
    ExitCode,
    ExplorerError,
    NoSuchSession,
    Refused,
    SeveralSessions,
    StoreError,
    UsageError,
    sentence,
)
from explorer.model import Action
from explorer.render.clean import clean, clean_line
from explorer.render.figures import count
from explorer.resume import delete_commands
from explorer.settings import notes_path, trash_path
from explorer.stores.base import Edits, Store
from explorer.stores.edits.plans import (
    KINDS,
    WAITING_WORDS,
    Done,
    EditPlan,
    OnlyAgent,
    Progress,
)
from explorer.stores.edits.reasons import harmless
from explorer.stores.edits.undo_words import crash_words, interrupted, what_undo_does
from explorer.stores.edits.words import (
    DRY_RUN,
    done_words,
    in_profile,
    not_done,
    not_done_title,
    nothing_words,
    plan_lines,
    question,
    receipt_words,
    remedy,
    taken_words,
)
from explorer.stores.ours.notes import OurFiles
from explorer.stores.resolve import resolve_for_edit, unreadable_place


def edits_of(store: Store) -> Edits:
    return store.edits(OurFiles(trash_path(), time.time, store.own_notes(notes_path())))


def edit_sessions(options: argparse.Namespace, now: float) -> int:
    store = chosen_store(options)
    edits = edits_of(store)
    warn_half_done(edits)
    ids = options.ids if hasattr(options, "ids") else [options.id]
    keys, unread = _named_keys(store, ids)
    plan = _plan(edits, store, options, keys)
    for place, error in unread.items():
        note(clean_line(not_done(plan.action, in_profile(place, error.message.rstrip(".")))))
    if options.dry_run:
        _show(plan, store, options.json)
        return ExitCode.DONE
    if not plan.doomed:
        return _nothing(plan, options.json)
    ask(options, question(plan), plan_lines(plan), KINDS[plan.action].verb)
    done = apply_plan(edits, plan, force=options.force)
    done = done._replace(refused=(*done.refused, *unread))
    if options.yes and done.receipt is not None and plan.action is Action.RENAME:
        # No plan was shown that has said it.
        done = done._replace(notes=(*done.notes, *plan.notes))
    finish(done, receipt_words(plan), options)
    return exit_code(done, done.refused or not done.ids or not harmless(done.skipped))


def exit_code(done: Done, left: object) -> int:
    """Whether an edit was done: wholly, in part where something is `left`, or not at all."""
    if done.stopped:
        return ExitCode.INTERRUPTED
    if not left:
        return ExitCode.DONE
    return ExitCode.FAILED if done.ids else ExitCode.REFUSED


def _named_keys(store: Store, ids: Sequence[str]) -> tuple[list[int], dict[str, StoreError]]:
    """The sessions that are meant, and why those of some profiles cannot be changed: what one of
    them refuses does not stop the others. An id that is wrong stops all: it may be a slip."""
    keys: dict[int, None] = {}
    unread: dict[str, StoreError] = {}
    for id_ in ids:
        try:
            keys[_changeable(store, id_)] = None
        except StoreError as error:
            if (place := unreadable_place(store, id_)) is None:
                raise
            unread[place.name] = error
        except NoSuchSession as error:
            if len(ids) > 1:
                error.also("Nothing was changed.")
            raise
    if unread and not keys:
        raise next(iter(unread.values())).also("Nothing was changed.")
    return list(keys), unread


def _changeable(store: Store, id_: str) -> int:
    """The session that is meant; one that exists only as a file is refused."""
    try:
        return resolve_for_edit(store, id_).key
    except SeveralSessions:
        raise
    except NoSuchSession:
        if (alone := store.file_session(id_)) is None:
            raise
        raise Refused("Not changed", only_in_file(alone.provenance)) from None


def _plan(edits: Edits, store: Store, options: argparse.Namespace, keys: Sequence[int]) -> EditPlan:
    action = Action(options.command)
    if KINDS[action].whole or getattr(options, "conversation", False):
        catalog = store.catalog()
        keys = [part for key in keys for part in catalog.chain(key)]
    title = options.title if action is Action.RENAME else ""
    try:
        plan = edits.plan(action, keys, title=title, force=options.force, measured=True)
    except OnlyAgent as error:
        raise _with_command(error, store, options.yes) from error
    if plan.elsewhere:
        raise UsageError(
            not_done_title(action),
            "These sessions are in different tables of the file. Change them separately.",
        )
    wanted = plan.title
    if wanted is not None and wanted.trouble:
        raise Refused(not_done_title(action), sentence(wanted.trouble))
    if wanted is not None and wanted.owner and not wanted.owner.yields:
        raise Refused(not_done_title(action), taken_words(wanted))
    return plan


def _with_command(error: OnlyAgent, store: Store, sure: bool) -> ExplorerError:
    """The refusal, with the agent's own command to copy."""
    home, _ = store.home(error.plan.doomed[0].key)
    lines = [command.line() for command in delete_commands(home, error.ids, sure)]
    if not lines:
        return error
    own = "The agent's own command can, but that cannot be undone:"
    return error.also("\n  ".join((own, *lines)))


def _show(plan: EditPlan, store: Store, as_json: bool) -> None:
    if as_json:
        write_json(plan_shape(plan, store))
        return
    if plan.doomed:
        write(clean(question(plan)))
    for line in plan_lines(plan):
        write(f"  {clean(line)}")
    note(DRY_RUN)


def _nothing(plan: EditPlan, as_json: bool) -> int:
    if as_json:
        write_json(done_shape(Done(None, plan.action.value, (), plan.skipped)))
    if harmless(plan.skipped) and not plan.refused:
        note(f"Nothing to do: {nothing_words(plan)}")
        return ExitCode.DONE
    why = nothing_words(plan) + remedy(plan, force=f"{plan.action.value} --force")
    raise Refused(not_done_title(plan.action), why)


def ask(options: argparse.Namespace, asked: str, lines: Iterable[str], verb: str) -> None:
    """Show what will happen, and continue only after a yes, or with --yes."""
    if not options.yes:
        ask_a_person(asked, lines, verb, "There is no terminal to ask on: add --yes.")


def ask_a_person(asked: str, lines: Iterable[str], verb: str, no_terminal: str) -> None:
    """The same where no option answers it; `no_terminal` says what to do without a terminal."""
    if not sys.stdin.isatty():
        raise Refused("Not confirmed", no_terminal)
    note(asked)
    for line in lines:
        note(f"  {line}")
    if not confirmed(f"{verb}?"):
        raise Refused("Not confirmed", "Nothing was changed.")


def apply_plan(edits: Edits, plan: EditPlan, force: bool = False) -> Done:
    """Do it, while the user may watch and stop it."""
    with until_interrupted() as token, shown_progress() as tell:
        return edits.apply(plan, token, tell, force)


def finish(done: Done, words: str, options: argparse.Namespace) -> None:
    """Report what was done, and how to undo it, in the file that it was done in."""
    if options.json:
        write_json(done_shape(done))
        return
    note(clean_line(done_words(done, words)) + ".")
    if done.receipt is not None:
        note(clean_line(f"To undo: session-explorer undo {done.receipt}{same_files(options)}"))


def warn_half_done(edits: Edits) -> None:
    """Report what a crash left half done, before anything else is done."""
    found = edits.after_crash()
    for line in crash_words(found):
        note(clean_line(line))
    for receipt in found.half_done:
        undo = f"`session-explorer undo {receipt.shown}`"
        note(clean_line(f"{interrupted(receipt)}. {undo} {what_undo_does(receipt)}."))


@contextmanager
def shown_progress() -> Iterator[Callable[[Progress], None] | None]:
    """Shows on a terminal how far a long edit is, in one line that is written over and over. It is
    ended before anything else is written, however the edit ended."""
    if not sys.stderr.isatty():
        yield None
        return
    shown = ""

    def tell(progress: Progress) -> None:
        nonlocal shown
        words = WAITING_WORDS if progress.waiting else _reached(progress)
        sys.stderr.write(f"\r{words:<{len(shown)}}")
        sys.stderr.flush()
        shown = words

    try:
        yield tell
    finally:
        if shown:
            sys.stderr.write("\n")


def _reached(progress: Progress) -> str:
    """How far a long edit is; empty sessions have no messages to count."""
    if progress.of_messages:
        return f"{count(progress.messages)} of {count(progress.of_messages)} messages"
    return f"{count(progress.sessions)} of {count(progress.of_sessions)} sessions"


@contextmanager
def until_interrupted() -> Iterator[CancelToken]:
    """Ctrl+C stops an edit where it can report how far it got; a second one stops it at once."""
    token = CancelToken()

    def stop(number: int, frame: object) -> None:
        signal.signal(signal.SIGINT, before)
        token.cancel()

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield token
    finally:
        signal.signal(signal.SIGINT, before)
