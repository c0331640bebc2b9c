"""Everything that can be done, in one table: keys, footer, palette, help and README come from it.

Keys act on what has the focus. Keys with a modifier, and F1, also work while typing.
"""

from textual.binding import Binding, BindingType

from explorer.tui.keys.action import Action
from explorer.tui.keys.list_keys import IN_LIST
from explorer.tui.keys.other_keys import ELSEWHERE
from explorer.tui.keys.transcript_keys import IN_TRANSCRIPT

ACTIONS: tuple[Action, ...] = (*IN_LIST, *IN_TRANSCRIPT, *ELSEWHERE)


def bindings(scope: str) -> list[BindingType]:
    """The key bindings of a widget, or with scope app of the screen."""
    return [
        Binding(
            action.keys,
            action.call,
            action.label,
            show=False,
            # At once: what is typed right behind it must find the bar, not the list or the text,
            # where a letter may be a key that leaves.
            priority=action.name in ("search", "find"),
            id=action.name,
        )
        for action in ACTIONS
        if action.scope == scope and action.keys
    ]


def scope_of(focused: str | None) -> str:
    """The scope of the widget with this id: whose keys act while it has the focus."""
    scopes = {"query": "search", "transcript": "transcript", "find-text": "find"}
    scopes |= {"prune-rules": "prune", "prune-list": "prune"}
    return scopes.get(focused or "", "list")


def footer(scope: str, room: int) -> list[tuple[str, str]]:
    """(key, label) for the footer while something has the focus, as many as fit, the most useful
    ones first. Where letters are typed, only keys that are none."""
    everywhere = ("help",) if scope == "prune" else tuple(a.name for a in ACTIONS)
    wanted = [
        a
        for a in ACTIONS
        if a.rank is not None and (a.scope == scope or (a.scope == "app" and a.name in everywhere))
    ]
    kept: dict[str, str] = {}
    for action in sorted(wanted, key=lambda action: action.rank or 0):
        key = _key(action, scope in ("search", "find"))
        wide = len(key) + len(action.label) + 3
        if key and wide <= room:
            room -= wide
            kept[action.name] = key
    shown = sorted(wanted, key=lambda action: (_general(action), action.rank or 0))
    return [(kept[action.name], action.label) for action in shown if action.name in kept]


def _general(action: Action) -> bool:
    """What is to be found everywhere stands last."""
    return action.scope == "app" and action.name != "search"


def _key(action: Action, typing: bool) -> str:
    keys = action.shown.split()
    return next((key for key in keys if not typing or key in "↑↓" or len(key) > 1), "")
