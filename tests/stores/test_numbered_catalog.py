"""A catalog that takes less memory says the same as any other."""

from random import Random

import pytest

from explorer.model import Hidden, Kind
from explorer.stores.catalog import Catalog, Link, Mark
from explorer.stores.numbered_catalog import NumberedCatalog

SESSIONS = 300


def _both() -> tuple[Catalog, Catalog]:
    random = Random(3)
    keys = random.sample(range(1, SESSIONS + 20), SESSIONS)
    active = [float(random.randrange(50)) for _ in keys]
    links = {key: Link(Kind.SUBAGENT, random.choice(keys)) for key in keys[::7]}
    told = (keys, active, ["cli"] * SESSIONS, links, (), keys[::9], frozenset(keys[::11]))
    return Catalog(*told), NumberedCatalog(*told)


def _said(catalog: Catalog) -> list[object]:
    listed, hidden = catalog.select()
    everybody = range(-2, SESSIONS + 40)
    return [
        catalog.by_last_active(listed),
        hidden,
        catalog.select([Hidden.SUBAGENT]),
        list(catalog.rows()),
        [key for key in everybody if catalog.has(key)],
        [(catalog.hidden_as(key), catalog.last_active(key)) for key in catalog.keys],
    ]


def test_it_says_the_same() -> None:
    plain, numbered = _both()
    assert _said(numbered) == _said(plain)
    numbered.drop_positions()
    assert _said(numbered) == _said(plain)


def test_it_is_renewed_alike_and_stays_as_it_was() -> None:
    plain, numbered = _both()
    before = _said(plain)
    new = [SESSIONS + 30, SESSIONS + 25, plain.keys[5]]
    family = Catalog(new, [90.0, 91.0, 92.0], ["cli"] * 3, {}, (), (), frozenset())
    renewed = numbered.renewed(family, Mark(1, 1))
    assert _said(renewed) == _said(plain.renewed(family, Mark(1, 1)))
    assert _said(numbered) == before


def test_it_is_joined_alike_with_others() -> None:
    plain, numbered = _both()
    doubled = [Catalog.joined([(one, lambda keys: [-key for key in keys])]) for one in _both()]
    assert _said(doubled[0]) == _said(doubled[1])
    assert len(plain) == len(numbered) == len(doubled[1])


@pytest.mark.parametrize("gone", [0, -1, SESSIONS + 100])
def test_who_is_not_there_is_missed(gone: int) -> None:
    _, numbered = _both()
    with pytest.raises(KeyError):
        numbered.last_active(gone)
