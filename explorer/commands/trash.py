"""`undo` and `trash`: what was changed, and how to restore it."""

import argparse
import shlex
from collections.abc import Sequence

from explorer.commands.editing import ask, edits_of, shown_progress, warn_half_done
from explorer.commands.output import heading, note, write, write_json
from explorer.commands.pager import paged
from explorer.commands.shapes import done_shape
from explorer.commands.stores import chosen_store, usual_profile, usual_store
from explorer.commands.words import (
    lost_undo,
    newer_elsewhere,
    not_one_entry,
    nothing_to_undo,
    only_profile,
    part_left,
    undone_in,
    what_is_purged,
)
from explorer.errors import ExitCode, NoSuchSession, Refused, UsageError
from explorer.model import Action
from explorer.render.clean import clean, clean_line, pad
from explorer.render.figures import ago, count, iso_utc, plural, size
from explorer.settings import trash_path
from explorer.stores.base import Edits
from explorer.stores.edits.other_parts import other_parts
from explorer.stores.edits.plans import KINDS, UndoPlan
from explorer.stores.edits.refusal_words import CANNOT_UNDO, already_undone, no_such_change
from explorer.stores.edits.words import (
    DRY_RUN,
    changed_words,
    state_words,
    undo_lines,
    undo_question,
    undo_verb,
    undone_words,
)
from explorer.stores.hermes.store import profile_of
from explorer.stores.ours.trash import RETENTION, RETENTION_DAYS
from explorer.stores.ours.trash_records import Entry, EntryState, Receipt, ReceiptState
from explorer.stores.sqlite.failures import short_path


def undo_edit(options: argparse.Namespace, now: float) -> int:
    store = chosen_store(options)
    edits = edits_of(store)
    warn_half_done(edits)
    number = _newest(edits, options) if options.receipt is None else _own(edits, options.receipt)
    plan = edits.undo_plan(number, measured=options.dry_run)
    before = edits.before(plan.receipt) if plan.why_not and options.receipt is None else None
    if before is not None:
        other = f"`session-explorer undo {before.shown}` undoes the change before it"
        raise Refused(CANNOT_UNDO, f"{plan.why_not} {other}: {before.words}.")
    if options.receipt is None:
        for lost in edits.lost_changes(plan.receipt.number):
            # Of a plan that is shown, they are a part.
            if options.yes or lost not in plan.notes:
                note(clean_line(lost))
    files = [one.path for one in store.stores()]
    left = other_parts(trash_path(), files, plan.receipt)
    code = _undo(edits, plan, options)
    for one in left:
        undo = f"undo {one.whole}" if one.path.exists() else ""
        if undo and not (options.db or options.profile):
            # Without a name it was not found just now.
            undo += f" --db {shlex.quote(str(one.path))}"
        note(part_left(profile_of(one.path) or short_path(one.path), undo))
    return code


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


def _undo(edits: Edits, plan: UndoPlan, options: argparse.Namespace) -> int:
    plan.check()
    if options.dry_run and options.json:
        write_json(_undo_shape(plan, edits))
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


def _undo_shape(plan: UndoPlan, edits: Edits) -> dict[str, object]:
    return {
        "action": "undo",
        "receipt": plan.receipt.shown,
        "sessions": [_entry_shape(entry, edits) for entry in edits.worded_entries(plan.entries)],
        "totals": {"sessions": len(plan.entries), "messages": plan.messages},
        "skipped": {},
        "notes": list(plan.notes),
    }


def handle_trash(options: argparse.Namespace, now: float) -> int:
    far = options.what == "purge" and options.all
    edits = edits_of(usual_store(options) if far else chosen_store(options))
    match options.what:
        case "list":
            warn_half_done(edits)
            return _list(edits, options, now)
        case "show":
            return _show(edits, options)
        case "restore":
            number = _own(edits, _number(options))
            wanted = _entries(edits, number, options.ids)
            plan = edits.undo_plan(number, wanted, measured=options.dry_run)
            return _undo(edits, plan, options)
        case _:
            return _purge(edits, options)


def _number(options: argparse.Namespace) -> int:
    if options.receipt is None:
        raise UsageError(
            "No change given", "Add its number; `session-explorer trash list` lists all changes."
        )
    number: int = options.receipt
    return number


def _list(edits: Edits, options: argparse.Namespace, now: float) -> int:
    receipts = edits.trash.receipts()
    if options.json:
        shapes = [_receipt_shape(receipt, edits) for receipt in receipts]
        write_json({"bytes": edits.trash.size(), "receipts": shapes})
        return ExitCode.DONE
    with paged(not options.no_pager):
        if receipts:
            heading(f"   No  {pad('Changed', 10)}  What")
        for one in receipts:
            state = state_words(one)
            what = clean_line(changed_words(one))
            line = f"{one.shown:>5}  {pad(ago(one.made, now), 10)}  {what}"
            write(f"{line}  ({state})" if state else line)
    held = f"{plural(len(receipts), 'change')}, {size(edits.trash.size())}"
    note(f"{held}. Kept for {RETENTION_DAYS} days.")
    return ExitCode.DONE


def _show(edits: Edits, options: argparse.Namespace) -> int:
    receipt = _found(edits, _number(options))
    entries = edits.worded_entries(edits.trash.entries(receipt.number))
    if options.json:
        shapes = [_entry_shape(one, edits) for one in entries]
        write_json(_receipt_shape(receipt, edits) | {"sessions": shapes})
        return ExitCode.DONE
    with paged(not options.no_pager):
        write(clean(changed_words(receipt)))
        for entry in entries:
            back = "  (restored)" if entry.state is EntryState.BACK else ""
            name = clean_line(entry.title or entry.words or "(empty)", 60)
            id_ = clean_line(f"{entry.place}/{entry.session}" if entry.place else entry.session)
            write(f"  {id_}  {count(entry.messages):>6}  {name}{back}")
    return ExitCode.DONE


def _entries(edits: Edits, number: int, ids: Sequence[str]) -> list[int] | None:
    """The entries of these sessions; None for all."""
    if not ids:
        return None
    entries = edits.trash.entries(number)
    found = []
    for id_ in ids:
        mine = [one.number for one in entries if one.session.startswith(id_) or one.title == id_]
        mine = mine or [one.number for one in entries if f"{one.place}/{one.session}" == id_]
        if len(mine) != 1:
            raise NoSuchSession("No such session", not_one_entry(id_, number, entries))
        found += mine
    return found


def _purge(edits: Edits, options: argparse.Namespace) -> int:
    receipts = edits.trash.receipts() if options.all else [_found(edits, _number(options))]
    unfinished = [one for one in receipts if one.half_done]
    if unfinished:
        number = unfinished[0].shown
        first = f"Undo it first: `session-explorer undo {number}`."
        raise Refused("Not deleted", f"Change {number} was interrupted. {first}")
    words = what_is_purged(receipts)
    lines = [*lost_undo(receipts), "This cannot be undone."] if receipts else []
    if options.dry_run:
        for line in (f"Permanently delete {words}?", *(f"  {line}" for line in lines)):
            write(clean(line))
        note(DRY_RUN)
        return ExitCode.DONE
    ask(options, f"Permanently delete {words}?", lines, KINDS[Action.DELETE].verb)
    with edits.trash.alone():
        edits.trash.purge(one.number for one in receipts)
    if options.json:
        write_json({"purged": [one.shown for one in receipts], "bytes": edits.trash.size()})
    else:
        of = "these profiles" if any(one.place for one in receipts) else "this file"
        note(f"Permanently deleted: {words}. The trash now has {size(edits.trash.size())} of {of}.")
    return ExitCode.DONE


def _known(edits: Edits, number: int) -> Receipt | None:
    """The change with this number. Where only one of its profiles is open, its part there."""
    every = edits.trash.receipts()
    known = (one for one in every if number in (one.shown, one.number))
    return next(known, None) or edits.trash.receipt(number)


def _own(edits: Edits, number: int) -> int:
    """The number by which these files know a change that can be undone."""
    found = _known(edits, number)
    if found is not None and found.state is ReceiptState.UNDONE:
        raise Refused("Already undone", already_undone(number))
    return number if found is None else found.number


def _found(edits: Edits, number: int) -> Receipt:
    receipt = _known(edits, number)
    if receipt is None:
        raise NoSuchSession("No such change", no_such_change(number))
    return receipt


def _receipt_shape(receipt: Receipt, edits: Edits) -> dict[str, object]:
    home = profile_of(edits.path)
    return {
        "receipt": receipt.shown,
        "action": receipt.action,
        "made_at": iso_utc(receipt.made),
        "state": receipt.state.value,
        "words": receipt.words,
        "sessions": receipt.sessions,
        "back": receipt.back,
        "messages": receipt.messages,
        "bytes": receipt.bytes,
        "kept_until": iso_utc(receipt.made + RETENTION),
        "profiles": list(filter(None, (one.place or home for one in receipt.parts or (receipt,)))),
    }


def _entry_shape(entry: Entry, edits: Edits) -> dict[str, object]:
    return {
        "id": entry.session,
        "title": entry.title,
        "name": entry.name,
        "source": entry.source,
        "messages": entry.messages,
        "bytes": entry.bytes,
        "kind": entry.kind,
        "state": entry.state.value,
        "last_active": iso_utc(entry.active),
        "profile": entry.place or profile_of(edits.path),
    }
