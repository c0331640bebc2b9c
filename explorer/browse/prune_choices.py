"""The lines of the prune screen: presets, rules, what stays and why, and bars."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from explorer.browse.choices import ChoiceRow, heading
from explorer.render.clean import clean_line
from explorer.render.figures import count, plural, size
from explorer.render.lines import wrapped
from explorer.search.prune_rules import OPEN, PRESETS, Chosen, Rules
from explorer.stores.ours.trash import RETENTION

BAR = 18
MOST_BARS = 12
NOTE_WIDTH = 46
"""Columns of a note on the search, which is longer than a line."""


class Going(NamedTuple):
    """How much would go."""

    conversations: int
    messages: int
    bytes: int | None
    """None until it is known."""


def rule_rows(
    rules: Rules, chosen: Chosen | None, going: Going | None, selected: frozenset[int]
) -> list[ChoiceRow]:
    """Everything from top to bottom; `selected` rows of the list can be pruned as they are."""
    rows = [heading("What would go")]
    rows += [ChoiceRow("words", "", words) for words in _totals(going)]
    rows.append(heading("Begin with"))
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
        rows.append(heading("Stays all the same"))
        for reason, tips in chosen.skipped.items():
            words = f"{count(len(tips))} {reason}"
            if reason == OPEN:
                choice = rules._replace(include_open=not rules.include_open)
                rows.append(ChoiceRow("include", reason, f"{words}: include?", choice=choice))
            else:
                rows.append(ChoiceRow("stays", reason, words))
    if chosen and chosen.rows:
        rows += _bars("By source", chosen.sources)
        rows += _bars("By month of the last activity", chosen.months)
    return rows


def _totals(going: Going | None) -> Iterator[str]:
    if going is None:
        yield "Looking …"
        return
    if not going.conversations:
        yield "Nothing: choose what below."
        return
    yield f"{plural(going.conversations, 'conversation')}, {plural(going.messages, 'message')}"
    yield "… of text" if going.bytes is None else f"{size(going.bytes)} of text"
    yield "Archiving (a) hides them. Deleting (d) keeps"
    yield f"them in our trash for {int(RETENTION // 86_400)} days, and does not"
    yield "make the state file smaller by itself."


def _rules(rules: Rules) -> Iterator[ChoiceRow]:
    classes = ", ".join(sorted(one.value for one in rules.classes))
    said = {
        "older": ("Quiet for at least", span_words(rules.older)),
        "sources": ("Source", clean_line(", ".join(sorted(rules.sources))) or "any"),
        "classes": ("Class", classes or "any"),
        "most": ("Messages at most", "any" if rules.most is None else count(rules.most)),
        "empty": ("Only empty ones", "yes" if rules.empty else "no"),
        "open": ("Open ones too, never ended", "yes" if rules.include_open else "no"),
        "keep": ("Keep the newest", count(rules.keep)),
        "query": ("And this search fits", clean_line(rules.query, 40) or "-"),
    }
    turned = {
        "empty": rules._replace(empty=not rules.empty),
        "open": rules._replace(include_open=not rules.include_open),
    }
    for name, (words, value) in said.items():
        yield ChoiceRow("rule", name, words, value=value, choice=turned.get(name))


def span_words(seconds: float | None) -> str:
    if seconds is None:
        return "any time"
    return plural(*_whole(seconds))


def typed_span(seconds: float | None) -> str:
    """As somebody would type it, and exactly: entered again it must not become another one."""
    if seconds is None:
        return ""
    number, unit = _whole(seconds)
    return f"{number}{unit[0]}"


def _whole(seconds: float) -> tuple[int, str]:
    """In days, or in hours where it is no whole number of them."""
    hours = round(seconds / 3600)
    return (hours, "hour") if hours % 24 or not hours else (hours // 24, "day")


def _bars(title: str, numbers: Mapping[str, int]) -> Iterator[ChoiceRow]:
    yield heading(title)
    items = list(numbers.items())
    greatest = max(numbers.values())
    for name, number in items[-MOST_BARS:] if "month" in title else items[:MOST_BARS]:
        full = "█" * max(round(number / greatest * BAR), 1)
        yield ChoiceRow("bar", full, clean_line(name, 12), value=count(number))
    if len(items) > MOST_BARS:
        yield ChoiceRow("words", "", f"and {count(len(items) - MOST_BARS)} more")
