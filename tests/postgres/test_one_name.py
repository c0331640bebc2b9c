"""One database has one name in our files, however its address is typed; two never share one."""

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

import pytest

from explorer.model import Action
from explorer.stores.base import Edits, Store
from explorer.stores.discover import FoundStore, locate
from explorer.stores.open_found import every_set, notes_on, open_found
from explorer.stores.ours.notes import Notes, OurFiles
from explorer.stores.ours.trash import TrashFile
from explorer.stores.postgres.address import Peer, parse
from tests.postgres.edit_ground import Ground, copy, make_template
from tests.postgres.server import Server, running, stop

KNOWN: tuple[str, str, dict[str, str]] = ("public", "pl_", {})
LOCAL4, LOCAL6 = Peer("localhost", "127.0.0.1"), Peer("localhost", "::1")
SOCKET = Peer("/run/postgresql", "")


@pytest.mark.parametrize(
    ("address", "peer", "place"),
    [
        ("localhost", LOCAL4, "127.0.0.1:5432"),
        ("LocalHost:5432", LOCAL4, "127.0.0.1:5432"),
        ("127.0.0.1", Peer("127.0.0.1", "127.0.0.1"), "127.0.0.1:5432"),
        ("localhost", LOCAL6, "[::1]:5432"),
        ("[::1]", Peer("::1", "::1"), "[::1]:5432"),
        ("", SOCKET, "%2Frun%2Fpostgresql:5432"),
        ("%2Fvar%2Frun%2Fpostgresql", SOCKET, "%2Frun%2Fpostgresql:5432"),
        ("", Peer("10.0.0.7", "10.0.0.7"), "10.0.0.7:5432"),
        ("db.example", Peer("db.example", "10.0.0.7"), "db.example:5432"),
        ("one,two", Peer("two", "10.0.0.7"), "one:5432,two:5432"),
        ("localhost:5433", LOCAL4, "127.0.0.1:5433"),
    ],
)
def test_a_host_has_the_name_of_the_place_it_leads_to(address: str, peer: Peer, place: str) -> None:
    typed = parse(f"postgresql://ada@{address}/db")
    assert typed.identity(*KNOWN, "me", peer) == f"postgresql://{place}/db/public/pl_"


def test_localhost_stays_the_server_that_it_was_first() -> None:
    typed = parse("postgresql://ada@localhost/db?sslmode=require")
    assert typed.led_to(LOCAL6).keywords()["hostaddr"] == "::1"
    assert typed.led_to(LOCAL6).shown == typed.shown
    for other in ("127.0.0.1", "db.example", ""):
        assert parse(f"postgresql://{other}/db").led_to(LOCAL4) == parse(f"postgresql://{other}/db")


def test_a_service_keeps_its_own_name() -> None:
    typed = parse("postgresql:///db?service=work")
    assert typed.identity(*KNOWN, "me", LOCAL4) == typed.identity(*KNOWN, "me")


@pytest.fixture(scope="module")
def by_socket(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Path]]:
    """A server that listens on a socket too, with the folder of it and a link to that."""
    sockets = Path(mkdtemp(prefix="session-explorer-socket-"))
    sockets.chmod(0o777)
    server = running(os.getpid(), {"unix_socket_directories": str(sockets)})
    make_template(server, tmp_path_factory.mktemp("power-loop"))
    yield server, sockets
    stop(server)
    rmtree(sockets)


@pytest.fixture
def ground(by_socket: tuple[Server, Path], tmp_path: Path) -> Iterator[Ground]:
    made = copy(by_socket[0], tmp_path)
    yield made
    made.drop()


def _found(address: str) -> list[FoundStore]:
    return every_set(locate([address], (), {}, None))


def _opened(ground: Ground, address: str) -> tuple[Store, Edits]:
    found, notes = _found(address), ground.folder / "explorer.db"
    store = open_found(found, notes=notes, trash=ground.folder / "trash.db")
    ours = OurFiles(ground.folder / "trash.db", lambda: 2e9, notes_on(found, notes))
    return store, store.edits(ours)


def _typed(ground: Ground, host: str) -> str:
    return f"postgresql://postgres@{host}:{ground.server.port}/{ground.database}"


def test_a_pin_a_title_and_the_trash_are_the_same_however_the_address_is_typed(
    ground: Ground,
) -> None:
    ground.run("UPDATE pl_sessions SET metadata_json = '{}'")
    before = ground.dump()
    store, edits = _opened(ground, _typed(ground, "localhost"))
    keys = store.keys_of(["first_root", "second_root"])
    edits.apply(edits.plan(Action.RENAME, [keys["first_root"]], title="Ours"))
    edits.apply(edits.plan(Action.PIN, [keys["first_root"]]))
    edits.apply(edits.plan(Action.DELETE, [keys["second_root"]]))
    assert str(store.path).startswith(f"postgresql://127.0.0.1:{ground.server.port}/")
    store, edits = _opened(ground, _typed(ground, "127.0.0.1"))
    assert [one.id for one in store.find("Ours")] == ["first_root"]
    assert edits.noted_pins() == {"first_root"}
    edits.undo(edits.undo_plan())
    assert ground.dump() == before


def test_what_our_files_knew_by_the_typed_name_is_still_there(ground: Ground) -> None:
    (found,) = _found(_typed(ground, "localhost"))
    typed = Path(f"/postgresql:/localhost:{ground.server.port}/{ground.database}/public/pl_")
    old, new = (Notes(ground.folder / "explorer.db", one) for one in (typed, found.path))
    old.pin(["first_root", "second_root"], True)
    old.entitle("first_root", "From before")
    old.choose("sort", "title")
    new.pin(["first_root"], True)
    new.entitle("second_root", "Newer")
    old.entitle("second_root", "Older")
    trash = partial(TrashFile, ground.folder / "trash.db")
    with trash(typed).writing() as writer:
        number = writer.begin("delete", "Deleted “x”", 1.0)
    for _ in range(2):
        _opened(ground, _typed(ground, "localhost"))
        assert new.pins() == {"first_root", "second_root"}
        assert new.titles() == {"first_root": "From before", "second_root": "Newer"}
        assert new.choice("sort") == "title"
        assert (old.pins(), old.titles(), old.choice("sort")) == (frozenset(), {}, None)
        assert [one.number for one in trash(found.path).receipts()] == [number]
        assert trash(typed).receipts() == []


def test_names_stay_as_they_are_while_a_change_is_in_progress(ground: Ground) -> None:
    typed = Path(f"/postgresql:/localhost:{ground.server.port}/{ground.database}/public/pl_")
    busy = TrashFile(ground.folder / "trash.db", typed)
    with busy.alone():
        with busy.writing() as trash:
            trash.begin("delete", "Deleted “x”", 1.0)
        _opened(ground, _typed(ground, "localhost"))
        assert len(busy.receipts()) == 1
    _opened(ground, _typed(ground, "localhost"))
    assert busy.receipts() == []


def test_a_socket_has_one_name_and_not_that_of_an_ip_address(
    ground: Ground, by_socket: tuple[Server, Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _, sockets = by_socket
    link = tmp_path / "link"
    link.symlink_to(sockets)
    by_ip = _found(_typed(ground, "127.0.0.1"))[0].path
    quoted = [str(one).replace("/", "%2F") for one in (sockets, link)]
    by_folder = [_found(_typed(ground, one))[0].path for one in quoted]
    monkeypatch.setenv("PGHOST", str(sockets))
    monkeypatch.setenv("PGPORT", str(ground.server.port))
    without = _found(f"postgresql://postgres@/{ground.database}")[0].path
    assert len({*by_folder, without}) == 1
    assert by_ip not in by_folder


def test_one_database_under_two_names_is_listed_once(ground: Ground) -> None:
    twice = [_typed(ground, "localhost"), _typed(ground, "127.0.0.1")]
    assert len(every_set(locate(twice, (), {}, None))) == 1
