"""Diffs: told apart, taken apart, made."""

from explorer.render.tools.diffs import COMPARED, DiffLine, amounts, compared, is_diff, parsed


def _signs(changes: list[DiffLine]) -> str:
    return "".join(change.sign or "." for change in changes)


def test_a_removed_line_of_dashes_is_no_head_of_a_file() -> None:
    diff = "--- a/x.sql\n+++ b/x.sql\n@@ -1,3 +1,3 @@\n select 1;\n--- old\n+++ new\n select 2;"
    changes = parsed(diff)
    assert _signs(changes) == "@@@ -+ "
    assert changes[4] == DiffLine("-", "-- old")
    assert amounts(changes) == "+1 −1"


def test_what_stands_around_a_diff_is_not_part_of_it() -> None:
    assert _signs(parsed("Edited.\n--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n- done")) == ".@@@-+."


def test_hunks_without_numbers_last_till_the_next_head() -> None:
    patch = "*** Begin Patch\n*** Update File: a\n@@ f\n x\n-y\n\n+z\n*** End Patch"
    assert _signs(parsed(patch)) == "@@@ - +@"


def test_a_diff_is_told_from_other_text() -> None:
    assert is_diff("diff --git a/x b/x")
    assert is_diff("words\n@@ -1 +1,2 @@ def f\n")
    assert not is_diff("--- a rule\n- a point")
    assert not is_diff("a\n+1 from me")


def test_only_a_few_lines_around_a_change_are_kept() -> None:
    lines = [str(number) for number in range(100)]
    changed = [*lines[:50], "new", *lines[51:]]
    changes = compared("\n".join(lines), "\n".join(changed))
    assert " ".join(change.text for change in changes) == "47 48 49 50 new 51 52 53"
    assert _signs(changes) == "   -+   "


def test_unchanged_lines_between_two_changes_are_folded() -> None:
    lines = [str(number) for number in range(30)]
    changes = compared("\n".join(["a", *lines, "b"]), "\n".join(["A", *lines, "B"]))
    assert [change.text for change in changes[:6]] == [
        "a",
        "A",
        "0",
        "1",
        "2",
        "⋯ 24 unchanged lines",
    ]
    assert amounts(changes) == "+2 −2"


def test_nothing_and_something() -> None:
    assert compared("", "") == []
    assert compared("", "a\nb") == [DiffLine("+", "a"), DiffLine("+", "b")]
    assert compared("a\n", "a") == [DiffLine(" ", "a")]
    assert compared("a", "") == [DiffLine("-", "a")]


def test_what_would_take_too_long_to_compare_is_all_out_and_all_in() -> None:
    old = [f"{number} old" for number in range(COMPARED + 1)]
    new = [f"{number} new" for number in range(COMPARED + 1)]
    changes = compared("\n".join(old), "\n".join(new))
    assert _signs(changes) == "-" * len(old) + "+" * len(new)
    alternating = compared("\n".join("ab" * 150), "\n".join("ba" * 150 + "a"))
    assert _signs(alternating) == "-" * 300 + "+" * 301


def test_what_is_too_long_to_read_is_not_counted() -> None:
    changes = compared("x\n" * 400_000, "y\n" * 400_000)
    assert changes[-1].rest > 0
    assert amounts(changes) == ""
