"""Edits in words: what a plan would do, what was done. Stored text in them is not cleaned yet."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from explorer.errors import sentence
from explorer.model import Action
from explorer.render.figures import count, exact, plural, size
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
from explorer.stores.ours.trash import RETENTION_DAYS
from explorer.stores.ours.trash_records import Receipt, ReceiptState

NAMED = 4
"""Sessions that are named; of more there is only the number."""

_PART = re.compile(r"\A(\w+) [\d,]+ of ([\d,]+ sessions?)\Z")


def receipt_words(plan: EditPlan) -> str:
    """What an edit did, in a line."""
    if plan.action is Action.RENAME:
        old, new = plan.doomed[0].title or "untitled", plan.title and plan.title.text
        return f"Renamed “{old}” to “{new}”" if new else f"Took the title “{old}” off"
    return f"{KINDS[plan.action].done} {_whom(plan)}"


def part_words(plan: EditPlan, done: int) -> str:
    """What an edit did that did not reach its end."""
    return f"{KINDS[plan.action].done} {count(done)} of {plural(len(plan.doomed), 'session')}"


def recounted(words: str, done: int) -> str:
    """The same, where it turns out that it did more or less; `words` that count nothing stay."""
    return _PART.sub(lambda found: f"{found[1]} {count(done)} of {found[2]}", words)


def question(plan: EditPlan) -> str:
    """What an edit would do, as a question."""
    if plan.action is Action.RENAME:
        new = plan.title and plan.title.text
        return f"Rename to “{new}”?" if new else "Take the title off?"
    kind = KINDS[plan.action]
    return f"{kind.question or kind.verb} {_whom(plan)}?"


def _whom(plan: EditPlan) -> str:
    acted = plan.doomed
    asked = [one for one in acted if not one.reason] or list(acted)
    what = f"“{asked[0].name}”" if len(asked) == 1 else plural(len(asked), "session")
    along = len(acted) - len(asked)
    return f"{what} and {plural(along, 'subagent')}" if along else what


def plan_lines(plan: EditPlan) -> Iterator[str]:
    """What a person should know before saying yes."""
    totals = plan.totals
    if totals.sessions and KINDS[plan.action].takes_messages:
        go, they = ("goes", "it") if totals.messages == 1 else ("go", "they")
        yield (
            f"{plural(totals.messages, 'message')} ({size(totals.bytes)}) {go} to the trash,"
            f" where {they} can be restored for {RETENTION_DAYS} days."
        )
    asked = [one for one in plan.doomed if not one.reason]
    if len(asked) > 1:
        yield f"Sessions: {_names(asked)}"
    elif asked and totals.sessions:
        yield _about(asked[0])
    along = [one for one in plan.doomed if one.reason]
    if along:
        one = len(along) == 1
        whose = (
            "1 session of a subagent goes"
            if one
            else f"{count(len(along))} sessions of subagents go"
        )
        yield f"{whose} along: {_names(along)}"
    if plan.detached:
        verb = "stays and loses its link" if len(plan.detached) == 1 else "stay, without their link"
        yield f"{plural(len(plan.detached), 'session')} {verb}: {_names(plan.detached)}"
    if totals.files:
        names = [name for one in plan.doomed for name in one.files]
        go = "goes" if totals.files == 1 else "go"
        yield f"{plural(totals.files, 'file')} beside the store {go} too: {_few(names)}"
    for reason, number in plan.skipped.items():
        yield f"Left out: {_with_reason(number, reason)}."
    yield from plan.notes


def _about(one: Planned) -> str:
    """Which session it is, beside its name."""
    active = f"last active {exact(one.last_active)}" if one.last_active else ""
    return " · ".join(filter(None, (one.source, active, plural(one.messages, "message"))))


def taken_words(title: Title) -> str:
    """Who has a title, and which is free."""
    assert title.owner is not None
    _, id_, source, archived, *_ = title.owner
    return f"The session {id_} ({source}{', archived' * archived}) has it. Free is: {title.next}"


def owner_words(owner: Owner) -> str:
    """Which session it is that has a title: its name would not tell, since that is the title."""
    active = f"last active {exact(owner.last_active)}" if owner.last_active else ""
    return ", ".join(filter(None, (owner.source, "archived" * owner.archived, active)))


def undo_question(plan: UndoPlan) -> str:
    words = plan.receipt.words
    return f"Undo{_share(plan)}: {words[:1].lower()}{words[1:]}?"


def undone_words(plan: UndoPlan, done: Done) -> str:
    """What was taken back, in a line."""
    told = f"{done.words or 'Undone'}{_share(plan.only(done.ids))}: {plan.receipt.words}"
    return f"{told} · not undone: {skipped_words(done.skipped)}" if done.skipped else told


def _share(plan: UndoPlan) -> str:
    """For how many sessions an edit is taken back, where that is not for all."""
    if plan.sessions >= plan.of:
        return ""
    rest = "the other " if plan.receipt.back + plan.sessions == plan.of else ""
    return f" for {rest}{count(plan.sessions)} of {plural(plan.of, 'session')}"


def back_words(receipt: Receipt) -> str:
    """How much of an edit was taken back, where that is a part of it."""
    if receipt.state is not ReceiptState.DONE or not receipt.back:
        return ""
    return f"{count(receipt.back)} of {count(receipt.sessions)} back"


def undo_lines(plan: UndoPlan) -> Iterator[str]:
    if plan.entries:
        sessions, messages = plural(len(plan.entries), "session"), plural(plan.messages, "message")
        yield f"{sessions} and {messages} come back as they were."
    yield from plan.notes


def done_words(done: Done, words: str) -> str:
    """What came of an edit; `words` are those of its receipt."""
    parts = [done.words or words] if done.receipt is not None else ["Nothing was done"]
    if done.stopped:
        parts.append("stopped: the rest is as it was")
    if done.skipped:
        parts.append(f"left out: {skipped_words(done.skipped)}")
    return ". ".join((" · ".join(parts), *done.notes))


def crash_words(found: AfterCrash) -> Iterator[str]:
    """What a crash cut short and is settled by now."""
    for one in found.ended:
        if one.state is ReceiptState.UNDONE:
            yield f"An undo was cut short at its end. It is undone: {one.words}."
        else:
            yield f"An edit was cut short: {one.words}. It can be undone."
    if found.nothing:
        yield "An edit was cut short before it did anything."


def log_words(bytes_: int) -> str:
    """What a long log beside the file is."""
    return f"Its log has {size(bytes_)} now, and goes when its agent runs next"


def _names(planned: Sequence[Planned]) -> str:
    return _few([one.name for one in planned])


def _few(names: Sequence[str]) -> str:
    more = f", and {count(len(names) - NAMED)} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


def harmless(reasons: Iterable[str]) -> bool:
    """Whether there was just nothing to do."""
    return all(reason in _NOTHING_TO_DO for reason in reasons)


def nothing_words(plan: EditPlan) -> str:
    """Why a plan does nothing; one session is named, of several there are numbers."""
    if len(plan.sessions) == 1:
        (one,) = plan.sessions
        return f"{one.name}: {one.reason}."
    return sentence(skipped_words(plan.skipped) or "the session is gone")


def skipped_words(skipped: Mapping[str, int]) -> str:
    return "; ".join(_with_reason(number, reason) for reason, number in skipped.items())


def _with_reason(number: int, reason: str) -> str:
    """Sessions that are left out, and why. What the file itself said of them is a sentence."""
    sessions = plural(number, "session")
    if reason[1:2].islower():
        reason = reason[:1].lower() + reason[1:]
    return f"{sessions} {reason}" if "(" in reason else f"{sessions} ({reason})"


_NOTHING_TO_DO = (
    *("archived already", "not archived", "ended already", "not ended", "it has no messages"),
    *("pinned already", "not pinned"),
    "it has this title already",
)
