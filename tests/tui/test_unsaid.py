"""The transcript of today's Hermes: what nobody said is quiet, what is hidden comes on request."""

from pathlib import Path

import pytest

from explorer.tui.reading.transcript_view import Transcript
from tests.factories import altered, rows
from tests.newer_files import newer_file
from tests.tui.driving import Driver, opened


@pytest.fixture(params=["hermes-v23", "hermes-v26", "hermes-v31"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return newer_file(request.param, tmp_path, "delete")


def _holding(path: Path, text: str) -> str:
    """The id of the session with a message that begins so."""
    ((id_,),) = rows(
        path,
        "SELECT DISTINCT session_id FROM messages WHERE substr(content, 1, ?) = ?",
        (len(text), text),
    )
    return str(id_)


async def _read(driver: Driver, id_: str) -> None:
    await driver.press("/")
    await driver.type(f"id:{id_}")
    await driver.press("enter")


def _text(driver: Driver) -> str:
    return "\n".join(line[70:] for line in driver.screen().splitlines())


async def test_notices_are_quiet_and_hidden_messages_come_with_a_key(path: Path) -> None:
    async with opened(path, size=(160, 40)) as driver:
        await _read(driver, _holding(path, "the first thing a person typed"))
        shown = _text(driver)
        assert "▸ Model changed from a to b · " in shown
        assert "▸ Subagent finished: Subagent done: 3 puffins · " in shown
        assert "👍" in shown
        assert "scaffold" not in shown
        assert "message 1 of 5" in shown
        await driver.press("R")
        shown = _text(driver)
        assert "for the model only" in shown
        assert "[scaffold] model-only line" in shown
        assert "+ rewound and repeated messages · " in shown
        assert " of 6" in shown
        await driver.press("R")
        assert "scaffold" not in _text(driver)


async def test_messages_of_yours_are_those_that_somebody_said(path: Path) -> None:
    async with opened(path, size=(160, 40)) as driver:
        await _read(driver, _holding(path, "the first thing a person typed"))
        transcript = driver.main.query_one(Transcript)
        await driver.press("G")
        await driver.press("[")
        laid, _ = transcript.here()
        assert laid is not None
        assert laid.message is not None
        assert laid.message.text == "the first thing a person typed"


async def test_a_skill_shows_the_command_and_unfolds(path: Path) -> None:
    async with opened(path, size=(160, 40)) as driver:
        await _read(driver, _holding(path, "[IMPORTANT: The user has invoked"))
        shown = _text(driver)
        assert "/mend — patch the north net" in shown
        assert "▸ skill mend · " in shown
        assert "nets with care" not in shown
        await driver.press("}", "z")
        assert "Mend nets with care" in _text(driver)


async def test_find_and_search_go_into_what_is_folded_beside_the_words(path: Path) -> None:
    id_ = _holding(path, "[IMPORTANT: The user has invoked")
    with altered(path) as db:
        db.execute(
            "UPDATE messages SET content = replace(content, '# Mend', '# Mend the zebra net')"
            " WHERE session_id = ?",
            (id_,),
        )
    async with opened(path, size=(160, 40)) as driver:
        await _read(driver, id_)
        await driver.press("ctrl+f")
        await driver.type("zebra")
        assert "1 of 1" in driver.screen()
        assert "Mend the zebra net" in _text(driver)
        await driver.press("escape", "escape", "escape")
        await driver.press("/")
        await driver.type("zebra")
        await driver.press("enter")
        assert "Mend the zebra net" in _text(driver), "the search led to it"


async def test_a_question_behind_a_summary_is_read_below_it(path: Path) -> None:
    ((id_,), *_) = rows(
        path,
        "SELECT session_id FROM messages WHERE content LIKE '%END OF CONTEXT SUMMARY%'"
        " AND content LIKE '%Go on with part 2, please' LIMIT 1",
    )
    async with opened(path, size=(160, 50)) as driver:
        await _read(driver, str(id_))
        await driver.press("ctrl+f")
        await driver.type("part 2, please")
        lines = [line.strip(" │▌") for line in _text(driver).splitlines()]
        at = next(at for at, line in enumerate(lines) if line == "Go on with part 2, please")
        assert lines[at - 1].startswith("── you · ")
        assert lines[at - 2].startswith("▸ summary of earlier messages · ")


@pytest.mark.parametrize("name", ["hermes-v30", "hermes-v31"])
async def test_copies_that_a_compression_made_are_one_message(name: str, tmp_path: Path) -> None:
    path = newer_file(name, tmp_path, "delete")
    ((id_, twice), *_) = rows(
        path,
        "SELECT session_id, count(*) FROM messages WHERE active = 1 OR compacted = 1"
        " GROUP BY session_id, display_order HAVING count(*) > 1",
    )
    ((shown,),) = rows(
        path,
        "SELECT count(DISTINCT display_order) FROM messages WHERE session_id = ?"
        " AND (active = 1 OR compacted = 1) AND display_kind IS NOT 'hidden'",
        (id_,),
    )
    ((every,),) = rows(path, "SELECT count(*) FROM messages WHERE session_id = ?", (id_,))
    async with opened(path, size=(160, 60)) as driver:
        await _read(driver, str(id_))
        assert f" of {shown}" in _text(driver)
        await driver.press("G")
        assert f"×{twice}" in _text(driver)
        await driver.press("R")
        assert f" of {every}" in _text(driver)
        assert "×" not in _text(driver)
