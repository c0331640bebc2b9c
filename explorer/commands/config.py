"""`config`: the settings, their sources, and whether the settings file is valid."""

import argparse
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from explorer.commands.output import BOLD, DIM, note, painted, write, write_json
from explorer.commands.pager import paged
from explorer.errors import ExitCode, ExplorerError
from explorer.keys.actions import ACTIONS, BY_ID, SCOPES
from explorer.keys.keymap import read_keymap, shown
from explorer.model import Trouble
from explorer.render.clean import clean_line
from explorer.settings import (
    KEYS_MEANING,
    SETTINGS,
    Config,
    config_path,
    notes_path,
    read_config,
    trash_path,
    unreadable,
)
from explorer.stores.sqlite.failures import short_path

VARIABLES = {
    "SESSION_EXPLORER_DB": "State file to open, or a folder that contains one.",
    "HERMES_HOME": "Folder of Hermes, instead of ~/.hermes.",
    "VISUAL": "Editor for “Open in editor”; comes before EDITOR.",
    "EDITOR": "Editor for “Open in editor”.",
    "PAGER": "Pager for long output and for “Open in pager”; if empty, long output has none.",
    "NO_COLOR": "If set, commands print without colours.",
}
"""Environment variables with an effect."""


def handle_config(options: argparse.Namespace, now: float) -> int:
    path = config_path()
    match options.what:
        case "path":
            write(str(path))
            return int(ExitCode.DONE)
        case "init":
            return _init(path)
        case "validate":
            return _validate(path)
        case _:
            config, trouble = trouble_of(path)
            with paged(not options.no_pager and not options.json):
                _show(path, config, trouble, options.json)
            # A pager that is quit early ends the output, not what is wrong.
            for one in () if options.json else trouble:
                note(f"{short_path(path)}{one}.")
            return int(ExitCode.USAGE if trouble else ExitCode.DONE)


def trouble_of(path: Path) -> tuple[Config, list[Trouble]]:
    """The settings, and everything that is wrong with them, keys included."""
    config, trouble = read_config(path)
    _, wrong = read_keymap(config.keys)
    return config, sorted([*trouble, *wrong])


def _validate(path: Path) -> int:
    if not path.exists():
        note(f"{short_path(path)} does not exist. All settings have their defaults.")
        return int(ExitCode.DONE)
    _, trouble = trouble_of(path)
    if trouble:
        raise unreadable(path, trouble)
    write(f"{short_path(path)} is valid.")
    return int(ExitCode.DONE)


def _init(path: Path) -> int:
    """Write a file with every setting as a comment; never replace an existing one."""
    if not path.is_absolute():
        raise ExplorerError(
            "Not written", "You have no home folder for the settings file. Set HOME."
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "x", encoding="utf-8") as file:
            file.write(template())
    except FileExistsError:
        raise ExplorerError(
            "Not written", f"{short_path(path)} already exists. It was not changed."
        ) from None
    except OSError as error:
        raise ExplorerError(
            "Not written", f"{short_path(path)}: {error.strerror or error}."
        ) from error
    write(
        f"Wrote {short_path(path)}. Every setting in it is a comment: remove the # to change one."
    )
    return int(ExitCode.DONE)


def template() -> str:
    """The settings file that `init` writes."""
    lines = ["# Settings of session-explorer. To change a setting, remove its #.", ""]
    for setting in SETTINGS:
        lines += [f"# {setting.meaning}", f"# {setting.example}", ""]
    lines += [f"# {KEYS_MEANING}", "[keys]"]
    for scope, title in SCOPES.items():
        lines += ["", f"# {title}"]
        for action in ACTIONS:
            if action.scopes[0] == scope:
                keys = ", ".join(f'"{key}"' for key in action.main_keys)
                lines.append(f"# {action.id} = [{keys}]  # {action.title}")
    return "\n".join(lines) + "\n"


def _show(path: Path, config: Config, trouble: Sequence[Trouble], as_json: bool) -> None:
    rows = _rows(config)
    files = {"settings": path, "pins and choices": notes_path(), "trash": trash_path()}
    if as_json:
        write_json(
            {
                "path": str(path),
                "exists": path.exists(),
                "settings": rows,
                "environment": {name: _set_to(name) for name in VARIABLES},
                "problems": [{"line": one.line, "message": one.words} for one in trouble],
            }
        )
        return
    write(painted("Files", BOLD))
    for name, file in files.items():
        there = "" if file.exists() else painted("  (none yet)", DIM)
        write(f"  {name:21}{clean_line(short_path(file))}{there}")
    write(painted("\nSettings", BOLD))
    for row in rows:
        value = json.dumps(row["value"], ensure_ascii=False)
        unset = row["value"] in ("", None)
        write("  " + clean_line(f"{row['name']} {'is not set' if unset else f'= {value}'}"))
        other = "" if row["source"] == "default" else f"; default: {json.dumps(row['default'])}"
        write(painted(f"      {row['source']}{other}", DIM))
        write(painted(f"      {row['meaning']}", DIM))
    if not config.keys:
        write("  [keys] is not set")
        write(painted(f"      {KEYS_MEANING} `config init` lists every action.", DIM))
    write(painted("\nEnvironment", BOLD))
    for name, meaning in VARIABLES.items():
        set_to = _set_to(name)
        write(f"  {name} = {clean_line(set_to)}" if set_to else f"  {name} is not set")
        write(painted(f"      {meaning}", DIM))


def _set_to(variable: str) -> str | None:
    """What a variable is set to; of an address without the password."""
    value = os.environ.get(variable)
    if not value:
        return value
    from explorer.stores.postgres.given import shown as without_password  # late: 3 ms

    return without_password(value)


def _rows(config: Config) -> list[Mapping[str, object]]:
    """Every setting; of the keys, only those that the user has set."""
    usual = Config()
    rows: list[Mapping[str, object]] = []
    for setting in SETTINGS:
        value, default = getattr(config, setting.name), getattr(usual, setting.name)
        rows.append(
            {
                "name": setting.name,
                "value": list(value) if isinstance(value, tuple) else value,
                "source": "default" if value == default else "from the settings file",
                "default": list(default) if isinstance(default, tuple) else default,
                "meaning": setting.meaning,
            }
        )
    for name, value, line in config.keys:
        action = BY_ID.get(name)
        rows.append(
            {
                "name": f"keys.{name}",
                "value": value,
                "source": f"from line {line} of the settings file",
                "default": list(map(shown, action.all_keys)) if action else None,
                "meaning": action.help if action else "unknown action",
            }
        )
    return rows


def schema() -> dict[str, object]:
    """The settings as JSON Schema, for editors."""
    keys = {
        "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
    }
    properties: dict[str, object] = {
        setting.name: {**setting.schema, "description": setting.meaning} for setting in SETTINGS
    }
    properties["keys"] = {
        "type": "object",
        "description": KEYS_MEANING,
        "additionalProperties": False,
        "properties": {
            action.id: {**keys, "description": action.help, "default": action.all_keys}
            for action in ACTIONS
        },
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Settings of session-explorer",
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
    }
