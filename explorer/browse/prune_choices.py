"""The lines of the prune screen: presets, rules, what is kept and why, and bars."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from explorer.browse.choices import ChoiceRow, heading
from explorer.render.clean import clean_line
from explorer.render.figures import count, plural, size
from explorer.render.lines import wrapped
from explorer.search.prune_rules import OPEN, PRESETS, Chosen, Rules
from explorer.search.words import kept
from explorer.stores.ours.trash import RETENTION

BAR = 18
MOST_BARS = 12
NO_SMALLER = "The state file does not shrink by itself."
NOTE_WIDTH = 46
"""Columns of a note on the search, which is longer than a line."""


class Going(NamedTuple):
    """How much is removed."""

    conversations: int
    messages: int
    bytes: int | None
    """None until it is known."""


def rule_rows(
    rules: Rules, chosen: Chosen | None, going: Going | None, selected: frozenset[int], key: str
) -> list[ChoiceRow]:
    """Everything from top to bottom; `selected` rows of the list can be pruned as they are, `key`
    changes a rule."""
    rows = [heading("Will be removed")]
    rows += [ChoiceRow("words", "", words) for words in _totals(going)]
    rows.append(heading("Start from"))
    plain = rules._replace(spared=frozenset(), include_open=False)
    for name, preset in PRESETS.items():
        rows.append(ChoiceRow("preset", name, name, plain == preset, choice=preset))
    if selected:
        words, only = f"The {plural(len(selected), 'selected session')}", Rules(only=selected)
        rows.append(ChoiceRow("preset", "selected", words, rules.only is not None, choice=only))
    rows += [heading("Rules"), *_rules(rules)]
    for note in chosen.notes if chosen else ():
        rows += [ChoiceRow("words", "", words) for words in wrapped(clean_line(note), NOTE_WIDTH)]
    if chosen and chosen.skipped:
        rows.append(heading("Kept"))
        for reason, tips in chosen.skipped.items():
            words = kept(reason, len(tips))
            if reason == OPEN:
                choice = rules._replace(include_open=not rules.include_open)
                words = f"{words} · {key} to include"
                rows.append(ChoiceRow("include", reason, words, choice=choice))
            else:
                rows.append(ChoiceRow("stays", reason, words))
    if chosen and chosen.rows:
        rows += _bars("By source", "more source", chosen.sources)
        rows += _bars("By month last active", "earlier month", chosen.months)
    return rows


def _totals(going: Going | None) -> Iterator[str]:
    if going is None:
        yield "Counting …"
        return
    if not going.conversations:
        yield "No session matches these rules."
        return
    yield f"{plural(going.conversations, 'conversation')}, {plural(going.messages, 'message')}"
    yield "… of text" if going.bytes is None else f"{size(going.bytes)} of text"
    days = plural(int(RETENTION // 86_400), "day")
    text = f"Archive hides them. Delete keeps them in the trash for {days}. {NO_SMALLER}"
    yield from wrapped(text, NOTE_WIDTH)


def _rules(rules: Rules) -> Iterator[ChoiceRow]:
    classes = ", ".join(sorted(one.value for one in rules.classes))
    said = {
        "older": ("Inactive for at least", span_words(rules.older)),
        "sources": ("Source", clean_line(", ".join(sorted(rules.sources))) or "any"),
        "classes": ("Class", classes or "any"),
        "most": ("Messages at most", "any" if rules.most is None else count(rules.most)),
        "empty": ("Only empty sessions", "yes" if rules.empty else "no"),
        "open": ("Include sessions that never ended", "yes" if rules.include_open else "no"),
        "keep": ("Keep the newest", count(rules.keep)),
        "query": ("Matching this search", clean_line(rules.query, 40) or "any"),
    }
    turned = {
        "empty": rules._replace(empty=not rules.empty),
        "open": rules._replace(include_open=not rules.include_open),
    }
    for name, (words, value) in said.items():
        yield ChoiceRow("rule", name, words, value=value, choice=turned.get(name))


def span_words(seconds: float | None) -> str:
    if seconds is None:
        return "any"
    return plural(*_whole(seconds))


def typed_span(seconds: float | None) -> str:
    """As it is typed, and exactly: entered again it must mean the same."""
    if seconds is None:
        return ""
    number, unit = _whole(seconds)
    return f"{number}{unit[0]}"


def _whole(seconds: float) -> tuple[int, str]:
    """In days, or in hours where it is no whole number of them."""
    hours = round(seconds / 3600)
    return (hours, "hour") if hours % 24 or not hours else (hours // 24, "day")


def _bars(title: str, others: str, numbers: Mapping[str, int]) -> Iterator[ChoiceRow]:
    yield heading(title)
    items = list(numbers.items())
    greatest = max(numbers.values())
    for name, number in items[-MOST_BARS:] if "month" in others else items[:MOST_BARS]:
        full = "█" * max(round(number / greatest * BAR), 1)
        yield ChoiceRow("bar", full, clean_line(name, 12), value=count(number))
    if len(items) > MOST_BARS:
        yield ChoiceRow("words", "", f"and {plural(len(items) - MOST_BARS, others)}")
