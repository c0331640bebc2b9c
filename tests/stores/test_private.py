"""What the privacy view hides and what it leaves alone, and that no way out of a store is open."""

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.render import veil
from explorer.render.session_context import session_context
from explorer.stores.base import Needles, Store
from explorer.stores.kinds import open_store
from explorer.stores.private.hiding import Hiding
from explorer.stores.private.marks import Marks, Who
from explorer.stores.private.needles import findable, may_be_mark
from explorer.stores.private.store import PrivateStore
from explorer.stores.private.view import turn_off, turn_on
from tests.planted import ACCENTED, PERSON, SCHEMAS, SESSION_ID, leaks, planted

KEY = bytes(32)


@pytest.fixture(autouse=True)
def _off_again() -> Iterator[None]:
    yield
    turn_off()


def _hiding(*people: str, chats: tuple[str, ...] = ()) -> Hiding:
    hiding = Hiding(Marks(KEY))
    for name in people:
        hiding.add(Who.USER, name, name=True)
    for name in chats:
        hiding.add(Who.CHAT, name, name=True)
    return hiding


@pytest.mark.parametrize(
    "value", ["", " ", "a", "the", "The", "to", "I", "42", "2026", ".", "-", "\n", "user", "may"]
)
def test_a_value_that_would_destroy_text_is_not_looked_for(value: str) -> None:
    text = "The cat sat on the mat in 2026, at 42 degrees. May I come to the user - a friend?"
    assert _hiding(value, chats=(value,)).hide(text) == text


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Ada Lovelace", 1),
        ("ADA LOVELACE and ada lovelace", 2),
        ("Hi Ada, says Lovelace.", 2),
        ("Canada, adapter, metadata, ada", 0),
        ("dump_Ada Lovelace_2.json", 1),
        ("(Ada Lovelace's)", 1),
    ],
)
def test_a_name_is_found_as_whole_words(text: str, found: int) -> None:
    hidden = _hiding(PERSON).hide(text)
    assert hidden.count("user_") == found
    assert found or hidden == text


@pytest.mark.parametrize(
    "text",
    [
        *("Ada%20Lovelace", "Ada+Lovelace", "ada.lovelace@example.com", "ada-lovelace"),
        *("ada_lovelace.pdf", "AdaLovelace", "@adalovelace", "adaLovelace", "Ada\nLovelace"),
        *("lovelace", "Zoe Muller", "zoe-muller", "Muller", "Zo%C3%AB%20M%C3%BCller"),
        *("#kestrel-watchers", "Kestrel_Watchers", "KestrelWatchers", "#kestrelwatchers"),
        *("https://t.me/c/1234567890/7", "0151 12345678", "(0151) 1234 5678", "49 151 12345678"),
        *("0049 151 12345678", "49151 1234 5678", "0151/12345678", "+49 (151) 12 34 56 78"),
    ],
)
def test_usual_spellings_of_what_is_known_are_hidden(text: str) -> None:
    hiding = _hiding(PERSON, ACCENTED, chats=("Kestrel Watchers",))
    hiding.add(Who.USER, "4915112345678@s.whatsapp.net")
    hiding.add(Who.CHAT, "-1001234567890")
    hidden = hiding.hide(f"See {text}, please.")
    assert "_" in hidden
    for piece in ("lace", "ller", "estrel", "atchers", "345", "5678", "5 6", "0151", "ada", "Ada"):
        assert piece not in re.sub("(?:user|chat)_[0-9a-f]{12}", "", hidden)


@pytest.mark.parametrize(
    "text",
    [
        *("ada and zoë, adamant, a lovely lace", "The homework and the database.", "book club? no"),
        *("2026-11-18 18:05:11, 10.0.0.151, 12345678", "kestrelwatcher", "a will-do task"),
    ],
)
def test_other_words_and_numbers_are_left_alone(text: str) -> None:
    hiding = _hiding(PERSON, ACCENTED, chats=("Kestrel Watchers", "Home Work", "Data Base"))
    hiding.add(Who.USER, "4915112345678@s.whatsapp.net")
    hiding.add(Who.USER, "Will Do", name=True)
    assert hiding.hide(text) == text


def test_a_name_that_is_a_word_is_hidden_with_a_capital_letter() -> None:
    hidden = _hiding("Anna Miller").hide("Miller, says the miller.")
    assert hidden.startswith("user_")
    assert hidden.endswith(", says the miller.")


def test_many_names_that_begin_alike_are_compared_once_each() -> None:
    """However many there are, a text is compared with each length of a name, not with each name."""
    hiding = _hiding(*(f"User {number}" for number in range(3000)))
    assert len(hiding._by_word["user"]) <= 8
    assert hiding.hide("User 2999, User 3000").endswith(", User 3000")


@pytest.mark.parametrize(
    "number",
    [
        *("+49 151 1234-5678", "+4915112345678", "(555) 010-4477", "555-010-4477"),
        *("+1 (555) 010-4477", "1-555-010-4477", "4915112345678@s.whatsapp.net"),
    ],
)
def test_a_phone_number_is_known_by_its_shape(number: str) -> None:
    hidden = _hiding().hide(f"Ring {number}, please.")
    assert hidden.startswith("Ring user_")
    assert hidden.endswith(", please.")
    assert len(hidden) == len("Ring user_123456789012, please.")


@pytest.mark.parametrize(
    "text",
    [
        *("2026-09-22 10:00:00", "1789990000.5", "+2026-09-22 added", "10.0.0.1", "a+12345678b"),
        *("555-0104", "20260101_120000_ab12cd", "v1.2.3-4567", "x = 1234567890", "1+2+3"),
        *("2026-09-22T10:00:00+00:00", "123e4567-e89b-12d3-a456-426614174000"),
    ],
)
def test_other_numbers_are_left_alone(text: str) -> None:
    assert _hiding().hide(text) == text


def test_one_person_has_one_mark_however_the_number_is_written() -> None:
    hiding = _hiding()
    hiding.add(Who.USER, "+4915112345678")
    hiding.add(Who.CHAT, "4915112345678@s.whatsapp.net")
    text = "+49 151 1234-5678|+4915112345678|4915112345678|4915112345678@s.whatsapp.net"
    assert len(set(hiding.hide(text).split("|"))) == 1


def test_a_chat_keeps_its_platform() -> None:
    hiding = _hiding()
    assert hiding.whole(Who.CHAT, "telegram:12345").startswith("telegram:chat_")
    key = hiding.hide("agent:main:telegram:dm:7")
    assert key.startswith("agent:main:telegram:dm:chat_")
    assert hiding.hide(key) == key
    assert hiding.hide("agent:main:discord:dm:7") == "agent:main:discord:dm:7"


def test_a_name_is_found_in_the_way_json_writes_it() -> None:
    hiding = _hiding(ACCENTED)
    once = json.dumps({"to": ACCENTED})
    for text in (once, json.dumps(once), f"x {ACCENTED}"):
        assert "user_" in hiding.hide(text)
        assert "ller" not in hiding.hide(text)


@given(st.text(max_size=80), st.lists(st.text(max_size=12), max_size=4))
def test_hiding_twice_changes_nothing_more(text: str, people: list[str]) -> None:
    hiding = _hiding(*people, chats=tuple(people))
    once = hiding.hide(f"{text} {' '.join(people)}")
    assert hiding.hide(once) == once


@given(st.sampled_from(["user_0123456789ab", "see chat_fedcba987654, then", "a user_00000000dead"]))
def test_no_part_of_a_mark_is_looked_for_in_the_file(text: str) -> None:
    start = text.index("_") - 4
    for begin in range(len(text)):
        for end in range(begin + 1, len(text) + 1):
            if begin < start + 17 and end > start:
                assert may_be_mark(text[begin:end]), text[begin:end]
    kept = Needles(((text,), ("peregrine",)), sure=(("peregrine",),))
    assert findable(kept) == Needles((("peregrine",),))


READ = {
    *("chat_routes", "chat_sessions", "chats", "columns", "columns_among", "details"),
    *("file_session", "find", "first_page", "indexed", "lost_messages", "messages"),
    *("pinned", "ranked", "scanned", "scattered", "sessions", "system_prompt"),
}
"""Ways out of a store that give text of people, or say what may hold it: each is masked."""
USED = {
    *("around", "catalog", "catalog_by", "census", "census_by", "changes", "dialect", "edits"),
    *("fates", "fates_stamp", "figures", "read_since"),
    *("first_outlines", "handover", "home", "info", "key_of", "keys_of", "keys_starting", "look"),
    *("message_key", "newest_below", "noted_as", "noted_id", "origin", "outlines", "own_notes"),
    *("place", "profiles_at", "recovered", "scoped", "set_of", "stores", "together", "too_long"),
    *("chats_stamp", "file_catalog", "file_sessions", "hold", "let_go", "one_of", "resume_call"),
    *("transcript_provenance", "troubles"),
}
"""Those that give none, or something that is used and not read; what they give is passed on."""


def test_no_way_out_of_a_store_is_forgotten() -> None:
    ways = {
        name
        for name, what in vars(Store).items()
        if not name.startswith("_") and (callable(what) or isinstance(what, property))
    }
    assert ways == READ | USED
    assert ways <= vars(PrivateStore).keys()


@pytest.mark.parametrize("schema", SCHEMAS)
def test_nothing_that_is_read_has_a_secret(schema: str, tmp_path: Path) -> None:
    path = planted(schema, tmp_path / "home")
    turn_on(tmp_path / "ours")
    store = open_store(path)
    catalog = store.catalog()
    key = store.keys_of([SESSION_ID])[SESSION_ID]
    units = [catalog.folded(one) for one in catalog.by_last_active(catalog.select(set())[0])]
    rows = store.sessions(units, 0.0)
    ids = [one.id for one in store.outlines(key)]
    messages = store.messages(key, ids)
    assert len(messages) == 5, "one of them is in a file"
    told = [
        *(str(one._replace(id="", tip_id="", root_id="", workspace="")) for one in rows),
        *(str(one._replace(session_id="")) for one in messages),
        *(str(one._replace(session_id="")) for _, one in store.scattered([(key, ids[0])])),
        store.system_prompt(key),
        *(
            row[1]
            for section in store.details(catalog.single(key)).sections
            for row in section.rows
            if SESSION_ID not in row[1] and row[0] != "Workspace"
        ),
    ]
    assert [leaks(one) for one in told if leaks(one)] == []
    assert veil.holds_mark("".join(told))


def test_people_that_come_while_it_is_open_are_hidden(tmp_path: Path) -> None:
    path = planted("hermes-v31", tmp_path / "home")
    turn_on(tmp_path / "ours")
    store = open_store(path)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(
            "INSERT INTO sessions (id, source, user_id, display_name, chat_type, title, started_at)"
            " VALUES ('new', 'telegram', '70070070', 'Wilhelmina Zett', 'dm', ?, 1790000000)",
            ("Wilhelmina Zett, 70070070",),
        )
    key = store.keys_of(["new"])["new"]
    (row,) = store.sessions([store.catalog().single(key)], 0.0)
    assert row.title is not None
    assert "Zett" not in row.title
    assert "70070070" not in row.title


@pytest.mark.parametrize(
    "text", ["[", "{}", "[[[]]]", '{"a": 1}', "\0", "", '{"k": {"origin": 5}}']
)
def test_a_broken_file_of_routes_is_survived(text: str, tmp_path: Path) -> None:
    path = planted("hermes-v31", tmp_path / "home")
    (path.parent / "sessions" / "sessions.json").write_text(text)
    turn_on(tmp_path / "ours")
    assert open_store(path).catalog()


def test_where_the_agent_is_names_nobody(tmp_path: Path) -> None:
    turn_on(tmp_path / "ours")
    found = session_context(
        "## Current Session Context\n\n**Source:** Telegram (DM with Bo)\n**User:** Bo (@bo_l)\n"
        "**Connected Platforms:** telegram: Connected ✓\n\n"
        "**Home Channels (default destinations):**\n  - telegram: Home (ID: 99887766)\n"
    )
    assert found is not None
    assert "Home channels: Telegram: chat_" in found.text
    for secret in ("Bo", "bo_l", "Home (", "99887766"):
        assert secret not in found.text
