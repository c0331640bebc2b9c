"""Chats: routes and sessions joined over the files of two profiles, as the gateway sees them."""

import os
import shutil
from pathlib import Path

import pytest

from explorer.stores.base import Store
from explorer.stores.chats import Chat, KnownFrom, RouteTarget
from explorer.stores.columns import CHAT
from explorer.stores.discover import locate
from explorer.stores.hermes.routes_file import LARGEST
from explorer.stores.kinds import open_store
from explorer.stores.open_found import open_found
from tests.factories import altered
from tests.gateway_homes import (
    CHATS,
    EVIL_NAME,
    NAMED,
    NOW,
    OTHER,
    SCHEMAS,
    add_route,
    entry_of,
    gateway_home,
    origin,
    write_routes,
)
from tests.profile_homes import profile_file
from tests.real_gateway import VERSIONS, run_gateway

NAMED_BY_US = {"topic": "group: Ops, thread: Deploys", "thread": "harvest"}
"""Where we say more than the gateway does, or leave out an id that says nothing."""


def library(root: Path) -> Store:
    return open_found(locate([str(root)], [], {}, None))


def chats_of(root: Path) -> dict[str, Chat]:
    return {chat.key: chat for chat in library(root).chats(NOW).chats}


@pytest.mark.parametrize("schema", SCHEMAS)
def test_every_chat_has_its_words_its_session_and_its_earlier_ones(
    tmp_path: Path, schema: int
) -> None:
    found = chats_of(gateway_home(tmp_path / "hermes", schema))
    assert found.keys() == {chat.key for chat in CHATS}
    for chat in CHATS:
        one = found[chat.key]
        words = NAMED_BY_US.get(chat.name, chat.words).strip()
        assert one.words == words, chat.name
        assert one.origin.platform == chat.platform
        assert one.session_id == chat.session
        assert (one.current is not None) == (chat.lies_in is not None)
        assert [(old.id, old.end_reason) for old in one.earlier] == list(chat.earlier)


def test_chats_are_listed_by_their_last_update(tmp_path: Path) -> None:
    listed = library(gateway_home(tmp_path / "hermes")).chats(NOW).chats
    assert [chat.key for chat in listed] == [chat.key for chat in CHATS]


def test_a_chat_says_what_it_is_known_from(tmp_path: Path) -> None:
    found = chats_of(gateway_home(tmp_path / "hermes"))
    for chat in CHATS:
        known = KnownFrom.FILE if chat.file else KnownFrom.SESSIONS
        assert found[chat.key].known_from is (KnownFrom.ROUTING if chat.table else known)


def test_the_table_counts_where_the_file_is_stale(tmp_path: Path) -> None:
    chat = NAMED["channel"]
    assert chat.stale not in (None, chat.session)
    assert chats_of(gateway_home(tmp_path / "hermes"))[chat.key].session_id == chat.session


def test_a_route_says_where_its_session_is(tmp_path: Path) -> None:
    found = chats_of(gateway_home(tmp_path / "hermes"))
    target = {chat.name: found[chat.key].where for chat in CHATS}
    assert target["ada"] is RouteTarget.HERE
    assert target["gone"] is RouteTarget.GONE
    assert target["family"] is RouteTarget.NONE
    ivy = found[NAMED["elsewhere"].key]
    assert (ivy.profile, ivy.place) == (OTHER, "default")
    assert ivy.current is not None
    assert ivy.current.place == OTHER
    jon = found[NAMED["multiplexed"].key]
    assert (jon.profile, jon.where) == (OTHER, RouteTarget.HERE)
    assert jon.current is not None
    assert jon.current.place == "default"


def test_flags_and_tokens_are_read(tmp_path: Path) -> None:
    found = chats_of(gateway_home(tmp_path / "hermes"))
    assert found[NAMED["suspended"].key].suspended
    assert found[NAMED["interrupted"].key].resume_pending
    assert found[NAMED["ada"].key].tokens == 6100


def test_one_file_alone_says_that_a_session_is_not_in_it(tmp_path: Path) -> None:
    root = gateway_home(tmp_path / "hermes")
    alone = {chat.key: chat for chat in open_store(root / "state.db").chats(NOW).chats}
    assert alone[NAMED["elsewhere"].key].where is RouteTarget.GONE
    assert alone[NAMED["ada"].key].where is RouteTarget.HERE


def test_the_same_key_in_two_profiles_is_two_chats(tmp_path: Path) -> None:
    root = gateway_home(tmp_path / "hermes")
    ada = NAMED["ada"]
    other = entry_of(ada) | {"session_id": NAMED["interrupted"].session}
    add_route(profile_file(root, OTHER), ada.key, other, NOW)
    both = [chat for chat in library(root).chats(NOW).chats if chat.key == ada.key]
    assert {(chat.profile, chat.session_id) for chat in both} == {
        ("default", ada.session),
        (OTHER, NAMED["interrupted"].session),
    }


def test_chats_of_two_homes_are_never_one(tmp_path: Path) -> None:
    """A backup has the sessions of the home beside it, here without most of the routes."""
    root = gateway_home(tmp_path / "hermes")
    alone = chats_of(root)
    copied = shutil.copytree(root, tmp_path / "backup")
    with altered(copied / "state.db") as db:
        db.execute("DELETE FROM gateway_routing")
    shutil.rmtree(copied / "sessions")
    both = open_found(locate([str(copied), str(root)], [], {}, None)).chats(NOW).chats
    of_home = {chat.key: chat for chat in both if chat.file.startswith(str(root))}
    assert of_home.keys() == alone.keys()
    for key, chat in of_home.items():
        known = alone[key]
        assert (chat.known_from, chat.session_id) == (known.known_from, known.session_id)
        assert chat.where is known.where
        assert [(one.id, one.file) for one in chat.sessions] == [
            (one.id, one.file) for one in known.sessions
        ]
    of_backup = [chat for chat in both if chat.file.startswith(str(copied))]
    assert all(one.file.startswith(str(copied)) for chat in of_backup for one in chat.sessions)


def test_a_route_of_a_moved_home_is_shown_and_marked(tmp_path: Path) -> None:
    root = gateway_home(tmp_path / "hermes")
    moved = root.rename(tmp_path / "elsewhere")
    found = chats_of(moved)
    assert found[NAMED["ada"].key].moved
    assert found[NAMED["ada"].key].session_id == NAMED["ada"].session
    assert not found[NAMED["mum"].key].moved


def test_a_route_of_this_folder_beats_one_of_another(tmp_path: Path) -> None:
    root = gateway_home(tmp_path / "hermes")
    ada = NAMED["ada"]
    stale = entry_of(ada) | {"session_id": "older"}
    add_route(root / "state.db", ada.key, stale, NOW + 9, scope="/nowhere/sessions")
    one = chats_of(root)[ada.key]
    assert (one.session_id, one.moved) == (ada.session, False)


def test_parts_of_one_conversation_are_not_earlier_sessions(tmp_path: Path) -> None:
    root = gateway_home(tmp_path / "hermes")
    ada = NAMED["ada"]
    with altered(root / "state.db") as db:
        db.execute(
            "UPDATE sessions SET end_reason = 'compression' WHERE id = ?", (ada.earlier[0][0],)
        )
        db.execute(
            "UPDATE sessions SET parent_session_id = ? WHERE id = ?",
            (ada.earlier[0][0], ada.session),
        )
    assert [one.id for one in chats_of(root)[ada.key].earlier] == [
        id_ for id_, _ in ada.earlier[1:]
    ]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[1, 2]",
        b"null",
        b'{"a": 1, "agent:main:telegram:dm:1": "text"}',
        b'{"agent:main:telegram:dm:1": {"session_id": 7}}',
        b'{"agent:main:telegram:dm:1": {"session_id": "x", "origin": [1], "updated_at": {}}}',
        b'{"k": ' + b"[" * 100_000,
        b'{"k": {"session_id": "s", "origin": {"platform": true, "chat_id": 1e999}}}',
        b"\xff\xfe\x00bad",
    ],
)
def test_a_hostile_routes_file_is_survived(tmp_path: Path, content: bytes) -> None:
    root = gateway_home(tmp_path / "hermes")
    (root / "sessions/sessions.json").write_bytes(content)
    found = library(root).chats(NOW)
    assert NAMED["ada"].key in {chat.key for chat in found.chats}


def test_an_unreadable_routes_file_is_said(tmp_path: Path) -> None:
    root = gateway_home(tmp_path / "hermes")
    file = root / "sessions/sessions.json"
    file.write_text("{")
    assert library(root).chats(NOW).troubles == (
        f"Cannot read {file.resolve()}: it is not valid JSON.",
    )
    file.unlink()
    os.mkfifo(file)
    (trouble,) = library(root).chats(NOW).troubles
    assert trouble.endswith("it is not a regular file.")
    file.unlink()
    file.write_bytes(b" " * (LARGEST + 1))
    (trouble,) = library(root).chats(NOW).troubles
    assert trouble.endswith("it is larger than 16 MB.")


def test_a_hostile_table_is_survived(tmp_path: Path) -> None:
    root = gateway_home(tmp_path / "hermes")
    with altered(root / "state.db") as db:
        for at, entry in enumerate((None, b"\xff\x00", 7, "[]", "{", '{"session_id": ""}')):
            db.execute(
                "INSERT OR REPLACE INTO gateway_routing VALUES (?, ?, ?, ?)",
                ("", f"odd:{at}", entry if entry is not None else "null", "soon"),
            )
    found = library(root).chats(NOW)
    assert len(found.chats) == len(CHATS)
    assert any("6 routes" in trouble for trouble in found.troubles)


def test_hostile_names_are_kept_as_they_are_for_the_caller_to_clean(tmp_path: Path) -> None:
    evil = chats_of(gateway_home(tmp_path / "hermes"))[NAMED["evil"].key]
    assert evil.origin.chat_name == EVIL_NAME
    assert len(evil.origin.user_name) <= 500


@pytest.mark.parametrize("version", VERSIONS)
def test_what_the_real_gateway_wrote_is_read_back(tmp_path: Path, version: str) -> None:
    home = tmp_path / "hermes"
    ada = origin("telegram", "7001", chat_name="Ada", user_id="7001", user_name="Ada")
    ops = origin("slack", "C1", chat_name="ops", chat_type="group", user_id="U1", user_name="Bo")
    steps = [
        {"do": "message", "source": ada, "at": NOW - 5000},
        {"do": "message", "source": ops, "at": NOW - 4000},
        {"do": "reset", "source": ada, "at": NOW - 3000},
        {"do": "suspend", "source": ops, "at": NOW - 2000},
    ]
    real = run_gateway(version, home, steps, at=NOW)
    found = {chat.key: chat for chat in open_store(home / "state.db").chats(NOW).chats}
    assert found.keys() == {chat.key for chat in real.chats}
    for chat in real.chats:
        one = found[chat.key]
        assert (one.session_id, one.words) == (chat.session_id, chat.words)
        assert one.suspended == bool(chat.entry["suspended"])
        assert one.current is not None
        assert one.where is RouteTarget.HERE


def test_early_routes_without_counters_are_read(tmp_path: Path) -> None:
    root = gateway_home(tmp_path / "hermes")
    entry = {"session_key": "k", "session_id": NAMED["ada"].session, "memory_flushed": True}
    write_routes(root / "sessions", {"agent:main:matrix:dm:9": entry}, note=False)
    one = chats_of(root)["agent:main:matrix:dm:9"]
    assert (one.origin.platform, one.tokens, one.known_from) == (
        "matrix",
        None,
        KnownFrom.FILE,
    )


def test_the_list_of_an_early_gateway_says_who_talked(tmp_path: Path) -> None:
    """Its state file has no columns for it: only `sessions.json` knows."""
    home = tmp_path / "hermes"
    ada = origin("telegram", "7001", chat_name="Ada", user_id="7001", user_name="Ada")
    message = {"role": "user", "content": "hello"}
    steps = [
        {"do": "message", "source": ada, "at": NOW - 5000},
        {"do": "append", "source": ada, "messages": [message], "at": NOW - 4000},
    ]
    run_gateway("0.13.0", home, steps, at=NOW)
    store = open_store(home / "state.db")
    units = [store.catalog().folded(key) for key in store.catalog().keys]
    (row,) = store.sessions(units, NOW)
    assert row.origin == "DM with Ada"
    assert list(store.columns({CHAT})[CHAT].values()) == ["DM with Ada\nAda"]


def resets(root: Path) -> dict[str, str]:
    found = chats_of(root)
    return {chat.name: found[chat.key].reset.words for chat in CHATS}


def test_a_chat_says_what_happens_to_it_next(tmp_path: Path) -> None:
    root = gateway_home(tmp_path / "hermes")
    assert resets(root)["ada"] == "Next message continues this session"
    assert resets(root)["suspended"] == "Next message starts a new session"
    (root / "config.yaml").write_text("session_reset: {mode: idle, idle_minutes: 2880}\n")
    said = resets(root)
    assert said["ada"].startswith("New session after 2 d without a message (")
    assert said["topic"] == "Next message starts a new session"
    assert max(map(len, said.values())) < 78
    assert chats_of(root)[NAMED["ada"].key].reset.mode == "idle"
    (root / "config.yaml").write_text("session_reset: {mode: [idle\n")
    assert resets(root)["ada"].startswith("Not known: ")
    assert resets(root)["family"] == ""


def test_newer_hermes_never_resets(tmp_path: Path) -> None:
    root = gateway_home(tmp_path / "hermes", 31)
    assert resets(root)["ada"] == "Next message continues this session"
    assert chats_of(root)[NAMED["ada"].key].reset.mode == "never"


def test_nothing_is_claimed_of_a_moved_home(tmp_path: Path) -> None:
    moved = gateway_home(tmp_path / "hermes").rename(tmp_path / "elsewhere")
    assert resets(moved)["ada"] == ""
