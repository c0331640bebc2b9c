"""From what the user types to a session: ids, the beginnings of ids, titles."""

from pathlib import Path

import pytest

from explorer.errors import ExitCode, NoSuchSession
from explorer.stores.base import Store
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.kinds import open_store
from explorer.stores.resolve import NAMED, resolve
from tests.factories import T0, altered, talk
from tests.real_files import POWER_LOOP_FILES, unpack


@pytest.fixture
def store(tmp_path: Path) -> Store:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "20261103_140211_a1b2c3", "x", title="Fix docker")
        talk(state, "20261103_150000_ffffff", "x", at=T0 + 1, title="Fix docker #2")
        talk(state, "20261104_090000_aaaaaa", "x", at=T0 + 2, title="Fix docker #10")
        talk(state, "cron_job", "x", title="100% done_ish")
        talk(state, "cronXjob", "x", title="100x doneXish")
        talk(state, "CamelCase", "x", title="Kyoto")
        talk(state, "Kyoto-trip", "x", title="20261103")
        talk(state, "back\\slash", "x", title="Kyoto #old", at=T0 - 5)
    return open_store(path)


@pytest.mark.parametrize(
    ("typed", "id_"),
    [
        ("cron_job", "cron_job"),
        ("20261103_1402", "20261103_140211_a1b2c3"),
        ("20261104", "20261104_090000_aaaaaa"),
        ("camelc", "CamelCase"),
        ("cron_", "cron_job"),
        ("back\\", "back\\slash"),
        ("100% done_ish", "cron_job"),
        ("100x doneXish", "cronXjob"),
    ],
)
def test_one_session_is_meant(store: Store, typed: str, id_: str) -> None:
    assert resolve(store, typed).id == id_


def test_of_numbered_titles_the_newest_wins_over_the_exact_one(store: Store) -> None:
    assert resolve(store, "Fix docker").title == "Fix docker #10"
    assert resolve(store, "Fix docker #2").title == "Fix docker #2"


def test_anything_may_follow_the_number_sign(store: Store) -> None:
    assert resolve(store, "Kyoto-").id == "Kyoto-trip"
    with altered(store.path) as db:
        db.execute("DELETE FROM sessions WHERE id = 'Kyoto-trip'")
    assert resolve(store, "Kyoto").title == "Kyoto #old"


def test_a_title_is_meant_rather_than_many_beginnings(store: Store) -> None:
    assert resolve(store, "20261103").id == "Kyoto-trip"


def test_percent_and_underscore_are_only_themselves(store: Store) -> None:
    for typed in ("%", "_", "cron%", "100%", "CamelCas_"):
        with pytest.raises(NoSuchSession, match="No such session"):
            resolve(store, typed)


@pytest.mark.parametrize("typed", ["nothing", "Fix dock", "", "  ", "'; --", "\ufffd"])
def test_no_session_is_meant(store: Store, typed: str) -> None:
    with pytest.raises(NoSuchSession, match="No such session") as failed:
        resolve(store, typed)
    assert failed.value.exit_code is ExitCode.NO_SUCH_SESSION


@pytest.mark.parametrize(
    ("typed", "closest"),
    [
        ("fix dokcer", "Closest: “Fix docker”, “Fix docker #2”, “Fix docker #10”"),
        ("100", "Closest: “100x doneXish”, “100% done_ish”"),
        ("case", "Closest: CamelCase"),
        ("20261103_150000_fffff0", "Closest: 20261103_150000_ffffff"),
        ("\x1b[31mzzz", "`list` shows ids and titles."),
    ],
)
def test_an_unknown_name_names_the_closest_ids_and_titles(
    store: Store, typed: str, closest: str
) -> None:
    with pytest.raises(NoSuchSession) as failed:
        resolve(store, typed)
    said = f"No session with the id or title {typed!r}, nor an id that starts with it. "
    assert failed.value.message.startswith(said + closest)


def test_what_is_close_may_hold_anything(tmp_path: Path) -> None:
    with StateFile.create(tmp_path / "state.db") as state:
        talk(state, "one", "x", title="evil\x1b[31m" + "l" * 90)
    with pytest.raises(NoSuchSession) as failed:
        resolve(open_store(tmp_path / "state.db"), "evi")
    closest = failed.value.message.partition("Closest: ")[2].removesuffix(".")
    assert "\x1b" not in closest
    assert len(closest) <= 62


def test_candidates_are_named_when_several_may_be_meant(store: Store) -> None:
    with pytest.raises(NoSuchSession, match="More than one session") as failed:
        resolve(store, "2026")
    named = failed.value.message.splitlines()[1:]
    assert named == [
        "  20261104_090000_aaaaaa  Fix docker #10",
        "  20261103_150000_ffffff  Fix docker #2",
        "  20261103_140211_a1b2c3  Fix docker",
    ]


def test_only_some_of_many_candidates_are_named(tmp_path: Path) -> None:
    with StateFile.create(tmp_path / "state.db") as state:
        for number in range(30):
            talk(state, f"same{number}", "x")
    with pytest.raises(NoSuchSession) as failed:
        resolve(open_store(tmp_path / "state.db"), "same")
    lines = failed.value.message.splitlines()
    assert len(lines) == 1 + NAMED + 1
    assert lines[-1].strip() == "…"


def test_a_file_without_titles_is_searched_by_id_alone(tmp_path: Path) -> None:
    early = open_store(unpack("hermes-v2", tmp_path))
    assert resolve(early, "20251009_0853").id == "20251009_085320_52e6b4"
    with pytest.raises(NoSuchSession, match="No such session"):
        resolve(early, "Marathon")


@pytest.mark.parametrize("name", POWER_LOOP_FILES)
def test_power_loop_is_searched_by_the_same_rules(name: str, tmp_path: Path) -> None:
    loops = open_store(unpack(name, tmp_path))
    marathon = resolve(loops, "Marathon")
    assert marathon.title == "Marathon"
    assert resolve(loops, marathon.id[:12].upper()).id == marathon.id
    with pytest.raises(NoSuchSession, match="More than one session"):
        resolve(loops, "sess_")
    with pytest.raises(NoSuchSession, match="No such session"):
        resolve(loops, "")
