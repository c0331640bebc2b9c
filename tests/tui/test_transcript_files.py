"""A transcript beside the state file, read in the app."""

from pathlib import Path

from tests.factories import T0, altered, say
from tests.transcript_files.homes import ID, home, log, said, snapshot
from tests.tui.driving import opened


async def test_what_only_the_log_holds_stands_at_its_place_and_the_head_says_so(
    tmp_path: Path,
) -> None:
    path = home(tmp_path, "echo", "foxtrot", title="owls")
    log(path, said("alpha", "bravo", "charlie", "delta", "echo", "foxtrot"), more="{broken\n")
    async with opened(path) as driver:
        await driver.press("enter")
        shown = driver.screen()
        places = [shown.index(word) for word in ("alpha", "bravo", "charlie", "delta")]
        # The list shows the first words and the last ones of the database as well.
        places += [shown.rindex("echo"), shown.rindex("foxtrot")]
        assert places == sorted(places)
        assert "4 messages from the gateway's log, 2 from the database" in shown
        assert "1 unreadable line" in shown
        assert shown.count("from the gateway's log") == 5


async def test_a_redacted_copy_is_called_one_and_its_text_can_be_found(tmp_path: Path) -> None:
    path = home(tmp_path, "echo", "foxtrot", title="owls")
    snapshot(path, said("alpha", "bravo", "echo", "foxtrot"))
    async with opened(path) as driver:
        await driver.press("enter")
        assert "2 messages from a redacted copy, 2 from the database" in driver.screen()
        await driver.press("ctrl+f")
        await driver.type("bravo")
        assert "match 1 of 1" in driver.screen()


async def test_a_message_that_reaches_the_database_later_is_not_shown_twice(
    tmp_path: Path,
) -> None:
    path = home(tmp_path, "alpha", "bravo", title="owls")
    log(path, said("alpha", "bravo", "charlie"))
    async with opened(path) as driver:
        await driver.press("enter")
        assert "1 message from the gateway's log, 2 from the database" in driver.screen()
        with altered(path) as db:
            say(db, ID, role="user", content="charlie", timestamp=T0 + 10)
        await driver.until(lambda: "from the gateway's log" not in driver.screen())
        assert driver.screen().count("── you") == 2
