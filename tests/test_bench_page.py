"""The page of a bench is written in parts too."""

from bench.report import Table, at_most, with_sections

PAGE = """\
# Speed

2 cores. Aims met: 7 of 9.

## Commands

Old words.

| what | aim       | met |
|------|-----------|-----|
| a    | the floor |     |
| b    | ≤ 1x      | no  |

## Reading

| what | aim  | met |
|------|------|-----|
| c    | ≤ 1x | yes |

## Kills

| what | aim       | met |
|------|-----------|-----|
| d    | ≤ 0 wrong | yes |
"""


def _table(title: str, ratio: float) -> Table:
    table = Table(title, "New words.", ("what",))
    table.add("b", aim=at_most(ratio, 1.0))
    return table


def test_single_sections_are_renewed_or_added_and_aims_counted_again() -> None:
    made = with_sections(PAGE, [_table("Commands", 0.5), _table("Servers", 2.0)], "## Kills")
    titles = [line for line in made.splitlines() if line.startswith("#")]
    assert titles == ["# Speed", "## Commands", "## Reading", "## Servers", "## Kills"]
    assert "Aims met: 2 of 3." in made
    assert "Old words" not in made
    assert made.endswith(PAGE.partition("## Kills")[2])
    assert with_sections(made, [_table("Commands", 0.5)], "## Kills") == made
