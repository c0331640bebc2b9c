"""What the settings of Hermes' gateway say about when a chat starts a new session.

`config.yaml` is the place for it; `gateway.json` is older, and the only one that knows policies by
platform and by type, and how long routes are kept. Both are taken as they are written: which values
count, and what a missing one means, is up to the release (`reset_rules`). What is not understood is
marked, and nothing is ever claimed from it.

Three things that change the result are not read. `SESSION_IDLE_MINUTES`, `SESSION_RESET_HOUR` and
`HERMES_AUTO_CONTINUE_FRESHNESS` belong to the environment of the gateway, which may take them from
`.env`: that file holds the user's secrets, so it is never opened. An administrator's own settings
may come on top of `config.yaml`.
"""

import json
from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from explorer.stores.hermes.settings_file import Unreadable, stamp, text_of
from explorer.stores.hermes.yaml_values import UNCLEAR, Plain, Unclear, Value, values_at

CONFIG = "config.yaml"
GATEWAY = "gateway.json"
PLUGIN = "hermes-session-reset-policy"
"""It brings the resets back that Hermes itself no longer does."""

_TOP = ("session_reset",)
_NESTED = ("gateway", "session_reset")
_ENABLED = ("plugins", "enabled")
_DISABLED = ("plugins", "disabled")
_FRESHNESS = ("agent", "gateway_auto_continue_freshness")


class Odd(StrEnum):
    """A policy that says nothing."""

    MISSING = "missing"
    NO_MAPPING = "not a mapping"
    """Which some releases take for a missing one, and others do not survive."""
    UNCLEAR = "unclear"


class WrittenPolicy(NamedTuple):
    """A reset policy as it is written; None for what is missing or null, which is the same."""

    mode: Plain | Unclear = None
    at_hour: Plain | Unclear = None
    idle_minutes: Plain | Unclear = None


Written = WrittenPolicy | Odd
Policies = Mapping[str, Written] | Odd


class ResetSettings(NamedTuple):
    """The settings of a home."""

    session_reset: Written = Odd.MISSING
    """At the top of `config.yaml`; an empty mapping there says nothing."""
    nested_reset: Written = Odd.MISSING
    """In its section `gateway`, which releases since 0.19 read where the other is missing."""
    default_policy: Written = Odd.MISSING
    """Of `gateway.json`, as the following."""
    by_type: Policies = {}
    by_platform: Policies = {}
    max_age_days: Plain | Unclear = 90
    """Of routes; Hermes reads it in `gateway.json` alone."""
    freshness: Plain | Unclear = None
    """Seconds for which a session that a restart interrupted is resumed."""
    plugin: bool | None = False
    """`PLUGIN` is enabled; None where that is not clear."""
    config_trouble: str = ""
    """Why `config.yaml` cannot be read, in words."""
    gateway_trouble: str = ""
    """The same of `gateway.json`."""


def read_reset_settings(home: Path) -> ResetSettings:
    """The settings in a home of Hermes; an error is returned, never raised."""
    config, gateway = home / CONFIG, home / GATEWAY
    stamps = (stamp(config), stamp(gateway))
    return _known(config, gateway, stamps)


@lru_cache(maxsize=16)
def _known(config: Path, gateway: Path, stamps: object) -> ResetSettings:
    """What was read already: every look at the chats asks for it, and parsing takes its time."""
    return _of_gateway(gateway, _of_config(config))


def _of_config(path: Path) -> ResetSettings:
    try:
        text = text_of(path)
        places = (_TOP, _NESTED, _ENABLED, _DISABLED, _FRESHNESS)
        found = {} if text is None else values_at(text, places)
    except Unreadable as error:
        return ResetSettings(config_trouble=str(error))
    return ResetSettings(
        session_reset=_section(found.get(_TOP, Odd.MISSING)),
        nested_reset=_section(found.get(_NESTED, Odd.MISSING)),
        freshness=_plain(found.get(_FRESHNESS)),
        plugin=_enabled(found.get(_ENABLED), found.get(_DISABLED)),
    )


def _section(found: Value | Odd) -> Written:
    """A policy in `config.yaml`."""
    if found is UNCLEAR:
        return Odd.UNCLEAR
    if isinstance(found, Odd):
        return found
    return _written(found) if found else Odd.NO_MAPPING


def _enabled(enabled: Value, disabled: Value) -> bool | None:
    """Whether the plugin runs: named among those that are enabled, and not among the disabled."""
    if _lists(disabled, PLUGIN):
        return False
    if _lists(enabled, PLUGIN):
        return None if _unclear_list(disabled) else True
    return None if _unclear_list(enabled) else False


def _lists(found: Value, name: str) -> bool:
    return isinstance(found, list) and name in found


def _unclear_list(found: Value) -> bool:
    return found is UNCLEAR or (isinstance(found, list) and UNCLEAR in found)


def _of_gateway(path: Path, settings: ResetSettings) -> ResetSettings:
    """The settings with those of `gateway.json`."""
    try:
        found = _object(text_of(path))
    except Unreadable as error:
        return settings._replace(gateway_trouble=str(error))
    default = found.get("default_reset_policy", Odd.MISSING)
    return settings._replace(
        default_policy=default if default is Odd.MISSING else _written(default),
        by_type=_policies(found.get("reset_by_type", {})),
        by_platform=_policies(found.get("reset_by_platform", {})),
        max_age_days=_plain(found.get("session_store_max_age_days", 90)),
    )


def _object(text: str | None) -> Mapping[str, object]:
    """What is in a JSON file; nothing in it, or null, is an empty one for Hermes."""
    try:
        found = {} if text is None else json.loads(text)
    except json.JSONDecodeError as error:
        raise Unreadable(f"line {error.lineno}: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        # A number of thousands of digits, or thousands of brackets.
        raise Unreadable("it is nested too deeply or holds a number that is too long") from error
    if found and not isinstance(found, dict):
        raise Unreadable("it does not hold settings")
    return found or {}


def _policies(found: object) -> Policies:
    if not isinstance(found, dict):
        return Odd.NO_MAPPING
    return {name: _written(policy) for name, policy in found.items()}


def _written(found: object) -> Written:
    if not isinstance(found, Mapping):
        return Odd.NO_MAPPING
    excluded = found.get("notify_exclude_platforms")
    if isinstance(excluded, int | float):
        # Hermes makes a list of it when it starts, and fails.
        return Odd.UNCLEAR
    return WrittenPolicy(*(_plain(found.get(name)) for name in WrittenPolicy._fields))


def _plain(found: object) -> Plain | Unclear:
    return found if found is None or isinstance(found, str | int | float) else UNCLEAR
