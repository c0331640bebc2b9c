"""Names of arguments are found where a transcript paints them, and nowhere else."""

from pathlib import Path

import pytest

from explorer.search.matcher import said
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.kinds import open_store
from tests.factories import altered
from tests.search.noted import searched
from tests.search.plain_scan import names_painted, scan
from tests.tui.driving import NOW, opened

DEPLOY = {"cluster_region": "eu-north", "replicas": {"web_tier": 3, "spare": None}, "note": ""}

RENAMED = (
    "UPDATE {} SET tool_calls_json = replace(tool_calls_json, 'command', 'cluster_region')"
    " WHERE rowid % 2"
)


@pytest.mark.parametrize(
    ("arguments", "found", "hidden"),
    [
        (DEPLOY, "cluster_region eu-north replicas web_tier 3 spare", "note"),
        ({"command": "make all", "timeout": 30}, "make timeout 30", "command"),
        ({"cmd": ["bash", "-lc", "make"]}, "make", "cmd"),
        ({"code": "print(1)", "language": "python"}, "print language", "code"),
        ({"path": "a.py", "content": "x = 1", "append": True}, "a.py append", "path content"),
        ({"path": "a.py", "offset": 10}, "a.py offset", "path"),
        ({"path": "src", "pattern": "def "}, "path pattern", ""),
        ({"path": "a", "old_string": "b", "new_string": "c"}, "a b c", "path old_string"),
        ({"todos": [{"content": "buy", "status": "done"}], "merge": True}, "buy", "todos merge"),
        ({"command": {"verb": "go"}}, "command verb go", ""),
        ([{"kind": "first"}], "kind first", ""),
        ("as it is", "as it is", ""),
    ],
)
def test_names_are_there_where_no_form_of_its_own_leaves_them_out(
    arguments: object, found: str, hidden: str
) -> None:
    lines = said(arguments)
    assert all(word in lines for word in found.split())
    assert not set(hidden.split()) & set(lines.split("\n"))


def test_every_painted_name_finds_what_a_plain_scan_finds(real_file: Path) -> None:
    if "power-loop" in real_file.name:
        # It knows only calls that are drawn in a way of their own.
        with altered(real_file) as db:
            db.execute(RENAMED.format("messages" if "0.2.0" in real_file.name else "pl_messages"))
    store = open_store(real_file)
    catalog, scanned = store.catalog(), scan(store)
    names: set[str] = set()
    for key in catalog.keys:
        ids = [one.id for one in store.outlines(key)]
        calls = [call for one in store.messages(key, ids) for call in one.tool_calls]
        for call in calls:
            names |= names_painted(call)
    assert names
    for name in (*sorted(names)[:25], "command", "path"):
        _, found = searched(store, catalog, f'"{name}"')
        assert found == scanned.holding([name]), name


async def test_a_name_is_found_and_lit(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    arguments = '{"cluster_region": "eu-north"}'
    call = {"id": "c", "type": "function", "function": {"name": "deploy", "arguments": arguments}}
    with StateFile.create(path) as state:
        state.create_session("s", "cli", started_at=NOW - 900, title="Rollout")
        state.append_message("s", "user", "go", timestamp=NOW - 890)
        state.append_message("s", "assistant", "", tool_calls=[call], timestamp=NOW - 880)
        state.append_message("s", "tool", "done", tool_call_id="c", timestamp=NOW - 870)
    async with opened(path) as driver:
        await driver.press("slash")
        await driver.type("cluster_region")
        assert driver.listed() == ["Rollout"]
        await driver.press("enter")
        transcript = driver.main.transcript
        here = transcript._style("match-here", False)
        strips = [transcript.render_line(y) for y in range(transcript.size.height)]
        lit = [segment.text for strip in strips for segment in strip if segment.style == here]
        assert lit == ["cluster_region"]
