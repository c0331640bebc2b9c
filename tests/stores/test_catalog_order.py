"""The order of a long list is kept for the next one, and is the same as if it was not."""

from random import Random

from explorer.model import Kind
from explorer.stores.catalog import FEW, Catalog, Link, Mark


def _catalog(active: dict[int, float]) -> Catalog:
    sources = ["cron" if key % 7 == 0 else "cli" for key in active]
    return Catalog(list(active), list(active.values()), sources, {}, (), (), frozenset())


def _times(random: Random) -> dict[int, float]:
    keys = random.sample(range(10 * FEW), 3 * FEW)
    # Many at the same time: then the later row comes first.
    return {key: float(random.randrange(FEW)) for key in keys}


def test_what_was_listed_before_changes_no_order() -> None:
    random = Random(5)
    active = _times(random)
    catalog = _catalog(active)
    for share in (0.8, 0.9, 0.5, 1.0, 0.7, 0.01, 0.999):
        keys = random.sample(list(active), int(len(active) * share))
        right = sorted(keys, key=lambda key: (active[key], key), reverse=True)
        found = catalog.by_last_active(keys)
        assert found == right
        found.reverse()
        assert catalog.by_last_active(iter(keys)) == right


def test_a_new_message_moves_its_session_in_an_order_that_was_kept() -> None:
    active = _times(Random(6))
    catalog = _catalog(active)
    catalog.by_last_active(active)
    last = min(active, key=lambda key: (active[key], key))
    family = Catalog([last], [2.0 * FEW], ["cli"], {}, (), (), frozenset())
    renewed = catalog.renewed(family, Mark(1, 1))
    assert renewed.by_last_active(active)[0] == last
    assert catalog.by_last_active(active)[-1] == last


def test_classes_are_counted_alike_with_and_without_a_filter() -> None:
    active = _times(Random(7))
    some = sorted(active)
    links = {some[at + 1]: Link(Kind.CONTINUATION, some[at]) for at in range(0, 40, 2)}
    chains = [(some[at], some[at + 1]) for at in range(0, 40, 2)]
    sources = ["cron" if key % 7 == 0 else "cli" for key in active]
    catalog = Catalog(
        *(list(active), list(active.values()), sources, links, chains),
        archived=some[30:60],
        empty=frozenset(some[50:90]),
    )
    for shown in ((), {reason for reason in catalog.select()[1] if reason != "archived"}):
        listed, hidden = catalog.select(shown)
        assert (listed, hidden) == catalog.select(shown, lambda key: True)
        assert list(hidden) == list(catalog.select(shown, lambda key: True)[1])
