"""Edits in words: plans, questions, receipts. Stored text in them is not cleaned yet.

What is said of an undo, and of what was changed before, is in `undo_words`; why sessions are
skipped in `reasons`, why an edit is refused in `refusal_words`.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from explorer.errors import sentence
from explorer.model import Action
from explorer.render.figures import count, exact, listed, plural, size, when
from explorer.stores.edits.plans import (
    KINDS,
    Done,
    EditPlan,
    Owner,
    Planned,
    Title,
)
from explorer.stores.edits.reasons import INTERRUPTED, RUNNING, named_reason, skipped_words
from explorer.stores.ours.trash import RETENTION_DAYS
from explorer.stores.ours.trash_records import Receipt

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
COUNTED = re.compile(r"([\d,]+)(?: of [\d,]+)?(?: empty| subagent)? sessions?\b")
"""How many sessions the words of a change speak of."""
_LINKED = {"branch": "branch", "subagent": "subagent session", "reset": "the chat's next session"}
"""What a session is to the deleted one that it was linked to."""


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
    told = [int(number.replace(",", "")) for number in COUNTED.findall(whole.words)]
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
    return f" in {some_places(places)}" if places else ""


def in_named(places: Sequence[str]) -> str:
    """The same by name, where some may not be expected."""
    return f" in {listed(places)}" if len(places) in range(1, NAMED + 1) else in_places(places)


def some_places(places: Sequence[str]) -> str:
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
