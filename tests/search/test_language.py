"""What somebody types into the search bar, as clauses and fields."""

from datetime import UTC

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.search.language.query import LONGEST, Clause, Field, Query, Term, parse
from explorer.search.language.vocabulary import FIELDS
from tests.factories import NOW
from tests.hostile import HOSTILE

Part = Clause | Field
STATES = [*FIELDS["is"].offers]
UNKNOWN_STATE = f"is unknown (use {', '.join(STATES[:-1])} or {STATES[-1]})"
NOT_A_DATE = "is not a date (try 2026-10-01, 3d, yesterday)"
NOT_A_NUMBER = "is not a number (try 20, >20, 10..20)"


def _parse(text: str) -> Query:
    return parse(text, NOW, UTC)


def word(text: str) -> Clause:
    name, colon, _ = text.lower().removeprefix("-").partition(":")
    return Clause((Term("word", text, is_like_a_field=bool(colon) and name in FIELDS),))


def phrase(text: str) -> Clause:
    return Clause((Term("phrase", text),))


def prefix(text: str) -> Clause:
    return Clause((Term("prefix", text),))


def regex(text: str) -> Clause:
    return Clause((Term("regex", text),))


def either(*clauses: Clause) -> Clause:
    return Clause(tuple(term for clause in clauses for term in clause.any_of))


def no(part: Part) -> Part:
    return part._replace(negated=True)


def words(*texts: str) -> list[Part]:
    return [word(text) for text in texts]


def check(text: str, parts: list[Part]) -> None:
    query = _parse(text)
    assert query.text == text
    assert query.clauses == tuple(part for part in parts if isinstance(part, Clause))
    assert query.fields == tuple(part for part in parts if isinstance(part, Field))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        (" \t\n", []),
        ("docker", words("docker")),
        ("docker arm64", words("docker", "arm64")),
        ("  docker\t\narm64\u3000x ", words("docker", "arm64", "x")),
        ("it's", words("it's")),
        ("foo(", words("foo(")),
        ("C++", words("C++")),
        ("{ ^a ' \\ %", words("{", "^a", "'", "\\", "%")),
        ("NEAR(a,b)", words("NEAR(a,b)")),
        (".env gateway/run.py 50%", words(".env", "gateway/run.py", "50%")),
        ("桂林 東京", words("桂林", "東京")),
        ("a a", words("a", "a")),
        ("\0", words("\0")),
    ],
)
def test_words_stand_between_spaces(text: str, parts: list[Part]) -> None:
    check(text, parts)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("-word", words("-word")),
        ("--force", words("--force")),
        ("rm -rf x", words("rm", "-rf", "x")),
        ("-", words("-")),
        ("-x:y", words("-x:y")),
        ("--source:cli", words("--source:cli")),
        ('-"a b"', words('-"a', 'b"')),
        ("-/x/", words("-/x/")),
        ("- source:cli", [word("-"), Field("source", "cli")]),
    ],
)
def test_a_dash_is_text_unless_a_field_follows(text: str, parts: list[Part]) -> None:
    check(text, parts)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ('"no space left"', [phrase("no space left")]),
        ('disk "no space left" now', [word("disk"), phrase("no space left"), word("now")]),
        ('"one"', [phrase("one")]),
        ('" padded "', [phrase("padded")]),
        ('"a""b"', [phrase("a"), phrase("b")]),
        ('"a"b', [phrase("a"), word("b")]),
        ('"source:cli"', [phrase("source:cli")]),
        ('"a OR b"', [phrase("a OR b")]),
        ('"/x/"', [phrase("/x/")]),
        ('"foo*"', [phrase("foo*")]),
        ('"foo"*', [phrase("foo")]),
        ('"foo"* bar', [phrase("foo"), word("bar")]),
        ('"foo"*bar', [phrase("foo"), word("*bar")]),
        ('""', []),
        ('" "', []),
        ('a "" b', words("a", "b")),
        ('a"b', words('a"b')),
        ('print("a b")', words('print("a', 'b")')),
        ('5" pipe', words('5"', "pipe")),
    ],
)
def test_a_phrase_stands_between_quotes(text: str, parts: list[Part]) -> None:
    check(text, parts)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ('"', words('"')),
        ('a "', words("a", '"')),
        ('" a', words('"', "a")),
        ('"""', words('"')),
        ('"never closed', [phrase("never closed")]),
        ('x "no spa', [word("x"), phrase("no spa")]),
        ('"done" "no spa', [phrase("done"), phrase("no spa")]),
        ('title:"no spa', [Field("title", "no spa")]),
        ('title:" x', words('title:"', "x")),
    ],
)
def test_a_quote_without_a_partner_is_text_or_a_phrase_in_the_making(
    text: str, parts: list[Part]
) -> None:
    check(text, parts)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("foo*", [prefix("foo")]),
        ("a foo* b", [word("a"), prefix("foo"), word("b")]),
        ("-foo*", [prefix("-foo")]),
        ("src/*", [prefix("src/")]),
        ("桂*", [prefix("桂")]),
        ("*", words("*")),
        ("**", words("**")),
        ("foo**", words("foo**")),
        ("foo*bar", words("foo*bar")),
        ("*foo", words("*foo")),
        ("*foo*", words("*foo*")),
        ("/*", words("/*")),
        (".*", words(".*")),
        ("a *", words("a", "*")),
    ],
)
def test_a_star_behind_a_word_makes_a_prefix(text: str, parts: list[Part]) -> None:
    check(text, parts)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a OR b", [either(word("a"), word("b"))]),
        ("a OR b OR c", [either(word("a"), word("b"), word("c"))]),
        ("x a OR b y", [word("x"), either(word("a"), word("b")), word("y")]),
        ('"a b" OR c* OR /d/', [either(phrase("a b"), prefix("c"), regex("d"))]),
        ("a AND b", words("a", "b")),
        ("a AND b OR c", [word("a"), either(word("b"), word("c"))]),
        ("a NOT b", [word("a"), no(word("b"))]),
        ('a NOT "b c"', [word("a"), no(phrase("b c"))]),
        ("a NOT /b/", [word("a"), no(regex("b"))]),
        ("a NOT b*", [word("a"), no(prefix("b"))]),
        ("a NOT b OR c", [word("a"), no(either(word("b"), word("c")))]),
        ("a NOT -b", [word("a"), no(word("-b"))]),
        ("a AND NOT b", [word("a"), no(word("b"))]),
        ("NOT source:cli", [no(Field("source", "cli"))]),
        ("NOT -source:cli", [Field("source", "cli")]),
        ("a AND source:cli AND b", [word("a"), Field("source", "cli"), word("b")]),
        ("source:a OR source:b", [Field("source", "a,b")]),
        ("source:a,b OR source:c", [Field("source", "a,b,c")]),
        ('title:"a, b" OR title:c', [Field("title", '"a, b",c')]),
        ("NOT source:a OR source:b", [no(Field("source", "a,b"))]),
        ("IS:Open OR is:running", [Field("is", "open,running")]),
    ],
)
def test_operators_join_and_negate(text: str, parts: list[Part]) -> None:
    check(text, parts)
    assert _parse(text).notes == ()


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("AND", words("AND")),
        ("OR", words("OR")),
        ("NOT", words("NOT")),
        ("AND OR NOT", words("AND", "OR", "NOT")),
        ("AND a", words("AND", "a")),
        ("OR a", words("OR", "a")),
        ("a AND", words("a", "AND")),
        ("a OR", words("a", "OR")),
        ("a NOT", words("a", "NOT")),
        ("a OR NOT", words("a", "OR", "NOT")),
        ("a or b", words("a", "or", "b")),
        ("a and not b", words("a", "and", "not", "b")),
        ("Not a", words("Not", "a")),
        ('"AND"', [phrase("AND")]),
        ('a "OR" b', [word("a"), phrase("OR"), word("b")]),
        ("ANDROID ORACLE NOTE", words("ANDROID", "ORACLE", "NOTE")),
        ('NOT ""', words("NOT")),
        ("a OR OR b", [word("a"), either(word("OR"), word("b"))]),
    ],
)
def test_an_operator_that_has_nothing_to_join_is_a_word(text: str, parts: list[Part]) -> None:
    check(text, parts)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a OR source:b", [word("a"), Field("source", "b")]),
        ("source:a OR b", [word("b"), Field("source", "a")]),
        ("source:a OR model:b", [Field("source", "a"), Field("model", "b")]),
        ("a OR NOT b", [word("a"), no(word("b"))]),
        ("-source:a OR -source:b", [no(Field("source", "a")), no(Field("source", "b"))]),
        ("messages:1 OR messages:2", [Field("messages", "1"), Field("messages", "2")]),
        ("on:today OR on:2026", [Field("on", "today"), Field("on", "2026")]),
    ],
)
def test_what_or_cannot_join_must_all_hold_and_a_note_says_so(text: str, parts: list[Part]) -> None:
    check(text, parts)
    assert _parse(text).notes == ("OR only joins words, or values of one field: read as AND",)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("/foo/", [regex("foo")]),
        ("/foo bar/", [regex("foo bar")]),
        ("/a|b/ c", [regex("a|b"), word("c")]),
        (r"x /\d{4}-\d\d/", [word("x"), regex(r"\d{4}-\d\d")]),
        ("/a/ /b/", [regex("a"), regex("b")]),
        (r"/a\/b c/", [regex(r"a\/b c")]),
        (r"/https?://\S+/", [regex(r"https?://\S+")]),
        ("/usr/", [regex("usr")]),
        ("/x", words("/x")),
        ("/usr/bin/env", words("/usr/bin/env")),
        ("/usr/bin/env /tmp", words("/usr/bin/env", "/tmp")),
        ("/home/me and /tmp/a", words("/home/me", "and", "/tmp/a")),
        ("cp /a b/c", words("cp", "/a", "b/c")),
        ("a/b", words("a/b")),
        ("a/b/", words("a/b/")),
        ("a / b / c", words("a", "/", "b", "/", "c")),
        ("/", words("/")),
        ("//", words("//")),
        ("///", words("///")),
        ("// a comment /", words("//", "a", "comment", "/")),
        ("//host/share/", words("//host/share/")),
        ("/x/y", words("/x/y")),
        ("/x/,", words("/x/,")),
        (r"/x\/", words(r"/x\/")),
        ("(/x/)", words("(/x/)")),
    ],
)
def test_an_expression_stands_between_slashes(text: str, parts: list[Part]) -> None:
    check(text, parts)
    assert _parse(text).notes == ()


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("NOT a", [no(word("a"))]),
        ('NOT "a b"', [no(phrase("a b"))]),
        ("NOT /a/", [no(regex("a"))]),
        ("NOT a*", [no(prefix("a"))]),
        ("NOT a OR b", [no(either(word("a"), word("b")))]),
        ("NOT -a", [no(word("-a"))]),
        ("NOT a NOT b source:cli", [no(word("a")), no(word("b")), Field("source", "cli")]),
    ],
)
def test_leaving_out_alone_is_understood(text: str, parts: list[Part]) -> None:
    check(text, parts)
    assert _parse(text).notes == ()


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("/foo(/", words("/foo(/")),
        ("/foo (bar/ x", words("/foo", "(bar/", "x")),
        ("/a**/", words("/a**/")),
        ("/[/", words("/[/")),
        ("/a{99999999}/", words("/a{99999999}/")),
        ("a NOT /(/", [word("a"), no(word("/(/"))]),
    ],
)
def test_an_invalid_expression_is_text_and_a_note_says_so(text: str, parts: list[Part]) -> None:
    check(text, parts)
    (note,) = _parse(text).notes
    assert "is not a valid regular expression (" in note
    assert note.endswith("): searched as plain text")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("source:cli", [Field("source", "cli")]),
        ("SOURCE:cli", [Field("source", "cli")]),
        ("Source:CLI", [Field("source", "CLI")]),
        ("source:cli,telegram", [Field("source", "cli,telegram")]),
        ("source:cli,", [Field("source", "cli")]),
        ("source:,cli,,x", [Field("source", "cli,x")]),
        ('source:"my bot",cli', [Field("source", "my bot,cli")]),
        ("-source:cli", [no(Field("source", "cli"))]),
        ("model:opus", [Field("model", "opus")]),
        ("-model:opus-4.5", [no(Field("model", "opus-4.5"))]),
        ("model:anthropic/claude:beta", [Field("model", "anthropic/claude:beta")]),
        ("role:user", [Field("role", "user")]),
        ("tool:terminal,read_file", [Field("tool", "terminal,read_file")]),
        ("title:kyoto", [Field("title", "kyoto")]),
        ('title:"trip to kyoto"', [Field("title", "trip to kyoto")]),
        ('-title:"trip to kyoto"', [no(Field("title", "trip to kyoto"))]),
        ('title:"a, b"', [Field("title", '"a, b"')]),
        ('title:"a"b', [word("b"), Field("title", "a")]),
        ('title:a"b', [Field("title", 'a"b')]),
        ("id:20251020_212135_953f48", [Field("id", "20251020_212135_953f48")]),
        ("kind:branch", [Field("kind", "branch")]),
        ("kind:root,Continuation", [Field("kind", "root,continuation")]),
        ("is:archived", [Field("is", "archived")]),
        ("is:ARCHIVED,pinned", [Field("is", "archived,pinned")]),
        ("-is:empty", [no(Field("is", "empty"))]),
        ("is:open is:running", [Field("is", "open"), Field("is", "running")]),
        ("has:tools,reasoning,image", [Field("has", "tools,reasoning,image")]),
        (
            "in:content in:tools in:reasoning -in:title",
            [
                *(Field("in", "content"), Field("in", "tools"), Field("in", "reasoning")),
                Field("in", "title", True),
            ],
        ),
        ("before:2026-03-01", [Field("before", "2026-03-01")]),
        ("after:7d", [Field("after", "7d")]),
        ('after:"7 d"', [Field("after", "7 d")]),
        ("on:yesterday", [Field("on", "yesterday")]),
        ("-on:2026-03", [no(Field("on", "2026-03"))]),
        ("messages:>20", [Field("messages", ">20")]),
        ("messages:>=1,000", [Field("messages", ">=1,000")]),
        ("cost:>1", [Field("cost", ">1")]),
        ("cost:<$0.50", [Field("cost", "<$0.50")]),
        ("tokens:>10k", [Field("tokens", ">10k")]),
        ("tokens:1.5M..2m", [Field("tokens", "1.5M..2m")]),
        ("workspace:/home/me/code", [Field("workspace", "/home/me/code")]),
        ('workspace:"/srv/my code"', [Field("workspace", "/srv/my code")]),
        ("docker source:cli arm64", [*words("docker", "arm64"), Field("source", "cli")]),
    ],
)
def test_a_field_has_a_name_and_a_value(text: str, parts: list[Part]) -> None:
    check(text, parts)
    assert _parse(text).notes == ()


@pytest.mark.parametrize(
    "text",
    [
        "todo:",
        "todo:x",
        "http://example.com/a",
        "C:\\Users",
        "std::vector",
        "Model::find",
        "title::x",
        "source.x:cli",
        "(source:cli",
        "12:30",
        "localhost:8080",
        ":source:cli",
    ],
)
def test_what_only_looks_like_a_field_is_text(text: str) -> None:
    check(text, words(text))
    assert _parse(text).notes == ()


def test_a_value_follows_its_name_without_a_space() -> None:
    check("source: cli", words("source:", "cli"))
    check("todo: x is: open", words("todo:", "x", "is:", "open"))
    check("source:cli, telegram", [Field("source", "cli"), word("telegram")])
    why = "has no value (no space after “source:”): searched as plain text"
    assert _parse("source: cli").notes == (f"“source:” {why}",)


@pytest.mark.parametrize(
    ("text", "left", "note"),
    [
        ("source:", [], "“source:” needs a value, such as source:telegram,slack"),
        ("a -is:", words("a"), "“-is:” needs a value, such as is:archived"),
        ("a before: ", words("a"), "“before:” needs a date, such as before:2026-10-01"),
        ("a messages:", words("a"), "“messages:” needs a number, such as messages:>20"),
        ('a title:"', words("a"), '“title:"” needs a value, such as title:"trip to kyoto"'),
        ("a NOT source:,", words("a"), "“source:,” needs a value, such as source:telegram,slack"),
    ],
)
def test_a_field_without_a_value_asks_nothing_yet(text: str, left: list[Part], note: str) -> None:
    check(text, left)
    assert _parse(text).notes == (note,)
    assert _parse(text).unfinished


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("sorce:cli", "is not a field (did you mean source:?)"),
        ("-modle:opus", "is not a field (did you mean model:?)"),
        ("since:7d", "is not a field (did you mean after:?)"),
        ("folder:api", "is not a field (did you mean workspace:?)"),
        ("-docker", "excludes nothing (use NOT docker)"),
    ],
)
def test_what_was_meant_otherwise_is_searched_as_text_with_a_note(text: str, why: str) -> None:
    assert [term.text for clause in _parse(text).clauses for term in clause.any_of] == [text]
    assert _parse(text).notes == (f"“{text}” {why}: searched as plain text",)


def test_brackets_around_words_get_a_note() -> None:
    note = ("brackets do not group words: searched as plain text",)
    assert _parse("(docker OR podman) arm64").notes == note
    for text in ("print(x)", "(aside) a", "f(a b", ":-)", "--force", "a - b"):
        assert _parse(text).notes == ()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("is:foo", UNKNOWN_STATE),
        ("is:open,foo", UNKNOWN_STATE),
        ("has:fun", "is unknown (use tools, reasoning or image)"),
        ("in:progress", "is unknown (use content, tools, reasoning or title)"),
        ("kind:weird", "is unknown (use root, branch, subagent or continuation)"),
        ("before:tomorow", NOT_A_DATE),
        ("on:click", NOT_A_DATE),
        ("after:2026-02-30", NOT_A_DATE),
        ("on:7d,8d", NOT_A_DATE),
        ("messages:abc", NOT_A_NUMBER),
        ("messages:>", NOT_A_NUMBER),
        ("messages:-5", NOT_A_NUMBER),
        ("messages:=>5", NOT_A_NUMBER),
        ("cost:1..", NOT_A_NUMBER),
        ("tokens:1,00", NOT_A_NUMBER),
        ("tokens:10g", NOT_A_NUMBER),
        ("messages:²", NOT_A_NUMBER),
        ("-is:foo", UNKNOWN_STATE),
    ],
)
def test_a_value_that_the_field_cannot_take_is_text_and_a_note_says_so(text: str, why: str) -> None:
    check(text, words(text))
    assert _parse(text).notes == (f"“{text}” {why}: searched as plain text",)


def test_a_quoted_value_that_the_field_cannot_take_is_words() -> None:
    check('is:"not so" x', words('is:"not', 'so"', "x"))
    assert len(_parse('is:"not so" x').notes) == 1


def test_each_note_comes_once_in_the_order_of_the_query() -> None:
    query = _parse("on:click is:foo on:click a OR is:open b OR is:open")
    assert query.notes == (
        f"“on:click” {NOT_A_DATE}: searched as plain text",
        f"“is:foo” {UNKNOWN_STATE}: searched as plain text",
        "OR only joins words, or values of one field: read as AND",
    )


@pytest.mark.parametrize(
    ("text", "needs_text", "asks_messages"),
    [
        ("", False, False),
        ("word", True, True),
        ("NOT word", False, False),
        ("NOT word other", True, True),
        ("source:cli before:7d", False, False),
        ("role:user", False, True),
        ("-has:image", False, True),
        ("tool:terminal on:today", False, True),
        ("in:title", False, False),
    ],
)
def test_a_query_says_whether_it_is_about_text_and_about_messages(
    text: str, needs_text: bool, asks_messages: bool
) -> None:
    query = _parse(text)
    assert query.needs_text is needs_text
    assert query.asks_messages is asks_messages


def test_only_what_must_be_found_is_positive() -> None:
    query = _parse("a NOT b c OR d")
    assert query.positive == (word("a"), either(word("c"), word("d")))


@pytest.mark.parametrize(
    ("value", "alternatives"),
    [
        ("cli", ("cli",)),
        ("cli,telegram", ("cli", "telegram")),
        ("my bot,cli", ("my bot", "cli")),
        ('"a, b"', ("a, b",)),
        ('"a, b",c', ("a, b", "c")),
        ('c,"a, b"', ("c", "a, b")),
        ('a"b,c"d', ('a"b', 'c"d')),
    ],
)
def test_a_field_names_its_alternatives(value: str, alternatives: tuple[str, ...]) -> None:
    assert Field("title", value).any_of == alternatives


def test_a_novel_is_not_searched_for() -> None:
    query = _parse("word " * 10_000)
    assert query.clauses == (word("word"),) * (LONGEST // 5)
    assert query.notes == (f"too long: only the first {LONGEST} characters are searched",)


def test_half_a_surrogate_becomes_a_replacement_character() -> None:
    check("a\ud800b \udfff", words("a\ufffdb", "\ufffd"))
    check("title:\udc80", [Field("title", "\ufffd")])


anything = st.text(max_size=80) | st.lists(
    st.sampled_from(
        [
            *(
                '"',
                "/",
                "*",
                "-",
                ",",
                ":",
                "\\",
                "(",
                " ",
                "  ",
                "AND",
                "OR",
                "NOT",
                "a",
                "ß",
                "桂",
            ),
            *(">", "..", "10k", "today", "7d", "open", "tools", "\ud800", "\n", "[", "{9", "}"),
            *(f"{name}:" for name in FIELDS),
        ]
    ),
    max_size=30,
).map("".join)


@given(anything)
def test_any_text_is_understood_somehow(text: str) -> None:
    query = _parse(text)
    for clause in query.clauses:
        assert clause.any_of
        assert all(term.text.strip() for term in clause.any_of)
    for field in query.fields:
        assert field.name in FIELDS
        assert field.value
    str(query._replace(text="")).encode()


@given(anything)
def test_no_word_is_lost(text: str) -> None:
    """Whatever is no space is in a clause, in a field that may not have its value yet, or in
    between them as a sign."""
    query = _parse(text)
    if any(character.isalnum() for character in text):
        assert query.clauses or query.fields or query.unfinished


@given(anything, anything)
def test_what_follows_a_space_does_not_change_finished_words(first: str, second: str) -> None:
    plain = [each for each in first.split() if each.isalnum()]
    query = _parse(" ".join([*plain, "x", second]))
    known = [word(each) for each in plain if each not in ("AND", "OR", "NOT")]
    if not set(plain) & {"AND", "OR", "NOT"}:
        assert list(query.clauses[: len(known)]) == known


literal = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=9).filter(
    lambda text: text not in ("AND", "OR", "NOT")
)


@given(st.lists(literal, max_size=15))
def test_plain_words_are_given_back(texts: list[str]) -> None:
    check(" ".join(texts), words(*texts))
    assert _parse(" ".join(texts)).notes == ()


@given(
    st.lists(st.text(st.characters(exclude_characters='"', codec="utf-8"), max_size=12), max_size=9)
)
def test_anything_between_quotes_is_given_back(texts: list[str]) -> None:
    quoted = " ".join(f'"{text}"' for text in texts)
    check(quoted, [phrase(text.strip()) for text in texts if text.strip()])


@given(
    st.lists(
        st.text(st.characters(exclude_characters='"', codec="utf-8"), min_size=1, max_size=9)
        .map(str.strip)
        .filter(bool),
        min_size=1,
        max_size=9,
    )
)
def test_values_between_quotes_are_given_back(values: list[str]) -> None:
    (field,) = _parse("title:" + ",".join(f'"{value}"' for value in values)).fields
    assert field.any_of == tuple(values)


@pytest.mark.parametrize("text", [text for _, text in HOSTILE], ids=[name for name, _ in HOSTILE])
def test_anything_can_be_pasted(text: str) -> None:
    assert _parse(text).text == text
