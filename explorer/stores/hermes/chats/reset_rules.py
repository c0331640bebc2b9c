"""When a chat of Hermes' gateway starts a new session by itself.

Pure: a route, the settings and the era of a file in, a time out. Nothing happens at that time: the
first message after it starts a new session. The arithmetic is that of the gateway, which compares
local times without a zone: `idle` is over some minutes after the last update, `daily` at the next
full hour `at_hour`, and a clock that is put forward or back moves both.

A background process of the session holds a reset off, so a time is always the earliest.
"""

from datetime import datetime, timedelta, tzinfo
from typing import Final, NamedTuple

from explorer.stores.hermes.chats.reset_policy import (
    DAILY,
    IDLE,
    Era,
    Policy,
    UnknownPolicy,
    policy_of,
)
from explorer.stores.hermes.chats.reset_settings import ResetSettings
from explorer.stores.hermes.yaml_values import Plain, Unclear

MAX_AGE_DAYS = 90
FRESHNESS = 3600.0
"""Seconds. Defaults of all releases."""

UNKNOWN: Final = "unknown"
SUSPENDED: Final = "suspended"
EXPIRED: Final = "resume_pending_expired"

_TICK = timedelta(microseconds=1)

Time = datetime | float | None
"""A local time without a zone, as an entry has it, or seconds since 1970."""


class RouteClock(NamedTuple):
    """What the rules ask of a route."""

    platform: str
    chat_type: str
    updated_at: Time
    suspended: bool = False
    resume_pending: bool = False
    """A restart interrupted it."""
    last_resume_marked_at: Time = None
    expiry_finalized: bool = False
    """The gateway has let go of what the session held. No rule asks for it: the mark may be left
    over from an earlier reset."""
    metadata_inbound: Time = None
    """The clock of the plugin: the last message of a person."""


class ResetForecast(NamedTuple):
    """What happens to a chat next."""

    mode: str
    """`idle`, `daily`, `both` or `none`; `never` since 0.21.2, or `unknown`."""
    at: float | None = None
    """The earliest moment after which the next message starts a new session; None where it does
    not by itself, or where that is not known."""
    reason: str = ""
    """`idle`, `daily`, `suspended` or `resume_pending_expired`."""
    route_dropped_at: float | None = None
    """When the chat loses its route at the earliest; its session is kept."""
    idle_minutes: float | None = None
    """Without a message, where that counts."""
    at_hour: int | None = None
    """The hour of the day, where that counts."""
    resumes: bool = False
    """A restart interrupted it, and until `at` a message resumes it."""
    unknown: str = ""
    """Why it is not known, in words."""


class _Deadlines(NamedTuple):
    """Local times at which a session is over, for each reason."""

    idle: datetime | None = None
    daily: datetime | None = None
    expired: datetime | None = None
    inclusive: bool = False
    """`idle` is over at the very moment, not only after it."""

    def reason(self, now: datetime) -> str:
        """Why a message at this local time starts a new session; empty where it does not."""
        if self.idle is not None and (now > self.idle or (self.inclusive and now == self.idle)):
            return IDLE
        if self.daily is not None and now >= self.daily:
            return DAILY
        return EXPIRED if self.expired is not None and now > self.expired else ""

    def first(self, zone: tzinfo | None) -> tuple[float | None, str]:
        """The earliest moment at which the session is over, and why."""
        known = [
            (moment, time)
            for time in (self.idle, self.daily, self.expired)
            if time is not None and (moment := _moment(time, zone)) is not None
        ]
        if not known:
            return None, ""
        at, time = min(known)
        # Where the clock was put forward over that time, it is later when it comes.
        now = max(time, _local(at, zone) or time)
        # The moment after, at which all hold that end there; the gateway looks at them in order.
        return at, self.reason(now + _TICK)


def forecast(
    route: RouteClock, settings: ResetSettings, era: Era, zone: tzinfo | None = None
) -> ResetForecast:
    """What happens to a chat next; `zone` is that of the gateway, None for the local one."""
    try:
        policy = policy_of(route.platform, route.chat_type, settings, era)
        at, reason = _deadlines(route, settings, era, policy, zone).first(zone)
    except UnknownPolicy as why:
        found = ResetForecast(UNKNOWN, unknown=str(why))
    else:
        minutes = None if policy.idle is None else policy.idle / timedelta(minutes=1)
        found = ResetForecast(policy.mode, at, reason, idle_minutes=minutes, at_hour=policy.at_hour)
    if route.suspended:
        since = _naive(route.updated_at, zone)
        at = None if since is None else _moment(since, zone)
        return found._replace(at=at or 0.0, reason=SUSPENDED, unknown="")
    resumes = route.resume_pending and found.reason in ("", EXPIRED)
    return found._replace(resumes=resumes, route_dropped_at=_dropped_at(route, settings, zone))


def decision(
    route: RouteClock,
    settings: ResetSettings,
    era: Era,
    now: datetime,
    zone: tzinfo | None = None,
) -> str | None:
    """Why a message at this local time starts a new session; empty where it does not, None where
    that is not known."""
    if route.suspended:
        return SUSPENDED
    try:
        policy = policy_of(route.platform, route.chat_type, settings, era)
        return _deadlines(route, settings, era, policy, zone).reason(now)
    except UnknownPolicy:
        return None


def _deadlines(
    route: RouteClock, settings: ResetSettings, era: Era, policy: Policy, zone: tzinfo | None
) -> _Deadlines:
    interrupted = route.resume_pending and era.resets is not False
    if interrupted and not era.expires:
        return _Deadlines()
    idle = daily = None
    if policy.idle is not None or policy.at_hour is not None:
        since = _since(route.metadata_inbound if policy.by_plugin else None, route, zone)
        try:
            idle = None if policy.idle is None else since + policy.idle
            daily = None if policy.at_hour is None else _next_hour(since, policy.at_hour)
        except OverflowError as error:
            raise UnknownPolicy("idle_minutes of a reset policy is too large") from error
    expired = _expired(route, settings, era, policy, zone) if interrupted else None
    found = _Deadlines(idle, daily, expired, inclusive=policy.by_plugin)
    if era.resets is None and found != _Deadlines():
        raise UnknownPolicy("it depends on the build of Hermes whether chats still reset")
    return found


def _since(clock: Time, route: RouteClock, zone: tzinfo | None) -> datetime:
    """A clock of a route, else its last update."""
    found = _naive(clock, zone) or _naive(route.updated_at, zone)
    if found is None:
        raise UnknownPolicy("the time of its last update is not known")
    return found


def _next_hour(since: datetime, hour: int) -> datetime:
    """The first such hour after a time."""
    same_day = since.replace(hour=hour, minute=0, second=0, microsecond=0)
    return same_day if since < same_day else same_day + timedelta(days=1)


def _expired(
    route: RouteClock, settings: ResetSettings, era: Era, policy: Policy, zone: tzinfo | None
) -> datetime | None:
    """When a session that a restart interrupted is not resumed any more."""
    if policy.forbids and era.expires_in_none is not True:
        if era.expires_in_none is None:
            raise UnknownPolicy("it depends on the build of Hermes whether it is resumed")
        return None
    seconds = _freshness(settings.freshness)
    if not seconds > 0:
        return None
    since = _since(route.last_resume_marked_at, route, zone)
    try:
        return since + timedelta(seconds=seconds)
    except OverflowError:
        return None


def _freshness(value: Plain | Unclear) -> float:
    """The setting as Hermes reads it: put into its environment as text, and taken from there."""
    if isinstance(value, Unclear):
        raise UnknownPolicy("agent.gateway_auto_continue_freshness is not understood")
    try:
        return float(str(value) or FRESHNESS)
    except ValueError:
        return FRESHNESS


def _dropped_at(route: RouteClock, settings: ResetSettings, zone: tzinfo | None) -> float | None:
    """When Hermes drops a route that is not used; None where it does not, or where that is not
    known. A suspended one is kept."""
    since, days = _naive(route.updated_at, zone), _max_age(settings)
    if since is None or not days:
        return None
    try:
        return _moment(since + timedelta(days=days), zone)
    except OverflowError:
        return None


def _max_age(settings: ResetSettings) -> int | None:
    value = settings.max_age_days
    if settings.gateway_trouble:
        return None
    try:
        return MAX_AGE_DAYS if value is None or isinstance(value, Unclear) else max(int(value), 0)
    except ValueError:
        return MAX_AGE_DAYS
    except OverflowError:
        # Infinity, which Hermes does not survive.
        return None


def _naive(time: Time, zone: tzinfo | None) -> datetime | None:
    """A local time without a zone; None for what is no time. One with a zone cannot be compared
    with the others: Hermes fails there."""
    if isinstance(time, datetime):
        return time if time.tzinfo is None else None
    return None if time is None else _local(time, zone)


def _local(moment: float, zone: tzinfo | None) -> datetime | None:
    """What clocks show at a moment."""
    try:
        return datetime.fromtimestamp(moment, zone).replace(tzinfo=None, fold=0)
    except (ValueError, OverflowError, OSError):
        return None


def _moment(time: datetime, zone: tzinfo | None) -> float | None:
    """The first moment at which clocks show a local time or a later one. Clocks that are put back
    show it twice; clocks that are put forward may skip it."""
    try:
        first, second = (time.replace(tzinfo=zone, fold=fold).timestamp() for fold in (0, 1))
    except (ValueError, OverflowError, OSError):
        return None
    if first <= second:
        return first
    # Skipped: the clock is changed between the two, at a full second.
    before, after = int(second) - 1, int(first) + 1
    while after - before > 1:
        middle = (before + after) // 2
        shown = _local(middle, zone)
        if shown is None or shown < time:
            before = middle
        else:
            after = middle
    return float(after)
