"""What happens to a chat next, in words: a sentence for its details, and a few for a column."""

from datetime import tzinfo

from explorer.render.clean import clean_line
from explorer.render.figures import duration, local_time, short_day
from explorer.stores.hermes.chats.reset_policy import IDLE, NEVER
from explorer.stores.hermes.chats.reset_rules import EXPIRED, SUSPENDED, UNKNOWN, ResetForecast

NEW = "Next message starts a new session"
CONTINUES = "Next message continues this session"
INTERRUPTED = "Next message continues the interrupted answer"


def reset_words(found: ResetForecast, now: float, zone: tzinfo | None = None) -> str:
    """What happens to a chat next, without a full stop: the next message first."""
    if found.reason == SUSPENDED or (found.at is not None and found.at <= now):
        return NEW
    if found.mode == UNKNOWN:
        return f"Not known: {clean_line(found.unknown)}"
    if found.at is not None:
        return _to_come(found, found.at, now, zone)
    return INTERRUPTED if found.resumes else CONTINUES


def _to_come(found: ResetForecast, at: float, now: float, zone: tzinfo | None) -> str:
    when = _when(at, now, zone)
    if found.reason == EXPIRED:
        return f"{INTERRUPTED}, after {when} a new session"
    if found.reason == IDLE and found.idle_minutes is not None:
        span = duration(found.idle_minutes * 60)
        return f"New session after {span} without a message ({when} at the earliest)"
    return f"{CONTINUES}, after {when} a new one"


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
