"""The lines of the prune screen: presets, rules, what is kept and why, and bars."""

from collections.abc import Iterator, Mapping

from explorer.browse.arrangement import classes_of
from explorer.browse.choices import ChoiceRow, heading
from explorer.browse.words import profile_words
from explorer.render.clean import clean_line
from explorer.render.figures import count, plural, size
from explorer.render.lines import wrapped
from explorer.search.prune_rules import KEPT, OPEN, PRESETS, Chosen, Rules
from explorer.search.words import kept
from explorer.stores.base import Store
from explorer.stores.edits.words import amount_words
from explorer.stores.ours.trash import RETENTION
from explorer.stores.server_path import on_server

BAR = 18
MOST_BARS = 12
NO_SMALLER = "The state file does not shrink by itself."
LOCAL_TRASH = "The trash is on this machine only."
NO_MATCH = "No session matches these rules."
ALL_KEPT = "Nothing: you keep everything that matches."
NOTE_WIDTH = 46
"""Columns of a note on the search, which is longer than a line."""


def rule_rows(
    rules: Rules,
    chosen: Chosen | None,
    bytes_: int | None,
    selected: frozenset[int],
    key: str,
    store: Store,
) -> list[ChoiceRow]:
    """Everything from top to bottom; `bytes_` are those of what is removed, once they are known,
    `selected` rows of the list can be pruned as they are, `key` changes a rule. The summary always
    has the same height: the rules below it stay where they are."""
    rows = [heading("Will be removed")]
    rows += [ChoiceRow("words", "", words) for words in _totals(chosen, bytes_, store)]
    rows.append(heading("Start from"))
    plain = rules._replace(include_open=False, profiles=frozenset(), query="")
    possible = classes_of(store)
    for name, preset in PRESETS.items():
        if not preset.classes <= set(possible):
            continue
        # What the list was narrowed to stays so.
        own = preset._replace(profiles=rules.profiles, query=rules.query)
        rows.append(ChoiceRow("preset", name, name, plain == preset, choice=own))
    if selected:
        words, only = f"The {plural(len(selected), 'selected session')}", Rules(only=selected)
        rows.append(ChoiceRow("preset", "selected", words, rules.only is not None, choice=only))
    rows += [heading("Rules"), *_rules(rules, store)]
    for note in chosen.notes if chosen else ():
        rows += [ChoiceRow("words", "", words) for words in wrapped(clean_line(note), NOTE_WIDTH)]
    if chosen and chosen.skipped:
        rows.append(heading("Kept"))
        for reason, tips in chosen.skipped.items():
            words = kept(reason, len(tips))
            if reason in (OPEN, KEPT):
                choice = rules._replace(include_open=True) if reason == OPEN else None
                words = f"{words} · {key} to include"
                rows.append(ChoiceRow("include", reason, words, choice=choice))
            else:
                rows.append(ChoiceRow("stays", reason, words))
    if chosen and chosen.conversations:
        if len(chosen.profiles) > 1:
            rows += _bars("By profile", "more profile", chosen.profiles)
        rows += _bars("By source", "more source", chosen.sources)
        rows += _bars("By month last active", "earlier month", chosen.months)
    return rows


def _totals(chosen: Chosen | None, bytes_: int | None, store: Store) -> Iterator[str]:
    if chosen is None:
        yield from ("Counting …", "")
    elif not chosen.conversations:
        yield from (NO_MATCH if not chosen.rows else ALL_KEPT, "")
    else:
        amount = amount_words(chosen.conversations, chosen.sessions)
        yield f"{amount}, {plural(chosen.messages, 'message')}"
        yield "… of text" if bytes_ is None else f"{size(bytes_)} of text"
    days = plural(int(RETENTION // 86_400), "day")
    away = all(on_server(one.path) for one in store.stores())
    more = LOCAL_TRASH if away else NO_SMALLER
    text = f"Archive hides them. Delete keeps them in the trash for {days}. {more}"
    yield from wrapped(text, NOTE_WIDTH)


def _rules(rules: Rules, store: Store) -> Iterator[ChoiceRow]:
    """The rules that can apply to the sessions of this store."""
    classes = ", ".join(sorted(one.value for one in rules.classes))
    profiles = ", ".join(map(profile_words, sorted(rules.profiles)))
    said = {
        "profiles": ("Profile", profiles or f"all {plural(len(store.places), 'profile')}"),
        "older": ("Inactive for at least", span_words(rules.older)),
        "sources": ("Source", clean_line(", ".join(sorted(rules.sources))) or "any source"),
        "classes": ("Class", classes or "any class"),
        "most": ("Messages at most", "any number" if rules.most is None else count(rules.most)),
        "empty": ("Only empty sessions", "yes" if rules.empty else "no"),
        "open": ("Include sessions that never ended", "yes" if rules.include_open else "no"),
        "keep": ("Keep the newest", count(rules.keep) if rules.keep else "none"),
        "query": ("Matching this search", clean_line(rules.query, 40) or "no search"),
    }
    turned = {
        "empty": rules._replace(empty=not rules.empty),
        "open": rules._replace(include_open=not rules.include_open),
    }
    idle = {
        "profiles": not store.places,
        "sources": not store.keeps_sources,
        "open": not store.keeps_ends,
    }
    for name, (words, value) in said.items():
        if not idle.get(name):
            yield ChoiceRow("rule", name, words, value=value, choice=turned.get(name))


def span_words(seconds: float | None) -> str:
    if seconds is None:
        return "any time"
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
