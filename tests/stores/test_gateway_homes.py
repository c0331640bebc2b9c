"""The home of a gateway that other tests read: is it what a real gateway would leave?"""

import json
from pathlib import Path

import pytest

from explorer.stores.kinds import open_store
from tests.factories import pairs, rows
from tests.gateway_homes import (
    CHATS,
    FIRST_SHAPE,
    NAMED,
    NOW,
    OTHER,
    PROFILES,
    SCHEMAS,
    entry_of,
    gateway_home,
    origin,
    routes_in_file,
    sessions_of,
    write_routes,
)
from tests.profile_homes import profile_file
from tests.real_gateway import VERSIONS, real_keys, run_gateway

T = 1_760_000_000.0
ADA = origin("telegram", "7001", chat_name="Ada", user_id="7001", user_name="Ada")
OPS = origin("telegram", "-100200", chat_name="Ops", chat_type="group", thread_id="17")


def test_home_has_twelve_chats_over_five_platforms_in_two_profiles() -> None:
    assert len(CHATS) == len({chat.key for chat in CHATS}) == 12
    platforms = {chat.platform for chat in CHATS}
    assert platforms == {"telegram", "discord", "slack", "whatsapp", "signal"}
    assert {chat.gateway for chat in CHATS} == set(PROFILES)
    places = {(chat.table, chat.file) for chat in CHATS}
    assert len(places) == 4


@pytest.mark.parametrize("schema", SCHEMAS)
def test_routes_and_sessions_are_where_each_chat_says(tmp_path: Path, schema: int) -> None:
    root = gateway_home(tmp_path / "hermes", schema)
    for profile in PROFILES:
        path = profile_file(root, profile)
        assert rows(path, "SELECT version FROM schema_version") == [(schema,)]
        mine = [chat for chat in CHATS if chat.gateway == profile]
        table = pairs(path, "SELECT session_key, entry_json FROM gateway_routing")
        named = {key: json.loads(str(entry))["session_id"] for key, entry in table.items()}
        assert named == {chat.key: chat.session for chat in mine if chat.table}
        filed = {key: entry["session_id"] for key, entry in routes_in_file(root, profile).items()}
        assert filed == {chat.key: chat.stale or chat.session for chat in mine if chat.file}
        stored = pairs(path, "SELECT id, session_key FROM sessions")
        here = [chat for chat in CHATS if chat.lies_in == profile]
        assert stored == {id_: chat.key for chat in here for id_ in sessions_of(chat)}
        assert open_store(path).catalog().keys


def test_first_shape_has_neither_counters_nor_flags(tmp_path: Path) -> None:
    entry = routes_in_file(gateway_home(tmp_path / "hermes"))[NAMED["mum"].key]
    assert entry["memory_flushed"] is True
    assert not set(entry) & set(FIRST_SHAPE)


def test_keys_and_words_are_those_of_the_real_gateway(tmp_path: Path) -> None:
    told = real_keys("0.19.0", tmp_path / "home", [chat.origin for chat in CHATS])
    assert told == [(chat.key, chat.words) for chat in CHATS]


def test_real_gateway_reads_the_home(tmp_path: Path) -> None:
    """It knows every route of its table and its file, even to sessions that its file lacks."""
    root = gateway_home(tmp_path / "hermes")
    told = run_gateway("0.19.0", root, at=NOW)
    mine = [chat for chat in CHATS if chat.gateway == "default" and (chat.table or chat.file)]
    assert {chat.key: chat.session_id for chat in told.chats} == {
        chat.key: chat.session for chat in mine
    }
    here = [chat for chat in mine if chat.lies_in == "default"]
    assert [chat.key for chat in told.chats if chat.transcript] == [chat.key for chat in here]


@pytest.mark.parametrize("version", VERSIONS)
def test_real_gateway_writes_the_shape_of_our_entries(tmp_path: Path, version: str) -> None:
    told = run_gateway(version, tmp_path / "home", [{"do": "message", "source": ADA}], at=T)
    (chat,) = told.chats
    ours = entry_of(NAMED["ada"])
    later = {"was_auto_reset", "auto_reset_reason", "reset_had_activity"}
    assert set(ours) - set(chat.entry) == (later if version == "0.13.0" else set())
    assert set(chat.entry) <= set(ours)
    assert chat.entry["origin"] == ADA
    assert (chat.key, chat.words) == (NAMED["ada"].key, NAMED["ada"].words)


@pytest.mark.parametrize("version", VERSIONS)
def test_real_gateway_resets_switches_and_keeps_transcripts(tmp_path: Path, version: str) -> None:
    home = tmp_path / "home"
    hello = {"role": "user", "content": "hello", "timestamp": T}
    first = run_gateway(
        version,
        home,
        [
            {"do": "message", "source": ADA, "at": T},
            {"do": "append", "source": ADA, "messages": [hello]},
            {"do": "message", "source": OPS, "at": T + 5},
            {"do": "reset", "source": ADA, "at": T + 9},
        ],
        at=T + 10,
    )
    begun, said, group, fresh = first.done
    assert begun == said != fresh
    assert [chat.words for chat in first.chats] == ["DM with Ada", "group: Ops, thread: 17"]
    assert first.chats[0].session_id == fresh
    assert (home / "sessions" / f"{begun}.jsonl").exists() is (version == "0.13.0")
    back = {"do": "switch", "source": ADA, "to": str(begun), "at": T + 20}
    second = run_gateway(version, home, [back, {"do": "suspend", "source": OPS}], at=T + 21)
    ada = second.chats[0]
    assert (ada.session_id, [m["content"] for m in ada.transcript]) == (begun, ["hello"])
    assert second.chats[1].entry["suspended"] is True
    ends = pairs(home / "state.db", "SELECT id, end_reason FROM sessions")
    assert ends == {begun: None, group: None, fresh: "session_switch"}


@pytest.mark.parametrize("version", VERSIONS)
def test_real_gateway_reads_early_entries(tmp_path: Path, version: str) -> None:
    """Entries without counters and flags, and with the flag that they had instead."""
    home = tmp_path / "home"
    begun = run_gateway(version, home, [{"do": "message", "source": ADA}], at=T).done[0]
    early = {
        name: value for name, value in entry_of(NAMED["ada"]).items() if name not in FIRST_SHAPE
    }
    early |= {"session_id": begun, "memory_flushed": True}
    key = NAMED["mum"].key
    write_routes(home / "sessions", {key: early | {"session_key": key}}, note=False)
    told = run_gateway(version, home, at=T)
    entry = told.chat(key).entry
    assert (entry["expiry_finalized"], entry["total_tokens"]) == (True, 0)


def test_named_profile_has_chats_of_its_own_and_in_the_root(tmp_path: Path) -> None:
    root = gateway_home(tmp_path / "hermes")
    names = pairs(profile_file(root, "default"), "SELECT id, profile_name FROM sessions")
    assert names[NAMED["multiplexed"].session] == OTHER
    there = pairs(profile_file(root, OTHER), "SELECT id, session_key FROM sessions")
    assert there[NAMED["elsewhere"].session] == f"agent:{OTHER}:telegram:dm:7003"
    assert there[NAMED["interrupted"].session] == NAMED["interrupted"].key
