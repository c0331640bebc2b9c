"""The table of actions as Textual's bindings, and the keys of the user that is at the app."""

from collections.abc import Collection

from textual.app import App
from textual.binding import Binding, BindingType
from textual.screen import Screen

from explorer.keys.actions import ACTIONS, BY_ID, KeyAction
from explorer.keys.keymap import DEFAULT, NO_KEY, Keymap

AT_ONCE = ("search", "find", "block-find", "interrupt")
"""Actions that come before anything else: what is typed right behind them must find the bar, not
the list or the text, where a letter may be a key that leaves. Control+c comes before a field, which
would copy with it, and before a dialog."""
_SCOPES = {
    **{"query": "search", "transcript": "transcript", "find-text": "find"},
    **{"prune-rules": "prune", "prune-list": "prune-list"},
}


def bindings(scope: str, only: Collection[str] = ()) -> list[BindingType]:
    """The key bindings of a widget or a screen, or `only` some of them, by their ids. They have the
    default keys; Textual replaces them by the user's, by their ids."""
    return [
        Binding(key, action.call, show=False, priority=_first(action, key), id=action.id)
        for action in ACTIONS
        if scope in action.scopes and (not only or action.id in only)
        for key in action.all_keys
    ]


def _first(action: KeyAction, key: str) -> bool:
    # A slash can be typed into the find bar of a block.
    return action.id in AT_ONCE and (action.id, key) != ("block-find", "/")


def bound_action(screen: Screen[object], key: str) -> KeyAction | None:
    """The action that a key calls on a screen, unless it comes before everything else."""
    for _, map_ in screen._modal_binding_chain:
        for binding in map_.key_to_bindings.get(key, ()):
            if binding.id in BY_ID and not binding.priority:
                return BY_ID[binding.id]
    return None


def keymap_of(app: App[object]) -> Keymap:
    """The keys of an app."""
    found = getattr(app, "user_keys", None)
    return found if isinstance(found, Keymap) else DEFAULT


def textual_keymap(keymap: Keymap) -> dict[str, str]:
    """The user's own keys, as Textual wants them."""
    return {action: ",".join(keys) or NO_KEY for action, keys in keymap.own.items()}


def scope_of(focused: str | None) -> str:
    """The scope of the widget with this id: whose keys act while it has the focus."""
    return _SCOPES.get(focused or "", "list")
