"""How the search bar says what it understood, and what it offers to type."""

from datetime import UTC

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.search.language.chips import Offer, Understood, complete, understood_parts
from explorer.search.language.query import LONGEST, parse
from explorer.search.language.vocabulary import FIELDS
from tests.factories import NOW


def _said(text: str) -> list[tuple[str, str]]:
    return [(chip.name, chip.words) for chip in understood_parts(parse(text, NOW, UTC))]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("source:cli", "source is cli"),
        ("source:cli,telegram", "source is cli or telegram"),
        ("-source:cli", "source is not cli"),
        ("model:opus", "model contains opus"),
        ("-model:opus", "model does not contain opus"),
        ("NOT model:opus", "model does not contain opus"),
        ('title:"trip to kyoto"', "title contains trip to kyoto"),
        ('-title:"a, b"', "title does not contain a, b"),
        ("id:953f48", "id contains 953f48"),
        ("workspace:code", "workspace contains code"),
        ("kind:branch,subagent", "kind is branch or subagent"),
        ("is:archived", "archived"),
        ("-is:archived", "not archived"),
        ("is:open,running", "open or running"),
        ("role:user", "role is user"),
        ("tool:terminal", "tool is terminal"),
        ("-tool:terminal", "tool is not terminal"),
        ("has:image", "with image"),
        ("-has:tools", "without tools"),
        ("in:title", "only in title"),
        ("-in:reasoning", "not in reasoning"),
        ("after:2026-03-01", "since 2026-03-01"),
        ("-after:2026-03-01", "not since 2026-03-01"),
        ("before:2026-03-01", "before 2026-03-01"),
        ("before:yesterday", "before yesterday"),
        ("on:2026-03-01", "on 2026-03-01"),
        ("on:2026-03", "in 2026-03"),
        ("on:2026", "in 2026"),
        ("on:today", "today"),
        ("-on:Yesterday", "not yesterday"),
        ("after:7d", "in the last 7 days"),
        ("on:1d", "in the last 1 day"),
        ("-after:12h", "not in the last 12 hours"),
        ("before:2w", "more than 2 weeks ago"),
        ("messages:>20", "more than 20 messages"),
        ("messages:>=20", "at least 20 messages"),
        ("messages:<20", "fewer than 20 messages"),
        ("messages:<=1", "at most 1 message"),
        ("messages:20", "exactly 20 messages"),
        ("messages:20..10", "10 to 20 messages"),
        ("-messages:>1,000", "not more than 1,000 messages"),
        ("tokens:>10K", "more than 10k tokens"),
        ("cost:>1", "cost more than $1"),
        ("cost:<1", "cost less than $1"),
        ("cost:$1..$2.50", "cost $1 to $2.50"),
    ],
)
def test_a_field_has_a_chip_in_words(text: str, words: str) -> None:
    query = parse(text, NOW, UTC)
    assert _said(text) == [(query.fields[0].name, words)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a OR b", "a or b"),
        ('"no space left"', "“no space left”"),
        ("dock*", "dock…"),
        ("/a|b/", "/a|b/"),
        ("NOT a", "without a"),
        ('NOT a OR "b c"', "without a or “b c”"),
    ],
)
def test_text_that_is_more_than_a_word_has_a_chip(text: str, words: str) -> None:
    assert _said(text) == [("text", words)]


def test_plain_words_need_no_chip() -> None:
    assert _said("docker arm64 is:foo") == []


def test_chips_come_text_first_then_field_by_field() -> None:
    assert _said("source:cli a* word -is:empty NOT b") == [
        ("text", "a…"),
        ("text", "without b"),
        ("source", "source is cli"),
        ("is", "not empty"),
    ]


def test_every_field_has_words() -> None:
    values = {"text": "x", "day": "today", "amount": "1"}
    for name, about in FIELDS.items():
        value = values.get(about.takes) or next(iter(about.offers))
        for sign in ("", "-"):
            ((said, words),) = _said(f"{sign}{name}:{value}")
            assert said == name
            assert words


KNOWN = {
    "source": ["cli", "telegram", "my bot"],
    "model": ["claude-opus-4", "gpt-5", "gpt-5-mini", "a,b", 'odd"one', "line\nbreak", ":x", ""],
    "tool": ["terminal", "read_file"],
}


def _offers(typed: str) -> list[Offer]:
    """What is offered where a bar stands for the cursor."""
    text, _, rest = typed.partition("|")
    return complete(text + rest, len(text), KNOWN)


def _completed(typed: str) -> list[str]:
    """What the text would become by each offer."""
    text = typed.replace("|", "")
    return [text[: each.start] + each.text + text[each.end :] for each in _offers(typed)]


@pytest.mark.parametrize(
    ("typed", "becomes"),
    [
        ("so|", ["source:"]),
        ("SO|", ["source:"]),
        ("x so| y", ["x source: y"]),
        ("to|", ["tokens:", "tool:"]),
        ("source|", ["source:"]),
        ("-so|", ["-source:"]),
        ("-|", [f"-{name}:" for name in FIELDS if name != "profile"]),
        ("so|urce:cli", ["source:cli"]),
        ("mo|rd:x", ["model:x"]),
        ("s|", []),
        ("|", []),
        ("|so", []),
        ("so |", []),
        ("xx|", []),
        ("so1|", []),
        ("--so|", []),
        ('"so|', []),
        ('"a so| b"', []),
        ("/so|/", []),
    ],
)
def test_names_are_offered_after_two_letters_or_a_dash(typed: str, becomes: list[str]) -> None:
    assert _completed(typed) == becomes


@pytest.mark.parametrize(
    ("typed", "becomes"),
    [
        ("source:|", ["source:cli", "source:telegram", 'source:"my bot"']),
        ("source:t|", ["source:telegram", 'source:"my bot"']),
        ("source:TELE|", ["source:telegram"]),
        ("-source:c|", ["-source:cli"]),
        ("x source:c| y", ["x source:cli y"]),
        ("source:c|xx y", ["source:cli y"]),
        ("source:cli|", []),
        ("source:cli,|", ["source:cli,telegram", 'source:cli,"my bot"']),
        ("source:cli,t|", ["source:cli,telegram", 'source:cli,"my bot"']),
        ("source:c|,telegram", ["source:cli,telegram"]),
        ('source:"my b|', ['source:"my bot"']),
        ('source:"my b|" y', ['source:"my bot" y']),
        ('source:"my bot"|', []),
        ('source:"my bot",c|', ['source:"my bot",cli']),
        ("model:gpt|", ["model:gpt-5", "model:gpt-5-mini"]),
        ("model:a|", ['model:"a,b"', "model:claude-opus-4"]),
        ("model:x|", ['model:":x"']),
        ("model:gpt-5|", ["model:gpt-5-mini"]),
        ("tool:f|", ["tool:read_file"]),
        ("is:ar|", ["is:archived"]),
        ("is:archived,pi|", ["is:archived,pinned", "is:archived,expiring"]),
        ("has:|", ["has:tools", "has:reasoning", "has:image"]),
        ("before:y|", ["before:yesterday", "before:today", "before:1y"]),
        ("messages:>|", ["messages:>20"]),
        ("role:as|", ["role:assistant"]),
        ("id:|", []),
        ("todo:|", []),
        ("source:c |", []),
        ("xsource:c|", []),
    ],
)
def test_values_are_offered_after_a_name(typed: str, becomes: list[str]) -> None:
    assert _completed(typed) == becomes


def test_an_offer_says_what_it_means() -> None:
    assert _offers("wor|") == [Offer(0, 3, "workspace:", FIELDS["workspace"].words)]
    assert _offers("is:pin|") == [Offer(3, 6, "pinned", "pinned by you")]
    assert _offers("source:cl|") == [Offer(7, 9, "cli", "")]


def test_nothing_is_offered_beyond_what_is_searched_for() -> None:
    assert complete(" " * LONGEST + "so", LONGEST + 2, {}) == []


def test_whatever_is_offered_is_understood() -> None:
    for name in FIELDS:
        for becomes in _completed(f"{name}:|"):
            query = parse(becomes, NOW, UTC)
            assert [field.name for field in query.fields] == [name], becomes
            assert query.notes == ()


def test_a_value_that_is_offered_means_itself() -> None:
    for value in ("my bot", "a,b", ":x"):
        known = {"model": [value]}
        (offer,) = complete("model:", 6, known)
        query = parse(f"model:{offer.text}", NOW, UTC)
        assert query.fields[0].any_of == (value,)


anything = st.text(max_size=40) | st.lists(
    st.sampled_from(['"', "/", "-", ",", " ", "so", "cli", "my", *(f"{n}:" for n in FIELDS)]),
    max_size=12,
).map("".join)


@given(anything, st.integers(0, 60))
def test_offers_stand_around_the_cursor(text: str, cursor: int) -> None:
    for offer in complete(text, cursor, KNOWN):
        assert 0 <= offer.start <= cursor <= offer.end <= len(text)


@given(anything)
def test_anything_that_was_understood_has_words(text: str) -> None:
    query = parse(text, NOW, UTC)
    said = understood_parts(query)
    assert all(isinstance(chip, Understood) and chip.words for chip in said)
    assert [chip.name for chip in said if chip.name != "text"] == [f.name for f in query.fields]
