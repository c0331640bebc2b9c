"""The lines of the prune screen: presets, rules, what stays and why, and bars."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from explorer.render.clean import cell_width, clean_line, fit
from explorer.render.figures import count, plural, size
from explorer.render.lines import Line, wrapped
from explorer.search.prune_rules import OPEN, PRESETS, Chosen, Rules
from explorer.stores.ours.trash import RETENTION

BAR = 18
MOST_BARS = 12
NOTE_WIDTH = 46
"""Columns of a note on the search, which is longer than a line."""


class RuleRow(NamedTuple):
    """A heading, something to choose, or something to read."""

    kind: str
    """heading, preset, rule, stays, bar or words."""
    name: str
    words: str
    value: str = ""
    on: bool = False

    @property
    def can_be_chosen(self) -> bool:
        return self.kind in ("preset", "rule") or (self.kind == "stays" and self.name == OPEN)


class Going(NamedTuple):
    """How much would go."""

    conversations: int
    messages: int
    bytes: int | None
    """None until it is known."""


def rule_rows(
    rules: Rules, chosen: Chosen | None, going: Going | None, selected: int
) -> list[RuleRow]:
    """Everything from top to bottom; `selected` rows of the list can be pruned as they are."""
    rows = [RuleRow("heading", "", "What would go")]
    rows += [RuleRow("words", "", words) for words in _totals(going)]
    rows.append(RuleRow("heading", "", "Begin with"))
    plain = rules._replace(spared=frozenset(), include_open=False)
    for name, preset in PRESETS.items():
        rows.append(RuleRow("preset", name, name, on=plain == preset))
    if selected:
        words = f"The {plural(selected, 'selected session')}"
        rows.append(RuleRow("preset", "selected", words, on=rules.only is not None))
    rows.append(RuleRow("heading", "", "Rules"))
    rows += [RuleRow("rule", name, words, value) for name, words, value in _rules(rules)]
    for note in chosen.notes if chosen else ():
        rows += [RuleRow("words", "", words) for words in wrapped(clean_line(note), NOTE_WIDTH)]
    if chosen and chosen.skipped:
        rows.append(RuleRow("heading", "", "Stays all the same"))
        for reason, tips in chosen.skipped.items():
            more = ": include?" if reason == OPEN else ""
            rows.append(RuleRow("stays", reason, f"{count(len(tips))} {reason}{more}"))
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


def _rules(rules: Rules) -> Iterator[tuple[str, str, str]]:
    """(name, words, value)."""
    yield "older", "Quiet for at least", span_words(rules.older)
    yield "sources", "Source", clean_line(", ".join(sorted(rules.sources))) or "any"
    classes = ", ".join(sorted(one.value for one in rules.classes))
    yield "classes", "Class", classes or "any"
    yield "most", "Messages at most", "any" if rules.most is None else count(rules.most)
    yield "empty", "Only empty ones", "yes" if rules.empty else "no"
    yield "open", "Open ones too, never ended", "yes" if rules.include_open else "no"
    yield "keep", "Keep the newest", count(rules.keep)
    yield "query", "And this search fits", clean_line(rules.query, 40) or "-"


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


def _bars(title: str, numbers: Mapping[str, int]) -> Iterator[RuleRow]:
    yield RuleRow("heading", "", title)
    items = list(numbers.items())
    greatest = max(numbers.values())
    for name, number in items[-MOST_BARS:] if "month" in title else items[:MOST_BARS]:
        yield RuleRow("bar", str(number / greatest), clean_line(name, 12), count(number))
    if len(items) > MOST_BARS:
        yield RuleRow("words", "", f"and {count(len(items) - MOST_BARS)} more")


def painted(row: RuleRow, width: int) -> Line:
    """A row as it is drawn."""
    if row.kind == "heading":
        return ((f" {row.words}", "heading"),)
    if row.kind == "preset":
        sign = "(•)" if row.on else "( )"
        style = "strong" if row.on else "text"
        return (f"  {sign} ", "ok" if row.on else "dim"), (fit(row.words, width - 7), style)
    if row.kind == "bar":
        full = max(round(float(row.name) * BAR), 1)
        name = fit(row.words, 12)
        gap = " " * (14 - cell_width(name))
        return (f"  {name}{gap}", "text"), ("█" * full, "link"), (f" {row.value}", "dim")
    if row.kind == "rule":
        value = fit(row.value, max(width - 32, 6))
        words = fit(row.words, max(width - cell_width(value) - 5, 4))
        gap = " " * max(width - cell_width(words) - cell_width(value) - 4, 1)
        return (f"  {words}", "text"), (f"{gap}{value}", "strong")
    style = "text" if row.can_be_chosen or row.kind == "words" else "dim"
    return ((f"  {fit(row.words, width - 3)}", style),)
