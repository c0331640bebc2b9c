"""Sessions in the database with a transcript beside it: what the one lacks, the other gives."""

import json
import os
from pathlib import Path

import pytest

from explorer.model import Provenance
from explorer.stores.hermes.transcript_files.beside import names_of
from explorer.stores.kinds import open_store
from tests.factories import T0, altered
from tests.transcript_files.homes import ID, home, log, read, said, snapshot, texts


def _provenance(path: Path, id_: str = ID) -> Provenance:
    store = open_store(path)
    found = store.transcript_provenance(store.keys_of([id_])[id_])
    assert found is not None
    return found


def test_a_longer_log_gives_what_the_database_lacks(tmp_path: Path) -> None:
    path = home(tmp_path, "e", "f")
    log(path, said("a", "b", "c", "d", "e", "f"))
    assert texts(read(path)) == ["[a]", "[b]", "[c]", "[d]", "e", "f"]
    assert _provenance(path) == Provenance(2, 4, (f"{ID}.jsonl",))


def test_a_shorter_log_adds_nothing(tmp_path: Path) -> None:
    path = home(tmp_path, "a", "b", "c", "d")
    log(path, said("a", "b"))
    assert texts(read(path)) == ["a", "b", "c", "d"]
    assert _provenance(path).kind == "database"


def test_rewound_and_compressed_rows_count_as_held(tmp_path: Path) -> None:
    path = home(tmp_path, "a", "b", "c", "d")
    log(path, said("a", "b", "c", "d"))
    with altered(path) as db:
        db.execute("UPDATE messages SET active = 0 WHERE content IN ('b', 'c')").close()
        db.execute("UPDATE messages SET compacted = 1 WHERE content = 'b'").close()
    assert texts(read(path)) == ["a", "b", "d"]


def test_corrupt_lines_are_counted_and_the_others_read(tmp_path: Path) -> None:
    path = home(tmp_path, "c")
    lines = [b'{"role": "user", "content": "a"}', b"{broken", b'"only text"', b"\xff\xfe", b""]
    lines += [b"[" * 100_000, b'{"role": "assistant", "content": "b", "cost": NaN}']
    lines += [b'{"role": "session_meta", "tools": []}', b'{"role": "user", "content": "c"}']
    lines += [b'{"role": "assistant", "content": "b']
    (tmp_path / "sessions" / f"{ID}.jsonl").write_bytes(b"\n".join(lines))
    assert texts(read(path)) == ["[a]", "[b]", "c"]
    assert _provenance(path).bad_lines == 5


def test_text_that_is_no_utf_8_is_read_with_replacements(tmp_path: Path) -> None:
    path = home(tmp_path, "c")
    file = tmp_path / "sessions" / f"{ID}.jsonl"
    file.write_bytes(b'{"role": "user", "content": "gr\xfcn \\ud83d alone"}\n')
    (first, _) = read(path)
    assert first.text == "gr\ufffdn ? alone"
    snapshot(path, ()).write_bytes(
        b'{"messages": [{"role": "user", "content": "\xfc"}, {"role": "user", "content": "2"}]}'
    )
    assert {"\ufffd", "2"} < {one.text for one in read(path)}


def test_a_long_line_is_read_and_one_beyond_the_limit_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = home(tmp_path, "c")
    long = "owl " * (2 << 20)
    log(path, said(long, "b"))
    assert [len(one.text) for one in read(path)] == [8 << 20, 1, 1]
    for module in ("hostile_files", "file_index"):
        name = f"explorer.stores.hermes.transcript_files.{module}.MOST_LINE"
        monkeypatch.setattr(name, 1 << 20)
    assert texts(read(path)) == ["[b]", "c"]
    assert _provenance(path).bad_lines == 1


def test_calls_and_results_of_a_log_are_read_as_those_of_the_database(tmp_path: Path) -> None:
    path = home(tmp_path, "end")
    call = {"id": "c1", "function": {"name": "terminal", "arguments": '{"command": "ls"}'}}
    log(
        path,
        [
            {"role": "user", "content": [{"type": "text", "text": "look"}]},
            {"role": "assistant", "content": None, "tool_calls": [call], "reasoning": "hm"},
            {"role": "tool", "content": "a b", "tool_call_id": "c1", "tool_name": "terminal"},
            {"role": "assistant", "content": "done", "timestamp": "2025-10-09T08:50:00"},
        ],
    )
    look, asked, result, done, _ = read(path)
    assert look.text == "look"
    assert (asked.tool_calls[0].name, asked.reasoning) == ("terminal", "hm")
    assert (result.tool_call_id, result.tool_name, result.text) == ("c1", "terminal", "a b")
    assert done.timestamp == 1_759_999_800.0


def test_a_snapshot_is_a_redacted_copy_of_what_the_database_holds(tmp_path: Path) -> None:
    path = home(tmp_path, "my key is sk-proj-abcdefghijklmnop1234", "Thanks.", "bye")
    snapshot(path, said("earlier", "Yes?", "my key is sk-p...1234", "Thanks.", "bye"))
    found = read(path)
    assert texts(found)[:2] == ["[earlier]", "[Yes?]"]
    assert texts(found)[2:] == ["my key is sk-proj-abcdefghijklmnop1234", "Thanks.", "bye"]
    assert [one.redacted for one in found] == [True, True, False, False, False]
    assert _provenance(path).redacted


def test_a_snapshot_that_was_trimmed_doubles_nothing(tmp_path: Path) -> None:
    path = home(tmp_path, "Sure?", "<REASONING_SCRATCHPAD>b</REASONING_SCRATCHPAD>\n\n\n Yes. ")
    snapshot(path, said("Sure?", "<think>b</think>\nYes."))
    assert [bool(one.file) for one in read(path)] == [False, False]


def test_log_and_snapshot_are_both_read_and_nothing_is_doubled(tmp_path: Path) -> None:
    path = home(tmp_path, "e")
    log(path, said("c", "d", "e"))
    snapshot(path, said("a", "b", "c", "d", "e"))
    assert texts(read(path)) == ["[a]", "[b]", "[c]", "[d]", "e"]
    assert _provenance(path).files == (f"{ID}.jsonl", f"session_{ID}.json")


def test_a_snapshot_that_breaks_off_is_read_up_to_there(tmp_path: Path) -> None:
    path = home(tmp_path, "c")
    file = snapshot(path, said("a", "b", "c"))
    whole = file.read_text()
    file.write_text(whole[: whole.index('"c"')])
    assert texts(read(path)) == ["[a]", "[b]", "c"]
    assert _provenance(path).bad_lines == 1


def test_a_snapshot_of_another_session_is_not_taken(tmp_path: Path) -> None:
    path = home(tmp_path, "c")
    snapshot(path, said("a", "b"), id_="other", name=f"session_{ID}.json")
    assert texts(read(path)) == ["c"]


def test_names_follow_the_rule_of_the_agent() -> None:
    assert names_of("a_b-1") == ("a_b-1.jsonl", "a_b-1.json", "session_a_b-1.json")
    assert names_of("a.b") == (
        *("a.b.jsonl", "a.b.json", "session_a.b.json", "session_a_b_2e7336dc8eba.json"),
    )
    (only,) = names_of("../../etc/passwd")
    assert "/" not in only
    assert "sessions.json" not in names_of("sessions")
    (long,) = names_of("x" * 300)
    assert len(long) < 130


def test_pipes_links_folders_and_the_state_file_itself_are_never_opened(tmp_path: Path) -> None:
    path = home(tmp_path, "c")
    folder = tmp_path / "sessions"
    secret = tmp_path / "secret"
    secret.write_text('{"role": "user", "content": "secret"}\n')
    os.mkfifo(folder / f"{ID}.jsonl")
    os.symlink(secret, folder / f"{ID}.json")
    os.link(path, folder / f"session_{ID}.json")
    assert texts(read(path)) == ["c"]
    (folder / f"{ID}.jsonl").unlink()
    (folder / f"{ID}.jsonl").mkdir()
    assert texts(read(path)) == ["c"]
    assert _provenance(path) == Provenance(1)


def test_a_folder_that_cannot_be_read_hides_nothing_of_the_database(tmp_path: Path) -> None:
    path = home(tmp_path, "c")
    (tmp_path / "sessions").rmdir()
    (tmp_path / "sessions").write_text("no folder")
    assert texts(read(path)) == ["c"]


def test_what_is_written_to_the_log_meanwhile_is_read_from_there(tmp_path: Path) -> None:
    path = home(tmp_path, "a", "b")
    file = log(path, said("a", "b", "c"))
    store = open_store(path)
    key = store.keys_of([ID])[ID]
    assert len(store.outlines(key)) == 3
    with file.open("a") as stream:
        stream.write('{"role": "user", "content": "d"')
    assert len(store.outlines(key)) == 3
    with file.open("a") as stream:
        stream.write('}\n{"role": "assistant", "content": "e"}\n')
    found = store.outlines(key)
    assert texts(store.messages(key, [one.id for one in found])) == ["a", "b", "[c]", "[d]", "[e]"]
    provenance = store.transcript_provenance(key)
    assert provenance is not None
    assert provenance.bad_lines == 0
    log(path, said("x", "y", "a", "b"))
    again = store.outlines(key)
    assert texts(store.messages(key, [one.id for one in again])) == ["[x]", "[y]", "a", "b"]
    assert not store.messages(key, [found[-1].id])


def test_parts_of_a_conversation_never_share_the_id_of_a_message(tmp_path: Path) -> None:
    path = home(tmp_path, "a")
    with altered(path) as db:
        db.execute(
            "INSERT INTO sessions (id, source, started_at) VALUES ('other', 'cli', ?)", (T0,)
        ).close()
    log(path, said("x"))
    log(path, said("x"), id_="other")
    store = open_store(path)
    ids = [one.id for key in store.keys_of([ID, "other"]).values() for one in store.outlines(key)]
    assert len(ids) == len(set(ids)) == 3


def test_without_a_file_each_name_is_looked_at_once_and_no_folder_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = home(tmp_path, "a", "b")
    store = open_store(path)
    key = store.keys_of([ID])[ID]
    looked: list[str] = []
    plain = os.lstat

    def lstat(path: str | Path, **more: int) -> os.stat_result:
        looked.append(Path(path).name)
        return plain(path, **more)

    store.first_outlines(key, 200)
    monkeypatch.setattr(os, "lstat", lstat)
    monkeypatch.setattr(os, "scandir", None)
    monkeypatch.setattr(os, "listdir", None)
    store.first_outlines(key, 200)
    monkeypatch.undo()
    assert [name for name in looked if "cafe01" in name] == list(names_of(ID))


def test_a_snapshot_written_by_hand_may_be_a_bare_list(tmp_path: Path) -> None:
    path = home(tmp_path, "b")
    file = tmp_path / "sessions" / f"{ID}.json"
    file.write_text(json.dumps(said("a", "x")))
    assert texts(read(path)) == ["[a]", "[x]", "b"]
