"""Finding the sets of tables of a database: by their columns, in the schemas of the search path."""

import pytest

from explorer.errors import Problem, StoreError
from explorer.stores.postgres.schema import HEADS, TABLES, TableSet
from tests.postgres.conftest import Open
from tests.postgres.filling import LOOPS
from tests.postgres.server import Server

BOTH = "?options=-csearch_path%3D%22team%5C%20b%22,public"
COLUMNS = "session_id text, created_at bigint, kind text, seq bigint, role text, content text"


def names(sets: tuple[TableSet, ...]) -> list[tuple[str, str]]:
    return [(one.schema, one.prefix) for one in sets]


def test_every_prefix_of_the_search_path_is_found_in_its_order(opened: Open) -> None:
    assert names(opened().sets()) == [("public", "other_"), ("public", "pl_")]
    both = [("team b", "pl_"), ("public", "other_"), ("public", "pl_")]
    assert names(opened(more=BOTH).sets()) == both
    assert names(opened("reader", more=BOTH).sets()) == both
    named = opened(more="?search_path=%22team%20b%22").sets()
    assert names(named) == [("team b", "pl_")]


def test_other_tables_in_any_number_do_not_hide_a_set(opened: Open) -> None:
    # Five thousand tables would take seconds to make: what chooses is the name, before any limit.
    assert "LIMIT" not in HEADS + TABLES
    (one, *_) = opened().sets()
    assert all(name.startswith("other_") for name in one.tables)


def test_a_set_answers_like_the_schema_of_a_file(opened: Open) -> None:
    database = opened()
    tables = database.sets()[1]
    assert len(tables.tables) == 18
    assert tables.has("pl_sessions", "session_id", "metadata_json")
    assert not tables.has("pl_sessions", "nosuch")
    assert not tables.has("other_sessions")
    picked = tables.pick("pl_sessions", "s", ("kind", "nosuch"))
    assert picked == 's."kind", NULL AS "nosuch"'
    row = database.of(tables).read(
        lambda reader: reader.row(
            f"SELECT {reader.schema.pick('pl_sessions', 's', ('kind', 'nosuch'))}"
            f" FROM {reader.schema.sessions} s WHERE s.session_id = ?",
            ("first_root",),
        )
    )
    assert row == ("root", None)


def test_what_power_loop_stored_is_read(opened: Open) -> None:
    database = opened("reader")
    tables = database.sets()[1]
    reads = database.of(tables)
    contents = reads.read(
        lambda reader: reader.column(
            f"SELECT content FROM {tables.messages} WHERE session_id = ? ORDER BY seq",
            ("first_root",),
        )
    )
    assert contents[:2] == ["question 0 of first", "nul  and 🦀"]
    states = reads.read(
        lambda reader: dict(
            reader.rows(f"SELECT state, count(*) FROM {tables.messages} GROUP BY state")
        )
    )
    assert (states["compacted_out"], states["dropped"]) == (6, 1)


def test_views_strange_tables_and_hostile_names_do_no_harm(server: Server, opened: Open) -> None:
    server.run("CREATE DATABASE strange")
    server.run(
        'CREATE SCHEMA "a""b"',
        f'CREATE TABLE "a""b"."x\'y""sessions" ({COLUMNS})',
        f'CREATE TABLE "a""b"."x\'y""messages" ({COLUMNS})',
        f'CREATE TABLE "a""b"."lone_sessions" ({COLUMNS})',
        f'CREATE TABLE "a""b"."sessions" ({COLUMNS})',
        'CREATE TABLE "a""b"."messages" (session_id text)',
        f"CREATE TABLE public.v_real ({COLUMNS})",
        "CREATE VIEW public.v_sessions AS SELECT * FROM public.v_real",
        "CREATE VIEW public.v_messages AS SELECT * FROM public.v_real",
        database="strange",
    )
    database = opened(database="strange", more="?search_path=%22a%22%22b%22,public,missing")
    (found,) = database.sets()
    assert (found.schema, found.prefix) == ('a"b', "x'y\"")
    count = f"SELECT count(*) FROM {found.sessions}"
    assert database.of(found).read(lambda reader: reader.value(count)) == 0
    assert opened(database="strange", more="?search_path=missing").sets() == ()


def test_a_function_of_somebody_else_is_not_called(server: Server, opened: Open) -> None:
    server.run(
        "CREATE FUNCTION public.left(bigint, integer) RETURNS text LANGUAGE sql AS"
        " $$ SELECT 'stolen' $$",
        "CREATE FUNCTION public.lower(bigint) RETURNS text LANGUAGE sql AS $$ SELECT 'stolen' $$",
        database=LOOPS,
    )
    with pytest.raises(StoreError, match=r"function lower\(bigint\) does not exist"):
        opened().read(lambda reader: reader.value("SELECT lower(1::bigint)"))


def test_a_column_that_came_later_is_found(server: Server, opened: Open) -> None:
    server.run("CREATE DATABASE growing")
    made = [f"CREATE TABLE p_{name} ({COLUMNS})" for name in ("sessions", "messages")]
    server.run(*made, database="growing")
    database = opened(database="growing")
    reads = database.of(database.sets()[0])
    server.run("ALTER TABLE p_sessions RENAME COLUMN content TO text", database="growing")
    value = reads.read(
        lambda reader: reader.rows(
            f"SELECT {reader.schema.pick('p_sessions', 's', ('content',))}"
            f" FROM {reader.schema.sessions} s"
        )
    )
    assert value == []
    assert not reads.tables.has("p_sessions", "content")
    server.run("DROP TABLE p_sessions", database="growing")
    with pytest.raises(StoreError) as raised:
        reads.read(lambda reader: reader.rows(f"SELECT 1 FROM {reader.schema.sessions}"))
    assert raised.value.problem is Problem.NOT_A_STORE
