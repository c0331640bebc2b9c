"""What Hermes' own `config.yaml` says about its clean-up.

The file is not ours: it may be a pipe, a gigabyte, or YAML that grows without end when its aliases
are followed. So nothing is built of it. Its events are walked through, as many as are allowed, and
only plain values directly under `sessions` are taken; anything else (an alias, a list, a variable)
is not understood, and nothing is ever claimed from it.
"""

import os
import stat
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from explorer.stores.fates import Setting, SettingState

SECTION = "sessions"
FLAGS = ("auto_prune", "auto_archive")
AMOUNTS = ("retention_days", "auto_archive_days", "min_interval_hours", "max_resume_messages")

LARGEST = 1 << 20
"""Bytes; a real one has a tenth of it."""
MOST_EVENTS = 50_000
DEEPEST = 100
LONGEST_VALUE = 100
GREATEST = 10_000_000
"""Days, hours or messages: beyond that a number is a mistake."""

_STRANGE = object()
"""A value that is neither a truth value nor a number."""
_MERGE = "<<"
"""A key that takes values over from elsewhere."""
_PLAIN = tuple(f"tag:yaml.org,2002:{name}" for name in ("bool", "int", "float"))


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


class _Unreadable(Exception):
    """Not to be read, and why."""


def read_settings(path: Path) -> Settings:
    """The settings in a file; an error is returned, never raised."""
    try:
        found = os.stat(path)
    except OSError:
        return _read(path)
    return _known(path, (found.st_ino, found.st_size, found.st_mtime_ns, found.st_mode))


@lru_cache(maxsize=16)
def _known(path: Path, stamp: tuple[int, ...]) -> Settings:
    """What was read already: each message of an agent asks for it, and parsing takes its time."""
    return _read(path)


def _read(path: Path) -> Settings:
    try:
        text = _text(path)
        found = None if text is None else _section(text)
    except _Unreadable as error:
        return Settings(trouble=str(error))
    if text is None:
        return Settings({name: Setting() for name in (*FLAGS, *AMOUNTS)}, there=False)
    return Settings({name: _setting(name, found) for name in (*FLAGS, *AMOUNTS)})


def _text(path: Path) -> str | None:
    """What is in a file; None where there is none. Neither a pipe nor a device is opened: that
    could block forever."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise _Unreadable("it is not a regular file")
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            # Another file may be there by now.
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise _Unreadable("it is not a regular file")
            content = _up_to(handle, LARGEST + 1)
        finally:
            os.close(handle)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise _Unreadable(error.strerror or "it cannot be opened") from error
    if len(content) > LARGEST:
        raise _Unreadable("it is larger than 1 MB")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise _Unreadable("it is not UTF-8 text") from error


def _up_to(handle: int, most: int) -> bytes:
    """As much of a file as is wanted: one call may give less than there is."""
    pieces: list[bytes] = []
    while most > 0 and (piece := os.read(handle, most)):
        pieces.append(piece)
        most -= len(piece)
    return b"".join(pieces)


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


def _section(text: str) -> Mapping[str, object] | None:
    """The values under `sessions`, empty where that is not there; None where it cannot be told
    what they are."""
    # Late: 11 ms that only a Hermes with a config.yaml costs.
    import yaml

    # In C where PyYAML was built with it: a large file then takes a tenth of the time.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    walk = _Walk(yaml)
    try:
        for number, event in enumerate(yaml.parse(text, Loader=loader)):
            if number >= MOST_EVENTS:
                raise _Unreadable("it holds too many values")
            walk.take(event)
    except yaml.YAMLError as error:
        raise _Unreadable(_why(error)) from error
    return walk.found()


def _why(error: Exception) -> str:
    """What a parser says is wrong, in a line."""
    mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", None)
    where = f"line {mark.line + 1}: " if mark is not None else ""
    return f"{where}{problem or 'it is not YAML'}"


def _line(event: Any) -> str:
    return f"line {event.start_mark.line + 1}: "


class _Walk:
    """Goes through the events of a document and keeps what is in one section of it."""

    def __init__(self, yaml: Any) -> None:
        self._yaml = yaml
        self._loader = yaml.SafeLoader("")
        self._open: list[tuple[bool, str | None]] = []
        """Of each mapping that is open: (whether a key comes next, else the key whose value does);
        of each list (False, None)."""
        self._section: dict[str, object] | None = {}
        self._named = self._merged = False
        self._documents = 0
        self._anchors: set[str] = set()

    def found(self) -> Mapping[str, object] | None:
        """What is in the section; a merge at the top may bring another one."""
        return None if self._merged and not self._named else self._section

    def take(self, event: Any) -> None:
        yaml = self._yaml
        if isinstance(event, yaml.DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                raise _Unreadable("it holds several documents")
        elif isinstance(event, yaml.ScalarEvent | yaml.AliasEvent):
            self._check(event)
            self._node(event)
            self._passed(event)
        elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            self._check(event)
            if self._open and self._open[-1][0]:
                raise _Unreadable(f"{_line(event)}a key is neither text nor a number")
            self._node(event)
            if len(self._open) >= DEEPEST:
                raise _Unreadable("it is nested too deeply")
            self._open.append((isinstance(event, yaml.MappingStartEvent), None))
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            self._open.pop()
            self._passed(event)

    def _check(self, event: Any) -> None:
        """Refuse what Hermes' own parser refuses, which then takes none of the settings."""
        if isinstance(event, self._yaml.AliasEvent):
            if event.anchor not in self._anchors:
                raise _Unreadable(f"{_line(event)}an alias stands for nothing")
        elif event.tag not in (None, "!", *self._yaml.SafeLoader.yaml_constructors):
            raise _Unreadable(f"{_line(event)}a tag is not known")
        elif event.anchor:
            self._anchors.add(event.anchor)

    def _node(self, event: Any) -> None:
        """A value begins: at the top, or as a value of a mapping that matters."""
        if not self._open:
            empty = isinstance(event, self._yaml.ScalarEvent) and not event.value.strip()
            if not (empty or isinstance(event, self._yaml.MappingStartEvent)):
                raise _Unreadable("it does not hold settings")
            return
        key_comes, key = self._open[-1]
        if key_comes or key is None:
            return
        if len(self._open) == 1 and key == SECTION:
            self._named = True
            self._section = {} if isinstance(event, self._yaml.MappingStartEvent) else None
        elif len(self._open) == 2 and self._open[0][1] == SECTION and self._section is not None:
            self._section[key] = self._value(event)

    def _passed(self, event: Any) -> None:
        """A value ends: in a mapping, a key is followed by its value and that by a key."""
        if not self._open:
            return
        key_comes, key = self._open[-1]
        if not key_comes:
            if key is not None:
                self._open[-1] = (True, None)
            return
        name = event.value if isinstance(event, self._yaml.ScalarEvent) else ""
        self._open[-1] = (False, name)
        if name == _MERGE and event.implicit[0]:
            if len(self._open) == 1:
                self._merged = True
            elif len(self._open) == 2 and self._open[0][1] == SECTION:
                self._section = None

    def _value(self, event: Any) -> object:
        """A truth value or a number, as Hermes' own parser takes it."""
        yaml = self._yaml
        if not isinstance(event, yaml.ScalarEvent) or len(event.value) > LONGEST_VALUE:
            return _STRANGE
        tag = event.tag
        if tag is None or tag == "!":
            tag = self._loader.resolve(yaml.ScalarNode, event.value, event.implicit)
        if tag not in _PLAIN:
            return _STRANGE
        try:
            made: object = self._loader.construct_object(yaml.ScalarNode(tag, event.value))
        except (ValueError, KeyError, OverflowError, yaml.YAMLError):
            return _STRANGE
        return made
