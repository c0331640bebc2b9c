"""A catalog that takes less memory says the same as any other."""

from random import Random

import pytest

from explorer.model import Hidden, Kind
from explorer.stores.catalog import Catalog, Link, Mark
from explorer.stores.numbered_catalog import PARTS, SAMPLED, NumberedCatalog, SubagentLinks

SESSIONS = 300


def _both() -> tuple[Catalog, Catalog]:
    random = Random(3)
    keys = random.sample(range(1, SESSIONS + 20), SESSIONS)
    active = [float(random.randrange(50)) for _ in keys]
    parents = {key: random.choice([*keys, None]) for key in keys[::7]}
    links = {key: Link(Kind.SUBAGENT, parent) for key, parent in parents.items()}
    made: list[Catalog] = []
    for kind, known in (
        (Catalog, links),
        (NumberedCatalog, SubagentLinks.of(parents.items(), SESSIONS + 20)),
    ):
        told = (keys, active, ["cli"] * SESSIONS, known, (), keys[::9], frozenset(keys[::11]))
        made.append(kind(*told))
    return made[0], made[1]


def _said(catalog: Catalog) -> list[object]:
    listed, hidden = catalog.select()
    more, less_hidden = catalog.select([Hidden.SUBAGENT])
    everybody = range(-2, SESSIONS + 40)
    return [
        list(catalog.by_last_active(listed)),
        # Once more: most of them are in order already.
        list(catalog.by_last_active(list(listed)[5:])),
        list(catalog.by_last_active(more)),
        list(more),
        hidden,
        less_hidden,
        [catalog.folded(key) for key in catalog.keys],
        catalog.children(Kind.SUBAGENT),
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
    links = {new[0]: Link(Kind.SUBAGENT, plain.keys[8]), new[1]: Link(Kind.SUBAGENT, None)}
    family = Catalog(new, [90.0, 91.0, 92.0], ["cli"] * 3, links, (), (), frozenset())
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


@pytest.mark.parametrize("reverse", [False, True])
def test_many_are_sorted_in_parts_as_they_are_at_once(reverse: bool) -> None:
    random = Random(4)
    keys = random.sample(range(1, 3 * SAMPLED * PARTS), 2 * SAMPLED * PARTS)
    catalog = NumberedCatalog(keys, [0.0] * len(keys), ["cli"] * len(keys), {}, (), (), frozenset())
    for by in (lambda key: key % 7, lambda key: key * 7919 % 10_007 / 3, lambda key: "x"):
        assert list(catalog.in_order(keys, by, reverse)) == sorted(keys, key=by, reverse=reverse)
