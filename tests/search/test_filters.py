"""Filters over whole conversations: what they let through, and what each choice would list.

The number beside a choice is right when making that choice lists so many rows. That is put to the
test with every choice of the dialog, whatever else is chosen, on every real file.
"""

from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from explorer.browse.arrangement import CLASSES, Arranged, Wish, arrange
from explorer.browse.choices import ChoiceRow, chosen, filter_rows
from explorer.cancel import CancelToken
from explorer.demo import write_demo
from explorer.model import Hidden, Session
from explorer.search.filters import FILTERED, NO_MODEL, Filters, Moment, tally, wanted
from explorer.stores.base import Store
from explorer.stores.catalog import Catalog
from explorer.stores.columns import MODEL, Columns
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.kinds import open_store
from tests.factories import NOW, T0, altered, keys, rows, talk
from tests.newer_files import NEWER_FILES, newer_file
from tests.real_files import REAL_FILES, unpack

slow = settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])


class File(NamedTuple):
    """A state file, all read."""

    store: Store
    catalog: Catalog
    facts: Columns
    now: float
    rows: dict[int, Session]
    """Whole conversations, as the list shows them."""
    parts: dict[int, Session]
    """Every session by itself."""

    def arrange(self, wish: Wish) -> Arranged:
        return arrange(self.store, self.catalog, self.facts, wish, self.now, CancelToken())

    def listed(self, wish: Wish) -> list[int]:
        return list(self.arrange(wish).order)


def _read(path: Path) -> File:
    store = open_store(path)
    catalog = store.catalog()
    now = max(catalog.active) + 3600
    whole = store.sessions([catalog.folded(key) for key, _ in catalog.rows()], now)
    alone = store.sessions([catalog.single(key) for key in catalog.keys], now)
    return File(
        store,
        catalog,
        store.columns(FILTERED),
        now,
        {row.key: row for row in whole},
        {row.key: row for row in alone},
    )


@pytest.fixture(scope="module", params=[*REAL_FILES, "hermes-v31", "demo"])
def file(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> File:
    folder = tmp_path_factory.mktemp("files")
    if request.param in NEWER_FILES:
        path = newer_file(request.param, folder, "delete")
        with altered(path) as db:
            # What is pinned is listed whatever its class.
            db.execute("UPDATE sessions SET pinned = 0")
        return _read(path)
    if request.param != "demo":
        return _read(unpack(request.param, folder))
    write_demo(folder / "state.db", NOW)
    return _read(folder / "state.db")


@st.composite
def wishes(draw: st.DrawFn, file: File) -> Wish:
    """Any filters that this file could be looked at with."""
    catalog, facts = file.catalog, file.facts
    times = sorted({*catalog.active, 0.0, file.now})
    moments = st.none() | st.builds(Moment, st.just("then"), st.sampled_from(times))
    models = sorted({*facts[MODEL].values(), NO_MODEL, "unheard of"})
    filters = Filters(
        sources=draw(st.frozensets(st.sampled_from([*catalog.source_names, "fax"]), max_size=4)),
        models=draw(st.frozensets(st.sampled_from(models), max_size=3)),
        since=draw(moments),
        before=draw(moments),
        least=draw(st.sampled_from([0, 1, 2, 7, 16, 50, 10_000])),
        tools=draw(st.booleans()),
        unread=draw(st.sampled_from([False, False, True])),
    )
    return Wish(shown=draw(st.frozensets(st.sampled_from(CLASSES))), filters=filters)


def _alone(wish: Wish, row: ChoiceRow) -> Wish:
    """The wish without any other choice of this kind."""
    filters = wish.filters
    if row.kind == "source":
        filters = filters._replace(sources=frozenset())
    elif row.kind == "model":
        filters = filters._replace(models=frozenset())
    elif row.kind == "tools":
        filters = filters._replace(tools=False)
    elif row.kind == "unread":
        filters = filters._replace(unread=False)
    return wish._replace(filters=filters)


@slow
@given(st.data())
def test_the_number_beside_a_choice_is_what_making_it_lists(
    file: File, data: st.DataObject
) -> None:
    wish = data.draw(wishes(file))
    counted = tally(file.catalog, file.facts, wish.filters, wish.shown)
    assert counted.listed == file.arrange(wish).listed
    dialog = filter_rows(wish, counted, file.catalog.source_names, file.now)
    choices = [row for row in dialog if row.number is not None]
    assert len(choices) > 15
    # Names that are on are offered also where nothing has them.
    models = dict.fromkeys(wish.filters.models, 0) | dict(counted.models)
    sources = {*file.catalog.source_names, *wish.filters.sources}
    for row in choices:
        if row.kind != "class":
            alone = _alone(wish, row)
            offered = filter_rows(alone, counted._replace(models=models), sources, file.now)
            same = next(one for one in offered if one[:2] == row[:2])
            assert row.number == len(file.listed(chosen(alone, same))), row


@slow
@given(st.data())
def test_every_model_that_a_choice_would_list_is_offered(file: File, data: st.DataObject) -> None:
    wish = data.draw(wishes(file))
    counted = tally(file.catalog, file.facts, wish.filters, wish.shown)
    for name in {*file.facts[MODEL].values(), NO_MODEL}:
        only = wish.filters._replace(models=frozenset({name}))
        assert counted.models.get(name, 0) == len(file.listed(wish._replace(filters=only)))


@slow
@given(st.data())
def test_the_number_beside_a_class_is_how_many_of_it_would_be_listed(
    file: File, data: st.DataObject
) -> None:
    wish = data.draw(wishes(file))
    counted = tally(file.catalog, file.facts, wish.filters, wish.shown)
    for name in CLASSES:
        listed = file.listed(wish._replace(shown=wish.shown | {name}))
        assert counted.classes.get(name, 0) == sum(
            file.catalog.hidden_as(key) is name for key in listed
        )


@slow
@given(st.data())
def test_one_more_source_lists_as_many_more_as_the_number_beside_it(
    file: File, data: st.DataObject
) -> None:
    wish = data.draw(wishes(file))
    counted = tally(file.catalog, file.facts, wish.filters, wish.shown)
    for name in wish.filters.sources and set(file.catalog.source_names) - wish.filters.sources:
        more = wish.filters._replace(sources=wish.filters.sources | {name})
        assert (
            len(file.listed(wish._replace(filters=more))) == counted.listed + counted.sources[name]
        ), name


@slow
@given(st.data())
def test_what_is_not_listed_is_counted_as_hidden(file: File, data: st.DataObject) -> None:
    arranged = file.arrange(data.draw(wishes(file)))
    assert arranged.listed + sum(arranged.hidden.values()) == len(file.catalog)
    assert len(set(arranged.order)) == arranged.listed


@slow
@given(st.data())
def test_a_filter_is_about_what_the_row_of_a_conversation_says(
    file: File, data: st.DataObject
) -> None:
    filters = data.draw(wishes(file)).filters
    passes = wanted(file.catalog, file.facts, filters)
    if passes is None:
        assert filters == Filters()
        return
    for key, row in file.rows.items():
        parts = [file.parts[part] for part in file.catalog.chain(key)]
        active = row.last_active or 0.0
        assert passes(key) == (
            (not filters.sources or row.source in filters.sources)
            and (not filters.models or any((p.model or "") in filters.models for p in parts))
            and (filters.since is None or active >= filters.since.time)
            and (filters.before is None or active < filters.before.time)
            and row.message_count >= filters.least
            and (not filters.tools or row.tool_call_count > 0)
            and (not filters.unread or row.unread)
        )


def test_without_filters_everything_passes_and_the_list_is_the_plain_one(file: File) -> None:
    assert wanted(file.catalog, file.facts, Filters()) is None
    arranged = file.arrange(Wish())
    listed, hidden = file.catalog.select()
    assert list(arranged.order) == file.catalog.by_last_active(listed)
    assert dict(arranged.hidden) == hidden


def test_the_sources_of_plain_sessions_are_counted_as_sql_counts_them(hermes_file: Path) -> None:
    file = _read(hermes_file)
    counted = tally(file.catalog, file.facts, Filters(), frozenset(CLASSES))
    folded = [key for key in file.catalog.keys if file.catalog.chain(key)[-1] != key]
    places = ",".join("?" * len(folded))
    stored = rows(
        hermes_file,
        f"SELECT source, count(*) FROM sessions WHERE rowid NOT IN ({places}) GROUP BY source",
        folded,
    )
    assert dict(counted.sources) == {source: number for source, number in stored}


@pytest.fixture
def chain(tmp_path: Path) -> File:
    """A conversation of three parts, of which each knows something else, and one by itself."""
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "one", "a", "b", end="compression")
        talk(state, "two", "c", at=T0 + 100, parent="one", end="compression")
        call = {"id": "x", "function": {"name": "terminal", "arguments": "{}"}}
        state.append_message("two", "assistant", "", tool_calls=[call], timestamp=T0 + 150)
        talk(state, "three", "d", at=T0 + 200, parent="two")
        talk(state, "other", "e", "f", at=T0 + 10)
    with altered(path) as db:
        db.execute("UPDATE sessions SET model = 'opus' WHERE id = 'one'")
        db.execute("UPDATE sessions SET model = 'maker/haiku' WHERE id = 'three'")
    return _read(path)


def _listing(file: File, **filters: object) -> list[str]:
    names = {key: id_ for id_, key in keys(file.store).items()}
    wish = Wish(filters=Filters(**filters))  # type: ignore[arg-type]
    return [names[key] for key in file.listed(wish)]


def test_a_conversation_is_one_row_with_the_messages_of_all_its_parts(chain: File) -> None:
    assert _listing(chain) == ["three", "other"]
    assert _listing(chain, least=5) == ["three"]
    assert _listing(chain, least=6) == []
    counted = tally(chain.catalog, chain.facts, Filters(), frozenset())
    assert [counted.sizes(least) for least in (0, 2, 3, 5, 6)] == [2, 2, 1, 1, 0]


def test_a_conversation_has_the_models_of_all_its_parts(chain: File) -> None:
    assert _listing(chain, models=frozenset({"opus"})) == ["three"]
    assert _listing(chain, models=frozenset({"maker/haiku"})) == ["three"]
    assert _listing(chain, models=frozenset({NO_MODEL})) == ["three", "other"]
    counted = tally(chain.catalog, chain.facts, Filters(), frozenset())
    assert dict(counted.models) == {"opus": 1, "maker/haiku": 1, NO_MODEL: 2}


def test_tools_of_any_part_are_tools_of_the_conversation(chain: File) -> None:
    assert _listing(chain, tools=True) == ["three"]
    assert tally(chain.catalog, chain.facts, Filters(), frozenset()).tools == 1


def test_a_conversation_was_last_active_when_its_newest_part_was(chain: File) -> None:
    assert _listing(chain, since=Moment("", T0 + 200)) == ["three"]
    assert _listing(chain, before=Moment("", T0 + 200)) == ["other"]
    assert _listing(chain, since=Moment("", T0 + 201), before=Moment("", T0 + 202)) == ["three"]
    assert _listing(chain, since=Moment("", T0 + 201.5)) == []


def test_the_source_of_a_hidden_class_lists_that_class(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "mine", "hello")
        talk(state, "tick", "tick", source="cron", at=T0 + 10)
        talk(state, "task", "do it", source="tool", at=T0 + 20)
    file = _read(path)
    assert _listing(file, sources=frozenset({"cron"})) == ["tick"]
    assert _listing(file, sources=frozenset({"cron", "cli"})) == ["tick", "mine"]
    counted = tally(file.catalog, file.facts, Filters(), frozenset())
    assert dict(counted.sources) == {"cli": 1, "cron": 1, "tool": 1}
    assert counted.listed == 1


def test_a_subagents_source_does_not_list_the_subagents_of_another(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "mine", "hello")
        talk(state, "older", "task", parent="mine", at=T0 + 10)
        talk(state, "newer", "task", parent="mine", source="subagent", at=T0 + 20)
    file = _read(path)
    assert _listing(file, sources=frozenset({"cli"})) == ["mine"]
    assert _listing(file, sources=frozenset({"subagent"})) == ["newer"]
    assert _listing(file, sources=frozenset({"cli", "subagent"})) == ["newer", "mine"]
    both = Wish(filters=Filters(sources=frozenset({"cli", "subagent"})))
    assert dict(file.arrange(both).hidden) == {Hidden.SUBAGENT: 1}
