"""`chats`: what a person reads, what a script reads, and the same chats in `list` and `search`."""

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from explorer.completion.candidates import completions
from explorer.errors import ExitCode
from tests.conftest import Command
from tests.factories import one_session
from tests.gateway_homes import CHATS, NAMED, NOW, OTHER, add_chat, gateway_home, origin
from tests.hostile import ESC

KEYS = {
    *("key", "platform", "chat_type", "name", "description", "thread_id", "topic", "user"),
    *("profile", "store", "session_id", "session_title", "updated_at", "tokens", "cost_usd"),
    *("state", "reset", "earlier", "known_from"),
}


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATA", "CONFIG", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    monkeypatch.setenv("HERMES_HOME", str(gateway_home(tmp_path / "hermes")))


def test_every_chat_is_a_document(command: Command) -> None:
    found = command("chats", "--json").json
    assert (found["total"], len(found["chats"])) == (len(CHATS), len(CHATS))
    for one, chat in zip(found["chats"], CHATS, strict=True):
        assert set(one) >= KEYS
        assert (one["key"], one["platform"], one["session_id"]) == (
            chat.key,
            chat.platform,
            chat.session,
        )
        assert set(one["reset"]) >= {"mode", "at", "reason"}
        assert [old["id"] for old in one["earlier"]] == [id_ for id_, _ in chat.earlier]
    states = {one["key"]: one["state"] for one in found["chats"]}
    assert states[NAMED["suspended"].key] == "suspended"
    assert states[NAMED["interrupted"].key] == "resume_pending"


def test_chats_are_filtered_by_platform_word_and_age(command: Command) -> None:
    def words(*arguments: str) -> list[str]:
        return [one["description"] for one in command("chats", "--json", *arguments).json["chats"]]

    assert words("--platform", "slack") == ["group: team, thread: 1712.0042", "DM with Fay"]
    assert words("--platform", "slack", "fay") == ["DM with Fay"]
    assert words("deploys") == ["group: Ops, thread: Deploys"]
    assert words("--active", "1h") == []


def test_a_person_reads_who_where_and_which_session(command: Command) -> None:
    done = command("chats")
    assert "DM with Ada  telegram · default" in done.out
    assert "3 earlier sessions" in done.out
    assert "is gone: deleted, or in another file" in done.out
    assert f"{OTHER}, in default" in done.out
    assert ESC not in done.out
    assert done.err.endswith("12 chats\n")


def test_chats_of_two_homes_say_which_one_they_are_of(command: Command, tmp_path: Path) -> None:
    root, backup = tmp_path / "hermes", tmp_path / "backup"
    shutil.copytree(root, backup)
    both = "--db", root, "--db", backup
    said = command(*both, "chats").out
    for place in ("hermes", "backup"):
        assert f"DM with Ada  telegram · {place} ·" in said
        assert f" · {OTHER}, in {place} ·" in said
        assert f" · {place}/{OTHER} ·" in said
    every = command(*both, "chats", "--json", "profile:default").json["chats"]
    assert {one["store"] for one in every} == {f"{home}/state.db" for home in (root, backup)}
    one = command(*both, "chats", "--json", "profile:backup").json["chats"]
    assert {chat["store"] for chat in one} == {f"{backup}/state.db"}


def test_wrong_values_name_the_closest(command: Command) -> None:
    assert "Closest: telegram" in command("chats", "--platform", "telegrm").err
    done = command("chats", "--active", "soon")
    assert done.code == ExitCode.USAGE
    assert "12h, 7d or 8w" in done.err


def test_sessions_say_who_talked_and_are_found_by_it(command: Command) -> None:
    listed = {one["id"]: one["origin"] for one in command("list", "--json").json["sessions"]}
    assert listed[NAMED["ada"].session] == "DM with Ada"
    hits = command("search", "--json", "chat:ada").json["hits"]
    ids = {NAMED["ada"].session, *(id_ for id_, _ in NAMED["ada"].earlier)}
    assert {hit["session_id"] for hit in hits} == ids
    assert {hit["origin"] for hit in hits} == {"DM with Ada"}
    hits = command("search", "--json", "platform:slack asks").json["hits"]
    assert {hit["origin"] for hit in hits} == {"group: team, thread: 1712.0042", "DM with Fay"}
    assert command("search", "--json", "chat:deploys asks").json["total"] == 1


def test_a_home_without_a_gateway_has_no_chats(command: Command, tmp_path: Path) -> None:
    path = one_session(tmp_path / "state.db", title="Greeting")
    done = command("chats", "--db", str(path))
    assert (done.code, done.out) == (ExitCode.DONE, "")
    assert done.err.startswith("No chats.")


def chat_lines(out: str, name: str) -> list[str]:
    """What is printed of a chat."""
    return next(block.splitlines() for block in out.split("\n\n") if block.startswith(name))


def test_it_says_where_the_session_is_and_where_the_route(command: Command) -> None:
    head = chat_lines(command("chats").out, "DM with Ivy")[0]
    assert f"  telegram · {OTHER} · " in head
    assert "route in default" in head


def test_the_next_message_to_a_session_that_is_gone_starts_a_new_one(command: Command) -> None:
    lines = chat_lines(command("chats").out, "DM with Hal")
    assert lines[1].endswith("is gone: deleted, or in another file")
    assert lines[2] == "  Next message starts a new session"
    family = chat_lines(command("chats").out, "group: Family")
    assert "no route" in family[0]
    assert family[2] == "  Next message starts a new session"


def test_chats_that_look_alike_are_told_apart(command: Command, tmp_path: Path) -> None:
    channel, ada = NAMED["channel"], NAMED["ada"]
    add_chat(
        tmp_path / "hermes",
        replace(
            channel,
            key="agent:main:discord:channel:4401:8103",
            origin={**channel.origin, "user_id": "8103", "user_name": "Zoe"},
            session="20251019_130000_chan0009",
            earlier=(),
            stale=None,
        ),
    )
    add_chat(
        tmp_path / "hermes",
        replace(
            ada,
            key="agent:main:telegram:dm:7099",
            origin=origin("telegram", "7099", chat_name="Ada", user_id="7099", user_name="Ada"),
            session="20251022_100000_ada99",
            earlier=(),
        ),
    )
    out = command("chats").out
    for name in ("channel: general · Dora  ", "channel: general · Zoe  "):
        assert name in out
    for name in ("DM with Ada · 7001  ", "DM with Ada · 7099  "):
        assert name in out


def test_routes_that_cannot_be_read_are_not_called_forgotten(
    command: Command, tmp_path: Path
) -> None:
    path = tmp_path / "hermes" / "sessions" / "sessions.json"
    path.write_bytes(bytes(range(256)))
    done = command("chats")
    assert f"Cannot read {path}: " in done.err
    mum = chat_lines(done.out, "DM with Mum" if "DM with Mum" in done.out else "whatsapp")
    assert "route cannot be read" in mum[0]
    assert len(mum) == 2


def test_one_odd_value_does_not_drop_the_other_routes(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "hermes" / "sessions" / "sessions.json"
    entries = json.loads(path.read_text())
    entries["odd"] = {"session_id": 5}
    mum = json.dumps(entries[NAMED["mum"].key])
    text = json.dumps(entries).replace(mum, f'{mum[:-1]}, "total_tokens": 1e999}}')
    path.write_text(text)
    done = command("chats")
    assert f"1 route in {path} cannot be read: no session is named." in done.err
    assert "no route" not in chat_lines(done.out, "DM with Mum")[0]


def test_fields_work_as_in_the_app(command: Command) -> None:
    def words(*arguments: str) -> list[str]:
        return [one["description"] for one in command("chats", "--json", *arguments).json["chats"]]

    assert words("platform:slack") == words("--platform", "slack") != []
    assert words("platform:slack", "chat:fay") == ["DM with Fay"]
    assert words("chat:DM with Ada") == ["DM with Ada"]
    assert set(words(f"profile:{OTHER}")) < set(words())
    assert words("active:1h") == []


def test_an_unknown_platform_is_an_error(command: Command) -> None:
    for arguments in (["--platform", "slak"], ["platform:slak"]):
        done = command("chats", *arguments)
        assert (done.code, done.out) == (ExitCode.USAGE, "")
        assert "Closest: slack" in done.err


def test_platforms_and_chats_are_completed() -> None:
    def values(*words: str) -> list[str]:
        return [one.value for one in completions(words[:-1], words[-1], NOW).found]

    assert values("chats", "--platform", "s") == ["signal", "slack"]
    assert values("search", "platform:sl") == ["platform:slack"]
    assert values("search", "source:tele") == ["source:telegram"]
    assert values("search", "chat:Ad") == ["chat:Ada"]
    assert values("search", 'chat:"DM with A') == ['chat:"DM with Ada"']
    assert values("chats", "platform:whats") == ["platform:whatsapp"]


def test_a_delete_names_the_folder_of_its_files(command: Command) -> None:
    home = Path(os.environ["HERMES_HOME"])
    (home / "sessions" / f"{NAMED['ada'].session}.jsonl").write_text("{}\n")
    plan = command("delete", NAMED["ada"].session, "--dry-run", "--force").out
    assert "Also deleted: 1 file in sessions" in plan


def test_settings_that_do_not_exist_are_not_named(command: Command) -> None:
    out = command("info").out
    assert "does not delete or archive sessions by itself (without a config.yaml)" in out


def test_a_session_without_a_title_that_a_field_finds_has_no_empty_line(command: Command) -> None:
    out = command("search", "chat:deploys").out
    assert out.count("\n") == 2
    assert " · title" not in out
    assert "group: Ops, thread: Deploys" in out
