"""Write the generated parts of the README: the key table and the text of --help.

Both come from the code that acts on them, so that the README cannot drift; a test compares.
"""

import os
import re
from itertools import zip_longest
from pathlib import Path

from explorer.cli import parser
from explorer.tui.action import Action
from explorer.tui.actions import ACTIONS

README = Path(__file__).parent.parent / "README.md"
SCOPES = {
    "list": "In the list",
    "transcript": "In the transcript",
    "find": "While finding",
    "search": "While searching",
    "prune": "While pruning",
    "app": "Everywhere",
}


def key_table() -> str:
    """Two actions a line, as many lines as one scope needs."""
    lines = ["| | key | does | key | does |", "|---|---|---|---|---|"]
    for scope, title in SCOPES.items():
        cells = [f"{_keys(action)} | {action.help}" for action in ACTIONS if action.scope == scope]
        half = (len(cells) + 1) // 2
        for left, right in zip_longest(cells[:half], cells[half:], fillvalue=" | "):
            lines.append(f"| {title} | {left} | {right} |")
            title = ""
    return "\n".join(lines)


def _keys(action: Action) -> str:
    return " ".join(f"`{key}`" for key in action.shown.split())


def usage() -> str:
    os.environ["COLUMNS"] = "100"
    return f"```\n{parser().format_help().rstrip()}\n```"


def renewed(text: str) -> str:
    """The README with its generated parts as they should be."""
    for name, content in (("keys", key_table()), ("help", usage())):
        pattern = rf"(<!-- {name} -->\n).*?(\n<!-- /{name} -->)"
        text = re.sub(pattern, lambda found: found[1] + content + found[2], text, flags=re.S)  # noqa: B023
    return text


if __name__ == "__main__":
    README.write_text(renewed(README.read_text(encoding="utf-8")), encoding="utf-8")
