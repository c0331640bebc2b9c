"""When a chat resets, compared with the decisions of the real gateways."""

import json
import math
import time
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import mkdtemp
from typing import NamedTuple
from zoneinfo import ZoneInfo

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from explorer.stores.hermes.chats.reset_policy import RELEASE_19, UP_TO_17, Era, policy_of
from explorer.stores.hermes.chats.reset_rules import (
    ResetForecast,
    RouteClock,
    decision,
    forecast,
)
from explorer.stores.hermes.chats.reset_settings import (
    ResetSettings,
    WrittenPolicy,
    read_reset_settings,
)
from tests.stores.chats.real_gateway import RealGateway, running_gateway

ERAS = {"0.13.0": UP_TO_17, "0.17.0": UP_TO_17, "0.19.0": RELEASE_19}
ZONES = ("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "UTC")
MICRO = 1e-6
MILLI = 1e-3

Gateways = dict[str, RealGateway]


@pytest.fixture(scope="module")
def gateways(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateways]:
    with ExitStack() as stack:
        yield {
            version: stack.enter_context(
                running_gateway(version, tmp_path_factory.mktemp("real") / version)
            )
            for version in ERAS
        }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("homes")


class _Plain(yaml.SafeDumper):
    """Writes equal values out, with no alias."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def _home(folder: Path, config: object, gateway: object) -> Path:
    """A new home with these settings; None for a file that is not there."""
    home = Path(mkdtemp(dir=folder))
    if config is not None:
        (home / "config.yaml").write_text(yaml.dump(config, Dumper=_Plain), encoding="utf-8")
    if gateway is not None:
        (home / "gateway.json").write_text(json.dumps(gateway), encoding="utf-8")
    return home


_MODES = st.sampled_from(["idle", "daily", "both"] * 4 + ["none", "weekly", "Idle", False, 5])
_HOURS = st.integers(0, 23) | st.sampled_from([0, 2, 3, 23, 24, -1, "4", 4.5, 4.0, True, math.nan])
_MINUTES = st.integers(1, 3000) | st.sampled_from(
    [60, 90, 1440, 0, -5, 0.5, "60", True, math.nan, math.inf, 10**9, 10**12, 10**30]
)
_ODD = st.sampled_from([None, [], {}, "idle", 5, ["idle"], {"notify_exclude_platforms": 5}])


@st.composite
def _policies(draw: st.DrawFn) -> object:
    if draw(st.integers(0, 9)) == 0:
        return draw(_ODD)
    plain = {"mode": _MODES, "at_hour": _HOURS, "idle_minutes": _MINUTES}
    found: dict[str, object] = {}
    for name, values in plain.items():
        how = draw(st.integers(0, 9))
        if how == 0:
            found[name] = draw(st.sampled_from([None, ["idle"], {"a": 1}]))
        elif how > 2:
            found[name] = draw(values)
    return found


@st.composite
def _files(draw: st.DrawFn) -> tuple[object, object]:
    config: dict[str, object] = {"model": "x"}
    if draw(st.booleans()):
        config["session_reset"] = draw(_policies())
    if draw(st.integers(0, 3)) == 0:
        config["gateway"] = draw(
            st.just({}) | st.just("x") | _policies().map(lambda one: {"session_reset": one})
        )
    gateway: dict[str, object] = {}
    if draw(st.integers(0, 3)) == 0:
        gateway["default_reset_policy"] = draw(_policies())
    for name, keys in (
        ("reset_by_type", ["dm", "group", "DM"]),
        ("reset_by_platform", ["telegram", " Telegram", "discord", "nowhere"]),
    ):
        if draw(st.integers(0, 2)) == 0:
            gateway[name] = draw(
                st.dictionaries(st.sampled_from(keys), _policies(), max_size=2)
                | st.sampled_from([None, [], "x"])
            )
    there = draw(st.sampled_from([(True, True)] * 6 + [(True, False), (False, True)]))
    return config if there[0] else None, gateway if there[1] else None


_DAYS = st.sampled_from(
    [
        *(datetime(2026, 3, 28), datetime(2026, 3, 29), datetime(2026, 10, 24)),  # Berlin
        *(datetime(2026, 10, 25), datetime(2026, 3, 7), datetime(2026, 3, 8)),  # New York
        *(datetime(2026, 10, 31), datetime(2026, 11, 1)),
        *(datetime(2026, 4, 4), datetime(2026, 4, 5)),  # Lord Howe: half an hour
        *(datetime(2026, 10, 3), datetime(2026, 10, 4)),
        *(datetime(2026, 12, 31), datetime(2028, 2, 28), datetime(2027, 2, 28)),
    ]
)
_CLOCKS = st.builds(
    timedelta,
    hours=st.integers(0, 23),
    minutes=st.sampled_from([0, 0, 10, 30, 59]),
    seconds=st.sampled_from([0, 0, 1, 59]),
    microseconds=st.sampled_from([0, 0, 1, 999_999]),
)
_TIMES = st.builds(lambda day, clock: day + clock, _DAYS, _CLOCKS)


class Asked(NamedTuple):
    """A route, the zone of its gateway, and the setting that is passed on by its environment."""

    route: RouteClock
    zone: str
    entry: dict[str, object]


@st.composite
def _routes(draw: st.DrawFn) -> Asked:
    updated = draw(_TIMES)
    suspended = draw(st.integers(0, 19)) == 0
    pending = draw(st.integers(0, 3)) == 0
    marked = draw(st.none() | st.integers(0, 400).map(lambda n: updated - timedelta(minutes=n)))
    route = RouteClock(
        draw(st.sampled_from(["telegram", "telegram", "discord", "slack"])),
        draw(st.sampled_from(["dm", "group", "thread"])),
        updated,
        suspended,
        pending,
        marked,
    )
    entry = {
        "updated_at": updated.isoformat(),
        "suspended": suspended,
        "resume_pending": pending,
        "last_resume_marked_at": None if marked is None else marked.isoformat(),
    }
    return Asked(route, draw(st.sampled_from(ZONES)), entry)


def _moments(found: ResetForecast, updated: datetime, zone: ZoneInfo) -> list[float]:
    """When to ask: every 50 minutes for more than two days, and around what was forecast."""
    start = updated.replace(tzinfo=zone).timestamp()
    moments = {start + step * 3000 for step in range(-2, 70)}
    moments |= {start, start + MICRO, start + 3600, start + 3600 + MICRO}
    if found.at is not None:
        steps = (-7200, -3600, -1, -MILLI, 0, MICRO, MILLI, 1, 1800, 3600, 7200, 86_400)
        moments |= {found.at + step for step in steps}
    return sorted(moments)


def _shown(moment: float, zone: ZoneInfo) -> datetime:
    return datetime.fromtimestamp(moment, zone).replace(tzinfo=None, fold=0)


_AT_MIDNIGHT = Asked(
    RouteClock("telegram", "dm", datetime(2026, 3, 28), resume_pending=True),
    "Europe/Berlin",
    {"updated_at": "2026-03-28T00:00:00", "resume_pending": True},
)


@settings(max_examples=80, deadline=None)
@given(_files(), st.lists(_routes(), min_size=2, max_size=6))
@example(({"model": "x"}, {"reset_by_platform": {"nowhere": None}}), [_AT_MIDNIGHT])
def test_every_decision_is_that_of_the_real_gateway(
    gateways: Gateways, folder: Path, files: tuple[object, object], routes: list[Asked]
) -> None:
    home = _home(folder, *files)
    written = read_reset_settings(home)
    for version, era in ERAS.items():
        for asked in routes:
            _compare(gateways[version], home, written, asked, era)


def _compare(
    gateway: RealGateway, home: Path, written: ResetSettings, asked: Asked, era: Era
) -> None:
    route, zone = asked.route, ZoneInfo(asked.zone)
    assert isinstance(route.updated_at, datetime)
    found = forecast(route, written, era, zone)
    moments = _moments(found, route.updated_at, zone)
    real = gateway.reasons(
        home, route.platform, route.chat_type, moments, zone=asked.zone, entry=asked.entry
    )
    ours = [decision(route, written, era, _shown(moment, zone), zone) for moment in moments]
    if route.suspended:
        # A gateway that does not start with its settings may still be running.
        assert found.reason == "suspended"
        assert set(real) == {"suspended"} or all(one.startswith("!") for one in real)
    elif ours[0] is None:
        assert found.mode == "unknown"
        assert found.unknown
        _assert_it_fails(gateway, home, asked, moments)
    else:
        assert ours == real
        _assert_first(found, dict(zip(moments, real, strict=True)))


def _assert_it_fails(gateway: RealGateway, home: Path, asked: Asked, moments: list[float]) -> None:
    """Nothing is claimed only where the real gateway fails, now or when its next turn is done; or
    would, if it had all platforms that its settings name: which plugins it has is not known."""
    entry = {**asked.entry, "resume_pending": False}
    for place in (home, _with_all_platforms(home)):
        real = gateway.reasons(
            place,
            asked.route.platform,
            asked.route.chat_type,
            moments,
            zone=asked.zone,
            entry=entry,
        )
        if any(one.startswith("!") for one in real):
            return
    pytest.fail(f"the gateway understands what we do not: {real}")


def _with_all_platforms(home: Path) -> Path:
    """A copy of these settings for a platform that every gateway has, and no question is about."""
    other = Path(mkdtemp(dir=home.parent))
    for file in filter(Path.is_file, home.iterdir()):
        text = file.read_text(encoding="utf-8")
        (other / file.name).write_text(text.replace('"nowhere"', '"matrix"'), encoding="utf-8")
    return other


def _assert_first(found: ResetForecast, real: dict[float, str]) -> None:
    """The forecast is the first moment at which the real gateway starts a new session."""
    if found.at is None:
        assert set(real.values()) == {""}
    else:
        # Another reason may come first within the same millisecond.
        assert found.reason in (real[found.at + MICRO], real[found.at + MILLI])
        assert not any(one for moment, one in real.items() if moment < found.at)


_ROUTE = RouteClock("telegram", "dm", datetime(2026, 5, 5, 12))
_ENTRY = {"updated_at": "2026-05-05T12:00:00"}


@pytest.mark.parametrize("version", ERAS)
def test_of_two_reasons_at_the_same_moment_the_one_is_told_that_the_gateway_gives(
    gateways: Gateways, tmp_path: Path, version: str
) -> None:
    home = _home(tmp_path, None, None)
    route = _ROUTE._replace(updated_at=datetime(2026, 5, 5, 4))
    asked = Asked(route, "Europe/Berlin", {"updated_at": "2026-05-05T04:00:00"})
    _compare(gateways[version], home, read_reset_settings(home), asked, ERAS[version])


@pytest.mark.parametrize("version", ERAS)
@pytest.mark.parametrize(
    ("config", "gateway"),
    [
        (None, None),
        ({}, {}),
        ({"session_reset": {}}, None),
        ({"session_reset": None}, {"default_reset_policy": {"mode": "idle"}}),
        ({"session_reset": {"at_hour": 7}}, {"default_reset_policy": {"mode": "daily"}}),
        ({"session_reset": {"mode": "daily", "at_hour": 99}}, None),
        ({"session_reset": {"mode": "idle", "idle_minutes": -1}}, None),
        ({"session_reset": {"mode": "both", "idle_minutes": None}}, None),
        ({"gateway": {"session_reset": {"mode": "idle", "idle_minutes": 5}}}, None),
        ({"session_reset": [], "gateway": {"session_reset": {"mode": "idle"}}}, None),
        (None, {"default_reset_policy": {"mode": "both", "at_hour": 24, "idle_minutes": 0}}),
        (None, {"reset_by_type": {"dm": {"mode": "idle"}, "group": {"mode": "daily"}}}),
        ({"session_reset": {"mode": "none"}}, {"reset_by_platform": {"Telegram": {}}}),
        (
            {"session_reset": {"mode": "none"}},
            {
                "reset_by_platform": {"telegram": {"mode": "daily", "at_hour": 1}},
                "reset_by_type": {"dm": {"mode": "idle"}},
            },
        ),
    ],
)
def test_the_policy_is_the_one_that_the_real_loader_gives(
    gateways: Gateways, tmp_path: Path, version: str, config: object, gateway: object
) -> None:
    home = _home(tmp_path, config, gateway)
    for platform, chat_type in (("telegram", "dm"), ("slack", "dm"), ("slack", "thread")):
        mode, hour, minutes = gateways[version].ask(home, platform, chat_type)["policy"]
        found = policy_of(platform, chat_type, read_reset_settings(home), ERAS[version])
        assert found.mode == mode
        assert found.at_hour == (hour if mode in ("daily", "both") else None)
        idle = timedelta(minutes=minutes) if mode in ("idle", "both") else None
        assert found.idle == idle


@pytest.mark.parametrize("version", ERAS)
@pytest.mark.parametrize(
    "days", ["missing", 90, 0, -3, 1, 30.9, "14", "two weeks", None, [], True, math.nan, 10**12]
)
def test_a_route_is_dropped_when_the_real_gateway_drops_it(
    gateways: Gateways, tmp_path: Path, version: str, days: object
) -> None:
    home = _home(tmp_path, None, {} if days == "missing" else {"session_store_max_age_days": days})
    zone = ZoneInfo("Europe/Berlin")
    at = forecast(_ROUTE, read_reset_settings(home), ERAS[version], zone).route_dropped_at
    age = gateways[version].ask(home, "telegram", "dm")["max_age_days"]
    start = datetime(2026, 5, 5, 12, tzinfo=zone).timestamp()
    near = [] if at is None else [at - 1, at + 1]
    moments = [start, start + 86_400, start + 5e9, *near]
    asked = {"zone": "Europe/Berlin", "entry": _ENTRY, "prune": age}
    real = gateways[version].reasons(home, "telegram", "dm", moments, **asked)
    for moment, said in zip(moments, real, strict=True):
        assert (said == "dropped") == (at is not None and moment > at)


@pytest.mark.parametrize("freshness", [None, 60, 0, -5, 1.5, "90", "soon", True, math.nan, 1e300])
@pytest.mark.parametrize("mode", ["none", "idle", "weekly"])
def test_an_interrupted_session_expires_when_that_of_the_real_gateway_does(
    gateways: Gateways, tmp_path: Path, freshness: object, mode: str
) -> None:
    config = {
        "session_reset": {"mode": mode},
        "agent": {"gateway_auto_continue_freshness": freshness},
    }
    home = _home(tmp_path, config, None)
    route = _ROUTE._replace(resume_pending=True)
    start = datetime(2026, 5, 5, 12, tzinfo=ZoneInfo("UTC")).timestamp()
    moments = [start + step for step in (0, 1, 1.6, 60, 61, 91, 3600, 3601, 90_000)]
    real = gateways["0.19.0"].reasons(
        *(home, "telegram", "dm", moments),
        entry={**_ENTRY, "resume_pending": True},
        freshness=str(freshness),
    )
    written = read_reset_settings(home)
    zone = ZoneInfo("UTC")
    ours = [decision(route, written, RELEASE_19, _shown(moment, zone), zone) for moment in moments]
    assert ours == real


@pytest.mark.parametrize("name", ZONES)
def test_the_local_zone_is_the_zone_of_the_process(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    written = ResetSettings(WrittenPolicy("both", 2, 90))
    days = [datetime(2026, month, day) for month in (3, 4, 10, 11) for day in range(1, 31)]
    times = [day + timedelta(minutes=minutes) for day in days for minutes in range(0, 300, 15)]
    try:
        with monkeypatch.context() as patched:
            patched.setenv("TZ", name)
            time.tzset()
            for updated in times:
                route = _ROUTE._replace(updated_at=updated)
                local = forecast(route, written, RELEASE_19)
                assert local == forecast(route, written, RELEASE_19, ZoneInfo(name))
    finally:
        time.tzset()
