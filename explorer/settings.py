"""The user's settings, and where our own files are: in the folders the platform has for them.

`SETTINGS` is the one table of settings: the file, `config` and the JSON Schema come from it. All of
them are optional. A mistake in the file is an error that names the line: a setting silently ignored
would be worse, because one of them is a command to run.
"""

import os
import re
import stat
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from explorer.errors import UsageError, closest
from explorer.model import KeySetting, ListColumn, Trouble

MOST = 1_000_000
"""Bytes of settings; a device without an end would be read for ever."""
PLACEHOLDERS = ("{id}", "{profile}", "{home}", "{workspace}")
AUTO = "auto"
OWN_THEMES = ("dark", "light")
TEXTUAL_THEMES = (
    *("textual-dark", "textual-light", "nord", "gruvbox", "dracula", "tokyo-night", "monokai"),
    *("flexoki", "catppuccin-latte", "catppuccin-frappe", "catppuccin-macchiato"),
    *("catppuccin-mocha", "solarized-light", "solarized-dark", "rose-pine", "rose-pine-moon"),
    *("rose-pine-dawn", "atom-one-dark", "atom-one-light"),
)
"""Written down: they are checked where Textual is not loaded."""
THEMES = (*OWN_THEMES, *TEXTUAL_THEMES)
COMFORTABLE, COMPACT = "comfortable", "compact"
RELATIVE, ABSOLUTE = "relative", "absolute"


class Config(NamedTuple):
    """What can be set."""

    resume: str = "exec"
    resume_command: tuple[str, ...] = ()
    theme: str = ""
    density: str = ""
    """Empty, as the theme: what was chosen last."""
    columns: tuple[ListColumn, ...] | None = None
    """None for those that there is room for."""
    time: str = RELATIVE
    keys: tuple[KeySetting, ...] = ()
    """As written: only the app uses them, so only the app checks them."""


class ConfigSetting(NamedTuple):
    """One setting."""

    name: str
    meaning: str
    example: str
    """A line of TOML."""
    schema: Mapping[str, object]
    """Its values, as JSON Schema."""
    read: Callable[[object], object]
    """The value in `Config`; a ValueError says what is wrong."""


def _one_of(known: Sequence[str]) -> Callable[[object], str]:
    """A reader of a setting that has one of these values."""

    def read(value: object) -> str:
        if not isinstance(value, str) or value not in known:
            raise ValueError(_not_one_of(value, known))
        return value

    return read


def _not_one_of(value: object, known: Sequence[str]) -> str:
    close = closest(value, known, most=1) if isinstance(value, str) else []
    *others, last = (f'"{one}"' for one in known)
    said = f"must be {', '.join(others)} or {last}, not {_written(value)}"
    return f"{said}; closest: {close[0]}" if close else said


def _written(value: object) -> str:
    """A wrong value, spelt as in the file."""
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _columns(value: object) -> tuple[ListColumn, ...]:
    if not isinstance(value, list):
        raise ValueError("must be a list of columns")
    names = [column.value for column in ListColumn]
    for one in value:
        if one not in names:
            raise ValueError(_not_one_of(one, names))
    return tuple(dict.fromkeys(map(ListColumn, value)))


def _command(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
        raise ValueError("must be a list of strings")
    if value and not any("{id}" in part for part in value):
        raise ValueError("must contain {id}")
    if value and ("{" in value[0] or not value[0].strip()):
        raise ValueError("must start with the name of a program")
    for part in value:
        rest = part
        for name in PLACEHOLDERS:
            rest = rest.replace(name, "")
        if "{" in rest or "}" in rest or "\0" in rest:
            raise ValueError(f"unknown placeholder in {part!r}; use {', '.join(PLACEHOLDERS)}")
    return tuple(value)


SETTINGS = (
    ConfigSetting(
        "resume",
        "What resuming does: exec replaces this program with the agent, return comes back when the"
        " agent ends.",
        'resume = "exec"',
        {"enum": ["exec", "return"]},
        _one_of(("exec", "return")),
    ),
    ConfigSetting(
        "resume_command",
        "Command that resumes a session, instead of the agent's own. It may contain"
        f" {', '.join(PLACEHOLDERS)}.",
        'resume_command = ["hermes", "--resume={id}"]',
        {"type": "array", "items": {"type": "string"}},
        _command,
    ),
    ConfigSetting(
        "theme",
        "Colours: dark, light, auto (by the terminal's background) or a theme of Textual, such as"
        " nord. If not set, the theme you chose last.",
        'theme = "auto"',
        {"enum": [AUTO, *THEMES]},
        _one_of((AUTO, *THEMES)),
    ),
    ConfigSetting(
        "density",
        "Rows of the list: comfortable (two lines), compact (one line) or auto (by the height of"
        " the terminal). If not set, what you chose last.",
        'density = "auto"',
        {"enum": [AUTO, COMFORTABLE, COMPACT]},
        _one_of((AUTO, COMFORTABLE, COMPACT)),
    ),
    ConfigSetting(
        "columns",
        "Columns of the list after the title, in this order, as far as there is room:"
        f" {', '.join(ListColumn)}. If not set, those that fit best.",
        'columns = ["messages", "model", "time", "source"]',
        {"type": "array", "items": {"enum": [column.value for column in ListColumn]}},
        _columns,
    ),
    ConfigSetting(
        "time",
        "Times in the list: relative (2m, 3h, Tue) or absolute (14:02, 12 Mar 14:02).",
        'time = "relative"',
        {"enum": [RELATIVE, ABSOLUTE]},
        _one_of((RELATIVE, ABSOLUTE)),
    ),
)
KEYS_MEANING = "Keys of each action, instead of its default keys; an empty list removes them."
"""Of the table `[keys]`."""


def config_path() -> Path:
    return _folder("XDG_CONFIG_HOME", ".config", "user_config_path") / "config.toml"


def notes_path() -> Path:
    """Our own notes: pins, the last sort order of each file, the last theme and row height."""
    return _folder("XDG_DATA_HOME", ".local/share", "user_data_path") / "explorer.db"


def trash_path() -> Path:
    """The trash: everything deleted in the last 30 days."""
    return notes_path().with_name("trash.db")


def cache_folder() -> Path:
    """What was counted of big files, for the next command."""
    return _folder("XDG_CACHE_HOME", ".cache", "user_cache_path")


def crash_folder() -> Path:
    """Where a crash leaves its report."""
    return notes_path().with_name("crashes")


def _folder(variable: str, usual: str, elsewhere: str) -> Path:
    if os.name == "posix" and os.uname().sysname == "Linux":
        # As in platformdirs, whose import would delay the first frame by 6 ms.
        base = os.environ.get(variable, "").strip()
        if not os.path.isabs(base):
            # Without a home the path keeps its ~ and is not used: see `OwnFile`.
            base = os.path.expanduser(f"~/{usual}")
        return Path(base) / "session-explorer"
    import platformdirs

    found: Path = getattr(platformdirs, elsewhere)("session-explorer", appauthor=False)
    return found


def load_config(path: Path) -> Config:
    """The settings in a file; the defaults where there is none."""
    config, trouble = read_config(path)
    if trouble:
        raise unreadable(path, trouble)
    return config


def read_config(path: Path) -> tuple[Config, list[Trouble]]:
    """The settings in a file, and everything that is wrong with them. One of them is a command to
    run, so a relative path, as it is without a home, is not read: it could be anywhere."""
    if not path.is_absolute():
        return Config(), []
    try:
        file = path.stat()
        if not stat.S_ISREG(file.st_mode) or file.st_size > MOST:
            return Config(), [Trouble(0, "not a regular file of up to 1 MB")]
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Config(), []
    except (OSError, UnicodeDecodeError) as error:
        return Config(), [Trouble(0, str(error))]
    # Late: most people have no settings, and it takes 5 ms.
    import tomllib

    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return Config(), [Trouble(0, str(error))]
    return _understood(found, lines_of(text))


def _understood(
    found: Mapping[str, object], lines: Mapping[str, int]
) -> tuple[Config, list[Trouble]]:
    known = {setting.name: setting for setting in SETTINGS}
    read: dict[str, Any] = {}
    trouble: list[Trouble] = []
    for name, value in found.items():
        line = lines.get(name, 0)
        try:
            if name == "keys":
                read[name] = _keys(value, lines)
            elif name in known:
                read[name] = known[name].read(value)
            else:
                every = [*known, "keys"]
                close = closest(name, every, most=1)
                use = f"closest: {close[0]}" if close else f"use {', '.join(every)}"
                raise ValueError(f"unknown setting; {use}")
        except ValueError as error:
            trouble.append(Trouble(line, f"{name}: {error}"))
    return Config()._replace(**read), sorted(trouble)


def _keys(value: object, lines: Mapping[str, int]) -> tuple[KeySetting, ...]:
    if not isinstance(value, dict):
        raise ValueError("must be a table, [keys], with a line for each action")
    return tuple(
        KeySetting(name, keys, lines.get(f"keys.{name}", lines.get("keys", 0)))
        for name, keys in value.items()
    )


def lines_of(text: str) -> dict[str, int]:
    """The line on which each setting starts, in a valid TOML file."""
    found: dict[str, int] = {}
    table = ""
    for number, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\s*\[+\s*([\w.-]+)\s*\]", line):
            table = header[1]
            found.setdefault(table, number)
        elif name := re.match(r"""\s*((?:[\w.-]|"[^"]*"|'[^']*')+)\s*=""", line):
            key = name[1].replace('"', "").replace("'", "")
            found.setdefault(f"{table}.{key}" if table else key, number)
    return found


def unreadable(path: Path, trouble: list[Trouble]) -> UsageError:
    # Late: only an error needs it.
    from explorer.stores.sqlite.failures import short_path

    where = short_path(path)
    return UsageError("Cannot read the settings", "\n".join(f"{where}{one}." for one in trouble))
