"""Write the generated parts of the README: the key table and the text of --help.

Both come from the code that acts on them, so that the README cannot drift; a test compares.
"""

import os
import re
from pathlib import Path

from explorer.cli import parser
from explorer.tui.actions import ACTIONS

README = Path(__file__).parent.parent / "README.md"
SCOPES = {
    "list": "In the list",
    "transcript": "In the transcript",
    "search": "While searching",
    "app": "Everywhere",
}


def key_table() -> str:
    lines = ["| | key | does |", "|---|---|---|"]
    for scope, title in SCOPES.items():
        for action in ACTIONS:
            if action.scope == scope:
                keys = " ".join(f"`{key}`" for key in action.shown.split())
                lines.append(f"| {title} | {keys} | {action.help} |")
                title = ""
    return "\n".join(lines)


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
