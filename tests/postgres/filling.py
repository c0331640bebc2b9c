"""Sessions on a server, made by power-loop itself."""

from pathlib import Path
from uuid import uuid4

from tests.agents import run_agent
from tests.postgres.server import Server

POWER_LOOP = ("power-loop", "8.0.0")

FILL = """
import asyncio, sys
from power_loop.runtime.store.factory import open_store
from power_loop.runtime.store.types import SubagentLifecycle

async def main(address, prefix, name):
    store = await open_store(address, table_prefix=prefix)
    root = f"{name}_root"
    await store.create_session(
        session_id=root, system_prompt="Be brief.", model="m-1", config={"max_rounds": 5},
        metadata={"title": f"Plan of {name}"})
    for turn in range(6):
        await store.append_message(root, role="user", content=f"question {turn} of {name}",
                                   round_index=0, send_index=turn)
        await store.append_message(
            root, role="assistant", content="nul \\x00 and \\U0001f980", send_index=turn,
            tool_calls=[{"id": f"c{turn}", "type": "function",
                         "function": {"name": "look", "arguments": "{}"}}])
        await store.append_message(root, role="tool", content="seen", tool_call_id=f"c{turn}",
                                   name="look", send_index=turn)
        await store.record_usage(root, round_index=0, send_index=turn, prompt_tokens=100,
                                 completion_tokens=10, total_tokens=110, cached_tokens=5,
                                 model="m-1")
    await store.record_compaction(root, from_seq=1, to_seq=6, note_content="summary of it",
                                  before_tokens=4000, after_tokens=300, round_index=0)
    await store.deactivate_messages(root, [9])
    kinds = (SubagentLifecycle.LINKED, SubagentLifecycle.EPHEMERAL, SubagentLifecycle.DETACHED)
    for kind in kinds:
        child = await store.create_session(
            session_id=f"{name}_{kind.value}", parent_session_id=root, spawn_tool_call_id="c1",
            lifecycle=kind)
        await store.append_message(child, role="user", content=f"sub task {kind.value}")
    waiting = await store.create_session(session_id=f"{name}_pending")
    await store.append_message(waiting, role="user", content="wait for me")
    await store.set_pending(waiting, {"assistant_seq": 1, "round_index": 0,
                                      "tool_call_ids": ["c9"], "tool_calls": []})
    held = await store.create_session(session_id=f"{name}_leased")
    await store.acquire_session_lease(held, owner_id="worker-1", ttl_ms=3_600_000)
    await store.inbox_put(held, [{"item_id": "i1", "content": "and then?"}])
    await store.add_note(root, "remember this", pinned=True)
    await store.create_timer(root, due_at=1, note="wake up")
    await store.upsert_background_task(root, task_id="t1", command="make", status="running")
    await store.archive_session(f"{name}_detached")
    await store.close()

asyncio.run(main(*sys.argv[1:]))
"""

APPEND = """
import asyncio, sys
from power_loop.runtime.store.factory import open_store

async def main(address, prefix, session, text):
    store = await open_store(address, table_prefix=prefix)
    await store.append_message(session, role="user", content=text)
    await store.close()

asyncio.run(main(*sys.argv[1:]))
"""

LOOPS = "loops"
"""The database that most tests read."""
SETS = (("public", "pl_", "first"), ("public", "other_", "second"), ("team b", "pl_", "third"))
"""(schema, prefix, name of the sessions) of it."""


def fill(server: Server, home: Path) -> None:
    """A database with three sets of tables, and roles that may read it, or nothing of it."""
    server.run(f"CREATE DATABASE {LOOPS}")
    server.run('CREATE SCHEMA "team b"', database=LOOPS)
    for schema, prefix, name in SETS:
        path = f"%22{schema.replace(' ', '%5C%20')}%22"
        address = server.address(LOOPS, more=f"?options=-csearch_path%3D{path}")
        run_agent(FILL, *POWER_LOOP, home, address, prefix, name)
    server.run(
        "CREATE ROLE reader LOGIN",
        "CREATE ROLE stranger LOGIN",
        "CREATE ROLE locked LOGIN PASSWORD 'geheim/wört@1'",
        "CREATE ROLE secured LOGIN",
        *(
            f'GRANT USAGE ON SCHEMA "{schema}" TO reader; '
            f'GRANT SELECT ON ALL TABLES IN SCHEMA "{schema}" TO reader'
            for schema in ("public", "team b")
        ),
        database=LOOPS,
    )


def fill_one(server: Server, home: Path, name: str, database: str = "") -> str:
    """A new database with one set of tables: its address. `name` begins the ids of its sessions."""
    database = database or f"{name}_{uuid4().hex}"
    server.run(f"CREATE DATABASE {database}")
    run_agent(FILL, *POWER_LOOP, home, server.address(database), "pl_", name)
    return server.address(database)


def append(
    server: Server, home: Path, prefix: str, session: str, text: str, address: str = ""
) -> None:
    """One more message, by power-loop."""
    where = address or server.address(LOOPS)
    run_agent(APPEND, *POWER_LOOP, home, where, prefix, session, text)
