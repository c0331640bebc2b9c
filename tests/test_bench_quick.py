"""The benchmarks run from end to end. How fast anything is, is not a question for a test."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from bench.reading import CASES
from tests.postgres.server import PROGRAMS

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[1]


def test_the_benchmarks_run_and_fill_their_page(tmp_path: Path) -> None:
    page = _page(tmp_path)
    _every_table_has_its_rows(page)
    _every_row_has_an_aim_that_is_met_or_not_or_is_a_floor(page)
    _it_tells_what_it_was_measured_with_but_not_where(page, tmp_path)


def _page(folder: Path) -> str:
    out = folder / "README.md"
    subprocess.run(
        [sys.executable, "-m", "bench"],
        cwd=ROOT,
        env={
            **os.environ,
            "BENCH": "quick",
            "BENCH_OUT": str(out),
            "BENCH_FILES": str(folder / "files"),
        },
        check=True,
        timeout=500,
    )
    return out.read_text(encoding="utf-8")


def rows(page: str, heading: str) -> list[list[str]]:
    """The cells of the table under a heading, without its own two lines."""
    section = page.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def _every_table_has_its_rows(page: str) -> None:
    assert [row[0] for row in rows(page, "The histories")] == ["1,000"]
    assert [row[0] for row in rows(page, "First rows on the screen")] == [
        "empty Textual app",
        "1,000",
    ]
    assert [row[0] for row in rows(page, "Commands")] == [
        "`python -c pass`",
        "`python -c 'import sqlite3, json'`",
        "`list --json`",
        "`info --json`",
        "bare walks",
        "Hermes: `list_sessions_rich`",
        "`list --limit 20`",
        "`list --limit 20`, just written",
    ]
    assert [row[:2] for row in rows(page, "Reading lists")] == [
        ["first page by start", "1,000"],
        ["first page by last activity", "1,000"],
        ["all sessions", "1,000"],
    ]
    keys = ("`j`", "`PgDn`", "`G`", "`g`", "`space`")
    assert [row[:2] for row in rows(page, "Keys in the list")] == [
        [key, sessions] for key in keys for sessions in ("100", "1,000")
    ]
    assert [row[0] for row in rows(page, "Keys while the rest is read")] == [
        "idle",
        "at the start",
        "all read again",
    ]
    assert len(rows(page, "The whole list")) == 7
    assert [row[:3] for row in rows(page, "One new message")] == [
        [mode, what, sessions]
        for mode in ("WAL", "DELETE")
        for what in ("until painted", "processor time")
        for sessions in ("100", "1,000")
    ]
    assert [row[0] for row in rows(page, "An agent beside a first look")] == [
        mode for mode in ("WAL", "DELETE") for _ in range(7)
    ]
    assert [row[:2] for row in rows(page, "Memory")] == [
        ["empty Textual app", ""],
        ["the app", "100"],
        ["the app", "1,000"],
    ]
    assert [row[:2] for row in rows(page, "Reading")] == [
        [case, messages] for case in CASES for messages in ("20", "2,000")
    ]
    assert [row[:2] for row in rows(page, "Memory of reading")] == [
        ["the app", "20"],
        ["the app", "2,000"],
    ]
    kinds = ("rare word", "common word", "prefix", "phrase", "two words")
    searches = [[kind, "50,000"] for kind in (*kinds, "two Chinese characters", "no match")]
    assert [row[:2] for row in rows(page, "Searching while typing")] == searches
    assert [row[:2] for row in rows(page, "Searching, against the agent")] == [
        *searches,
        ["taken back", "50,000"],
    ]
    assert [row[:2] for row in rows(page, "Several profiles")] == [
        [what, "3"]
        for what in (
            "first rows on the screen",
            "the list is complete",
            *("`G` for the first time", "`ctrl+a`", "the filters, with what each would list"),
            *("one source only", "all sources again"),
            *keys,
            *(f"search: {kind}" for kind in (*kinds, "two Chinese characters", "no match")),
            "memory",
        )
    ]
    figures = [(mode, figure) for mode in ("WAL", "DELETE") for figure in ("p99", "longest")]
    assert [row[:3] for row in rows(page, "An agent beside an edit")] == [
        [mode, figure, what]
        for mode, figure in figures
        for what in ("nothing else", "the delete", "the undo")
    ]
    assert [row[:2] for row in rows(page, "An agent beside the delete of one huge message")] == [
        [mode, what]
        for mode in ("WAL", "DELETE")
        for what in ("the agent's own delete", "our delete", "our undo")
    ]
    assert [row[1:3] for row in rows(page, "A prune")] == [
        [mode, what]
        for mode in ("WAL", "DELETE")
        for what in ("making the plan", "the prune", "the undo", "the agent's own prune")
    ]
    assert [row[1:4] for row in rows(page, "An agent beside a prune")] == [
        [mode, figure, what]
        for mode, figure in figures
        for what in ("nothing else", "its own prune", "the prune", "the undo")
    ]
    edits = ("the delete", "the undo of the delete", "the prune", "the undo of the prune")
    assert [row[:4] for row in rows(page, "Four agents on one file")] == [
        [machine, mode, figure, what]
        for machine in ("idle", "busy")
        for mode, figure in figures
        for what in ("nothing else", "the search", *edits)
    ]
    if PROGRAMS:
        assert [row[0] for row in rows(page, "A server")] == [
            "first page",
            "first message with a common word",
            "the only message with a word",
        ]
        assert [row[:2] for row in rows(page, "Keys in the list of a server")] == [
            [key, "1,000"] for key in (*keys, "a letter of a search")
        ]
        assert len(rows(page, "Memory with a server")) == 8


def _every_row_has_an_aim_that_is_met_or_not_or_is_a_floor(page: str) -> None:
    headings = re.findall(r"^## (.+)$", page, re.M)
    for heading in headings[1:]:
        for *_, aim, met in rows(page, heading):
            assert (met == "") if aim == "the floor" else (met in ("yes", "no"))
            assert re.fullmatch(
                r"the floor|[<≤>] [\d.,]+ ?(x|ms|x modules|ms beyond|MB|wrong|a second)", aim
            )


def _it_tells_what_it_was_measured_with_but_not_where(page: str, folder: Path) -> None:
    assert re.search(
        r"^\d+ cores, \d+ GB of memory, Python [\d.]+, SQLite [\d.]+, Textual [\d.]+\.", page, re.M
    )
    assert str(ROOT) not in page
    assert str(folder.parent.parent) not in page
