"""The README: its pictures exist, and its generated parts are as the code has them."""

import re

from tools.readme import README, renewed


def test_the_key_table_and_the_help_text_are_those_of_the_program() -> None:
    text = README.read_text(encoding="utf-8")
    assert renewed(text) == text, "run: make readme"


def test_every_picture_and_page_that_is_named_exists() -> None:
    text = README.read_text(encoding="utf-8")
    named = re.findall(r"\]\(((?!http)[^)]+)\)", text)
    assert named
    assert [name for name in named if not (README.parent / name).exists()] == []
