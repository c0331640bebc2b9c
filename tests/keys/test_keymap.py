"""The user's own keys: what replaces what, and what is refused with which reason."""

import pytest

from explorer.keys.actions import ACTIONS, SCOPES, KeyAction
from explorer.keys.keymap import DEFAULT, Keymap, parsed, read_keymap, shown
from explorer.model import KeySetting


def action(name: str) -> KeyAction:
    return next(one for one in ACTIONS if one.id == name)


def wrong(*settings: tuple[str, object]) -> list[str]:
    _, trouble = read_keymap(tuple(KeySetting(*one, line=at) for at, one in enumerate(settings, 1)))
    return [one.words for one in trouble]


def test_every_action_has_an_id_of_its_own_and_a_place() -> None:
    ids = [one.id for one in ACTIONS]
    assert len(set(ids)) == len(ids)
    assert {scope for one in ACTIONS for scope in one.scopes} == set(SCOPES)


def test_the_default_keys_mean_one_thing_in_each_place() -> None:
    for scope in SCOPES:
        keys = [key for one in ACTIONS if scope in one.scopes for key in one.all_keys]
        assert sorted(set(keys)) == sorted(keys), scope


def test_own_keys_replace_all_default_ones_and_an_empty_list_removes_them() -> None:
    keymap, trouble = read_keymap((KeySetting("rename", ["x", "f5"]), KeySetting("prune", [])))
    assert trouble == []
    assert keymap.keys(action("rename")) == ("x", "f5")
    assert keymap.shown(action("rename")) == "x F5"
    assert keymap.keys(action("prune")) == ()
    assert keymap.keys(action("delete")) == DEFAULT.keys(action("delete"))


def test_the_footer_shows_own_keys_and_leaves_out_what_has_none() -> None:
    keymap = Keymap({"rename": ("x",), "prune": ()})
    shown_keys = dict((label, key) for key, label, _ in keymap.footer("list", 400))
    assert shown_keys["Rename"] == "x"
    assert "Prune" not in shown_keys
    assert dict((label, key) for key, label, _ in DEFAULT.footer("list", 400))["Rename"] == "t"


def test_two_actions_may_swap_their_keys() -> None:
    assert wrong(("rename", "d"), ("delete", "t")) == []


def test_a_key_with_two_meanings_names_both_actions() -> None:
    (said,) = wrong(("rename", "d"))
    assert said.startswith("“d” is the key of both rename (Rename session) and delete (Delete …)")
    (said,) = wrong(("expand", "q"))
    assert "expand" in said
    assert "quit (Quit)" in said


@pytest.mark.parametrize(
    ("setting", "reason"),
    [
        (("renam", "x"), "unknown action “renam”; closest: rename"),
        (("undo", "ctlr+z"), "“ctlr+z” is not a key; closest: ctrl+z"),
        (("undo", ""), "“” is not a key"),
        (("undo", 5), "must be a key or a list of keys"),
        (("undo", ["x", 5]), "must be a key or a list of keys"),
        (("undo", "ctrl+i"), "a terminal sends “ctrl+i” as tab"),
        (("search-clear", "x"), "“x” types text there"),
        (("interrupt", []), "needs at least one key"),
    ],
)
def test_wrong_settings_are_refused_with_a_reason(setting: tuple[str, object], reason: str) -> None:
    (said,) = wrong(setting)
    assert reason in said


@pytest.mark.parametrize(
    ("written", "key"),
    [
        *[("x", "x"), ("G", "G"), ("shift+g", "G"), ("Ctrl+X", "ctrl+x")],
        ("shift+ctrl+left", "ctrl+shift+left"),
        *[("esc", "escape"), ("PgUp", "pageup"), ("F5", "f5"), (",", "comma"), (" ", "space")],
        *[("+", "+"), ("ctrl++", "ctrl++"), ("alt+.", "alt+."), ("?", "?")],
    ],
)
def test_keys_are_read_as_people_write_them(written: str, key: str) -> None:
    assert parsed(written) == key


def test_keys_are_shown_as_people_write_them() -> None:
    assert [shown(key) for key in ("escape", "f2", "shift+up", "+", "ctrl+a")] == [
        *("esc", "F2", "shift+↑", "+", "ctrl+a")
    ]
