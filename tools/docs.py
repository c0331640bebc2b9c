"""Write the generated parts of the README and of docs/, and the JSON Schema of the settings.

They are generated from the code, so that the documents cannot drift; a test compares. A generated
part is between two comments with its name.
"""

import json
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from unittest.mock import patch

from explorer.arguments.commands import COMMANDS, parser
from explorer.arguments.examples import HELP, OVERVIEW, Example
from explorer.commands.config import VARIABLES, schema
from explorer.keys.actions import ACTIONS, SCOPES, KeyAction
from explorer.keys.keymap import DEFAULT, shown
from explorer.search.language.reference import DATES, NUMBERS, WORDS
from explorer.search.language.vocabulary import FIELDS, FieldKind
from explorer.settings import KEYS_MEANING, SETTINGS

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
DOCS = ROOT / "docs"
SCHEMA = DOCS / "config.schema.json"
ESSENTIAL = (
    *("read", "search", "find", "filter", "show-hidden", "sort", "select", "pin", "details"),
    *("lineage", "tools", "resume", "rename", "archive", "delete", "prune", "undo"),
    *("palette", "help", "quit"),
)
"""The actions whose keys are in the README."""
COMMAND_GROUPS = {
    "read": ("list", "show", "search", "chats", "where", "info"),
    "change": (
        *("rename", "archive", "unarchive", "pin", "unpin", "end", "reopen", "clear", "delete"),
        *("undo", "trash"),
    ),
    "many": ("prune",),
    "others": ("resume", "config", "completion", "demo"),
}
"""The commands, as the page on scripts has them."""
_TAKES = {
    "text": "text",
    "choice": "",
    "day": "a [date](#dates)",
    "amount": "a [number](#numbers)",
}
"""What a field takes; of a choice all values are listed."""


def pages() -> dict[Path, str]:
    """Every file with generated parts, as it should be."""
    parts = {
        README: {"keys": essential_keys(), "run": block(OVERVIEW)},
        DOCS / "keys.md": {"keys": all_keys()},
        DOCS / "scripts.md": {
            "help": overview(),
            **{name: commands(names) for name, names in COMMAND_GROUPS.items()},
            "completion": block(HELP["completion"].examples),
        },
        DOCS / "search-language.md": {
            "words": _typed("finds", WORDS),
            "fields": fields(),
            "dates": _typed("means", DATES),
            "numbers": _typed("means", NUMBERS),
        },
        DOCS / "settings.md": {"settings": settings(), "variables": variables()},
    }
    renewed = {
        path: _filled(path.read_text(encoding="utf-8"), contents)
        for path, contents in parts.items()
    }
    return {**renewed, SCHEMA: json.dumps(schema(), ensure_ascii=False, indent=2) + "\n"}


def essential_keys() -> str:
    """The most useful keys, two actions a line, read from top to bottom."""
    by_id = {action.id: action for action in ACTIONS}
    cells = [(_keys(by_id[id_], every=False), by_id[id_].title) for id_ in ESSENTIAL]
    half = len(cells) // 2
    rows = ((*left, *right) for left, right in zip(cells[:half], cells[half:], strict=True))
    return _table(("key", "does", "key", "does"), rows)


def all_keys() -> str:
    """A table for each place in which keys act."""
    parts = []
    for scope, title in SCOPES.items():
        rows = [
            (_keys(action, every=True), action.help, f"`{action.id}`")
            for action in ACTIONS
            if scope in action.scopes
        ]
        parts.append(f"## {title}\n\n{_table(('key', 'does', 'id'), rows)}")
    return "\n\n".join(parts)


def overview() -> str:
    """Usage, options, commands and exit codes; the examples are left to --help."""
    with patch.dict(os.environ, COLUMNS="100", NO_COLOR="1"):
        text, _, after = parser().format_help().partition("\nexamples:\n")
    codes = after[after.index("exit codes:") :]
    return f"```\n{text}\n{codes.rstrip()}\n```"


def commands(names: Sequence[str]) -> str:
    """What these commands do, and examples of each itself."""
    table = _table(("command", "does"), ((f"`{name}`", COMMANDS[name].summary) for name in names))
    shown = [
        one
        for name in names
        for one in HELP[name].examples
        if one.line.startswith(f"session-explorer {name}") and name != "completion"
    ]
    return f"{table}\n\n{block(shown)}"


def block(examples: Sequence[Example]) -> str:
    """Examples as lines to type."""
    column = max(len(one.line) for one in examples if one.does)
    lines = (f"{one.line:<{column}}{f'  # {one.does}' if one.does else ''}" for one in examples)
    return "\n".join(("```", *(line.rstrip() for line in lines), "```"))


def fields() -> str:
    """The fields of a search: what each is about, what it takes, and an example."""
    rows = (
        (f"`{name}:`", kind.words, _values(kind), f"`{kind.example}`")
        for name, kind in FIELDS.items()
    )
    return _table(("field", "about", "takes", "example"), rows)


def _typed(effect: str, rows: Iterable[tuple[str, str]]) -> str:
    return _table(("type", effect), ((f"`{typed}`", words) for typed, words in rows))


def settings() -> str:
    rows = [(f"`{one.name}`", one.meaning, f"`{one.example}`") for one in SETTINGS]
    rows.append(("`[keys]`", KEYS_MEANING, '`rename = ["e", "f2"]`'))
    return _table(("setting", "meaning", "example"), rows)


def variables() -> str:
    rows = ((f"`{name}`", meaning) for name, meaning in VARIABLES.items())
    return _table(("variable", "meaning"), rows)


def _values(kind: FieldKind) -> str:
    if kind.takes in ("day", "amount"):
        return _TAKES[kind.takes]
    offered = "; ".join(f"`{value}` {words}" for value, words in kind.offers.items())
    return ": ".join(filter(None, (_TAKES[kind.takes], offered)))


def _keys(action: KeyAction, every: bool) -> str:
    """The keys of an action: those that the app mentions, or every one."""
    keys = list(map(shown, action.all_keys)) if every else DEFAULT.shown(action).split()
    return " ".join(f"`{key}`" for key in keys) or "only in the command palette"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _filled(text: str, contents: dict[str, str]) -> str:
    for name, content in contents.items():
        begin, end = f"<!-- generated: {name} -->", f"<!-- /generated: {name} -->"
        pattern = re.compile(f"{re.escape(begin)}\n.*?{re.escape(end)}", re.DOTALL)
        found = pattern.search(text)
        if found is None:
            raise ValueError(f"there is no {begin} … {end}")
        text = f"{text[: found.start()]}{begin}\n{content}\n{end}{text[found.end() :]}"
    return text


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
