"""What every kind of store promises to whoever reads."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from explorer.errors import NoSuchSession, Problem, StoreError
from explorer.model import Kind, MessageState, Session, Sort, State
from explorer.search.hits import CompleteSearch
from explorer.stores.catalog import Unit
from explorer.stores.columns import BYTES, ID, MESSAGES, MODEL, SOURCE, STARTED, TITLE, TOOLS
from explorer.stores.kinds import open_store
from explorer.stores.resolve import read_session, resolve, resolve_for_edit
from explorer.stores.sort_order import ordered, values_of
from tests.contract import notebook
from tests.contract.cases import LATER, Case, everybody
from tests.search.noted import searched
from tests.search.plain_scan import scan

NOBODY = 987_654_321
"""A key and a number that no file has."""
WORDS = ("release", "RELEASE", "it's", "大", "検索", "größte", "café", "zzyzx")
SORTED: dict[Sort, Callable[[Session], Any]] = {
    Sort.ACTIVE: lambda one: -(one.last_active or 0.0),
    Sort.STARTED: lambda one: -(one.started_at or 0.0),
    Sort.MESSAGES: lambda one: -one.message_count,
    Sort.COST: lambda one: -(one.cost_usd or 0.0),
    Sort.TITLE: lambda one: (not one.title, (one.title or "").casefold()),
    Sort.TOKENS: lambda one: -((one.input_tokens or 0) + (one.output_tokens or 0)),
    Sort.SOURCE: lambda one: one.source,
    Sort.EXPIRING: lambda one: 0,  # no row tells it
    Sort.PROFILE: lambda one: one.place.casefold(),
}


def test_every_row_of_the_file_is_listed_or_counted(case: Case) -> None:
    store = case.store()
    catalog, stored = store.catalog(), case.stored()
    assert len(catalog) == len(stored)
    assert sorted(one.id for one in everybody(store)) == sorted(stored)
    listed, hidden = catalog.select()
    assert len(listed) + sum(hidden.values()) == len(catalog)
    assert len(set(listed)) == len(listed)


def test_info_counts_what_is_there(case: Case) -> None:
    info, stored = case.store().info(), case.stored()
    assert info.kind == case.store().kind
    assert (info.sessions, info.orphans) == (len(stored), 0)
    assert info.messages == sum(map(len, stored.values()))
    assert info.bytes == case.size()


def test_a_session_was_active_when_its_newest_message_was_written(case: Case) -> None:
    store, newest = case.store(), case.newest()
    catalog = store.catalog()
    for one in everybody(store):
        assert one.last_active == catalog.last_active(one.key)
        # An agent may note what it did after that.
        assert (one.last_active or 0.0) >= newest.get(one.id, 0.0)
        assert (one.key in catalog.empty) == (one.id not in newest)
        assert one.state is not State.RUNNING


@pytest.mark.parametrize("sort", [Sort.ACTIVE, Sort.STARTED])
def test_the_first_page_is_what_the_catalog_says(case: Case, sort: Sort) -> None:
    store = case.store()
    catalog = store.catalog()
    listed, _ = catalog.select()
    order = ordered(catalog, listed, sort, values_of(store, sort))
    for limit in (1, 7, 2000):
        units = [catalog.folded(key) for key in order[:limit]]
        assert store.first_page(limit, LATER, sort) == store.sessions(units, LATER)


def test_the_pinned_rows_are_what_the_catalog_says(case: Case) -> None:
    store = case.store()
    catalog = store.catalog()
    listed, _ = catalog.select()
    order = ordered(catalog, listed, Sort.ACTIVE, values_of(store, Sort.ACTIVE))
    known = store.sessions(list(map(catalog.folded, order)), LATER)
    parents = [one for one in known if one.subagents][:3]
    assert parents or not catalog.links
    noted = [case.noted(one) for one in (*parents, known[-1])]
    found = {one.key: one for one in store.pinned(noted, LATER)}
    assert {one.key: found.get(one.key) for one in (*parents, known[-1])} == {
        one.key: one for one in (*parents, known[-1])
    }


def test_every_order_is_that_of_the_rows(case: Case) -> None:
    store = case.store()
    catalog = store.catalog()
    listed, _ = catalog.select()
    known = {one.key: one for one in store.sessions(list(map(catalog.folded, listed)), LATER)}
    for sort in Sort:
        order = ordered(catalog, listed, sort, values_of(store, sort))
        assert sorted(order) == sorted(listed)
        values = [SORTED[sort](known[key]) for key in order]
        assert values == sorted(values), sort


def test_columns_say_what_the_rows_say(case: Case) -> None:
    store = case.store()
    known = everybody(store)
    every = store.columns({ID, TITLE, SOURCE, MODEL, MESSAGES, TOOLS, STARTED, BYTES})
    assert every[ID] == {one.key: one.id for one in known}
    assert every[TITLE] == {one.key: one.title for one in known if one.title}
    assert every[SOURCE] == {one.key: one.source for one in known}
    assert every[MODEL] == {one.key: one.model for one in known if one.model}
    assert every[MESSAGES] == {one.key: one.message_count for one in known}
    assert every[TOOLS] == {one.key: one.tool_call_count for one in known if one.tool_call_count}
    assert every[STARTED] == {one.key: one.started_at for one in known}
    heavy = {key for key, size in every[BYTES].items() if size}
    assert heavy <= {one.key for one in known if store.outlines(one.key, rewound=True)}
    keys = [one.key for one in known[::3]]
    some = store.columns({ID, TITLE}, [*keys, NOBODY])
    assert some[ID] == {key: every[ID][key] for key in keys}
    assert some[TITLE] == {key: every[TITLE][key] for key in keys if key in every[TITLE]}
    assert not some[MODEL], "it was not asked for"


def test_a_session_is_found_by_its_id_and_by_the_beginning_of_it(case: Case) -> None:
    store = case.store()
    known = everybody(store)
    for one in known[::5]:
        assert resolve(store, one.id).key == one.key
        alone = next(
            one.id[:length]
            for length in range(1, len(one.id) + 1)
            if sum(other.id.lower().startswith(one.id[:length].lower()) for other in known) == 1
            or length == len(one.id)
        )
        assert resolve(store, alone).key == one.key
        assert resolve_for_edit(store, one.id).key == one.key
    noted = case.noted(known[0])
    assert store.keys_of([noted, "nobody"]) == {noted: known[0].key}


def test_a_session_is_found_by_a_title_of_its_own(case: Case) -> None:
    store = case.store()
    known = everybody(store)
    titles = [one.title for one in known if one.title]
    for one in known:
        # Of a numbered lineage, an agent may mean the newest.
        related = [title for title in titles if title.startswith(one.title or "")]
        if one.title and related == [one.title]:
            assert resolve(store, one.title).key == one.key


def test_what_means_nobody_finds_nobody(case: Case) -> None:
    store = case.store()
    for typed in ("nobody has this", "", "  ", "%", "'; --"):
        with pytest.raises(NoSuchSession):
            resolve(store, typed)


def test_a_transcript_has_every_message_once(case: Case) -> None:
    store, stored = case.store(), case.stored()
    for one in everybody(store):
        every = [outline.id for outline in store.outlines(one.key, rewound=True)]
        assert sorted(every) == stored[one.id]
        seen = store.outlines(one.key)
        ids = [outline.id for outline in seen]
        assert len(set(ids)) == len(ids)
        assert set(ids) <= set(every)
        assert {outline.session_key for outline in seen} <= {one.key}
        assert MessageState.REWOUND not in {outline.state for outline in seen}
        messages = list(read_session(store, one.key, everything=True))
        assert [message.id for message in messages] == every
        assert {message.session_id for message in messages} <= {one.id}


def test_messages_come_as_they_are_asked_for(case: Case) -> None:
    store = case.store()
    longest = max(everybody(store), key=lambda one: len(store.outlines(one.key)))
    outlines = store.outlines(longest.key)
    ids = [outline.id for outline in outlines]
    some = [*ids[5:1:-1], NOBODY, ids[0]]
    messages = store.messages(longest.key, some)
    assert [message.id for message in messages] == [*ids[5:1:-1], ids[0]]
    for outline, message in zip(outlines[:50], store.messages(longest.key, ids[:50]), strict=True):
        assert (outline.role, outline.timestamp) == (message.role, message.timestamp)
    scattered = store.scattered([(longest.key, id_) for id_ in some])
    assert {key for key, _ in scattered} == {longest.key}
    assert sorted(message for _, message in scattered) == sorted(messages)
    first, complete = store.first_outlines(longest.key, 10)
    assert [outline.id for outline in first] == ids[: len(first)]
    assert len(first) >= 10
    assert complete == (len(first) == len(ids))
    around = store.around(longest.key, [ids[0], ids[3], ids[-1]])
    assert around == {
        ids[0]: (None, ids[1]),
        ids[3]: (ids[2], ids[4]),
        ids[-1]: (ids[-2], None),
    }


def test_who_is_not_there_has_nothing_to_tell(case: Case) -> None:
    store = case.store()
    unit = Unit(NOBODY, (NOBODY,), Kind.ROOT)
    assert store.sessions([unit], LATER) == []
    assert store.outlines(NOBODY) == []
    assert not store.columns({ID}, [NOBODY])[ID]
    assert store.lost_messages("nobody") == []
    with pytest.raises(NoSuchSession):
        store.details(unit)


def test_a_search_finds_what_a_plain_scan_finds(case: Case) -> None:
    store = case.store()
    catalog, scanned = store.catalog(), scan(store)
    for word in WORDS:
        result, found = searched(store, catalog, f'"{word}"')
        assert result.complete
        assert found == scanned.holding([word]), word
        hits = CompleteSearch(store, catalog, f'"{word}"', LATER, everything=True).hits()
        told = {(hit.session_key, hit.message_id) for hit in hits if hit.message_id is not None}
        assert found <= told, word


def test_details_tell_of_the_very_session(case: Case) -> None:
    store = case.store()
    catalog = store.catalog()
    for one in everybody(store)[::7]:
        details = store.details(catalog.single(one.key))
        assert (details.id, details.title) == (one.id, one.title)
        told = [value for section in details.sections for _, value in section.rows]
        assert one.id in told
        assert all(section.title and section.rows for section in details.sections)


def test_reading_changes_no_byte(case: Case) -> None:
    before = case.all_bytes()
    store = case.store()
    catalog = store.catalog()
    key = store.first_page(5, LATER)[0].key
    store.info()
    store.details(catalog.folded(key))
    store.system_prompt(key)
    store.pinned([one.id for one in everybody(store)[:2]], LATER)
    store.fates(catalog)
    store.too_long(catalog.folded(key))
    store.home(key)[0].handover()
    searched(store, catalog, "release")
    list(read_session(store, key, everything=True))
    assert case.all_bytes() == before
    for path in case.files:
        log = Path(f"{path}-wal")
        assert not log.exists() or log.stat().st_size == 0


@pytest.mark.parametrize("case", ["notebook"], indirect=True)
def test_a_kind_that_is_not_in_the_table_is_no_store(case: Case) -> None:
    with pytest.raises(StoreError) as raised:
        open_store(case.path)
    assert raised.value.problem is Problem.NOT_A_STORE


def test_a_new_kind_of_store_is_short() -> None:
    """What makes the invented kind longer belongs into `SmallStore` or `Dialect`."""
    assert len(Path(notebook.__file__).read_text(encoding="utf-8").splitlines()) <= 150
