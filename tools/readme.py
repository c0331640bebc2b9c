"""Write the generated parts of the README: the key table and the text of --help.

Both come from the code that acts on them, so that the README cannot drift; a test compares.
"""

import os
import re
from itertools import zip_longest
from pathlib import Path

from explorer.cli import parser
from explorer.tui.keys.actions import ACTIONS, KeyAction

README = Path(__file__).parent.parent / "README.md"
BESIDE = 3
"""Actions that stand beside each other."""
SCOPES = {
    "list": "In the list",
    "transcript": "In the transcript",
    "find": "While finding",
    "search": "While searching",
    "prune": "While pruning",
    "app": "Everywhere",
}


def key_table() -> str:
    """Three actions a line, as many lines as one scope needs, read from top to bottom."""
    lines = ["| " + "| key | does " * BESIDE + "|", "|" + "---|" * (2 * BESIDE + 1)]
    for scope, title in SCOPES.items():
        cells = [f"{_keys(action)} | {action.help}" for action in ACTIONS if action.scope == scope]
        rows = -(-len(cells) // BESIDE)
        columns = [cells[at * rows : (at + 1) * rows] for at in range(BESIDE)]
        for row in zip_longest(*columns, fillvalue=" | "):
            lines.append(f"| {title} | {' | '.join(row)} |")
            title = ""
    return "\n".join(lines)


def _keys(action: KeyAction) -> str:
    return " ".join(f"`{key}`" for key in action.shown.split())


def usage() -> str:
    """What the program is and takes; its examples are left to --help."""
    os.environ["COLUMNS"] = "100"
    text, _, after = parser().format_help().partition("\nexamples:\n")
    codes = after[after.index("exit codes:") :]
    return f"```\n{text}\n{codes.rstrip()}\n```"


def renewed(text: str) -> str:
    """The README with its generated parts as they should be."""
    for name, content in (("keys", key_table()), ("help", usage())):
        pattern = rf"(<!-- {name} -->\n).*?(\n<!-- /{name} -->)"
        text = re.sub(pattern, lambda found: found[1] + content + found[2], text, flags=re.S)  # noqa: B023
    return text


if __name__ == "__main__":
    README.write_text(renewed(README.read_text(encoding="utf-8")), encoding="utf-8")
