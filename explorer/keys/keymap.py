"""Which keys do what, with the user's own keys from `[keys]` in the settings.

The user's keys for an action replace all of its default ones. They are checked before the app
opens: each unknown action or key, letter where text is typed, and key with two meanings in one
place is reported with a remedy.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from explorer.errors import closest
from explorer.keys.actions import ACTIONS, BY_ID, SCOPES, TOGETHER, TYPING, KeyAction
from explorer.model import KeySetting, Trouble

DIALOGS = frozenset(SCOPES) - {"list", "transcript", "app", "scroll"}
NO_KEY = "no-key"
"""Stands for no key: Textual's keymaps have no name for that."""
_NAMED = {
    **{name: name for name in ("up", "down", "left", "right", "home", "end", "insert", "tab")},
    **{name: name for name in ("enter", "escape", "backspace", "delete", "space")},
    **{name: name for name in ("pageup", "pagedown")},
    **{f"f{number}": f"f{number}" for number in range(1, 25)},
    **{"esc": "escape", "del": "delete", "return": "enter", "pgup": "pageup", "pgdn": "pagedown"},
}
_MODIFIERS = ("ctrl", "alt", "shift")
_SAME_BYTES = {"ctrl+i": "tab", "ctrl+m": "enter", "ctrl+[": "escape"}
"""Keys that a terminal sends as another key."""
_SHOWN = {
    **{"up": "↑", "down": "↓", "left": "←", "right": "→", "pageup": "PgUp", "pagedown": "PgDn"},
    **{"home": "Home", "end": "End", "escape": "esc", "backspace": "⌫", "delete": "Del"},
}
"""How people write keys that Textual writes differently."""


class FooterKey(NamedTuple):
    """A key in the footer."""

    key: str
    label: str
    action: KeyAction


class Keymap:
    """The keys of all actions: the user's own, else the defaults."""

    def __init__(self, own: Mapping[str, tuple[str, ...]] | None = None) -> None:
        self.own = own or {}

    def keys(self, action: KeyAction) -> tuple[str, ...]:
        """Every key that calls an action."""
        return self.own.get(action.id, action.all_keys)

    def shown(self, action: KeyAction) -> str:
        """The keys of an action as people write them; empty where only the palette has it."""
        return " ".join(map(shown, self.own.get(action.id, action.main_keys)))

    def key(self, name: str, typing: bool = False) -> str:
        """The key of an action, by its id, for a sentence: the palette's where it has none, also
        where letters are typed and it has only those."""
        action = BY_ID[name]
        return self._first(action, typing) or self._first(BY_ID["palette"], typing)

    def footer(
        self, scope: str, room: int, labels: Mapping[str, str] | None = None
    ) -> list[FooterKey]:
        """The footer of a scope, as many keys as fit, the most useful ones first. Where letters are
        typed, only keys that are not letters. `labels` are other words for some actions, by their
        ids: an empty one leaves the action out."""
        everywhere = (
            ("help",)
            if scope in ("prune", "prune-list")
            else tuple(action.id for action in ACTIONS)
        )
        ranked = [
            (place, action, (labels or {}).get(action.id, action.label))
            for action in ACTIONS
            if (place := action.place(scope)) is not None
            and (scope in action.scopes or ("app" in action.scopes and action.id in everywhere))
        ]
        ranked.sort(key=lambda one: one[0])
        kept: list[FooterKey] = []
        for _, action, label in ranked:
            key = self._first(action, scope in TYPING)
            wide = len(key) + len(label) + 3
            if key and label and wide <= room:
                room -= wide
                kept.append(FooterKey(key, label, action))
        return sorted(kept, key=lambda one: _general(one.action))

    def hint(self, scope: str, labels: Mapping[str, str] | None = None) -> str:
        """The keys of a dialog in one line; `labels` are other words for some of its actions, by
        their ids: an empty one leaves the action out."""
        here = {scope, *TOGETHER.get(scope, ())} & DIALOGS
        ranked = sorted(
            (action for action in ACTIONS if here & set(action.scopes) and action.rank is not None),
            key=lambda action: action.rank or 0,
        )
        words = ((action, (labels or {}).get(action.id, action.label)) for action in ranked)
        typing = scope in TYPING
        keys = ((self._first(action, typing), label) for action, label in words)
        return " · ".join(f"{key} {label}" for key, label in keys if key and label)

    def _first(self, action: KeyAction, typing: bool) -> str:
        keys = self.keys(action)
        return next((shown(key) for key in keys if not (typing and _is_typed(key))), "")


DEFAULT = Keymap()


def shown(key: str) -> str:
    """A key as people write it."""
    *modifiers, name = key.split("+") if len(key) > 1 else [key]
    return "+".join([*modifiers, _SHOWN.get(name, name.upper() if _is_function(name) else name)])


def read_keymap(settings: tuple[KeySetting, ...]) -> tuple[Keymap, list[Trouble]]:
    """The keymap that settings ask for, and everything that is wrong with them."""
    if not settings:
        return DEFAULT, []
    own: dict[str, tuple[str, ...]] = {}
    trouble: list[Trouble] = []
    lines = {setting.action: setting.line for setting in settings}
    for name, value, line in settings:
        action = BY_ID.get(name)
        if action is None:
            trouble.append(Trouble(line, f"unknown action “{name}”{_closest(name, BY_ID)}"))
            continue
        try:
            own[name] = _checked(action, value)
        except ValueError as error:
            trouble.append(Trouble(line, f"{name}: {error}"))
    keymap = Keymap(own)
    trouble += _conflicts(keymap, lines)
    return keymap, sorted(trouble)


def _checked(action: KeyAction, value: object) -> tuple[str, ...]:
    """The keys of one setting, as Textual names them."""
    written = [value] if isinstance(value, str) else value
    if not isinstance(written, list) or not all(isinstance(key, str) for key in written):
        raise ValueError('must be a key or a list of keys, like "x" or ["x", "f5"]')
    keys = tuple(dict.fromkeys(map(parsed, written)))
    if not keys and action.id == "interrupt":
        raise ValueError("needs at least one key: it quits from everywhere")
    for key in keys:
        scope = next((scope for scope in action.scopes if scope in TYPING), "")
        if scope and _is_typed(key) and key not in action.all_keys:
            raise ValueError(
                f"“{shown(key)}” types text there; use a key with ctrl or alt, or a function key"
            )
    return keys


def parsed(text: str) -> str:
    """A key as Textual names it; a ValueError where there is no such key."""
    text = text.strip() or text
    if len(text) == 1 and text.isprintable():
        return "space" if text == " " else "comma" if text == "," else text
    *modifiers, name = re.split(r"\+(?=.)", text)
    modifiers = [modifier.lower() for modifier in modifiers]
    plain = len(name) == 1 and name.isprintable() and name != " "
    name = name if plain else _NAMED.get(name.lower(), "")
    if not name or any(modifier not in _MODIFIERS for modifier in modifiers):
        known = [*_NAMED, *(f"ctrl+{letter}" for letter in "abcdefghijklmnopqrstuvwxyz")]
        raise ValueError(f"“{text}” is not a key{_closest(text.lower(), known)}")
    if plain and modifiers == ["shift"]:
        return name.upper()
    ordered = [modifier for modifier in _MODIFIERS if modifier in modifiers]
    key = "+".join([*ordered, name.lower() if plain else name])
    if key in _SAME_BYTES:
        raise ValueError(f"a terminal sends “{key}” as {_SAME_BYTES[key]}; use another key")
    return key


def _conflicts(keymap: Keymap, lines: Mapping[str, int]) -> Iterator[Trouble]:
    """Keys with two meanings in one place, caused by the user's own keys."""
    said = set()
    for scope in SCOPES:
        here = (scope, *TOGETHER.get(scope, ()), "always")
        taken: dict[str, KeyAction] = {}
        for action in ACTIONS:
            if not set(here) & set(action.scopes):
                continue
            for key in keymap.keys(action):
                other = taken.setdefault(key, action)
                pair = frozenset((action.id, other.id))
                new = pair & keymap.own.keys() and not (
                    key in action.all_keys and key in other.all_keys
                )
                if other is not action and new and pair not in said:
                    said.add(pair)
                    yield Trouble(
                        max(lines.get(action.id, 0), lines.get(other.id, 0)),
                        f"“{shown(key)}” is the key of both {other.id} ({other.title}) and"
                        f" {action.id} ({action.title}) {_where(scope)}; change one of them",
                    )


def _where(scope: str) -> str:
    words = SCOPES[scope]
    return words[0].lower() + words[1:]


def _closest(text: str, known: Iterable[str]) -> str:
    found = closest(text, known, least=0.5)
    return f"; closest: {', '.join(found)}" if found else ""


def _general(action: KeyAction) -> bool:
    """Actions that work everywhere come last."""
    return "app" in action.scopes and action.id != "search"


def _is_typed(key: str) -> bool:
    """Whether a key types a character."""
    return key in ("space", "comma") or (len(key) == 1 and key.isprintable())


def _is_function(name: str) -> bool:
    return bool(re.fullmatch(r"f\d+", name))
