"""What was counted of a file is kept while the file is unchanged, and trusted no further."""

import os
from pathlib import Path

import pytest

from explorer.settings import cache_folder
from explorer.stores import kept_census
from explorer.stores.base import Store
from explorer.stores.catalog import Catalog
from explorer.stores.census import Census
from explorer.stores.hermes.store import HermesStore
from explorer.stores.kept_census import census_of
from explorer.stores.kinds import open_store
from tests.conftest import Command
from tests.factories import altered
from tests.newer_files import newer_file
from tests.real_files import unpack

FILES = ("hermes-v11", "hermes-v22", "hermes-v31", "power-loop-8.0.0")


@pytest.fixture(autouse=True)
def _always_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """However quickly a small file is read."""
    monkeypatch.setattr(kept_census, "WORTH", 0.0)


@pytest.fixture(params=FILES)
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    make = newer_file if request.param == "hermes-v31" else unpack
    path = make(request.param, tmp_path)
    _aged(path)
    return path


def _aged(path: Path) -> None:
    """As a file that was not written just now."""
    os.utime(path, (1_700_000_000, 1_700_000_000))


def _never() -> Census:
    raise AssertionError("it should not be read again")


def _known(path: Path, folder: Path, store: Store) -> Catalog:
    return census_of(path, folder, "all", lambda: Census(store.catalog())).known


def _told(catalog: Catalog) -> tuple[object, ...]:
    keys = list(catalog.keys)
    return (
        *(keys, list(catalog.active), dict(catalog.links), catalog.mark, catalog.sound),
        *(catalog.archived, catalog.empty, catalog.pinned, catalog.hidden, catalog.source_names),
        [(catalog.source(key), catalog.hidden_as(key), catalog.chain(key)) for key in keys],
        [catalog.folded(key) for key in keys],
    )


def test_an_unchanged_file_is_not_read_again(path: Path, tmp_path: Path) -> None:
    store, folder = open_store(path), tmp_path / "cache"
    first = _known(path, folder, store)
    again = census_of(path, folder, "all", _never).known
    assert _told(again) == _told(first) == _told(store.catalog())
    (kept,) = folder.iterdir()
    assert kept.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("path", ["hermes-v22"], indirect=True)
def test_a_changed_file_is(path: Path, tmp_path: Path) -> None:
    store, folder = open_store(path), tmp_path / "cache"
    before = _known(path, folder, store)
    with altered(path) as db:
        db.execute("UPDATE sessions SET archived = 1 - archived")
    after = _known(path, folder, store)
    assert after.archived != before.archived
    assert _told(after) == _told(store.catalog())


@pytest.mark.parametrize("path", ["hermes-v22"], indirect=True)
def test_a_file_that_was_written_just_now_is_not_kept(path: Path, tmp_path: Path) -> None:
    os.utime(path)
    _known(path, tmp_path / "cache", open_store(path))
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize("path", ["hermes-v22"], indirect=True)
@pytest.mark.parametrize("harm", ["cut", "flipped", "empty", "json", "pipe", "link", "folder"])
def test_what_was_kept_may_be_anything(path: Path, tmp_path: Path, harm: str) -> None:
    store, folder = open_store(path), tmp_path / "cache"
    told = _told(_known(path, folder, store))
    (kept,) = folder.iterdir()
    content = kept.read_bytes()
    kept.unlink()
    match harm:
        case "cut":
            kept.write_bytes(content[:-100])
        case "flipped":
            kept.write_bytes(content[:50] + b"x" + content[51:])
        case "empty":
            kept.touch()
        case "json":
            kept.write_bytes(b'{"form": 1}\n' + content[-16:])
        case "pipe":
            os.mkfifo(kept)
        case "link":
            kept.symlink_to(path)
        case _:
            kept.mkdir()
    assert _told(_known(path, folder, store)) == told


@pytest.mark.parametrize("path", ["hermes-v22"], indirect=True)
def test_a_folder_that_cannot_be_written_is_done_without(path: Path, tmp_path: Path) -> None:
    folder = tmp_path / "file"
    folder.touch()
    assert _told(_known(path, folder, open_store(path)))


@pytest.mark.parametrize("path", ["hermes-v22"], indirect=True)
def test_what_was_kept_long_ago_is_deleted(path: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    folder.mkdir()
    (folder / "old").touch()
    os.utime(folder / "old", (1_000_000_000, 1_000_000_000))
    _known(path, folder, open_store(path))
    assert "old" not in os.listdir(folder)
    assert len(os.listdir(folder)) == 1


def test_list_says_the_same_from_what_was_kept(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("explorer.commands.stores.BIG", 0)
    path = unpack("hermes-v22", tmp_path)
    _aged(path)
    first = command("list", "--json", "--limit", "5", "--db", path)
    for name in ("catalog", "census"):
        monkeypatch.setattr(HermesStore, name, lambda *arguments: _never())
    again = command("list", "--json", "--limit", "5", "--db", path)
    assert (again.code, again.json) == (0, first.json)


def test_a_list_of_all_does_not_take_the_place_of_a_short_one(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("explorer.commands.stores.BIG", 0)
    path = unpack("hermes-v22", tmp_path)
    _aged(path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    short = ("list", "--json", "--limit", "5", "--db", path)
    everything = ("list", "--json", "--sort", "title", "--db", path)
    first = command(*short).json
    (kept,) = cache_folder().iterdir()
    little = kept.read_bytes()
    every = command(*everything).json
    assert kept.read_bytes() == little
    for name in ("catalog", "census"):
        monkeypatch.setattr(HermesStore, name, lambda *arguments: _never())
    assert (command(*short).json, command(*everything).json) == (first, every)


def test_few_sessions_are_kept_for_a_short_list(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many conversations of several parts there are."""
    path = unpack("hermes-v22", tmp_path)
    with altered(path) as db:
        rows = [(f"part{number}", f"part{number - 1}", number) for number in range(1, 3001)]
        db.executemany(
            "INSERT INTO sessions (id, source, parent_session_id, started_at, ended_at, end_reason)"
            " VALUES (?, 'cli', ?, ?, 1.0, 'compression')",
            [("part0", None, 0), *rows],
        )
    _aged(path)
    monkeypatch.setattr("explorer.commands.stores.BIG", 0)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    listed = command("list", "--json", "--limit", "5", "--db", path).json
    assert listed["hidden"]["continuation"] >= 3000
    (kept,) = cache_folder().iterdir()
    assert kept.stat().st_size < 10_000
