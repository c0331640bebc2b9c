"""What happens to a chat next, in words: a sentence for its details, and a few for a column."""

from datetime import tzinfo

from explorer.render.clean import clean_line
from explorer.render.figures import duration, local_time, short_day
from explorer.stores.hermes.chats.reset_policy import IDLE, NEVER
from explorer.stores.hermes.chats.reset_rules import EXPIRED, SUSPENDED, UNKNOWN, ResetForecast

SINCE = "since Hermes 0.21.2"
"""When Hermes stopped resetting chats by itself."""
INTERRUPTED = "Interrupted by a restart"


def reset_words(found: ResetForecast, now: float, zone: tzinfo | None = None) -> str:
    """What happens to a chat next, without a full stop."""
    if found.reason == SUSPENDED:
        return "Resets at its next message (suspended)"
    if found.mode == UNKNOWN:
        return f"Not known: {clean_line(found.unknown)}"
    if found.at is not None:
        if found.at <= now:
            return "Due: resets at its next message"
        return _to_come(found, found.at, now, zone)
    if found.resumes:
        return f"{INTERRUPTED}: resumes at its next message"
    if found.mode == NEVER:
        return f"Never resets by itself ({SINCE})"
    return "Does not reset by itself"


def _to_come(found: ResetForecast, at: float, now: float, zone: tzinfo | None) -> str:
    when = _when(at, now, zone)
    if found.reason == EXPIRED:
        return f"{INTERRUPTED}: resumes at its next message, resets after {when}"
    if found.reason == IDLE and found.idle_minutes is not None:
        span = duration(found.idle_minutes * 60)
        return f"Resets after {span} without a message ({when} at the earliest)"
    return f"Resets after {when}, at its next message"


def reset_column(found: ResetForecast, now: float, zone: tzinfo | None = None) -> str:
    """The same for a column, in at most 20 characters."""
    if found.reason == SUSPENDED:
        return "due (suspended)"
    if found.mode == UNKNOWN:
        return "not known"
    if found.at is not None:
        return "due" if found.at <= now else f"after {_when(found.at, now, zone)}"
    if found.resumes:
        return "resumes"
    return "never" if found.mode == NEVER else "no reset"


def dropped_words(found: ResetForecast, now: float, zone: tzinfo | None = None) -> str:
    """When Hermes forgets which session belongs to the chat; empty where it does not."""
    at = found.route_dropped_at
    if at is None:
        return ""
    when = "soon" if at <= now else f"after {short_day(at, zone)}"
    return f"Hermes forgets the chat {when}, not its session"


def _when(at: float, now: float, zone: tzinfo | None) -> str:
    """A moment to come: 14:20, 4:00 tomorrow, 4:00 on 12 Mar; of other years the day alone."""
    then, today = local_time(at, zone), local_time(now, zone)
    if then is None or today is None:
        return "a time far away"
    clock = f"{then.hour}:{then:%M}"
    days = (then.date() - today.date()).days
    if days <= 0:
        return clock
    if days == 1:
        return f"{clock} tomorrow"
    if then.year != today.year:
        return short_day(at, zone)
    return f"{clock} on {short_day(at, zone).rpartition(' ')[0]}"
