"""Which reset policy holds for a chat of Hermes' gateway, release by release.

Pure: the settings and the era of a file in, a policy out. The tables and columns of a file tell
which release wrote it last, and that is the one whose gateway reads the settings:

- Up to 0.17 the default is `both`. A session that a restart interrupted is always resumed.
- 0.18.0 (it has `session_key`) gives such a session up after an hour. The default became `none`
  soon after it, in builds whose files may look the same: it is not known.
- 0.18.1 (it has `gateway_routing`) has the default `none`.
- 0.19 to schema 26 (they have `profile_name`) also read `gateway.session_reset`, and replace no
  interrupted session where the mode is `none`. Both came in a build between two releases.
- Since 0.21.2 (schema 30) only what was suspended is replaced. A plugin brings the old modes back,
  with `session_reset` of `config.yaml` alone, and without defaults.

Only the default policy is checked by Hermes when it starts. A value that it does not survive, then
or at the next message, leaves unknown what happens.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Final, NamedTuple

from explorer.stores.hermes.chats.reset_settings import (
    CONFIG,
    GATEWAY,
    Odd,
    Policies,
    ResetSettings,
    Written,
    WrittenPolicy,
)
from explorer.stores.hermes.yaml_values import Plain, Unclear
from explorer.stores.sqlite.schema import Schema

AT_HOUR = 4
IDLE_MINUTES = 1440
"""Defaults of all releases."""

IDLE: Final = "idle"
DAILY: Final = "daily"
BOTH: Final = "both"
NONE: Final = "none"
NEVER: Final = "never"
"""Modes; all but the last as Hermes calls them."""


class Era(NamedTuple):
    """What the release does that wrote a file last; None where files do not tell."""

    resets: bool | None = True
    """Time alone leads to a new session."""
    default_mode: str | None = NONE
    nested: bool | None = True
    """`gateway.session_reset` counts."""
    tolerant: bool | None = True
    """A policy that is not a mapping counts as an empty one; else the gateway does not start."""
    expires: bool = True
    """An interrupted session is not resumed after a while."""
    expires_in_none: bool | None = False
    """Even where the mode is `none`."""


UP_TO_17 = Era(default_mode=BOTH, nested=False, tolerant=False, expires=False)
RELEASE_18_0 = Era(default_mode=None, nested=False, tolerant=None, expires_in_none=True)
RELEASE_18_1 = Era(nested=None, tolerant=None, expires_in_none=None)
RELEASE_19 = Era()
BEFORE_21_2 = Era(resets=None)
"""Builds that have some of schema 30, and perhaps not its rules."""
SINCE_21_2 = Era(resets=False)


def era_of(schema: Schema) -> Era:
    """The release that wrote a file last."""
    newest = (
        "gateway_heartbeats" in schema.tables,
        "conversation_generations" in schema.tables,
        schema.has("messages", "display_order"),
    )
    if any(newest):
        return SINCE_21_2 if all(newest) else BEFORE_21_2
    if schema.has("sessions", "profile_name"):
        return RELEASE_19
    if "gateway_routing" in schema.tables:
        return RELEASE_18_1
    return RELEASE_18_0 if schema.has("sessions", "session_key") else UP_TO_17


class Policy(NamedTuple):
    """When a chat starts a new session."""

    mode: str = NONE
    at_hour: int | None = None
    """None where no hour counts."""
    idle: timedelta | None = None
    """None where no time without a message counts."""
    forbids: bool = True
    """The mode is `none`, and not just one that Hermes does not know."""
    by_plugin: bool = False


class UnknownPolicy(Exception):
    """Not known, and why, in words."""


def policy_of(platform: str, chat_type: str, settings: ResetSettings, era: Era) -> Policy:
    """The policy of a chat: by its platform, else by its type, else the default."""
    if settings.config_trouble:
        raise UnknownPolicy(f"{CONFIG} cannot be read ({settings.config_trouble})")
    if era.resets is False:
        return _of_plugin(settings)
    if settings.gateway_trouble:
        raise UnknownPolicy(f"{GATEWAY} cannot be read ({settings.gateway_trouble})")
    # All are read when the gateway starts, and the default is checked, whichever is asked for.
    default = _checked(_default(settings, era))
    by_type = _all(settings.by_type, era)
    by_platform = {
        name.strip().lower(): policy for name, policy in _all(settings.by_platform, era).items()
    }
    special = by_platform.get(platform) if platform else None
    if special is None and chat_type:
        special = by_type.get(chat_type)
    return _understood(default if special is None else special, era)


def _all(policies: Policies, era: Era) -> Mapping[str, WrittenPolicy]:
    if isinstance(policies, Odd):
        _mapping(policies, era)
        return {}
    return {name: _mapping(policy, era) for name, policy in policies.items()}


def _mapping(written: Written, era: Era) -> WrittenPolicy:
    """A policy in `gateway.json`."""
    if isinstance(written, WrittenPolicy):
        return written
    if written is Odd.MISSING or (written is Odd.NO_MAPPING and era.tolerant):
        return WrittenPolicy()
    raise UnknownPolicy(f"a reset policy in {GATEWAY} is not understood")


def _default(settings: ResetSettings, era: Era) -> WrittenPolicy:
    """The default as it is written: `config.yaml` replaces what `gateway.json` says."""
    written, name = settings.session_reset, "session_reset"
    if written is Odd.MISSING and era.nested is not False:
        written, name = settings.nested_reset, "gateway.session_reset"
        if isinstance(written, WrittenPolicy) and era.nested is None:
            raise UnknownPolicy(f"some builds of its release ignore {name} in {CONFIG}")
    if written is Odd.UNCLEAR:
        raise UnknownPolicy(f"{name} in {CONFIG} is not understood")
    if isinstance(written, WrittenPolicy):
        return written
    return _mapping(settings.default_policy, era)


def _checked(written: WrittenPolicy) -> WrittenPolicy:
    """The default policy as Hermes mends it."""
    hour = _number(written.at_hour, AT_HOUR, "at_hour")
    minutes = _number(written.idle_minutes, IDLE_MINUTES, "idle_minutes")
    return written._replace(
        at_hour=hour if 0 <= hour <= 23 else AT_HOUR,
        idle_minutes=IDLE_MINUTES if minutes <= 0 else minutes,
    )


def _understood(written: WrittenPolicy, era: Era) -> Policy:
    """The policy as the next message finds it."""
    mode = era.default_mode if written.mode is None else written.mode
    if mode is None:
        raise UnknownPolicy("it depends on the build of Hermes whether chats reset by default")
    if isinstance(mode, Unclear):
        raise UnknownPolicy("the mode of a reset policy is not understood")
    if mode not in (IDLE, DAILY, BOTH):
        return Policy(forbids=mode == NONE)
    hour = minutes = None
    if mode != IDLE:
        hour = _number(written.at_hour, AT_HOUR, "at_hour")
        if not isinstance(hour, int) or not 0 <= hour <= 23:
            raise UnknownPolicy("at_hour of a reset policy is not an hour")
    if mode != DAILY:
        minutes = _span(_number(written.idle_minutes, IDLE_MINUTES, "idle_minutes"))
    return Policy(str(mode), None if hour is None else int(hour), minutes, forbids=False)


def _span(minutes: float) -> timedelta:
    try:
        return timedelta(minutes=minutes)
    except (ValueError, OverflowError) as error:
        raise UnknownPolicy("idle_minutes of a reset policy is not a number of minutes") from error


def _number(value: Plain | Unclear, default: int, name: str) -> int | float:
    """A number as Python compares it; yes is one, as in Hermes."""
    if value is None:
        return default
    if isinstance(value, int | float):
        return value
    raise UnknownPolicy(f"{name} of a reset policy is not a number")


def _of_plugin(settings: ResetSettings) -> Policy:
    """The policy of the plugin, where that is enabled. What it does not understand, it skips."""
    if settings.plugin is None:
        raise UnknownPolicy(f"plugins.enabled in {CONFIG} is not understood")
    written = settings.session_reset
    if not settings.plugin:
        return Policy(NEVER)
    if isinstance(written, Odd):
        if written is Odd.UNCLEAR:
            raise UnknownPolicy(f"session_reset in {CONFIG} is not understood")
        return Policy(by_plugin=True)
    if any(isinstance(one, Unclear) or "${" in str(one) for one in written):
        # A variable, which is put in for the plugin and for nothing else.
        raise UnknownPolicy(f"session_reset in {CONFIG} is not understood")
    mode, hour, minutes = written
    if mode not in (IDLE, DAILY, BOTH):
        return Policy(by_plugin=True)
    idle = None
    if mode != DAILY and isinstance(minutes, int | float) and minutes > 0:
        try:
            idle = timedelta(minutes=float(minutes))
        except OverflowError:
            # It gives up on the hour as well.
            return Policy(by_plugin=True)
    daily = None
    if mode != IDLE and isinstance(hour, int) and 0 <= hour <= 23:
        daily = int(hour)
    return Policy(str(mode), daily, idle, forbids=False, by_plugin=True)
