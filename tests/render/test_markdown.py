"""Markdown as it is drawn: every kind of block, exactly; any text at all, safely."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from explorer.render.blocks import Prose, prose_lines
from explorer.render.clean import clean
from explorer.render.lines import Line, Span, line_width
from explorer.render.markdown.blocks import Markdown
from explorer.render.markdown.spans import ENOUGH, LANGUAGES, Code
from tests.hostile import HOSTILE


def drawn(text: str, width: int = 60) -> list[str]:
    return [said(line) for line in prose_lines(text, width, 200).lines]


def said(line: Line) -> str:
    return "".join(part for part, _ in line).rstrip()


def spans(text: str, width: int = 60) -> list[Span]:
    return [span for line in prose_lines(text, width, 200).lines for span in line]


def test_a_single_line_break_is_kept_and_several_blank_lines_are_one() -> None:
    assert drawn("one\ntwo\n\n\n\nthree") == ["one", "two", "", "three"]


def test_headings_show_their_level_and_have_air_above() -> None:
    text = "# One\n## Two\ntext\n### Three\n###### Six words that wrap"
    assert drawn(text, 22) == [
        "# One",
        "## Two",
        "text",
        "",
        "### Three",
        "###### Six words that",
        "       wrap",
    ]
    assert ("One", "heading") in spans(text)
    assert ("# ", "dim") in spans(text)


def test_an_underlined_line_is_a_heading_but_an_underlined_paragraph_is_not() -> None:
    assert drawn("Title\n=====\ntext") == ["# Title", "text"]
    assert drawn("one\ntwo\n---\nthree", 10) == ["one", "two", "─" * 10, "three"]


def test_lists_nest_with_hanging_indents() -> None:
    text = "- one two three four\n  - five six seven\n    * eight\n- nine"
    assert drawn(text, 16) == [
        "• one two three",
        "  four",
        "  ◦ five six",
        "    seven",
        "    ▪ eight",
        "• nine",
    ]


def test_numbers_are_aligned_and_kept_as_written() -> None:
    text = "8. a\n9. b\n10. c\n    more\n"
    assert drawn(text) == [" 8. a", " 9. b", "10. c", "    more"]
    assert drawn("2) x\n5) y") == ["2) x", "5) y"]


def test_numbers_that_are_all_the_same_are_counted() -> None:
    assert drawn("1. a\n1. b\n1. c") == ["1. a", "2. b", "3. c"]


def test_lists_are_as_loose_as_they_were_written() -> None:
    assert drawn("- a\n- b\n\n- c\n\n  more") == ["• a", "• b", "", "• c", "", "  more"]


def test_an_empty_item_keeps_its_bullet() -> None:
    assert drawn("- a\n-\n- c") == ["• a", "•", "• c"]


def test_what_follows_a_list_without_indent_is_not_part_of_it() -> None:
    assert drawn("- a\n- b\nthanks") == ["• a", "• b", "thanks"]


def test_tasks_have_boxes() -> None:
    text = "- [ ] open\n- [x] done\n1. [X] first"
    assert drawn(text) == ["☐ open", "☑ done", "1. ☑ first"]
    assert ("☑ ", "ok") in spans(text)


def test_quotes_have_a_bar_for_each_level() -> None:
    text = "> one two three\n> > four\n>\n> five"
    assert drawn(text, 12) == ["▎ one two", "▎ three", "▎ ▎ four", "▎", "▎ five"]
    assert ("five", "quote") in spans(text)


def test_an_answer_below_a_quote_is_not_quoted() -> None:
    assert drawn("> you said\nI say") == ["▎ you said", "I say"]


def test_lists_and_code_stand_inside_quotes() -> None:
    assert drawn("> - a\n>   b\n> ```\n> c\n> ```") == ["▎ • a", "▎   b", "▎ │ c"]


def test_an_empty_quote_is_still_there() -> None:
    assert drawn("a\n\n>\n\nb") == ["a", "", "▎", "", "b"]


def test_a_break_is_a_rule_across_the_pane() -> None:
    assert drawn("a\n\n***\n\nb", 8) == ["a", "", "─" * 8, "", "b"]


def test_letters_are_strong_emphasised_or_struck_without_their_marks() -> None:
    text = "**a** *b* _c_ ~~d~~ ***e*** `f*` **`g`** \\*h\\*"
    assert spans(text) == [
        *(("a", "strong"), (" ", "text"), ("b", "emphasis"), (" ", "text"), ("c", "emphasis")),
        *((" ", "text"), ("d", "strike"), (" ", "text"), ("e", "emphasis strong"), (" ", "text")),
        *(("f*", "code"), (" ", "text"), ("g", "code strong"), (" *h*", "text")),
    ]


def test_emphasis_goes_over_the_end_of_a_line() -> None:
    assert prose_lines("go **very far** on", 8, 9).lines == [
        (("go ", "text"), ("very", "strong")),
        (("far", "strong"), (" on", "text")),
    ]


def test_emphasis_in_a_quote_or_a_heading_keeps_its_colour() -> None:
    assert ("a", "quote strong") in spans("> **a**")
    assert ("a", "heading emphasis") in spans("# *a*")


@pytest.mark.parametrize(
    "text",
    [
        "tests/__init__.py and __main__.py",
        "src/*.c, lib/*.c",
        "2*3*4",
        "snake_case_name",
        "a.__class__.__name__",
        "def __init__(self) and __len__(self)",
        '"*.py", "*.md"',
    ],
)
def test_names_and_patterns_keep_their_marks(text: str) -> None:
    assert drawn(text) == [text]


def test_emphasis_needs_no_spaces_in_scripts_that_have_none() -> None:
    assert spans("这是**“重点”**。**注意：**内容") == [
        *(("这是", "text"), ("“重点”", "strong"), ("。", "text")),
        *(("注意：", "strong"), ("内容", "text")),
    ]


def test_a_link_names_its_target_and_an_address_stands_alone() -> None:
    text = "[the docs](https://a.example/x) <https://b.example> [c.example](https://c.example/)"
    assert drawn(text, 90) == ["the docs (https://a.example/x) https://b.example c.example"]
    assert ("the docs", "link") in spans(text, 90)
    assert (" (https://a.example/x)", "dim") in spans(text, 90)


def test_a_link_that_says_another_address_shows_both() -> None:
    text = "[https://good.example](https://evil.example)"
    assert drawn(text) == ["https://good.example (https://evil.example)"]


def test_a_bare_address_is_a_link_with_all_its_characters() -> None:
    text = "see https://a.example/b_c_(d)/__x__.py, or (https://e.example)."
    assert drawn(text, 80) == [text]
    assert ("https://a.example/b_c_(d)/__x__.py", "link") in spans(text, 80)
    assert ("https://e.example", "link") in spans(text, 80)


def test_a_link_without_words_is_its_target() -> None:
    assert drawn("[](a.html)") == ["a.html"]


def test_an_image_is_named_and_not_loaded() -> None:
    assert drawn("![a *map*](m.png) ![](n.png)") == ["[image: a *map*] (m.png) [image] (n.png)"]


def test_an_endless_target_is_cut_and_the_text_opens_alone() -> None:
    made = prose_lines(f"![x](data:image/png;base64,{'A' * 5_000})", 80, 200)
    assert made.cut
    assert len(made.lines) < 6


def test_references_stay_as_they_were_written() -> None:
    text = "see [1]\n\n[1]: https://a.example"
    assert drawn(text) == ["see [1]", "", "[1]: https://a.example"]


def test_html_and_entities_are_text() -> None:
    text = '<b class="*x*">bold</b> &amp; &#x202e; <br>\n\n<div>\n  <p>*a*</p>\n</div>'
    assert drawn(text) == text.split("\n")


def test_markdown_between_tags_is_markdown() -> None:
    assert drawn("<rules>\n- **one**\n</rules>") == ["<rules>", "• one", "</rules>"]


def test_pasted_lines_keep_their_indentation() -> None:
    text = 'Traceback (most recent call last):\n  File "a_b.py", line 3\n    x = y[0]\nKeyError'
    assert drawn(text) == text.split("\n")


def test_code_has_a_bar_its_language_and_colours() -> None:
    text = "```python\ndef f():\n    return 'x'  # why\n```\nafter"
    assert drawn(text) == ["│ python", "│ def f():", "│     return 'x'  # why", "after"]
    assert prose_lines(text, 60, 9).lines[2] == (
        ("│ ", "dim"),
        ("    ", "code-text"),
        ("return ", "code-keyword"),
        ("'x'  ", "code-string"),
        ("# why", "code-comment"),
    )


def test_code_of_no_known_language_is_plain() -> None:
    for info in ("", "klingon", "<script>"):
        assert ("def f", "code") in spans(f"```{info}\ndef f\n```")
    assert ("def f", "code") in spans("text\n\n    def f")


def test_nothing_in_code_is_markdown() -> None:
    assert drawn("```\n*a*\n\n\n# b\n> c\n```") == ["│ *a*", "│", "│", "│ # b", "│ > c"]


def test_a_fence_that_is_never_closed_goes_to_the_end() -> None:
    assert drawn("~~~\na\n```\nb") == ["│ a", "│ ```", "│ b"]


def test_a_line_of_code_that_does_not_fit_is_cut_and_known_to_be() -> None:
    made = prose_lines("```\n0123456789\nx\n```", 10, 200)
    assert [said(line) for line in made.lines] == ["│ 0123456…", "│ x"]
    assert made.cut
    assert not prose_lines("```\n01234567\n```", 10, 200).cut


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_every_language_has_a_lexer_that_loses_nothing(language: str) -> None:
    code = "a = 'b' # c\n\n<d e=\"f\">\tg</d>\n    {h: 1.5, é}\n$ i ` \\ /* j"
    made = Code().lines(clean(code), language, 60, 50)
    assert [said(line) for line in made] == [line.rstrip() for line in clean(code).split("\n")]


def test_very_long_code_is_coloured_at_its_beginning() -> None:
    made = prose_lines("```py\n" + "return 1\n" * 5_000 + "```", 80, 2_000)
    assert made.lines[1][1] == ("return ", "code-keyword")
    assert made.lines[1_999][1] == ("return 1", "code-text")


TABLE = """
| Name | Count | Note |
|:-----|------:|:----:|
| tea | 3 | a |
| 日本 | 100 | **b** \\| c |
| x |
"""


def test_a_table_has_aligned_columns_and_a_head() -> None:
    assert drawn(TABLE) == [
        "Name │ Count │ Note",
        "─────┼───────┼──────",
        "tea  │     3 │   a",
        "日本 │   100 │ b | c",
        "x    │       │",
    ]
    assert ("Name", "table-head") in spans(TABLE)
    assert ("b", "strong") in spans(TABLE)
    assert not prose_lines(TABLE, 60, 200).cut


def test_a_table_that_is_too_wide_shrinks_its_widest_columns() -> None:
    text = "| Id | What was said |\n|-|-|\n| 1 | a long sentence that goes on |"
    made = prose_lines(text, 20, 200)
    assert [said(line) for line in made.lines] == [
        "Id │ What was said",
        "───┼────────────────",
        "1  │ a long sentenc…",
    ]
    assert made.cut


def test_columns_for_which_there_is_no_room_are_left_out() -> None:
    made = prose_lines("|aaaa|bbbb|cccc|dddd|\n|-|-|-|-|\n|1|2|3|4|", 15, 200)
    assert [said(line) for line in made.lines] == [
        "aaaa │ bbbb │ …",
        "─────┼──────┼──",
        "1    │ 2    │ …",
    ]
    assert made.cut


def test_cells_without_a_head_are_known_to_be_missing() -> None:
    assert prose_lines("|a|b|\n|-|-|\n|1|2|3|", 40, 200).cut


def test_a_table_ends_where_its_rows_end() -> None:
    assert drawn("|a|b|\n|-|-|\n|1|2|\n\nafter")[-2:] == ["", "after"]
    assert drawn("|a|b|\n|-|-|\n|1|2|\n> after")[-1] == "▎ after"


def test_wide_characters_wrap_between_any_two() -> None:
    assert drawn("- **日本語の**文章です", 10) == ["• 日本語の", "  文章です"]


def test_a_long_text_says_about_how_much_follows() -> None:
    numbered = "\n".join(f"- item {number}" for number in range(1000))
    made = prose_lines(numbered, 80, 200)
    assert (len(made.lines), made.more) == (200, 800)
    words = "*a* " + "word " * 8_000
    made = prose_lines(words, 80, 200)
    assert len(made.lines) == 200
    assert 290 < made.more < 320


def test_a_text_that_just_fits_has_no_more() -> None:
    assert prose_lines("*a*\n" * 200, 80, 200).more == 0
    assert prose_lines("*a*\n" * 201, 80, 200).more == 1


def test_nothing_is_dropped_however_deep_it_is() -> None:
    for text in ("> " * 200 + "deep", "- " * 200 + "deep", "[" * 300 + "deep", "*" * 99 + "deep"):
        assert "deep" in "".join(drawn(text, 40)), text[:3]


def test_where_there_is_no_room_beside_a_marker_it_stands_above() -> None:
    assert drawn("123456789. abc", 10) == ["123456789.", "abc"]


def test_more_marks_than_anybody_writes_stay_as_they_are() -> None:
    text = "*a* " * ENOUGH
    assert drawn(text, 80)[0] == ("*a* " * 20).rstrip()


HUGE = [
    ("long line", "*x*" + "y" * 1_000_000),
    ("line breaks", "*a*" + "\n" * 100_000 + "b"),
    ("quotes", ">" * 10_000 + "a"),
    ("brackets", "[" * 10_000),
    ("images", "![" * 10_000 + "](x)"),
    ("stars", "*" * 10_000 + "a"),
    ("stars and words", "*a **b " * 10_000),
    ("backticks", "".join("`" * number + "a" for number in range(300))),
    ("open fence", "```python\n" + "x = '" * 100_000),
    ("columns", "|a" * 5_000 + "\n" + "|-" * 5_000 + "\n" + "|b" * 5_000),
    ("rows", "|a|b|\n|-|-|\n" + "|c|d|\n" * 50_000),
    ("lists", "- " * 10_000 + "a"),
    ("stairs", "".join("  " * depth + "- x\n" for depth in range(300))),
    ("tags", "<a " * 50_000),
    ("comments", "x <!--" * 50_000),
    ("addresses", "https://" * 50_000),
    ("parentheses", "https://a" + "(" * 50_000),
    ("accents", "**e" + "\u0301" * 8 + "**" + "**" + "\u0301" * 8 + "a**"),
]


def _assert_safe(made: Prose, width: int) -> None:
    for line in made.lines:
        assert line_width(line) <= width
        for part, _ in line:
            assert clean(part) == part
            assert "\n" not in part
        whole = "".join(part for part, _ in line)
        assert clean(whole) == whole


@pytest.mark.parametrize(("name", "text"), [*HOSTILE, *HUGE])
@pytest.mark.parametrize("form", ["{}", "# {}", "- **{}", "> `{}", "```py\n{}", "|a|\n|-|\n|{}|"])
def test_hostile_text_stays_in_its_pane(name: str, text: str, form: str) -> None:
    for width in (4, 37):
        made = prose_lines(form.replace("{}", text), width, 200)
        assert len(made.lines) <= 200
        _assert_safe(made, width)


PIECES = [
    *("*", "**", "_", "__", "`", "```", "```py\n", "~~", "[", "](", ")", "![", "<", ">", "</a>"),
    *("|", "|-", "|\n", "- ", "+ ", "1. ", "12) ", "# ", "> ", " ", "    ", "\n", "\n\n", "\\"),
    *("- [ ] ", "- [x] ", "---", "===", "word", "a_b", "https://x.y/z", "&#27;", "&shy;", "é"),
    *(
        "日本",
        "👍",
        "\U0001f3fb",
        "\u0301",
        "\u200d",
        "\ufe0f",
        "🇩🇪",
        "\t",
        "\r",
        "\x1b[2J",
        "\u202e",
    ),
]
markdown_like = st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=60).map("".join)


@given(markdown_like, st.integers(4, 120))
@example("# - \u65e5", 4)
@example("e" + "\u0301" * 8 + "****" + "\u0301" * 8, 20)
@example("**👍**\U0001f3fb", 4)
def test_any_text_is_drawn_within_its_pane(text: str, width: int) -> None:
    _assert_safe(prose_lines(text, width, 200), width)


@given(st.text(alphabet="ab1 é日.,-\n", max_size=300), st.integers(4, 60))
def test_no_word_of_a_paragraph_is_lost(text: str, width: int) -> None:
    made = prose_lines(f"{text}\n\n**end**", width, 10_000)
    drawn = "".join(part for line in made.lines for part, _ in line)
    # Numbers are counted anew where a list repeats them.
    letters = [sign for sign in text + "end" if sign.isalpha()]
    assert [sign for sign in drawn if sign.isalpha()] == letters


@given(st.text(alphabet="ab é日.,:()'\"\n", max_size=300), st.integers(4, 60))
@example("a\n\nb", 10)
def test_plain_text_is_drawn_the_same_without_the_parser(text: str, width: int) -> None:
    text = text.strip("\n") or "a"
    quick = [said(line) for line in prose_lines(text, width, 500).lines]
    slow = [said(line) for line in Markdown(text, width, 500).lines()]
    assert quick == slow
