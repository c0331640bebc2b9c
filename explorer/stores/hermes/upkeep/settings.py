"""What Hermes' own `config.yaml` says about its clean-up.

Only plain values directly under `sessions` are taken (`yaml_values`); anything else (an alias, a
list, a variable) is not understood, and nothing is ever claimed from it.
"""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from explorer.stores.fates import Setting, SettingState
from explorer.stores.hermes.settings_file import Unreadable, stamp, text_of
from explorer.stores.hermes.yaml_values import values_at

SECTION = ("sessions",)
FLAGS = ("auto_prune", "auto_archive")
AMOUNTS = ("retention_days", "auto_archive_days", "min_interval_hours", "max_resume_messages")

GREATEST = 10_000_000
"""Days, hours or messages: beyond that a number is a mistake."""


class Settings(NamedTuple):
    """The settings of the clean-up."""

    values: Mapping[str, Setting] = {}
    there: bool = True
    """There is such a file; else Hermes takes its defaults."""
    trouble: str = ""
    """Why the file cannot be read, in words."""

    def flag(self, name: str, default: bool | None) -> bool | None:
        """A yes or no, the `default` where it is not set; None where it is not understood."""
        setting = self.values.get(name, Setting())
        if setting.given is SettingState.NOT_SET:
            return default
        return setting.value if isinstance(setting.value, bool) else None

    def amount(self, name: str, default: float) -> float | None:
        """A number, as `flag`."""
        setting = self.values.get(name, Setting())
        return float(default) if setting.given is SettingState.NOT_SET else setting.value


def read_settings(path: Path) -> Settings:
    """The settings in a file; an error is returned, never raised."""
    found = stamp(path)
    return _read(path) if found is None else _known(path, found)


@lru_cache(maxsize=16)
def _known(path: Path, stamp: tuple[int, ...]) -> Settings:
    """What was read already: each message of an agent asks for it, and parsing takes its time."""
    return _read(path)


def _read(path: Path) -> Settings:
    try:
        text = text_of(path)
        found = {} if text is None else values_at(text, (SECTION,))
    except Unreadable as error:
        return Settings(trouble=str(error))
    section = found.get(SECTION, {})
    values = section if isinstance(section, Mapping) else None
    return Settings(
        {name: _setting(name, values) for name in (*FLAGS, *AMOUNTS)}, there=text is not None
    )


def _setting(name: str, section: Mapping[str, object] | None) -> Setting:
    """How a setting is given; without a section nothing is understood."""
    strange = Setting(SettingState.NOT_UNDERSTOOD)
    if section is None:
        return strange
    if name not in section:
        return Setting()
    value = section[name]
    if isinstance(value, bool):
        return Setting(SettingState.SET, value) if name in FLAGS else strange
    if name in AMOUNTS and isinstance(value, int | float) and 0 <= value <= GREATEST:
        # Hermes drops decimals, except of the days until an archive.
        return Setting(SettingState.SET, value if name == "auto_archive_days" else int(value))
    return strange
