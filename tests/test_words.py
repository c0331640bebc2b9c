"""The words of the product: one vocabulary in everything that a user can read.

What the app and the commands can say is collected from the code (every sentence that is neither a
query nor a pattern) and from the tables of actions, fields, problems and settings.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from explorer.arguments.commands import COMMANDS, command_parser, parser
from explorer.commands.config import template
from explorer.keys.actions import ACTIONS
from explorer.keys.keymap import DEFAULT
from explorer.search.language.vocabulary import FIELDS

ROOT = Path(__file__).parent.parent
NOT_READ = ("demo", "create")
"""Folders without words of ours: the invented history, and the schema of an agent."""
CODE = re.compile(
    r"^\W*(SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|PRAGMA|FROM|WHERE|AND|OR|JOIN|LEFT|ORDER|GROUP"
    r"|WITH|UNION|VALUES|SET|BEGIN|LIMIT|ON|NOT|CASE|EXISTS|ALTER)\b|\\[sdwb]|\(\?"
)
INSTEAD = {
    r"\ball the same\b": "anyway, or leave it out",
    r"\b(takes?|taken|took|taking)\b[^.]{0,20}\bback\b": "undo, restore",
    r"\bfor good\b": "permanently",
    r"\bat rest\b": "idle",
    r"\bgoe?s? along\b": "also deleted",
    r"\bhangs? on\b": "depends on",
    r"\bwould go\b": "will be removed",
    r"\b(somebody|nobody|whoever|anybody)\b": "name who does it",
    r"\bmeanwhile\b": "leave it out",
    r"\bas (it|they|all) (was|were)\b": "unchanged",
    r"\bis none of\b": "unknown …; use …",
    r"\b(other way|turns?|turn it) round\b": "reverse",
    r"\bquiet for\b": "inactive for",
    r"\bgoe?s? on with\b": "continue, resume",
    r"\b(an|the|this|that|last|each|every|no|one|another) edits?\b": "change",
    r"\b(catalog|lane|(?<!needs a )unit)\b": "no inner names",
    r"\bA bug\b": "Unexpected error",
    r"\bLeave\b": "Quit",
    r"\bof itself\b": "its header",
    r"\bpaid by\b": "billing",
    r"\bchoose what\b": "filter",
    r"\banew\b": "again, reset",
    r"\bcut short\b": "truncated, interrupted",
    r"\b(lie|lies) (beside|on|under)\b": "is next to, is on",
    r"\bin all\b(?! \w)": "in total",
    r"\bthis very\b": "this; just now",
    r"\btoo great\b": "too large",
    r"\bin sight\b": "visible",
    r"\b(brings?|brought) (it|them|all) back\b": "restore",
    r"\bhand\w*\b[^.]{0,20}\bback to\b": "resume in",
    r"\btakes?\b[^.]{0,12}\boff\b": "remove",
    r"\bis no (day|span|number|field|time|date|regular)\b": "is not a …",
    r"\blooked through\b": "searched",
    r"\balike\b": "similar",
    r"\bwhat is hidden\b": "hidden sessions",
    r"\bBegin with\b": "Start from",
    r"\bgoes there\b": "go to …",
    r"\bwider than\b": "cut off at the right",
    r"\bwhat came\b": "name it",
    r"\bno plain\b": "not safe",
    r"\bended with code\b": "exited with code",
}
"""Words of the dialect, and what to write."""


def sentences(path: Path) -> Iterator[tuple[int, str]]:
    """What a module can say: strings of several words that are neither code nor a docstring."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documents = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    parts = {
        id(part)
        for whole in ast.walk(tree)
        if isinstance(whole, ast.JoinedStr)
        for part in whole.values
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            text = "".join(
                str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = "" if id(node) in documents | parts else node.value
        else:
            continue
        if " " in text.strip() and not CODE.search(text):
            yield node.lineno, " ".join(text.split())


def spoken() -> list[tuple[str, str]]:
    """(where, text) of everything that can be read."""
    found = []
    for path in sorted((ROOT / "explorer").rglob("*.py")):
        if not set(NOT_READ) & set(path.parts):
            name = path.relative_to(ROOT)
            found += [(f"{name}:{line}", text) for line, text in sentences(path)]
    return found


@pytest.mark.parametrize("pattern", INSTEAD)
def test_no_sentence_speaks_the_old_dialect(pattern: str) -> None:
    wrong = [f"{where}: {text}" for where, text in SPOKEN if re.search(pattern, text)]
    assert wrong == [], f"write: {INSTEAD[pattern]}"


SPOKEN = spoken()


def test_the_collector_finds_sentences() -> None:
    texts = " ".join(text for _, text in SPOKEN)
    assert len(SPOKEN) > 800
    for part in ("Cannot read the settings", "Rename session", "No such session"):
        assert part in texts


def test_a_command_is_called_by_its_title_and_its_label_is_part_of_it() -> None:
    """The footer's word is found in the palette: in the title, or among its synonyms."""
    for action in ACTIONS:
        if action.palette and action.label and set(action.scopes) & {"list", "transcript", "app"}:
            words = f"{action.title} {action.synonyms}".lower()
            for part in re.split(r"\W+", action.label.lower()):
                assert part in words, f"{action.id}: {action.label}"


def test_no_two_commands_of_a_place_have_the_same_title() -> None:
    for scope in ("list", "transcript", "prune", "app"):
        titles = [action.title for action in ACTIONS if scope in action.scopes]
        assert sorted(set(titles)) == sorted(titles)


def test_the_footer_uses_the_labels_of_the_table() -> None:
    labels = {action.label for action in ACTIONS}
    for scope in ("list", "transcript", "search", "find", "prune"):
        assert {label for _, label, _ in DEFAULT.footer(scope, 500)} <= labels


def test_tables_of_words_do_not_speak_the_old_dialect_either() -> None:
    helps = [parser().format_help(), *(command_parser(name).format_help() for name in COMMANDS)]
    for pattern, better in INSTEAD.items():
        for text in (*helps, template(), *map(str, FIELDS.values())):
            assert not re.search(pattern, text), better
