"""Changes of the session that is being read: it is meant, whatever is selected in the list."""

from pathlib import Path

from tests.tui.driving import animals, opened


async def test_a_change_while_reading_is_about_the_session_being_read(
    tmp_path: Path, trash: Path
) -> None:
    async with opened(animals(tmp_path / "state.db"), trash=trash) as driver:
        await driver.to("dog")
        await driver.press("space")
        await driver.to("bee")
        await driver.press("enter")
        assert driver.focus() == "transcript"
        driver.main.action_edit("delete")
        await driver.settle()
        assert "Delete “bee”?" in driver.screen()
        await driver.press("y")
        assert driver.listed() == ["ant", "cat", "dog"]
        driver.main.action_edit("rename")
        await driver.settle()
        await driver.type("!")
        await driver.press("enter")
        assert driver.listed() == ["ant", "!", "dog"], "what took its place is read by now"
