"""Searching while typing: what is listed, what a row shows, and reading at the match."""

from pathlib import Path

import pytest

from explorer.search import pattern
from explorer.stores.hermes.create.state_file import StateFile
from tests.factories import altered, insert, say, talk
from tests.tui.driving import NOW, Driver, opened


@pytest.fixture
def talks(tmp_path: Path) -> Path:
    """Sessions that speak of owls: in the text, in a call, in thoughts, in a title, by a job."""
    path = tmp_path / "state.db"
    call = {
        "id": "c1",
        "type": "function",
        "function": {"name": "terminal", "arguments": '{"command": "feed owl"}'},
    }
    with StateFile.create(path) as state:
        talk(
            state, "plain", "a snowy OWL", *["filler"] * 60, "the owlet", at=NOW - 900, title="Snow"
        )
        state.create_session("called", "cli", started_at=NOW - 800, title="Feeding")
        state.append_message("called", "assistant", "", tool_calls=[call], timestamp=NOW - 790)
        state.append_message("called", "tool", "done", tool_call_id="c1", timestamp=NOW - 780)
        state.create_session("thought", "telegram", started_at=NOW - 700, title="Thinking")
        state.append_message(
            "thought", "assistant", "Yes.", reasoning="an owl, surely", timestamp=NOW - 690
        )
        talk(state, "titled", "nothing here", at=NOW - 600, title="Owls of the north")
        talk(state, "job", "owl report", source="cron", at=NOW - 500, title="Night watch")
    return path


async def _search(driver: Driver, text: str) -> None:
    await driver.press("slash")
    await driver.type(text)


async def test_titles_come_first_then_the_text_newest_first(talks: Path) -> None:
    async with opened(talks) as driver:
        await _search(driver, "owl")
        assert driver.listed() == ["Owls of the north", "Thinking", "Feeding", "Snow"]
        screen = driver.screen()
        assert screen.index("In the title") < screen.index("In the text, newest first")
        assert "4 hits and 1 title in 4 sessions" in screen
        assert "1 more hit in cron sessions (ctrl+o shows)" in driver.counted()


async def test_a_row_shows_the_words_around_its_match_and_where_they_stand(talks: Path) -> None:
    async with opened(talks, size=(200, 40)) as driver:
        await _search(driver, "owl")
        screen = driver.screen()
        assert "reasoning: an owl, surely" in screen
        assert "tool call: terminal feed owl" in screen
        assert "2 hits · the owlet" in screen


async def test_the_transcript_follows_and_stands_at_the_match(talks: Path) -> None:
    async with opened(talks, size=(120, 20)) as driver:
        await _search(driver, "owlet")
        transcript = driver.main.transcript
        assert "message 62 of 62" in str(transcript.border_subtitle)
        _, block = transcript.here()
        assert block is not None
        assert block.lines == ((("the owlet", "text"),),)


async def test_enter_opens_the_block_that_the_match_is_folded_in(talks: Path) -> None:
    async with opened(talks) as driver:
        await _search(driver, "surely")
        await driver.press("enter")
        assert driver.focus() == "transcript"
        assert "an owl, surely" in driver.screen()
        await driver.press("escape", "slash")
        driver.main.search_bar.input.value = "feed"
        await driver.settle()
        await driver.press("enter")
        _, block = driver.main.transcript.here()
        assert block is not None
        assert block.key == "call"
        assert "$ feed owl" in driver.screen()


async def test_n_goes_through_a_session_and_on_to_the_next(talks: Path) -> None:
    async with opened(talks, size=(120, 20)) as driver:
        await _search(driver, "owl")
        await driver.press("down", "down", "down", "enter")
        sessions = driver.main.sessions
        assert sessions.current is not None
        assert sessions.current.title == "Snow"
        await driver.press("N")
        assert "a snowy OWL" in driver.screen()
        await driver.press("N")
        assert sessions.current.title == "Feeding"


async def test_arrows_move_through_the_results_while_typing(talks: Path) -> None:
    async with opened(talks) as driver:
        await _search(driver, "owl")
        await driver.press("down")
        assert driver.focus() == "query"
        assert driver.main.sessions.current is not None
        assert driver.main.sessions.current.title == "Thinking"
        assert "Thinking" in str(driver.main.transcript.border_title)
        await driver.press("up")
        assert driver.main.sessions.current.title == "Owls of the north"


async def test_escape_leaves_the_cursor_on_what_was_found_and_once_more_goes_back(
    talks: Path,
) -> None:
    async with opened(talks) as driver:
        await driver.press("j", "j")
        before = driver.main.sessions.cursor_row
        await _search(driver, "snowy")
        found = driver.main.sessions.cursor_row
        assert found != before
        await driver.press("escape")
        assert driver.main.sessions.cursor_row == found
        assert driver.focus() == "query"
        await driver.press("escape")
        assert (driver.focus(), driver.main.sessions.cursor_row) == ("list", found)
        await driver.press("escape")
        assert driver.main.sessions.cursor_row == before
        await driver.press("escape")
        assert driver.main.sessions.cursor_row == before


async def test_after_moving_on_from_a_result_escape_does_not_jump_back(talks: Path) -> None:
    async with opened(talks) as driver:
        await _search(driver, "snowy")
        await driver.press("enter", "escape", "escape", "G")
        last = driver.main.sessions.cursor_row
        await driver.press("escape")
        assert driver.main.sessions.cursor_row == last


async def test_up_in_an_empty_bar_recalls_earlier_searches(talks: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes.db"
    async with opened(talks, notes=notes) as driver:
        for text in ("owl", "snowy"):
            await _search(driver, text)
            await driver.press("enter", "escape", "escape")
        await driver.press("slash", "up")
        assert driver.main.search_bar.input.value == "snowy"
        await driver.press("up")
        assert driver.main.search_bar.input.value == "owl"
        await driver.press("down", "down")
        assert driver.main.search_bar.input.value == ""
    async with opened(talks, notes=notes) as driver:
        await driver.press("slash", "up")
        assert driver.main.search_bar.input.value == "snowy"


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("source:telegram", ["Thinking"]),
        ("source:cron", ["Night watch"]),
        ("owl source:telegram", ["Thinking"]),
        ("owl -source:telegram in:content", ["Snow"]),
        ("owl in:reasoning", ["Thinking"]),
        ("owl role:assistant", ["Thinking", "Feeding", "Snow"]),
        ('"snowy owl" OR surely', ["Thinking", "Snow"]),
        ("owl NOT snowy role:assistant in:content", ["Snow"]),
        ("messages:>20", ["Snow"]),
        ("/ow(l|let)\\b/ in:content", ["Snow"]),
        ("title:north", ["Owls of the north"]),
    ],
)
async def test_the_bar_understands_its_language(talks: Path, text: str, titles: list[str]) -> None:
    async with opened(talks) as driver:
        await driver.press("slash")
        driver.main.search_bar.input.value = text
        await driver.settle()
        assert [title for title in driver.listed() if title != "Owls of the north"] == [
            title for title in titles if title != "Owls of the north"
        ]
        assert titles[0] in driver.listed()


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("NOT owl", ["Quiet"]),
        ("NOT snowy", ["Owls of the north", "Thinking", "Feeding", "Quiet"]),
        ("NOT owl in:content source:cli", ["Owls of the north", "Feeding", "Quiet"]),
        ("NOT /o.l/", ["Quiet"]),
        ("NOT owl source:telegram", []),
    ],
)
async def test_a_word_that_is_only_left_out_lists_who_is_without_it(
    talks: Path, text: str, titles: list[str]
) -> None:
    with altered(talks) as db:
        insert(db, "sessions", id="quiet", source="cli", started_at=NOW - 950, title="Quiet")
        say(db, "quiet", timestamp=NOW - 950)
    async with opened(talks) as driver:
        await driver.press("slash")
        driver.main.search_bar.input.value = text
        await driver.settle()
        assert driver.listed() == titles
        assert "without" in driver.screen()
        assert f"{len(titles)} session" in driver.screen()


async def test_a_note_names_what_was_not_understood(talks: Path) -> None:
    async with opened(talks, size=(200, 40)) as driver:
        await driver.press("slash")
        driver.main.search_bar.input.value = "owl before:tomorow"
        await driver.settle()
        assert "searched as plain text" in driver.screen()


async def test_titles_that_are_like_it_are_listed_where_none_holds_it(talks: Path) -> None:
    async with opened(talks) as driver:
        await _search(driver, "owlz of teh north")
        assert driver.listed() == ["Owls of the north"]
        assert "Similar titles" in driver.screen()
        assert "no hits · 1 similar title ·" in driver.screen()


async def test_titles_that_are_like_it_are_no_sessions_with_hits(talks: Path) -> None:
    with altered(talks) as db:
        insert(db, "sessions", id="typo", source="cli", started_at=NOW - 950, title="Hurry")
        say(db, "typo", content="see Owlz of teh north", timestamp=NOW - 950)
    async with opened(talks) as driver:
        await _search(driver, "owlz of teh north")
        assert driver.listed() == ["Hurry", "Owls of the north"]
        assert "1 hit in 1 session · 1 similar title ·" in driver.screen()


async def test_the_dot_searches_what_is_hidden_too(talks: Path) -> None:
    async with opened(talks) as driver:
        await _search(driver, "owl")
        driver.main.set_focus(driver.main.sessions)
        await driver.press("full_stop")
        assert "Night watch" in driver.listed()


@pytest.mark.parametrize("text", ["job", "id:job", " job "])
async def test_a_session_searched_by_its_id_is_listed_although_hidden(
    talks: Path, text: str
) -> None:
    async with opened(talks) as driver:
        await _search(driver, text)
        assert driver.listed() == ["Night watch"]
        row = next(line for line in driver.screen().splitlines() if "▌ Night watch" in line)
        assert "◌" in row, "and says so"
        assert "owl report" in driver.screen()


async def test_the_id_of_an_earlier_part_lists_its_conversation(demo: Path) -> None:
    async with opened(demo) as driver:
        store = driver.main.file.opened.store  # type: ignore[union-attr]
        await _search(driver, store.find("Trip to Kyoto #2")[0].id)
        assert driver.listed() == ["Trip to Kyoto #3"]
        assert "Exact id" in driver.screen()
        assert "1 id in 1 session" in driver.screen()


async def test_the_beginning_of_an_id_lists_its_session_first(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        for number in range(8):
            at = NOW - number * 60
            talk(state, f"20261103_{number}", "an owl", at=at, title=f"Talk {number}")
        talk(state, "7fe01c", "a gull", at=NOW - 900, title="Odd id", source="cron")
        talk(state, "aside", "what is 20261103?", at=NOW - 950, title="Aside")
    async with opened(path) as driver:
        await _search(driver, "7f")
        assert driver.listed() == ["Odd id"], "the only one, although it is hidden"
        assert "Id starts with" in driver.screen()
        assert "1 id in 1 session" in driver.screen()
        await driver.press("escape")
        await driver.type("20261103_3")
        assert driver.listed()[0] == "Talk 3"
        await driver.press("escape")
        await driver.type("2026")
        assert driver.listed() == [*(f"Talk {number}" for number in range(5)), "Aside"]
        assert "Id starts with · 5 of 8" in driver.screen()
        await driver.press("escape")
        await driver.type("202")
        assert driver.listed() == ["Aside"], "three letters of many ids are text"


async def test_ids_that_are_hidden_or_not_looked_at_are_counted_as_such(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        for number in range(8):
            at = NOW - number * 60
            talk(state, f"20261103_{number}", "an owl", at=at, title=f"Talk {number}")
            talk(state, f"20261102_{number}", "a gull", at=at, source="cron")
    async with opened(path) as driver:
        await _search(driver, "2026")
        assert "Id starts with · 5 of 8" in driver.screen()
        assert "8 more hits in cron sessions (ctrl+o shows)" in driver.counted()
        await driver.press("escape")
        monkeypatch.setattr("explorer.stores.hermes.sessions.columns.STARTING", 7)
        await driver.type("2026")
        assert "Id starts with · 5 of 7+" in driver.screen()
        assert driver.listed() == [f"Talk {number}" for number in range(1, 6)]


async def test_a_row_and_the_bar_count_the_same_hits(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "long", *["owl"] * 292, at=NOW - 900, title="Birds")
    async with opened(path) as driver:
        await _search(driver, "owl")
        assert "292 hits in 1 session" in driver.screen()
        row = next(line for line in driver.screen().splitlines() if "292 hits · owl" in line)
        assert "200" not in row


async def test_where_only_hidden_sessions_match_the_list_says_so_and_how_to_see_them(
    talks: Path,
) -> None:
    async with opened(talks) as driver:
        await _search(driver, "owl report")
        assert driver.listed() == []
        said = "1 hit in hidden cron sessions: press ctrl+o to include them."
        assert driver.main.sessions.note == f"No visible session matches. {said}"
        assert driver.counted() == "0 listed", "said once"
        assert "No visible session matches." in driver.screen()
        await driver.press("enter", "full_stop")
        assert driver.listed() == ["Night watch"]


async def test_a_match_under_the_cursor_stays_lit(talks: Path) -> None:
    async with opened(talks) as driver:
        await _search(driver, "snowy")
        sessions = driver.main.sessions
        lit = [
            segment.style
            for y in range(sessions.size.height)
            for segment in sessions.render_line(y)
            if segment.text == "snowy" and segment.style
        ]
        assert len(lit) == 1
        assert lit[0].bgcolor is not None
        assert lit[0].bgcolor != sessions._style("text", True).bgcolor


@pytest.mark.parametrize("where", ["title", "text"])
async def test_an_expression_that_takes_too_long_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    monkeypatch.setattr(pattern, "PATIENCE", 0.05)
    path = tmp_path / "state.db"
    slow = "a" * 4000 + "c"
    with StateFile.create(path) as state:
        talk(state, "slow", slow if where == "text" else "hello", at=NOW - 900, title="Slow")
    if where == "title":
        with altered(path) as db:
            db.execute("UPDATE sessions SET title = ?", [slow])
    async with opened(path) as driver:
        await _search(driver, "/(a|aa)+$/")
        assert "This expression takes too long" in driver.screen()
