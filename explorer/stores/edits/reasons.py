"""Why an edit skips a session: names, which scripts read as JSON, and the words for each."""

from collections.abc import Iterable, Mapping, Sequence

from explorer.render.figures import plural

RUNNING = "running (its agent may be writing it)"
INTERRUPTED = "it was interrupted and waits for the results of tools"
CONTINUED = "what continues it stays"
STARTER_STAYS = "the session that started it stays"
SUBAGENT_RUNNING = "a subagent of it is running"
UNSOUND = "its id is not valid text"
UNLINKED = "kept, no longer linked to the deleted session"
SINCE = "changed since it was listed"
EMPTY = "it has no messages"
HAS_MARK = "it has a mark in place of a name; turn off the privacy view to use the name"
NO_PLACE = "it has no place for a title, and there are no notes of ours to keep it in"
SAME_TITLE = "it has this title already"
ARCHIVED, NOT_ARCHIVED = "archived already", "not archived"
PINNED, NOT_PINNED = "pinned already", "not pinned"
ENDED, NOT_ENDED = "ended already", "not ended"

_HARMLESS = frozenset(
    (ARCHIVED, NOT_ARCHIVED, PINNED, NOT_PINNED, ENDED, NOT_ENDED, EMPTY, SAME_TITLE)
)
NAMED = 4
"""Sessions that are named; of more there is only the number."""
_WORDS = {
    RUNNING: ("is running", "are running"),
    INTERRUPTED: (
        "was interrupted and waits for the results of tools",
        "were interrupted and wait for the results of tools",
    ),
    CONTINUED: (
        "continues in a session that is kept",
        "continue in sessions that are kept",
    ),
    STARTER_STAYS: (
        "was started by a session that is kept",
        "were started by sessions that are kept",
    ),
    SUBAGENT_RUNNING: ("has a running subagent", "have running subagents"),
    UNSOUND: ("has an invalid id", "have invalid ids"),
    SINCE: ("has changed since it was listed", "have changed since they were listed"),
    EMPTY: ("has no messages", "have no messages"),
    SAME_TITLE: ("already has this title", "already have this title"),
    ARCHIVED: ("is already archived", "are already archived"),
    NOT_ARCHIVED: ("is not archived", "are not archived"),
    PINNED: ("is already pinned", "are already pinned"),
    NOT_PINNED: ("is not pinned", "are not pinned"),
    ENDED: ("has already ended", "have already ended"),
    NOT_ENDED: ("has not ended", "have not ended"),
}
"""(of one session, of several); any other reason is put into parentheses."""


def harmless(reasons: Iterable[str]) -> bool:
    """Whether there was just nothing to do."""
    return _HARMLESS.issuperset(reasons)


def skipped_words(skipped: Mapping[str, int], left: Sequence[tuple[str, str]] = ()) -> str:
    """How many sessions an edit skips, and why; few of which the names are known (`left`, by
    reason) by name."""
    names: dict[str, list[str]] = {}
    for reason, name in left:
        names.setdefault(reason, []).append(name)
    return "; ".join(
        _with_reason(number, reason, names.get(reason, ())) for reason, number in skipped.items()
    )


def named_reason(name: str, reason: str) -> str:
    """The same of one session, by its name in quotes, or words for it."""
    who = name[:1].upper() + name[1:]
    return f"{who} {_WORDS[reason][0]}" if reason in _WORDS else f"{who}: {_inner(reason)}"


def _with_reason(number: int, reason: str, names: Sequence[str] = ()) -> str:
    named = len(names) == number <= NAMED
    sessions = ", ".join(names) if named else plural(number, "session")
    if reason in _WORDS:
        return f"{sessions} {_WORDS[reason][number != 1]}"
    return f"{sessions} ({_inner(reason)})"


def _inner(reason: str) -> str:
    """A reason inside a sentence: what the file itself says is a sentence of its own."""
    return reason[:1].lower() + reason[1:] if reason[1:2].islower() else reason
