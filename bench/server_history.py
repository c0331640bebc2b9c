"""A long history of power-loop on a PostgreSQL server, and the floor that a first page is held to.

The tables are made by power-loop itself and filled by COPY, since its own calls would take days for
ten million messages. `python -m bench.server_history 1000000 10000000` starts a server, fills it
and prints what it is like; the server ends with it.
"""

import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import psycopg
from psycopg.sql import SQL, Identifier

from bench.generate import NOW
from bench.measure import interleaved
from bench.progress import say
from bench.words import phrases
from tests.agents import run_agent
from tests.postgres.filling import POWER_LOOP
from tests.postgres.server import running, stop

DATABASE = "history"
MAKE = """
import asyncio, sys
from power_loop.runtime.store.factory import open_store

async def main(address):
    await (await open_store(address)).close()

asyncio.run(main(sys.argv[1]))
"""
FLOOR = "SELECT * FROM pl_sessions ORDER BY updated_at DESC LIMIT 50"
"""What a first page costs at least: there is no index for it, and we make none."""
CHUNK = 1 << 20
"""Characters that are sent at once."""
YEARS = 2 * 365 * 86_400_000
"""Milliseconds over which the sessions are spread."""
LONGEST = 400
"""Messages of a session, except of the last one, which takes what is left."""
SUBAGENTS, ARCHIVED, TITLED = 0.2, 0.05, 0.3
"""Shares of the sessions."""
TABLES = {
    "pl_sessions": (
        "session_id, created_at, updated_at, system_prompt, model, config_json, status, kind,"
        " parent_session_id, spawn_tool_call_id, spawn_depth, lifecycle, metadata_json"
    ),
    "pl_session_state": "session_id, next_seq, round_index, last_compact_seq, pending_json",
    "pl_messages": (
        "session_id, seq, role, name, content, tool_calls_json, tool_call_id, round_index, state,"
        " meta_json, send_index, created_at"
    ),
}


@dataclass(frozen=True, slots=True)
class ServerRecipe:
    """How long a history is."""

    sessions: int
    messages: int
    seed: int = 1


@dataclass(frozen=True, slots=True)
class SessionPlan:
    """A session, before its rows are made."""

    id: str
    parent: str
    messages: int
    created: int
    updated: int


def fill(address: str, recipe: ServerRecipe, home: Path) -> None:
    """Fill an empty database."""
    run_agent(MAKE, *POWER_LOOP, home, address)
    with psycopg.connect(address, autocommit=True) as connection:
        rebuilt = _without_indices(connection)
        rows = {
            "pl_sessions": _session_rows,
            "pl_session_state": _state_rows,
            "pl_messages": _message_rows,
        }
        for table, make in rows.items():
            say(f"{table} …")
            copy = SQL("COPY {} ({}) FROM STDIN").format(Identifier(table), SQL(TABLES[table]))
            with connection.cursor() as cursor, connection.transaction(), cursor.copy(copy) as to:
                for chunk in _chunks(make(recipe)):
                    to.write(chunk)
        say("indices …")
        for statement in rebuilt:
            connection.execute(statement.encode())
        connection.execute("VACUUM (ANALYZE)")


def _without_indices(connection: "psycopg.Connection[tuple[object, ...]]") -> list[str]:
    """Drop the indices of the tables to be filled: the statements that make them again. One by one
    they would grow by rows in random order."""
    again = []
    for table in TABLES:
        keys = connection.execute(
            "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint"
            " WHERE conrelid = %s::regclass AND contype = 'p'",
            (table,),
        ).fetchall()
        for name, definition in keys:
            again.append(f'ALTER TABLE {table} ADD CONSTRAINT "{name}" {definition}')
            connection.execute(f'ALTER TABLE {table} DROP CONSTRAINT "{name}"'.encode())
        indices = connection.execute(
            "SELECT indexname, indexdef FROM pg_indexes WHERE tablename = %s", (table,)
        ).fetchall()
        for name, definition in indices:
            again.append(str(definition))
            connection.execute(f'DROP INDEX "{name}"'.encode())
    return again


def _chunks(lines: Iterator[str]) -> Iterator[str]:
    held: list[str] = []
    size = 0
    for line in lines:
        held.append(line)
        size += len(line)
        if size > CHUNK:
            yield "".join(held)
            held, size = [], 0
    yield "".join(held)


def planned(recipe: ServerRecipe) -> Iterator[SessionPlan]:
    """The sessions, oldest first, always the same for a recipe; their messages add up."""
    random = Random(recipe.seed)
    left = recipe.messages
    start, step = int(NOW * 1000) - YEARS, YEARS / recipe.sessions
    parent = ""
    for number in range(recipe.sessions):
        rest = recipe.sessions - number - 1
        # Of what is left, or the last one would take what rounding and the limit have spared.
        mean = left / (rest + 1)
        drawn = min(round(random.expovariate(1 / max(mean, 1))), LONGEST, left)
        messages = drawn if rest else left
        left -= messages
        created = int(start + number * step)
        id_ = f"sess_{random.getrandbits(96):024x}"
        child = bool(parent) and random.random() < SUBAGENTS
        # Old sessions are taken up again, so that the last ones are not the newest.
        updated = created + messages * 9000 + int(random.expovariate(1 / 86_400_000.0))
        yield SessionPlan(id_, parent if child else "", messages, created, updated)
        parent = parent if child else id_


def _session_rows(recipe: ServerRecipe) -> Iterator[str]:
    random = Random(recipe.seed + 1)
    said = phrases(recipe.seed).sentences
    for one in planned(recipe):
        status = "archived" if random.random() < ARCHIVED else "active"
        named = random.random() < TITLED
        title = _plain(random.choice(said))[:60].replace('"', "'") if named else ""
        about = f'{{"title": "{title}"}}' if title else "{}"
        kind, call, depth, life = (
            ("subagent", f"call_{one.messages}", 1, "linked")
            if one.parent
            else ("root", r"\N", 0, "ephemeral")
        )
        yield (
            f"{one.id}\t{one.created}\t{one.updated}\tYou are a careful assistant.\tm-large\t{{}}"
            f"\t{status}\t{kind}\t{one.parent or _NULL}\t{call}\t{depth}\t{life}\t{about}\n"
        )


_NULL = r"\N"


def _state_rows(recipe: ServerRecipe) -> Iterator[str]:
    for one in planned(recipe):
        yield f"{one.id}\t{one.messages + 1}\t{one.messages // 4}\t0\t\\N\n"


def _message_rows(recipe: ServerRecipe) -> Iterator[str]:
    """A question, a call, its result and an answer, over and over; each of a sentence."""
    said = [_plain(sentence) for sentence in phrases(recipe.seed).sentences]
    random = Random(recipe.seed + 2)
    many = len(said)
    for one in planned(recipe):
        at = random.randrange(many)
        pace = max((one.updated - one.created) // (one.messages + 1), 1)
        for number in range(one.messages):
            send, turn = divmod(number, 4)
            role, name, calls, call = _TURNS[turn]
            text = said[(at + number * 7) % many]
            when = one.created + number * pace
            yield (
                f"{one.id}\t{number + 1}\t{role}\t{name}\t{text}\t{calls}\t{call}\t{turn}\tactive"
                f"\t{{}}\t{send}\t{when}\n"
            )


_CALL = '[{"id":"c1","type":"function","function":{"name":"look","arguments":"{}"}}]'
_TURNS = (
    ("user", _NULL, _NULL, _NULL),
    ("assistant", _NULL, _CALL, _NULL),
    ("tool", "look", _NULL, "c1"),
    ("assistant", _NULL, _NULL, _NULL),
)


def _plain(text: str) -> str:
    """Without what means something to COPY."""
    return text.replace("\\", "/").replace("\t", " ").replace("\n", " ")


def size(address: str) -> int:
    """Bytes of the database."""
    with psycopg.connect(address) as connection:
        row = connection.execute("SELECT pg_database_size(current_database())").fetchone()
        return int(row[0]) if row else 0


def floor(address: str, rounds: int) -> float:
    """Milliseconds of the bare query for a first page, on a connection that is open."""
    with psycopg.connect(address) as connection:

        def ask() -> None:
            connection.execute(FLOOR.encode()).fetchall()
            connection.rollback()

        return interleaved({"floor": ask}, rounds)["floor"].median


def main(sessions: int, messages: int) -> None:
    server = running(os.getpid(), {"shared_buffers": "256MB", "max_wal_size": "4GB"})
    try:
        server.run(f"CREATE DATABASE {DATABASE}")
        address = server.address(DATABASE)
        began = time.monotonic()
        with TemporaryDirectory() as home:
            fill(address, ServerRecipe(sessions, messages), Path(home))
        took = time.monotonic() - began
        print(f"{sessions:,} sessions, {messages:,} messages: {size(address) / 1e6:,.0f} MB")
        print(f"filled in {took:,.0f} s; the bare first page takes {floor(address, 9):,.1f} ms")
    finally:
        stop(server)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:] or ("10000", "100000")))
