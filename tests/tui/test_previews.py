"""Previews and excerpts in the list: words, not the signs that a model writes around them."""

from pathlib import Path

from explorer.stores.hermes.create.state_file import StateFile
from tests.factories import talk
from tests.tui.driving import NOW, opened


async def test_rows_and_hits_have_words_without_markdown_and_lit_where_they_are(
    tmp_path: Path,
) -> None:
    path = tmp_path / "state.db"
    answer = "<think>a secret plan</think>\n## Result\nThe **arm64** image of `base` is *gone*."
    with StateFile.create(path) as state:
        talk(state, "one", "**Why** does [docker](http://x) fail?", answer, at=NOW - 100, end="x")
    async with opened(path) as driver:
        left = "\n".join(line[:54] for line in driver.screen().splitlines())
        assert "Why does docker fail?" in left
        assert "Result The arm64 image of base is gone." in left
        assert "secret" not in left
        await driver.press("slash")
        await driver.type("arm64")
        row = driver.main.sessions.order[0]
        assert ("arm64", "match") in driver.main.sessions.known._excerpts[row].line
        left = "\n".join(line[:54] for line in driver.screen().splitlines())
        assert "Result The arm64 image" in left
