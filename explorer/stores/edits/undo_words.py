"""What was changed before, what is undone of it, and what a crash interrupted, in words. Stored
text in them is not cleaned yet."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from explorer.render.figures import count, listed, plural
from explorer.stores.edits.plans import AfterCrash, Done, UndoPlan
from explorer.stores.edits.reasons import skipped_words
from explorer.stores.edits.words import COUNTED, in_named, in_places, in_profile, some_places
from explorer.stores.ours.trash_records import Receipt, ReceiptState
from explorer.stores.sqlite.failures import short_path

_DOING = {
    "Renamed": "renaming",
    "Removed": "removing",
    "Archived": "archiving",
    "Unarchived": "unarchiving",
    "Pinned": "pinning",
    "Unpinned": "unpinning",
    "Marked": "marking",
    "Reopened": "reopening",
}
"""First words of receipts, as a question has them."""
_TAKEN = re.compile(
    r"\A(?:Deleted|Pruned|Cleared all messages of) "
    r"(?=“|the conversation |an empty |[\d,]+ (?:conversation|empty))"
)
_STATES = {
    ReceiptState.UNDONE: "undone",
    ReceiptState.BEGUN: "interrupted",
    ReceiptState.UNDOING: "undo interrupted",
    ReceiptState.UNKNOWN: "from a newer version",
}


def undo_verb(plan: UndoPlan) -> str:
    """On the button that agrees to it."""
    return "Restore" if plan.entries else "Undo"


def undo_question(plan: UndoPlan) -> str:
    if plan.entries:
        return f"Restore {_restored(plan)}{_undone_where(plan)}?"
    first, _, rest = _changed(plan).partition(" ")
    doing = f"{_DOING.get(first, f'“{first.lower()}”')} {rest}"
    return f"Undo {doing}{_undone_where(plan)}?"


def _undone_where(plan: UndoPlan) -> str:
    """In which profiles, by name: an undo reaches all that the change was made in."""
    return in_named([one.place for one in plan.by_store if not one.plan.why_not])


def not_undone(plan: UndoPlan, sessions: int, place: str, why: str) -> str:
    """What an undo leaves in one of several profiles."""
    verb = "Not restored" if plan.entries else "Not undone"
    return f"{verb}: {plural(sessions, 'session')} in {place} ({why.rstrip('.')})"


def lost_part(receipt: Receipt, path: str) -> str:
    """The same of a part of a change whose state file, at this path, is gone."""
    verb = "Not restored" if receipt.sessions else "Not undone"
    sessions = receipt.sessions - receipt.back or receipt.changed
    return f"{verb}: {plural(sessions, 'session')} ({path} is gone)"


def undone_words(plan: UndoPlan, done: Done) -> str:
    """What was undone, in a line without a full stop."""
    reached = plan.only(done)
    if reached.entries:
        told = f"{done.words or 'Restored'} {_restored(reached)}{_undone_where(reached)}"
    else:
        words = _changed(reached)
        told = f"Undone: {words[:1].lower()}{words[1:]}{_undone_where(reached)}"
    return f"{told}. Not restored: {skipped_words(done.skipped)}" if done.skipped else told


def _restored(plan: UndoPlan) -> str:
    """What comes back: by name where it is one session, or was deleted under one."""
    entries, receipt = plan.entries, plan.receipt
    of = "the messages of " if entries[0].kind == "messages" else ""
    if len(entries) == 1 and (entries[0].title or entries[0].words):
        return f"{of}{entries[0].quoted}"
    if len(entries) == plan.of and _TAKEN.match(receipt.words):
        return of + _TAKEN.sub("", receipt.words)
    sessions = plural(len(entries), "session")
    if receipt.back and receipt.back + len(entries) == plan.of:
        return f"{of}the other {sessions}"
    whole = len(entries) == plan.of
    return of + (sessions if whole else f"{count(len(entries))} of {plural(plan.of, 'session')}")


def _changed(plan: UndoPlan) -> str:
    """What a change did, with how many sessions it is undone for where that is not for all."""
    words = plan.receipt.words
    if plan.sessions >= plan.of:
        return words
    if COUNTED.search(words):
        return COUNTED.sub(f"{count(plan.sessions)} of {plural(plan.of, 'session')}", words, 1)
    return f"{words} (only {count(plan.sessions)} of {count(plan.of)})"


def undo_lines(plan: UndoPlan) -> Iterator[str]:
    if plan.entries:
        yield f"Restores {plural(plan.messages, 'message')}."
    yield from plan.notes


def still_running(name: str) -> str:
    return f"“{name}” is running. Try again when its agent has finished."


def started_again(name: str) -> str:
    return f"“{name}” was started again. Its old messages come before the new ones."


def gone_words(name: str, messages: bool = False) -> str:
    """Why a session, or its messages, cannot be restored."""
    more = ", so its messages cannot be restored" if messages else ""
    return f"“{name}” no longer exists{more}."


def changed_since(name: str) -> str:
    return f"“{name}” has changed since and is left alone."


def will_be_lost(name: str, held: int, messages: int) -> str:
    share = f"only {count(held)} of {plural(messages, 'message')} can be restored"
    return f"“{name}”: {share}. The trash has lost the others."


def lost_words(name: str, restored: int, messages: int) -> str:
    share = f"{count(restored)} of {plural(messages, 'message')} restored"
    return f"“{name}”: {share}. The trash has lost the others."


def file_kept(name: str) -> str:
    return f"Not deleted: the file {name} (it has changed)"


def file_not_restored(name: str) -> str:
    return f"Not restored: the file {name} (another file has its name, or it cannot be written)"


def changed_words(receipt: Receipt) -> str:
    """What a change did; where several profiles are open, in which."""
    return receipt.words + in_places(_places(receipt))


def passed_over(receipts: Sequence[Receipt], path: str) -> str:
    """Changes, the newest first, that cannot be undone because the state file at this path is
    gone."""
    newest = receipts[0].words
    if len(receipts) == 1:
        return f"A newer change cannot be undone: {newest}. Its file {path} is gone."
    changes = f"{count(len(receipts))} newer changes cannot be undone, the last of them"
    return f"{changes}: {newest}. Their file {path} is gone."


def gone_file(path: Path) -> str:
    """Why nothing is undone in a profile that has been changed, so that it had a state file."""
    return gone_files([path])


def gone_files(paths: Sequence[Path]) -> str:
    """The same of one or several."""
    names = listed([short_path(path) for path in paths])
    if len(paths) == 1:
        return f"Its state file {names} is gone. Put it back to undo the change."
    return f"Its state files {names} are gone. Put one back to undo the change there."


def under_new_name(number: int) -> str:
    """What to do about a change whose state file is gone, but was only renamed."""
    restore = f"`session-explorer trash restore {number} --db PATH`"
    return f"If it only has a new name: {restore}, with that as PATH."


def about_change(receipt: Receipt) -> str:
    """Which change could not be undone."""
    return f"The last change is: {changed_words(receipt)}."


def state_words(receipt: Receipt) -> str:
    """How much of a change is undone, that it was interrupted, or that it cannot be undone any
    more; empty where it is just done."""
    return "; ".join(filter(None, (_reached_words(receipt), _gone_words(receipt))))


def _gone_words(receipt: Receipt) -> str:
    """Which of its state files are gone, so that it cannot be undone in them."""
    parts = receipt.parts or (receipt,)
    gone = [one.place for one in parts if one.gone]
    if not gone:
        return ""
    files = "its state file is gone" if len(gone) == 1 else "their state files are gone"
    return in_profile(some_places(gone), files) if any(gone) else files


def _reached_words(receipt: Receipt) -> str:
    if receipt.state is ReceiptState.DONE and receipt.back:
        return f"{count(receipt.back)} of {count(receipt.sessions)} restored"
    undone = [one.place for one in receipt.parts if one.state is ReceiptState.UNDONE]
    if receipt.state is ReceiptState.DONE and undone:
        left = [one.place for one in receipt.parts if one.place not in undone]
        return f"undone{in_places(undone)}, not{in_places(left)}"
    return _STATES.get(receipt.state, "")


def crash_words(found: AfterCrash) -> Iterator[str]:
    """What a crash interrupted and is settled by now."""
    for one in found.ended:
        if one.state is ReceiptState.UNDONE:
            yield f"An interrupted undo is complete: {one.words}."
        else:
            yield f"{interrupted(one)}. It can be undone."
    for one in found.partly:
        yield f"{_undo_interrupted(one)}. The rest can be undone."
    if found.nothing:
        yield "A change was interrupted before it started. Nothing was changed."


def interrupted(receipt: Receipt) -> str:
    """That a change, or its undo, did not reach its end, and in which profiles."""
    if receipt.state is ReceiptState.UNDOING:
        return _undo_interrupted(receipt)
    return f"A change was interrupted{in_places(_places(receipt))}: {receipt.words}"


def _undo_interrupted(receipt: Receipt) -> str:
    parts = [one for one in receipt.parts if one.state is not ReceiptState.UNDONE]
    places = [one.place for one in parts or (receipt,) if one.place]
    return f"An undo was interrupted{in_places(places)}: {receipt.words}"


def what_undo_does(receipt: Receipt) -> str:
    """To a change that was interrupted, or whose undo was."""
    if receipt.state is ReceiptState.UNDOING:
        return "restores the rest"
    return "restores what it deleted" if receipt.sessions else "undoes it"


def _places(receipt: Receipt) -> list[str]:
    return [one.place for one in receipt.parts or (receipt,) if one.place]
