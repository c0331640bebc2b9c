"""`undo` and `trash`: what was changed, and how to restore it."""

import argparse
import os
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path

from explorer.commands.editing import ask, ask_a_person, edits_of, shown_progress, warn_half_done
from explorer.commands.output import heading, note, write, write_json
from explorer.commands.pager import paged
from explorer.commands.shapes import done_shape
from explorer.commands.stores import chosen_store, usual_profile, usual_profiles, usual_store
from explorer.commands.trash_shapes import entry_shape, purge_shape, receipt_shape, undo_shape
from explorer.commands.words import (
    ONLY_AT_A_TERMINAL,
    another_file,
    lost_undo,
    newer_elsewhere,
    no_entry,
    nothing_to_undo,
    only_profile,
    part_left,
    same_file,
    several_entries,
    several_gone,
    taken_over,
    to_say_same_file,
    undone_in,
    what_is_purged,
    which_are_purged,
    which_gone,
)
from explorer.errors import ExitCode, NoSuchSession, Problem, Refused, StoreError, UsageError
from explorer.model import Action
from explorer.render.clean import clean, clean_line, pad
from explorer.render.figures import ago, count, plural, size
from explorer.settings import notes_path, trash_path
from explorer.stores.base import Edits, Store
from explorer.stores.discover import current_folder, growing_roots, locate
from explorer.stores.edits.interface import Past
from explorer.stores.edits.other_parts import OtherPart, other_parts
from explorer.stores.edits.plans import KINDS, UndoPlan
from explorer.stores.edits.refusal_words import CANNOT_UNDO, already_undone, no_such_change
from explorer.stores.edits.undo_words import (
    changed_words,
    gone_files,
    state_words,
    under_new_name,
    undo_lines,
    undo_question,
    undo_verb,
    undone_words,
)
from explorer.stores.edits.words import DRY_RUN, in_named
from explorer.stores.hermes.store import profile_of
from explorer.stores.history import gone_with, is_another, of_gone, with_gone
from explorer.stores.open_found import take_over
from explorer.stores.ours.notes import Notes
from explorer.stores.ours.trash import RETENTION_DAYS, TrashFile
from explorer.stores.ours.trash_records import Entry, Receipt, ReceiptState
from explorer.stores.server_path import database_of, on_server
from explorer.stores.sqlite.failures import short_path

_NO_FILE = (Problem.MISSING, Problem.LOST, Problem.NO_STATE_FILE)


def undo_edit(options: argparse.Namespace, now: float) -> int:
    store = chosen_store(options)
    edits = edits_of(store)
    warn_half_done(edits)
    given = options.receipt
    if given is not None:
        _check_there(with_gone(edits, _roots(options)), given)
        _take_over(store, edits, given, options)
    number = _newest(edits, options) if given is None else _own(edits, given).number
    plan = edits.undo_plan(number, measured=options.dry_run)
    before = edits.before(plan.receipt) if plan.why_not and options.receipt is None else None
    if before is not None:
        other = f"`session-explorer undo {before.shown}` undoes the change before it"
        raise Refused(CANNOT_UNDO, f"{plan.why_not} {other}: {before.words}.")
    if options.receipt is None:
        lost = edits.lost_changes(plan.receipt.shown)
        if options.yes and not options.dry_run:
            # They are said here, and not again by what is done.
            plan = plan._replace(notes=tuple(one for one in plan.notes if one not in lost))
        for one in lost:
            # Of a plan that is shown, they are a part.
            if one not in plan.notes:
                note(clean_line(one))
    return _undo(edits, plan, store, options)


def _say_left(left: Sequence[OtherPart], plan: UndoPlan, options: argparse.Namespace) -> None:
    """Which parts of a change are not undone with it."""
    for one in left:
        if one.words and one.words not in plan.notes:
            note(clean_line(one.words))
        elif not one.words:
            typed = shown = database_of(one.path)
            if not on_server(one.path):
                typed, shown = str(one.path), profile_of(one.path) or short_path(one.path)
            undo = f"undo {one.receipt.shown}"
            if not (options.db or options.profile):
                # Without a name it was not found just now.
                undo += f" --db {shlex.quote(typed)}"
            note(part_left(shown, undo))


def _newest(edits: Edits, options: argparse.Namespace) -> int | None:
    """The newest change that is not undone, where it need not be that of any profile."""
    usual = usual_profile(options)
    if usual is None:
        return None
    left = [one for one in edits.trash.receipts() if one.state is not ReceiptState.UNDONE]
    for number, one in enumerate(left):
        parts = [part for part in one.parts or (one,) if part.state is not ReceiptState.UNDONE]
        places = [part.place for part in parts]
        if usual in places:
            note(only_profile(usual) if places == [usual] else undone_in(places))
            if number:
                note(newer_elsewhere(left[0], number))
            return one.number
    nothing = nothing_to_undo(usual, left[0] if left else None)
    raise Refused("Nothing to undo", " ".join((nothing, *edits.lost_changes(0))))


def _undo(
    edits: Edits, plan: UndoPlan, store: Store, options: argparse.Namespace, whole: bool = True
) -> int:
    """Undo what is planned; if that is the `whole` change, it is said what is left of it."""
    plan.check()
    files = [one.path for one in store.stores()]
    left = other_parts(trash_path(), files, plan.receipt) if whole else []
    code = _done_or_shown(edits, plan, store, options)
    _say_left(left, plan, options)
    return code


def _done_or_shown(edits: Edits, plan: UndoPlan, store: Store, options: argparse.Namespace) -> int:
    if options.dry_run and options.json:
        write_json(undo_shape(plan, edits, store))
        return ExitCode.DONE
    if options.dry_run:
        for line in (undo_question(plan), *(f"  {line}" for line in undo_lines(plan))):
            write(clean(line))
        note(DRY_RUN)
        return ExitCode.DONE
    ask(options, undo_question(plan), undo_lines(plan), undo_verb(plan))
    with shown_progress() as tell:
        done = edits.undo(plan, progress=tell)
    if options.json:
        write_json(done_shape(done._replace(receipt=plan.receipt.shown)))
    else:
        note(clean_line(f"{undone_words(plan, done)}."))
        for line in done.notes:
            note(clean_line(line))
    return ExitCode.FAILED if done.skipped or done.words or done.refused else ExitCode.DONE


def handle_trash(options: argparse.Namespace, now: float) -> int:
    _check_arguments(options)
    match options.what:
        case "list":
            return _list(_history(options), options, now)
        case "show":
            return _show(_history(options), options)
        case "restore":
            return _restore(options)
        case _:
            return _purge(_history(options), options)


def _history(options: argparse.Namespace) -> Past:
    """What is kept of the state files that a command is about. Where those are all profiles, also
    of profiles that are gone: an empty trash must be empty."""
    far = options.what == "purge" and options.all
    try:
        edits = edits_of(usual_store(options) if far else chosen_store(options))
    except StoreError as error:
        gone = _of_gone(error, options, far)
        if gone is None:
            raise
        if far and not _is_named(options) and len(gone.trash.by_place) > 1:
            raise UsageError("Several profiles", which_gone(list(gone.trash.by_place))) from None
        return gone
    if options.what == "list":
        warn_half_done(edits)
    return with_gone(edits, [] if far and not options.all_profiles else _roots(options))


def _is_named(options: argparse.Namespace) -> bool:
    """Whether a command that reaches far was told which profiles it is about."""
    return bool(options.profile or options.all_profiles) or not _roots(options)


def _roots(options: argparse.Namespace) -> list[Path]:
    return growing_roots(options.db, options.profile, os.environ, current_folder())


def _of_gone(error: StoreError, options: argparse.Namespace, far: bool = False) -> Past | None:
    """What is kept of state files that cannot be opened, where they are gone. A command that could
    reach `far` is about the usual profiles, as it is where they are there."""
    if error.problem not in _NO_FILE:
        return None
    found = locate(options.db, options.profile, os.environ, current_folder())
    usual = usual_profiles(found, options) if far else []
    files = [one.path for one in found if not usual or one.name in usual]
    return of_gone(trash_path(), files, [] if usual else _roots(options))


def _restore(options: argparse.Namespace) -> int:
    number = _number(options)
    try:
        store = chosen_store(options)
    except StoreError as error:
        gone = _of_gone(error, options)
        if gone is not None:
            _check_there(gone, number)
        raise
    edits = edits_of(store)
    history = with_gone(edits, _roots(options))
    _check_there(history, number, options.ids)
    _take_over(store, edits, number, options)
    receipt = _own(edits, number)
    wanted = [one.number for one in _entries(edits, receipt, options.ids)] or None
    plan = edits.undo_plan(receipt.number, wanted, measured=options.dry_run)
    return _undo(edits, plan, store, options, whole=not wanted)


def _check_arguments(options: argparse.Namespace) -> None:
    """Refuse what is given in vain: who means one session must not lose a whole change."""
    given = options.receipt is not None
    if options.all and (given or options.what != "purge"):
        wrong = "--all is for `trash purge` without a change: it empties trash and history."
    elif options.what == "list" and given:
        wrong = "`trash list` lists all changes; `trash show CHANGE` lists the sessions of one."
    elif options.what == "show" and options.ids:
        wrong = "`trash show CHANGE` lists all sessions of a change."
    else:
        return
    raise UsageError("Arguments do not fit", wrong)


def _number(options: argparse.Namespace) -> int:
    if options.receipt is None:
        raise UsageError(
            "No change given", "Add its number; `session-explorer trash list` lists all changes."
        )
    number: int = options.receipt
    return number


def _list(edits: Past, options: argparse.Namespace, now: float) -> int:
    receipts = edits.trash.receipts()
    if options.json:
        shapes = [receipt_shape(receipt, edits) for receipt in receipts]
        write_json({"bytes": edits.trash.size(), "receipts": shapes})
        return ExitCode.DONE
    with paged(not options.no_pager):
        if receipts:
            heading(f"   No  {pad('Changed', 10)}  What")
        for one in receipts:
            state = clean_line(state_words(one))
            what = clean_line(changed_words(one))
            line = f"{one.shown:>5}  {pad(ago(one.made, now), 10)}  {what}"
            write(f"{line}  ({state})" if state else line)
    held = f"{plural(len(receipts), 'change')}, {size(edits.trash.size())}"
    note(f"{held}. Kept for {RETENTION_DAYS} days.")
    return ExitCode.DONE


def _show(edits: Past, options: argparse.Namespace) -> int:
    receipt = _found(edits, _number(options))
    entries = edits.worded_entries(edits.trash.entries(receipt.number))
    if options.json:
        shapes = [entry_shape(one, edits) for one in entries]
        write_json(receipt_shape(receipt, edits) | {"sessions": shapes})
        return ExitCode.DONE
    with paged(not options.no_pager):
        write(clean(changed_words(receipt)))
        for entry in entries:
            back = "  (restored)" if entry.is_back else ""
            name = clean_line(entry.title or entry.words or "(empty)", 60)
            write(f"  {clean_line(entry.full_id)}  {count(entry.messages):>6}  {name}{back}")
    return ExitCode.DONE


def _entries(edits: Past, receipt: Receipt, ids: Sequence[str]) -> list[Entry]:
    """The sessions of a change that are named; none where all are meant."""
    if not ids:
        return []
    entries = edits.worded_entries(edits.trash.entries(receipt.number))
    found: dict[int, Entry] = {}
    for id_ in ids:
        meant = _meant(id_, entries)
        if not meant:
            raise NoSuchSession("No such session", no_entry(id_, receipt.shown, entries))
        if len(meant) > 1:
            raise NoSuchSession("No such session", several_entries(id_, receipt.shown, meant))
        found[meant[0].number] = meant[0]
    return [found[number] for number in sorted(found)]


def _meant(text: str, entries: Sequence[Entry]) -> list[Entry]:
    """The sessions that a text may mean: a whole id or title beats `PROFILE/ID`, and that the
    beginning of an id."""
    if not text.strip():
        return []
    rules: tuple[Callable[[Entry], bool], ...] = (
        lambda one: one.session == text,
        lambda one: one.title == text,
        lambda one: text in (one.full_id, f"{one.place}/{one.title}"),
        lambda one: one.session.startswith(text) or one.full_id.startswith(text),
    )
    found = ([one for one in entries if rule(one)] for rule in rules)
    return next(filter(None, found), [])


def _purge(edits: Past, options: argparse.Namespace) -> int:
    receipts = edits.trash.receipts() if options.all else [_listed(edits, _number(options))]
    unfinished = [one for one in receipts if one.half_done and not one.lost]
    if unfinished:
        number = unfinished[0].shown
        first = f"Undo it first: `session-explorer undo {number}`."
        raise Refused("Not deleted", f"Change {number} was interrupted. {first}")
    entries = _entries(edits, receipts[0], options.ids) if options.ids else []
    words = which_are_purged(entries) if entries else what_is_purged(receipts)
    parts = [part.place for one in receipts for part in one.parts or (one,)]
    places = dict.fromkeys([one.place for one in entries] or parts)
    words += in_named(list(filter(None, places)))
    lines = [*lost_undo(receipts), "This cannot be undone."] if receipts else []
    gone = entries or [one for receipt in receipts for one in edits.trash.entries(receipt.number)]
    if options.dry_run and options.json:
        write_json(purge_shape(receipts, gone, lines, edits))
        return ExitCode.DONE
    if options.dry_run:
        for line in (f"Permanently delete {words}?", *(f"  {line}" for line in lines)):
            write(clean(line))
        note(DRY_RUN)
        return ExitCode.DONE
    ask(options, f"Permanently delete {words}?", lines, KINDS[Action.DELETE].verb)
    if entries:
        edits.purge(receipts[0], [one.number for one in entries])
    else:
        with edits.trash.alone():
            edits.trash.purge(one.number for one in receipts)
    held = edits.trash.size()
    if options.json:
        left = {one.number for one in edits.trash.receipts()}
        purged = [one.shown for one in receipts if one.number not in left]
        write_json({"purged": purged, "done": [one.session for one in gone], "bytes": held})
    else:
        of = "these profiles" if len(edits.trash.by_place) > 1 else "this file"
        of = "all profiles" if options.all and options.all_profiles else of
        note(clean_line(f"Permanently deleted: {words}. The trash of {of} now has {size(held)}."))
    return ExitCode.DONE


def _known(edits: Past, number: int) -> Receipt | None:
    """The change with this number. Where only one of its profiles is open, its part there."""
    every = edits.trash.receipts()
    known = (one for one in every if number in (one.shown, one.number))
    return next(known, None) or edits.trash.receipt(number)


def _own(edits: Edits, number: int) -> Receipt:
    """A change that can be undone."""
    found = _found(edits, number)
    if found.state is ReceiptState.UNDONE:
        raise Refused("Already undone", already_undone(number))
    return found


def _check_there(history: Past, number: int, ids: Sequence[str] = ()) -> None:
    """Refuse to restore into a state file that is gone: all of a change, or these sessions."""
    found = _known(history, number)
    if found is None:
        return
    places = [one.place for one in _entries(history, found, ids) or found.parts or (found,)]
    # What was interrupted before it began is in no file.
    files = [history.trash.by_place.get(one) for one in dict.fromkeys(places)]
    gone = [one.about for one in files if one and one.gone]
    if gone and (ids or len(gone) == len(files)):
        raise Refused(CANNOT_UNDO, f"{gone_files(gone)} {under_new_name(number)}")


def _take_over(store: Store, edits: Edits, number: int, options: argparse.Namespace) -> None:
    """Where a change was made in a file that is gone, and one file was named: have that be the same
    one under a new name, if the user says so at a terminal. A profile that is renamed becomes
    another file to us, and its file is called the same as those of all others: only the user knows,
    and a wrong yes cannot be taken back."""
    if not (options.db or options.profile) or len(store.stores()) > 1 or _known(edits, number):
        return
    every = gone_with(trash_path(), store.path, number)
    gone = [one for one in every if not is_another(one, store.path)]
    if len(gone) > 1:
        numbers = {one.about: part.number for one in gone for part in _parts(one, number)}
        raise Refused(CANNOT_UNDO, several_gone(number, numbers))
    if every and not gone:
        raise Refused(CANNOT_UNDO, another_file(every[0].about, store.path))
    if not gone:
        return
    before = gone[0].about
    if options.dry_run:
        raise Refused(CANNOT_UNDO, to_say_same_file(before, store.path))
    asked, line = same_file(before, store.path)
    ask_a_person(asked, [line], "Move them", f"{asked} {line} {ONLY_AT_A_TERMINAL}")
    take_over(store.path, before, Notes(notes_path(), store.path), trash_path())
    note(clean_line(taken_over(before, store.path)))


def _parts(file: TrashFile, number: int) -> list[Receipt]:
    return [one for one in file.receipts() if one.shown == number]


def _listed(edits: Past, number: int) -> Receipt:
    """The change that is listed with this number: a slip must not delete a part of another one for
    ever."""
    for one in edits.trash.receipts():
        if one.shown == number:
            return one
    raise NoSuchSession("No such change", no_such_change(number))


def _found(edits: Past, number: int) -> Receipt:
    receipt = _known(edits, number)
    if receipt is None:
        raise NoSuchSession("No such change", no_such_change(number))
    return receipt
