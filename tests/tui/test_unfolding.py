"""Unfolding a conversation in the list: its parts, and what its subagents left."""

from pathlib import Path

import pytest

from explorer.browse.arrangement import DEEPEST, inside_row, unfolded
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.kinds import open_store
from tests.factories import altered, keys, say, talk
from tests.real_files import POWER_LOOP_FILES, unpack
from tests.tui.driving import NOW, Driver, opened

MINUTE = 60.0


def _task(state: StateFile, name: str, caller: str, at: float, text: str = "a task") -> None:
    config = {"_delegate_from": caller}
    talk(state, name, text, source="subagent", at=at, parent=caller, config=config, title=name)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A conversation of three parts, of which the second had two subagents, one with its own."""
    file = tmp_path / "state.db"
    start = NOW - 100 * MINUTE
    with StateFile.create(file) as state:
        talk(state, "one", "first words", at=start, title="Part one", end="compression")
        at = start + 10 * MINUTE
        talk(state, "two", "second words", at=at, parent="one", title="Part two", end="compression")
        at = start + 20 * MINUTE
        talk(state, "three", "third words", at=at, parent="two", title="Part three")
        _task(state, "Errand", "two", start + 12 * MINUTE, "fetch it")
        _task(state, "Helper", "Errand", start + 13 * MINUTE)
        _task(state, "Look-up", "two", start + 14 * MINUTE)
        talk(state, "plain", "nothing more", at=NOW - 200 * MINUTE, title="Plain")
        talk(state, "boss", "go", at=NOW - 300 * MINUTE, title="Boss")
        _task(state, "Chore", "boss", NOW - 299 * MINUTE)
    return file


UNFOLDED = [
    "Part three",
    *("Part one", "Part two", "Errand", "Helper", "Look-up", "Part three"),
    *("Plain", "Boss"),
]


def _indents(driver: Driver) -> list[tuple[int, str]]:
    """(how far it is indented, title) of the rows that have a branch before them."""
    lines = [line[3:51] for line in driver.screen().splitlines()]
    return [(line.index("└"), line.split()[1]) for line in lines if "└" in line]


def _transcript(driver: Driver) -> str:
    return "\n".join(line[54:] for line in driver.screen().splitlines())


async def test_z_shows_the_parts_in_order_and_subagents_below_who_called_them(path: Path) -> None:
    async with opened(path, size=(120, 60)) as driver:
        assert driver.listed() == ["Part three", "Plain", "Boss"]
        await driver.press("z")
        assert driver.listed() == UNFOLDED
        assert _indents(driver) == [
            *((0, "Part"), (0, "Part"), (2, "Errand"), (4, "Helper"), (2, "Look-up"), (0, "Part"))
        ]


async def test_z_again_folds_it(path: Path) -> None:
    async with opened(path) as driver:
        before = driver.screen()
        await driver.press("z")
        assert driver.screen() != before
        await driver.press("z")
        assert driver.screen() == before


async def test_the_subagents_of_a_session_of_one_part_lie_directly_below_it(path: Path) -> None:
    async with opened(path, size=(120, 60)) as driver:
        await driver.press("G", "z")
        assert driver.listed() == ["Part three", "Plain", "Boss", "Chore"]
        assert _indents(driver) == [(0, "Chore")]


@pytest.mark.parametrize("down", range(7))
async def test_z_from_anywhere_inside_folds_the_outer_one_and_goes_to_it(
    path: Path, down: int
) -> None:
    async with opened(path) as driver:
        outer = driver.main.sessions.cursor_row
        await driver.press("z", *["j"] * down, "z")
        assert driver.listed() == ["Part three", "Plain", "Boss"]
        assert driver.main.sessions.cursor_row == outer


async def test_folding_from_inside_goes_back_to_a_row_far_down_too(path: Path) -> None:
    async with opened(path) as driver:
        await driver.press("G")
        outer = driver.main.sessions.cursor_row
        await driver.press("z", "j")
        assert driver.main.sessions.cursor_row != outer
        await driver.press("z")
        assert driver.main.sessions.cursor_row == outer


async def test_what_is_not_counted_when_folded_is_not_counted_when_unfolded(path: Path) -> None:
    async with opened(path, size=(200, 40)) as driver:
        before = driver.counted()
        assert before.startswith("3 listed · hidden: ")
        await driver.press("z")
        assert driver.counted() == before


async def test_the_transcript_is_that_of_the_row_under_the_cursor(path: Path) -> None:
    async with opened(path) as driver:
        await driver.press("z")
        whole = ("first words", "second words", "third words")
        assert all(words in _transcript(driver) for words in whole)
        for row, shown in (
            ("Part one", ["first words"]),
            ("Part two", ["second words"]),
            ("Errand", ["fetch it"]),
        ):
            await driver.press("j")
            assert row in str(driver.main.transcript.border_title)
            said = _transcript(driver)
            assert [words for words in (*whole, "fetch it") if words in said] == shown
        await driver.press("j", "j", "j")
        assert "third words" in _transcript(driver)
        assert "first words" not in _transcript(driver), "the last part, not the whole"
        await driver.press("g")
        assert all(words in _transcript(driver) for words in whole)


async def test_a_part_that_is_being_read_grows_alone(path: Path) -> None:
    async with opened(path) as driver:
        await driver.press("z", *["j"] * 6)
        with altered(path) as db:
            say(db, "three", content="hot off the press", timestamp=NOW)
        await driver.until(lambda: "hot off the press" in _transcript(driver))
        assert "first words" not in _transcript(driver)


async def test_enter_on_a_part_reads_that_part(path: Path) -> None:
    async with opened(path) as driver:
        await driver.press("z", "j", "enter")
        assert driver.main.focused is driver.main.transcript
        assert "first words" in _transcript(driver)
        assert "third words" not in _transcript(driver)


async def test_it_stays_unfolded_in_every_order(path: Path) -> None:
    async with opened(path) as driver:
        await driver.press("z")
        inside = UNFOLDED[1:7]
        for _ in range(7):
            await driver.press("s", "j", "enter")
            titles = driver.listed()
            place = titles.index("Part three")
            assert titles[place + 1 : place + 7] == inside
            assert len(titles) == 9


async def test_it_stays_unfolded_while_the_agent_writes(path: Path) -> None:
    async with opened(path) as driver:
        await driver.press("z", "j", "j", "j")
        held = driver.main.sessions.cursor_row
        with altered(path) as db:
            say(db, "plain", timestamp=NOW)
        await driver.until(lambda: driver.listed()[0] == "Plain")
        assert driver.listed() == ["Plain", *UNFOLDED[:7], "Boss"]
        assert driver.main.sessions.cursor_row == held
        assert driver.main.sessions.current is not None
        assert driver.main.sessions.current.title == "Errand"


async def test_what_is_new_inside_appears_there(path: Path) -> None:
    async with opened(path) as driver:
        await driver.press("z")
        with altered(path) as db:
            db.execute(
                "INSERT INTO sessions (id, source, started_at, parent_session_id, model_config,"
                " title) VALUES ('late', 'subagent', ?, 'three',"
                " '{\"_delegate_from\": \"three\"}', 'Latecomer')",
                (NOW,),
            )
            say(db, "late", timestamp=NOW)
        await driver.until(lambda: "Latecomer" in driver.listed())
        assert driver.listed() == [*UNFOLDED[:7], "Latecomer", *UNFOLDED[7:]]


async def test_where_nothing_is_inside_it_is_said(path: Path) -> None:
    async with opened(path) as driver:
        await driver.press("j", "z")
        assert any("Nothing to expand" in said for said in driver.told())
        assert driver.listed() == ["Part three", "Plain", "Boss"]


async def test_several_can_be_unfolded_at_once(path: Path) -> None:
    async with opened(path) as driver:
        await driver.press("z", "G", "z")
        assert driver.listed() == [*UNFOLDED, "Chore"]
        await driver.press("g", "z")
        assert driver.listed() == ["Part three", "Plain", "Boss", "Chore"]


async def test_a_row_inside_is_selected_apart_from_the_whole(path: Path) -> None:
    async with opened(path) as driver:
        sessions = driver.main.sessions
        tip = sessions.cursor_row
        assert tip is not None
        await driver.press("z", *["j"] * 6, "space")
        assert sessions.selection.keys == {inside_row(tip)}
        marks = [line[2:3] for line in driver.screen().splitlines()]
        assert marks.count("✓") == 1
        await driver.press("g", "space")
        assert sessions.selection.keys == {tip, inside_row(tip)}
        await driver.press("g", "z")
        assert "2 selected, 1 not shown" in str(sessions.border_title)
        await driver.press("z")
        assert "2 selected · " in str(sessions.border_title)


async def test_a_hidden_row_that_is_listed_can_be_unfolded_too(path: Path) -> None:
    async with opened(path) as driver:
        await driver.press("full_stop")
        place = driver.listed().index("Errand")
        await driver.press("g", *["j"] * place, "z")
        titles = driver.listed()
        assert titles[place : place + 2] == ["Errand", "Helper"]
        assert titles.count("Helper") == 2, "by itself, and inside"


@pytest.mark.parametrize("size", [(80, 24), (40, 12), (30, 10)])
async def test_deep_inside_a_narrow_list_there_is_still_something_to_read(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    file = tmp_path / "state.db"
    with StateFile.create(file) as state:
        talk(state, "t0", "go", at=NOW - 100, title="Boss")
        for number in range(1, 13):
            _task(state, f"t{number}", f"t{number - 1}", NOW - 100 + number)
    async with opened(file, size=size) as driver:
        await driver.press("z", "G")
        assert len(driver.main.sessions.order) == 13
        assert "t12" in driver.screen()


def _spoiled(tmp_path: Path, *statements: str) -> Path:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        for number, name in enumerate(("a", "b", "c", "d")):
            talk(state, name, "hello", at=NOW - 100 + number, title=name.upper())
    with altered(path) as db:
        db.execute("PRAGMA foreign_keys = OFF")
        for statement in statements:
            db.execute(statement)
    return path


def _child(name: str, parent: str, mark: str = "_delegate_from") -> str:
    return (
        f"UPDATE sessions SET parent_session_id = '{parent}',"
        f" model_config = '{{\"{mark}\": \"{parent}\"}}' WHERE id = '{name}'"
    )


COMPRESSED = "UPDATE sessions SET ended_at = started_at, end_reason = 'compression'"

CIRCLES = {
    "one is its own subagent": [_child("a", "a")],
    "two are each other's subagents": [_child("a", "b"), _child("b", "a")],
    "a ring of four": [_child(one, two) for one, two in ("ab", "bc", "cd", "da")],
    "a ring of parts": [
        COMPRESSED,
        *[_child(one, two, "_x") for one, two in ("ab", "bc", "ca")],
    ],
    "a part is the subagent of the next": [
        COMPRESSED,
        _child("b", "a", "_x"),
        _child("a", "b"),
        _child("c", "b"),
    ],
    "a parent that is gone": [_child("a", "nobody"), _child("b", "a")],
}


@pytest.mark.parametrize("name", CIRCLES)
async def test_circles_do_not_hang_and_nobody_comes_twice(tmp_path: Path, name: str) -> None:
    path = _spoiled(tmp_path, *CIRCLES[name])
    store = open_store(path)
    catalog = store.catalog()
    for tip, rows in unfolded(catalog, catalog.keys).items():
        assert len(rows) <= 4
        assert all(row < 0 for row in rows)
        assert all(found.unit.key == ~row for row, found in rows.items())
        if len(catalog.chain(tip)) == 1:
            assert inside_row(tip) not in rows, "nobody is inside himself"
    async with opened(path) as driver:
        await driver.press("full_stop")
        for _ in range(8):
            await driver.press("z", "j")
        assert driver.app.is_running


@pytest.mark.parametrize("name", POWER_LOOP_FILES)
async def test_the_subagents_of_power_loop_are_marked_and_unfolded(
    tmp_path: Path, name: str
) -> None:
    path = unpack(name, tmp_path)
    catalog = open_store(path).catalog()
    callers = {34: 33, 35: 34, 36: 35, 37: 33, 38: 33}
    assert {key: catalog.parent(key) for key in catalog.links} == callers
    async with opened(path, now=max(catalog.active) + 60) as driver:
        for caller, number, inside in ((33, 3, [34, 35, 36, 37, 38]), (35, 1, [36])):
            driver.main._lister.reveal(caller)
            await driver.settle()
            assert f"↳{number}" in driver.screen()
            await driver.press("z")
            assert [~row for row in driver.main.sessions.order if row < 0] == inside
            await driver.press("z")


async def test_circles_in_a_file_of_power_loop_do_not_hang_either(tmp_path: Path) -> None:
    path = unpack("power-loop-8.0.0", tmp_path)
    with altered(path) as db:
        db.execute(
            "UPDATE pl_sessions SET kind = 'subagent', parent_session_id ="
            " (SELECT p.session_id FROM pl_sessions p WHERE p.rowid ="
            " CASE pl_sessions.rowid WHEN 3 THEN 1 ELSE pl_sessions.rowid + 1 END)"
            " WHERE rowid <= 3"
        )
    catalog = open_store(path).catalog()
    assert [catalog.parent(key) for key in (1, 2, 3)] == [2, 3, 1]
    assert list(unfolded(catalog, [1])[1]) == [inside_row(3), inside_row(2)]
    async with opened(path, now=max(catalog.active) + 60) as driver:
        driver.main._lister.reveal(1)
        await driver.settle()
        await driver.press("z")
        assert [row for row in driver.main.sessions.order if row < 0] == [~3, ~2]


def test_subagents_of_a_subagent_come_in_the_order_they_were_made(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "boss", "go", at=NOW - 100)
        _task(state, "a", "boss", NOW - 90)
        _task(state, "b", "boss", NOW - 80)
        for number, (name, caller) in enumerate([("a1", "a"), ("b1", "b"), ("a2", "a")]):
            _task(state, name, caller, NOW - 70 + number)
    store = open_store(path)
    known = keys(store)
    rows = unfolded(store.catalog(), [known["boss"]])[known["boss"]]
    names = {key: name for name, key in known.items()}
    assert [names[~row] for row in rows] == ["a", "a1", "a2", "b", "b1"]


def test_a_thousand_levels_of_subagents_are_shown_side_by_side_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "t0", "go", at=NOW - 5000)
        for number in range(1, 1001):
            _task(state, f"t{number}", f"t{number - 1}", NOW - 5000 + number)
    store = open_store(path)
    known = keys(store)
    rows = unfolded(store.catalog(), [known["t0"]])[known["t0"]]
    assert list(rows) == [inside_row(known[f"t{number}"]) for number in range(1, 1001)]
    depths = [found.depth for found in rows.values()]
    assert depths == [min(number, DEEPEST) for number in range(1, 1001)]


def test_every_session_of_a_family_is_inside_exactly_once(hermes_file: Path) -> None:
    """Parts and subagents, all the way down; branches are conversations of their own."""
    store = open_store(hermes_file)
    catalog = store.catalog()
    listed, _ = catalog.select()
    opened_rows = unfolded(catalog, listed)
    together = [key for rows in opened_rows.values() for row in rows for key in [~row]]
    assert len(together) == len(set(together))
    inner = set(catalog.keys) - set(listed)
    reached = {part for key in together for part in catalog.chain(key)}
    left = [
        key
        for key in inner - reached
        if catalog.parent(key) is not None and catalog.tip(catalog.parent(key) or 0) in listed
    ]
    assert left == []
