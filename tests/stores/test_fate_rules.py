"""The rules of Hermes' clean-up on families of any shape, against a plain fixed point."""

from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from explorer.stores.fates import DAY
from explorer.stores.hermes.upkeep.rules import Plan, Release, Row, due

RELEASES = (
    Release(prunes=True, by_start=True, archives=False, ends=frozenset(), whole=False),
    Release(prunes=True, by_start=False, archives=True, ends=frozenset(), whole=False),
    Release(prunes=True, by_start=False, archives=True, ends=frozenset({"cli"}), whole=True),
)
"""As of schemas 22, 26 and 31."""


class Member(NamedTuple):
    """A session: the one it continues, by its place in the list, and what the rules ask."""

    parent: int | None
    start: int
    spoken: int
    active: int
    open: bool
    pinned: bool


@st.composite
def _families(draw: st.DrawFn) -> list[Member]:
    members = []
    for number in range(draw(st.integers(1, 7))):
        parent = draw(st.none() | st.integers(0, number - 1)) if number else None
        times = sorted(draw(st.lists(st.integers(0, 20), min_size=3, max_size=3)))
        flags = (draw(st.booleans()), draw(st.sampled_from([False] * 4 + [True])))
        members.append(Member(parent, times[0], times[1], times[2], *flags))
    return members


def _row(key: int, one: Member) -> Row:
    return Row(
        key=key,
        source="cli",
        started=one.start * DAY,
        spoken=one.spoken * DAY,
        active=one.active * DAY,
        open=one.open,
        ended=None if one.open else one.active * DAY,
        end_reason="" if one.open else "cli_close",
        pinned=one.pinned,
        archived=False,
    )


def _gone(family: list[Member], release: Release, now: float, retention: float) -> set[int]:
    """Who is deleted by one run at a moment."""

    def spared(key: int) -> bool:
        one = family[key]
        above = release.whole and one.parent is not None and spared(one.parent)
        return release.archives and (one.pinned or above)

    gone = set()
    for key, one in enumerate(family):
        since = one.start if release.by_start else one.active if release.whole else one.spoken
        if not one.open and not spared(key) and since * DAY < now - retention:
            gone.add(key)
    while release.whole:
        held = {one.parent for key, one in enumerate(family) if key not in gone} & gone
        if not held:
            break
        gone -= {key for key in held if key is not None}
    return gone


@given(_families(), st.sampled_from(RELEASES), st.integers(0, 5), st.integers(0, 30))
def test_the_sessions_due_are_those_of_one_run(
    family: list[Member], release: Release, retention: int, day: int
) -> None:
    now = (day + 0.5) * DAY
    continued: dict[int, list[int]] = {}
    for key, one in enumerate(family):
        if one.parent is not None:
            continued.setdefault(one.parent, []).append(key)
    plan = Plan(retention=retention * DAY)
    rows = [_row(key, one) for key, one in enumerate(family)]
    found = due(rows, continued, (), release, plan)
    taken = {key for key, time in found.deletes.items() if time < now}
    assert taken == _gone(family, release, now, retention * DAY)
    assert found.archives == {}
    assert all(family[key].open for key in found.ends)
