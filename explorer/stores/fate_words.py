"""What an agent is going to do by itself, in words."""

from collections.abc import Sequence

from explorer.render.amounts import plural
from explorer.render.when import short_day
from explorer.stores.fates import Deed, Fate, Fates

AGENT = "Hermes"
"""The only agent that does something by itself."""
NOT_SET = "sessions.auto_prune is not set: releases since September 2026 delete, older ones do not"
_VERBS = {Deed.DELETE: "delete", Deed.ARCHIVE: "archive", Deed.END: "mark"}


def fate_words(fates: Fates, fate: Fate, parts: int, now: float) -> str:
    """A sentence on what happens next to a conversation of so many parts."""
    verb = _VERBS[fate.deed]
    verb = f"{verb}s" if fate.certain else f"may {verb}"
    some = f"{fate.parts} of its {parts} parts" if fate.parts < parts else "it"
    object_ = "it as ended" if fate.deed is Deed.END else some
    said = f"{AGENT} {verb} {object_} {_when(fate, now)}"
    if fate.deed is Deed.END:
        return f"{said}, and deletes it {_days(fate)} later."
    return f"{said}, unless you pin it." if fates.pins else f"{said}."


def reason_words(fates: Fates, fate: Fate) -> str:
    """Why it happens."""
    said = {
        Deed.DELETE: f"ended sessions are deleted after {_days(fate)} without activity",
        Deed.ARCHIVE: f"sessions are archived after {_days(fate)} without activity",
        Deed.END: f"sessions that never ended are ended after {_days(fate)} without activity",
    }[fate.deed]
    if fates.by_start and fate.deed is Deed.DELETE:
        said = f"ended sessions are deleted {_days(fate)} after their start"
    return said if fate.certain else f"{said}; {NOT_SET}"


def clean_up_rows(
    fates: Fates, parts: Sequence[int], pinned: bool, now: float
) -> tuple[tuple[str, str], ...]:
    """What details say of a conversation: (label, words)."""
    fate = fates.of(parts, now)
    if fate is not None:
        next_ = fate_words(fates, fate, len(parts), now)
        why = reason_words(fates, fate)
        return (("Next", next_), ("Why", f"{why[0].upper()}{why[1:]}."))
    if pinned and fates.pins and fates.next_run is not None:
        return (("Next", f"{AGENT} keeps it: it is pinned."),)
    return ()


def mark_of(fate: Fate) -> str:
    """The sign of it in a list."""
    sign = "◷▣" if fate.deed is Deed.ARCHIVE else "◷"
    return sign if fate.certain else f"{sign}?"


def warning_forms(due: int, soon: int, certain: bool) -> tuple[str, ...]:
    """How many sessions are deleted at the next start, or else within a week: the longest form
    first, for a bar that has little room."""
    number = due or soon
    if not number:
        return ()
    will = "will" if certain else "may"
    sessions = plural(number, "session")
    when = "at its next start" if due else "within 7 days"
    return (
        f"{sessions} {will} be deleted by {AGENT} {when}",
        f"{AGENT} {will} delete {sessions}",
        f"{number:,} expiring" if certain else f"{number:,} may expire",
    )


def _when(fate: Fate, now: float) -> str:
    start = "at its next start"
    return start if fate.is_due(now) else f"{start} after {short_day(fate.at)}"


def _days(fate: Fate) -> str:
    whole = int(fate.days) == fate.days
    return plural(int(fate.days), "day") if whole else f"{fate.days:g} days"
