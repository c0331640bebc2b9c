"""Edits in words: plans, questions, receipts, undo. Stored text in them is not cleaned yet.

Why sessions are skipped is in `reasons`, why an edit is refused in `refusal_words`.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from explorer.errors import sentence
from explorer.model import Action
from explorer.render.figures import count, exact, listed, plural, size, when
from explorer.stores.edits.plans import (
    KINDS,
    AfterCrash,
    Done,
    EditPlan,
    Owner,
    Planned,
    Title,
    UndoPlan,
)
from explorer.stores.edits.reasons import INTERRUPTED, RUNNING, named_reason, skipped_words
from explorer.stores.ours.trash import RETENTION_DAYS
from explorer.stores.ours.trash_records import Receipt, ReceiptState
from explorer.stores.sqlite.failures import short_path

TOLD_APART = 2
"""Profiles that are named; of more there is only the number."""
NAMED = 4
"""Sessions that are named; of more there is only the number."""
DRY_RUN = "Dry run: nothing was changed."
NOTED = "The state file cannot store this yet: only Session Explorer shows it as archived."
TITLE_NOTED = "The program keeps no titles: only Session Explorer on this machine shows this one."
COUNTERS_KEPT = "Token counts and cost are kept."
PARTLY = "Partly restored"
EFFECTS = {
    Action.ARCHIVE: "Archived sessions leave the list; a search still finds them.",
    Action.END: "Only the mark changes; the messages are kept.",
    Action.REOPEN: "Only the mark that it has ended is removed.",
}
"""What a change does, where its name does not say it."""

_PART = re.compile(r"\A(\D+)[\d,]+ of ([\d,]+ sessions?)\Z")
_COUNTED = re.compile(r"([\d,]+)(?: of [\d,]+)?(?: empty| subagent)? sessions?\b")
_LINKED = {"branch": "branch", "subagent": "subagent session", "reset": "the chat's next session"}
"""What a session is to the deleted one that it was linked to."""
_STATES = {
    ReceiptState.UNDONE: "undone",
    ReceiptState.BEGUN: "interrupted",
    ReceiptState.UNDOING: "undo interrupted",
    ReceiptState.UNKNOWN: "from a newer version",
}


# Plans and receipts


def receipt_words(plan: EditPlan) -> str:
    """What an edit did, in a line; where several profiles are open, in which."""
    return stored_words(plan) + in_places([one.place for one in plan.by_store if one.plan.doomed])


def stored_words(plan: EditPlan) -> str:
    """What an edit did, as its receipt keeps it: that knows its profiles by itself."""
    if plan.action is Action.RENAME:
        old, new = plan.doomed[0].title, plan.title and plan.title.text
        if not new:
            return f"Removed the title “{old}”"
        return f"Renamed “{old}” to “{new}”" if old else f"Renamed an untitled session to “{new}”"
    return KINDS[plan.action].done(_whom(plan))


def part_words(plan: EditPlan, done: int) -> str:
    """What an edit did that did not reach its end."""
    return KINDS[plan.action].done(f"{count(done)} of {plural(len(plan.doomed), 'session')}")


def recounted(words: str, done: int) -> str:
    """The same with another number of sessions; `words` without a number stay."""

    def counted(found: re.Match[str]) -> str:
        whole = found[2].startswith(f"{count(done)} ")
        return f"{found[1]}{found[2]}" if whole else f"{found[1]}{count(done)} of {found[2]}"

    return _PART.sub(counted, words)


def words_of_parts(whole: Receipt, parts: Sequence[Receipt]) -> str:
    """What a change in several profiles did in these: of the others, the file may be gone or the
    trash emptied."""
    done = sum(one.sessions or one.changed for one in parts)
    told = [int(number.replace(",", "")) for number in _COUNTED.findall(whole.words)]
    if not told or sum(told) == done:
        return whole.words
    if len(parts) == 1:
        return parts[0].words
    return done_to(whole, done)


def done_to(receipt: Receipt, sessions: int) -> str:
    """What a change did, as far as the trash still has its sessions."""
    return KINDS[Action(receipt.action)].done(plural(sessions, "session"))


def question(plan: EditPlan) -> str:
    """What an edit would do, as a question; where several profiles are open, in which."""
    if plan.action is Action.RENAME:
        new = plan.title and plan.title.text
        asked = f"Rename to “{new}”?" if new else "Remove the title?"
    else:
        asked = KINDS[plan.action].question(_whom(plan))
    where = in_places([one.place for one in plan.by_store if one.plan.doomed])
    return f"{asked.removesuffix('?')}{where}?"


def in_places(places: Sequence[str]) -> str:
    """In which of several profiles; empty where only one file is open."""
    return f" in {_some_places(places)}" if places else ""


def in_named(places: Sequence[str]) -> str:
    """The same by name, where some may not be expected."""
    return f" in {listed(places)}" if len(places) in range(1, NAMED + 1) else in_places(places)


def _some_places(places: Sequence[str]) -> str:
    if len(places) > TOLD_APART:
        return plural(len(places), "profile")
    return " and ".join(places)


def in_profile(place: str, words: str) -> str:
    """What is only true of one profile."""
    return f"{place}: {words}"


LOCKED = "the file is locked"
GONE = "its file is gone"


def stays(sessions: int, place: str, why: str) -> str:
    """What is not changed of a profile that does not even tell what its sessions are."""
    verb = "stays" if sessions == 1 else "stay"
    return f"{plural(sessions, 'session')} in {place} {verb}: {why}"


def _whom(plan: EditPlan) -> str:
    shares = [one.plan for one in plan.by_store if one.plan.doomed]
    if len(shares) > 1:
        return _whom_in(shares)
    asked = [one for one in plan.doomed if not one.reason] or list(plan.doomed)
    along = len(plan.doomed) - len(asked)
    whole = _as_listed(asked)
    if len(asked) == 1:
        what = asked[0].quoted
    elif whole is not None:
        what = f"the conversation {whole.quoted} ({plural(len(asked), 'part')})"
    elif all(one.is_empty for one in asked):
        what = plural(len(asked), "empty session")
    else:
        what = amount_words(_conversations(asked), len(asked))
    return f"{what} and {plural(along, 'subagent session')}" if along else what


def _whom_in(shares: Sequence[EditPlan]) -> str:
    """The same of several profiles, which may have the same ids."""
    each = [[one for one in plan.doomed if not one.reason] or list(plan.doomed) for plan in shares]
    asked = [one for sessions in each for one in sessions]
    along = sum(len(plan.doomed) for plan in shares) - len(asked)
    if all(one.is_empty for one in asked):
        what = plural(len(asked), "empty session")
    else:
        what = amount_words(sum(map(_conversations, each)), len(asked))
    return f"{what} and {plural(along, 'subagent session')}" if along else what


def amount_words(conversations: int, sessions: int) -> str:
    """How many sessions, and how many conversations they are parts of where that is another
    number."""
    if conversations == sessions:
        return plural(sessions, "session")
    return f"{plural(conversations, 'conversation')} ({plural(sessions, 'session')})"


def _conversations(sessions: Sequence[Planned]) -> int:
    """How many of these do not go on in another one of them; without the first parts they are no
    whole conversations, and each counts."""
    continued = {one.continues for one in sessions} - {""}
    if not continued.issubset(one.id for one in sessions):
        return len(sessions)
    return sum(one.id not in continued for one in sessions)


def _as_listed(sessions: Sequence[Planned]) -> Planned | None:
    """The row of the conversation, where these are its parts: with the title of the newest part, or
    else that of the first, and with the words that it began with."""
    ids = {one.id for one in sessions}
    continued = {one.continues for one in sessions} & ids
    ends = [one for one in sessions if one.id not in continued]
    if len(ends) != 1 or len(continued) != len(sessions) - 1:
        return None
    tip = ends[0]
    # In a circle, none is the first.
    root = next((one for one in sessions if one.continues not in ids), tip)
    return tip._replace(title=tip.title or root.title, words=root.words or tip.words)


def plan_lines(plan: EditPlan) -> Iterator[str]:
    """What the user should know before saying yes; of several profiles, by profile."""
    if len(plan.by_store) > 1:
        for place, share in plan.by_store:
            lines = [*_named_share(share), *_along(share)]
            if share.skipped:
                lines.append(not_done(plan.action, skipped_words(share.skipped)))
            yield from (in_profile(place, line) for line in lines)
    else:
        yield from _named(plan)
        yield from _along(plan)
    if trashed := trashed_words(plan):
        yield trashed
    if plan.doomed and plan.action in EFFECTS:
        yield EFFECTS[plan.action]
    skipped = Counter(plan.skipped)
    if len(plan.by_store) > 1:
        for _, share in plan.by_store:
            skipped -= Counter(share.skipped)
    if skipped:
        yield not_done(plan.action, skipped_words(skipped))
    yield from plan.notes


def trashed_words(plan: EditPlan) -> str:
    """What the trash keeps of it, and how long; empty where nothing goes there."""
    totals = plan.totals
    if not totals.sessions or not KINDS[plan.action].takes_messages:
        return ""
    messages = f"{plural(totals.messages, 'message')} ({size(totals.bytes)})"
    return f"Kept in the trash for {RETENTION_DAYS} days: {messages}"


def _named(plan: EditPlan) -> Iterator[str]:
    """Which sessions it is about, beside what the question says."""
    asked = [one for one in plan.doomed if not one.reason]
    if len(asked) > 1 and not all(one.is_empty for one in asked):
        yield f"Sessions: {_names(asked)}"
    elif len(asked) == 1:
        yield _about(asked[0])


def _named_share(plan: EditPlan) -> Iterator[str]:
    """The same of one of several files, with what the question would say of it alone."""
    asked = [one for one in plan.doomed if not one.reason]
    if len(asked) == 1:
        yield f"{_whom(plan)} · {_about(asked[0])}"
    elif asked and not all(one.is_empty for one in asked):
        yield f"{_whom(plan)}: {_names(asked)}"
    elif plan.doomed:
        yield _whom(plan)


def _along(plan: EditPlan) -> Iterator[str]:
    """What else goes with them, and what stays."""
    asked = [one for one in plan.doomed if not one.reason]
    totals = plan.totals
    along = [one for one in plan.doomed if one.reason]
    if along:
        yield f"Also deleted: {plural(len(along), 'subagent session')} ({_names(along)})"
    if plan.detached:
        yield _detached(plan.detached, len(asked))
    if totals.files:
        files = _few([name for one in plan.doomed for name in one.files])
        where = f" in {plan.folder}" if plan.folder else ""
        yield f"Also deleted: {plural(totals.files, 'file')}{where} ({files})"


def _detached(kept: Sequence[Planned], asked: int) -> str:
    if len(kept) > 1:
        return f"Kept, no longer linked: {plural(len(kept), 'session')} ({_names(kept)})"
    what = _LINKED.get(kept[0].kind, "the next part" if kept[0].continues else "session")
    link = " to this session" if asked == 1 else ""
    return f"Kept: {what} {kept[0].quoted}, no longer linked{link}"


def _about(one: Planned) -> str:
    """Which session it is, beside its name."""
    active = f"last active {exact(one.last_active)}" if one.last_active else ""
    return " · ".join(filter(None, (one.source, active, plural(one.messages, "message"))))


def running_note(sessions: int) -> Iterator[str]:
    if sessions:
        yield f"Includes {plural(sessions, 'running session')}: the agent's next write may fail."


def _names(planned: Sequence[Planned]) -> str:
    """Some of them by name; empty ones have none, and are counted."""
    named = [one.quoted for one in planned if not one.is_empty]
    empty = len(planned) - len(named)
    if not empty:
        return _few(named)
    more = [f"{count(len(named) - NAMED)} more"] if len(named) > NAMED else []
    return ", ".join((*named[:NAMED], *more, plural(empty, "empty session")))


def _few(names: Sequence[str]) -> str:
    more = f", and {count(len(names) - NAMED)} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


# What came of an edit


def done_words(done: Done, words: str) -> str:
    """What came of an edit, without a full stop; `words` are those of its receipt."""
    parts = [done.words or words] if done.receipt is not None else []
    if done.stopped:
        parts.append("Stopped")
    if done.receipt is None:
        parts.append("Nothing was changed")
    elif done.stopped:
        parts.append("Nothing else was changed")
    if done.skipped:
        why = skipped_words(done.skipped, done.left)
        parts.append(not_done(Action(done.action), why).rstrip("."))
    return ". ".join((*parts, *(note.rstrip(".") for note in done.notes)))


def not_done(action: Action, why: str) -> str:
    return f"{not_done_title(action)}: {why}."


def not_done_title(action: Action) -> str:
    return f"Not {KINDS[action].past}"


def nothing_words(plan: EditPlan) -> str:
    """Why a plan does nothing; one session is named, of several there are numbers."""
    if len(plan.sessions) == 1:
        (one,) = plan.sessions
        return f"{named_reason(one.quoted, one.reason)}."
    return sentence(skipped_words(plan.skipped) or "the session is gone")


def remedy(plan: EditPlan, force: str = "") -> str:
    """What to do about it; `force` is the command that does it anyway."""
    if INTERRUPTED in plan.skipped:
        return f" Resume or abort it, or use `{force}`." if force else " Resume or abort it first."
    if RUNNING not in plan.skipped:
        return ""
    return f" Stop the agent, or use `{force}`." if force else " Stop the agent first."


def log_words(bytes_: int) -> str:
    """What a long log beside the file is."""
    return f"The write-ahead log is now {size(bytes_)}; it shrinks when the agent next runs"


# Titles


def taken_words(title: Title) -> str:
    """Which session has a title, and which title is free."""
    assert title.owner is not None
    taken = f"“{title.text}” is already the title of another session"
    return f"{taken}: {owner_words(title.owner)}. Free: “{title.next}”."


def owner_words(owner: Owner, now: float | None = None) -> str:
    """Which session has a title: its name would not tell, since that is the title."""
    at = exact(owner.last_active) if now is None else when(owner.last_active, now)
    active = f"last active {at}" if owner.last_active else ""
    return ", ".join(filter(None, (owner.source, "archived" * owner.archived, active)))


def keeps_title(name: str, old: str, owner: Owner) -> str:
    """Why a rename is not undone."""
    taken = f"“{old}” is now the title of another session ({owner_words(owner)})"
    return f"“{name}” keeps its title: {taken}."


def restored_as(title: str, owner: Owner, free: str | None) -> str:
    taken = f"“{title}” is now the title of another session ({owner_words(owner)})"
    return f"{taken}. The restored one is called “{free}”."


# Undo


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
    if _COUNTED.search(words):
        return _COUNTED.sub(f"{count(plan.sessions)} of {plural(plan.of, 'session')}", words, 1)
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


# History and trash


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
    return in_profile(_some_places(gone), files) if any(gone) else files


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
