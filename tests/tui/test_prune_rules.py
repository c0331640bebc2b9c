"""The rules of a prune in the app: what is not changed stays as it is, and none is widened but by
the user."""

import re
from pathlib import Path

import pytest

from explorer.stores.hermes.create.state_file import StateFile
from explorer.tui.dialogs.choices import Several
from explorer.tui.edits.prune_screen import PruneScreen, RuleList
from tests.factories import altered, talk
from tests.profile_homes import profile_file
from tests.tui.driving import NOW, Driver, opened

DAY = 86_400.0
ALL_OLD = "All sessions older than 90 days"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Two profiles with old sessions; one file also has two of `keeper`, which has no file."""
    root = tmp_path / "hermes"
    for number, name in enumerate(("default", "work")):
        with StateFile.create(profile_file(root, name)) as state:
            for at in range(3):
                when = NOW - (100 + 10 * number + at) * DAY
                said = f"{name} {at}"
                source = ("cli", "telegram")[at % 2]
                talk(state, said, "Hi", at=when, title=said, source=source, end="done")
    with altered(profile_file(root, "work")) as db:
        db.execute(
            "UPDATE sessions SET session_key = 'agent:keeper:telegram:dm:7' WHERE id != 'work 0'"
        )
    return root


def _prune(driver: Driver) -> PruneScreen:
    screen = driver.app.screen
    assert isinstance(screen, PruneScreen)
    return screen


async def _rule(driver: Driver, words: str) -> None:
    """Go to a line of the rules, and enter it."""
    rules = _prune(driver).query_one(RuleList)
    (at,) = (at for at, row in enumerate(rules._rows) if row.words == words)
    rules._cursor = at
    await driver.press("enter")


async def _only_keeper(driver: Driver) -> None:
    await driver.press("f")
    await driver.type("keeper")
    await driver.press("space", "escape", "escape")


async def test_owners_without_a_file_are_offered_and_an_unchanged_choice_changes_nothing(
    home: Path, trash: Path
) -> None:
    async with opened(home, trash=trash) as driver:
        await _only_keeper(driver)
        await driver.press("p")
        await _rule(driver, ALL_OLD)
        assert re.search(r"Profile\s+keeper", driver.screen())
        assert "Will be removed: 2 sessions" in driver.screen()
        before = _prune(driver)._rules
        await _rule(driver, "Profile")
        assert isinstance(driver.app.screen, Several)
        assert "[x] keeper" in driver.screen()
        await driver.press("enter")
        assert _prune(driver)._rules == before
        assert "Will be removed: 2 sessions" in driver.screen()


async def test_any_owner_can_be_chosen_for_a_prune(home: Path, trash: Path) -> None:
    async with opened(home, trash=trash) as driver:
        await driver.press("p")
        await _rule(driver, ALL_OLD)
        assert "Will be removed: 6 sessions" in driver.screen()
        await _rule(driver, "Profile")
        await driver.press("end", "enter")
        assert re.search(r"Profile\s+keeper", driver.screen())
        assert "Will be removed: 2 sessions" in driver.screen()


@pytest.mark.parametrize("rule", ["Profile", "Source", "Class"])
async def test_a_rule_beside_the_selection_does_not_drop_it(
    home: Path, trash: Path, rule: str
) -> None:
    async with opened(home, trash=trash) as driver:
        await driver.press("space", "p")
        assert "Will be removed: 1 session" in driver.screen()
        before = _prune(driver)._rules
        assert before.only
        await _rule(driver, rule)
        await driver.press("enter")
        assert _prune(driver)._rules == before
        assert "Will be removed: 1 session" in driver.screen()


async def test_a_source_of_which_nothing_is_left_stays_in_its_rule(home: Path, trash: Path) -> None:
    async with opened(home, trash=trash) as driver:
        await driver.press("p")
        await _rule(driver, ALL_OLD)
        await _rule(driver, "Source")
        await driver.press("end", "enter")
        before = _prune(driver)._rules
        assert before.sources == {"telegram"}
        await driver.press("d", "y")
        assert "No session matches these rules." in driver.screen()
        await _rule(driver, "Source")
        assert "[x] telegram" in driver.screen()
        await driver.press("enter")
        assert _prune(driver)._rules == before


@pytest.mark.parametrize(
    "rule", ["Inactive for at least", "Messages at most", "Keep the newest", "Matching this search"]
)
@pytest.mark.parametrize("preset", ["Empty sessions", "Cron sessions older than 7 days", ALL_OLD])
async def test_a_value_that_is_entered_unchanged_changes_nothing(
    home: Path, trash: Path, rule: str, preset: str
) -> None:
    async with opened(home, trash=trash, now=NOW + 0.3) as driver:
        await driver.press("p")
        await _rule(driver, preset)
        before = _prune(driver)._rules
        await _rule(driver, rule)
        await driver.press("enter")
        assert _prune(driver)._rules == before


async def test_a_rule_for_inactivity_takes_no_day(home: Path, trash: Path) -> None:
    async with opened(home, trash=trash) as driver:
        await driver.press("p")
        before = _prune(driver)._rules
        await _rule(driver, "Inactive for at least")
        await driver.type("today")
        await driver.press("enter")
        assert "Type a time such as 12h" in driver.screen()
        await driver.press("escape")
        assert _prune(driver)._rules == before


async def _search(driver: Driver, text: str) -> None:
    await driver.press("slash")
    await driver.type(text)
    await driver.press("enter", "escape")


@pytest.mark.parametrize(
    ("query", "profile", "rest", "number"),
    [
        ("profile:keeper", "keeper", "", 2),
        ("profile:Work", "work", "", 3),
        ("profile:work,default", "default, work", "", 6),
        ("source:telegram profile:keeper", "keeper", "source:telegram", 1),
        ("NOT profile:keeper", "all 2 profiles", "NOT profile:keeper", 4),
        ("-profile:keeper", "all 2 profiles", "-profile:keeper", 4),
        ("source:telegram", "all 2 profiles", "source:telegram", 2),
    ],
)
async def test_a_prune_begins_with_what_the_search_bar_asks_for(
    home: Path, trash: Path, query: str, profile: str, rest: str, number: int
) -> None:
    async with opened(home, trash=trash) as driver:
        await _search(driver, query)
        assert len(driver.main.sessions.order) == number
        await driver.press("p")
        await _rule(driver, ALL_OLD)
        screen = driver.screen()
        assert re.search(rf"Profile\s+{re.escape(profile)} ", screen)
        assert _prune(driver)._rules.query == rest
        assert f"Will be removed: {number} session" in screen
        on = [row.words for row in _prune(driver).query_one(RuleList)._rows if row.on]
        assert on == [ALL_OLD]


async def test_after_a_prune_of_the_selection_the_rules_are_those_of_the_list(
    home: Path, trash: Path
) -> None:
    async with opened(home, trash=trash) as driver:
        await _search(driver, "profile:keeper")
        await driver.press("space", "p", "d", "y")
        assert _prune(driver)._rules.profiles == {"keeper"}
