"""A search over all sessions: it also finds what only files beside the state file hold."""

import json
import os
from pathlib import Path

import pytest

from explorer.cancel import CancelToken
from explorer.errors import Cancelled
from explorer.model import Outline
from explorer.stores.base import Candidate, Needles
from explorer.stores.hermes.transcript_files import search
from explorer.stores.kinds import open_store
from tests.conftest import Command
from tests.factories import T0, altered
from tests.transcript_files.homes import ID, home, log, said, snapshot

LONE = "20240101_000000_beef02"
COPIED = "20240102_000000_beef03"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """One session of which the state file has the later half, and two that it does not have."""
    made = home(tmp_path, "echo", "zebra foxtrot", title="owls")
    log(made, said("alpha", "zebra crossing", "echo", "zebra foxtrot"), more="{zebra\n")
    os.utime(log(made, said("where", "the zebra barn", at=T0), id_=LONE), (T0, T0))
    os.utime(snapshot(made, said("Zebra\nold times"), id_=COPIED), (T0 + 9, T0 + 9))
    return made


def test_a_message_that_only_a_file_holds_is_found_once(path: Path, command: Command) -> None:
    found = command("search", "--json", "zebra", "--db", path).json
    hits = [(one["session_id"], one["snippet"], one["file"]) for one in found["hits"]]
    assert hits == [
        (ID, "zebra foxtrot", None),
        (ID, "zebra crossing", f"{ID}.jsonl"),
    ]
    assert found["hidden"] == {"file": 2}
    assert [one["text"] for one in found["hits"][1]["context"]] == ["alpha", "echo"]
    said_of = command("search", "zebra", "--db", path)
    assert f"from {ID}.jsonl" in said_of.out
    assert "2 more hits in hidden file-only sessions (--all includes them)" in said_of.err


def test_all_gives_sessions_that_exist_only_in_files(path: Path, command: Command) -> None:
    found = command("search", "--all", "--json", "zebra", "--db", path).json
    assert (found["total"], found["hidden"]) == (4, {})
    assert [(one["session_id"], one["source"]) for one in found["hits"]] == [
        (ID, "telegram"),
        (ID, "telegram"),
        (COPIED, "file"),
        (LONE, "file"),
    ]


def test_the_source_names_their_class(path: Path, command: Command) -> None:
    found = command("search", "--json", "source:file zebra", "--db", path).json
    assert {one["session_id"] for one in found["hits"]} == {LONE, COPIED}
    found = command("search", "--json", f"id:{LONE[:8]} zebra", "--all", "--db", path).json
    assert {one["session_id"] for one in found["hits"]} == {LONE}


def test_of_several_profiles_each_has_its_own_files(path: Path, command: Command) -> None:
    root = path.parent
    other = home(root / "profiles" / "work", "hello", "zebra in work")
    log(other, said("a zebra of work"), id_=LONE)
    found = command("search", "--all", "--json", "zebra", "--db", root).json
    lone = [one for one in found["hits"] if one["session_id"] == LONE]
    assert {(one["profile"], one["snippet"]) for one in lone} == {
        ("default", "the zebra barn"),
        ("work", "a zebra of work"),
    }
    assert found["total"] == 6


def test_any_spelling_of_json_is_found(tmp_path: Path, command: Command) -> None:
    path = home(tmp_path, "a", "b")
    line = json.dumps({"role": "user", "content": 'Ein "ÄRGER" mit Größe'})
    assert "\\u00c4" in line
    file = tmp_path / "sessions" / f"{LONE}.jsonl"
    file.write_text(f"   {line}\nnot json: ärger\n")
    for word in ("ärger", "größe", '"ärger" mit'):
        found = command("search", "--all", "--json", word, "--db", path).json
        assert found["total"] == 1, word


def test_a_prune_keeps_what_only_a_file_says(path: Path, command: Command) -> None:
    kept = command(
        "prune",
        "source:telegram NOT crossing",
        "--dry-run",
        "--json",
        "--include-open",
        "--db",
        path,
    )
    assert kept.json["totals"]["sessions"] == 0
    gone = command(
        "prune", "source:telegram NOT barn", "--dry-run", "--json", "--include-open", "--db", path
    )
    assert gone.json["totals"]["sessions"] == 1


def test_the_folder_is_listed_once_for_each_state_of_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = []
    plain = os.scandir

    def scandir(place: Path) -> object:
        listed.append(place)
        return plain(place)

    monkeypatch.setattr(os, "scandir", scandir)
    store = open_store(path)
    first = store.file_catalog()
    assert store.file_catalog() is first
    assert len(store.file_sessions().ids) == 2
    assert len(listed) == 1
    log(path, said("new"), id_="20240103_000000_beef04")
    later = store.file_catalog()
    assert later is not None
    assert first is not None
    assert len(later) == 3
    assert set(first.keys) < set(later.keys), "a key means the same session for good"
    assert len(listed) == 2


def test_files_that_cannot_hold_the_words_are_not_compared(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "MOST_SESSIONS", 1)
    store = open_store(path)
    asked: list[int] = []
    plain = store.outlines

    def outlines(key: int, rewound: bool, token: CancelToken) -> list[Outline]:
        asked.append(key)
        return plain(key, rewound, token)

    monkeypatch.setattr(store, "outlines", outlines)
    below: object = None
    found: list[Candidate] = []
    stretches = 0
    while True:
        stretch = store.scanned(Needles((("barn",),), files=True), below)
        found += stretch.found
        below = stretch.below
        stretches += 1
        assert 0.0 < stretch.done <= 1.0
        if below is None:
            break
    assert [one.session_id for one in found] == [LONE]
    assert len(asked) == 1
    assert stretches > 3, "each session of the folder by itself"


def test_a_search_of_files_stops_when_it_is_cancelled(path: Path) -> None:
    store = open_store(path)
    needles = Needles((("zebra",),), files=True)
    below: object = None
    while not isinstance(below, search.FilePlace):
        below = store.scanned(needles, below).below
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        store.scanned(needles, below, token)


def test_a_session_of_a_source_called_file_is_listed_like_any_other(
    tmp_path: Path, command: Command
) -> None:
    path = home(tmp_path, "a", "b")
    with altered(path) as db:
        db.execute("UPDATE sessions SET source = 'file'").close()
    assert command("list", "--json", "--db", path).json["matching"] == 1
