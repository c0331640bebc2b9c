"""Hermes' own config.yaml: what it says of the clean-up, whatever else it holds."""

import os
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from explorer.stores.fates import Setting, SettingState
from explorer.stores.hermes.settings_file import LARGEST
from explorer.stores.hermes.upkeep.settings import AMOUNTS, FLAGS, Settings, read_settings

NOT_UNDERSTOOD = Setting(SettingState.NOT_UNDERSTOOD)
EVERY = (*FLAGS, *AMOUNTS)


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return tmp_path / "config.yaml"


def _read(config: Path, text: str | bytes) -> Settings:
    config.unlink(missing_ok=True)
    config.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_settings(config)


def _values(settings: Settings) -> dict[str, Setting]:
    return {name: one for name, one in settings.values.items() if one != Setting()}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("sessions:\n  auto_prune: true\n  retention_days: 30\n", (True, 30)),
        ("model: x\nsessions: {auto_prune: off, retention_days: 0}\nlist: [1, {a: b}]", (False, 0)),
        ("sessions:\n  'auto_prune': yes\n  retention_days: 0x1E # thirty", (True, 30)),
        ("sessions: {auto_prune: &x true, retention_days: 30.9}", (True, 30)),
        ("sessions: {auto_prune: !!bool 'true', retention_days: !!int '30'}", (True, 30)),
        ("sessions: {auto_prune: no}\nsessions: {auto_prune: yes, retention_days: 3}", (True, 3)),
        ("<<: {sessions: {}}\nsessions: {auto_prune: yes, retention_days: 5}", (True, 5)),
        ("\ufeffsessions: {auto_prune: on, retention_days: 7}", (True, 7)),
    ],
)
def test_values_are_taken_as_hermes_takes_them(
    config: Path, text: str, wanted: tuple[bool, int]
) -> None:
    settings = _read(config, text)
    assert settings.trouble == ""
    assert settings.flag("auto_prune", None) is wanted[0]
    assert settings.amount("retention_days", 90) == wanted[1]
    assert _values(settings).keys() == {"auto_prune", "retention_days"}


@pytest.mark.parametrize(
    "value",
    [
        *("'true'", "1", "0", "maybe", "null", "~", "", "[true]", "{a: true}", "*x"),
        *("${PRUNE}", "!!str true", "1.0", "2026-01-01"),
    ],
)
def test_a_flag_that_is_no_plain_yes_or_no_is_not_understood(config: Path, value: str) -> None:
    settings = _read(config, f"x: &x true\nsessions:\n  auto_prune: {value}\n")
    assert settings.values["auto_prune"] == NOT_UNDERSTOOD
    assert settings.flag("auto_prune", True) is None
    assert settings.trouble == ""


@pytest.mark.parametrize(
    "value",
    [
        *("-1", "'90'", "true", ".inf", "-.inf", ".nan", "1e300", "10000001", "ninety", "null"),
        *("9" * 90, "9" * 5000, "[90]", "90 days", "0x", "-0.5"),
    ],
)
@pytest.mark.parametrize("name", AMOUNTS)
def test_an_amount_that_is_no_sane_number_is_not_understood(
    config: Path, name: str, value: str
) -> None:
    settings = _read(config, f"sessions:\n  {name}: {value}\n")
    assert settings.values[name] == NOT_UNDERSTOOD
    assert settings.amount(name, 90) is None


@pytest.mark.parametrize(
    "text",
    [
        "sessions:\n",
        "sessions: true",
        "sessions: [auto_prune]",
        "d: &d {auto_prune: true}\nsessions: *d",
        "d: &d {auto_prune: true}\nsessions:\n  retention_days: 3\n  <<: *d",
        "d: &d {sessions: {auto_prune: true}}\n<<: *d",
    ],
)
def test_where_the_section_is_elsewhere_nothing_is_understood(config: Path, text: str) -> None:
    settings = _read(config, text)
    assert settings.trouble == ""
    assert _values(settings) == dict.fromkeys(EVERY, NOT_UNDERSTOOD)


@pytest.mark.parametrize("text", ["", "# sessions: {auto_prune: true}\n", "model: x", "a:\n  b: 1"])
def test_a_missing_setting_is_not_set(config: Path, text: str) -> None:
    settings = _read(config, text)
    assert settings == Settings(dict.fromkeys(EVERY, Setting()))
    assert settings.flag("auto_prune", True) is True
    assert settings.amount("retention_days", 90) == 90


def test_only_the_section_at_the_top_counts(config: Path) -> None:
    text = (
        "a: {sessions: {auto_prune: true}}\nb: [sessions, {auto_prune: true}]\nc: {auto_prune: 1}"
    )
    assert _values(_read(config, text)) == {}
    nested = "sessions:\n  more: {auto_prune: true}\n  retention_days: 4\n"
    assert _values(_read(config, nested)) == {"retention_days": Setting(SettingState.SET, 4)}


def test_a_missing_file_leaves_the_defaults(config: Path) -> None:
    assert read_settings(config) == Settings(dict.fromkeys(EVERY, Setting()), there=False)
    config.symlink_to(config.with_name("nowhere"))
    assert not read_settings(config).there


BOMB = "\n".join(
    ["a0: &a0 [x]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 60))]
)
MERGES = "\n".join(
    ["a0: &a0 {x: 1}", *(f"a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}]}}" for n in range(1, 60))]
)


@pytest.mark.parametrize("bomb", [BOMB, MERGES], ids=["aliases", "merges"])
def test_aliases_are_never_followed(config: Path, bomb: str) -> None:
    settings = _read(config, f"{bomb}\nsessions: {{auto_prune: true}}\n")
    assert settings.flag("auto_prune", None) is True


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("sessions:\n\tauto_prune: true\n", "line 2: "),
        ("sessions: {auto_prune: true", "line "),
        ("a: 'unended", "line "),
        ("- auto_prune\n", "does not hold settings"),
        ("auto_prune", "does not hold settings"),
        ("a: 1\n---\nb: 2\n", "several documents"),
        ("a: *gone\nsessions: {auto_prune: true}", "line 1: an alias"),
        ("a: !!python/object/apply:os.system [ls]\n", "line 1: a tag"),
        ("a: !include other.yaml\n", "line 1: a tag"),
        ("? {a: 1}\n: 2\nsessions: {auto_prune: true}", "line 1: a key"),
        (b"\xff\xfes\x00", "not UTF-8"),
        (b"a: \x00", "not YAML"),
        (b"a: \x1b[31m", "not YAML"),
        ("a: " + "[" * 5000, "nested too deeply"),
        ("a: [" + "1," * 60_000 + "1]", "too many values"),
        (b"#" * (LARGEST + 1), "larger than 1 MB"),
    ],
)
def test_settings_that_hermes_cannot_read_are_reported_and_not_used(
    config: Path, text: str | bytes, why: str
) -> None:
    settings = _read(config, text)
    assert why in settings.trouble
    assert settings.values == {}


def test_neither_a_pipe_nor_a_folder_nor_a_device_is_waited_for(config: Path) -> None:
    os.mkfifo(config)
    assert read_settings(config).trouble == "it is not a regular file"
    config.unlink()
    config.mkdir()
    assert read_settings(config).trouble == "it is not a regular file"
    config.rmdir()
    config.symlink_to("/dev/zero")
    assert read_settings(config).trouble == "it is not a regular file"


def test_a_file_that_cannot_be_opened_is_said(config: Path) -> None:
    config.symlink_to(config)
    assert "symbolic links" in read_settings(config).trouble


def test_a_change_is_seen(config: Path) -> None:
    assert _read(config, "sessions: {auto_prune: true}").flag("auto_prune", None) is True
    assert _read(config, "sessions: {auto_prune: false}").flag("auto_prune", None) is False
    config.unlink()
    assert not read_settings(config).there


@given(st.text(max_size=300) | st.binary(max_size=300))
def test_no_text_raises(tmp_path_factory: pytest.TempPathFactory, text: str | bytes) -> None:
    config = tmp_path_factory.getbasetemp() / "any.yaml"
    raw = text.encode(errors="replace") if isinstance(text, str) else text
    settings = _read(config, b"sessions:\n  auto_prune: " + raw)
    assert settings.trouble or set(settings.values) == set(EVERY)


_SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10)
_VALUES = _SCALARS | st.lists(_SCALARS, max_size=3)


@given(st.dictionaries(st.sampled_from((*EVERY, "other")), _VALUES), st.booleans())
def test_what_yaml_writes_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, values: dict[str, object], flow: bool
) -> None:
    config = tmp_path_factory.getbasetemp() / "written.yaml"
    dumped = yaml.safe_dump(
        {"a": 1, "sessions": values, "z": ["auto_prune"]}, default_flow_style=flow
    )
    settings = _read(config, dumped)
    loaded = yaml.safe_load(dumped)["sessions"]
    for name in FLAGS:
        plain = loaded[name] if isinstance(loaded.get(name), bool) else None
        assert settings.flag(name, None) is plain
    for name in AMOUNTS:
        taken = settings.values[name].value
        assert taken is None or (0 <= taken <= loaded[name] and loaded[name] - taken < 1)
