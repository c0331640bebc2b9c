"""What the main screen can do now: why a key cannot act, and which commands the palette offers."""

from collections.abc import Mapping
from typing import NamedTuple

from textual.keys import _character_to_key, key_to_character

from explorer.keys.actions import ACTIONS, TYPING, KeyAction
from explorer.keys.keymap import Keymap, shown
from explorer.model import Session, State
from explorer.tui.words import (
    ALREADY_READING,
    DEMO_RESUME,
    IN_THE_LIST,
    NO_FILTER,
    NOTHING_TO_CLEAR,
    ONE_PROFILE,
    ONLY_IN_FILE,
    READING_FILE,
    no_rows,
    no_session,
    not_here,
    only_in_list,
    only_while_reading,
    still_changing,
)

_SESSION = frozenset(
    (
        *("read", "resume", "rename", "delete", "archive", "mark-ended", "reopen"),
        *("clear-messages", "pin", "expand", "lineage", "details", "editor", "pager", "find"),
        *("copy-command", "copy-id", "copy", "copy-code", "copy-message", "expand-block"),
        *("expand-in-place", "next-block", "previous-block", "next-prompt", "previous-prompt"),
        *("reasoning", "tools", "next-error", "whole-or-part", "show-rewound"),
    )
)
"""Actions on a session."""
_CHANGES = frozenset(
    (
        *("resume", "copy-command", "rename", "delete", "archive", "mark-ended", "reopen"),
        *("clear-messages", "pin"),
    )
)
"""Actions that need more of a session than its messages."""
_ROWS = frozenset(
    (
        *("select", "extend-down", "extend-up", "invert-selection", "select-all", "row-height"),
        *("list-heading-down", "list-heading-up"),
    )
)
"""Actions on the rows of the list."""
_FILE = frozenset(("filter", "sort", "prune", "trash", "undo", "show-hidden", "search-hidden"))
"""Actions that need the whole file."""


class Situation(NamedTuple):
    """What the main screen shows, as far as actions depend on it."""

    surveyed: bool
    """All of the file has been read."""
    has_session: bool
    """There is a session that keys act on: under the cursor, or being read."""
    session: Session | None = None
    """That session, if it has been read."""
    rows: int = 0
    filters: bool = False
    clears: bool = False
    """There is a search or a selection to clear."""
    demo: bool = False
    followed: bool = False
    """What is read was opened from a subagent link."""
    expiring: bool = False
    """The agent is about to delete sessions."""
    refused: Mapping[str, str | None] = {}
    """Why the file refuses changes, by their names."""
    several: bool = False
    """Several profiles are listed."""


def why_not(action: KeyAction, now: Situation) -> str:
    """Why an action cannot be done; empty where it can, or where only doing it tells."""
    name = action.id
    if name in _SESSION and not now.has_session:
        return no_session(action.title) if now.surveyed else READING_FILE
    if name in _ROWS and not now.rows:
        return no_rows(action.title) if now.surveyed else READING_FILE
    if name in _FILE and not now.surveyed:
        return READING_FILE
    if name in ("resume", "copy-command") and now.demo:
        return DEMO_RESUME
    if name in _CHANGES and now.session is not None and now.session.file:
        return ONLY_IN_FILE
    if name == "remove-filter" and not now.filters:
        return NO_FILTER
    if name == "profiles" and not now.several:
        return ONE_PROFILE
    if name == "clear-selection" and not now.clears:
        return NOTHING_TO_CLEAR
    return ""


def is_offered(action: KeyAction, now: Situation) -> bool:
    """Whether the palette offers an action: what would only say why it cannot act is left out."""
    if why_not(action, now) or now.refused.get(action.change):
        return False
    session = now.session
    match action.id:
        case "keep-expiring":
            return now.expiring
        case "back-from-subagent":
            return now.followed
        case "expand":
            return session is not None and (session.parts > 1 or bool(session.subagents))
        case "whole-or-part":
            return session is not None and session.parts > 1
        case "mark-ended":
            return session is not None and session.state is not State.ENDED
        case "reopen":
            return session is not None and session.state is State.ENDED
        case _:
            return True


def unanswered(keymap: Keymap, key: str, scope: str, on_main: bool) -> str:
    """Why a key that nothing is bound to does nothing; empty for keys that nobody would try."""
    known = [one for one in ACTIONS if any(_named(own) == key for own in keymap.keys(one))]
    for action in known if on_main else ():
        if scope == "transcript" and "list" in action.scopes:
            back = keymap.key("back")
            return ALREADY_READING if action.id == "read" else only_in_list(action.title, back)
        if scope == "list" and "transcript" in action.scopes:
            read = keymap.key("read")
            return IN_THE_LIST if action.id == "back" else only_while_reading(action.title, read)
    if scope == "progress":
        return still_changing(keymap.key("progress-stop"))
    character = key_to_character(key) or ""
    if scope in TYPING or not (known or (character and character.isprintable())):
        return ""
    return not_here(shown(character or key), keymap.key("help"))


def _named(key: str) -> str:
    """A key as Textual calls it."""
    return _character_to_key(key) if len(key) == 1 else key
